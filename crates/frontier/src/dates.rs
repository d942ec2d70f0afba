//! Parses dates in the many forms that sitemaps and feeds use.
//!
//! The specifications of sitemaps and feeds require W3C date-times and RFC 822 dates (RFC 2822, 5322). Real
//! sites mix these with asctime, RFC 850, SQL and informal forms. Therefore the parser has no list of
//! formats. It reads these parts of a text in any order: a time (with colons), a zone (an offset or a name),
//! the name of a month, and numbers. The position, size and separators of the numbers decide which number is
//! the day, the month and the year. All other words, such as weekdays in any language, are skipped.
//!
//! An ambiguous date is rejected: `03/04/2026` may be in March or in April. A time without a known zone is
//! read as UTC and may be wrong by half a day. The dates affect only which URLs are fetched and when, not the
//! dates of documents.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// Maximum length of a text in bytes. Longer texts are not parsed.
const MAX_LENGTH: usize = 100;
/// Maximum offset of a zone from UTC, in hours.
const MAX_OFFSET: i64 = 14;

pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_LENGTH {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits_alone(text);
    }
    let lower = text.to_lowercase();
    let mut reader = PathReader { rest: &lower, ..PathReader::default() };
    while !reader.rest.is_empty() {
        reader.step()?;
    }
    reader.finish()
}

/// Parses digits without separators: `2026`, `202611`, `20261122`, `20261122100000`, (milli)seconds since 1970.
fn digits_alone(text: &str) -> Option<Timestamp> {
    let number: i64 = text.parse().ok()?;
    match text.len() {
        4 | 6 => instant(year_and_month(text)?, Time::midnight(), 0, 0),
        8 => instant(basic_date(text)?, Time::midnight(), 0, 0),
        14 => instant(basic_date(&text[..8])?, basic_time(&text[8..])?, 0, 0),
        9 | 10 => Timestamp::from_second(number).ok(),
        13 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

fn year_and_month(text: &str) -> Option<Date> {
    let month = if text.len() == 4 { 1 } else { text[4..].parse().ok()? };
    Date::new(text[..4].parse().ok()?, month, 1).ok()
}

fn basic_date(text: &str) -> Option<Date> {
    Date::new(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?).ok()
}

fn basic_time(text: &str) -> Option<Time> {
    let second = if text.len() == 4 { 0 } else { text[4..].parse().ok()? };
    Time::new(text[..2].parse().ok()?, text[2..4].parse().ok()?, second, 0).ok()
}

fn instant(date: Date, time: Time, days: i64, offset: i64) -> Option<Timestamp> {
    let date = date.checked_add(days.days()).ok()?;
    let there = date.to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp();
    there.checked_sub(SignedDuration::from_mins(offset)).ok()
}

/// A number with its count of digits. The count distinguishes years from days.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: i16,
    digits: usize,
}

impl Number {
    /// Returns the year if the number can be a year. Two digits are interpreted as in RFC 2822, 4.3.
    fn year(self) -> Option<i16> {
        match (self.digits, self.value) {
            (4, year) => Some(year),
            (2, year @ 0..50) => Some(2000 + year),
            (2, year) => Some(1900 + year),
            _ => None,
        }
    }

    fn month(self) -> Option<i8> {
        (1..=12).contains(&self.value).then(|| self.value.try_into().ok())?
    }

    fn day(self) -> Option<i8> {
        (1..=31).contains(&self.value).then(|| self.value.try_into().ok())?
    }
}

#[derive(Debug, Default)]
struct PathReader<'a> {
    rest: &'a str,
    date: Option<Date>,
    month: Option<i8>,
    /// Whether the next number is a month (`tháng 11`).
    month_follows: bool,
    numbers: Vec<Number>,
    time: Option<Time>,
    /// Whether the time is 24:00.
    next_day: bool,
    /// The zone's offset in minutes east of UTC.
    offset: Option<i64>,
    /// Whether an offset may follow the last zone (`GMT+7`).
    from_utc: bool,
}

