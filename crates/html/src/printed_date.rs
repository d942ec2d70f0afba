//! Finds the date printed beside the headline, for pages that declare none.
//!
//! A line is a date if it has little else: a weekday, a label (`Published`, `Ngày đăng`,
//! `Опубликовано`), a name. Dates with a time of day have priority, then dates in elements whose
//! class or id names a date, then dates after the headline, then the nearest. A label such as
//! `Updated` makes a date the date of the last change.
//!
//! Limitation: most sites print today's date above the headline, so a day above the headline counts
//! only if it is close to it and has no weekday. Relative dates (`2 hours ago`) are not read. On a
//! page without headings, only the first 500 elements whose class or id names a date are read, and
//! a date counts only if all these dates are the same.

use crate::author::names_a_class;
use crate::date::{date, short_date};
use crate::month_names::folded;
use crate::small_text::{Small, ancestors, digits, small_text};
use crate::tags::holds_one;
use crate::text::{never_text, tidy};
use crate::{NodeId, Page};

/// Maximum distance from the headline, in nodes: of a `<time>`, and of a printed date.
const TIME_REACH: u32 = 400;
const PRINTED_REACH: u32 = 150;

/// Distance from the headline, in nodes, within which a date may be in a list, because a by-line
/// may be a list.
const BESIDE: u32 = 20;

/// Maximum number of lines and of `<time>`s that are read.
const MOST_LINES: usize = 500;

const LONGEST_LINE: usize = 200;

const FEWEST_DIGITS: usize = 5;

/// Maximum number of other words on a date's line.
const MOST_WORDS: usize = 6;

struct Found {
    id: NodeId,
    date: String,
    /// Whether the element is a `<time>`, or its class or id names a date.
    is_named: bool,
    is_change: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
}

pub(crate) fn printed(page: &Page, headline: Option<NodeId>) -> Printed {
    let mut out = Printed::default();
    for find in [times, lines] {
        let found = find(page, headline);
        let nearest = |is_change: bool| nearest(found.iter().filter(|f| f.is_change == is_change), headline);
        out.published = out.published.or_else(|| nearest(false));
        out.modified = out.modified.or_else(|| nearest(true));
    }
    out
}

fn nearest<'a>(found: impl Iterator<Item = &'a Found>, headline: Option<NodeId>) -> Option<String> {
    let found: Vec<&Found> = found.collect();
    let first = found.first()?;
    match headline {
        Some(headline) => {
            let rank =
                |f: &&&Found| (!f.date.contains('T'), !f.is_named, f.id < headline, headline.abs_diff(f.id));
            found.iter().min_by_key(rank).map(|f| f.date.clone())
        }
        // The date counts only if all dates on the page are the same.
        None => found.iter().all(|f| f.date == first.date).then(|| first.date.clone()),
    }
}

fn times(page: &Page, headline: Option<NodeId>) -> Vec<Found> {
    let is_near = |id: &NodeId| headline.is_none_or(|headline| headline.abs_diff(*id) <= TIME_REACH);
    let found = |id| {
        let text = small_text(page, id).unwrap_or_default();
        let date = page.attribute(id, "datetime").and_then(date).or_else(|| date(&text))?;
        let labelled = around(page, id).and_then(|text| change_before_date(&text));
        Some(Found { id, date, is_named: true, is_change: labelled.unwrap_or_else(|| is_change(&text)) })
    };
    page.elements("time").filter(is_near).take(MOST_LINES).filter_map(found).collect()
}

/// Returns the parent's text before an element, which may be a label.
fn around(page: &Page, id: NodeId) -> Option<String> {
    let parent = Some(page.node(id).parent).filter(|parent| id - parent <= 20)?;
    let before: Vec<&str> = (parent..id).filter_map(|n| page.text(n)).collect();
    (before.iter().map(|text| text.len()).sum::<usize>() < 200).then(|| before.concat())
}

fn change_before_date(text: &str) -> Option<bool> {
    (text.chars().any(char::is_alphabetic)).then(|| is_change(text))
}

