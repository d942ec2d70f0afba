//! Uses the data of the page to interpret ambiguous dates: the order of day and month, two-digit years, and
//! the zone `IST`.
//!
//! The order of day and month in a date such as `03/04/2026` is taken from the first of these sources that
//! shows it:
//!
//! - the weekday next to the date;
//! - the day in the page's address;
//! - the day of the last change, then the day after the fetch: an order is wrong if it makes the date later;
//! - the page's other dates;
//! - the region in `lang` or `og:locale`: the month is first in the United States and the Philippines.
//!
//! If no source decides, the day is first. Exception: the month is first if the time next to the date has AM
//! or PM, and the page is in English or in an unknown language.

use std::cell::OnceCell;

use jiff::civil::Date;

use super::{FIRST_YEAR, ParsedDate, PartialDateTime, composed, date_at, dated, numbers, short_year, tokens};
use crate::Page;
use crate::small_text::digits;
use crate::weekdays::weekday;

/// Maximum number of texts that are searched for the order of day and month, and maximum length of such a
/// text in bytes.
const MAX_TEXTS: usize = 500;
const LONGEST: usize = 200;

/// Languages in which the day is first in `20.11.26`.
const DAY_DOT_MONTH: [&str; 27] = [
    "az", "be", "bg", "bs", "cs", "da", "de", "et", "fi", "hr", "hy", "is", "it", "ka", "kk", "mk", "nb",
    "nn", "no", "pl", "ro", "ru", "sk", "sl", "sr", "tr", "uk",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    DayFirst,
    MonthFirst,
}

#[derive(Debug, Default)]
pub(crate) struct Reader<'a> {
    pub(crate) language: Option<&'a str>,
    /// Region of the page's language in capitals, such as `US`.
    pub(crate) region: Option<&'a str>,
    pub(crate) address: Option<Date>,
    /// The last possible day of publication.
    pub(crate) latest: Option<Date>,
    /// The day of the last change, if its date has only one possible reading.
    pub(crate) changed: Option<Date>,
    /// Sources of other dates that may show the order: the page's texts and its declared dates.
    pub(crate) page: Option<&'a Page>,
    pub(crate) declared: Vec<&'a str>,
    pub(crate) order: OnceCell<Option<Order>>,
}

impl Reader<'_> {
    /// Like [`super::moment`].
    pub(crate) fn moment(&self, text: &str) -> Option<PartialDateTime> {
        dated(text, date_at, self).filter(|moment| moment.day.year() >= FIRST_YEAR)
    }

    /// Returns the date in a declaration. Years from 1900 on are accepted, because the page may be from an
    /// archive. The first days of 1900 and 1970 are rejected, because they are default values of programs.
    pub(crate) fn declared(&self, text: &str) -> Option<PartialDateTime> {
        let is_default = |day: Date| matches!(day.year(), 1900 | 1970) && day.day_of_year() == 1;
        let is_epoch = |day: Date| day.year() == 1969 && day.month() == 12 && day.day() == 31;
        dated(text, date_at, self).filter(|moment| !is_default(moment.day) && !is_epoch(moment.day))
    }

    /// Returns the date in a text with a two-digit year of this century: `20/11/26`. Points are accepted only
    /// in languages in which the day is first in `20.11.26`. In other languages, the year may be first.
    /// Dashes are never accepted. Callers must know that the text is a date, because scores and part numbers
    /// look the same.
    pub(crate) fn short_date(&self, text: &str) -> Option<PartialDateTime> {
        dated(text, short_year, self)
    }

    pub(crate) fn is_possible(&self, moment: &PartialDateTime) -> bool {
        self.latest.is_none_or(|latest| moment.day <= latest)
    }

    pub(super) fn writes_day_dot_month(&self) -> bool {
        self.language.is_some_and(|language| DAY_DOT_MONTH.contains(&language))
    }

    /// Returns the year for a two-digit year. In Thailand, it is a year of the Buddhist calendar.
    pub(super) fn year_of_two_digits(&self, year: i16) -> i16 {
        if self.language == Some("th") { 2500 - 543 + year } else { 2000 + year }
    }

    /// Returns the offset of `IST` in minutes. The abbreviation is used in India, Ireland and Israel.
    pub(super) fn offset_of_ist(&self) -> Option<i32> {
        const OF_INDIA: [&str; 11] = ["hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "or", "as"];
        match (self.region, self.language) {
            (Some("IN"), _) => Some(330),
            (Some("IE"), _) | (None, Some("ga")) => Some(60),
            (Some("IL"), _) | (None, Some("he" | "iw")) => Some(120),
            (None, Some(language)) if OF_INDIA.contains(&language) => Some(330),
            _ => None,
        }
    }

    pub(super) fn choose(&self, readings: [Date; 2], text: &str, has_english_half: bool) -> Date {
        let [day_first, month_first] = readings;
        let shown = by_weekday(readings, text)
            .or_else(|| only(readings, |day| self.address == Some(day)))
            .or_else(|| only(readings, |day| self.changed.is_some_and(|changed| day <= changed)))
            .or_else(|| only(readings, |day| self.latest.is_some_and(|latest| day <= latest)))
            .or_else(|| *self.order.get_or_init(|| self.others().or_else(|| self.of_region())));
        match shown {
            Some(Order::DayFirst) => day_first,
            Some(Order::MonthFirst) => month_first,
            None if has_english_half && matches!(self.language, None | Some("" | "en")) => month_first,
            None => day_first,
        }
    }

    fn of_region(&self) -> Option<Order> {
        match (self.language?, self.region?) {
            ("en" | "fil" | "tl", "US" | "PH" | "PR" | "GU") => Some(Order::MonthFirst),
            // Both orders are used in Canada.
            (_, "CA") => None,
            _ => Some(Order::DayFirst),
        }
    }

    /// Returns the order of the page's other dates, if all dates with the best evidence agree.
    fn others(&self) -> Option<Order> {
        let page = self.page?;
        let mut votes: [Vec<Order>; 3] = Default::default();
        let texts = page.iter().filter_map(|(id, _)| {
            page.text(id).or_else(|| page.attribute(id, "datetime")).or_else(|| page.attribute(id, "content"))
        });
        let texts = texts.chain(self.declared.iter().copied()).filter(|text| may_have_date(text));
        for text in texts.take(MAX_TEXTS) {
            let text = composed(text.trim());
            let tokens = tokens(&text);
            for (found, _) in (0..tokens.len()).filter_map(|at| numbers(&tokens, at)) {
                if let Some((evidence, order)) = self.vote(found, &text) {
                    votes[evidence].push(order);
                }
            }
        }
        let best = votes.into_iter().find(|votes| !votes.is_empty())?;
        best.iter().all(|order| *order == best[0]).then_some(best[0])
    }

    /// Returns the order that a date shows, and the rank of the evidence: 0 for the weekday, 1 for the
    /// address, 2 for a date with one possible reading.
    fn vote(&self, found: ParsedDate, text: &str) -> Option<(usize, Order)> {
        match found.month_first {
            None => Some((2, Order::DayFirst)),
            Some(day) if day == found.day => (day.day() > 12).then_some((2, Order::MonthFirst)),
            Some(day) => {
                let readings = [found.day, day];
                let at_address = || only(readings, |day| self.address == Some(day));
                by_weekday(readings, text).map(|order| (0, order)).or_else(|| Some((1, at_address()?)))
            }
        }
    }
}

