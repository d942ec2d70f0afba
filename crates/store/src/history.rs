//! Stores earlier revisions of documents, and when their pages were found to be gone.
//!
//! If a page was fetched again and its text has changed, the document gets a new revision, and the previous
//! text is stored under its revision number. If a page was only extracted again, the new text replaces the
//! old text. The fetch time distinguishes the two cases: a new extraction does not change it.
//!
//! If a page is gone (404, 410), its document stays and is marked with the time of that response. If a later
//! request finds the page, the mark is removed.

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::UrlKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::packed::unpack_at;
use crate::records::document_id;
use crate::{Change, Store, StoreError, keys};

/// A document's history. Most documents have no stored history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    /// Number of earlier revisions. 0 if the text never changed.
    pub earlier: u32,
    /// When the page was first found to be gone. `None` if the last request found the page.
    pub gone: Option<Timestamp>,
}

impl History {
    /// Returns the number of the current revision. The first revision is 1.
    #[must_use]
    pub const fn revision(&self) -> u32 {
        self.earlier + 1
    }
}

impl Store {
    /// Returns a document's history. Returns the default if no history is stored.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn history(&self, id: DocumentId) -> Result<History, StoreError> {
        Ok(self.get("a document's history", &keys::history(id))?.unwrap_or_default())
    }

    /// Returns the earlier revisions of a document, oldest first.
    ///
    /// # Errors
    /// The store cannot be read, or a text is unreadable.
    pub fn revisions(&self, id: DocumentId) -> Result<Vec<Document>, StoreError> {
        self.readable_revisions(id)?.into_iter().collect()
    }

    /// Returns the earlier revisions of a document, oldest first. A revision whose text is unreadable is an
    /// error ([`StoreError::Lost`]), and the others are returned.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn readable_revisions(
        &self,
        id: DocumentId,
    ) -> Result<Vec<Result<Document, StoreError>>, StoreError> {
        let revision = |number| {
            let key = keys::revision(id, number);
            let reason = || format!("revision {number} of {id} does not exist");
            let missing = || StoreError::unreadable(&key, StoreError::UnreadableEntry { reason: reason() });
            unpack_at(&key, &self.engine.get(&key)?.ok_or_else(missing)?)
        };
        Ok((1..=self.history(id)?.earlier).map(revision).collect())
    }
}

impl Change {
    fn history(&self, id: DocumentId) -> Result<History, StoreError> {
        Ok(self.get("a document's history", &keys::history(id))?.unwrap_or_default())
    }

    fn put_history(&mut self, id: DocumentId, history: History) {
        let key = keys::history(id);
        if history == History::default() {
            self.remove(key);
        } else {
            self.put(key, &history);
        }
    }

    pub(crate) fn keep_revision(&mut self, id: DocumentId, packed: Vec<u8>) -> Result<(), StoreError> {
        let history = self.history(id)?;
        let earlier = history.earlier + 1;
        self.put_bytes(keys::revision(id, earlier), packed);
        self.put_history(id, History { earlier, ..history });
        Ok(())
    }

    /// Marks the document of a URL as gone since `at`. If the document is already marked, the earlier time
    /// stays. Does nothing if the URL has no document of its own.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn mark_gone(&mut self, url: UrlKey, at: Timestamp) -> Result<(), StoreError> {
        let id = document_id(url);
        let history = self.history(id)?;
        if history.gone.is_none() && self.get_bytes(&keys::document(id))?.is_some() {
            self.put_history(id, History { gone: Some(at), ..history });
        }
        Ok(())
    }

    /// Removes the mark that [`Self::mark_gone`] set.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn clear_gone(&mut self, url: UrlKey) -> Result<(), StoreError> {
        let id = document_id(url);
        let history = self.history(id)?;
        if history.gone.is_some() {
            self.put_history(id, History { gone: None, ..history });
        }
        Ok(())
    }
}
