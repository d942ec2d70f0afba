//! Converts digits and years of other scripts and calendars.

use jiff::ToSpan;
use jiff::civil::{Date, date};

/// The digit zero of other scripts: Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Odia, Tamil,
/// Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Burmese, Khmer and full width. In ascending order.
const ZEROS: [u32; 17] = [
    0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040,
    0x17E0, 0xFF10,
];

/// The Thai Buddhist years that are converted. In the Gregorian calendar, they are 1990 to 2100.
const BUDDHIST: std::ops::RangeInclusive<i16> = 2533..=2643;

/// The Solar Hijri years that are converted. In the Gregorian calendar, they are 1990 to 2099.
const SOLAR_HIJRI: std::ops::RangeInclusive<i16> = 1369..=1478;

/// Returns the ASCII digit for a decimal digit of any script. Other characters are unchanged.
pub(crate) fn latin_digit(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let code = u32::from(c);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last();
    zero.and_then(|zero| char::from_digit(code - zero, 10)).unwrap_or(c)
}

/// Returns the Gregorian year for a Thai Buddhist year, which is 543 higher. Other years are unchanged.
pub(super) fn gregorian_year(year: i16) -> i16 {
    if BUDDHIST.contains(&year) { year - 543 } else { year }
}

/// Returns the Gregorian year for a year of an era. `era` is a word that ends with the era's name, such as
/// `民國` (Taiwan), `令和` or `平成`. Returns `None` for other words.
pub(super) fn era_year(era: &str, counted: i16) -> Option<i16> {
    let years_before = |(name, before): &(&str, i16)| era.ends_with(name).then_some(*before);
    let eras = [("民國", 1911), ("民国", 1911), ("令和", 2018), ("平成", 1988), ("昭和", 1925)];
    Some(eras.iter().find_map(years_before)? + counted)
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SolarHijri {
    pub(super) year: i16,
    pub(super) month: i16,
    pub(super) day: i16,
}

impl SolarHijri {
    /// Returns the Gregorian day, or `None` if the day does not exist or the year is outside 1369 to 1478.
    ///
    /// Leap years follow the cycle of 33 years, which agrees with the astronomical calendar in these years.
    pub(super) fn gregorian(self) -> Option<Date> {
        let Self { year, month, day } = self;
        let longest = match month {
            1..=6 => 31,
            7..=11 => 30,
            12 if is_leap(year) => 30,
            12 => 29,
            _ => return None,
        };
        if !SOLAR_HIJRI.contains(&year) || !(1..=longest).contains(&day) {
            return None;
        }
        let years = (*SOLAR_HIJRI.start()..year).map(|year| 365 + i32::from(is_leap(year)));
        let months = 31 * i32::from((month - 1).min(6)) + 30 * i32::from((month - 7).max(0));
        let days = years.sum::<i32>() + months + i32::from(day) - 1;
        // The first day of 1369.
        date(1990, 3, 21).checked_add(days.days()).ok()
    }
}

fn is_leap(year: i16) -> bool {
    matches!(year % 33, 1 | 5 | 9 | 13 | 17 | 22 | 26 | 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_days_of_solar_years() {
        let cases = [
            (1370, date(1991, 3, 21)),
            (1376, date(1997, 3, 21)),
            (1380, date(2001, 3, 21)),
            (1388, date(2009, 3, 21)),
            (1400, date(2021, 3, 21)),
            (1403, date(2024, 3, 20)),
            (1404, date(2025, 3, 21)),
            (1405, date(2026, 3, 21)),
            (1408, date(2029, 3, 20)),
        ];
        for (year, expected) in cases {
            assert_eq!(SolarHijri { year, month: 1, day: 1 }.gregorian(), Some(expected), "{year}");
        }
    }

    #[test]
    fn days_that_do_not_exist() {
        for (year, month, day) in [(1404, 12, 30), (1405, 7, 31), (1405, 0, 1), (1405, 13, 1), (1368, 1, 1)] {
            assert_eq!(SolarHijri { year, month, day }.gregorian(), None, "{year}/{month}/{day}");
        }
        assert!(SolarHijri { year: 1403, month: 12, day: 30 }.gregorian().is_some());
    }

    #[test]
    fn digits_of_other_scripts() {
        assert_eq!(
            "۱۴۰۵ ٢٠٢٦ २०२६ ๒๕๖๙ ２０ x".chars().map(latin_digit).collect::<String>(),
            "1405 2026 2026 2569 20 x"
        );
    }
}
