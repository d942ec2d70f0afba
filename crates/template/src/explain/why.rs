//! Explains in a few sentences why a line is body text or not.

use std::fmt::Write;

use gleaner_extract::block_model::{ClassifiedBlock, DomPathStats, RemovalReason, Repeated};
use gleaner_html::{NodeId, Page};

use super::ExplanationInput;
use crate::class::{ClassReason, LineClass};
use crate::{Decision, ExtractionMethod, PublishedTemplate, SiteTemplate};

pub(super) fn chance(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

pub(super) fn percent(share: f32) -> String {
    gleaner_render::text::percent(share.into())
}

pub(super) fn dom_path<'a>(
    template: Option<&'a SiteTemplate>,
    block: &ClassifiedBlock,
) -> Option<&'a DomPathStats> {
    template?.site.dom_paths.get(&block.dom_path)
}

pub(super) fn why(
    explained: &ExplanationInput<'_>,
    at: usize,
    class: LineClass,
    because: ClassReason,
) -> String {
    let block = &explained.judgement.blocks[at];
    let class = explained.judgement.inserts[at].map_or(class, LineClass::from);
    let mut text = String::new();
    if let Some(pin) = explained.judgement.pins[at] {
        let _ = write!(text, "Pinned: {}. ", explained.pins.describe(pin));
    }
    if let Some(insert) = explained.judgement.inserts[at] {
        let _ = write!(text, "Kept: {}. ", explained.pins.describe_insert(insert));
    }
    let published = explained.template.and_then(|template| template.published.as_ref());
    let decision = explained.judgement.decisions.get(at);
    text += &match (published, block.removed, decision) {
        (Some(published), ..) => by_published(published, block).to_owned(),
        (None, Some(removed), _) => why_removed(removed, explained.template),
        (None, None, Some(decision)) => detected(*decision, explained.template, block),
        (None, None, None) => judged(explained, block, at),
    };
    match because {
        ClassReason::Links => {
            let _ = write!(
                text,
                " Called a {} since {} of its words are links.",
                class.label(),
                percent(block.link_share)
            );
        }
        ClassReason::Element(element) => {
            let selector = selector(explained.page, element, 1);
            let _ = write!(text, " Called a {} for {selector} around it.", class.label());
        }
        ClassReason::Words => {
            let _ = write!(text, " Called a {} for its words.", class.label());
        }
        ClassReason::Judged | ClassReason::Nothing => {}
    }
    text
}

fn by_published(published: &PublishedTemplate, block: &ClassifiedBlock) -> &'static str {
    match (published, block.alone > 0.0, block.removed.is_some()) {
        (PublishedTemplate::FastContentExtractor(_), true, _) => {
            "Its path is that of a content block, and no stored non-content block resembles it."
        }
        (PublishedTemplate::FastContentExtractor(_), false, true) => {
            "Its path is that of a content block, but a stored non-content block resembles it."
        }
        (PublishedTemplate::FastContentExtractor(_), false, false) => {
            "Its path is not that of a content block."
        }
        (PublishedTemplate::ContentExtractor(_), true, _) => {
            "Too few pages of the site have a similar block."
        }
        (PublishedTemplate::ContentExtractor(_), false, _) => "Many pages of the site have a similar block.",
    }
}

fn why_removed(removed: RemovalReason, template: Option<&SiteTemplate>) -> String {
    match removed {
        RemovalReason::RepeatedBySite => {}
        RemovalReason::RepeatedOnPage => return "The page repeats it, as it repeats placeholders.".into(),
        RemovalReason::Consent => return "It is part of a consent dialog.".into(),
    }
    let pages = template.map_or(0, |template| template.site.pages as usize);
    format!(
        "The site repeats it: the same text stands at the same place on at least {} of the {pages} pages learned from.",
        Repeated::least(pages)
    )
}

