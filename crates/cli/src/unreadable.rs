//! Collects the texts that a command could not read. The command processes all others, and then fails.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gleaner_corpus::DocumentId;
use gleaner_export::UnreadableText;
use gleaner_frontier::UrlKey;
use gleaner_store::{Store, StoreError};

use crate::CommandResult;
use crate::failure::Failure;
use crate::messages::print_message;

/// Maximum number of texts that are named. Further texts are only counted.
const MAX_PRINTED: usize = 50;

pub(crate) struct UnreadableTexts {
    store: Store,
    /// The texts by document and by number of the earlier revision.
    texts: RefCell<BTreeMap<(DocumentId, Option<u32>), UnreadableText>>,
}

impl UnreadableTexts {
    pub(crate) fn new(store: &Store) -> Self {
        Self { store: store.clone(), texts: RefCell::default() }
    }

    /// Returns what was read, or `None` for a text that is unreadable, which is remembered.
    ///
    /// # Errors
    /// The store cannot be read at all.
    pub(crate) fn skip<T>(&self, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        let (id, revision, source) = match read {
            Ok(read) => return Ok(Some(read)),
            Err(StoreError::Lost { id, revision, source }) => (id, revision, source),
            Err(error) => return Err(error),
        };
        let record = self.store.url(UrlKey::from_bytes(id.0))?;
        let url = record.map_or_else(|| format!("the document {id}"), |record| record.url);
        let text = UnreadableText { id: id.to_string(), revision, url, reason: source.to_string() };
        self.texts.borrow_mut().insert((id, revision), text);
        Ok(None)
    }

    /// Returns the documents of the corpus that can be read, and remembers the others.
    pub(crate) fn documents<T>(
        &self,
        read: impl Iterator<Item = Result<T, StoreError>>,
    ) -> impl Iterator<Item = Result<T, StoreError>> {
        read.filter_map(|read| self.skip(read).transpose())
    }

    /// Returns the texts, in the order of the ids of their documents.
    pub(crate) fn list(&self) -> Vec<UnreadableText> {
        self.texts.borrow().values().cloned().collect()
    }

    /// Names the texts on standard error. Fails if there are any. `done` says what happened to the others.
    pub(crate) fn report(&self, done: &str) -> CommandResult {
        let texts = self.list();
        for UnreadableText { revision, url, reason, .. } in texts.iter().take(MAX_PRINTED) {
            let what = revision.map_or_else(|| "the text".to_owned(), |number| format!("revision {number}"));
            print_message(format_args!("gleaner: {what} of {url} cannot be read: {reason}"));
        }
        if texts.len() > MAX_PRINTED {
            print_message(format_args!("gleaner: ... and {} more", texts.len() - MAX_PRINTED));
        }
        match texts.len() {
            0 => Ok(()),
            count => Err(Failure::Work(format!(
                "texts that cannot be read: {count}; {done}; {}",
                advice(self.store.is_shared())
            ))),
        }
    }
}

/// Returns what to do about texts that cannot be read.
pub(crate) const fn advice(is_shared: bool) -> &'static str {
    match is_shared {
        false => "`gleaner verify --repair` extracts them again from the archive",
        true => "restore the missing files in object storage from a backup",
    }
}
