//! Finds the date that a page prints next to its headline, for pages that declare no date.
//!
//! A line with a date counts if it contains little else: a weekday, a label (`Published`, `Ngày đăng`,
//! `Опубликовано`), a name. So does the sentence that blog systems write (`This entry was posted on ...`). If
//! there are several dates, dates with a time of day are preferred, then dates in elements with a class or id
//! for a date, then dates after the headline, then the nearest date. A date with a label such as `Updated` is
//! the date of the last change.
//!
//! If no date is near the headline, the page after the headline is searched for lines that have a label, or a
//! class or id for a date. On a page without a headline, lines that contain only a date are searched last,
//! and used only if all of them have the same day.
//!
//! Dates in the headline, comments, other stories, footers, copyright lines and clocks in page headers are
//! ignored.
//!
//! Limitation: most sites print today's date above the headline. Therefore a day above the headline counts
//! only if it is close to the headline and has no weekday, or if it is the only date in an element with a
//! class or id for a date. A date with a weekday above the `article` or `main` that contains the headline
//! never counts. Two dates on one line without labels are not read, because they may be the days of an event.
//! Relative dates (`2 hours ago`) are not read. If the whole page is searched, only the first 500 lines are
//! read.

mod labels;
mod line;
mod others;

use std::ops::Range;

use jiff::civil::Date;

use crate::class_words::ClassWords;
use crate::date::{PartialDateTime, Reader};
use crate::small_text::{ancestors, digits, small_text};
use crate::weekdays::has_weekday;
use crate::{NodeId, Page};
use labels::split_parts;
pub(crate) use labels::{has_publication_label, is_change};
use line::{
    Digits, MIN_WITH_UNITS, is_copyright, is_date_alone, is_short, line, of_line, short_date_of_line,
};
pub(crate) use others::is_aside;
use others::{is_of_others, is_todays};

/// Maximum distance in nodes from the headline. `TIME_REACH` is for a `<time>`, and `PRINTED_REACH` for any
/// other date.
const TIME_REACH: u32 = 400;
const PRINTED_REACH: u32 = 150;

/// Maximum distance in nodes from the headline for a date in a list, because a by-line may be a list.
const BESIDE: u32 = 20;

/// Maximum number of lines to read, and maximum number of `<time>`s to read.
const MAX_LINES: usize = 500;

/// Maximum length in bytes of a `title` that is a date.
const MAX_TITLE_LENGTH: usize = 50;

/// Attributes with the date of an element. A Unix time is read in all of them.
const DATE_ATTRIBUTES: [&str; 3] = ["datetime", "title", "data-timestamp"];

struct DateCandidate {
    id: NodeId,
    date: PartialDateTime,
    /// Whether the element is a `<time>`, has a class or id for a date, or has a label in its text.
    is_named: bool,
    is_labelled: bool,
    is_change: bool,
    /// Whether the date may be today's date.
    is_doubtful: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PrintedDate {
    /// Date with a label for the publication.
    pub(crate) labelled: Option<PartialDateTime>,
    pub(crate) published: Option<PartialDateTime>,
    /// A date that stands beside the headline, or has a label and is near.
    pub(crate) beside: Option<PartialDateTime>,
    /// A date that may be today's.
    pub(crate) doubtful: Option<PartialDateTime>,
    pub(crate) modified: Option<PartialDateTime>,
}

pub(crate) fn printed(page: &Page, headline: Option<NodeId>, reader: &Reader) -> PrintedDate {
    let mut out = PrintedDate::default();
    out.add(&times(page, headline, reader), headline, reader);
    if let Some(headline) = headline {
        let near = headline.saturating_sub(PRINTED_REACH)..headline + PRINTED_REACH;
        out.add(&lines(page, near, Some(headline), reader), Some(headline), reader);
    }
    if out.labelled.or(out.published).or(out.doubtful).is_none() {
        let mut found = lines(page, headline.unwrap_or(0)..NodeId::MAX, None, reader);
        if headline.is_some() || found.iter().any(|found| found.is_named) {
            found.retain(|found| found.is_named);
        }
        out.add(&found, None, reader);
    }
    // A label may be next to an element that states the same day with a time. Then this time is used.
    let timed = out.published.filter(|it| it.time.is_some());
    let same_day =
        |labelled: &PartialDateTime| timed.filter(|it| labelled.time.is_none() && it.day == labelled.day);
    out.labelled = out.labelled.map(|labelled| same_day(&labelled).unwrap_or(labelled));
    out
}

impl PrintedDate {
    fn add(&mut self, found: &[DateCandidate], headline: Option<NodeId>, reader: &Reader) {
        let nearest = |is: &dyn Fn(&DateCandidate) -> bool| {
            let possible = found.iter().filter(|found| is(found) && reader.is_possible(&found.date));
            nearest(possible, headline, reader.address)
        };
        self.labelled = self.labelled.or_else(|| nearest(&|found| found.is_labelled && !found.is_change));
        let is_beside = |found: &DateCandidate| {
            headline.is_some_and(|at| found.is_labelled || at.abs_diff(found.id) <= BESIDE)
        };
        self.beside = self
            .beside
            .or_else(|| nearest(&|found| !found.is_change && !found.is_doubtful && is_beside(found)));
        self.published = self.published.or_else(|| nearest(&|found| !found.is_change && !found.is_doubtful));
        self.doubtful = self.doubtful.or_else(|| nearest(&|found| !found.is_change && found.is_doubtful));
        self.modified = self.modified.or_else(|| nearest(&|found| found.is_change));
    }
}

fn nearest<'a>(
    found: impl Iterator<Item = &'a DateCandidate>,
    headline: Option<NodeId>,
    address: Option<Date>,
) -> Option<PartialDateTime> {
    let found: Vec<&DateCandidate> = found.collect();
    let first = found.first()?;
    match headline {
        Some(headline) => {
            let is_elsewhere = |f: &DateCandidate| address.is_some_and(|day| day != f.date.day);
            let rank = |f: &&&DateCandidate| {
                let far = headline.abs_diff(f.id);
                (is_elsewhere(f), f.date.time.is_none(), !f.is_named, f.id < headline, far)
            };
            found.iter().min_by_key(rank).map(|f| f.date)
        }
        None => found.iter().all(|f| f.date.day == first.date.day).then_some(first.date),
    }
}

