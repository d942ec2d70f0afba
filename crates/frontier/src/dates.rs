//! Dates as sitemaps and feeds write them.
//!
//! W3C date-times (a year, a month or a day will do), RFC 2822, and their common
//! slips: a space for the `T`, an offset without colon, `GMT+7`, a wrong weekday. A
//! time without zone is taken as UTC, up to half a day wrong: the date orders the
//! queue and is not what a document is dated by.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;

/// Longest text that is looked at.
const MAX_LENGTH: usize = 64;

/// The time that `text` states; `None` where it cannot be read.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_LENGTH || !text.is_ascii() {
        return None;
    }
    let utc = |date: DateTime| date.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse::<Timestamp>()
        .ok()
        .or_else(|| spelled(text))
        .or_else(|| utc(text.parse::<DateTime>().ok()?))
        .or_else(|| utc(partial(text)?.to_datetime(jiff::civil::Time::midnight())))
}

/// RFC 2822, in feeds.
fn spelled(text: &str) -> Option<Timestamp> {
    const PARSER: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    PARSER.parse_timestamp(text).ok().or_else(|| {
        let (time, offset) = text.split_once("GMT")?;
        let (sign, hours) = offset.trim().split_at_checked(1)?;
        let hours = hours.trim_end_matches("00").trim_end_matches(':');
        let hours: u8 = hours.parse().ok().filter(|hours| *hours <= 14)?;
        let offset = matches!(sign, "+" | "-").then(|| format!("{sign}{hours:02}00"))?;
        PARSER.parse_timestamp(format!("{} {offset}", time.trim_end())).ok()
    })
}

/// `2024` and `2024-05`.
fn partial(text: &str) -> Option<Date> {
    let (year, month) = text.split_once('-').unwrap_or((text, "1"));
    (year.len() == 4).then(|| Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok())?
}

#[cfg(test)]
mod tests {
    use super::parse;
    use proptest::prelude::*;

    #[test]
    fn as_they_are_written() {
        for (text, expected) in [
            ("2024-05-31", Some("2024-05-31T00:00:00Z")),
            ("2024-05", Some("2024-05-01T00:00:00Z")),
            ("2024", Some("2024-01-01T00:00:00Z")),
            ("2024-05-31T10:00Z", Some("2024-05-31T10:00:00Z")),
            ("2024-05-31T10:00:00+07:00", Some("2024-05-31T03:00:00Z")),
            ("2024-05-31T10:00:00.250+0700", Some("2024-05-31T03:00:00.25Z")),
            ("2024-05-31T10:00:00", Some("2024-05-31T10:00:00Z")),
            (" 2024-05-31 10:00:00\n", Some("2024-05-31T10:00:00Z")),
            ("Fri, 31 May 2024 10:00:00 +0700", Some("2024-05-31T03:00:00Z")),
            ("Mon, 31 May 2024 10:00:00 GMT", Some("2024-05-31T10:00:00Z")),
            ("Fri, 31 May 2024 10:00:00 GMT+7", Some("2024-05-31T03:00:00Z")),
            ("Fri, 31 May 2024 10:00:00 GMT+0700", Some("2024-05-31T03:00:00Z")),
            ("31 May 2024 10:00 EST", Some("2024-05-31T15:00:00Z")),
            ("2024-13-31", None),
            ("yesterday", None),
            ("GMT", None),
            ("", None),
            ("31/05/2024", None),
        ] {
            assert_eq!(parse(text).map(|t| t.to_string()).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([0-9]{1,4}[-:T ]?|GMT|[+Z]|.){0,12}") {
            let _ = parse(&text);
        }
    }
}
