//! Stores records in sled, in a folder that one process uses. This is the default engine.
//!
//! The database has three trees: `pages` for raw pages, `index` for the file of near-duplicates
//! (`embedded/index_log.rs`), and `records` for everything else. Texts and signatures are in files beside sled, and
//! `records` has their positions (`embedded/texts.rs`).
//!
//! Committed writes stay in memory until [`Embedded::flush`] or [`Embedded::spill`]. Then they are written in this
//! order:
//!
//! 1. New raw pages are written.
//! 2. Texts and signatures are written to their file and synced.
//! 3. All records are written as one batch of sled, so a crash keeps all of them or none.
//! 4. Raw pages are removed.
//!
//! Therefore no record refers to a raw page or a text that is not on disk. When the store is opened, raw
//! pages to which no record refers are removed. A record that many pages change, such as the record of a host,
//! is written to sled once per flush.
//!
//! Limitation: sled 0.34 is a beta that its author no longer develops. docs/architecture.md describes how
//! gleaner handles this.

mod index_log;
mod texts;

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::iter;
use std::ops::Bound;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use gleaner_archive::files::make_folder;
use tracing::info;

use crate::engine::{
    Batch, Engine, IndexLog, KeyValue, LostClaim, Range, Scan, ScanPart, SeeWrite, Write, in_pieces,
};
use crate::partitions::Partition;
use crate::records::{decode, encode};
use crate::unwritable::is_unwritable;
use crate::{StoreError, flushed, keys};
use index_log::LogTree;
use texts::{EntryPosition, Files, Texts};

/// Maximum size of the committed writes in memory, in bytes.
const MAX_WAITING: usize = 16 << 20;

/// Estimated memory of a committed write, in addition to its key and value.
const OF_A_WRITE: usize = 100;

/// The first bytes of compressed values (RFC 8878, section 3.1.1). JSON begins with other bytes.
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Maximum number of pairs that a scan reads at once.
const PIECE: usize = 256;

#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    records: sled::Tree,
    pages: sled::Tree,
    index: LogTree,
    database: sled::Db,
    folder: Arc<Path>,
    state: Arc<RwLock<State>>,
}

#[derive(Debug)]
struct State {
    /// Committed writes that are not in sled.
    waiting: Batch,
    bytes: usize,
    texts: Texts,
    flushes: u64,
    /// Whether there is a file with the index of near-duplicates.
    has_index: bool,
}

impl Embedded {
    /// Opens or creates the database in `path`. `folder` contains the file with the number of the last flush.
    pub(crate) fn open(path: &Path, folder: &Path, cache: u64) -> Result<Self, StoreError> {
        make_folder(path).map_err(StoreError::folder(folder))?;
        remove_unfinished(path);
        Self::open_at(path, path.join("texts"), folder, cache)
    }

    /// Opens the copy of a database in `path` that refers to the files in `texts`.
    pub(crate) fn open_at(
        path: &Path,
        texts: PathBuf,
        folder: &Path,
        cache: u64,
    ) -> Result<Self, StoreError> {
        let database = open_database(path, cache)?;
        let open =
            |name| catch_panic(|| database.open_tree(name))?.map_err(StoreError::sled("opening its trees"));
        let trees = open("records").and_then(|records| Ok((records, open("pages")?, open("index")?)));
        // After an error, the database must not be closed. The comment on `run` explains why.
        let (records, pages, index) = trees.inspect_err(|_| std::mem::forget(database.clone()))?;
        let texts = Texts::new(texts, Files::new(true));
        let state = State { waiting: Batch::default(), bytes: 0, texts, flushes: 0, has_index: false };
        let (index, state) = (LogTree::new(index), Arc::new(state.into()));
        let opened = Self { records, pages, index, database, folder: folder.into(), state };
        opened.load()?;
        Ok(opened)
    }

