//! Removes lines from a page before the classification:
//!
//! * lines in a consent dialog, which is an element with a name that consent platforms use. An element that
//!   contains an `<h1>`, an `<article>` or the `<main>` is never a dialog;
//! * lines that the page repeats, such as placeholders of blocked embeds: a line with at least [`LONG`] words
//!   that occurs at least [`TIMES`] times.

use std::collections::HashSet;

use gleaner_html::Page;

use super::block::Block;
use super::hashing::ByHash;
use super::lexicon::CONSENT;
use super::scene::{Element, Scene};

/// The reason why a line was removed before the classification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalReason {
    /// The site repeats the line ([`super::Repeated`]).
    RepeatedBySite,
    /// The page repeats the line many times, for example as a placeholder of blocked embeds.
    RepeatedOnPage,
    /// The line is part of a consent dialog.
    Consent,
}

/// Minimum number of words of a repeated placeholder.
const LONG: usize = 15;

/// Minimum number of equal placeholders that are removed.
const TIMES: usize = 4;

impl Scene {
    pub(super) fn take_foreign(&mut self, page: &Page) {
        let dialogs = self.dialogs(page);
        let mut times: ByHash<usize> = ByHash::default();
        for block in self.blocks.iter().filter(|block| block.words.len() >= LONG) {
            *times.entry(block.text).or_default() += 1;
        }
        let reason = |block: &Block| {
            if dialogs.contains(&block.element) {
                return Some(RemovalReason::Consent);
            }
            times.get(&block.text).filter(|times| **times >= TIMES).map(|_| RemovalReason::RepeatedOnPage)
        };
        let reasons: Vec<Option<RemovalReason>> = self.blocks.iter().map(reason).collect();
        if reasons.iter().all(Option::is_none) {
            return;
        }
        for (block, reason) in std::mem::take(&mut self.blocks).into_iter().zip(reasons) {
            match reason {
                None => self.blocks.push(block),
                Some(reason) => self.taken.push((block, reason)),
            }
        }
    }

    fn dialogs(&self, page: &Page) -> HashSet<usize> {
        let named = |at: &usize| self.elements[*at].kinds & CONSENT != 0;
        if !(1..self.elements.len()).any(|at| named(&at)) {
            return HashSet::new();
        }
        let mut holds_article = vec![false; self.elements.len()];
        let mut within = holds_article.clone();
        for at in (1..self.elements.len()).rev() {
            let Element { node, parent, .. } = self.elements[at];
            holds_article[at] |= matches!(page.tag(node), Some("body" | "main" | "article" | "h1"));
            holds_article[parent] |= holds_article[at];
        }
        for at in 1..self.elements.len() {
            within[at] = within[self.elements[at].parent] || named(&at) && !holds_article[at];
        }
        self.blocks.iter().map(|block| block.element).filter(|at| within[*at]).collect()
    }
}
