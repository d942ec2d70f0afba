//! Decides which microdata of a page belong to its article.
//!
//! The nearest element with `itemscope` around a value is the item of the value. The page's main item is the
//! item of an article type that contains the first `<h1>`. Without such an item, the main item is the first item
//! of an article type outside asides, comments and related stories. Values count if they belong to the main
//! item, to an item around the main item, to a `WebPage` or to no item. Values of other items, such as a
//! comment, a video or a related article, are ignored.
//!
//! Limitation: `itemref` is not read.

use html5ever::local_name;

use crate::author::is_of_others;
use crate::json_ld::is_article;
use crate::small_text::ancestors;
use crate::{NodeId, Page};

/// Maximum number of items to read. A page with more items is a list and not an article.
const MOST: usize = 1_000;

#[derive(Debug, Clone)]
pub(crate) struct Items {
    /// The main item. `None` if no item has an article type.
    main: Option<NodeId>,
    /// Whether the page has any item.
    has_items: bool,
}

impl Items {
    pub(crate) fn from_page(page: &Page) -> Self {
        if !page.has_attribute(&local_name!("itemscope")) {
            return Self { main: None, has_items: false };
        }
        let scopes = page.iter().map(|(id, _)| id).filter(|id| is_scope(page, *id));
        let articles: Vec<NodeId> =
            scopes.take(MOST).filter(|id| kind(page, *id).is_some_and(is_of_article)).collect();
        let heading = page.elements("h1").next();
        let with_heading =
            |id: &&NodeId| heading.is_some_and(|heading| page.subtree(**id).contains(&heading));
        let main = articles.iter().rev().find(with_heading);
        let main = main.or_else(|| articles.iter().find(|id| !is_of_others(page, **id)));
        Self { main: main.copied(), has_items: true }
    }

    pub(crate) fn is_of_page(&self, page: &Page, id: NodeId) -> bool {
        if !self.has_items {
            return true;
        }
        let Some(scope) = ancestors(page, id).skip(1).find(|at| is_scope(page, *at)) else { return true };
        let kind = kind(page, scope);
        match self.main {
            Some(main) => {
                scope == main
                    || page.subtree(scope).contains(&main)
                    || kind.is_some_and(|kind| kind.ends_with("Page"))
            }
            None => kind.is_none_or(|kind| !is_of_article(kind) && !is_of_others_by_type(kind)),
        }
    }

    pub(crate) fn find(&self, page: &Page, name: &str) -> Option<NodeId> {
        let has = |value: &str| value.split_ascii_whitespace().any(|v| v.eq_ignore_ascii_case(name));
        let itemprop = local_name!("itemprop");
        if !page.has_attribute(&itemprop) {
            return None;
        }
        let is_named = |id: &NodeId| page.named(*id, &itemprop).is_some_and(has);
        page.iter().map(|(id, _)| id).filter(is_named).find(|id| self.is_of_page(page, *id))
    }
}

fn is_scope(page: &Page, id: NodeId) -> bool {
    page.named(id, &local_name!("itemscope")).is_some()
}

fn kind(page: &Page, id: NodeId) -> Option<&str> {
    let kind = page.named(id, &local_name!("itemtype"))?.split_ascii_whitespace().next()?;
    kind.rsplit(['/', '#']).next()
}

fn is_of_article(kind: &str) -> bool {
    is_article(kind) || kind == "CreativeWork"
}

fn is_of_others_by_type(kind: &str) -> bool {
    kind.ends_with("Object")
        || ["Comment", "UserComments", "Answer", "Person", "Organization", "Offer", "Event"].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::metadata;

    const OWN: &str = "<meta itemprop=datePublished content=2026-03-04><b itemprop=author itemscope itemtype=x/Person><i itemprop=name>An Own</i></b>";
    const OTHER: &str = "<meta itemprop=datePublished content=2020-01-01><b itemprop=author>Bo Other</b>";

    #[test]
    fn values_of_other_items_are_left_out() {
        let other = |kind: &str| format!("<div itemscope itemtype=https://schema.org/{kind}>{OTHER}</div>");
        let article = |inside: &str| {
            format!("<div itemscope itemtype=https://schema.org/NewsArticle><h1>H</h1>{inside}</div>")
        };
        for kind in ["Article", "Comment", "VideoObject"] {
            let other = other(kind);
            let pages = [
                format!("{other}{}", article(OWN)),
                article(&format!("{other}{OWN}")),
                format!(
                    "<html itemscope itemtype=https://schema.org/WebPage>{OWN}<h1>H</h1><aside>{other}</aside>"
                ),
            ];
            for html in pages {
                let found = metadata(&Page::parse(&html));
                assert_eq!(found.published.as_deref(), Some("2026-03-04"), "{html}");
                assert_eq!(found.authors, ["An Own"], "{html}");
            }
            let alone = metadata(&Page::parse(&format!("<h1>H</h1><p>x</p><aside>{other}</aside>")));
            assert_eq!((alone.published, alone.authors), (None, Vec::new()), "{kind}");
        }
        let without_scope = metadata(&Page::parse(&format!("<h1>H</h1>{OWN}")));
        assert_eq!(without_scope.published.as_deref(), Some("2026-03-04"));
    }
}
