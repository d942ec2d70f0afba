//! Parses the values of the headers `Content-Type` and `Retry-After`, and has the limits of headers.
//!
//! An unreadable value is treated as missing.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;

/// Maximum number of header lines. The library's default of 100 is too low for some sites.
pub(crate) const MAX_HEADERS: usize = 256;
/// Maximum size of the headers in bytes, over HTTP/1.1 and HTTP/2.
pub(crate) const MAX_HEAD: usize = 256 * 1024;
/// The maximum `Retry-After`. It replaces longer values.
pub(crate) const MAX_BACKOFF: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the media type without parameters and in lower case, such as `text/html`.
pub(crate) fn essence(content_type: &str) -> String {
    content_type.split([';', ',']).next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the wait in a `Retry-After` (RFC 9110, 10.2.3): a number of seconds, or a date, which is compared
/// with `now`. Returns zero for a past date, and `None` if the value is negative or unreadable.
pub(crate) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        // A number above `u64::MAX` still means a very long wait.
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(MAX_BACKOFF));
    }
    let wait = Duration::try_from(http_date(value)?.duration_since(now)).unwrap_or(Duration::ZERO);
    Some(wait.min(MAX_BACKOFF))
}

fn http_date(text: &str) -> Option<Timestamp> {
    // Some servers send a wrong weekday.
    const LENIENT: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    if let Ok(date) = LENIENT.parse_timestamp(text) {
        return Some(date);
    }
    let utc = |format| strtime::parse(format, text).ok()?.to_datetime().ok();
    let date = utc("%A, %d-%b-%y %H:%M:%S GMT").or_else(|| utc("%a %b %e %H:%M:%S %Y"))?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_read_without_its_parameters() {
        for (sent, read) in [
            ("text/html", "text/html"),
            ("Text/HTML; charset=utf-8", "text/html"),
            (" text/html ;", "text/html"),
            ("text/html, text/html", "text/html"),
            ("", ""),
        ] {
            assert_eq!(essence(sent), read);
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        let seconds = |n| Some(Duration::from_secs(n));
        for (sent, read) in [
            ("120", seconds(120)),
            (" 0 ", seconds(0)),
            ("99999999", Some(MAX_BACKOFF)),
            ("99999999999999999999999", Some(MAX_BACKOFF)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", seconds(37)),
            ("Mon, 06 Nov 1994 08:49:37 GMT", seconds(37)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", seconds(37)),
            ("Sun Nov  6 08:49:37 1994", seconds(37)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", seconds(0)),
            ("Fri, 31 Dec 1999 23:59:59 GMT", Some(MAX_BACKOFF)),
            ("-5", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
            ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ] {
            assert_eq!(retry_after(sent, now), read, "{sent}");
        }
    }
}