fn lines(page: &Page, headline: Option<NodeId>) -> Vec<Found> {
    let (from, to) = headline.map_or((0, page.len() as NodeId), |headline| {
        (headline.saturating_sub(PRINTED_REACH), (headline + PRINTED_REACH).min(page.len() as NodeId))
    });
    let may_be_read = |id: &NodeId| headline.is_some() || is_named_for_a_date(page, *id);
    let mut out = Vec::new();
    let mut behind = 0;
    for id in (from..to).filter(may_be_read).take(MOST_LINES) {
        if id < behind {
            continue;
        }
        let Some(text) = line(page, id) else { continue };
        for part in parted(&text) {
            let date = of_line(part).or_else(|| of_line_beside(part, id, headline));
            let Some(date) = date.filter(|date| is_believed(page, id, &text, date, headline)) else {
                continue;
            };
            let is_named = is_named_for_a_date(page, id);
            out.push(Found { id, date, is_named, is_change: is_change(part) });
            behind = page.node(id).end;
        }
    }
    out
}

/// Returns the text of a small element, or of a text between elements or `<br>`; `None` if it is
/// too long or has too few digits for a date.
fn line(page: &Page, id: NodeId) -> Option<String> {
    let never = |id| {
        page.tag(id).is_some_and(|tag| matches!(tag, "a" | "head" | "title" | "time") || never_text(tag))
    };
    if page.tag(id).is_some() {
        let small = if never(id) { None } else { Small::from_element(page, id) };
        return small.filter(|small| small.digits() >= FEWEST_DIGITS).map(|small| small.text());
    }
    let text = page.text(id).filter(|text| text.len() < 200 && digits(text) >= FEWEST_DIGITS)?;
    (!never(page.node(id).parent)).then(|| tidy(text))
}

/// Splits a line with two dates at its labels for the publication and the change.
fn parted(text: &str) -> Vec<&str> {
    if text.len() > LONGEST_LINE || years(text) != 2 {
        return vec![text];
    }
    let is_start = |at: usize| at > 0 && !text[..at].ends_with(char::is_alphanumeric);
    let begins = |at: usize| {
        let rest = plain(&text[at..]);
        CHANGED.iter().chain(&PUBLISHED).any(|label| rest.starts_with(label))
    };
    let starts = text.char_indices().map(|(at, _)| at).filter(|at| is_start(*at) && begins(*at));
    let mut parts = Vec::new();
    let mut from = 0;
    for at in starts.chain([text.len()]) {
        parts.push(&text[from..at]);
        from = at;
    }
    // A part without a year is the first word of a label: `Last | updated`.
    parts.retain(|part| years(part) > 0);
    parts
}

fn years(text: &str) -> usize {
    let is_year = |run: &&str| run.len() == 4 && (run.starts_with("19") || run.starts_with("20"));
    text.split(|c: char| !c.is_ascii_digit()).filter(is_year).count()
}

/// Returns the date of a line that has little else.
fn of_line(text: &str) -> Option<String> {
    // With two dates, it is not clear which one counts.
    (is_short(text) && years(text) <= 1).then(|| date(text)).flatten()
}

fn of_line_beside(text: &str, id: NodeId, headline: Option<NodeId>) -> Option<String> {
    let is_beside = headline.is_some_and(|headline| id >= headline && id - headline <= BESIDE);
    (is_beside && years(text) == 0 && is_short(text)).then(|| short_date(text)).flatten()
}

/// Whether a line has the digits of a date and little else.
fn is_short(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if text.len() > LONGEST_LINE || !(FEWEST_DIGITS..=24).contains(&digits) {
        return false;
    }
    let is_beside =
        |word: &&str| word.chars().any(char::is_alphabetic) && crate::month_names::month(word).is_none();
    let beside = text.split(|c: char| !c.is_alphanumeric()).filter(is_beside).take(MOST_WORDS + 1);
    beside.count() <= MOST_WORDS
}

