//! Determines when a page was published and changed.
//!
//! The publication time is the first date found in these sources, in this order: declarations in JSON-LD,
//! `<meta>` and microdata; a printed date with a label (`Published on`); the day in the page's address; a
//! date printed next to the headline; a date in the page's scripts under a name such as `publishedAt`; a
//! printed date that may be today's; the time of the last change. If the day comes from the address, and a
//! printed date has the same day, the printed time is used. A date more than a day after the fetch is
//! ignored. Three rules correct the result:
//!
//! * If the result equals the time of the last change, and the page states an earlier publication elsewhere,
//!   the earlier date is used, unless the address confirms the later date. Site builders often write the time
//!   of their last build into both declarations. A printed date counts only beside the headline, because a
//!   teaser may also have one.
//! * If the day in the address is one day earlier or later, and the time has no zone, the day in the address is
//!   used, because this is the publisher's local day. A time with a zone, also UTC, is certain and kept.
//! * A declared local time without a zone gets the zone of the page's other date. A page in Vietnamese gets
//!   `+07:00`, because Vietnam has one zone. Of other times without a zone, only the day is kept.
//!
//! Limitation: if a page states only the time of its last change, this also becomes the publication time.

use std::cell::OnceCell;
use std::iter::once_with;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::Sources;
use super::embedded_date::embedded_date;
use crate::date::{Order, PartialDateTime, Reader, in_address};
use crate::meta::{CREATED, MODIFIED, PUBLISHED};
use crate::printed_date::{PrintedDate, printed};
use crate::small_text::small_text;
use crate::{NodeId, Page};

const VIETNAM: i32 = 7 * 60;

/// Maximum distance of a zone from UTC in hours, to the west and to the east.
const WEST: i8 = 12;
const EAST: i8 = 14;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Dates {
    pub(super) published: Option<String>,
    pub(super) published_utc: Option<Timestamp>,
    pub(super) modified: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredDates<'a> {
    pub(super) language: Option<&'a str>,
    pub(super) region: Option<&'a str>,
}

pub(super) fn dates(
    page: &Page,
    sources: &Sources,
    headline: Option<NodeId>,
    written: DeclaredDates,
) -> Dates {
    let reader = reader(page, sources, written);
    let address = reader.address;
    let stated = [stated_published(page, sources, &reader), stated_modified(page, sources, &reader)];
    // The search for printed dates is expensive, so it runs only if a date is missing or in doubt.
    let is_in_doubt = stated.contains(&None) || is_same(stated[0], stated[1]);
    let printed = if is_in_doubt { printed(page, headline, &reader) } else { PrintedDate::default() };
    let modified = stated[1].or(printed.modified);
    let found = stated[0]
        .or(printed.labelled)
        .or_else(|| address.map(|day| at_address(day, &printed)))
        .or(printed.published)
        .or_else(|| embedded_date(page, &reader).filter(|date| reader.is_possible(date)))
        .or(printed.doubtful)
        .or(modified);
    let is_certain = |found: PartialDateTime| address == Some(found.day) || !is_same(Some(found), modified);
    let published = found.map(|found| {
        let earlier = || earlier_day(found.day, page, sources, &printed, &reader);
        if is_certain(found) { found } else { earlier().unwrap_or(found) }
    });
    let is_declared = [stated[0].is_some() && published == stated[0], stated[1].is_some()];
    zoned([published, modified], is_declared, address, written.language)
}

/// Adds the zone of the page's other date to a declared time, and corrects the publication day by the day in
/// the address.
fn zoned(
    [published, modified]: [Option<PartialDateTime>; 2],
    is_declared: [bool; 2],
    address: Option<Date>,
    language: Option<&str>,
) -> Dates {
    let stated = [published, modified].into_iter().flatten().find_map(|moment| moment.offset);
    let of_language = (language == Some("vi")).then_some(VIETNAM);
    let zoned = |moment: PartialDateTime, is_declared: bool| {
        let zone = stated.filter(|zone| is_declared && *zone != 0).or(of_language);
        let zone = zone.or(stated.filter(|_| is_declared));
        PartialDateTime { offset: moment.offset.or(moment.time.and(zone)), ..moment }
    };
    let whole = published.map(|at| zoned(at, is_declared[0]));
    let local = published.zip(whole).map(|(at, whole)| {
        address.filter(|day| is_local_day(at, *day)).map_or(whole, PartialDateTime::from_day)
    });
    Dates {
        published: local.map(|moment| moment.with_zone_or_day().to_string()),
        published_utc: whole.and_then(|moment| moment.instant()),
        modified: modified.map(|at| zoned(at, is_declared[1]).with_zone_or_day().to_string()),
    }
}