    fn load(&self) -> Result<(), StoreError> {
        let flushes = self.get(&keys::meta("flushes"))?;
        let flushes: Option<u64> =
            flushes.map(|bytes| decode("the number of flushes", &bytes)).transpose()?;
        flushed::check(&self.folder, flushes.unwrap_or(0))?;
        let files = self.get(&keys::meta("texts"))?;
        let files = files.map(|bytes| decode("the files of texts", &bytes)).transpose()?;
        let index = self.run("reading", || self.index.file())?;
        let mut state = self.write();
        state.flushes = flushes.unwrap_or(0);
        state.has_index = index.is_some();
        state.texts.accept(files.unwrap_or_else(|| Files::new(flushes.is_none())));
        Ok(())
    }

    /// Moves the large values that an older version stored in sled to files. If the process is interrupted,
    /// the next call continues.
    pub(crate) fn move_texts(&self) -> Result<(), StoreError> {
        if self.read().texts.files().is_complete {
            return Ok(());
        }
        let mut moved = 0_u64;
        for space in [keys::DOCUMENT, keys::HISTORY, keys::SIGNED, keys::CLUSTER] {
            for pair in self.stored(&Range::with_prefix([space])) {
                let (key, value) = pair?;
                if !keys::is_large(&key) || EntryPosition::from_bytes(&value).is_some() {
                    continue;
                }
                if moved == 0 {
                    info!("moving texts from sled to files, because an older version wrote the store");
                }
                moved += 1;
                let writes = [(key, Write::Put(value.to_vec()))].into();
                self.commit(Batch { writes }, BTreeSet::new())?;
                self.spill_if_full()?;
            }
        }
        let mut state = self.write();
        let mut files = state.texts.files().clone();
        files.is_complete = true;
        state.texts.accept(files);
        drop(state);
        if moved > 0 {
            self.flush()?;
            info!(records = moved, "moved texts");
        }
        Ok(())
    }

    /// Bounds the memory of a caller that writes many records.
    fn spill_if_full(&self) -> Result<(), StoreError> {
        if self.is_full() { self.spill() } else { Ok(()) }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn place<'a>(&self, key: &'a [u8]) -> (&sled::Tree, &'a [u8]) {
        match key.split_first() {
            Some((&keys::PAGE, url)) => (&self.pages, url),
            _ => (&self.records, key),
        }
    }

    /// Runs an operation of sled, which panics on some damaged files. After a panic, the database is never
    /// closed: closing it would write a state that may differ from the state on disk.
    fn run<T>(&self, doing: &'static str, ask: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
        match catch_panic(ask) {
            Ok(answer) => answer.map_err(StoreError::sled(doing)),
            Err(damaged) => {
                std::mem::forget(self.database.clone());
                Err(damaged)
            }
        }
    }

    /// Writes the waiting records to sled, and their large values to files.
    fn apply(&self, state: &mut State) -> Result<(), StoreError> {
        if state.has_index {
            self.log_signatures(&state.waiting)?;
        }
        let (mut records, mut dropped) = (sled::Batch::default(), Vec::new());
        let mut appending = state.texts.append();
        for (key, write) in &state.waiting.writes {
            let name = self.place(key).1;
            match (key.first(), write.value()) {
                (Some(&keys::PAGE), Some(page)) => {
                    self.run("keeping a page", || self.pages.insert(name, page))?;
                }
                (Some(&keys::PAGE), None) => dropped.push(name),
                (_, value) => {
                    let is_large = keys::is_large(key);
                    if is_large && let Some(old) = self.spot(key)? {
                        appending.files.release(old);
                    }
                    match value {
                        Some(value) if is_large => {
                            records.insert(name, &appending.push(key, value)?.to_bytes())
                        }
                        Some(value) => records.insert(name, packed(key, value).as_ref()),
                        None => records.remove(name),
                    }
                }
            }
        }
        let files = appending.finish()?;
        records.insert(keys::meta("texts"), encode(&files));
        self.run("writing", || self.records.apply_batch(records))?;
        for name in dropped {
            self.run("removing a page", || self.pages.remove(name))?;
        }
        state.texts.accept(files);
        (state.waiting, state.bytes) = (Batch::default(), 0);
        Ok(())
    }