/// Whether a date is likely to be the article's; rejects dates in lists, and today's date above the
/// headline.
fn is_believed(page: &Page, id: NodeId, text: &str, date: &str, headline: Option<NodeId>) -> bool {
    let Some(headline) = headline else { return !is_aside(page, id) };
    let far = headline.abs_diff(id);
    if far > BESIDE && is_aside(page, id) {
        return false;
    }
    // The content of the headline element counts as after the headline.
    if id >= headline || date.contains('T') {
        return true;
    }
    far <= BESIDE && !has_weekday(text)
}

/// Whether an element is in a list, an aside, a navigation, a footer, comments or related stories.
pub(crate) fn is_aside(page: &Page, id: NodeId) -> bool {
    ancestors(page, id).any(|at| {
        matches!(page.tag(at), Some("li" | "aside" | "nav" | "footer"))
            || names_a_class(page, at, &["comment", "related"])
    })
}

fn is_named_for_a_date(page: &Page, id: NodeId) -> bool {
    page.class_and_id(id).any(|name| holds_one(name, &["date", "time", "publish", "posted", "ngay"]))
}

/// Labels of the last change, folded.
const CHANGED: [&str; 17] = [
    "updated",
    "update",
    "modified",
    "edited",
    "reviewed",
    "cap nhat",
    "ενημερωση",
    "ανανεωση",
    "aktualizacja",
    "zmodyfikowano",
    "обновлен",
    "изменен",
    "更新",
    "aktualisiert",
    "actualizado",
    "mis a jour",
    "aggiornato",
];

/// Labels of the first publication, folded.
const PUBLISHED: [&str; 13] = [
    "published",
    "posted",
    "first",
    "created",
    "xuat ban",
    "dang luc",
    "ngay dang",
    "δημοσι",
    "opublikowan",
    "dodano",
    "опубликован",
    "发布",
    "發布",
];

fn plain(text: &str) -> String {
    folded(text).replace('đ', "d")
}

fn is_change(text: &str) -> bool {
    let text = plain(text);
    let first = |words: &[&str]| words.iter().filter_map(|word| text.find(word)).min();
    match (first(&CHANGED), first(&PUBLISHED)) {
        (Some(changed), Some(published)) => changed < published,
        (changed, _) => changed.is_some(),
    }
}