fn reader<'a>(page: &'a Page, sources: &'a Sources, written: DeclaredDates<'a>) -> Reader<'a> {
    let Sources { article, whole, .. } = sources;
    let declared =
        [&article.published, &article.modified, &article.created, &whole.published, &whole.modified];
    let fetched = sources.fetched.map(|at| at.to_zoned(TimeZone::UTC).date());
    let latest = fetched.and_then(|day| day.checked_add(1.day()).ok());
    let address = [sources.known(), sources.address].into_iter().find_map(in_address);
    let mut reader = Reader {
        language: written.language,
        region: written.region,
        address: address.filter(|day| latest.is_none_or(|latest| *day <= latest)),
        latest,
        declared: declared.into_iter().flatten().map(String::as_str).collect(),
        ..Reader::default()
    };
    reader.changed = certain_change(page, sources);
    reader.page = Some(page);
    reader
}

fn certain_change(page: &Page, sources: &Sources) -> Option<Date> {
    let read = |order| {
        let reader = Reader { order: OnceCell::from(Some(order)), ..Reader::default() };
        Some(stated_modified(page, sources, &reader)?.day)
    };
    let day = read(Order::DayFirst)?;
    (read(Order::MonthFirst) == Some(day)).then_some(day)
}

/// Returns the printed date if it is at most one day from the day in the address. Otherwise returns the day
/// in the address.
fn at_address(day: Date, printed: &PrintedDate) -> PartialDateTime {
    let is_near = |found: &PartialDateTime| {
        [Some(day), day.yesterday().ok(), day.tomorrow().ok()].contains(&Some(found.day))
    };
    [printed.published, printed.doubtful]
        .into_iter()
        .flatten()
        .find(is_near)
        .unwrap_or_else(|| PartialDateTime::from_day(day))
}

/// Whether both are the same time. Compares the days if one of them has no time.
fn is_same(a: Option<PartialDateTime>, b: Option<PartialDateTime>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    if a.time.is_some() && b.time.is_some() { a.instant() == b.instant() } else { a.day == b.day }
}

/// Returns the earliest date of publication on the page if it is before `day`, and `None` otherwise.
fn earlier_day(
    day: Date,
    page: &Page,
    sources: &Sources,
    printed: &PrintedDate,
    reader: &Reader,
) -> Option<PartialDateTime> {
    let stated = all_published(page, sources, reader).chain(printed.beside);
    stated.filter(|other| other.day < day).min_by_key(|other| other.day)
}

/// Whether a time without a zone can be on `day` in the publisher's zone.
fn is_local_day(at: PartialDateTime, day: Date) -> bool {
    let Some(time) = at.time.filter(|_| at.offset.is_none()) else { return false };
    let is_before = at.day.yesterday().ok() == Some(day) && time.hour() < WEST;
    let is_after = at.day.tomorrow().ok() == Some(day) && time.hour() >= 24 - EAST;
    is_before || is_after
}

fn stated_published(page: &Page, sources: &Sources, reader: &Reader) -> Option<PartialDateTime> {
    let created = || CREATED.iter().filter_map(|name| sources.meta.date(name, reader));
    all_published(page, sources, reader)
        .next()
        .or_else(|| declared(&sources.article.created, reader))
        .or_else(|| created().find(|date| reader.is_possible(date)))
        .or_else(|| declared(&sources.whole.published, reader))
}

fn all_published<'a>(
    page: &'a Page,
    sources: &'a Sources,
    reader: &'a Reader,
) -> impl Iterator<Item = PartialDateTime> + 'a {
    let in_meta = PUBLISHED.iter().filter_map(|name| sources.meta.date(name, reader));
    declared(&sources.article.published, reader)
        .into_iter()
        .chain(in_meta)
        .chain(once_with(|| item_date(page, sources, "datepublished", reader)).flatten())
        .chain(once_with(|| sources.meta.published_by_name(reader)).flatten())
        .filter(|date| reader.is_possible(date))
}

fn stated_modified(page: &Page, sources: &Sources, reader: &Reader) -> Option<PartialDateTime> {
    let in_meta = || MODIFIED.iter().filter_map(|name| sources.meta.date(name, reader));
    declared(&sources.article.modified, reader)
        .or_else(|| in_meta().find(|date| reader.is_possible(date)))
        .or_else(|| item_date(page, sources, "datemodified", reader).filter(|date| reader.is_possible(date)))
        .or_else(|| declared(&sources.whole.modified, reader))
}

