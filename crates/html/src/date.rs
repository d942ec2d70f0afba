//! Parses dates in the forms that pages use.
//!
//! Formats: ISO 8601 in its many spellings, RFC 2822, the formats of JavaScript and Java, numeric dates with
//! the year first or last, Unix time, dates with the month's name in the languages of news
//! (`20 Νοεμβρίου 2026`, `20 ноября 2026`), Vietnamese dates (`Thứ sáu, 20/11/2026, 09:30 (GMT+7)`,
//! `ngày 20 tháng 11 năm 2026`), and Chinese and Korean dates (`2026年11月20日 09:30`). Digits of any script are
//! accepted (`٢٠ نوفمبر ٢٠٢٦`). Years of the Thai Buddhist, Solar Hijri (Iran, Afghanistan), Minguo (Taiwan)
//! and Japanese calendars are converted.
//!
//! A date such as `03/07/2026` has two readings. A `Reader` uses the data of the page to choose one.
//!
//! Limitation: a two-digit year is read only in a text that is known to be a date (`Reader::short_date`).
//! Relative dates (`2 hours ago`) are never read. No clock is used, so dates in the future are accepted up to
//! 2100. Dates of the lunar Hijri calendar are not read, because its months depend on the country.

mod address;
mod calendar;
mod moment;
mod reader;
mod time;
mod zone;

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::month_names::{MonthName, month};
pub use address::in_address;
pub(crate) use calendar::latin_digit;
use calendar::{SolarHijri, era_year, gregorian_year};
pub use moment::PartialDateTime;
pub(crate) use reader::{Order, Reader};
use time::{behind_spaces, offset_at, time_at};

/// Accepted years. Years outside this range are default values or errors.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// The first year of a web page. Only declared dates of digitized archives are older.
const FIRST_YEAR: i16 = 1990;

/// Maximum length in bytes of a text with a date.
const LONGEST: usize = 200;

/// Finds a date in a text. Returns it in one of three forms: `2026-11-20`, `2026-11-20T09:30:00` (without a
/// zone), or RFC 3339 with the stated offset (`+07:00`, or `Z` for zero). Missing seconds become 0, and
/// fractions of seconds are dropped. Returns `None` in the same cases as [`moment`].
///
/// ```
/// use gleaner_html::date::date;
/// assert_eq!(date("Thứ sáu, 20/11/2026, 09:30 (GMT+7)").as_deref(), Some("2026-11-20T09:30:00+07:00"));
/// assert_eq!(date("Fri, 20 Nov 2026 09:30:00 GMT").as_deref(), Some("2026-11-20T09:30:00Z"));
/// assert_eq!(date("0001-01-01T00:00:00Z"), None);
/// ```
#[must_use]
pub fn date(text: &str) -> Option<String> {
    moment(text).map(|moment| moment.to_string())
}

/// Finds a date in a text. Returns `None` if the text has no date or more than 200 bytes, if the date does
/// not exist, or if its year is before 1990 or after 2100. If day and month could be exchanged, the first
/// number is the day. A weekday, AM or PM can show that the first number is the month.
#[must_use]
pub fn moment(text: &str) -> Option<PartialDateTime> {
    Reader::default().moment(text)
}

pub(crate) fn latin_digits(text: String) -> String {
    if text.is_ascii() { text } else { text.chars().map(latin_digit).collect() }
}

type Finder = fn(&[Token], usize, &Reader) -> Option<(ParsedDate, usize)>;

fn dated(text: &str, date_at: Finder, reader: &Reader) -> Option<PartialDateTime> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    let text = composed(text);
    let tokens = tokens(&text);
    if let [Token::Number(digits)] = tokens[..]
        && let Some(at) = unix(digits)
    {
        return Some(at);
    }
    let (found, start, behind) =
        (0..tokens.len()).find_map(|i| date_at(&tokens, i, reader).map(|(d, end)| (d, i, end)))?;
    let after = (behind..tokens.len().min(behind + 8)).find_map(|i| time_at(&tokens, i));
    let before = || (0..start).find_map(|i| time_at(&tokens, i).filter(|t| t.end <= start));
    let clock = after.or_else(before);
    let has_english_half = clock.as_ref().is_some_and(|clock| clock.has_english_half);
    let day = match found.month_first {
        Some(month_first) if month_first != found.day => {
            reader.choose([found.day, month_first], &text, has_english_half)
        }
        _ => found.day,
    };
    let Some(clock) = clock else { return Some(PartialDateTime::from_day(day)) };
    Some(PartialDateTime { day, time: Some(clock.time), offset: offset_at(&tokens, clock.end, day, reader) })
}

/// Returns a text in NFC with ASCII digits. Without NFC, words would be split at accents.
fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { text.into() } else { text.nfc().map(latin_digit).collect() }
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
            let n = end(|c| c.is_alphabetic() || is_combining_mark(c));
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

#[derive(Debug, Clone, Copy)]
struct ParsedDate {
    day: Date,
    month_first: Option<Date>,
}