fn detected(decision: Decision, template: Option<&SiteTemplate>, block: &ClassifiedBlock) -> String {
    let by_place = |decision: &str| match template {
        Some(template) => format!("{decision}: {}", of_place(template, block)),
        None => decision.to_owned(),
    };
    match decision {
        Decision::Content => by_place("Detected by its place"),
        Decision::Boilerplate => by_place("Dropped by its place"),
        Decision::Undecided => by_place("Dropped, because its place does not decide"),
        Decision::Between => "Its place does not decide, but it is between lines of content.".into(),
        Decision::Insert => {
            "Its place is one of content, but its words are those of a credit, a by-line or a \"read more\" line."
                .into()
        }
        Decision::Repeated => "The site repeats it.".into(),
        Decision::Subtree => "It is in an element that had no content on the pages learned from.".into(),
    }
}

fn of_place(template: &SiteTemplate, block: &ClassifiedBlock) -> String {
    let pages = template.site.pages;
    match dom_path(Some(template), block) {
        Some(dom_path) => format!(
            "the place {} is on {} of {pages} pages, and {} of what stands there seems to be content.",
            block.dom_path,
            dom_path.pages,
            percent(chance(dom_path.log_odds()))
        ),
        None => format!("nothing stood at the place {} on the {pages} pages learned from.", block.dom_path),
    }
}

fn judged(explained: &ExplanationInput<'_>, block: &ClassifiedBlock, at: usize) -> String {
    let alone = percent(chance(block.alone));
    let (is_pinned, method) = (explained.judgement.pins[at].is_some(), explained.judgement.method);
    let Some(template) = explained.template.filter(|_| method == ExtractionMethod::Template) else {
        let reason = if explained.template.is_some_and(|template| template.site.pages > 0) {
            "the template is unsure of this page, so its places do not vote"
        } else {
            "there is no template"
        };
        return format!("{alone} by the model alone; {reason}.");
    };
    let mut text = if is_pinned { String::new() } else { percent(chance(block.log_odds)) + ": " };
    let _ = write!(text, "the model alone says {alone}; {}", of_place(template, block));
    if is_pinned { text.replacen("the", "Without it: the", 1) } else { text }
}

const MOST_ELEMENTS: usize = 4;

const LONGEST_NAME: usize = 80;

/// Returns a selector for a pins file. It has at least `least` steps, and up to four until one has a class or
/// id.
pub(super) fn selector(page: &Page, element: NodeId, least: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut node = element;
    loop {
        let tag = page.tag(node).unwrap_or_default();
        let names = names(page, node);
        let is_named = !names.is_empty();
        parts.push(escaped(tag) + &names);
        let parent = page.node(node).parent;
        let is_enough =
            parts.len() >= least && (is_named || parts.iter().any(|part| part.contains(['.', '#'])));
        if is_enough || parts.len() == MOST_ELEMENTS || parent == node {
            break;
        }
        node = parent;
    }
    parts.reverse();
    parts.join(" > ")
}

fn names(page: &Page, element: NodeId) -> String {
    let mut out = String::new();
    for (sign, attribute) in [('#', "id"), ('.', "class")] {
        let value = page.attribute(element, attribute).unwrap_or_default();
        for name in value.split_ascii_whitespace().filter(|name| name.len() <= LONGEST_NAME).take(4) {
            out.push(sign);
            out += &escaped(name);
        }
    }
    out
}

pub(super) fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pins;

    #[test]
    fn selectors_can_be_pinned() {
        let page = Page::parse(
            "<div class='md:w-1/2 big' id=a.b><section><p>x</p></section></div><p class=lead>y</p><b>z</b>",
        );
        let p: Vec<NodeId> = page.elements("p").collect();
        assert_eq!(selector(&page, p[0], 1), r"div#a\.b.md\:w-1\/2.big > section > p");
        assert_eq!(selector(&page, p[1], 1), "p.lead");
        assert_eq!(selector(&page, p[1], 2), "body > p.lead");
        assert_eq!(selector(&page, page.elements("b").next().unwrap(), 1), "html > body > b");
        for element in p {
            let written = selector(&page, element, 2);
            assert!(Pins::new("x", &[(1, &written)], &[]).is_ok(), "{written}");
        }
    }
}
