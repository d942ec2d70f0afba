//! A URL with what is known about it before it is fetched, and the count of what
//! was left out.
//!
//! All of it is hearsay: a sitemap may call a listing a page and a date the time of
//! the last template change. It orders the queue and decides nothing else.

use crate::{CanonicalUrl, Refusal, Scope, UrlKey, shape};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// What is expected behind a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The page at which a site is entered: a seed.
    Front,
    /// A hub that the front page links to.
    Section,
    /// RSS, Atom, RDF or JSON Feed.
    Feed,
    /// A sitemap, or an index of them.
    Sitemap,
    /// Not yet known: an article, or a hub found deeper.
    Page,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Front, Self::Section, Self::Feed, Self::Sitemap, Self::Page];

    /// Its name in records, such as `page`.
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

    /// The one with this label.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.label() == label)
    }
}

/// A URL that may be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Where it is.
    pub url: CanonicalUrl,
    /// What is expected there.
    pub role: Role,
    /// When it was published or last changed, as a feed or a sitemap states it;
    /// `None` where nothing is stated, or nothing that can be read as a date.
    pub dated: Option<Timestamp>,
    /// It comes from a news sitemap, or is a sitemap that calls itself one.
    pub news: bool,
}

/// What a page, a feed or a sitemap led to. Nothing is left out without a count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Discovered {
    /// Each URL once, in the order of its source unless that says otherwise.
    pub found: Vec<Found>,
    /// How many were refused, by [`Refusal::label`].
    pub refused: BTreeMap<&'static str, u64>,
    /// How many named a page that stands in `found` already, or the source itself.
    pub repeated: u64,
}

impl Discovered {
    /// Keeps what is in scope and counts the rest as refused.
    #[must_use]
    pub fn within(mut self, scope: &Scope) -> Self {
        let before = self.found.len();
        self.found.retain(|found| scope.contains(&found.url));
        let outside = before - self.found.len();
        if outside > 0 {
            let count = self.refused.entry(Refusal::OutOfScope.label()).or_default();
            *count += u64::try_from(outside).expect("a count of memory fits 64 bits");
        }
        self
    }

    /// For the links of a front page: those that look like a section's address
    /// (short, without number, date or long slug) become [`Role::Section`].
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

/// Collects what a source names: each page once, everything else counted.
pub(crate) struct Gatherer {
    discovered: Discovered,
    seen: HashSet<UrlKey>,
}

impl Gatherer {
    /// Nothing yet; `source` itself counts as a repetition.
    pub(crate) fn new(source: &CanonicalUrl) -> Self {
        Self { discovered: Discovered::default(), seen: HashSet::from([source.key()]) }
    }

    /// Takes a URL, or the reason why it is none.
    pub(crate) fn take(&mut self, judged: Result<Found, Refusal>) {
        match judged {
            Ok(found) if self.seen.insert(found.url.key()) => self.discovered.found.push(found),
            Ok(_) => self.discovered.repeated += 1,
            Err(refusal) => *self.discovered.refused.entry(refusal.label()).or_default() += 1,
        }
    }

    /// Takes once more what was taken before; `refused` is the label it was refused with.
    pub(crate) fn take_again(&mut self, refused: Option<&'static str>) {
        match refused {
            Some(label) => *self.discovered.refused.entry(label).or_default() += 1,
            None => self.discovered.repeated += 1,
        }
    }

    /// URLs that were taken and kept.
    pub(crate) fn len(&self) -> usize {
        self.discovered.found.len()
    }

    pub(crate) fn finish(self) -> Discovered {
        self.discovered
    }
}

#[cfg(test)]
mod tests {
    use super::{Discovered, Role};
    use crate::{CanonicalUrl, Scope, links};

    fn discovered() -> Discovered {
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
