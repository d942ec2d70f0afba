//! Defines a date with an optional time and time zone, as a page states them.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

/// A day with an optional time of day and an optional UTC offset.
///
/// It is displayed as `2026-11-20`, `2026-11-20T09:30:00` (without an offset), or RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialDateTime {
    /// The day, in the time zone of the page.
    pub day: Date,
    /// The time of day, in the time zone of the page. `None` if the page does not state a time.
    pub time: Option<Time>,
    /// The UTC offset of the page's time zone in minutes, -840 to 840. `None` if the page does not state it,
    /// or if there is no time.
    pub offset: Option<i32>,
}

impl PartialDateTime {
    /// Returns a day without a time.
    #[must_use]
    pub const fn from_day(day: Date) -> Self {
        Self { day, time: None, offset: None }
    }

    /// Returns the date and time of `at` in UTC, without fractions of a second.
    #[must_use]
    pub fn from_utc(at: Timestamp) -> Self {
        let utc = at.to_zoned(TimeZone::UTC).datetime();
        let time = Time::constant(utc.hour(), utc.minute(), utc.second(), 0);
        Self { day: utc.date(), time: Some(time), offset: Some(0) }
    }

    /// Returns the point in time. If the offset is unknown, UTC is assumed. If the time is unknown, midnight
    /// is assumed. Returns `None` if the point in time is outside the range of [`Timestamp`].
    #[must_use]
    pub fn instant(self) -> Option<Timestamp> {
        let offset = Offset::from_seconds(60 * self.offset.unwrap_or(0)).ok()?;
        offset.to_timestamp(self.day.to_datetime(self.time.unwrap_or(Time::midnight()))).ok()
    }

    /// Drops the time if the offset is unknown. The result is displayed as RFC 3339 or as a day.
    #[must_use]
    pub const fn with_zone_or_day(self) -> Self {
        if self.offset.is_some() { self } else { Self::from_day(self.day) }
    }
}

impl fmt::Display for PartialDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.day)?;
        let Some(time) = self.time else { return Ok(()) };
        write!(f, "T{time}")?;
        match self.offset {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::moment;

    #[test]
    fn instants() {
        for (text, expected) in [
            ("2026-11-20T09:30:00+07:00", "2026-11-20T02:30:00Z"),
            ("2026-11-20T23:30:00-05:00", "2026-11-21T04:30:00Z"),
            ("2026-11-20T09:30:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20", "2026-11-20T00:00:00Z"),
        ] {
            let instant = moment(text).and_then(PartialDateTime::instant).unwrap();
            assert_eq!(instant.to_string(), expected, "{text}");
            assert_eq!(PartialDateTime::from_utc(instant).to_string(), expected);
        }
    }
}