fn number(token: Option<&Token>, digits: std::ops::RangeInclusive<usize>) -> Option<i16> {
    match token {
        Some(Token::Number(n)) if digits.contains(&n.len()) => n.parse().ok(),
        _ => None,
    }
}

fn day(year: i16, month: i16, day: i16) -> Option<Date> {
    let year = gregorian_year(year);
    if !YEARS.contains(&year) {
        return None;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn date_at(tokens: &[Token], at: usize, _: &Reader) -> Option<(ParsedDate, usize)> {
    let certain = |(day, end)| (ParsedDate { day, month_first: None }, end);
    compact(tokens, at)
        .or_else(|| year_first(tokens, at))
        .or_else(|| with_units(tokens, at))
        .map(certain)
        .or_else(|| numbers(tokens, at))
        .or_else(|| named(tokens, at).map(certain))
}

fn named(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    day_then_month(tokens, at)
        .or_else(|| month_then_day(tokens, at))
        .or_else(|| year_then_month(tokens, at))
        .or_else(|| year_then_day(tokens, at))
}

fn compact(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    match tokens[at] {
        Token::Number(n) if n.len() == 8 => {
            Some((day(n[..4].parse().ok()?, n[4..6].parse().ok()?, n[6..].parse().ok()?)?, at + 1))
        }
        _ => None,
    }
}

fn year_first(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let year = number(tokens.get(at), 4..=4)?;
    let at = behind_separator(tokens, at + 1)?;
    let month = number(tokens.get(at), 1..=2)?;
    let at = behind_separator(tokens, at + 1)?;
    let of = number(tokens.get(at), 1..=2)?;
    let solar = || SolarHijri { year, month, day: of }.gregorian();
    Some((day(year, month, of).or_else(solar)?, at + 1))
}

/// Parses `2026年11月20日`, `2026년 11월 20일`, `民國115年11月20日`, `令和8年11月20日` or `令和元年5月1日`.
fn with_units(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let (year, at) = match tokens[at] {
        Token::Word(first) if first.ends_with("元年") => {
            (era_year(first.trim_end_matches("元年"), 1)?, behind_spaces(tokens, at + 1))
        }
        Token::Word(era) => {
            let (counted, end) = unit(tokens, behind_spaces(tokens, at + 1), 1..=3, ['年', '年'])?;
            (era_year(era, counted)?, end)
        }
        _ => unit(tokens, at, 4..=4, ['年', '년'])?,
    };
    let (month, at) = unit(tokens, at, 1..=2, ['月', '월'])?;
    let (of, at) = unit(tokens, at, 1..=2, ['日', '일']).or_else(|| unit(tokens, at, 1..=2, ['号', '號']))?;
    Some((day(year, month, of)?, at))
}

/// Parses a number with its unit. Returns the number and the index of the next token that is not a space. The
/// unit may be only the beginning of a word, as in `日上午`.
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

/// Parses `20/11/2026`, `20-11-2026`, `20.11.2026` or `20. 11. 2026`. Also parses `11/20/2026` if the month
/// can only be first.
fn numbers(tokens: &[Token], at: usize) -> Option<(ParsedDate, usize)> {
    let first = number(tokens.get(at), 1..=2)?;
    let at = behind_separator(tokens, at + 1)?;
    let second = number(tokens.get(at), 1..=2)?;
    let at = behind_separator(tokens, at + 1)?;
    let year = number(tokens.get(at), 4..=4)?;
    let month_first = day(year, first, second);
    Some((ParsedDate { day: day(year, second, first).or(month_first)?, month_first }, at + 1))
}

/// Parses `20/11/26` and, in some languages, `20.11.26`. Also parses `11/20/26` if the second number cannot
/// be a month.
fn short_year(tokens: &[Token], at: usize, reader: &Reader) -> Option<(ParsedDate, usize)> {
    let mark = match tokens.get(at + 1)? {
        Token::Mark(mark @ '/') => *mark,
        Token::Mark(mark @ '.') if reader.writes_day_dot_month() => *mark,
        _ => return None,
    };
    let is_mark = |at: usize| tokens.get(at) == Some(&Token::Mark(mark));
    let ends = !is_mark(at + 5) || mark == '.' && !matches!(tokens.get(at + 6), Some(Token::Number(_)));
    let is_alone = (at == 0 || !is_mark(at - 1)) && ends;
    let (first, second) = (number(tokens.get(at), 1..=2)?, number(tokens.get(at + 2), 1..=2)?);
    let year = reader.year_of_two_digits(number(tokens.get(at + 4), 2..=2)?);
    let month_first = day(year, first, second).filter(|_| mark == '/');
    let found = ParsedDate { day: day(year, second, first).or(month_first)?, month_first };
    (is_alone && is_mark(at + 3)).then_some((found, at + 5))
}

/// Returns the index after a separator of numbers. A space may follow a point, but no other separator.
fn behind_separator(tokens: &[Token], at: usize) -> Option<usize> {
    match tokens.get(at)? {
        Token::Mark('.') if tokens.get(at + 1) == Some(&Token::Mark(' ')) => Some(at + 2),
        Token::Mark('-' | '/' | '.' | ' ') => Some(at + 1),
        _ => None,
    }
}

/// Parses `20 Nov 2026`, `20th of November, 2026`, `20 tháng 11 năm 2026`, `۲۹ آبان ۱۴۰۵` or `20 พ.ย. 69`.
fn day_then_month(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let of = number(tokens.get(at), 1..=2)?;
    let (month, end) = (at + 1..at + 6).find_map(|i| month_at(tokens, i))?;
    let (year, end) = year_within(tokens, end, 5).or_else(|| short_thai_year(tokens, end))?;
    Some((named_day(year, month, of)?, end))
}

fn short_thai_year(tokens: &[Token], at: usize) -> Option<(i16, usize)> {
    let is_thai = |token: &Token| matches!(token, Token::Word(word) if word.contains(|c| ('\u{E00}'..='\u{E7F}').contains(&c)));
    let year_at = (at..at + 3).find(|i| matches!(tokens.get(*i), Some(Token::Number(_))))?;
    let year = number(tokens.get(year_at), 2..=2)?;
    tokens.get(at.checked_sub(1)?).is_some_and(is_thai).then_some((2500 + year, year_at + 1))
}

/// Parses the Latvian `2026. gada 20. novembris` and the Kazakh `2026 жылғы 20 қараша`.
fn year_then_day(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let year = number(tokens.get(at), 4..=4)?;
    let is_year = |i: &usize| matches!(tokens.get(*i), Some(Token::Word("gada" | "жылғы" | "жылы")));
    let word = (at + 1..at + 4).find(is_year)?;
    let here = behind_spaces(tokens, word + 1);
    let of = number(tokens.get(here), 1..=2)?;
    let (month, end) = (here + 1..here + 4).find_map(|i| month_at(tokens, i))?;
    Some((named_day(year, month, of)?, end))
}

/// Parses `November 20, 2026`, `Nov 20th 2026` or `Fri Nov 20 09:30:00 EST 2026`.
fn month_then_day(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let (month, end) = month_at(tokens, at)?;
    let here = (end..end + 3).find(|i| number(tokens.get(*i), 1..=2).is_some())?;
    let (year, _) = year_within(tokens, here + 1, 12)?;
    Some((named_day(year, month, number(tokens.get(here), 1..=2)?)?, here + 1))
}

/// Parses `2026. november 20.`, `2026 m. lapkričio 20 d.` or `2026/nov/20`.
fn year_then_month(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let year = number(tokens.get(at), 4..=4)?;
    let (month, end) = (at + 1..at + 6).find_map(|i| month_at(tokens, i))?;
    let here = (end..end + 3).find(|i| number(tokens.get(*i), 1..=2).is_some())?;
    Some((named_day(year, month, number(tokens.get(here), 1..=2)?)?, here + 1))
}

fn named_day(year: i16, month: MonthName, of: i16) -> Option<Date> {
    match month {
        MonthName::Gregorian(month) => day(year, month, of),
        MonthName::SolarHijri(month) => SolarHijri { year, month, day: of }.gregorian(),
    }
}

/// Parses `November`, `tháng 11`, `Th11` or `tháng mười một`. Returns the month and the next index.
fn month_at(tokens: &[Token], at: usize) -> Option<(MonthName, usize)> {
    let Some(Token::Word(word)) = tokens.get(at) else { return None };
    if !matches!(word.to_lowercase().as_str(), "tháng" | "thg" | "th") {
        return of_two_words(tokens, at).or_else(|| Some((month(word)?, at + 1)));
    }
    let at = behind_spaces(tokens, at + 1);
    let (month, end) = number(tokens.get(at), 1..=2)
        .map(|month| (month, at + 1))
        .or_else(|| vietnamese_month(tokens, at))?;
    Some((MonthName::Gregorian(month), end))
}

fn of_two_words(tokens: &[Token], at: usize) -> Option<(MonthName, usize)> {
    match tokens.get(at..at + 3)? {
        [Token::Word(first), Token::Mark(mark @ (' ' | '.')), Token::Word(second)] if !first.is_ascii() => {
            Some((month(&format!("{first}{mark}{second}"))?, at + 3))
        }
        _ => None,
    }
}

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

/// Parses Unix time. The number of digits shows whether it is in seconds or milliseconds.
fn unix(digits: &str) -> Option<PartialDateTime> {
    let n: i64 = digits.parse().ok()?;
    let seconds = match digits.len() {
        9 | 10 => n,
        13 => n / 1000,
        _ => return None,
    };
    let at = PartialDateTime::from_utc(Timestamp::from_second(seconds).ok()?);
    (FIRST_YEAR..=*YEARS.end()).contains(&at.day.year()).then_some(at)
}

#[cfg(test)]
mod tests;