fn declared(stated: &Option<String>, reader: &Reader) -> Option<PartialDateTime> {
    reader.declared(stated.as_deref()?).filter(|date| reader.is_possible(date))
}

fn item_date(page: &Page, sources: &Sources, name: &str, reader: &Reader) -> Option<PartialDateTime> {
    let id = sources.items.find(page, name)?;
    ["content", "datetime", "title"]
        .iter()
        .filter_map(|key| page.attribute(id, key))
        .find_map(|text| reader.declared(text))
        .or_else(|| reader.declared(&small_text(page, id)?))
}

#[cfg(test)]
mod tests {
    use crate::Page;
    use crate::metadata::metadata_at;

    /// Compares `published`, `published_utc` and `modified`. An empty string means `None`.
    #[track_caller]
    fn check(html: &str, address: &str, expected: [&str; 3]) {
        let found = metadata_at(&Page::parse(html), address);
        let utc = found.published_utc.map(|at| at.to_string());
        let found = [found.published, utc, found.modified].map(Option::unwrap_or_default);
        assert_eq!(found.each_ref().map(String::as_str), expected, "{html} {address}");
    }

    fn json(published: &str, modified: &str) -> String {
        format!(
            r#"<script type="application/ld+json">{{"@type":"Article","headline":"H","datePublished":"{published}","dateModified":"{modified}"}}</script><h1>H</h1>"#
        )
    }

    #[test]
    fn the_local_day_of_the_address_wins() {
        let day = "2026-11-20";
        let at = "https://a.example/2026/11/20/rain";
        let cases = [
            ("2026-11-21T01:57:00Z", ["2026-11-21T01:57:00Z", "2026-11-21T01:57:00Z"]),
            ("2026-11-21T01:57:00", [day, "2026-11-21T01:57:00Z"]),
            ("2026-11-19T18:00:00", [day, "2026-11-19T18:00:00Z"]),
            ("2026-11-21T13:00:00Z", ["2026-11-21T13:00:00Z", "2026-11-21T13:00:00Z"]),
            ("2026-11-21T01:57:00+07:00", ["2026-11-21T01:57:00+07:00", "2026-11-20T18:57:00Z"]),
            ("2026-11-24T01:57:00Z", ["2026-11-24T01:57:00Z", "2026-11-24T01:57:00Z"]),
        ];
        for (stated, [published, utc]) in cases {
            let page = json(stated, "2026-12-01T00:00:00Z");
            check(&page, at, [published, utc, "2026-12-01T00:00:00Z"]);
        }
    }

    #[test]
    fn a_publication_that_equals_the_change_gives_way_to_an_earlier_one() {
        let built = json("2026-11-20T09:30:00Z", "2026-11-20T09:30:00Z");
        let utc = "2026-11-20T09:30:00Z";
        check(&built, "", [utc, utc, utc]);
        let printed = format!("{built}<p>Jan 31, 2024</p>");
        check(&printed, "", ["2024-01-31", "2024-01-31T00:00:00Z", utc]);
        let later = format!("{built}<p>Jan 31, 2027</p>");
        check(&later, "", [utc, utc, utc]);
        let declared = format!("<meta property=article:published_time content=2022-05-26>{built}");
        check(&declared, "", ["2022-05-26", "2022-05-26T00:00:00Z", utc]);
        check(&printed, "https://a.example/2026/11/20/x", [utc, utc, utc]);
        let created = format!("<meta name=dcterms.created content=2022-05-26>{built}");
        check(&created, "", [utc, utc, utc]);
        let other = json("2026-11-20T09:30:00Z", "2026-11-21T09:30:00Z");
        check(&format!("{other}<p>Jan 31, 2024</p>"), "", [utc, utc, "2026-11-21T09:30:00Z"]);
    }

    #[test]
    fn zones_of_local_times() {
        let local = "2026-11-20T09:30:00";
        check(&json(local, ""), "", ["2026-11-20", "2026-11-20T09:30:00Z", ""]);
        let page = format!("<html lang=vi>{}", json(local, ""));
        check(&page, "", ["2026-11-20T09:30:00+07:00", "2026-11-20T02:30:00Z", ""]);
        let page = json(local, "2026-11-21T09:30:00-05:00");
        check(&page, "", ["2026-11-20T09:30:00-05:00", "2026-11-20T14:30:00Z", "2026-11-21T09:30:00-05:00"]);
    }

