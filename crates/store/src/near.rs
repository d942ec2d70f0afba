//! Defines which kinds of duplicates are detected, and maintains the index that finds near-duplicates.
//!
//! The index finds documents by the keys of their signatures. It contains the documents that represent their
//! cluster or are alone in it. Results are always checked against the store. Therefore a document may stay in the
//! index after it was removed, or after another document became the representative of its cluster.
//!
//! The index of a store in a folder is a file (`near/folder.rs`). The index of a shared store is in memory.
//!
//! Only documents of the same partition are compared. A store in a folder has one partition. In a shared
//! store, each registrable domain is in one of 256 partitions, so copies on other sites are usually not
//! found. In return, the result does not depend on the number of workers, and no worker needs the index of
//! another worker. The index of a partition is loaded when the partition gets its first document, and loaded
//! again if another worker has owned the partition since then.
//!
//! Limitation: documents that were stored without near-duplicate detection have no signature. They are not
//! compared until they are extracted again.

mod file;
mod folder;

use std::collections::BTreeMap;
use std::ops::Bound;

use gleaner_corpus::dedup::{
    BandIndex, BandKeys, BandTable, Candidate, DocumentNumber, Representative, Signature, SignedText,
    SimilarityParams,
};
use tracing::{info, warn};

use crate::clusters::SignatureRecord;
use crate::engine::Range;
use crate::partitions::Partition;
use crate::records::decode;
use crate::{Store, StoreError, Writer, keys};
use folder::FolderIndex;
pub(crate) use folder::{FOLDER, copy_index, file_fault, remove_file};

/// A warning is logged if the index contains less than this share of the documents' keys.
const LITTLE: f64 = 0.5;

/// The index loads at most `LOADED` times the number of documents that fit into its table. The table would
/// keep less than 2% of the keys of even older documents.
const LOADED: usize = 4;

/// The kinds of duplicates that are detected when a document is stored.
#[derive(Debug, Clone)]
pub struct DuplicateLevels {
    /// Whether a text that occurs under several URLs is stored only once, with all its URLs.
    pub exact: bool,
    /// The thresholds for near-duplicates. `None` if near-duplicates are not detected.
    pub near: Option<SimilarityParams>,
    /// The rule that chooses the representative of a cluster.
    pub representative: Representative,
    /// Size of the index in bytes: of its file, or of its memory in a shared store.
    pub memory: usize,
}

impl Default for DuplicateLevels {
    fn default() -> Self {
        Self {
            exact: true,
            near: Some(SimilarityParams::default()),
            representative: Representative::First,
            memory: 64 << 20,
        }
    }
}

/// The kinds of duplicates that are detected, and the index of near-duplicates.
#[derive(Debug)]
pub(crate) struct Duplicates {
    pub(crate) exact: bool,
    pub(crate) representative: Representative,
    near: Option<NearDuplicates>,
}

#[derive(Debug)]
struct NearDuplicates {
    params: SimilarityParams,
    index: Index,
}

#[derive(Debug)]
enum Index {
    Folder(FolderIndex),
    Shared(SharedIndex),
}

/// The index of a shared store.
#[derive(Debug)]
struct SharedIndex {
    table: BandTable,
    /// The partitions in the table, each with the epoch of the lease under which it was loaded.
    loaded: BTreeMap<Partition, i64>,
    known: u64,
}

impl Default for Duplicates {
    /// Detects only exact duplicates.
    fn default() -> Self {
        Self { exact: true, representative: Representative::First, near: None }
    }
}

impl Writer {
    /// Sets which kinds of duplicates are detected when a document is stored. Without this call, only exact
    /// duplicates are detected. Opens the index of near-duplicates of a store in a folder. The index of a shared store
    /// is loaded later, partition by partition.
    ///
    /// # Errors
    /// The store cannot be read, or the index cannot be written.
    pub fn detect_duplicates(&mut self, levels: &DuplicateLevels) -> Result<(), StoreError> {
        // This assignment also frees the memory of the previous index.
        self.duplicates =
            Duplicates { exact: levels.exact, representative: levels.representative, near: None };
        let Some(params) = levels.near else { return Ok(()) };
        let index = match self.store.partitions.is_cut() {
            false => {
                // All signatures must be in the database before the index is opened.
                self.spill()?;
                Index::Folder(FolderIndex::load(&self.store, levels.memory)?)
            }
            true => Index::Shared(SharedIndex {
                table: BandTable::with_memory(levels.memory),
                loaded: BTreeMap::new(),
                known: 0,
            }),
        };
        self.duplicates.near = Some(NearDuplicates { params, index });
        Ok(())
    }

    /// Removes the file with the index of near-duplicates if it is damaged. The next crawl builds it again. Returns
    /// whether it was removed.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn remove_damaged_index(&mut self) -> Result<bool, StoreError> {
        let is_damaged = file_fault(&self.store)?.is_some();
        if is_damaged {
            remove_file(&self.store)?;
        }
        Ok(is_damaged)
    }
}

