//! Parses dates in the forms that pages use, and converts them to one form.
//!
//! It parses ISO 8601 in its many spellings, RFC 2822, the formats of JavaScript and Java, numeric
//! dates with the year first or last, and Unix time. It also parses dates with the month's name in
//! the languages of news (`20 Νοεμβρίου 2026`, `20 ноября 2026`), Vietnamese dates (`Thứ sáu,
//! 20/11/2026, 09:30 (GMT+7)`, `ngày 20 tháng 11 năm 2026`), and Chinese and Korean dates
//! (`2026年11月20日 09:30`).
//!
//! The result is `2026-11-20`, `2026-11-20T09:30:00` without a zone, or RFC 3339 with the given offset
//! (`+07:00`; zero is `Z`). Missing seconds become 0, and fractions are dropped.
//!
//! Limitation: `03/07/2026` is read with the day first, unless AM or PM shows that it is American.
//! Two-digit years are read only in a text that is known to be a date (`short_date`). Relative
//! dates (`2 hours ago`) are never read. No clock is used, so future dates up to 2100 are accepted.
//! Some ambiguous zone abbreviations are ignored: `IST`, `ET` and `МСК` (which changed in 2011 and
//! 2014).

mod time;

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;

use unicode_normalization::UnicodeNormalization;

use crate::month_names::month;
use time::{behind_spaces, offset_at, time_at, written};

/// Plausible years of a web page; other years are defaults or errors.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;

/// Maximum length of a text with a date, in bytes.
const LONGEST: usize = 200;

/// Returns the date in a text, as `2026-11-20`, `2026-11-20T09:30:00` or RFC 3339 with an offset.
/// `None` if the text has no date or more than 200 bytes, if the date does not exist, or if its
/// year is before 1990 or after 2100.
///
/// ```
/// use gleaner_html::date::date;
/// assert_eq!(date("Thứ sáu, 20/11/2026, 09:30 (GMT+7)").as_deref(), Some("2026-11-20T09:30:00+07:00"));
/// assert_eq!(date("Fri, 20 Nov 2026 09:30:00 GMT").as_deref(), Some("2026-11-20T09:30:00Z"));
/// assert_eq!(date("0001-01-01T00:00:00Z"), None);
/// ```
#[must_use]
pub fn date(text: &str) -> Option<String> {
    dated(text, date_at)
}

/// Returns the date in a text with a two-digit year of this century: `20/11/26`. Only slashes are
/// accepted, because `20.11.26` and `20-11-26` may have the year first. The text must be known to
/// be a date, because scores and part numbers look the same.
pub(crate) fn short_date(text: &str) -> Option<String> {
    dated(text, short_year)
}

type Finder = fn(&[Token], usize) -> Option<(Found, usize)>;

