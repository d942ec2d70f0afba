//! Decides about the lines of a page by what its site's template knows about them ([`super::extraction`], steps 1 to 3).

use gleaner_html::Page;
use gleaner_html::text::LineKind;

use crate::block_model::{ClassifiedBlock, MAX_LOG_ODDS, Reason};
use crate::lines::context::BETWEEN;

/// Minimum number of words of body text that the template finds on a page that it knows.
const MIN_WORDS: u32 = 30;

/// The log-odds of a line that is unlikely to be body text.
const UNLIKELY: f32 = -3.0;

/// A line with fewer words at an unknown DOM path is not body text.
const MIN_UNKNOWN_WORDS: u32 = 4;

/// A line with fewer words that is not between the first and the last decided line of body text is not body text.
pub(crate) const MIN_OUTSIDE_WORDS: u32 = 16;

/// Like `MIN_OUTSIDE_WORDS`, for the last few lines before the body text, where the lead stands.
const MIN_LEAD_WORDS: u32 = 8;

/// The number of lines before the body text that may be a lead.
const LEAD_LINES: usize = 6;

/// The model decides about the open lines if it would probably change at least this share of the words of the text.
const MAX_DOUBT: f32 = 0.005;

/// The probability that a line at an unknown DOM path is body text, although nothing speaks for it.
const UNKNOWN_DOUBT: f32 = 0.3;

/// What the DOM paths decide about the lines of a page.
pub(crate) enum Decided {
    /// All lines are decided, except those of which the numbers are listed.
    Known(Vec<usize>),
    /// The template does not know the page.
    Unknown,
}

/// Decides about the lines of a page, which are in page order, and sets their log-odds and reasons.
pub(crate) fn decide(page: &Page, blocks: &mut [ClassifiedBlock]) -> Decided {
    for block in blocks.iter_mut() {
        let path = block.path.filter(|path| path.decision().is_some());
        (block.log_odds, block.reason) = match (block.removed, path) {
            (Some(_), _) => (-MAX_LOG_ODDS, Reason::Removed),
            (None, Some(path)) => (path.mean, Reason::Path),
            (None, None) => continue,
        };
    }
    let content: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at].is_content()).collect();
    let words: u32 = content.iter().map(|at| blocks[*at].words).sum();
    let (Some(first), Some(last)) = (content.first(), content.last()) else { return Decided::Unknown };
    if words < MIN_WORDS {
        return Decided::Unknown;
    }
    let within = blocks[*first].placed.nodes.start..blocks[*last].placed.nodes.start;
    if page.elements("h1").any(|heading| within.contains(&heading)) {
        return Decided::Unknown;
    }
    add_between(page, blocks, &content);
    let mut open = Vec::new();
    for (at, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.reason == Reason::Model) {
        let least = match at {
            at if (*first..=*last).contains(&at) => 0,
            at if at < *first && at + LEAD_LINES >= *first => MIN_LEAD_WORDS,
            _ => MIN_OUTSIDE_WORDS,
        };
        let least =
            if block.path.is_none_or(|path| path.pages == 0) { least.max(MIN_UNKNOWN_WORDS) } else { least };
        let is_promising = block.path.is_some_and(|path| path.mean > 0.0);
        if block.is_link() || block.words < least && !is_promising {
            (block.log_odds, block.reason) = (UNLIKELY, Reason::Unlikely);
        } else {
            open.push(at);
        }
    }
    if is_negligible(&open, blocks, words) {
        for at in open.drain(..) {
            let block = &mut blocks[at];
            (block.log_odds, block.reason) =
                block.path.map_or((UNLIKELY, Reason::Unlikely), |path| (path.mean, Reason::Path));
        }
    }
    Decided::Known(open)
}

/// Whether the model would hardly change the text, which has `words` words, by what it says about the open lines.
fn is_negligible(open: &[usize], blocks: &[ClassifiedBlock], words: u32) -> bool {
    let doubt = |block: &ClassifiedBlock| block.path.map_or(UNKNOWN_DOUBT, |path| path.doubt());
    let doubtful: f32 = open.iter().map(|at| blocks[*at].words as f32 * doubt(&blocks[*at])).sum();
    doubtful < MAX_DOUBT * words as f32
}

/// Marks the undecided lines between two lines of body text with the same parent element as body text.
fn add_between(page: &Page, blocks: &mut [ClassifiedBlock], content: &[usize]) {
    let around = |block: &ClassifiedBlock| page.node(block.placed.block).parent;
    for pair in content.windows(2) {
        let parent = around(&blocks[pair[0]]);
        if parent != around(&blocks[pair[1]]) {
            continue;
        }
        let within = page.subtree(parent);
        for block in &mut blocks[pair[0] + 1..pair[1]] {
            let may_be = block.placed.line.kind != LineKind::Caption && !block.is_link();
            if block.reason == Reason::Model && may_be && within.contains(&block.placed.block) {
                (block.log_odds, block.reason) = (BETWEEN, Reason::Between);
            }
        }
    }
}
