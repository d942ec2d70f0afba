//! Body Text Extraction: finds the range of a page with many words and few tags.
//!
//! There are three methods. [`original`] (Finn and others) uses the uncleaned source and all pairs of tokens,
//! in cubic time. [`improved`] (Phan and Ha) uses the cleaned page and all pairs of runs, in quadratic time.
//! [`linear`] computes the result of `improved` in one pass. The rest of this comment describes `improved`
//! and `linear`. [`shares()`] computes the numbers of the paper's table 1.
//!
//! Phan Thi Ha, Ha Hai Nam: Automatic main text extraction from web pages, Journal of Science and Technology,
//! 2013. It extends A. Finn, N. Kushmerick, B. Smyth: Fact or Fiction, DELOS 2001.
//! * Step 0 cleans the page: it keeps `body`, without the elements in [`BteParams::removed`].
//! * Step 1 converts each tag to 1 and each word to -1, and joins equal neighbours into runs ([`Tokens`], in
//!   the paper the array `encode[]`).
//! * Step 2 finds the range with the largest number of words minus tags.
//! * Step 3 returns the text of this range.
//!
//! [`tokens`] defines the tags of a parsed page. [`improved`] explains our corrections of step 2. A range
//! consists of whole runs, so it never begins or ends inside a word or a text node.
//!
//! The cost of [`extract`] is linear in the page. Known failures: each page has only one range, which
//! includes boxes and related links between the first and the last paragraph. Long comments extend the range.
//! The first or last paragraph is lost if a box separates it from the rest and the box has more tags than the
//! paragraph has words.
//!
//! ```
//! use gleaner_lab::methods::bte;
//! use gleaner_html::Page;
//! let page = Page::parse(
//!     "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
//!      <p>The council met on Monday and agreed on the <b>new</b> bridge.</p>\
//!      <p>Work begins in spring and will take two years, the mayor said.</p>\
//!      <ul><li><a href=/a>About</a><li><a href=/c>Contact</a></ul>");
//! let lines = bte::extract(&page, &bte::BteParams::default());
//! assert_eq!(lines.len(), 2);
//! assert_eq!(lines[0].text, "The council met on Monday and agreed on the new bridge.");
//! ```

pub mod improved;
pub mod linear;
pub mod original;
mod params;
mod shares;
pub mod tokens;

use std::ops::RangeInclusive;

use gleaner_html::text::{Line, is_block, lines};
use gleaner_html::{NodeId, Page};

pub use params::BteParams;
pub use shares::{Shares, shares};
pub use tokens::Tokens;

use gleaner_html::words::has_word;

const NEARBY: usize = 8;

/// Returns the lines of the page's best range. Uses [`linear::extract`], the fastest of the three methods.
#[must_use]
pub fn extract(page: &Page, params: &BteParams) -> Vec<Line> {
    linear::extract(page, params)
}

fn text_of_range(
    page: &Page,
    params: &BteParams,
    tokens: &Tokens,
    best: Option<(usize, usize)>,
) -> Vec<Line> {
    let Some((first, last)) = best else {
        return Vec::new();
    };
    let mut kept = tokens.text_nodes(first, last);
    let Some(begin) = kept.next() else {
        return Vec::new();
    };
    let end = kept.last().unwrap_or(begin);
    let range = with_punctuation(page, begin, end);
    lines(page, 0, |id| match page.tag(id) {
        Some(tag) => !params.removed.iter().any(|removed| removed == tag),
        None => range.contains(&id),
    })
}

/// Extends a range of nodes by text without words on the same line, such as a full stop after a link.
fn with_punctuation(page: &Page, begin: NodeId, end: NodeId) -> RangeInclusive<NodeId> {
    let same_line = |id: &NodeId| match page.tag(*id) {
        Some(tag) => !is_block(tag) && tag != "br",
        None => !page.text(*id).is_some_and(has_word),
    };
    let first = (block_around(page, begin) + 1..begin).rev().take(NEARBY).take_while(same_line).last();
    let behind = page.node(block_around(page, end)).end;
    let last = (end + 1..behind).take(NEARBY).take_while(same_line).last();
    first.unwrap_or(begin)..=last.unwrap_or(end)
}

fn block_around(page: &Page, mut id: NodeId) -> NodeId {
    while page.node(id).parent != id {
        id = page.node(id).parent;
        if page.tag(id).is_some_and(is_block) {
            break;
        }
    }
    id
}
