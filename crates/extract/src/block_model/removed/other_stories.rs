//! Finds other stories that follow the page's own story, as on pages that load the next story at their end.
//!
//! A later `<h1>` begins another story if the page's own story has some prose before it, if it is in another element
//! than the page's headline, and if this element is of the same kind as the headline's, or the later `<h1>` is a link.
//! An element whose text is in the JSON-LD `articleBody` belongs to the page's own story.

use std::collections::HashMap;

use gleaner_html::Page;

use super::super::block::Block;
use super::super::hashing::shared;
use super::super::scene::Scene;

/// Minimum number of words of prose of the page's own story, and of another story.
const MIN_PROSE: f32 = 60.0;

/// Maximum number of headings that are examined.
const MAX_HEADINGS: usize = 40;

/// Maximum number of elements above a heading.
const MAX_DEPTH: usize = 200;

/// Minimum share of a paragraph in `articleBody` that makes it a part of the page's own story.
const DECLARED: f32 = 0.5;

impl Scene {
    /// Returns the elements with other stories.
    pub(super) fn other_stories(&self, page: &Page) -> Vec<usize> {
        let is_main = |at: &usize| page.tag(self.elements[self.blocks[*at].element].node) == Some("h1");
        let headings: Vec<usize> = (0..self.blocks.len()).filter(is_main).take(MAX_HEADINGS).collect();
        if headings.len() < 2 {
            return Vec::new();
        }
        let Some(headline) = self.find_headline(page) else { return Vec::new() };
        // For each element around the headline: the element below it that contains the headline.
        let mut around: HashMap<usize, usize> = HashMap::new();
        let mut below = self.blocks[headline].element;
        for at in self.ancestors(below).take(MAX_DEPTH) {
            around.insert(at, below);
            below = at;
        }
        let later = headings.into_iter().filter(|at| *at > headline);
        later.filter_map(|at| self.other_story(page, &around, headline, at)).collect()
    }

    fn other_story(
        &self,
        page: &Page,
        around: &HashMap<usize, usize>,
        headline: usize,
        heading: usize,
    ) -> Option<usize> {
        let block = &self.blocks[heading];
        let mut story = block.element;
        let common = self.ancestors(story).take(MAX_DEPTH).find(|at| {
            let is_common = around.contains_key(at);
            story = if is_common { story } else { *at };
            is_common
        })?;
        let own = around[&common];
        let nodes = page.subtree(self.elements[story].node);
        let is_within = |block: &&Block| nodes.contains(&block.placed.nodes.start);
        let prose = |blocks: &mut dyn Iterator<Item = &Block>| blocks.map(|block| block.prose).sum::<f32>();
        let is_declared =
            |block: &Block| block.prose > 0.0 && shared(&block.words, &self.stated.declared) >= DECLARED;
        let is_alike = self.elements[own].class == self.elements[story].class
            || [own, story].iter().all(|at| page.tag(self.elements[*at].node) == Some("article"));
        let is_other = own != common
            && story != block.element
            && block.text != self.blocks[headline].text
            && (is_alike || block.link_share() > 0.5)
            && prose(&mut self.blocks[headline..heading].iter().filter(|block| !is_within(block)))
                >= MIN_PROSE
            && prose(&mut self.blocks[heading..].iter().take_while(is_within)) >= MIN_PROSE
            && !self.blocks[heading..].iter().take_while(is_within).any(is_declared);
        is_other.then_some(story)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::super::super::scene::Scene;
    use super::super::RemovalReason;

    fn story(number: usize) -> String {
        format!("<p>In village {number}, rain fell for the third day in a row, and the river rose above the old bridge.</p>")
            .repeat(3)
            + &format!("<p>Nobody in village {number} could say when the rain would end, or who would pay for the bridge.</p>")
                .repeat(3)
    }

    fn others(html: &str) -> usize {
        let scene = Scene::new(&Page::parse(&format!("<title>Rain</title>{html}")));
        scene.taken.iter().filter(|(_, reason)| *reason == RemovalReason::OtherStory).count()
    }

    #[test]
    fn a_story_with_its_own_headline_ends_the_pages_story() {
        let (one, two) = (story(1), story(2));
        let next = format!("<article><h1>Snow</h1>{two}</article>");
        let cases = [
            (format!("<article><h1>Rain</h1>{one}</article>{next}"), 7),
            (format!("<article><h1>Rain</h1>{one}</article><div>{next}</div>"), 0),
            (format!("<div class=s><h1>Rain</h1>{one}</div><div class=s><h1>Snow</h1>{two}</div>"), 7),
            (format!("<div><h1>Rain</h1>{one}<section><h1><a href=/s>Snow</a></h1>{two}</section></div>"), 7),
            (
                format!(
                    "<div class=s><h1>Rain</h1>{one}</div><div class=n><h1><a href=/s>Snow</a></h1>{two}</div>"
                ),
                7,
            ),
            (format!("<h1>Rain</h1>{one}<h1>Snow</h1>{two}"), 0),
            (format!("<article><h1>Rain</h1></article>{next}"), 0),
            (format!("<article><h1>Rain</h1>{one}</article><article><h1>Snow</h1><p>It fell.</article>"), 0),
        ];
        for (html, expected) in cases {
            assert_eq!(others(&html), expected, "{html}");
        }
    }

    #[test]
    fn a_text_in_the_declared_body_is_the_pages_own() {
        let body = story(2).replace("<p>", "").replace("</p>", " ");
        let html = format!(
            "<script type='application/ld+json'>{{\"articleBody\": \"{body}\"}}</script>\
             <article><h1>Rain</h1>{}</article><article><h1>Snow</h1>{}</article>",
            story(1),
            story(2)
        );
        assert_eq!(others(&html), 0);
    }
}