impl<'a> PathReader<'a> {
    fn step(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        if first.is_ascii_digit() {
            self.clock()?;
            return if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
                self.number()
            } else {
                Some(())
            };
        }
        if first.is_alphabetic() {
            let word = self.take(|c| c.is_alphabetic() || c == '.');
            return self.word(word.trim_end_matches('.'));
        }
        self.rest = &self.rest[first.len_utf8()..];
        match first {
            '-' => self.shift(true),
            '+' => {
                self.rest = self.rest.trim_start();
                self.shift(false)
            }
            _ => Some(()),
        }
    }

    fn take(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn take_after(&mut self, marks: &[char]) -> Option<&'a str> {
        let after = self.rest.strip_prefix(marks)?;
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=2).contains(&digits) {
            return None;
        }
        self.rest = &after[digits..];
        Some(&after[..digits])
    }

    fn clock(&mut self) -> Option<()> {
        let start = self.rest;
        let hour = self.take(|c| c.is_ascii_digit());
        let minute = if hour.len() <= 2 { self.take_after(&[':', 'h']) } else { None };
        let Some(minute) = minute.filter(|_| self.time.is_none()) else {
            self.rest = start;
            return Some(());
        };
        let second = self.take_after(&[':']).unwrap_or("0");
        if self.rest.starts_with(['.', ',']) && self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.rest = &self.rest[1..];
            self.take(|c| c.is_ascii_digit());
        }
        let (hour, minute, second): (i8, i8, i8) =
            (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
        self.next_day = hour == 24 && minute == 0 && second == 0;
        // A leap second is read as the second before it.
        self.time = Some(Time::new(if self.next_day { 0 } else { hour }, minute, second.min(59), 0).ok()?);
        (second <= 60).then_some(())
    }

    fn shift(&mut self, west: bool) -> Option<()> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let may_follow = self.time.is_some() || self.date.is_some() || self.from_utc;
        if !may_follow || self.offset.is_some() && !self.from_utc || !matches!(digits, 1 | 2 | 4) {
            return Some(());
        }
        let start = self.rest;
        let number = self.take(|c| c.is_ascii_digit());
        let (hours, minutes) = match digits {
            4 => number.split_at(2),
            _ => (number, self.take_after(&[':']).unwrap_or("0")),
        };
        let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
        if hours > MAX_OFFSET || minutes > 59 || self.rest.starts_with(['/', '-', '.']) {
            // This hyphen does not begin an offset but separates a date, as in `10:00 -22/11/2026`.
            self.rest = start;
            return Some(());
        }
        let offset = 60 * hours + minutes;
        self.offset = Some(if west { -offset } else { offset });
        self.from_utc = false;
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        if matches!(word, "tháng" | "thang" | "thg") {
            self.month_follows = true;
        } else if let Some(month) = month(word) {
            // If there are several names of months, the last applies, because `mar` may mean Tuesday.
            self.month = Some(month);
        } else if let Some(hours) = zone(word).filter(|_| self.offset.is_none()) {
            self.offset = Some(hours * 60);
            self.from_utc = hours == 0;
        } else if let Some(afternoon) = half_of_day(word) {
            self.half(afternoon)?;
        } else if word == "t" && self.time.is_none() {
            self.basic_clock();
        }
        Some(())
    }

    fn basic_clock(&mut self) {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if matches!(digits, 4 | 6) && !self.rest[digits..].starts_with(':') {
            self.time = basic_time(&self.rest[..digits]);
            self.rest = &self.rest[digits..];
        }
    }

    fn half(&mut self, afternoon: bool) -> Option<()> {
        if let Some(time) = self.time.filter(|time| time.hour() <= 12) {
            let hour = time.hour() % 12 + if afternoon { 12 } else { 0 };
            self.time = Some(Time::new(hour, time.minute(), time.second(), 0).ok()?);
        }
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let first = self.digits()?;
        if self.month_follows {
            self.month_follows = false;
            self.month = Some(first.month()?);
            return Some(());
        }
        if first.digits == 8 {
            return Some(());
        }
        let Some(mark) = self.rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.')) else {
            self.numbers.push(first);
            return Some(());
        };
        let joined = |rest: &str| rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if !joined(self.rest) || self.date.is_some() {
            self.numbers.push(first);
            return Some(());
        }
        self.rest = &self.rest[1..];
        let second = self.digits()?;
        if self.rest.starts_with(mark) && joined(self.rest) {
            self.rest = &self.rest[1..];
            let third = self.digits()?;
            self.date = Some(three_part_date(first, second, third, mark)?);
        } else if first.digits == 4 && mark != '.' {
            self.date = Some(two_part_date(first, second)?);
        } else {
            return None;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<Number> {
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.len() == 8 && self.date.is_none() {
            self.date = Some(basic_date(digits)?);
            return Some(Number { value: 0, digits: 8 });
        }
        let value = digits.parse().ok().filter(|_| digits.len() <= 4)?;
        Some(Number { value, digits: digits.len() })
    }

    fn finish(self) -> Option<Timestamp> {
        let date = match self.date {
            Some(date) => self.numbers.is_empty().then_some(date)?,
            None => self.named_date()?,
        };
        let time = self.time.unwrap_or(Time::midnight());
        instant(date, time, i64::from(self.next_day), self.offset.unwrap_or(0))
    }

    fn named_date(&self) -> Option<Date> {
        match (self.month, self.numbers.as_slice()) {
            (Some(month), [year]) if year.digits == 4 => Date::new(year.value, month, 1).ok(),
            (Some(month), [year, day]) if year.digits == 4 => Date::new(year.value, month, day.day()?).ok(),
            (Some(month), [day, year]) => Date::new(year.year()?, month, day.day()?).ok(),
            // 2026年11月22日
            (None, [year, month, day]) if year.digits == 4 => {
                Date::new(year.value, month.month()?, day.day()?).ok()
            }
            _ => None,
        }
    }
}

