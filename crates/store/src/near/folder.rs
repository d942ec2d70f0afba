//! The index of near-duplicates of a store in a folder: a file, and the latest documents in memory.
//!
//! The file is in the folder `near` beside the records, so it is removed with them when another store replaces them, as
//! after a removal. The store records the name of the file, and the documents whose signatures were written since
//! ([`IndexLog`]). So after a kill at any moment, the index is complete: the file, and these documents.
//!
//! When many documents were put since, a flush writes a new file. The old one is removed when the store on disk names the
//! new one. A corpus with few documents needs no file, and one with some thousands a small file. When it is too small, the
//! index is built again with twice the size.
//!
//! If the file is missing, damaged, or of another format, the index is built again from the stored signatures, in
//! the order of the document numbers. This takes 10 to 20 µs per document.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gleaner_archive::files::make_folder;
use gleaner_corpus::dedup::{BANDS, BandIndex, BandKeys, BandTable, Candidate, DocumentNumber, KeyPlace};
use gleaner_http::retry::is_out_of_files;
use tracing::{info, warn};
use uuid::Uuid;

use super::file::{CopyError, Entry, IndexFile, remove_others};
use super::{LOADED, load, log_capacity};
use crate::clusters::{SignatureRecord, readable};
use crate::engine::{Engine, IndexLog};
use crate::partitions::Partition;
use crate::records::decode;
use crate::{Store, StoreError, keys};

/// A file is written when the documents in memory are this part of those that fit into it.
const PART: usize = 32;

/// A file up to this size in bytes is not larger than its documents need. A larger file has the full size at once, because it
/// would take long to build the index again and again.
const GROWING: usize = 64 << 20;

/// Maximum number of documents in memory. Each takes about 900 bytes.
const MOST: usize = 50_000;

/// The folder of the file, in the folder of the records.
pub(crate) const FOLDER: &str = "near";

#[derive(Debug)]
pub(super) struct FolderIndex {
    /// Maximum size of the file in bytes.
    bytes: usize,
    file: Option<IndexFile>,
    /// The documents that are not in the file, and a table of them.
    puts: Vec<(DocumentNumber, BandKeys)>,
    recent: BandTable,
}

impl FolderIndex {
    /// Opens the index, or builds it.
    pub(super) fn load(store: &Store, bytes: usize) -> Result<Self, StoreError> {
        let recent = BandTable::for_documents(most_in_memory(bytes));
        let mut index = Self { bytes, file: None, puts: Vec::new(), recent };
        let IndexLog { file, since } = store.engine.index_log()?;
        remove_others(&folder(store), file.as_deref()).map_err(StoreError::folder(&folder(store)))?;
        match file.map(|name| index.opened(store, &name)) {
            None => index.build(store)?,
            Some(Ok(file)) => {
                index.file = Some(file);
                index.put_again(store, since)?;
            }
            Some(Err(error)) => index.build_instead(store, error)?,
        }
        log_capacity(index.known(), bytes);
        Ok(index)
    }

    pub(super) fn candidates(
        &mut self,
        store: &Store,
        keys: &BandKeys,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found = self.recent.documents(keys);
        match self.file.as_ref().map(|file| file.find(keys)) {
            None => {}
            Some(Ok(in_file)) => found.extend(in_file),
            Some(Err(error)) => {
                self.build_instead(store, error)?;
                return self.candidates(store, keys);
            }
        }
        Ok(Candidate::from_documents(found))
    }

    pub(super) fn put(&mut self, number: DocumentNumber, keys: &BandKeys) {
        let Ok(()) = self.recent.put(number, keys);
        self.puts.push((number, keys.clone()));
    }

    /// Writes a new file if there are many documents in memory. All changes must be flushed.
    pub(super) fn save_if_full(&mut self, store: &Store) -> Result<(), StoreError> {
        if self.puts.len() < most_in_memory(self.bytes) {
            return Ok(());
        }
        let (documents, wanted) = (self.known(), self.buckets_for(self.known()));
        let Some(file) = self.file.as_ref().filter(|file| file.buckets() >= wanted) else {
            return self.build(store);
        };
        let buckets = file.buckets();
        let mut entries = Vec::with_capacity(self.puts.len() * BANDS);
        for (document, keys) in &self.puts {
            let places = keys.as_array().map(|key| KeyPlace::new(key, buckets));
            entries.extend(places.map(|place| Entry { place, document: *document }));
        }
        let path = new_path(store)?;
        let merged = file.merged(entries).map_err(CopyError::Read);
        match merged.and_then(|merged| IndexFile::write(&path, buckets, documents, merged)) {
            Ok(file) => self.begin(store, file),
            Err(CopyError::Read(error)) => self.build_instead(store, error),
            Err(CopyError::Write(error)) => Err(StoreError::folder(&folder(store))(error)),
        }
    }

