//! The text of small elements (dates, names, labels), and what they stand in.

use crate::text::{never_text, tidy};
use crate::{NodeId, Page};

/// Nodes and bytes of the largest element that is read.
const MOST_NODES: usize = 20;
const MOST_BYTES: usize = 400;

/// Ancestors that are asked for: what is nested deeper is no page of people.
const MOST_ANCESTORS: usize = 100;

/// An element and what it stands in, from the inside out; the nearest of many.
pub(crate) fn ancestors(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = |id: &NodeId| Some(page.node(*id).parent).filter(|parent| parent != id);
    std::iter::successors(Some(id), parent).take(MOST_ANCESTORS)
}

/// The text of a small subtree on one line, its parts parted by a space; `None` if it
/// is larger than any date or name, or a script.
pub(crate) fn small_text(page: &Page, id: NodeId) -> Option<String> {
    let range = page.subtree(id);
    if range.len() > MOST_NODES || page.tag(id).is_none_or(never_text) {
        return None;
    }
    let text: Vec<&str> = range
        .filter(|n| !page.tag(page.node(*n).parent).is_some_and(never_text))
        .filter_map(|n| page.text(n))
        .collect();
    (text.iter().map(|t| t.len()).sum::<usize>() < MOST_BYTES).then(|| tidy(&text.join(" ")))
}
