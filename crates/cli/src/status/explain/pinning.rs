//! Finds selectors with which a user can pin a line, and counts the lines that each selector matches.

use std::collections::HashMap;

use gleaner_extract::Pins;
use gleaner_extract::block_model::ClassifiedBlock;
use gleaner_extract::lines::class::LineClass;
use gleaner_html::{NodeId, Page};

use super::why::{escaped, selector};

/// Maximum number of tests per page, which limits the time. Each selector is tested on every node.
const MAX_TESTS: usize = 20_000_000;

/// Maximum number of elements between a line's text and its block for which selectors are suggested.
const MAX_INNER: usize = 4;

const MAX_VALUE_LENGTH: usize = 40;

/// Attributes that are not used, because they differ on each page or because [`selector`] uses them already.
const NOT_PINNED: [&str; 8] = ["alt", "class", "content", "href", "id", "src", "style", "title"];

/// A selector for a line, with the number of lines of the page that it selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suggestion {
    pub(super) selector: String,
    /// Number of selected lines, and number of those that are content. `None` if they were not counted
    /// because the page is too large.
    pub(super) lines: Option<(usize, usize)>,
}

/// Returns the selectors to suggest for each line: the selector that changes the fewest other lines, and the
/// selector of the line's block if it changes more lines.
pub(super) fn suggestions(
    page: &Page,
    blocks: &[ClassifiedBlock],
    is_content: &[bool],
) -> Vec<Vec<Suggestion>> {
    let mut counter = Counter { page, blocks, is_content, known: HashMap::new(), tests: 0 };
    (0..blocks.len()).map(|at| counter.suggest(at)).collect()
}

/// Returns the pin that corrects a line of a class, as in a pins file.
pub(super) fn pin(class: LineClass, selector: &str) -> String {
    let key = if class == LineClass::Content { "drop" } else { "keep" };
    let selector = selector.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{key} = [\"{selector}\"]")
}

struct Counter<'a> {
    page: &'a Page,
    blocks: &'a [ClassifiedBlock],
    is_content: &'a [bool],
    known: HashMap<String, Option<(usize, usize)>>,
    tests: usize,
}

impl Counter<'_> {
    fn suggest(&mut self, at: usize) -> Vec<Suggestion> {
        let block = &self.blocks[at];
        let usual = self.counted(selector(self.page, block.placed.block, 2));
        // A pin changes only the lines that do not yet have the required result.
        let changed = |suggestion: &Suggestion| {
            let (lines, content) = suggestion.lines?;
            Some(if self.is_content[at] { content } else { lines - content })
        };
        let Some(fewest) = changed(&usual).filter(|changed| *changed > 1) else { return vec![usual] };
        let mut all: Vec<Suggestion> =
            narrower(self.page, block).into_iter().map(|written| self.counted(written)).collect();
        all.retain(|one| changed(one).is_some_and(|changed| (1..fewest).contains(&changed)));
        all.sort_by_key(changed);
        all.truncate(1);
        all.push(usual);
        all
    }

    fn counted(&mut self, selector: String) -> Suggestion {
        if let Some(lines) = self.known.get(&selector) {
            return Suggestion { lines: *lines, selector };
        }
        let tests = self.tests + self.page.len();
        let lines = (tests <= MAX_TESTS).then(|| self.count(&selector)).flatten();
        if lines.is_some() {
            self.tests = tests;
        }
        self.known.insert(selector.clone(), lines);
        Suggestion { selector, lines }
    }

    fn count(&self, selector: &str) -> Option<(usize, usize)> {
        let pins = Pins::new("", &[], &[(1, selector)]).ok()?;
        let selected = pins.lines(self.page, self.blocks);
        let selected = selected.iter().zip(self.is_content).filter(|(pin, _)| pin.is_some());
        Some(selected.fold((0, 0), |(lines, content), (_, is)| (lines + 1, content + usize::from(*is))))
    }
}

/// Returns selectors of the elements that contain all text of a line, from its block inwards.
fn narrower(page: &Page, block: &ClassifiedBlock) -> Vec<String> {
    let is_text = |id: &NodeId| page.text(*id).is_some_and(|text| !text.trim().is_empty());
    let mut texts = block.placed.nodes.clone().filter(is_text);
    let Some(first) = texts.next() else { return Vec::new() };
    let last = texts.next_back().unwrap_or(first);
    let mut elements = Vec::new();
    let mut node = page.node(first).parent;
    while node > block.placed.block && page.node(node).parent != node {
        if page.subtree(node).contains(&last) {
            elements.push(node);
        }
        node = page.node(node).parent;
    }
    elements.truncate(MAX_INNER);
    elements.push(block.placed.block);
    elements.reverse();
    let inner = elements
        .iter()
        .skip(1)
        .flat_map(|element| [selector(page, *element, 1), selector(page, *element, 2)]);
    inner.chain(elements.iter().flat_map(|element| by_attributes(page, *element))).collect()
}