    /// Returns the number of buckets of a file with this number of documents.
    fn buckets_for(&self, documents: u64) -> u32 {
        BandTable::buckets_in(size_for(self.bytes, documents))
    }

    fn known(&self) -> u64 {
        self.file.as_ref().map_or(0, IndexFile::documents) + self.puts.len() as u64
    }

    fn opened(&self, store: &Store, name: &str) -> io::Result<IndexFile> {
        let file = IndexFile::open(&folder(store).join(name))?;
        let fitting = self.buckets_for(file.documents())..=BandTable::buckets_in(self.bytes);
        match fitting.contains(&file.buckets()) {
            true => Ok(file),
            false => Err(io::Error::other("corpus.index_memory was changed")),
        }
    }

    /// Uses a file that is on disk and has all documents.
    fn begin(&mut self, store: &Store, file: IndexFile) -> Result<(), StoreError> {
        let name = file.path().file_name().map(|name| name.to_string_lossy().into_owned());
        store.engine.set_index_log(&IndexLog { file: name.clone(), since: Vec::new() })?;
        self.file = Some(file);
        self.forget_puts();
        remove_others(&folder(store), name.as_deref()).map_err(StoreError::folder(&folder(store)))
    }

    fn forget_puts(&mut self) {
        self.puts = Vec::new();
        self.recent = BandTable::for_documents(most_in_memory(self.bytes));
    }

    /// Puts the documents whose signatures were written after the file.
    fn put_again(&mut self, store: &Store, since: Vec<u32>) -> Result<(), StoreError> {
        let numbers: BTreeSet<u32> = since.into_iter().collect();
        for number in numbers {
            let Some(value) = readable(store.engine.get(&keys::signed(number)))? else { continue };
            let record: SignatureRecord = decode("a signature", &value)?;
            if let Some(signature) = record.signature() {
                self.put(number, &BandKeys::from_signature(&signature));
            }
        }
        Ok(())
    }

    fn build_instead(&mut self, store: &Store, error: io::Error) -> Result<(), StoreError> {
        let folder = folder(store);
        if is_out_of_files(&error) {
            return Err(StoreError::folder(&folder)(error));
        }
        let path = self.file.take().map_or(folder, |file| file.path().to_owned());
        warn!(file = %path.display(), %error, "the index of near-duplicates cannot be used, so it is built again");
        self.build(store)
    }

    /// Builds the index from the stored signatures.
    fn build(&mut self, store: &Store) -> Result<(), StoreError> {
        self.file = None;
        self.forget_puts();
        let most = most_in_memory(self.bytes);
        if store.keys(keys::signed_of(Partition::WHOLE)).take(most).count() < most {
            store.engine.set_index_log(&IndexLog::default())?;
            load(store, Partition::WHOLE, most, |number, keys| self.put(number, keys))?;
            return remove_others(&folder(store), None).map_err(StoreError::folder(&folder(store)));
        }
        let loaded = LOADED * BandTable::capacity_of(self.bytes);
        let count = store.keys(keys::signed_of(Partition::WHOLE)).take(loaded).count();
        let mut table = BandTable::with_memory(size_for(self.bytes, count as u64));
        let documents = load(store, Partition::WHOLE, loaded, |number, keys| {
            let Ok(()) = table.put(number, keys);
        })?;
        info!(documents, "built the index of near-duplicates");
        let buckets = table.buckets().iter().map(|bucket| Ok(*bucket));
        match IndexFile::write(&new_path(store)?, table.buckets().len() as u32, documents, buckets) {
            Ok(file) => self.begin(store, file),
            Err(CopyError::Read(error) | CopyError::Write(error)) => {
                Err(StoreError::folder(&folder(store))(error))
            }
        }
    }
}

/// Returns the number of documents that are kept in memory, for a file of `bytes` bytes.
fn most_in_memory(bytes: usize) -> usize {
    (BandTable::capacity_of(bytes) / PART).clamp(1, MOST)
}

/// Returns the size in bytes of a file with this number of documents, at most `most`. A fifth of the file stays free.
fn size_for(most: usize, documents: u64) -> usize {
    let fits = |bytes: usize| documents.max(1) * 5 <= BandTable::capacity_of(bytes) as u64 * 4;
    let mut bytes = most.min(GROWING);
    if !fits(bytes) {
        return most;
    }
    while fits(bytes / 2) {
        bytes /= 2;
    }
    bytes
}

fn folder(store: &Store) -> PathBuf {
    store.folder.join("sled").join(FOLDER)
}

/// Returns the path of a new file.
fn new_path(store: &Store) -> Result<PathBuf, StoreError> {
    let folder = folder(store);
    make_folder(&folder).map_err(StoreError::folder(&folder))?;
    Ok(folder.join(format!("{}.index", Uuid::new_v4())))
}