fn may_have_date(text: &str) -> bool {
    text.len() <= LONGEST
        && text.bytes().filter(|byte| matches!(byte, b'/' | b'-' | b'.')).nth(1).is_some()
        && digits(text) >= 6
}

fn only(readings: [Date; 2], is: impl Fn(Date) -> bool) -> Option<Order> {
    match readings.map(is) {
        [true, false] => Some(Order::DayFirst),
        [false, true] => Some(Order::MonthFirst),
        _ => None,
    }
}

fn by_weekday(readings: [Date; 2], text: &str) -> Option<Order> {
    let stated = weekday(text)?;
    only(readings, |day| day.weekday() == stated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, reader: &Reader) -> String {
        reader.moment(text).map(|moment| moment.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_order_of_day_and_month() {
        let cases = [
            ("04/03/2026 8:15 PM", "en", "", "2026-04-03T20:15:00"),
            ("04/03/2026 8:15 PM", "en", "GB", "2026-03-04T20:15:00"),
            ("04/03/2026 8:15 PM", "en", "IN", "2026-03-04T20:15:00"),
            ("04/03/2026 8:15 PM", "es", "", "2026-03-04T20:15:00"),
            ("4/3/2026 | 8:15 PM GMT+7", "vi", "", "2026-03-04T20:15:00+07:00"),
            ("03/04/2026", "en", "US", "2026-03-04"),
            ("03/04/2026", "en", "CA", "2026-04-03"),
            ("03/04/2026", "en", "", "2026-04-03"),
            ("Friday, 03/04/2026", "en", "US", "2026-04-03"),
        ];
        for (text, language, region, expected) in cases {
            let region = Some(region).filter(|region| !region.is_empty());
            let reader = Reader { language: Some(language), region, ..Reader::default() };
            assert_eq!(read(text, &reader), expected, "{text} {language} {region:?}");
        }
    }

    #[test]
    fn the_page_shows_the_order() {
        let day = |text: &str| Some(text.parse::<Date>().unwrap());
        let known = [
            Reader { address: day("2026-03-04"), ..Reader::default() },
            Reader { changed: day("2026-03-05"), ..Reader::default() },
            Reader { latest: day("2026-03-05"), ..Reader::default() },
            Reader { declared: vec!["03/25/2026"], page: Some(&Page::parse("")), ..Reader::default() },
            Reader { page: Some(&Page::parse("<p>Updated: 03/25/2026")), ..Reader::default() },
            Reader { page: Some(&Page::parse("<p>Wed, 03/04/2026<p>Tue, 03/03/2026")), ..Reader::default() },
        ];
        for reader in known {
            assert_eq!(read("03/04/2026", &reader), "2026-03-04", "{reader:?}");
        }
        let page = Page::parse("<p>25/03/2026<p>03/25/2026");
        assert_eq!(read("03/04/2026", &Reader { page: Some(&page), ..Reader::default() }), "2026-04-03");
    }

    #[test]
    fn archives_are_declared() {
        let reader = Reader::default();
        let declared = |text: &str| reader.declared(text).map(|moment| moment.to_string());
        assert_eq!(declared("1985-03-04").as_deref(), Some("1985-03-04"));
        for text in ["1970-01-01T00:00:00Z", "1969-12-31", "1900-01-01", "1899-12-31", "0001-01-01"] {
            assert_eq!(declared(text), None, "{text}");
        }
        assert_eq!(read("1985-03-04", &reader), "");
    }
}
