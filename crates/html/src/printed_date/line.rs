//! Reads lines of text that may be dates.

use std::ops::Range;

use super::{BESIDE, has_publication_label};
use crate::class_words::ClassWords;
use crate::date::{PartialDateTime, Reader, latin_digits};
use crate::small_text::{MAX_BYTES, SmallText, digits};
use crate::text::tidy;
use crate::{NodeId, Page};

pub(super) const MAX_LINE_LENGTH: usize = 200;

const MIN_DIGITS: usize = 5;
/// Minimum number of digits of a Japanese date with an era year: `令和元年5月1日`.
pub(super) const MIN_WITH_UNITS: usize = 2;

/// Maximum number of other words on a date's line.
const MAX_WORDS: usize = 6;

/// A line with a full stop and at least this number of other words is a sentence.
const SENTENCE: usize = 3;

/// Counts the digits in a range of nodes, so that elements without a date can be skipped quickly.
pub(super) struct Digits {
    from: NodeId,
    /// The number of digits before each node of the range, and before the node after the range.
    before: Vec<usize>,
}

impl Digits {
    pub(super) fn new(page: &Page, nodes: Range<NodeId>) -> Self {
        let from = nodes.start;
        let mut before = Vec::with_capacity(nodes.len() + 1);
        before.push(0);
        let mut sum = 0;
        for id in nodes {
            // The elements around a long text are too large to be read.
            let is_read = |text: &&str| text.len() < MAX_BYTES && !page.is_never_text(page.node(id).parent);
            sum += page.text(id).filter(is_read).map_or(0, digits);
            before.push(sum);
        }
        Self { from, before }
    }

    /// Returns the number of digits in a node. If the node ends outside the range, returns the maximum.
    pub(super) fn within(&self, page: &Page, id: NodeId) -> usize {
        let (at, end) = (id - self.from, page.node(id).end - self.from);
        match self.before.get(end as usize) {
            Some(behind) => behind - self.before[at as usize],
            None => usize::MAX,
        }
    }
}

pub(super) fn is_copyright(text: &str) -> bool {
    static WORD: ClassWords = ClassWords::new(&["copyright"]);
    text.contains('©') || text.contains("(c)") || text.contains("(C)") || WORD.is_in(text)
}

/// Returns a small element's text. Returns `None` if it is too long or has too few digits for a date.
pub(super) fn line(page: &Page, id: NodeId) -> Option<String> {
    let never = |id| page.is_never_text(id) || page.tag(id).is_some_and(|tag| matches!(tag, "a" | "time"));
    if page.tag(id).is_some() {
        let small = if never(id) { None } else { SmallText::from_element(page, id) };
        let text = small.filter(|small| small.digits() >= MIN_WITH_UNITS)?.text();
        return has_enough_digits(&text).then(|| latin_digits(text));
    }
    let text = page.text(id).filter(|text| text.len() < 200 && has_enough_digits(text))?;
    (!never(page.node(id).parent)).then(|| latin_digits(tidy(text)))
}

/// Returns the date in the sentence that blog systems write: `This entry was posted on 20 November 2026 and is
/// filed under Rain.`
fn without_sentence(text: &str) -> &str {
    let rest = [" was posted ", " wurde am "].iter().find_map(|begin| Some(text.split_once(begin)?.1));
    let Some(rest) = rest.filter(|_| has_publication_label(text)) else { return text };
    rest.split_once(" and is filed ").map_or(rest.trim_end_matches('.'), |(date, _)| date)
}

fn has_enough_digits(text: &str) -> bool {
    let digits = digits(text);
    digits >= MIN_DIGITS || digits >= MIN_WITH_UNITS && text.contains('年') && text.contains('日')
}

pub(super) fn years(text: &str) -> usize {
    let is_year = |run: &&str| run.len() == 4 && (run.starts_with("19") || run.starts_with("20"));
    text.split(|c: char| !c.is_ascii_digit()).filter(is_year).count()
}

pub(super) fn of_line(text: &str, reader: &Reader) -> Option<PartialDateTime> {
    let text = without_sentence(text);
    // If a text has two dates, it is unclear which one counts.
    (is_short(text) && years(text) <= 1).then(|| reader.moment(text)).flatten()
}

/// Returns a date with a two-digit year. The date must follow the headline directly, or have a time of day
/// and an element with a label, class or id for a date.
pub(super) fn short_date_of_line(
    text: &str,
    id: NodeId,
    headline: Option<NodeId>,
    is_named: bool,
    reader: &Reader,
) -> Option<PartialDateTime> {
    let is_beside = headline.is_some_and(|headline| id >= headline && id - headline <= BESIDE);
    let is_date = (is_beside || is_named) && years(text) == 0 && is_short(text);
    is_date.then(|| reader.short_date(text)).flatten().filter(|date| is_beside || date.time.is_some())
}

pub(super) fn is_short(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if text.len() > MAX_LINE_LENGTH || digits > 24 || !has_enough_digits(text) {
        return false;
    }
    let is_beside =
        |word: &&str| word.chars().any(char::is_alphabetic) && crate::month_names::month(word).is_none();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let beside = words.filter(is_beside).take(MAX_WORDS + 1).count();
    let ends_sentence = text.ends_with('.') && text[..text.len() - 1].ends_with(|c: char| c.is_ascii_digit());
    beside <= MAX_WORDS && !(ends_sentence && beside >= SENTENCE && !has_publication_label(text))
}

pub(super) fn is_date_alone(text: &str) -> bool {
    let text = text.trim();
    let is_number = |part: &str| part.trim_end_matches(char::is_alphabetic).parse::<u16>().is_ok();
    let mut parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    text.len() < 40 && digits(text) >= MIN_DIGITS && {
        let is_part = |part: &str| is_number(part) || crate::month_names::month(part).is_some();
        parts.by_ref().take(4).all(is_part) && parts.next().is_none()
    }
}