fn times(page: &Page, headline: Option<NodeId>, reader: &Reader) -> Vec<DateCandidate> {
    let is_near = |id: &NodeId| headline.is_none_or(|headline| headline.abs_diff(*id) <= TIME_REACH);
    let found = |id| {
        let text = small_text(page, id).unwrap_or_default();
        let stated = DATE_ATTRIBUTES.iter().find_map(|name| page.attribute(id, name));
        let date = stated.and_then(|text| reader.moment(text)).or_else(|| reader.moment(&text))?;
        let label = around(page, id).filter(|text| text.chars().any(char::is_alphabetic));
        let said = label.as_deref().unwrap_or(&text);
        let is_labelled = has_publication_label(said);
        let is_change = is_change(said) || !is_labelled && is_named_for_a_change(page, id);
        let is_read = is_labelled || !is_todays(page, id, &text, headline);
        is_read.then_some(DateCandidate {
            id,
            date,
            is_named: true,
            is_labelled,
            is_change,
            is_doubtful: false,
        })
    };
    let abbreviations = page.elements("abbr").filter(|id| is_named_for_a_date(page, *id));
    let all = page.elements("time").chain(abbreviations).filter(is_near).chain(stamped(page, headline));
    all.filter(|id| !is_of_others(page, *id, headline)).take(MAX_LINES).filter_map(found).collect()
}

/// Returns the elements near the headline that have a date in `data-timestamp`, and those directly after it that
/// have one in `title`, such as `<span title="20 November 2026">2 days ago</span>`.
fn stamped(page: &Page, headline: Option<NodeId>) -> impl Iterator<Item = NodeId> {
    let near = headline.map_or(0..0, |headline| {
        headline.saturating_sub(PRINTED_REACH)..(headline + PRINTED_REACH).min(page.len() as NodeId)
    });
    let is_one = move |id: &NodeId| {
        let is_beside = headline.is_some_and(|headline| (headline..=headline + BESIDE).contains(id));
        let is_number = |title: &str| title.bytes().all(|b| b.is_ascii_digit());
        let is_title =
            |title: &str| is_beside && title.len() < MAX_TITLE_LENGTH && is_short(title) && !is_number(title);
        !matches!(page.tag(*id), None | Some("time" | "abbr" | "img"))
            && (page.attribute(*id, "data-timestamp").is_some()
                || page.attribute(*id, "title").is_some_and(is_title))
    };
    near.filter(is_one)
}

fn around(page: &Page, id: NodeId) -> Option<String> {
    let parent = Some(page.node(id).parent).filter(|parent| id - parent <= 20)?;
    let before: Vec<&str> = (parent..id).filter_map(|n| page.text(n)).collect();
    (before.iter().map(|text| text.len()).sum::<usize>() < 200).then(|| before.concat())
}