fn by_attributes(page: &Page, element: NodeId) -> Vec<String> {
    let tag = escaped(page.tag(element).unwrap_or_default());
    let is_stable = |name: &str, value: &str| {
        let is_short = !value.trim().is_empty() && value.len() <= MAX_VALUE_LENGTH;
        !NOT_PINNED.contains(&name) && is_short && !value.contains(|c: char| c.is_ascii_digit())
    };
    let stable = page.attributes(element).filter(|(name, value)| is_stable(name, value));
    let equal = |(name, value): (&str, &str)| format!("{tag}[{}={}]", escaped(name), quoted(value));
    let target = page.attribute(element, "href").and_then(of_target);
    target.map(|test| format!("{tag}[{test}]")).into_iter().chain(stable.map(equal)).collect()
}

/// Returns an attribute test for links to the same other site, or to the same section of the page's own site.
fn of_target(href: &str) -> Option<String> {
    match href.split_once("//") {
        Some((_, rest)) => {
            let host = rest.split(['/', '?', '#', ':']).next()?.trim_start_matches("www.");
            (!host.is_empty()).then(|| format!("href*={}", quoted(host)))
        }
        None => {
            let (section, _) = href.strip_prefix('/')?.split_once('/')?;
            let is_plain = !section.is_empty() && !section.contains(['?', '#']);
            is_plain.then(|| format!("href^={}", quoted(&format!("/{section}/"))))
        }
    }
}

fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
}

#[cfg(test)]
mod tests {
    use gleaner_extract::block_model::{self, Forest, Split, Tree};

    use super::*;

    fn suggested(html: &str, line: &str) -> Vec<(String, Option<(usize, usize)>)> {
        let page = Page::parse(html);
        let split = Split { feature: 0, left: -1, right: -2, threshold: 0.0 };
        let forest = Forest::new(vec![Tree { splits: vec![split], leaves: vec![2.0, 2.0] }]);
        let blocks = block_model::classify(&page, &forest);
        let at = blocks.iter().position(|block| block.placed.line.text == line).unwrap();
        let all = suggestions(&page, &blocks, &vec![true; blocks.len()]);
        all[at].iter().map(|one| (one.selector.clone(), one.lines)).collect()
    }

    #[test]
    fn the_narrowest_selector_comes_first() {
        let story = |line: &str| format!("<div class=story><p>Rain.</p>{line}<p>Snow.</p></div>");
        let usual = ("div.story > p", 3);
        let cases = [
            ("<p><a href='https://www.twitter.com/x'>Follow</a></p>", ("div.story > p > a", 1), usual),
            (
                "<p><a href='https://www.twitter.com/x'>Follow</a></p><p><a href=/sport/cup>Cup</a></p>",
                ("a[href*='twitter.com']", 1),
                ("div.story > p", 4),
            ),
            (
                "<p><a href=/tag/it\\'s>Follow</a></p><p><a href=/sport/cup>Cup</a></p>",
                ("a[href^='/tag/']", 1),
                ("div.story > p", 4),
            ),
            ("<p><b class=more><i>Follow</i></b></p>", ("b.more", 1), usual),
            ("<p data-component=\"it's\">Follow</p>", (r"p[data-component='it\'s']", 1), usual),
        ];
        for (line, narrowest, usual) in cases {
            let expected = [narrowest, usual].map(|(text, lines)| (text.to_owned(), Some((lines, lines))));
            assert_eq!(suggested(&story(line), "Follow"), expected, "{line}");
        }
        let alone = story("<p class=note data-kind=x>Follow</p>");
        assert_eq!(suggested(&alone, "Follow"), [("div.story > p.note".to_owned(), Some((1, 1)))]);
        let no_other = story("<p>Follow <a href=/tag/x>Ann</a></p>");
        assert_eq!(suggested(&no_other, "Follow Ann"), [("div.story > p".to_owned(), Some((3, 3)))]);
    }

    #[test]
    fn the_time_for_a_large_page_is_limited() {
        let line = |at: usize| format!("<p id=n{at}><a href='//h{at}.example/'>Rain {at}</a></p>");
        let html: String = (0..4_000).map(line).collect();
        assert_eq!(suggested(&html, "Rain 0")[0].1, Some((1, 1)));
        assert_eq!(suggested(&html, "Rain 3999")[0].1, None);
    }
}
