//! A corpus moved from one store to another: from a folder into a database, and back.
//!
//! The records are copied in the order of their spaces, one batch after the other, each
//! brought to disk before the next is begun. What differs between a store in a folder and
//! one that is cut into partitions is made anew on the way:
//!
//! 1. Hosts get numbers of the target's partitions; so do documents and clusters, in the order
//!    of their old numbers, so that the document that came first stays the first of its partition.
//!    A cluster goes to the partition of its head.
//! 2. The lists that URLs stand in (ready, waiting, buffered) are written from the URLs'
//!    states.
//! 3. Totals are counted from the records, for each partition. So they can be held against those
//!    that the source keeps.
//! 4. Where the target's engine keeps the index of near-duplicates, the heads are put in.
//!
//! From the first write to the last the target is marked as unfinished. A migration into an
//! unfinished target empties it and begins anew. Files of the archive are copied by the
//! caller, between [`Migration::begin`] and [`Migration::copy`]. The source is only read.
//!
//! Memory: 4 bytes for each host, document and cluster number that the source ever gave out,
//! and one batch.
//!
//! Limitation: a migration that was interrupted does not go on where it was, because
//! the source may have gone on meanwhile. The index of near-duplicates gets the day of the
//! migration, whatever the age of the documents. Documents of different partitions have no common
//! order, so after a way there and back the first of two documents of different domains may
//! be another.

mod alone;
mod copy;
mod load;
mod numbers;

use thiserror::Error;

use crate::engine::{Batch, Write};
use crate::records::encode;
use crate::{Store, StoreError, Totals, Writer, keys};

pub use alone::join_alone;
use load::Load;

/// Objects that are removed by one request.
const AT_ONCE: usize = 1_000;

/// Why a corpus cannot be moved.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The target has records, and not of a migration that was interrupted.
    #[error("the target holds {what} already; a corpus is moved into an empty one")]
    NotEmpty {
        /// Which kind of record was met.
        what: &'static str,
    },
    /// The source is not complete itself.
    #[error("the source is not complete: a rebuilding or migration into it was interrupted; end that first")]
    Unfinished,
    /// Partitions of the source have something to do for each other.
    #[error(
        "messages wait in the source: start a worker (`gleaner crawl --store ...`), which does what they ask, and stop it when it is idle"
    )]
    Messages,
    /// Others work on the database.
    #[error("{workers} at work on the database; stop them first (`gleaner workers` lists them)")]
    AtWork {
        /// Their names.
        workers: String,
    },
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was copied so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// Hosts.
    pub hosts: u64,
    /// URLs.
    pub urls: u64,
    /// Documents, earlier revisions not counted.
    pub documents: u64,
    /// Raw pages.
    pub pages: u64,
    /// All records that were written.
    pub records: u64,
}

/// A migration that has begun.
#[derive(Debug)]
pub struct Migration<'a> {
    from: Store,
    to: &'a mut Writer,
    is_again: bool,
}

impl<'a> Migration<'a> {
    /// Marks the target as unfinished. Of a target that is so already, all that is there
    /// goes, with its files in object storage.
    ///
    /// # Errors
    /// The source is not complete, messages wait in it, the target has a corpus, or one of
    /// them cannot be read or written.
    pub fn begin(from: &Store, to: &'a mut Writer) -> Result<Self, MigrateError> {
        if from.is_rebuilding()? || from.is_migrating()? {
            return Err(MigrateError::Unfinished);
        }
        if from.keys([keys::MESSAGE]).next().transpose()?.is_some() {
            return Err(MigrateError::Messages);
        }
        let is_again = to.store().is_migrating()?;
        let mut migration = Self { from: from.clone(), to, is_again };
        if is_again {
            migration.empty()?;
        } else {
            migration.refuse_records()?;
        }
        migration.mark(Write::Put(encode(&true)))?;
        Ok(migration)
    }

    /// Whether the target was left unfinished by an earlier migration.
    #[must_use]
    pub const fn is_again(&self) -> bool {
        self.is_again
    }

    /// The target, for what the caller copies.
    #[must_use]
    pub const fn target(&mut self) -> &mut Writer {
        self.to
    }

    /// Sums of the source, as it keeps them, and of the target, as they were counted.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn totals(&self) -> Result<(Totals, Totals), StoreError> {
        Ok((self.from.totals()?, self.to.store().totals()?))
    }

    /// The target is complete.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<(), MigrateError> {
        let store = self.to.store();
        if let Some(engine) = &store.cluster {
            let mut last = 0;
            for file in store.archive_files() {
                last = last.max(file?.0);
            }
            engine.raise("files", last)?;
        }
        Ok(self.mark(Write::Remove)?)
    }

    fn mark(&self, write: Write) -> Result<(), StoreError> {
        let store = self.to.store();
        let batch = Batch { writes: [(keys::meta("migrating"), write)].into() };
        store.engine.commit(batch, store.partitions.held().into_iter().collect())?;
        store.engine.flush().map(drop)
    }

    fn refuse_records(&self) -> Result<(), MigrateError> {
        let kinds = [
            (keys::URL, "URLs"),
            (keys::HOST, "hosts"),
            (keys::DOCUMENT, "documents"),
            (keys::RUN, "runs"),
            (keys::FILE, "files"),
            (keys::MESSAGE, "messages"),
        ];
        for (space, what) in kinds {
            if self.to.store().keys([space]).next().transpose()?.is_some() {
                return Err(MigrateError::NotEmpty { what });
            }
        }
        Ok(())
    }

    /// Removes all that a migration writes, and keeps the mark.
    fn empty(&mut self) -> Result<(), StoreError> {
        let store = self.to.store();
        if let Some(engine) = &store.cluster {
            let mut files = store.archive_files().chain(store.document_files()).peekable();
            while files.peek().is_some() {
                let names = files.by_ref().take(AT_ONCE).map(|file| Ok(file?.1.name));
                engine.objects().delete_many(&names.collect::<Result<Vec<_>, StoreError>>()?)?;
            }
            engine.forget_all_bands()?;
        }
        let kept = ["migrating", "format", "flushes"].map(keys::meta);
        let mut load = Load::new(self.to);
        for space in keys::SPACES.into_iter().chain([keys::PAGE, keys::FILE, keys::MESSAGE]) {
            for key in store.keys([space]) {
                let key = key?;
                if !kept.contains(&key) {
                    load.remove(key)?;
                }
            }
        }
        load.bring()
    }
}

impl Store {
    /// Whether the store is the target of a migration that has not ended.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_migrating(&self) -> Result<bool, StoreError> {
        Ok(self.get("the state of the store", &keys::meta("migrating"))?.unwrap_or(false))
    }
}