    /// Writes new records, in the order of their keys. Unlike committed writes, a crash may keep a part of them. In this
    /// order, sled soon overwrites its earlier versions of a page, and a store that is filled so has less unused space.
    pub(crate) fn fill(&self, records: &[KeyValue]) -> Result<(), StoreError> {
        let mut state = self.write();
        let (mut appending, mut values) = (state.texts.append(), Vec::with_capacity(records.len()));
        for (key, value) in records {
            let position = keys::is_large(key).then(|| appending.push(key, value)).transpose()?;
            values.push(match position {
                Some(position) => position.to_bytes().to_vec(),
                None => packed(key, value).into_owned(),
            });
        }
        let files = appending.finish()?;
        for ((key, _), value) in records.iter().zip(values) {
            let (tree, name) = self.place(key);
            self.run("writing", || tree.insert(name, value))?;
        }
        state.texts.accept(files);
        Ok(())
    }

    /// Records which signatures will be written.
    fn log_signatures(&self, waiting: &Batch) -> Result<(), StoreError> {
        let signed = waiting.writes.range(vec![keys::SIGNED]..vec![keys::SIGNED + 1]);
        let numbers: Vec<u32> = signed
            .filter(|(_, write)| write.value().is_some())
            .filter_map(|(key, _)| keys::numbers(key).map(|(number, _)| number))
            .collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let add = || self.database.generate_id().and_then(|order| self.index.add(order, &numbers));
        self.run("writing", add)
    }

    fn spot(&self, key: &[u8]) -> Result<Option<EntryPosition>, StoreError> {
        Ok(self.run("reading", || self.records.get(key))?.and_then(|bytes| EntryPosition::from_bytes(&bytes)))
    }

    /// Writes the used entries of a file with many unused bytes again, and removes the file.
    fn compact(&self, state: &mut State) -> Result<(), StoreError> {
        let Some(file) = state.texts.mostly_unused() else { return Ok(()) };
        let Some(entries) = state.texts.entries(file)? else { return Ok(()) };
        for entry in entries {
            if self.spot(&entry.key)? == Some(entry.spot) {
                state.waiting.write(entry.key, Write::Put(entry.value));
            }
        }
        self.apply(state)?;
        self.run("flushing", || self.database.flush())?;
        state.texts.remove(file)
    }

    fn value(&self, state: &State, key: &[u8], stored: &[u8]) -> Result<Vec<u8>, StoreError> {
        match EntryPosition::from_bytes(stored).filter(|_| keys::is_large(key)) {
            Some(spot) => state.texts.read(key, spot),
            None => unpacked(key, stored),
        }
    }

    /// Returns the pairs of a range in sled, with the engine's keys. The tree of raw pages stores keys without
    /// the first byte.
    fn stored(&self, range: &Range) -> impl Iterator<Item = Result<(Vec<u8>, sled::IVec), StoreError>> {
        let is_page = range.space() == Some(keys::PAGE);
        let tree = if is_page { &self.pages } else { &self.records };
        let without =
            |bound: &Bound<Vec<u8>>| bound.clone().map(|key| if is_page { key[1..].to_vec() } else { key });
        let end = match &range.end {
            Bound::Excluded(end) if is_page && end.first() != Some(&keys::PAGE) => Bound::Unbounded,
            end => without(end),
        };
        let (mut pairs, backwards) =
            (tree.range::<Vec<u8>, _>((without(&range.begin), end)), range.backwards);
        iter::from_fn(move || {
            let next = || if backwards { pairs.next_back() } else { pairs.next() }.transpose();
            let pair = self.run("reading", next).transpose()?;
            let whole = |name: &[u8]| if is_page { keys::page_named(name) } else { name.to_vec() };
            Some(pair.map(|(name, value)| (whole(&name), value)))
        })
    }

