//! What a document was before, and whether its page is still there.
//!
//! A page that is fetched again and has another text becomes a new revision of the same
//! document; the text before is kept under its number. A page that is extracted anew is
//! none: its document is replaced. Which of both it is, the time of fetching tells.
//!
//! A page that is gone (404, 410) leaves its document as it is, with the time at which
//! that was found. If it comes back, it is not gone.

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::UrlKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::packed::unpack;
use crate::records::document_of;
use crate::{Change, Store, StoreError, keys};

/// What is known of a document beside its text. Most documents have none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct History {
    /// Revisions that are kept beside the newest: 0 where the text never changed.
    pub earlier: u32,
    /// When its page was found to be gone; `None`: it was there when last asked for.
    pub gone: Option<Timestamp>,
}

impl History {
    /// The number of the newest revision, 1 for the first.
    #[must_use]
    pub const fn revision(&self) -> u32 {
        self.earlier + 1
    }
}

impl Store {
    /// A document's history.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, id: DocumentId) -> Result<History, StoreError> {
        Ok(self.get("a document's history", &keys::history(id))?.unwrap_or_default())
    }

    /// The earlier revisions of a document, the first one first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn revisions(&self, id: DocumentId) -> Result<Vec<Document>, StoreError> {
        let mut revisions = Vec::new();
        for number in 1..=self.history(id)?.earlier {
            let key = keys::revision(id, number);
            match self.engine.get(&key)? {
                Some(bytes) => revisions.push(unpack(&bytes)?),
                None => {
                    let reason = format!("revision {number} of {id} is not there");
                    return Err(StoreError::Damaged { what: "a document's history", reason });
                }
            }
        }
        Ok(revisions)
    }
}

impl Change {
    fn history(&self, id: DocumentId) -> Result<History, StoreError> {
        Ok(self.get("a document's history", &keys::history(id))?.unwrap_or_default())
    }

    fn put_history(&mut self, id: DocumentId, history: History) -> Result<(), StoreError> {
        let (of, key) = (self.partition_of_document(id)?, keys::history(id));
        if history == History::default() {
            self.remove(of, key);
        } else {
            self.put(of, key, &history);
        }
        Ok(())
    }

    /// Keeps a document as it was, as one more earlier revision.
    pub(crate) fn keep_revision(&mut self, id: DocumentId, packed: Vec<u8>) -> Result<(), StoreError> {
        let history = self.history(id)?;
        let earlier = history.earlier + 1;
        self.put_bytes(self.partition_of_document(id)?, keys::revision(id, earlier), packed);
        self.put_history(id, History { earlier, ..history })
    }

    /// Marks the document of a URL whose page is gone; one that is so marked keeps its
    /// time. Nothing where the URL has no document of its own.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn mark_gone(&mut self, url: UrlKey, at: Timestamp) -> Result<(), StoreError> {
        let id = document_of(url);
        let history = self.history(id)?;
        if history.gone.is_none() && self.get_bytes(&keys::document(id))?.is_some() {
            self.put_history(id, History { gone: Some(at), ..history })?;
        }
        Ok(())
    }

    /// The page of a URL was there: its document is not gone.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn mark_there(&mut self, url: UrlKey) -> Result<(), StoreError> {
        let id = document_of(url);
        let history = self.history(id)?;
        if history.gone.is_some() {
            self.put_history(id, History { gone: None, ..history })?;
        }
        Ok(())
    }
}