fn three_part_date(first: Number, second: Number, third: Number, mark: char) -> Option<Date> {
    if first.digits == 4 {
        return Date::new(first.value, second.month()?, third.day()?).ok();
    }
    if third.digits != 4 {
        // Two-digit years are accepted only as in ISO 8601:1988. `22/11/26` has three possible meanings.
        let is_iso = mark == '-' && [first, second, third].iter().all(|number| number.digits == 2);
        return is_iso.then(|| Date::new(first.year()?, second.month()?, third.day()?).ok())?;
    }
    let date = |day: Number, month: Number| Date::new(third.value, month.month()?, day.day()?).ok();
    match (date(first, second), date(second, first)) {
        (Some(by_day), Some(by_month)) if by_day != by_month && mark != '.' => None,
        (by_day, by_month) => by_day.or(by_month.filter(|_| mark != '.')),
    }
}

fn two_part_date(year: Number, second: Number) -> Option<Date> {
    if second.digits == 3 {
        let first = Date::new(year.value, 1, 1).ok()?;
        return (1..=first.days_in_year())
            .contains(&second.value)
            .then(|| first.checked_add((i64::from(second.value) - 1).days()).ok())?;
    }
    Date::new(year.value, second.month()?, 1).ok()
}

fn month(word: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let at = NAMES.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
    i8::try_from(at + 1).ok()
}

/// Returns the offset of a named zone in hours east of UTC. Knows the zones of RFC 822 and RFC 2822, and
/// common zones of Europe, Asia and Australia whose names are unambiguous.
#[rustfmt::skip]
fn zone(word: &str) -> Option<i64> {
    Some(match word {
        "z" | "ut" | "utc" | "gmt" | "wet" => 0,
        "cet" | "west" => 1,
        "cest" | "eet" => 2,
        "eest" | "msk" => 3,
        "ict" | "wib" => 7,
        "sgt" | "hkt" | "awst" => 8,
        "jst" | "kst" => 9,
        "aest" => 10,
        "aedt" => 11,
        "nzst" => 12,
        "nzdt" => 13,
        "edt" => -4,
        "est" | "cdt" => -5,
        "cst" | "mdt" => -6,
        "mst" | "pdt" => -7,
        "pst" => -8,
        _ => return None,
    })
}

/// Returns `true` for a word that means the afternoon (`pm`, `p.m.`, Vietnamese `CH`), and `false` for the
/// morning.
fn half_of_day(word: &str) -> Option<bool> {
    match word {
        "am" | "a.m" | "sa" => Some(false),
        "pm" | "p.m" | "ch" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