    /// Reads up to `most` pairs from the beginning of a range. If a value cannot be read, its pair is an
    /// error and the others are returned.
    fn piece(&self, range: Range, most: usize) -> Result<ScanPart, StoreError> {
        if range.is_empty() {
            return Ok((Vec::new(), None));
        }
        let state = self.read();
        let mut stored = self.stored(&range).peekable();
        let mut waiting = within(&state.waiting, &range).peekable();
        let mut pairs = Vec::new();
        let mut last = Vec::new();
        while pairs.len() < most {
            let order = match (stored.peek(), waiting.peek()) {
                (None, None) => return Ok((pairs, None)),
                (Some(Ok((key, _))), Some((other, _))) if range.backwards => (*other).cmp(key),
                (Some(Ok((key, _))), Some((other, _))) => key.cmp(other),
                (Some(_), _) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            let stored = if order.is_le() { stored.next().transpose()? } else { None };
            let pair = match (stored, if order.is_ge() { waiting.next() } else { None }) {
                (_, Some((key, write))) => write.value().map(|value| (key.clone(), Ok(value.to_vec()))),
                (Some((key, _)), None) if range.keys_only => Some((key, Ok(Vec::new()))),
                (Some((key, value)), None) => {
                    let value = self.value(&state, &key, &value);
                    Some((key, value))
                }
                (None, None) => None,
            };
            if let Some((key, value)) = pair {
                last.clone_from(&key);
                pairs.push(value.map(|value| (key, if range.keys_only { Vec::new() } else { value })));
            }
        }
        drop((stored, waiting));
        Ok((pairs, Some(range.beyond(&last))))
    }
}

/// Compresses a template, which is JSON. Returns other values as they are.
fn packed<'a>(key: &[u8], value: &'a [u8]) -> Cow<'a, [u8]> {
    let compressed = || zstd::bulk::compress(value, zstd::DEFAULT_COMPRESSION_LEVEL).ok();
    match key.first() == Some(&keys::TEMPLATE) {
        true => compressed().map_or(Cow::Borrowed(value), Cow::Owned),
        false => Cow::Borrowed(value),
    }
}

/// Returns the value that [`packed`] compressed. Versions of format 2 stored templates as they are.
fn unpacked(key: &[u8], stored: &[u8]) -> Result<Vec<u8>, StoreError> {
    if key.first() != Some(&keys::TEMPLATE) || !stored.starts_with(&ZSTANDARD) {
        return Ok(stored.to_vec());
    }
    let damaged = |error: io::Error| StoreError::Damaged { what: "a template", reason: error.to_string() };
    zstd::stream::decode_all(stored).map_err(damaged)
}

/// Returns the writes in a range, in the range's order.
fn within<'a>(batch: &'a Batch, range: &Range) -> Box<dyn Iterator<Item = (&'a Vec<u8>, &'a Write)> + 'a> {
    let writes = batch.writes.range((range.begin.clone(), range.end.clone()));
    if range.backwards { Box::new(writes.rev()) } else { Box::new(writes) }
}