impl Duplicates {
    /// Returns the documents of a partition that may be similar to a text, and the thresholds. Returns `None`
    /// if near-duplicates are not detected.
    pub(crate) fn candidates(
        &mut self,
        store: &Store,
        partition: Partition,
        signed: &SignedText,
    ) -> Result<Option<(SimilarityParams, Vec<Candidate>)>, StoreError> {
        let Some(NearDuplicates { params, index }) = &mut self.near else { return Ok(None) };
        let candidates = match index {
            Index::Folder(index) => index.candidates(store, &signed.keys)?,
            Index::Shared(index) => index.candidates(store, partition, signed)?,
        };
        Ok(Some((*params, candidates)))
    }

    pub(crate) fn put(&mut self, partition: Partition, number: DocumentNumber, keys: &BandKeys) {
        match self.near.as_mut().map(|near| &mut near.index) {
            Some(Index::Folder(index)) => index.put(number, keys),
            Some(Index::Shared(index)) if index.loaded.contains_key(&partition) => {
                let Ok(()) = index.table.put(number, &keys_in(partition, keys));
            }
            Some(Index::Shared(_)) | None => {}
        }
    }

    pub(crate) fn put_signature(
        &mut self,
        partition: Partition,
        number: DocumentNumber,
        signature: Option<Signature>,
    ) {
        if let Some(signature) = signature {
            self.put(partition, number, &BandKeys::from_signature(&signature));
        }
    }

    /// Writes the index to its file if many documents were put. All changes must be flushed.
    pub(crate) fn after_flush(&mut self, store: &Store) -> Result<(), StoreError> {
        match self.near.as_mut().map(|near| &mut near.index) {
            Some(Index::Folder(index)) => index.save_if_full(store),
            Some(Index::Shared(_)) | None => Ok(()),
        }
    }
}

fn keys_in(partition: Partition, keys: &BandKeys) -> BandKeys {
    partition.index().map_or_else(|| keys.clone(), |group| keys.of_group(group))
}

impl SharedIndex {
    fn candidates(
        &mut self,
        store: &Store,
        partition: Partition,
        signed: &SignedText,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.load(store, partition)?;
        let Ok(mut candidates) = self.table.candidates(&keys_in(partition, &signed.keys));
        // The table compares only 16 bits of a key, so it also returns documents of other partitions.
        candidates.retain(|candidate| store.partitions.of_number(candidate.document) == partition);
        Ok(candidates)
    }

    /// Adds the documents of a partition to the table, unless it already contains them.
    fn load(&mut self, store: &Store, partition: Partition) -> Result<(), StoreError> {
        let epoch = store.partitions.epoch(partition);
        if self.loaded.get(&partition) == Some(&epoch) {
            return Ok(());
        }
        let documents = load(store, partition, LOADED * self.table.capacity(), |number, keys| {
            let Ok(()) = self.table.put(number, &keys_in(partition, keys));
        })?;
        self.loaded.insert(partition, epoch);
        self.known += documents;
        if documents > 0 {
            info!(documents, "built the index of near-duplicates of a partition");
        }
        log_capacity(self.known, self.table.memory());
        Ok(())
    }
}

/// Passes the newest documents of a partition, at most `most`, to `put`, in the order of their numbers. Returns the number
/// of documents.
fn load(
    store: &Store,
    partition: Partition,
    most: usize,
    mut put: impl FnMut(DocumentNumber, &BandKeys),
) -> Result<u64, StoreError> {
    let Some(oldest) = oldest(store, partition, most)? else { return Ok(0) };
    let (mut documents, mut unreadable) = (0, 0_u64);
    let range = Range { begin: Bound::Included(oldest), ..Range::with_prefix(keys::signed_of(partition)) };
    for pair in store.engine.scan(range) {
        let (key, value) = match pair {
            // The document is not found as a near-duplicate until its signature is repaired.
            Err(StoreError::Unreadable { .. }) => {
                unreadable += 1;
                continue;
            }
            pair => pair?,
        };
        let Some((number, _)) = keys::numbers(&key) else { continue };
        let record: SignatureRecord = decode("a signature", &value)?;
        if let Some(signature) = record.signature() {
            put(number, &BandKeys::from_signature(&signature));
            documents += 1;
        }
    }
    if unreadable > 0 {
        warn!(unreadable, "signatures cannot be read; `gleaner verify --repair` computes them again");
    }
    Ok(documents)
}

/// Returns the key of the oldest document to load, or `None` if there are no documents.
fn oldest(store: &Store, partition: Partition, most: usize) -> Result<Option<Vec<u8>>, StoreError> {
    let newest = Range::with_prefix(keys::signed_of(partition)).keys_only().backwards();
    let last = store.engine.scan(newest).take(most).last().transpose()?;
    Ok(last.map(|(key, _)| key))
}

/// Warns if an index of `bytes` bytes is too small for the documents that were put.
fn log_capacity(documents: u64, bytes: usize) {
    let kept = BandTable::retained_share(bytes, documents);
    if kept < LITTLE {
        warn!(
            documents,
            kept, "corpus.index_memory is too small for all documents: copies of old ones are missed"
        );
    }
}