/// Returns the dates in a range of nodes. If the page has no headline, a line counts only if it has a label,
/// has a class or id for a date, or contains only a date.
fn lines(page: &Page, nodes: Range<NodeId>, headline: Option<NodeId>, reader: &Reader) -> Vec<DateCandidate> {
    let nodes = nodes.start..nodes.end.min(page.len() as NodeId);
    let is_label = |id: NodeId| nodes.contains(&id) && page.text(id).is_some_and(has_publication_label);
    let digits = Digits::new(page, nodes.clone());
    let may_be_read = |id: &NodeId| {
        if digits.within(page, *id) < MIN_WITH_UNITS {
            return false;
        }
        headline.is_some()
            || is_named_for_a_date(page, *id)
            || is_label(*id)
            || is_label(*id + 1)
            || page.text(*id).is_some_and(is_date_alone)
    };
    let mut out = Vec::new();
    let mut behind = 0;
    for id in nodes.clone().filter(may_be_read).take(MAX_LINES) {
        if id < behind {
            continue;
        }
        let Some(text) = line(page, id).filter(|text| !is_copyright(text)) else { continue };
        let found = dates_of_line(page, id, &text, headline, reader);
        if !found.is_empty() && is_of_article(page, id, headline) {
            out.extend(found);
            behind = page.node(id).end;
        }
    }
    out
}

fn dates_of_line(
    page: &Page,
    id: NodeId,
    text: &str,
    headline: Option<NodeId>,
    reader: &Reader,
) -> Vec<DateCandidate> {
    let is_by_name = is_named_for_a_date(page, id);
    let is_change_by_name = is_named_for_a_change(page, id);
    let has_labelled_text = || page.subtree(id).any(|id| page.text(id).is_some_and(has_publication_label));
    let found = |part: &str| {
        let is_labelled = has_publication_label(part) || has_labelled_text();
        let is_named = is_by_name || is_labelled || has_publication_label(text);
        let date =
            of_line(part, reader).or_else(|| short_date_of_line(part, id, headline, is_named, reader))?;
        if !is_labelled && is_todays(page, id, text, headline) {
            return None;
        }
        let is_doubtful = !is_labelled && !is_plausible(page, id, text, date, headline);
        let is_beside = headline.is_some_and(|headline| headline.abs_diff(id) <= BESIDE);
        let is_change = is_change(part) || !is_labelled && is_change_by_name;
        let found = DateCandidate { id, date, is_named, is_labelled, is_change, is_doubtful };
        (!is_doubtful || is_named && is_beside).then_some(found)
    };
    split_parts(text).into_iter().filter_map(found).collect()
}

/// Whether the digits in a small element can be the date of the article: none of them belongs to the
/// headline, to other parts of the page, or to today's date.
fn is_of_article(page: &Page, id: NodeId, headline: Option<NodeId>) -> bool {
    let mut texts = page.subtree(id).filter_map(|id| Some((id, page.text(id).filter(|it| digits(it) > 0)?)));
    texts.all(|(id, text)| {
        !is_in_headline(page, id, headline)
            && !is_of_others(page, id, headline)
            && (has_publication_label(text) || !is_todays(page, id, text, headline))
    })
}

/// Whether a text belongs to the headline. A text inside the headline element does not belong to it if an
/// element around the text has a class or id for a date.
fn is_in_headline(page: &Page, id: NodeId, headline: Option<NodeId>) -> bool {
    let Some(headline) = headline.filter(|headline| page.subtree(*headline).contains(&id)) else {
        return false;
    };
    !ancestors(page, id).take_while(|at| *at != headline).any(|at| is_named_for_a_date(page, at))
}

/// Whether a date is likely to be the article's. Rejects dates in lists, and today's date above the headline.
fn is_plausible(
    page: &Page,
    id: NodeId,
    text: &str,
    date: PartialDateTime,
    headline: Option<NodeId>,
) -> bool {
    let Some(headline) = headline else { return !is_aside(page, id) };
    let far = headline.abs_diff(id);
    if far > BESIDE && is_aside(page, id) {
        return false;
    }
    // Content of the headline element itself counts as after the headline.
    if id >= headline || date.time.is_some() {
        return true;
    }
    far <= BESIDE && !has_weekday(text)
}

fn is_named_for_a_date(page: &Page, id: NodeId) -> bool {
    static WORDS: ClassWords = ClassWords::new(&["date", "time", "publish", "posted", "ngay"]);
    WORDS.are_in_names_of(page, id)
}

/// Whether the class or id of an element or its parent indicates the last change, such as `updated`.
fn is_named_for_a_change(page: &Page, id: NodeId) -> bool {
    static CHANGE: ClassWords = ClassWords::new(&["update", "modif", "capnhat", "cap-nhat"]);
    static PUBLICATION: ClassWords = ClassWords::new(&["publish", "created", "posted"]);
    let parent = page.node(id).parent;
    let is_alone = page.subtree(parent).len() <= 6 && !matches!(page.tag(parent), Some("html" | "body"));
    [Some(id), Some(parent).filter(|_| is_alone)]
        .into_iter()
        .flatten()
        .any(|at| CHANGE.are_in_names_of(page, at) && !PUBLICATION.are_in_names_of(page, at))
}

#[cfg(test)]
mod tests;