impl Engine for Embedded {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.read();
        if let Some(write) = state.waiting.writes.get(key) {
            return Ok(write.value().map(<[u8]>::to_vec));
        }
        let (tree, name) = self.place(key);
        let stored = self.run("reading", || tree.get(name))?;
        stored.map(|stored| self.value(&state, key, &stored)).transpose()
    }

    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        if let Some(write) = self.read().waiting.writes.get(key) {
            return Ok(write.value().is_some());
        }
        let (tree, name) = self.place(key);
        self.run("reading", || tree.contains_key(name))
    }

    fn scan(&self, range: Range) -> Scan {
        let (engine, mut most) = (self.clone(), 1);
        // Many callers need only the first pair, so the first piece is small.
        in_pieces(range, move |range| {
            let piece = engine.piece(range, most);
            most = (4 * most).min(PIECE);
            piece
        })
    }

    fn commit(&self, batch: Batch, _: BTreeSet<Partition>) -> Result<(), StoreError> {
        let mut state = self.write();
        for (key, write) in batch.writes {
            let write = match write {
                // Only one process uses the folder, so no other process can have created the key.
                Write::Claim(value) => Write::Put(value),
                write => write,
            };
            state.bytes += key.len() + write.value().map_or(0, <[u8]>::len) + OF_A_WRITE;
            state.waiting.write(key, write);
        }
        Ok(())
    }

    fn waiting(&self, see: &mut SeeWrite<'_>) {
        for (key, write) in &self.read().waiting.writes {
            see(key, write.value());
        }
    }

    fn index_log(&self) -> Result<IndexLog, StoreError> {
        self.run("reading", || self.index.read())
    }

    fn set_index_log(&self, log: &IndexLog) -> Result<(), StoreError> {
        let mut state = self.write();
        if log.file.is_none() && !state.has_index {
            return Ok(());
        }
        self.run("writing", || self.database.generate_id().and_then(|order| self.index.set(order, log)))?;
        self.run("flushing", || self.database.flush())?;
        state.has_index = log.file.is_some();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.read().bytes > MAX_WAITING
    }

    fn spill(&self) -> Result<(), StoreError> {
        self.apply(&mut self.write())
    }

    fn exchange(
        &self,
        key: &[u8],
        expected: Option<&[u8]>,
        records: Vec<KeyValue>,
    ) -> Result<bool, StoreError> {
        // Only one writer exists, so the value cannot change after this check.
        if self.get(key)?.as_deref() != expected {
            return Ok(false);
        }
        let writes = records.into_iter().map(|(key, value)| (key, Write::Put(value))).collect();
        self.commit(Batch { writes }, BTreeSet::new())?;
        self.flush()?;
        Ok(true)
    }

    fn flush(&self) -> Result<Vec<LostClaim>, StoreError> {
        let mut state = self.write();
        let number = state.flushes + 1;
        state.waiting.write(keys::meta("flushes"), Write::Put(encode(&number)));
        self.apply(&mut state)?;
        state.flushes = number;
        self.run("flushing", || self.database.flush())?;
        flushed::note(&self.folder, number)?;
        self.compact(&mut state)?;
        Ok(Vec::new())
    }
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Turns a panic of sled into an error, without printing the panic message.
fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, StoreError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                usual(panic);
            }
        }));
    });
    IS_QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_QUIET.set(false);
    let reason = "sled failed to read its files".into();
    done.map_err(|_| StoreError::Damaged { what: "the database", reason })
}

/// Whether this is a file that sled was writing when the disk became full or the process was killed. sled would
/// take it for its newest snapshot and report a damaged database.
pub(crate) fn is_unfinished(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "generating")
}

/// Removes unfinished files of sled. The finished ones are complete without them.
fn remove_unfinished(path: &Path) {
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    for file in entries.filter(|file| is_unfinished(file)) {
        // If this fails, sled reports the error.
        let _ = fs::remove_file(file);
    }
}

