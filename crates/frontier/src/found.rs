//! Defines a discovered URL with its expected role, and counts the URLs that were not accepted.
//!
//! Roles and dates are unreliable. A sitemap may list a hub as a page. Its dates may be the times at which
//! the site's layout last changed. Therefore roles and dates affect only which URLs are fetched and when, not
//! the type or the date of a document.

use crate::{CanonicalUrl, Scope, UrlKey, UrlRefusal, shape};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// The kind of page that a URL is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The front page of a site: a seed.
    Front,
    /// A hub, such as the list of a newspaper's sports articles.
    Section,
    /// An RSS, Atom, RDF or JSON feed.
    Feed,
    /// A sitemap or a sitemap index.
    Sitemap,
    /// A page of unknown type: an article or a hub.
    Page,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] = [Self::Front, Self::Section, Self::Feed, Self::Sitemap, Self::Page];

    /// Returns the role's name in records, such as `page`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Section => "section",
            Self::Feed => "feed",
            Self::Sitemap => "sitemap",
            Self::Page => "page",
        }
    }

    /// Returns the role with this label, or `None` if the label is unknown.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.label() == label)
    }
}

/// A discovered URL with its expected role. The scope and the rules may still exclude it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundUrl {
    /// The address.
    pub url: CanonicalUrl,
    /// The expected role.
    pub role: Role,
    /// The time of publication or last change that a feed or sitemap states. `None` if it is missing or
    /// unreadable.
    pub dated: Option<Timestamp>,
    /// Whether the URL is from a news sitemap, or is itself a sitemap with "news" in its name.
    pub news: bool,
}

/// The URLs from a page, feed or sitemap. URLs that were not accepted are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiscoveredUrls {
    /// The accepted URLs, without repetitions. They are in the order of the source, unless the function that
    /// returns them states another order.
    pub found: Vec<FoundUrl>,
    /// The number of refused URLs for each [`UrlRefusal::label`].
    pub refused: BTreeMap<Cow<'static, str>, u64>,
    /// The number of links to the source itself or to a page that is already in `found`.
    pub repeated: u64,
}

impl DiscoveredUrls {
    /// Removes the URLs that are out of scope or that the rules exclude. Counts them as refused.
    #[must_use]
    pub fn within(mut self, scope: &Scope) -> Self {
        let refused = &mut self.refused;
        self.found.retain(|found| match scope.refusal(found) {
            None => true,
            Some(refusal) => {
                *refused.entry(refusal.label()).or_default() += 1;
                false
            }
        });
        self
    }

    /// Assigns [`Role::Section`] to pages whose address looks like a section: short, without a number, a date
    /// or a long slug. Call it for the links of a front page.
    #[must_use]
    pub fn with_sections(mut self) -> Self {
        for found in &mut self.found {
            if found.role == Role::Page && shape::looks_like_section(&found.url) {
                found.role = Role::Section;
            }
        }
        self
    }
}

/// Collects the URLs of a source. Accepts each page once and counts all other URLs.
pub(crate) struct UrlCollector {
    discovered: DiscoveredUrls,
    seen: HashSet<UrlKey>,
}

impl UrlCollector {
    /// Creates an empty collection. A link to `source` itself counts as repeated.
    pub(crate) fn new(source: &CanonicalUrl) -> Self {
        Self { discovered: DiscoveredUrls::default(), seen: HashSet::from([source.key()]) }
    }

    pub(crate) fn take(&mut self, judged: Result<FoundUrl, UrlRefusal>) {
        match judged {
            Ok(found) if self.seen.insert(found.url.key()) => self.discovered.found.push(found),
            Ok(_) => self.discovered.repeated += 1,
            Err(refusal) => *self.discovered.refused.entry(refusal.label()).or_default() += 1,
        }
    }

    /// Counts a link with an address that was seen before. `refused` is the label of its refusal, or `None`
    /// if the address was accepted.
    pub(crate) fn count_repeated(&mut self, refused: Option<Cow<'static, str>>) {
        match refused {
            Some(label) => *self.discovered.refused.entry(label).or_default() += 1,
            None => self.discovered.repeated += 1,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.discovered.found.len()
    }

    pub(crate) fn finish(self) -> DiscoveredUrls {
        self.discovered
    }
}

#[cfg(test)]
mod tests {
    use super::{DiscoveredUrls, Role};
    use crate::{CanonicalUrl, Scope, links};

    fn discovered() -> DiscoveredUrls {
        let base = CanonicalUrl::parse("https://a.vn/").unwrap();
        let hrefs = ["/the-thao", "/mot-bai-bao-kha-dai-4226358.html", "https://b.vn/x", "/feed.rss"];
        links::judge(&base, hrefs.into_iter(), &Scope::new(["a.vn", "b.vn"]))
    }

    #[test]
    fn what_leaves_the_scope_is_counted() {
        let inside = discovered().within(&Scope::new(["a.vn"]));
        assert_eq!(inside.found.len(), 3);
        assert_eq!(inside.refused["out_of_scope"], 1);
    }

    #[test]
    fn short_addresses_of_a_front_page_are_sections() {
        let found = discovered().with_sections().found;
        let roles: Vec<_> = found.iter().map(|f| (f.url.path(), f.role)).collect();
        assert_eq!(
            roles,
            [
                ("/the-thao", Role::Section),
                ("/mot-bai-bao-kha-dai-4226358.html", Role::Page),
                ("/x", Role::Section),
                ("/feed.rss", Role::Feed),
            ]
        );
    }
}
