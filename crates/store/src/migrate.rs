//! Moves a corpus from one store to another: from a folder to a database, or back.
//!
//! The records are copied one kind after another, in batches. Each batch is on disk before the next begins.
//! Data that depend on whether the store is partitioned are computed again:
//!
//! 1. Hosts, documents and clusters get numbers in the partitions of the target. Within a partition,
//!    documents and clusters keep their order, so the first document stays the first. A cluster goes to the
//!    partition of its representative.
//! 2. The lists of URLs (ready, waiting, buffered) are written from the URLs' states.
//! 3. Totals are counted from the copied records, for each partition. They can be compared with the source's
//!    totals.
//! 4. If a member of a cluster is not in the target partition of the representative, it becomes a document
//!    without a cluster (`near.rs`).
//!
//! The target is marked as unfinished from the first write to the last. A migration to an unfinished target
//! first removes all records and files of the target. The caller copies the archive's files between
//! [`Migration::begin`] and [`Migration::copy`]. The source is only read.
//!
//! A migration needs the memory of one batch, plus 4 bytes for each number that the source ever assigned to a
//! host, document or cluster.
//!
//! Limitations: an interrupted migration starts again from the beginning, because the source may have
//! changed. Documents of different partitions have no common order. Therefore a migration to a database and
//! back may change the order of two documents of different domains.

mod alone;
mod copy;
mod load;
mod numbers;

use thiserror::Error;

use crate::engine::{Batch, Write};
use crate::records::encode;
use crate::{Store, StoreError, Totals, Writer, keys};

pub use alone::join_alone;
use load::Loader;

const AT_ONCE: usize = 1_000;

/// The reason why a corpus cannot be moved.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// The target contains records that do not come from an interrupted migration.
    #[error("the target already has {what}; a corpus is moved into an empty store")]
    NotEmpty {
        /// The kind of record that was found.
        what: &'static str,
    },
    /// The source is incomplete.
    #[error("the source is not complete: a rebuild or migration into it was interrupted; finish that first")]
    Unfinished,
    /// The source contains messages that were not applied.
    #[error(
        "messages wait in the source: start a worker (`gleaner crawl --store ...`), which processes them, and stop it when it is idle"
    )]
    Messages,
    /// Workers are running on the database.
    #[error("workers are running on the database: {workers}; stop them first (`gleaner workers` lists them)")]
    AtWork {
        /// The names of the workers.
        workers: String,
    },
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The numbers of records that a migration has copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MovedRecords {
    /// Hosts.
    pub hosts: u64,
    /// URLs.
    pub urls: u64,
    /// Documents, without earlier revisions.
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
    /// Marks the target as unfinished. If it already was unfinished, removes its records and its files in
    /// object storage.
    ///
    /// # Errors
    /// The source is incomplete or has messages, the target already has a corpus, or a store cannot be read
    /// or written.
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

    /// Whether an earlier migration left the target unfinished.
    #[must_use]
    pub const fn is_resumed(&self) -> bool {
        self.is_again
    }

    /// Returns the target. The caller copies the archive's files to it.
    #[must_use]
    pub const fn target(&mut self) -> &mut Writer {
        self.to
    }

    /// Returns the totals that the source has stored, and the totals that were counted in the target.
    ///
    /// # Errors
    /// One of the stores cannot be read.
    pub fn totals(&self) -> Result<(Totals, Totals), StoreError> {
        Ok((self.from.totals()?, self.to.store().totals()?))
    }

    /// Marks the target as complete.
    ///
    /// # Errors
    /// The target cannot be written.
    pub fn finish(self) -> Result<(), MigrateError> {
        let store = self.to.store();
        if let Some(engine) = &store.distributed {
            let mut last = 0;
            for file in store.archive_files() {
                last = last.max(file?.0);
            }
            engine.raise_counter("files", last)?;
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

    fn empty(&mut self) -> Result<(), StoreError> {
        let store = self.to.store();
        if let Some(engine) = &store.distributed {
            let mut files = store.archive_files().chain(store.document_files()).peekable();
            while files.peek().is_some() {
                let names = files.by_ref().take(AT_ONCE).map(|file| Ok(file?.1.name));
                engine.objects().delete_many(&names.collect::<Result<Vec<_>, StoreError>>()?)?;
            }
        }
        let kept = ["migrating", "format", "flushes"].map(keys::meta);
        let mut load = Loader::new(self.to);
        for space in keys::SPACES.into_iter().chain([keys::PAGE, keys::FILE, keys::MESSAGE]) {
            for key in store.keys([space]) {
                let key = key?;
                if !kept.contains(&key) {
                    load.remove(key)?;
                }
            }
        }
        load.write_batch()
    }
}

impl Store {
    /// Whether the store is the target of an unfinished migration.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn is_migrating(&self) -> Result<bool, StoreError> {
        Ok(self.get("the state of the store", &keys::meta("migrating"))?.unwrap_or(false))
    }
}
