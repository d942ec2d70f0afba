//! Defines days, and values with a unit: times such as `"5s"` and sizes such as `"5MiB"`.
//!
//! A number without a unit is refused, because a reader of `delay = 5` cannot know the unit.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::civil::Date;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A duration, written as `"500ms"`, `"5s"`, `"2m"`, `"1h"`, `"1d"` or a sum of these (`"1m 30s"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DurationSetting(Duration);

impl DurationSetting {
    /// Creates a duration of `n` whole seconds.
    #[must_use]
    pub const fn seconds(n: u64) -> Self {
        Self(Duration::from_secs(n))
    }

    /// Returns the duration as a type of the standard library.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }
}

/// A number of bytes, written as `"512KiB"`, `"5MiB"`, `"2GiB"` or `"5000B"`. `kB`, `MB` and `GB` are powers
/// of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(u64);

impl ByteSize {
    /// Creates a size of `n` times 2^20 bytes.
    #[must_use]
    pub const fn mebibytes(n: u64) -> Self {
        Self(n << 20)
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The first day of a period, written as `"2026-01-01"`. `""` means that there is no such day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StartDay(Option<Date>);

impl StartDay {
    /// Returns the day, or `None` if none is set.
    #[must_use]
    pub const fn day(self) -> Option<Date> {
        self.0
    }
}

const SIZES: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

/// Units of time with their length in milliseconds, largest first.
const TIMES: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl FromStr for DurationSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is not a duration; write a number and a unit, such as \"500ms\", \"5s\", \"2m\", \"1h\" or \"1d\""
            )
        };
        let mut total: u64 = 0;
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(wrong());
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
            let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
            let tail = rest[digits..].trim_start();
            let end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
            let (_, unit) = TIMES.iter().find(|(name, _)| *name == &tail[..end]).ok_or_else(wrong)?;
            total = number.checked_mul(*unit).and_then(|ms| total.checked_add(ms)).ok_or_else(wrong)?;
            rest = tail[end..].trim_start();
        }
        Ok(Self(Duration::from_millis(total)))
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is not a size; write a number and a unit, such as \"512KiB\", \"5MiB\" or \"2GiB\""
            )
        };
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let number: u64 = text[..digits].parse().map_err(|_| wrong())?;
        let unit = text[digits..].trim();
        let (_, bytes) = SIZES.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        number.checked_mul(*bytes).map(Self).ok_or_else(wrong)
    }
}

impl FromStr for StartDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        // Only a day is allowed, although the parser of dates would accept a time after it.
        match text.parse() {
            _ if text.is_empty() => Ok(Self(None)),
            Ok(day) if text.len() == 10 => Ok(Self(Some(day))),
            _ => Err(format!("\"{text}\" is not a date; write it as \"2026-01-01\"")),
        }
    }
}

impl fmt::Display for StartDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |day| write!(f, "{day}"))
    }
}

impl fmt::Display for DurationSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        let fits = |(_, unit): &&(&str, u64)| ms.is_multiple_of(*unit) && ms >= *unit;
        let (name, unit) = TIMES.iter().find(fits).unwrap_or(&("s", 1_000));
        write!(f, "{}{name}", ms / unit)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |(_, unit): &&(&str, u64)| self.0.is_multiple_of(*unit) && self.0 >= *unit;
        let (name, unit) = SIZES[..3].iter().find(fits).unwrap_or(&("B", 1));
        write!(f, "{}{name}", self.0 / unit)
    }
}

/// Parses a value from text. The second field describes the expected form for error messages.
struct TextVisitor<T>(std::marker::PhantomData<T>, &'static str);

impl<T> TextVisitor<T> {
    const fn with_unit() -> Self {
        Self(std::marker::PhantomData, "text with a number and a unit, such as \"5s\" or \"5MiB\"")
    }
}

impl<T: FromStr<Err = String>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for DurationSetting {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(TextVisitor::with_unit())
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(TextVisitor::with_unit())
    }
}

impl<'de> Deserialize<'de> for StartDay {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(TextVisitor(std::marker::PhantomData, "a day in quotes, such as \"2026-01-01\""))
    }
}

impl Serialize for StartDay {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl Serialize for DurationSetting {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, ms, back) in [
            ("500ms", 500, "500ms"),
            ("5s", 5_000, "5s"),
            ("1m 30s", 90_000, "90s"),
            ("90m", 5_400_000, "90m"),
            ("1d", 86_400_000, "1d"),
            ("0s", 0, "0s"),
        ] {
            let span: DurationSetting = text.parse().unwrap();
            assert_eq!(span.get(), Duration::from_millis(ms), "{text}");
            assert_eq!(span.to_string(), back);
        }
    }

    #[test]
    fn what_has_no_unit_or_a_wrong_one_is_refused() {
        for text in ["5", "", "s", "-5s", "5 parsecs", "5MiB", "99999999999999999999s", "5s5"] {
            assert!(text.parse::<DurationSetting>().is_err(), "{text}");
        }
        for text in ["5", "", "5s", "-5MiB", "99999999999GiB", "1.5MiB"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn days_are_read_and_written() {
        for (text, back) in [("", ""), ("2026-01-01", "2026-01-01"), (" 2024-02-29 ", "2024-02-29")] {
            assert_eq!(text.parse::<StartDay>().unwrap().to_string(), back);
        }
        for text in ["2026", "2026-13-01", "2025-02-29", "01.02.2026", "2026-01-01T00:00", "today"] {
            assert!(text.parse::<StartDay>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes, back) in [
            ("512KiB", 512 << 10, "512KiB"),
            ("5 MiB", 5 << 20, "5MiB"),
            ("3kB", 3_000, "3000B"),
            ("0B", 0, "0B"),
        ] {
            let size: ByteSize = text.parse().unwrap();
            assert_eq!(size.get(), bytes, "{text}");
            assert_eq!(size.to_string(), back);
        }
    }
}
