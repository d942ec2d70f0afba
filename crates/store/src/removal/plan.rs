//! Collects what a removal would remove.

use std::collections::{BTreeMap, HashSet};

use gleaner_corpus::{ContentHash, Document, DocumentId, words};
use gleaner_frontier::{CanonicalUrl, RemovedUrls, UrlKey};

use super::RemovalTarget;
use crate::clusters::url_of;
use crate::read::text;
use crate::{Store, StoreError, keys};

/// The documents and URLs that a removal would remove.
#[derive(Debug, Clone)]
pub struct RemovalPlan {
    pub(super) target: RemovalTarget,
    pub(super) hides_urls: bool,
    pub(super) urls: BTreeMap<UrlKey, (String, bool)>,
    pub(super) texts: HashSet<ContentHash>,
    pub(super) documents: u64,
    pub(super) words: u64,
}

impl RemovalPlan {
    /// Begins an empty plan. If `hides_urls` is true, only the hashes of the removed URLs will be kept.
    #[must_use]
    pub fn new(target: RemovalTarget, hides_urls: bool) -> Self {
        Self { target, hides_urls, urls: BTreeMap::new(), texts: HashSet::new(), documents: 0, words: 0 }
    }

    /// Adds a document, with its aliases unless hosts are removed. Returns `false` if the plan contains it already.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn add_document(&mut self, store: &Store, document: &Document) -> Result<bool, StoreError> {
        let is_known = self.urls.insert(url_of(document.id), (document.url.clone(), true));
        if is_known.is_some_and(|(_, is_document)| is_document) {
            return Ok(false);
        }
        self.documents += 1;
        self.words += words(&document.text);
        if !matches!(self.target, RemovalTarget::Hosts(_)) {
            self.texts.insert(document.content_hash);
            for pair in store.scan(keys::aliases_of(document.id)) {
                let (key, url) = pair?;
                let Some(alias) = keys::last_url(&key) else { continue };
                self.urls.entry(alias).or_insert((text(&url)?, false));
            }
        }
        Ok(true)
    }

    /// Adds a URL that has no document.
    pub fn add_url(&mut self, url: &CanonicalUrl) {
        self.urls.entry(url.key()).or_insert_with(|| (url.as_str().to_owned(), false));
    }

    /// Returns the number of documents.
    #[must_use]
    pub const fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of words in the documents.
    #[must_use]
    pub const fn words(&self) -> u64 {
        self.words
    }

    /// Returns the number of URLs. Those of removed hosts count only if they have a document.
    #[must_use]
    pub fn urls(&self) -> usize {
        self.urls.len()
    }

    /// Returns the URLs that have no document of their own: other URLs of the removed texts, and URLs without a text.
    pub fn urls_without_document(&self) -> impl Iterator<Item = &str> {
        self.urls.values().filter(|(_, is_document)| !is_document).map(|(url, _)| url.as_str())
    }

    /// Whether the plan contains a document.
    #[must_use]
    pub fn contains(&self, id: DocumentId) -> bool {
        self.urls.get(&url_of(id)).is_some_and(|(_, is_document)| *is_document)
    }

    /// Returns what would not be requested any more.
    #[must_use]
    pub fn removed_urls(&self) -> RemovedUrls {
        let mut removed = RemovedUrls::default();
        self.urls.keys().for_each(|url| removed.add_url(*url));
        self.target.hosts().iter().for_each(|host| removed.add_host(host));
        removed
    }
}
