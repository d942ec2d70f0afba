//! Removes lines from a page before the classification:
//!
//! * lines in a consent dialog, which is an element with a name that consent platforms use;
//! * lines in a box about the author, in a box that asks for a subscription or a donation, or in a box with facts beside
//!   the text, by its name, if it contains less than half of the page's words;
//! * captions by their name (`<p class=image-caption>`), if they are short;
//! * lines of another story that follows the page's own (`other_stories`);
//! * lines that the page repeats, such as placeholders of blocked embeds: a line with at least [`LONG`] words
//!   that occurs at least [`TIMES`] times.
//!
//! An element that contains an `<h1>`, an `<article>` or the `<main>` is never a dialog or a box.

use gleaner_html::Page;

use super::block::Block;
use super::hashing::ByHash;
use super::lexicon::{BY_LINE, CAPTION, CONSENT, OFFER, SIDE, names_box, names_caption, names_fact_box};
use super::scene::{Element, Scene};

mod other_stories;

/// The reason why a line was removed before the classification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalReason {
    /// The site repeats the line ([`super::Repeated`]).
    RepeatedBySite,
    /// The page repeats the line many times, for example as a placeholder of blocked embeds.
    RepeatedOnPage,
    /// The line is part of a consent dialog.
    Consent,
    /// The line is part of a box about the author, of a box that asks for a subscription or a donation, or of a box with
    /// facts beside the text.
    Box,
    /// The line is a caption, by the name of its element.
    Caption,
    /// The line is part of another story that follows the page's own story.
    OtherStory,
}

/// Minimum number of words of a repeated placeholder.
const LONG: usize = 15;

/// Minimum number of equal placeholders that are removed.
const TIMES: usize = 4;

/// Maximum number of words of a caption that is recognized by its name.
const MAX_CAPTION: usize = 60;

impl Scene {
    pub(super) fn take_foreign(&mut self, page: &Page) {
        let around = self.reasons_of_elements(page);
        let mut times: ByHash<usize> = ByHash::default();
        for block in self.blocks.iter().filter(|block| block.words.len() >= LONG) {
            *times.entry(block.text).or_default() += 1;
        }
        let reason = |block: &Block| {
            let repeated = || times.get(&block.text).filter(|times| **times >= TIMES);
            around[block.element]
                .or_else(|| self.is_caption(page, block).then_some(RemovalReason::Caption))
                .or_else(|| repeated().map(|_| RemovalReason::RepeatedOnPage))
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

    /// Returns, for each element, why its lines are removed.
    fn reasons_of_elements(&self, page: &Page) -> Vec<Option<RemovalReason>> {
        let mut reasons = vec![None; self.elements.len()];
        for story in self.other_stories(page) {
            reasons[story] = Some(RemovalReason::OtherStory);
        }
        let is_named = |element: &Element| element.kinds & (CONSENT | OFFER | BY_LINE | SIDE) != 0;
        if self.elements.iter().skip(1).any(is_named) {
            let named = self.named_boxes(page);
            reasons.iter_mut().zip(named).for_each(|(reason, named)| *reason = reason.or(named));
        }
        for at in 1..self.elements.len() {
            reasons[at] = reasons[at].or(reasons[self.elements[at].parent]);
        }
        reasons
    }

    /// Returns the dialogs and boxes by their names.
    fn named_boxes(&self, page: &Page) -> Vec<Option<RemovalReason>> {
        let size = self.elements.len();
        let (mut holds_article, mut words) = (vec![false; size], vec![0; size]);
        self.blocks.iter().for_each(|block| words[block.element] += block.words.len());
        for at in (1..size).rev() {
            let Element { node, parent, .. } = self.elements[at];
            holds_article[at] |= matches!(page.tag(node), Some("body" | "main" | "article" | "h1"));
            holds_article[parent] |= holds_article[at];
            words[parent] += words[at];
        }
        let reason = |at: usize| {
            let Element { node, kinds, .. } = self.elements[at];
            let is_named = |kind: u32, is_name: fn(&str) -> bool| {
                kinds & kind != 0 && page.class_and_id(node).iter().any(|names| is_name(names))
            };
            let is_box = || {
                2 * words[at] < words[0]
                    && (is_named(OFFER | BY_LINE, names_box) || is_named(SIDE, names_fact_box))
            };
            match at == 0 || holds_article[at] {
                true => None,
                false if kinds & CONSENT != 0 => Some(RemovalReason::Consent),
                false => is_box().then_some(RemovalReason::Box),
            }
        };
        (0..size).map(reason).collect()
    }

    fn is_caption(&self, page: &Page, block: &Block) -> bool {
        let Element { node, kinds, .. } = self.elements[block.element];
        kinds & CAPTION != 0
            && block.words.len() <= MAX_CAPTION
            && page.class_and_id(node).iter().any(|names| names_caption(names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAGRAPH: &str =
        "<p>Rain fell on the valley for the third day in a row, and the river rose above it.</p>";

    fn removed(html: &str) -> Vec<RemovalReason> {
        let page = Page::parse(&format!("<h1>Rain</h1>{}{html}", PARAGRAPH.repeat(3)));
        Scene::new(&page).taken.into_iter().map(|(_, reason)| reason).collect()
    }

    #[test]
    fn boxes_are_removed_by_their_names() {
        let cases: [(&str, &[RemovalReason]); 9] = [
            ("<div class=paper-factbox><h4>Facts</h4><p>It rained.</div>", &[RemovalReason::Box; 2]),
            ("<div class=box><h4>Facts</h4><p>It rained.</div>", &[]),
            ("<div class=author-box><h4>About Ann</h4><p>Ann writes.</div>", &[RemovalReason::Box; 2]),
            ("<div class='c supporter-box'><p>Support us.</div>", &[RemovalReason::Box]),
            ("<div class=author-info><p>By Ann</div>", &[]),
            ("<div class=author-box><h1>Rain</h1></div>", &[]),
            ("<p class=image-caption>A bridge.", &[RemovalReason::Caption]),
            ("<p class=image-credit-wrap><span>A bridge.</span>", &[RemovalReason::Caption]),
            ("<div class=image-with-text><p>A bridge.</div>", &[]),
        ];
        for (html, expected) in cases {
            assert_eq!(removed(html), expected, "{html}");
        }
        let most = format!("<div class=author-bio>{}</div>", PARAGRAPH.repeat(9));
        assert_eq!(removed(&most.replace("third", "fourth")).len(), 9);
        assert!(removed(&most.replace("third", "fifth")).iter().all(|reason| *reason != RemovalReason::Box));
    }
}
