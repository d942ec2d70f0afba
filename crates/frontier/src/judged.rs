//! Remembers the results of checking links, because most links of a page are on all pages of its site.

use std::collections::HashMap;

use crate::{FoundUrl, UrlRefusal};

/// Number of links in a generation.
const GENERATION: usize = 1_000;
/// Maximum length of a link that is kept, in bytes.
const LONGEST: usize = 300;

/// The results of checking the links of one origin (scheme, host and port).
///
/// Two generations limit the memory to about 700 KB. When the young generation is full, it replaces the old
/// one. A link found in the old generation moves to the young generation.
#[derive(Debug, Default)]
pub struct LinkCache {
    young: HashMap<Box<str>, LinkResult>,
    old: HashMap<Box<str>, LinkResult>,
}

type LinkResult = Result<FoundUrl, UrlRefusal>;

impl LinkCache {
    /// Returns the number of remembered links.
    #[must_use]
    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Whether no links are remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the result for a link. Checks a new link with `judge`, and remembers the result if the target
    /// of the link does not depend on the path of the page.
    pub(crate) fn judged(&mut self, href: &str, judge: impl FnOnce() -> LinkResult) -> LinkResult {
        if let Some(judged) = self.young.get(href) {
            return judged.clone();
        }
        if href.len() > LONGEST || !depends_on_origin_only(href) {
            return judge();
        }
        let (href, judged) = self.old.remove_entry(href).unwrap_or_else(|| (href.into(), judge()));
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(href, judged.clone());
        judged
    }
}

/// Whether the target of a link is the same on all pages of an origin. `http:a` is not such a link: it is
/// relative to a page with the same scheme.
fn depends_on_origin_only(href: &str) -> bool {
    ["/", "http://", "https://"].iter().any(|start| href.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CanonicalUrl, Role};

    fn found(path: &str) -> LinkResult {
        let url = CanonicalUrl::parse(&format!("http://a.vn{path}"))?;
        Ok(FoundUrl { url, role: Role::Page, dated: None, news: false })
    }

    #[test]
    fn a_common_link_is_judged_once_and_the_memory_is_limited() {
        let mut known = LinkCache::default();
        let mut count = 0;
        for number in 0..5 * GENERATION {
            let path = format!("/{number}");
            assert_eq!(known.judged(&path, || found(&path)), found(&path));
            let judge = || {
                count += 1;
                found("/menu")
            };
            assert_eq!(known.judged("/menu", judge), found("/menu"));
        }
        assert_eq!(count, 1);
        assert!(known.len() <= 2 * GENERATION);
    }

    #[test]
    fn links_that_depend_on_the_page_are_not_kept() {
        let mut known = LinkCache::default();
        for href in ["a.html", "?page=2", "#top", "", "../a", "http:a", "mailto:a@b.vn", " /a"] {
            assert_eq!(known.judged(href, || found("/a")), found("/a"));
            assert_eq!(known.judged(href, || found("/b")), found("/b"), "{href}");
        }
        assert!(known.is_empty());
    }
}