/// Reads the whole file of the index. Returns what is wrong with it, or `None` if it is intact or there is no file.
pub(crate) fn file_fault(store: &Store) -> Result<Option<String>, StoreError> {
    let Some(name) = store.engine.index_log()?.file else { return Ok(None) };
    let path = folder(store).join(name);
    match IndexFile::open(&path).and_then(|file| file.check()) {
        Ok(()) => Ok(None),
        Err(error) if is_out_of_files(&error) => Err(StoreError::folder(&folder(store))(error)),
        Err(error) => Ok(Some(format!("{}: {error}", path.display()))),
    }
}

/// Removes the file of the index. The next crawl builds the index again.
pub(crate) fn remove_file(store: &Store) -> Result<(), StoreError> {
    store.engine.set_index_log(&IndexLog::default())?;
    remove_others(&folder(store), None).map_err(StoreError::folder(&folder(store)))
}

/// Uses the index of a store also for `copy`, a copy of this store in the folder `to`.
pub(crate) fn copy_index(from: &Store, to: &Path, copy: &dyn Engine) -> Result<(), StoreError> {
    let log = from.engine.index_log()?;
    let Some(name) = &log.file else { return Ok(()) };
    let (old, new) = (folder(from).join(name), to.join("sled").join(FOLDER));
    make_folder(&new).map_err(StoreError::folder(&new))?;
    match fs::hard_link(&old, new.join(name)).or_else(|_| fs::copy(&old, new.join(name)).map(drop)) {
        // Without the file, the next crawl builds the index.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        linked => {
            linked.and_then(|()| File::open(&new)?.sync_all()).map_err(StoreError::folder(&new))?;
            copy.set_index_log(&log)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use gleaner_corpus::dedup::Signature;
    use tempfile::TempDir;

    use super::*;
    use crate::{StoreOptions, open};

    fn keys(document: u32) -> BandKeys {
        let mut state = u64::from(document) + 1;
        let hashes = (0..300).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        });
        BandKeys::from_signature(&Signature::of_hashes(hashes))
    }

    #[test]
    fn a_file_grows_with_its_documents() {
        assert_eq!(size_for(GROWING, 0), size_for(GROWING, 1));
        for documents in [1, 100, 10_000, 90_000] {
            let (bytes, more) = (size_for(GROWING, documents), size_for(GROWING, 2 * documents));
            assert!(bytes < GROWING && more <= 2 * bytes, "{documents}: {bytes} and {more}");
            assert!(BandTable::capacity_of(bytes) as u64 > documents, "{documents}: {bytes}");
        }
        assert_eq!(size_for(GROWING, 1_000_000), GROWING);
        assert_eq!(size_for(2 << 30, 1_000_000), 2 << 30);
        assert_eq!(size_for(2 << 30, 10_000), size_for(GROWING, 10_000));
    }

    /// With `GLEANER_LOAD=1`, the index has 10 million documents and 2 GiB, and the test prints the times.
    #[test]
    fn a_large_index_is_opened_without_its_documents() {
        let (documents, bytes) = match std::env::var_os("GLEANER_LOAD").is_some() {
            true => (10_000_000, 2 << 30),
            // With more room for each document, because a small file has more full buckets.
            false => (10_000, 4 << 20),
        };
        let folder = TempDir::new().unwrap();
        let store = open(folder.path(), &StoreOptions { cache: 1 << 20, create: true }).unwrap().store();
        let mut table = BandTable::with_memory(bytes);
        (0..documents).for_each(|document| {
            let Ok(()) = table.put(document, &keys(document));
        });
        let mut index = FolderIndex::load(&store, bytes).unwrap();
        let buckets = table.buckets().iter().map(|bucket| Ok(*bucket));
        let path = new_path(&store).unwrap();
        let began = Instant::now();
        let file = IndexFile::write(&path, table.buckets().len() as u32, documents.into(), buckets).unwrap();
        let written = began.elapsed();
        drop(table);
        index.begin(&store, file).unwrap();
        drop(index);

        let began = Instant::now();
        let mut index = FolderIndex::load(&store, bytes).unwrap();
        let opened = began.elapsed();
        assert_eq!((index.known(), index.puts.len()), (documents.into(), 0));
        let asked = documents / 1_000;
        let began = Instant::now();
        let found = (0..1_000).filter(|number| {
            let candidates = index.candidates(&store, &keys(number * asked)).unwrap();
            candidates.first().is_some_and(|first| first.document == number * asked && first.shared > 20)
        });
        assert_eq!(found.count(), 1_000);
        let queried = began.elapsed() / 1_000;

        let more = most_in_memory(bytes) as u32;
        (documents..documents + more).for_each(|document| index.put(document, &keys(document)));
        let began = Instant::now();
        index.save_if_full(&store).unwrap();
        let saved = began.elapsed();
        assert_eq!((index.known(), index.puts.len()), (u64::from(documents + more), 0));
        println!(
            "{documents} documents, {bytes} bytes: written in {written:?}, opened in {opened:?}, {queried:?} for a query, \
             {more} more documents saved in {saved:?}"
        );
    }
}