fn has_weekday(text: &str) -> bool {
    const DAYS: [&str; 37] = [
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "δευτερα",
        "τριτη",
        "τεταρτη",
        "πεμπτη",
        "παρασκευη",
        "σαββατο",
        "κυριακη",
        "понедельник",
        "вторник",
        "среда",
        "четверг",
        "пятница",
        "суббота",
        "воскресенье",
        "poniedziałek",
        "wtorek",
        "sroda",
        "czwartek",
        "piatek",
        "sobota",
        "niedziela",
        "chu",
        "nhat",
    ];
    let text = folded(text);
    text.contains("星期") || text.split(|c: char| !c.is_alphanumeric()).any(|word| DAYS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, published: Option<&str>, modified: Option<&str>) {
        let page = Page::parse(html);
        let headline = page.elements("h1").next();
        let found = printed(&page, headline);
        assert_eq!((found.published.as_deref(), found.modified.as_deref()), (published, modified), "{html}");
    }

    #[test]
    fn a_line_that_is_a_date() {
        let cases = [
            ("Thứ sáu, 20/11/2026, 09:30 (GMT+7)", Some("2026-11-20T09:30:00+07:00")),
            ("ΔΗΜΟΣΙΕΥΣΗ: 20/11/2026, 09:30", Some("2026-11-20T09:30:00")),
            ("09:30 20.11.2026", Some("2026-11-20T09:30:00")),
            ("2026年11月20日 09:30", Some("2026-11-20T09:30:00")),
            ("Dodano: 20 listopada 2026", Some("2026-11-20")),
            ("Nov. 20, 2026 · An Example on behalf of", Some("2026-11-20")),
            ("The rain of November 20, 2026 was the worst in years", None),
            ("Copyright 2026", None),
        ];
        for (line, expected) in cases {
            check(&format!("<h1>H</h1><div>x</div><div>{line}</div>"), expected, None);
        }
    }

    #[test]
    fn an_element_named_for_a_date_before_another() {
        let html = "<p class=article-date>October 13, 2026</p><h1>H</h1><p>January 6-9, 2027</p>";
        check(html, Some("2026-10-13"), None);
    }

    #[test]
    fn a_line_may_end_at_br() {
        let html = "<h1>H</h1><div>Rain ended in the town.<br>15:19 20.11.2026<br><a href=/p>Print</a></div>";
        check(html, Some("2026-11-20T15:19:00"), None);
    }

    #[test]
    fn changes_are_told_apart() {
        let both = "<h1>H</h1><p>Published: 20/11/2026</p><p>Last updated: 21/11/2026 10:00</p>";
        check(both, Some("2026-11-20"), Some("2026-11-21T10:00:00"));
        for label in ["Updated on", "Cập nhật:", "Ενημέρωση", "Aktualizacja:", "Обновлено", "更新："]
        {
            check(&format!("<h1>H</h1><p>{label} 20/11/2026</p>"), None, Some("2026-11-20"));
        }
        check("<h1>H</h1><p>Updated <time datetime=2026-11-20>x</time></p>", None, Some("2026-11-20"));
    }

    #[test]
    fn two_dates_on_one_line() {
        let both = (Some("2026-11-20T09:30:00+07:00"), Some("2026-11-21T10:00:00+07:00"));
        for line in [
            "20/11/2026 09:30 (GMT+7) Cập nhật 21/11/2026 10:00 (GMT+7)",
            "Đăng lúc 20/11/2026 09:30 GMT +7 | Cập nhật: 21/11/2026 10:00 GMT +7",
            "Last updated 21 Nov 2026 10:00 (GMT+7) First published 20 Nov 2026 09:30 (GMT+7)",
        ] {
            check(&format!("<h1>H</h1><p>{line}</p>"), both.0, both.1);
        }
        check("<h1>H</h1><p>20/11/2026 - 21/11/2026</p>", None, None);
    }

    #[test]
    fn years_of_two_digits_stand_beside_the_headline() {
        check("<h1>H</h1><p>Thứ sáu, 20/11/26 09:30</p>", Some("2026-11-20T09:30:00"), None);
        check("<p>20/11/26</p><h1>H</h1>", None, None);
        check(&format!("<h1>H</h1>{}<p>20/11/26</p>", "<p>x".repeat(20)), None, None);
        check("<p class=date>20/11/26</p>", None, None);
    }

    #[test]
    fn todays_date_is_not_the_articles() {
        let todays = "<div>Friday, 20 November 2026</div><div id=date>21/11/2026</div>";
        let between = "<p>x".repeat(20);
        check(&format!("{todays}{between}<h1>H</h1><p>text"), None, None);
        check("<p>Πέμπτη 20 Νοεμβρίου 2026</p><h1>H</h1><p>text", None, None);
        check("<p>November 20, 2026</p><h1>H</h1><p>text", Some("2026-11-20"), None);
    }

    #[test]
    fn other_articles_dates_are_not_this_ones() {
        let list = "<ul><li>20.11.2026<li>21.11.2026</ul>";
        check(&format!("<h1>H</h1>{}{list}", "<p>x".repeat(20)), None, None);
        check(&format!("<h1>H</h1>{}<p>20.11.2026", "<p>x".repeat(300)), None, None);
        check("<div class=date>20.11.2026</div>", Some("2026-11-20"), None);
        check("<div class=date>20.11.2026</div><div class=date>21.11.2026</div>", None, None);
    }

    #[test]
    fn a_million_times_are_no_matter() {
        let html = format!("<h1>H</h1>{}", "<time>1.1.2026</time>".repeat(100_000));
        check(&html, Some("2026-01-01"), None);
    }
}