    #[test]
    fn the_last_sources() {
        let day = ["2026-11-20", "2026-11-20T00:00:00Z", ""];
        check("<title>x</title>", "https://a.example/2026/11/20/rain", day);
        check(
            r#"<script>x={"publishedAt":"2026-11-20"}</script><title>x</title>"#,
            "https://a.example/",
            day,
        );
        check("<meta name=w-published-date content=2026-11-20>", "", day);
        check("<abbr class=published title=2026-11-20>gestern</abbr>", "", day);
        check("<h2 class=date-header>Freitag, 20. November 2026</h2><h1>H</h1><p>x", "", day);
        check("<font class=createdate>20/11/26-09:30</font>", "", ["2026-11-20", "2026-11-20T09:30:00Z", ""]);
        let changed = ["2026-11-20", "2026-11-20T00:00:00Z", "2026-11-20"];
        check("<h1>H</h1><p>Last updated: 20 November 2026", "", changed);
        check("<title>x</title>", "", ["", "", ""]);
    }

    const AT: &str = "https://x.example/2026/03/04/a";
    const DAY: [&str; 3] = ["2026-03-04", "2026-03-04T00:00:00Z", ""];

    #[test]
    fn the_address_comes_before_dates_without_a_label() {
        let page = |before: &str, after: &str| {
            format!("{before}<main><article><h1>H</h1><p>text</p>{after}</article></main>")
        };
        let clock = "<div class=date>Monday, November 23, 2026</div>";
        check(&page(clock, ""), AT, DAY);
        check(&page(clock, r#"<script>x={"publishedAt":"2026-03-04"}</script>"#), "", DAY);
        check(&page("", "<p><strong>When:</strong> April 12, 2027, 7 pm</p>"), AT, DAY);
        check(&page("", "<p>April 12, 2027"), AT, DAY);
        let labelled = ["2026-03-06", "2026-03-06T00:00:00Z", ""];
        check(&page("", "<p>Published on March 6, 2026"), AT, labelled);
        let timed = ["2026-03-04T08:15:00+07:00", "2026-03-04T01:15:00Z", ""];
        check(&page("", "<p>April 12, 2027<p>04/03/2026 08:15 (GMT+7)"), AT, timed);
    }

    #[test]
    fn the_order_of_day_and_month() {
        let us = "<html lang=en-US>";
        let both = |published: &str, modified: &str| {
            format!("<h1>H</h1><p>Published: {published} | Updated: {modified}</p>")
        };
        let changed = ["2026-03-04", "2026-03-04T00:00:00Z", "2026-03-25"];
        check(&format!("{us}{}", both("03/04/2026", "03/25/2026")), "", changed);
        check(&both("03/04/2026", "03/25/2026"), "", changed);
        check(&both("04/03/2026", "25/03/2026"), "", changed);
        check("<h1>H</h1><p>Wednesday, 03/04/2026", "", DAY);
        check("<h1>H</h1><p>03/04/2026", AT, DAY);
        check(&format!("{us}<h1>H</h1><p>03/04/2026"), "", DAY);
        check("<meta property=og:locale content=en_US><h1>H</h1><p>03/04/2026", "", DAY);
        let modified = "<meta property=article:modified_time content=2026-03-05><h1>H</h1><p>03/04/2026";
        check(modified, "", [DAY[0], DAY[1], "2026-03-05"]);
        let vietnamese = json("04/03/2026 8:15:00 CH", "25/03/2026 8:15:00 CH");
        check(&vietnamese, "", ["2026-03-04", "2026-03-04T20:15:00Z", "2026-03-25"]);
    }

    #[test]
    fn dates_after_the_fetch_do_not_count() {
        let fetched = "2026-03-10T12:00:00Z".parse().unwrap();
        let published =
            |html: &str| crate::metadata::metadata_fetched(&Page::parse(html), "", fetched).published;
        let later = format!("{}<p>March 4, 2026", json("2099-01-01", "2099-01-01"));
        assert_eq!(published(&later).as_deref(), Some("2026-03-04"));
        assert_eq!(published(&json("2026-03-11", "")).as_deref(), Some("2026-03-11"));
        assert_eq!(published("<h1>H</h1><p>April 12, 2027"), None);
        assert_eq!(published("<h1>H</h1><p>04/03/2026").as_deref(), Some("2026-03-04"));
        assert_eq!(published(&json("1985-03-04", "")).as_deref(), Some("1985-03-04"));
    }
}