/// Opens the database. Tries several times, because sled's lock may briefly outlive a killed process.
fn open_database(path: &Path, cache: u64) -> Result<sled::Db, StoreError> {
    let config = sled::Config::new().path(path).cache_capacity(cache).flush_every_ms(None);
    let mut last = None;
    for pause in [0, 100, 200, 400, 800, 1600] {
        std::thread::sleep(Duration::from_millis(pause));
        match catch_panic(|| config.open())? {
            Ok(database) => return Ok(database),
            Err(sled::Error::Io(error)) if !is_unwritable(&error) => last = Some(sled::Error::Io(error)),
            Err(error) => return Err(StoreError::sled("opening")(error)),
        }
    }
    let error = last.expect("the loop ends early unless there was an error");
    Err(StoreError::sled("opening")(error))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    fn opened(folder: &TempDir) -> Embedded {
        Embedded::open(&folder.path().join("sled"), folder.path(), 16 << 20).unwrap()
    }

    fn put(engine: &Embedded, key: &[u8], value: Option<&[u8]>) {
        let write = value.map_or(Write::Remove, |value| Write::Put(value.to_vec()));
        let writes = [(key.to_vec(), write)].into();
        engine.commit(Batch { writes }, BTreeSet::new()).unwrap();
    }

    fn all(engine: &Embedded, range: Range) -> Vec<KeyValue> {
        engine.scan(range).map(Result::unwrap).collect()
    }

    fn document(number: u8) -> Vec<u8> {
        [&[keys::DOCUMENT], [number; 16].as_slice()].concat()
    }

    fn files(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path().join("sled/texts")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_template_is_compressed_and_one_of_an_older_version_is_read() {
        let folder = TempDir::new().unwrap();
        let engine = opened(&folder);
        let json = "{\"paths\": [\"div.story > p\"]}".repeat(1000).into_bytes();
        let (old, new) = (keys::template("a.example", 1), keys::template("a.example", 2));
        engine.records.insert(&old, json.clone()).unwrap();
        put(&engine, &new, Some(&json));
        engine.flush().unwrap();
        assert!(engine.records.get(&new).unwrap().unwrap().len() < json.len() / 20);
        assert_eq!(
            all(&engine, Range::with_prefix([keys::TEMPLATE])),
            [(old, json.clone()), (new.clone(), json)]
        );
        let stored = engine.records.get(&new).unwrap().unwrap();
        engine.records.insert(&new, &stored[..stored.len() / 2]).unwrap();
        assert!(matches!(engine.get(&new), Err(StoreError::Damaged { what: "a template", .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Each step puts or removes a key, or flushes. `space` is the kind of keys: URLs, templates, large values or pages.
        #[test]
        fn reads_see_the_latest_writes_whether_flushed_or_not(
            space in prop::sample::select(vec![keys::URL, keys::TEMPLATE, keys::DOCUMENT, keys::PAGE]),
            steps in prop::collection::vec((0_u8..40, 0_u8..4), 1..200),
            from in 0_u8..40,
        ) {
            let folder = TempDir::new().unwrap();
            let engine = opened(&folder);
            let mut model = BTreeMap::new();
            for (at, (number, kind)) in steps.into_iter().enumerate() {
                let key = [&[space], [number; 16].as_slice()].concat();
                let value = format!("value {at}").into_bytes();
                match kind {
                    0 => { engine.flush().unwrap(); }
                    1 => { put(&engine, &key, None); model.remove(&key); }
                    _ => { put(&engine, &key, Some(&value)); model.insert(key, value); }
                }
            }
            let expected: Vec<KeyValue> = model.clone().into_iter().collect();
            prop_assert_eq!(&all(&engine, Range::with_prefix([space])), &expected);
            let reversed: Vec<KeyValue> = expected.iter().rev().cloned().collect();
            prop_assert_eq!(all(&engine, Range::with_prefix([space]).backwards()), reversed);
            let from = [&[space], [from; 16].as_slice()].concat();
            let after = all(&engine, Range::with_prefix([space]).after(from.clone()).keys_only());
            let later: Vec<KeyValue> =
                model.range(from.clone()..).filter(|(key, _)| **key != from).map(|(key, _)| (key.clone(), Vec::new())).collect();
            prop_assert_eq!(after, later);
            prop_assert_eq!(engine.get(&from).unwrap(), model.get(&from).cloned());
            prop_assert_eq!(engine.has(&from).unwrap(), model.contains_key(&from));
            engine.flush().unwrap();
            drop(engine);
            prop_assert_eq!(all(&opened(&folder), Range::with_prefix([space])), expected);
        }
    }

    #[test]
    fn a_change_that_was_not_flushed_is_lost_as_a_whole() {
        let folder = TempDir::new().unwrap();
        let engine = opened(&folder);
        put(&engine, &document(1), Some(b"one"));
        engine.flush().unwrap();
        put(&engine, &document(1), Some(b"two"));
        put(&engine, &document(2), Some(b"two"));
        drop(engine);
        assert_eq!(
            all(&opened(&folder), Range::with_prefix([keys::DOCUMENT])),
            [(document(1), b"one".to_vec())]
        );
    }

    #[test]
    fn a_file_of_which_little_is_used_is_written_again() {
        let folder = TempDir::new().unwrap();
        let engine = opened(&folder);
        engine.write().texts.most = 10_000;
        let value = |number: u8| vec![number; 900];
        (0..20).for_each(|number| put(&engine, &document(number), Some(&value(number))));
        engine.flush().unwrap();
        assert_eq!(files(&folder), ["00000001.texts", "00000002.texts"]);
        (0..4).for_each(|number| put(&engine, &document(number), None));
        engine.flush().unwrap();
        assert_eq!(files(&folder).len(), 2, "more than half is used");
        (4..8).for_each(|number| put(&engine, &document(number), Some(&value(100))));
        engine.flush().unwrap();
        assert_eq!(files(&folder), ["00000002.texts", "00000003.texts"]);
        let check = |engine: &Embedded| {
            for number in 0..20 {
                let expected = match number {
                    0..4 => None,
                    4..8 => Some(value(100)),
                    _ => Some(value(number)),
                };
                assert_eq!(engine.get(&document(number)).unwrap(), expected, "{number}");
            }
        };
        check(&engine);
        drop(engine);
        check(&opened(&folder));
    }

    #[test]
    fn a_damaged_file_is_not_written_again() {
        let folder = TempDir::new().unwrap();
        let engine = opened(&folder);
        engine.write().texts.most = 1_000;
        (0..2).for_each(|number| put(&engine, &document(number), Some(&[number; 900])));
        engine.flush().unwrap();
        let first = folder.path().join("sled/texts/00000001.texts");
        fs::write(&first, [0; 926]).unwrap();
        put(&engine, &document(0), Some(b"new"));
        engine.flush().unwrap();
        engine.flush().unwrap();
        assert!(first.exists());
        assert_eq!(engine.get(&document(0)).unwrap().unwrap(), b"new");
        fs::remove_file(&first).unwrap();
        drop(engine);
        let engine = opened(&folder);
        engine.flush().unwrap();
        assert_eq!(files(&folder), ["00000002.texts"]);
        assert_eq!(engine.get(&document(1)).unwrap().unwrap(), [1; 900]);
    }

    #[test]
    fn values_of_an_older_version_are_moved_to_files() {
        let folder = TempDir::new().unwrap();
        let engine = opened(&folder);
        engine.flush().unwrap();
        // An older version left this state.
        let member = [keys::CLUSTER, 0, 0, 0, 1, 0, 0, 0, 2];
        let old: [(&[u8], &[u8]); 4] = [
            (&document(1), b"\x92one"),
            (&document(2), b"\x92two"),
            (b"s0001", b"\x95three"),
            (&member, b"\x95four"),
        ];
        for (key, value) in old {
            engine.records.insert(key, value).unwrap();
        }
        engine.records.remove(keys::meta("texts")).unwrap();
        engine.database.flush().unwrap();
        drop(engine);

        let engine = opened(&folder);
        let check = |engine: &Embedded| {
            for (key, value) in old {
                assert_eq!(engine.get(key).unwrap().unwrap(), value);
            }
        };
        check(&engine);
        put(&engine, &document(1), Some(b"\x92newer"));
        put(&engine, &document(1), Some(b"\x92one"));
        engine.move_texts().unwrap();
        check(&engine);
        drop(engine);
        let engine = opened(&folder);
        check(&engine);
        for (key, _) in old {
            assert!(engine.spot(key).unwrap().is_some());
        }
        let before = engine.read().texts.files().clone();
        assert!(before.is_complete);
        engine.move_texts().unwrap();
        assert_eq!(engine.read().texts.files(), &before);
    }
}
