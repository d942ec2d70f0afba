//! Looks up abbreviations of time zones.
//!
//! Limitation: `CST` always means the American zone, and `BST` always the British one. `IST` is read only if
//! language or region show whether India, Ireland or Israel is meant. Then `IST` means the standard time of
//! this country.

use jiff::civil::{Date, Weekday};

use super::Reader;

/// Abbreviations whose offset never changes, with the offset in minutes.
const FIXED: [(&str, i32); 32] = [
    ("Z", 0),
    ("GMT", 0),
    ("UTC", 0),
    ("BST", 60),
    ("CET", 60),
    ("MEZ", 60),
    ("CEST", 120),
    ("MESZ", 120),
    ("EET", 120),
    ("SAST", 120),
    ("EEST", 180),
    ("EAT", 180),
    ("MSK", 180),
    ("МСК", 180),
    ("PKT", 300),
    ("ICT", 420),
    ("WIB", 420),
    ("HKT", 480),
    ("SGT", 480),
    ("JST", 540),
    ("KST", 540),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
    ("EDT", -240),
    ("EST", -300),
    ("CDT", -300),
    ("CST", -360),
    ("MDT", -360),
    ("MST", -420),
    ("PDT", -420),
];

/// American abbreviations without `S` or `D` for the season, with the standard offset in minutes. They match
/// only in capitals, because `et` and `pt` are words.
const AMERICAN: [(&str, i32); 4] = [("ET", -300), ("CT", -360), ("MT", -420), ("PT", -480)];

pub(super) fn is_zone(word: &str) -> bool {
    word == "IST" || word == "PST" || fixed(word).is_some() || american(word).is_some()
}

pub(super) fn zone(word: &str, day: Date, reader: &Reader) -> Option<i32> {
    match word {
        "IST" => reader.offset_of_ist(),
        "MSK" | "МСК" => Some(moscow(day)),
        _ if word.eq_ignore_ascii_case("PST") => Some(-480),
        _ => fixed(word).or_else(|| Some(american(word)? + 60 * i32::from(is_american_summer(day)))),
    }
}

fn fixed(word: &str) -> Option<i32> {
    let word = word.to_uppercase();
    FIXED.iter().find(|(name, _)| *name == word).map(|(_, minutes)| *minutes)
}

fn american(word: &str) -> Option<i32> {
    AMERICAN.iter().find(|(name, _)| *name == word).map(|(_, minutes)| *minutes)
}

/// Returns the offset of Moscow in minutes. It was four hours from March 2011 to October 2014, and is three
/// hours otherwise.
fn moscow(day: Date) -> i32 {
    let far = jiff::civil::date(2011, 3, 27)..jiff::civil::date(2014, 10, 26);
    if far.contains(&day) { 240 } else { 180 }
}

fn is_american_summer(day: Date) -> bool {
    let sunday = |month: i8, nth: i8| {
        jiff::civil::date(day.year(), month, 1).nth_weekday_of_month(nth, Weekday::Sunday).ok()
    };
    let (from, to) =
        if day.year() >= 2007 { (sunday(3, 2), sunday(11, 1)) } else { (sunday(4, 1), sunday(10, -1)) };
    from.zip(to).is_some_and(|(from, to)| (from..to).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_abbreviations() {
        let cases = [
            ("ET", "2026-03-04", "", Some(-300)),
            ("ET", "2026-03-08", "", Some(-240)),
            ("PT", "2026-07-01", "", Some(-420)),
            ("CT", "2026-11-01", "", Some(-360)),
            ("PST", "2026-07-01", "", Some(-480)),
            ("et", "2026-03-04", "", None),
            ("MSK", "2012-07-01", "", Some(240)),
            ("МСК", "2026-07-01", "", Some(180)),
            ("мск", "2026-07-01", "", Some(180)),
            ("MEZ", "2026-03-04", "", Some(60)),
            ("MESZ", "2026-07-01", "", Some(120)),
            ("SAST", "2026-03-04", "", Some(120)),
            ("EAT", "2026-03-04", "", Some(180)),
            ("PKT", "2026-03-04", "", Some(300)),
            ("NZST", "2026-07-01", "", Some(720)),
            ("IST", "2026-03-04", "", None),
            ("IST", "2026-03-04", "hi", Some(330)),
            ("IST", "2026-03-04", "he", Some(120)),
            ("IST", "2026-03-04", "ga", Some(60)),
            ("XYZ", "2026-03-04", "", None),
        ];
        for (word, day, language, expected) in cases {
            let reader = Reader { language: Some(language), ..Reader::default() };
            assert_eq!(zone(word, day.parse().unwrap(), &reader), expected, "{word} {day} {language}");
        }
        let india = Reader { language: Some("en"), region: Some("IN"), ..Reader::default() };
        assert_eq!(zone("IST", "2026-03-04".parse().unwrap(), &india), Some(330));
    }
}
