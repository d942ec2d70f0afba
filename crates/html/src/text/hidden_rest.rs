//! Recognizes the hidden rest of a story, which a reader opens with "Continue reading", or which a page hides although
//! it declares its text free.
//!
//! A hidden element is the rest of a story if it contains prose and follows paragraphs of prose, and if a link or
//! button beside it opens it, or the page's JSON-LD states `isAccessibleForFree`. If the page states this, an element
//! that is named like an article's text needs no paragraphs before it.
//!
//! Limitation: only the beginning of the element and its nearest siblings are examined.

use html5ever::local_name;

use crate::{NodeId, Page};
use gleaner_html5::tags::contains_one;

/// Minimum number of bytes of prose in the rest of a story, and before it.
const MIN_PROSE: usize = 300;

/// Minimum length of a text that is prose, in bytes.
const MIN_SENTENCE: usize = 60;

/// Maximum number of nodes that are examined inside an element.
const MAX_NODES: NodeId = 400;

/// Maximum number of siblings before the element that are examined.
const MAX_SIBLINGS: usize = 12;

/// Maximum number of siblings before and behind the element that may be its button.
const MAX_OPENERS: usize = 3;

/// Maximum number of nodes of a sibling in which the button is searched.
const MAX_BUTTON_NODES: NodeId = 20;

/// Maximum length of the label of a button, in bytes.
const MAX_LABEL: usize = 60;

/// Words on buttons that open the rest of a text.
const OPENERS: [&str; 24] = [
    "continue",
    "read more",
    "read on",
    "read the",
    "full story",
    "full article",
    "show more",
    "show all",
    "view more",
    "expand",
    "weiterlesen",
    "mehr lesen",
    "mehr anzeigen",
    "lire la suite",
    "afficher la suite",
    "seguir leyendo",
    "leer m",
    "ler mais",
    "continua",
    "lees verder",
    "читать",
    "xem thêm",
    "đọc tiếp",
    "展开",
];

/// Words in the class or id of an element with the text of an article.
const NAMES: [&str; 5] = ["article", "story", "body", "paywall", "content"];

pub(super) fn is_rest_of_story(page: &Page, id: NodeId) -> bool {
    if prose(page, id) < MIN_PROSE {
        return false;
    }
    let is_free = || page.is_declared_free();
    let is_named = || page.class_and_id(id).iter().any(|name| contains_one(name, &NAMES));
    if before(page, id).map(|sibling| prose(page, sibling)).sum::<usize>() >= MIN_PROSE {
        opens(page, id) || is_free()
    } else {
        is_named() && is_free()
    }
}

/// Returns the number of bytes of prose in paragraphs at the beginning of an element.
fn prose(page: &Page, id: NodeId) -> usize {
    let end = page.node(id).end.min(id + MAX_NODES);
    let is_read = |id: &NodeId| {
        let parent = page.node(*id).parent;
        !page.is_never_text(parent) && page.node(parent).kind.name() != Some(&local_name!("a"))
    };
    let texts = (id..end).filter(is_read).filter_map(|id| page.text(id));
    texts.map(|text| text.trim().len()).filter(|length| *length >= MIN_SENTENCE).sum()
}

/// Whether a link or button beside the element opens it. It has a typical label, or names the element's id.
fn opens(page: &Page, id: NodeId) -> bool {
    let own = page.named(id, &local_name!("id")).unwrap_or_default();
    let is_opener = |node: NodeId| {
        let is_button = matches!(page.tag(node), Some("a" | "button" | "label" | "summary"))
            || page.named(node, &local_name!("role")) == Some("button");
        let names = |value: &str| !own.is_empty() && value.contains(own);
        is_button
            && (page.attributes(node).any(|(name, value)| name != "id" && names(value))
                || is_label(page, node))
    };
    let near = before(page, id).take(MAX_OPENERS).chain(behind(page, id).take(MAX_OPENERS));
    near.flat_map(|node| node..page.node(node).end.min(node + MAX_BUTTON_NODES)).any(is_opener)
}

fn is_label(page: &Page, node: NodeId) -> bool {
    let end = page.node(node).end.min(node + MAX_BUTTON_NODES);
    let label: String = (node..end).filter_map(|id| page.text(id)).take(4).collect();
    let label = label.trim().to_lowercase();
    label.len() <= MAX_LABEL && OPENERS.iter().any(|opener| label.contains(opener))
}

/// Returns the siblings behind an element.
fn behind(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = page.node(id).parent;
    let is_sibling = move |at: &NodeId| (*at as usize) < page.len() && page.node(*at).parent == parent;
    let next = move |at: NodeId| Some(page.node(at).end).filter(is_sibling);
    std::iter::successors(next(id), move |at| next(*at))
}

/// Returns the nearest siblings before an element, nearest first.
fn before(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = page.node(id).parent;
    let sibling_before = move |at: NodeId| {
        let last = at.checked_sub(1).filter(|last| *last > parent)?;
        let up = |node: &NodeId| Some(page.node(*node).parent);
        std::iter::successors(Some(last), up).take(32).find(|node| page.node(*node).parent == parent)
    };
    std::iter::successors(sibling_before(id), move |at| sibling_before(*at)).take(MAX_SIBLINGS)
}

#[cfg(test)]
mod tests {
    use crate::Page;
    use crate::text::{lines, plain};

    const PARAGRAPH: &str = "<p>The weather service expects a dry spell in the second week of the month, and the growers \
        of the valley hope to lift the rest of their harvest before the frost comes.</p>";

    fn is_shown(html: &str) -> bool {
        plain(&lines(&Page::parse(html), 0, |_| true)).contains("The end.")
    }

    #[test]
    fn the_rest_of_a_story_is_shown_if_a_button_opens_it() {
        let story = PARAGRAPH.repeat(3);
        let page =
            |opener: &str, rest: &str| format!("<div>{story}{opener}<div {rest}>{story}The end.</div></div>");
        let cases = [
            (page("<a href=#>Continue reading</a>", "hidden"), true),
            (page("<div><button>Weiterlesen</button></div>", "style='display: none'"), true),
            (page("<a href=#rest>More</a>", "id=rest hidden"), true),
            (page("<a href=#>Home</a>", "id=rest hidden"), false),
            (page("", "hidden"), false),
            (format!("<a href=#>Read more</a><div hidden>{story}The end.</div>"), false),
            (format!("{story}<a href=#>Read more</a><div hidden><p>The end.</div>"), false),
        ];
        for (html, expected) in cases {
            assert_eq!(is_shown(&html), expected, "{html}");
        }
    }

    #[test]
    fn a_hidden_text_is_shown_if_the_page_declares_it_free() {
        let story = PARAGRAPH.repeat(3);
        let page = |free: &str, class: &str| {
            format!(
                "<script type='application/ld+json'>{{\"@type\": \"NewsArticle\", \"isAccessibleForFree\": {free}}}\
                 </script><div class='{class}' style='display:none'>{story}The end.</div>"
            )
        };
        assert!(is_shown(&page("true", "article-body")));
        assert!(!is_shown(&page("false", "article-body")));
        assert!(!is_shown(&page("true", "popup")));
    }

    #[test]
    fn hostile_pages_end() {
        let deep = format!("{}<p>{}", "<div hidden class=story>".repeat(5_000), "x ".repeat(400));
        let wide =
            format!("{PARAGRAPH}<a>Read more</a><div hidden>{}</div>", PARAGRAPH.repeat(2)).repeat(3_000);
        for html in [deep, wide] {
            let _ = is_shown(&html);
        }
    }
}
