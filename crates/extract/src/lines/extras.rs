//! Finds the parts of a page that are stored in addition to its text: comments, captions and links.
//!
//! Comments are the lines of the class comment ([`crate::lines::class`]) anywhere on the page, except headings,
//! forms and lines that are mostly links, such as names and buttons. Captions are the captions that
//! [`crate::lines::inserts`] would include. Links are the links in lines of body text. A link that spans several
//! lines is counted once.
//!
//! Limitation: comments that a script loads are not found. Names and times between comments are stored as
//! comments unless they are links.

use std::collections::HashSet;

use gleaner_corpus::{Extra, Extras, Insert};
use gleaner_html::links::anchor_text;
use gleaner_html::text::LineKind;
use gleaner_html::{NodeId, Page};

use crate::block_model::ClassifiedBlock;
use crate::lines::class::{LineClass, MOSTLY_LINKS, classify};
use crate::lines::inserts;

/// The number of elements around a text in which a link or a form is searched.
const REACH: usize = 12;

const MOST_LINKS: usize = 1000;

pub(crate) fn find(page: &Page, blocks: &[ClassifiedBlock], wanted: &[Extra]) -> Extras {
    let mut extras = Extras::default();
    let text = |block: &ClassifiedBlock| block.placed.line.text.clone();
    if wanted.contains(&Extra::Comments) {
        extras.comments = comments(page, blocks);
    }
    if wanted.contains(&Extra::Captions) {
        let captions = inserts::find(page, blocks, &[Insert::Captions], |_| true);
        let captions = blocks.iter().zip(captions).filter(|(_, insert)| insert.is_some());
        extras.captions = captions.map(|(block, _)| text(block)).collect();
    }
    if wanted.contains(&Extra::Links) {
        (extras.links, extras.link_texts) = links(page, blocks).into_iter().unzip();
    }
    extras
}

/// Returns the lines in comment elements that a reader may have written. Such a line contains a letter, is
/// not mostly links, is not a heading and is not part of a form.
fn comments(page: &Page, blocks: &[ClassifiedBlock]) -> Vec<String> {
    let content = blocks.iter().filter(|block| block.is_content());
    let content: Vec<NodeId> = content.map(|block| block.placed.nodes.start).collect();
    let is_said = |block: &ClassifiedBlock| {
        let line = &block.placed.line;
        line.kind != LineKind::Heading
            && line.text.contains(char::is_alphabetic)
            && block.link_share < MOSTLY_LINKS
            && !around(page, block.placed.nodes.start).any(|node| is_form(page, node, &content))
    };
    let classes = blocks.iter().zip(classify(page, blocks));
    let comments = classes.filter(|(block, named)| named.class == LineClass::Comment && is_said(block));
    comments.map(|(block, _)| block.placed.line.text.clone()).collect()
}

/// Whether an element is a form or a part of a form. A form that contains body text does not count, because
/// on some old sites a form contains the whole page. `content` has the first node of each line of body text,
/// in page order.
fn is_form(page: &Page, element: NodeId, content: &[NodeId]) -> bool {
    let within = page.subtree(element);
    let next = content.partition_point(|node| *node < within.start);
    matches!(page.tag(element), Some("form" | "label" | "fieldset" | "button"))
        && content.get(next).is_none_or(|node| *node >= within.end)
}

fn around(page: &Page, node: NodeId) -> impl Iterator<Item = NodeId> {
    page.ancestors(node).take(REACH)
}

fn links(page: &Page, blocks: &[ClassifiedBlock]) -> Vec<(String, String)> {
    let (mut seen, mut links) = (HashSet::new(), Vec::new());
    let nodes = blocks.iter().filter(|block| block.is_content()).flat_map(|block| block.placed.nodes.clone());
    for node in nodes {
        let Some(link) = around(page, node).find(|node| page.tag(*node) == Some("a")) else { continue };
        let href = page.attribute(link, "href").unwrap_or_default().trim();
        if seen.insert(link) && !href.is_empty() && !href.starts_with('#') {
            links.push((href.to_owned(), anchor_text(page, link)));
        }
        if links.len() == MOST_LINKS {
            break;
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::class::tests::long_lines;
    use crate::pins::Pins;
    use crate::template::Extraction;

    const STORY: &str = "Rain fell on the valley all day long today";

    fn extras(html: &str, wanted: &[Extra]) -> Extras {
        let pins = Pins::default().with_extras(wanted.to_vec());
        Extraction::cold_with(&long_lines(), &Page::parse(html), &pins).extras
    }

    fn page() -> String {
        format!(
            "<ul><li><a href=/menu>Menu</a></ul><h1>The rain</h1><div class=story><p>{STORY} <a href=/a>on\n\
             <b>Monday</b></a>, <a href=#top>up</a></p><figure><p>A bridge</p></figure>\
             <p><a href=' http://b.example/ '>{STORY}</a></p></div>\
             <div class=comments><p><a href=/eve>Eve</a></p><h3>Comments</h3><p>Well said</p><p>I agree</p>\
             <p>12</p><form><p>Your name</p></form></div>"
        )
    }

    #[test]
    fn each_part_has_its_own_list() {
        let all = extras(&page(), &Extra::ALL);
        assert_eq!(all.comments, ["Well said", "I agree"]);
        assert_eq!(all.captions, ["A bridge"]);
        assert_eq!(all.links, ["/a", "http://b.example/"]);
        assert_eq!(all.link_texts, ["on Monday", STORY]);
    }

    #[test]
    fn nothing_is_kept_that_is_not_wanted() {
        assert_eq!(extras(&page(), &[]), Extras::default());
        let captions = extras(&page(), &[Extra::Captions]);
        assert_eq!(captions, Extras { captions: vec!["A bridge".into()], ..Extras::default() });
    }

    #[test]
    fn the_text_stays_the_same() {
        let text = |wanted: Vec<Extra>| {
            let pins = Pins::default().with_extras(wanted);
            Extraction::cold_with(&long_lines(), &Page::parse(&page()), &pins).lines()
        };
        assert_eq!(text(Extra::ALL.to_vec()), text(Vec::new()));
    }

    #[test]
    fn hostile_pages_end() {
        let deep = format!("{}{STORY}", "<div class=comments><a href=x>".repeat(10_000));
        let many = format!("<p>{}{STORY}", "<a href=/x>x</a>".repeat(50_000));
        let around = format!("<a href=/x>{}</a>", format!("<p>{STORY}</p>").repeat(5_000));
        assert!(extras(&around, &Extra::ALL).links.len() <= 1);
        for html in [deep, many] {
            assert!(extras(&html, &Extra::ALL).links.len() <= MOST_LINKS);
        }
    }
}
