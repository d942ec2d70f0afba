//! Formats numbers, sizes, durations and times.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Minimum length in seconds of a duration that is written in days.
const TWO_DAYS: u64 = 48 * 3_600;

/// How numbers are written in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notation {
    /// The separator between thousands.
    pub thousands: char,
    /// The decimal separator.
    pub decimal: char,
}

impl Notation {
    /// English notation: `1,234.5`
    pub const ENGLISH: Self = Self { thousands: ',', decimal: '.' };
    /// Vietnamese notation: `1.234,5`
    pub const VIETNAMESE: Self = Self { thousands: '.', decimal: ',' };

    /// Formats a number with separators between thousands.
    #[must_use]
    pub fn number(self, number: u64) -> String {
        let digits = number.to_string();
        let mut out = String::with_capacity(digits.len() + digits.len() / 3);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                out.push(self.thousands);
            }
            out.push(digit);
        }
        out
    }

    /// Formats a value of an axis. A value below 10 that is not whole gets one or two decimals. Other values
    /// get none.
    #[must_use]
    pub fn decimal(self, value: f64) -> String {
        let is_whole = |value: f64| (value - value.round()).abs() < 1e-6;
        let text = match value {
            _ if value >= 10.0 || is_whole(value) => return self.number(value.round() as u64),
            _ if is_whole(10.0 * value) => format!("{value:.1}"),
            _ => format!("{value:.2}"),
        };
        text.replace('.', self.decimal.encode_utf8(&mut [0; 4]))
    }

    /// Formats a number of bytes in the largest binary unit that the number reaches. All units except the byte
    /// get one decimal.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> String {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let power = (0..UNITS.len() - 1).find(|power| bytes >> (10 * (power + 1)) == 0);
        let power = power.unwrap_or(UNITS.len() - 1);
        if power == 0 {
            return format!("{bytes} B");
        }
        let value = bytes as f64 / (1_u64 << (10 * power)) as f64;
        let value = format!("{value:.1}").replace('.', self.decimal.encode_utf8(&mut [0; 4]));
        format!("{value} {}", UNITS[power])
    }
}

/// Formats a number in English notation.
#[must_use]
pub fn number(number: u64) -> String {
    Notation::ENGLISH.number(number)
}

/// Formats a number of bytes in English notation, as [`Notation::bytes`] does.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    Notation::ENGLISH.bytes(bytes)
}

/// Formats a number with an English noun. `noun` is the singular of a noun whose plural ends in `s`.
///
/// ```
/// use gleaner_crawl::render::text::count;
///
/// assert_eq!((count(1, "document"), count(2_000, "page")), ("1 document".into(), "2,000 pages".into()));
/// ```
#[must_use]
pub fn count(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

/// Formats a share from 0 to 1 as a percentage without decimals.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// Formats a number of seconds in its two largest units. Days are used from 48 hours on. If the second unit
/// is 0, it is omitted.
#[must_use]
pub fn duration(seconds: u64) -> String {
    duration_in_units(seconds, ["s", "min", "h", "days"])
}

/// Like [`duration`], with other names of the units: second, minute, hour, day.
pub(crate) fn duration_in_units(seconds: u64, [second, minute, hour, day]: [&str; 4]) -> String {
    let (first, second) = match seconds {
        0..60 => ((seconds, second), (0, "")),
        60..3_600 => ((seconds / 60, minute), (seconds % 60, second)),
        3_600..TWO_DAYS => ((seconds / 3_600, hour), (seconds / 60 % 60, minute)),
        TWO_DAYS.. => ((seconds / 86_400, day), (seconds / 3_600 % 24, hour)),
    };
    match second {
        (0, _) => format!("{} {}", first.0, first.1),
        (value, unit) => format!("{} {} {value} {unit}", first.0, first.1),
    }
}

/// The zone of [`minute`] and [`minute_without_zone`]. UTC until a program sets another one.
static ZONE: OnceLock<TimeZone> = OnceLock::new();

/// Sets the time zone in which people read times. An unknown zone counts as UTC. Only the first call has an effect.
pub fn show_times_in(zone: TimeZone) {
    let _ = ZONE.set(if zone.is_unknown() { TimeZone::UTC } else { zone });
}

/// Returns the time zone in which people read times.
#[must_use]
pub fn zone() -> TimeZone {
    ZONE.get().cloned().unwrap_or(TimeZone::UTC)
}

/// Formats a time for people as date, hour, minute and the abbreviation of the zone, such as
/// `2026-11-20 09:00 +07`.
#[must_use]
pub fn minute(time: Timestamp) -> String {
    minute_in(time, zone())
}

/// Like [`minute`], without the abbreviation of the zone.
#[must_use]
pub fn minute_without_zone(time: Timestamp) -> String {
    time.to_zoned(zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn minute_in(time: Timestamp, zone: TimeZone) -> String {
    time.to_zoned(zone).strftime("%Y-%m-%d %H:%M %Z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_language_writes_them() {
        assert_eq!(Notation::ENGLISH.number(1_234_567), "1,234,567");
        assert_eq!(Notation::VIETNAMESE.number(1_234), "1.234");
        assert_eq!(number(7), "7");
    }

    #[test]
    fn values_of_axes_are_short() {
        let shown = [1_500.0, 40.0, 0.0, 0.5, 0.05].map(|value| Notation::VIETNAMESE.decimal(value));
        assert_eq!(shown, ["1.500", "40", "0", "0,5", "0,05"]);
    }

    #[test]
    fn sizes_have_one_decimal() {
        assert_eq!(Notation::VIETNAMESE.bytes(1_536), "1,5 KiB");
        assert_eq!(
            (bytes(0), bytes(1_023), bytes(5 << 30)),
            ("0 B".into(), "1023 B".into(), "5.0 GiB".into())
        );
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }

    #[test]
    fn durations_have_two_units() {
        let cases = [
            (0, "0 s"),
            (42, "42 s"),
            (120, "2 min"),
            (7_199, "1 h 59 min"),
            (86_400, "24 h"),
            (2 * 86_400, "2 days"),
            (3 * 86_400 + 7_300, "3 days 2 h"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn times_name_their_zone() {
        let at: Timestamp = "2026-11-20T02:00:00Z".parse().unwrap();
        assert_eq!(minute_in(at, TimeZone::UTC), "2026-11-20 02:00 UTC");
        assert_eq!(minute_in(at, TimeZone::fixed(jiff::tz::offset(7))), "2026-11-20 09:00 +07");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(|n| count(n, "URL")), ["0 URLs", "1 URL", "2 URLs"]);
        assert_eq!(percent(0.125), "12%");
    }
}