fn dated(text: &str, date_at: Finder) -> Option<String> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    // Without NFC a word would be split at its accents.
    let text: Cow<str> = if text.is_ascii() { text.into() } else { text.nfc().collect() };
    let tokens = tokens(&text);
    if let [Token::Number(digits)] = tokens[..]
        && let Some(at) = unix(digits)
    {
        return Some(at);
    }
    let (found, start, behind) =
        (0..tokens.len()).find_map(|i| date_at(&tokens, i).map(|(d, end)| (d, i, end)))?;
    let after = (behind..tokens.len().min(behind + 8)).find_map(|i| time_at(&tokens, i));
    let before = || (0..start).find_map(|i| time_at(&tokens, i).filter(|t| t.end <= start));
    let Some(clock) = after.or_else(before) else {
        return Some(found.day.to_string());
    };
    let day = found.american.filter(|_| clock.is_american).unwrap_or(found.day);
    let zone = offset_at(&tokens, clock.end).map(written).unwrap_or_default();
    Some(format!("{day}T{}{zone}", clock.time))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'a> {
    Number(&'a str),
    Word(&'a str),
    Mark(char),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let length = if c.is_ascii_digit() {
            let n = end(|c| c.is_ascii_digit());
            out.push(Token::Number(&rest[..n]));
            n
        } else if c.is_alphabetic() {
            let n = end(char::is_alphabetic);
            out.push(Token::Word(&rest[..n]));
            n
        } else {
            out.push(Token::Mark(if c.is_whitespace() { ' ' } else { c }));
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    out
}

/// A date, and the same numbers read with the month first.
#[derive(Debug, Clone, Copy)]
struct Found {
    day: Date,
    american: Option<Date>,
}

fn number(token: Option<&Token>, digits: std::ops::RangeInclusive<usize>) -> Option<i16> {
    match token {
        Some(Token::Number(n)) if digits.contains(&n.len()) => n.parse().ok(),
        _ => None,
    }
}

fn day(year: i16, month: i16, day: i16) -> Option<Date> {
    if !YEARS.contains(&year) {
        return None;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn date_at(tokens: &[Token], at: usize) -> Option<(Found, usize)> {
    let certain = |(day, end)| (Found { day, american: None }, end);
    compact(tokens, at)
        .or_else(|| year_first(tokens, at))
        .or_else(|| with_units(tokens, at))
        .map(certain)
        .or_else(|| numbers(tokens, at))
        .or_else(|| day_then_month(tokens, at).or_else(|| month_then_day(tokens, at)).map(certain))
}

/// Parses `20261120`.
fn compact(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    match tokens[at] {
        Token::Number(n) if n.len() == 8 => {
            Some((day(n[..4].parse().ok()?, n[4..6].parse().ok()?, n[6..].parse().ok()?)?, at + 1))
        }
        _ => None,
    }
}

/// Parses `2026-11-20`, `2026/11/20` or `2026 11 20`.
fn year_first(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let year = number(tokens.get(at), 4..=4)?;
    separator(tokens, at + 1)?;
    let month = number(tokens.get(at + 2), 1..=2)?;
    separator(tokens, at + 3)?;
    Some((day(year, month, number(tokens.get(at + 4), 1..=2)?)?, at + 5))
}

/// Parses `2026年11月20日` or `2026년 11월 20일`.
fn with_units(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let (year, at) = unit(tokens, at, 4..=4, ['年', '년'])?;
    let (month, at) = unit(tokens, at, 1..=2, ['月', '월'])?;
    let (of, at) = unit(tokens, at, 1..=2, ['日', '일']).or_else(|| unit(tokens, at, 1..=2, ['号', '號']))?;
    Some((day(year, month, of)?, at))
}

/// Parses a number with its unit; returns the number and the index of the next token that is not a
/// space. A word may begin with the unit: `日上午`.
fn unit(
    tokens: &[Token],
    at: usize,
    digits: std::ops::RangeInclusive<usize>,
    units: [char; 2],
) -> Option<(i16, usize)> {
    let value = number(tokens.get(at), digits)?;
    let spaced = |at: usize| at + usize::from(tokens.get(at) == Some(&Token::Mark(' ')));
    let at = spaced(at + 1);
    match tokens.get(at) {
        Some(Token::Word(word)) if word.starts_with(units) => Some((value, spaced(at + 1))),
        _ => None,
    }
}

/// Parses `20/11/2026`, `20-11-2026` or `20.11.2026`, and `11/20/2026` if the day cannot be first.
fn numbers(tokens: &[Token], at: usize) -> Option<(Found, usize)> {
    let (first, second) = (number(tokens.get(at), 1..=2)?, number(tokens.get(at + 2), 1..=2)?);
    separator(tokens, at + 1)?;
    separator(tokens, at + 3)?;
    let year = number(tokens.get(at + 4), 4..=4)?;
    let american = day(year, first, second);
    Some((Found { day: day(year, second, first).or(american)?, american }, at + 5))
}

/// Parses `20/11/26`, and `11/20/26` if the day cannot be first.
fn short_year(tokens: &[Token], at: usize) -> Option<(Found, usize)> {
    let is_stroke = |at: usize| tokens.get(at) == Some(&Token::Mark('/'));
    let is_alone = (at == 0 || !is_stroke(at - 1)) && !is_stroke(at + 5);
    let (first, second) = (number(tokens.get(at), 1..=2)?, number(tokens.get(at + 2), 1..=2)?);
    let year = 2000 + number(tokens.get(at + 4), 2..=2)?;
    let american = day(year, first, second);
    let found = Found { day: day(year, second, first).or(american)?, american };
    (is_alone && is_stroke(at + 1) && is_stroke(at + 3)).then_some((found, at + 5))
}

fn separator(tokens: &[Token], at: usize) -> Option<()> {
    matches!(tokens.get(at), Some(Token::Mark('-' | '/' | '.' | ' '))).then_some(())
}

/// Parses `20 Nov 2026`, `20th of November, 2026` or `20 tháng 11 năm 2026`.
fn day_then_month(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let of = number(tokens.get(at), 1..=2)?;
    let (month, end) = (at + 1..at + 6).find_map(|i| month_at(tokens, i))?;
    let (year, end) = year_within(tokens, end, 5)?;
    Some((day(year, month, of)?, end))
}

/// Parses `November 20, 2026`, `Nov 20th 2026` or `Fri Nov 20 09:30:00 EST 2026`.
fn month_then_day(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let (month, end) = month_at(tokens, at)?;
    let here = (end..end + 3).find(|i| number(tokens.get(*i), 1..=2).is_some())?;
    let (year, _) = year_within(tokens, here + 1, 12)?;
    Some((day(year, month, number(tokens.get(here), 1..=2)?)?, here + 1))
}

/// Parses a month's name, `tháng 11`, `Th11` or `tháng mười một`; returns the month and the index
/// of the next token.
fn month_at(tokens: &[Token], at: usize) -> Option<(i16, usize)> {
    let Some(Token::Word(word)) = tokens.get(at) else { return None };
    if !matches!(word.to_lowercase().as_str(), "tháng" | "thg" | "th") {
        return Some((month(word)?, at + 1));
    }
    let at = behind_spaces(tokens, at + 1);
    number(tokens.get(at), 1..=2).map(|month| (month, at + 1)).or_else(|| vietnamese_month(tokens, at))
}

/// Parses the month in Vietnamese number words after `tháng`; returns it and the index of the next
/// token.
fn vietnamese_month(tokens: &[Token], at: usize) -> Option<(i16, usize)> {
    const FROM_JANUARY: [&str; 10] = ["một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười"];
    let counted = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => match word.to_lowercase().as_str() {
            "giêng" => Some(1),
            "bốn" => Some(4),
            "bẩy" => Some(7),
            "chạp" => Some(12),
            word => (1..).zip(FROM_JANUARY).find(|(_, name)| *name == word).map(|(number, _)| number),
        },
        _ => None,
    };
    let first = counted(at)?;
    let next = behind_spaces(tokens, at + 1);
    match counted(next) {
        Some(more @ 1..=2) if first == 10 => Some((10 + more, next + 1)),
        _ => Some((first, at + 1)),
    }
}

fn year_within(tokens: &[Token], at: usize, reach: usize) -> Option<(i16, usize)> {
    (at..at + reach).find_map(|i| Some((number(tokens.get(i), 4..=4)?, i + 1)))
}

/// Returns the day in an address's path or query: `/2026/11/20/`, `-20261120`, `/2026-11-20-`.
/// `None` if there is no complete day, or if there are two different days.
#[must_use]
pub fn in_address(address: &str) -> Option<String> {
    let (_, path) =
        address.split_once("://").map_or(("", address), |(_, rest)| rest.split_once('/').unwrap_or_default());
    let tokens = tokens(path.get(..1024).unwrap_or(path));
    let parts = |at: usize| at == 0 || !matches!(tokens[at - 1], Token::Number(_));
    let mut days = (0..tokens.len()).filter(|at| parts(*at)).filter_map(|at| {
        let (day, _) = compact(&tokens, at).or_else(|| year_first(&tokens, at))?;
        Some(day)
    });
    let day = days.next()?;
    days.all(|other| other == day).then(|| day.to_string())
}

/// Parses Unix seconds or milliseconds, which differ in the number of digits.
fn unix(digits: &str) -> Option<String> {
    let n: i64 = digits.parse().ok()?;
    let seconds = match digits.len() {
        9 | 10 => n,
        13 => n / 1000,
        _ => return None,
    };
    let at = Timestamp::from_second(seconds).ok()?;
    YEARS.contains(&at.to_zoned(jiff::tz::TimeZone::UTC).year()).then(|| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let cases = [
            ("2026-11-20", "2026-11-20"),
            ("2026/1/2", "2026-01-02"),
            ("20261120", "2026-11-20"),
            ("2026 03 05", "2026-03-05"),
            ("2026-11-20T09:30", "2026-11-20T09:30:00"),
            ("2026-11-20T09:30:00", "2026-11-20T09:30:00"),
            (" 2026-11-20 09:30:15 ", "2026-11-20T09:30:15"),
            ("2026-11-20T09:30:00Z", "2026-11-20T09:30:00Z"),
            ("2026-11-20T09:30:00+00:00", "2026-11-20T09:30:00Z"),
            ("2026-11-20T09:30:00+07:00", "2026-11-20T09:30:00+07:00"),
            ("2026-11-20T09:30:00+0700", "2026-11-20T09:30:00+07:00"),
            ("2026-11-20T09:30:00.123456-05:30", "2026-11-20T09:30:00-05:30"),
            ("2026-11-20 09:30:00 +0700", "2026-11-20T09:30:00+07:00"),
            ("2026-11-20 09:30:00 +0000 UTC", "2026-11-20T09:30:00Z"),
            ("2026-11-20T09:30GMT", "2026-11-20T09:30:00Z"),
            ("2026-11-20UTC09:30:00+07:00", "2026-11-20T09:30:00+07:00"),
            ("20261120T093000Z", "2026-11-20T09:30:00Z"),
            ("20261120T0930+0400", "2026-11-20T09:30:00+04:00"),
            ("Fri, 20 Nov 2026 09:30:00 +0700", "2026-11-20T09:30:00+07:00"),
            ("Fri, 20 Nov 2026 09:30:00 GMT", "2026-11-20T09:30:00Z"),
            ("Fri Nov 20 2026 13:00:00 GMT+0700 (Indochina Time)", "2026-11-20T13:00:00+07:00"),
            ("Fri Nov 20 02:28:44 EST 2026", "2026-11-20T02:28:44-05:00"),
            ("November 20, 2026", "2026-11-20"),
            ("Nov 20th 2026", "2026-11-20"),
            ("20th of November, 2026", "2026-11-20"),
            ("Published on Friday 4 Sept 2026 at 4:05 p.m. EDT", "2026-09-04T16:05:00-04:00"),
            ("Wed., January 21, 2026, 2:00 p.m. - 3:00 p.m. ET", "2026-01-21T14:00:00"),
            ("04.Apr.2019", "2019-04-04"),
            ("11/20/2026 9:06:11 PM", "2026-11-20T21:06:11"),
            ("03/07/2026 12:00 AM", "2026-03-07T00:00:00"),
            ("03/07/2026", "2026-07-03"),
            ("11/20/2026", "2026-11-20"),
            ("Thứ sáu, 20/11/2026, 09:30 (GMT+7)", "2026-11-20T09:30:00+07:00"),
            ("Thứ Sáu ngày 20/11/2026 9h30", "2026-11-20T09:30:00"),
            ("09:30 | 20/11/2026", "2026-11-20T09:30:00"),
            ("20/11/2026 - 09:30", "2026-11-20T09:30:00"),
            ("Ngày 5 tháng 3 năm 2026, lúc 21:05", "2026-03-05T21:05:00"),
            ("20/11/2026 09:30 SA", "2026-11-20T09:30:00"),
            ("20/11/2026 9:30 CH", "2026-11-20T21:30:00"),
            ("Thứ 6, 20/11/2026 | 09:30:15 GMT+7", "2026-11-20T09:30:15+07:00"),
            ("Παρασκευή, 20 Νοεμβρίου 2026, 09:30", "2026-11-20T09:30:00"),
            ("ΔΗΜΟΣΙΕΥΣΗ: 07/12/2026, 07:07", "2026-12-07T07:07:00"),
            ("20 Μαΐου 2026 9:30 μ.μ.", "2026-05-20T21:30:00"),
            ("piątek, 20 listopada 2026, godz. 9.30", "2026-11-20T09:30:00"),
            ("20 ноября 2026 г., 09:30", "2026-11-20T09:30:00"),
            ("15:19 20.11.2026", "2026-11-20T15:19:00"),
            ("2026年11月20日 09:30", "2026-11-20T09:30:00"),
            ("2026年11月20日下午3:05:10", "2026-11-20T15:05:10"),
            ("2026 年 11 月 2 日", "2026-11-02"),
            ("2026년 11월 20일", "2026-11-20"),
            ("2026.11.20 02:09 am", "2026-11-20T02:09:00"),
            ("20 de noviembre de 2026", "2026-11-20"),
            ("Freitag, 20. November 2026, 9:30 CET", "2026-11-20T09:30:00+01:00"),
            ("le 1er décembre 2026", "2026-12-01"),
            ("1609112329", "2020-12-27T23:38:49Z"),
            ("1609112329000", "2020-12-27T23:38:49Z"),
            ("2026-11-20T23:59:60Z", "2026-11-20T23:59:59Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn offsets_behind_greenwich() {
        let cases = [
            ("(GMT+7)", "+07:00"),
            ("(GMT +7)", "+07:00"),
            ("GMT +7", "+07:00"),
            ("(GMT + 7)", "+07:00"),
            ("UTC +07:00", "+07:00"),
            ("GMT+7:00", "+07:00"),
            ("GMT+0700", "+07:00"),
            ("(GMT+5:30)", "+05:30"),
            ("GMT-3", "-03:00"),
            ("GMT -3", "-03:00"),
            ("(GMT - 3)", "-03:00"),
            ("GMT - 11:30 GMT", "Z"),
            ("GMT", "Z"),
            ("+ 7", ""),
        ];
        for (zone, expected) in cases {
            let text = format!("20/11/2026 09:30 {zone}");
            assert_eq!(date(&text), Some(format!("2026-11-20T09:30:00{expected}")), "{text}");
        }
    }

    #[test]
    fn vietnamese_in_words() {
        let cases = [
            ("20 Tháng Mười Một, 2026", "2026-11-20"),
            ("20 tháng mười 2026", "2026-10-20"),
            ("Ngày 20 tháng Mười Hai năm 2026", "2026-12-20"),
            ("5 Tháng Tư, 2026", "2026-04-05"),
            ("5 tháng năm năm 2026", "2026-05-05"),
            ("5 tháng Giêng, 2026", "2026-01-05"),
            ("20 Th11 2026 09:30", "2026-11-20T09:30:00"),
            ("20 Thg 11, 2026", "2026-11-20"),
            ("Đăng ngày 20 tháng 11, 2026 lúc 9 giờ 30", "2026-11-20T09:30:00"),
            ("9 giờ 30 phút ngày 20/11/2026", "2026-11-20T09:30:00"),
            ("9 giờ 20/11/2026", "2026-11-20"),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text).as_deref(), Some(expected), "{text}");
            let apart: String = text.nfd().collect();
            assert_eq!(date(&apart).as_deref(), Some(expected), "{text} with its accents apart");
        }
    }

    #[test]
    fn hours_and_minutes_parted_by_a_point() {
        let cases = [
            ("Friday 20 November 2026 09.30 GMT", "2026-11-20T09:30:00Z"),
            ("20 November 2026 9.30pm", "2026-11-20T21:30:00"),
            ("20 November 2026 9.30 p.m. EST", "2026-11-20T21:30:00-05:00"),
            ("20 November 2026, up 9.30 points", "2026-11-20"),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn years_of_two_digits() {
        let cases = [
            ("20/11/26", Some("2026-11-20")),
            ("Thứ sáu, 20/11/26 09:30", Some("2026-11-20T09:30:00")),
            ("11/20/26", Some("2026-11-20")),
            ("20.11.26", None),
            ("20-11-26", None),
            ("31/31/26", None),
            ("1/20/11/26", None),
            ("20/11/26/1", None),
            ("20/11/2026", None),
        ];
        for (text, expected) in cases {
            assert_eq!(short_date(text).as_deref(), expected, "{text}");
        }
        assert_eq!(date("20/11/26"), None);
    }

    #[test]
    fn days_in_addresses() {
        let cases = [
            ("https://a.vn/2026/11/20/rain-ends", Some("2026-11-20")),
            ("https://a.vn/society/20261120/532081605.html", Some("2026-11-20")),
            ("https://a.vn/p/2026-11-20-rain", Some("2026-11-20")),
            ("http://a.vn/main?xml=/news/2026/01/06/do0607.xml", Some("2026-01-06")),
            ("https://a.vn/2026/11/rain-ends", None),
            ("https://a.vn/2026/11/20/x-2026/11/21", None),
            ("https://a.vn/rain-99999999.html", None),
            ("https://20261120.vn/", None),
            ("", None),
        ];
        for (address, expected) in cases {
            assert_eq!(in_address(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn no_dates() {
        let cases = [
            "",
            "2026",
            "2026-02",
            "21:28",
            "Jun 2",
            "12 minute read",
            "P3M,51S",
            "2026-02-30",
            "0001-01-01T00:00:00Z",
            "1970-01-01",
            "1989-12-31",
            "2101-01-01",
            "639091147543934333",
            "31/31/2026",
            "0",
            "9999999999999",
            "Nov 31, 2026",
            "00C070351092386122AE",
            "٢٠٢٦-١١-٢٠",
        ];
        for text in cases {
            assert_eq!(date(text), None, "{text}");
        }
        assert_eq!(date(&"2026-11-20 ".repeat(100)), None);
    }

    #[test]
    fn what_cannot_be_a_time_is_left_out() {
        assert_eq!(date("2026-11-20T25:00:00Z").as_deref(), Some("2026-11-20"));
        assert_eq!(date("2026-11-20GMT+000011:36:18+00:00").as_deref(), Some("2026-11-20"));
        assert_eq!(date("2026-11-20T09:30:00+99:00").as_deref(), Some("2026-11-20T09:30:00"));
    }
}
