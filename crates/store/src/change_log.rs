//! Keeps every change of a store in its archive, so that the archive alone restores the store.
//!
//! Before a flush writes records to sled, it appends them to the archive as one `metadata` record (WARC 1.1, 6.6),
//! which other programs skip. Its block is a sequence of MessagePack pairs: the key of a record (`keys.rs`), and its
//! new value, or nil if the record was removed. Its header has two fields:
//!
//! | field | value |
//! |---|---|
//! | `Gleaner-Changes` | the number of the record: each is one larger than the number of the last |
//! | `Gleaner-Snapshot` | `begin`, `part` or `end`: the record is part of a copy of the whole store |
//!
//! A store that has no changes in the archive yet, because an older version wrote it or because it was built anew, is
//! first copied to the archive as a whole ([`Writer::open_archive`]). A restored store ([`Writer::restore`]) has the
//! records of the last complete copy, and all later changes.
//!
//! **Invariant:** sled on disk never has a change that the archive on disk does not have. If the archive has more,
//! because a crash happened between the two, the next [`Writer::open_archive`] applies the rest.
//!
//! A raw page is logged without its body, which is in the archive as a response. The records about the files of the store
//! itself are not logged ([`is_logged`]).
//!
//! Limitation: the changes of a shared database are not in the archive. The database is backed up with its own tools.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gleaner_archive::files::names;
use gleaner_archive::{Archive, ArchiveReader, Damage, Header, Item, Metadata, Record, RecordPosition};
use gleaner_corpus::ContentHash;
use gleaner_frontier::{CanonicalUrl, RemovedUrls};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use tracing::{info, warn};

use crate::archive::ArchiveTarget;
use crate::engine::{Batch, Write};
use crate::packed::unpack_page;
use crate::partitions::Partition;
use crate::records::{PackedInfo, decode};
use crate::removal::finish_rewrite;
use crate::{ArchiveEnd, PackedPage, RawPage, Store, StoreError, UrlRecord, UrlState, Writer, keys};

/// The `Content-Type` of the records in the archive.
pub const CHANGES_TYPE: &str = "application/vnd.gleaner.changes";

const NUMBER: &str = "Gleaner-Changes";
const SNAPSHOT: &str = "Gleaner-Snapshot";

/// Number of the last logged change under `m`. A store without it is not logged.
const LAST: &str = "changes";

/// Size in bytes after which a part of a snapshot ends.
const PART: usize = 8 << 20;

/// Maximum length of a block with changes that is read, in bytes. A change has at most some ten megabytes.
const MAX_BLOCK: usize = 256 << 20;

/// Records about the files of the store itself, which differ between a store and its copy.
const OF_FILES: [&str; 7] = ["archive", "changes", "flushes", "format", "migrating", "rebuilding", "texts"];

fn is_logged(key: &[u8]) -> bool {
    match key.split_first() {
        Some((&(keys::FILE | keys::MESSAGE), _)) => false,
        Some((&keys::META, name)) => !OF_FILES.iter().any(|other| other.as_bytes() == name),
        _ => true,
    }
}

#[derive(Serialize)]
struct WriteRef<'a>(&'a Bytes, Option<&'a Bytes>);

#[derive(Deserialize)]
struct OwnedWrite(ByteBuf, Option<ByteBuf>);

/// Appends a write of the store to a block of changes, if it is logged.
fn push_logged(block: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) -> Result<(), StoreError> {
    match value {
        _ if !is_logged(key) => {}
        Some(value) if key.first() == Some(&keys::PAGE) => {
            let without_body = RawPage { body: Vec::new(), ..unpack_page(value)? };
            push(block, key, Some(&PackedPage::from_page(&without_body).0));
        }
        value => push(block, key, value),
    }
    Ok(())
}

/// Appends a write to a block of changes.
fn push(block: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) {
    let write = WriteRef(Bytes::new(key), value.map(Bytes::new));
    rmp_serde::encode::write(block, &write).expect("writing to memory cannot fail");
}

/// Reads a block of changes.
fn writes(block: &[u8]) -> impl Iterator<Item = Result<OwnedWrite, StoreError>> {
    let mut rest = block;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut decoder = rmp_serde::Deserializer::new(rest);
        let write = OwnedWrite::deserialize(&mut decoder);
        rest = decoder.into_inner();
        Some(write.map_err(|error| {
            rest = &[];
            StoreError::Damaged { what: "a change in the archive", reason: error.to_string() }
        }))
    })
}

fn batch(block: &[u8]) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    for write in writes(block) {
        let OwnedWrite(key, value) = write?;
        let write = value.map_or(Write::Remove, |value| Write::Put(value.into_vec()));
        batch.writes.insert(key.into_vec(), write);
    }
    Ok(batch)
}

/// Whether a change is about a removed URL or host, or has a removed text under another URL, which had it earlier. The
/// numbers in counts stay.
fn is_removed(key: &[u8], value: Option<&[u8]>, removed: &RemovedUrls, texts: &HashSet<ContentHash>) -> bool {
    let has_removed_text = || {
        let packed = value.filter(|_| !texts.is_empty() && keys::is_text(key));
        let packed = packed.and_then(|value| decode::<PackedInfo>("a document", value).ok());
        packed.is_some_and(|packed| texts.contains(&packed.document.content_hash))
    };
    let is_of_removed_host = || {
        let record = value.filter(|_| key.first() == Some(&keys::URL));
        let record = record.and_then(|value| decode::<UrlRecord>("a URL", value).ok());
        let url = record.and_then(|record| CanonicalUrl::from_record(&record.url).ok());
        url.is_some_and(|url| removed.contains_host(url.host()))
    };
    match keys::owner_of(key) {
        keys::Owner::Url(url) => removed.contains_key(url) || is_of_removed_host() || has_removed_text(),
        keys::Owner::Host(host) => key.first() != Some(&keys::COUNTS) && removed.contains_host(host),
        _ => false,
    }
}

/// Returns a block of changes without those about removed URLs, hosts and texts, or `None` if it has none of them.
pub(crate) fn changes_without(
    block: &[u8],
    removed: &RemovedUrls,
    texts: &HashSet<ContentHash>,
) -> Result<Option<Vec<u8>>, StoreError> {
    let (mut kept, mut has_removed) = (Vec::with_capacity(block.len()), false);
    for write in writes(block) {
        let OwnedWrite(key, value) = write?;
        let value = value.as_ref().map(|value| value.as_slice());
        match is_removed(&key, value, removed, texts) {
            true => has_removed = true,
            false => push(&mut kept, &key, value),
        }
    }
    Ok(has_removed.then_some(kept))
}

/// Where a record with changes is.
#[derive(Debug, Clone)]
struct LogEntry {
    file: PathBuf,
    offset: u64,
    number: u64,
    snapshot: Option<SnapshotPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SnapshotPart {
    Begin,
    Part,
    End,
}

impl SnapshotPart {
    const ALL: [(Self, &'static str); 3] = [(Self::Begin, "begin"), (Self::Part, "part"), (Self::End, "end")];

    fn label(self) -> &'static str {
        Self::ALL.iter().find(|(part, _)| *part == self).map_or("", |(_, label)| label)
    }

    fn from_header(header: &Header) -> Option<Self> {
        let stated = header.get(SNAPSHOT)?;
        Self::ALL.iter().find(|(_, label)| *label == stated).map(|(part, _)| *part)
    }
}

/// Reads the body of a raw page from its archived response.
fn archived_body(files: &BTreeMap<u32, PathBuf>, record: &UrlRecord) -> Result<Vec<u8>, String> {
    let archived = record.archived.ok_or("its response is not in the archive")?;
    let file = files.get(&archived.file).ok_or("its archive file is missing")?;
    let mut reader =
        ArchiveReader::open(file, archived.offset, MAX_BLOCK).map_err(|error| error.to_string())?;
    let response = match reader.next() {
        Some(Ok(Item::Record(response))) => response,
        Some(Ok(Item::Damage(damage))) => return Err(damage.reason),
        Some(Err(error)) => return Err(error.to_string()),
        None => return Err("the archive file ends before it".into()),
    };
    let message = response.http().ok_or("its archive record is not a response")?;
    Ok(message.payload(MAX_BLOCK).body)
}

/// Whether a record of an archive has changes of a store.
#[must_use]
pub fn is_of_changes(record: &Record) -> bool {
    record.header.kind().as_deref() == Some("metadata")
        && record.header.get("Content-Type") == Some(CHANGES_TYPE)
}

/// The log of a store in an archive, as far as it can be read.
#[derive(Debug, Clone, Default)]
pub struct ChangeLog {
    /// The records with changes, in the order of the archive.
    entries: Vec<LogEntry>,
    /// Parts of the archive that cannot be read: file, offset in bytes, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// Whether changes are missing, because a part of the archive is damaged or a file is missing.
    pub is_incomplete: bool,
    /// The end of the last intact record. `None` if the archive has no file.
    end: Option<ArchiveEnd>,
}

impl ChangeLog {
    /// Finds the changes in the files of an archive, which must be in their order. Begins at `offset` in the first file.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn find(files: &[PathBuf], offset: u64) -> io::Result<Self> {
        let mut log = Self::default();
        for (index, file) in files.iter().enumerate() {
            let from = if index == 0 { offset } else { 0 };
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            log.end = Some(ArchiveEnd { file: name, length: fs::metadata(file)?.len() });
            for item in ArchiveReader::open(file, from, 0)? {
                match item? {
                    Item::Record(record) => log.entries.extend(entry(file, &record)),
                    Item::Damage(Damage { offset, reason, is_last }) => {
                        // The next process that appends cuts off an incomplete record.
                        log.end.iter_mut().filter(|_| is_last).for_each(|end| end.length = offset);
                        log.damaged.push((file.clone(), offset, reason));
                    }
                }
            }
        }
        Ok(log)
    }

    /// Returns the number of records with changes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Whether the archive has no changes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Drops what a later complete snapshot replaces, and checks that no change is missing after it.
    fn since_snapshot(mut self) -> Self {
        let is = |part| move |entry: &LogEntry| entry.snapshot == Some(part);
        let end = self.entries.iter().rposition(is(SnapshotPart::End));
        let begin = end.and_then(|end| self.entries[..end].iter().rposition(is(SnapshotPart::Begin)));
        self.is_incomplete = begin.is_none();
        self.entries.drain(..begin.unwrap_or(0));
        let numbers = self.entries.iter().map(|entry| entry.number);
        self.is_incomplete |= numbers.clone().zip(numbers.skip(1)).any(|(one, next)| next != one + 1);
        self
    }

    /// Whether the archive has all changes of a store. It does not if the archive was cut, or if the store was changed
    /// without its archive.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn has_all_of(&self, store: &Store) -> Result<bool, StoreError> {
        let found = self.entries.last().map(|entry| entry.number);
        Ok(store.last_change()?.is_some_and(|last| found >= Some(last)))
    }

    /// Returns the last value of a store-wide record in the log.
    fn last_meta(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let key = keys::meta(name);
        for entry in self.entries.iter().rev() {
            if let Some(write) = entry.batch()?.writes.remove(&key) {
                return Ok(write.value().map(<[u8]>::to_vec));
            }
        }
        Ok(None)
    }

    /// Returns the records about removals, by their keys.
    pub(crate) fn removals(&self) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, StoreError> {
        let prefixes = keys::all_removals();
        let mut records = BTreeMap::new();
        for entry in &self.entries {
            for (key, write) in entry.batch()?.writes {
                if !prefixes.iter().any(|prefix| key.starts_with(prefix)) {
                    continue;
                }
                match write.value() {
                    Some(value) => drop(records.insert(key, value.to_vec())),
                    None => drop(records.remove(&key)),
                }
            }
        }
        Ok(records)
    }

    /// Returns the seeds of the last crawl. `None` if the archive does not have them.
    ///
    /// # Errors
    /// A change cannot be read.
    pub fn seeds(&self) -> Result<Option<Vec<gleaner_frontier::Seed>>, StoreError> {
        self.last_meta(crate::seeds::NAME)?.map(|bytes| crate::seeds::decoded(&bytes)).transpose()
    }
}

fn entry(file: &Path, record: &Record) -> Option<LogEntry> {
    let number = record.header.get(NUMBER).filter(|_| is_of_changes(record))?.parse().ok()?;
    let snapshot = SnapshotPart::from_header(&record.header);
    Some(LogEntry { file: file.to_owned(), offset: record.offset, number, snapshot })
}

impl LogEntry {
    fn batch(&self) -> Result<Batch, StoreError> {
        let Self { file, offset, .. } = self;
        let wrong = |reason: String| StoreError::Damaged {
            what: "a change in the archive",
            reason: format!("byte {offset} of {}: {reason}", file.display()),
        };
        let item = ArchiveReader::open(file, *offset, MAX_BLOCK).map(|mut reader| reader.next());
        match item.map_err(|error| wrong(error.to_string()))? {
            Some(Ok(Item::Record(record))) if !record.is_cut => {
                record.check().map_err(wrong)?;
                batch(&record.block)
            }
            Some(Ok(Item::Record(_))) => Err(wrong("it is too large".into())),
            Some(Ok(Item::Damage(damage))) => Err(wrong(damage.reason)),
            Some(Err(error)) => Err(wrong(error.to_string())),
            None => Err(wrong("the file ends before it".into())),
        }
    }
}

impl Store {
    /// Returns the number of the last change in the archive, which names the state of the store. `None` if the changes
    /// are not in an archive.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_change(&self) -> Result<Option<u64>, StoreError> {
        self.get("the number of the last logged change", &keys::meta(LAST))
    }
}

impl Writer {
    /// Applies the changes in the archive that a crash kept from the store, or begins the log with a snapshot of the
    /// store.
    pub(crate) fn open_log(&mut self, folder: &Path) -> Result<(), StoreError> {
        let store = self.store();
        // If the archive was moved or has lost its end, it does not have all changes any more.
        let is_there = |end: &ArchiveEnd| {
            fs::metadata(folder.join(&end.file)).is_ok_and(|metadata| metadata.len() >= end.length)
        };
        match (store.last_change()?, store.archive_end()?.filter(is_there)) {
            (Some(last), Some(end)) => {
                self.logged = Some(last);
                self.redo(folder, &end)
            }
            _ => self.append_snapshot(),
        }
    }

    /// Applies the changes in the archive in `folder` that a crash kept from the store.
    ///
    /// # Errors
    /// The archive cannot be read, or the store cannot be written.
    pub fn recover(&mut self, folder: &Path) -> Result<(), StoreError> {
        match (self.store().last_change()?, self.store().archive_end()?) {
            (Some(_), Some(end)) => self.redo(folder, &end),
            _ => Ok(()),
        }
    }

    fn redo(&mut self, folder: &Path, end: &ArchiveEnd) -> Result<(), StoreError> {
        let newer = names(folder)?.into_iter().skip_while(|name| *name != end.file);
        let files: Vec<PathBuf> = newer.map(|name| folder.join(name)).collect();
        let log = ChangeLog::find(&files, end.length).map_err(StoreError::folder(folder))?;
        let Some(last) = log.entries.last().map(|entry| entry.number) else { return Ok(()) };
        info!(
            changes = log.entries.len(),
            "applying changes in the archive that a crash kept from the store"
        );
        for entry in &log.entries {
            self.apply_logged(entry.batch()?)?;
        }
        self.restore_raw_pages(folder)?;
        self.set_last_change(last)?;
        // The archive has these changes already.
        self.store().engine.spill()?;
        self.flush()?;
        // The positions of responses may be those in a file that was to be replaced.
        finish_rewrite(self)
    }

    /// Adds the bodies of the raw pages that wait for a template, from their archived responses.
    fn restore_raw_pages(&mut self, folder: &Path) -> Result<(), StoreError> {
        let files: BTreeMap<u32, PathBuf> = names(folder)?
            .into_iter()
            .map(|name| (RecordPosition { file: name.clone(), offset: 0 }.number(), folder.join(name)))
            .collect();
        let store = self.store();
        for pair in store.scan([keys::URL]) {
            let (key, value) = pair?;
            let record: UrlRecord = decode("a URL", &value)?;
            let needs_page = matches!(record.state, UrlState::Buffered { .. } | UrlState::Kept);
            let Some(url) = keys::last_url(&key).filter(|_| needs_page) else { continue };
            let key = keys::page(url);
            let page = store.engine.get(&key)?.map(|bytes| unpack_page(&bytes)).transpose()?;
            let Some(page) = page.filter(|page| page.body.is_empty()) else { continue };
            let write = match archived_body(&files, &record) {
                Ok(body) => Write::Put(PackedPage::from_page(&RawPage { body, ..page }).0),
                // The training counts the page as unreadable.
                Err(reason) => {
                    warn!(url = record.url, reason, "the raw page cannot be restored");
                    Write::Remove
                }
            };
            self.apply_logged(Batch { writes: [(key, write)].into() })?;
        }
        Ok(())
    }

    fn apply_logged(&self, batch: Batch) -> Result<(), StoreError> {
        let engine = &self.store().engine;
        engine.commit(batch, [Partition::WHOLE].into())?;
        if engine.is_full() { engine.spill() } else { Ok(()) }
    }

    /// Fills an empty store from the log of the archive in `folder`. Changes that cannot be read are named in the result's
    /// `damaged`, and omitted. `progress` gets the number of changes applied since the last call.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn restore(
        &mut self,
        folder: &Path,
        log: ChangeLog,
        mut progress: impl FnMut(u64),
    ) -> Result<ChangeLog, StoreError> {
        let mut log = log.since_snapshot();
        let mut last = 0;
        for entry in &log.entries {
            match entry.batch() {
                Ok(batch) => self.apply_logged(batch)?,
                Err(error) => {
                    log.is_incomplete = true;
                    log.damaged.push((entry.file.clone(), entry.offset, error.to_string()));
                }
            }
            last = entry.number;
            progress(1);
        }
        self.restore_raw_pages(folder)?;
        // The archive has these changes already.
        self.store().engine.spill()?;
        if !log.is_incomplete {
            self.set_last_change(last)?;
            let mut change = self.begin();
            log.end.iter().for_each(|end| change.put_archive_end(end));
            self.commit(change)?;
        }
        self.flush()?;
        Ok(log)
    }

    /// Copies the whole store to the archive in `folder`, if the archive does not have all its changes because a part is
    /// damaged. Returns whether it did. Does nothing if no archive is open.
    ///
    /// # Errors
    /// The archive cannot be read or written.
    pub fn complete_log(&mut self, folder: &Path) -> Result<bool, StoreError> {
        if self.logged.is_none() {
            return Ok(false);
        }
        let files: Vec<PathBuf> = names(folder)?.into_iter().map(|name| folder.join(name)).collect();
        let log = ChangeLog::find(&files, 0).map_err(StoreError::folder(folder))?.since_snapshot();
        if log.is_incomplete {
            self.append_snapshot()?;
        }
        Ok(log.is_incomplete)
    }

    /// Copies the whole store to the archive.
    fn append_snapshot(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        let (mut block, mut part, mut records) = (Vec::new(), SnapshotPart::Begin, 0_u64);
        // The numbers go on, so that a copy that a crash interrupts leaves no gap.
        self.logged.get_or_insert(0);
        for space in keys::SPACES.into_iter().chain([keys::PAGE]) {
            for pair in store.scan([space]) {
                let (key, value) = match pair {
                    Ok(pair) => pair,
                    Err(error @ (StoreError::Lost { .. } | StoreError::Unreadable { .. })) => {
                        warn!(%error, "the archive does not get a record that cannot be read");
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                push_logged(&mut block, &key, Some(&value))?;
                records += 1;
                if block.len() >= PART {
                    self.append_block(&std::mem::take(&mut block), Some(part))?;
                    part = SnapshotPart::Part;
                }
            }
        }
        if part == SnapshotPart::Begin {
            self.append_block(&std::mem::take(&mut block), Some(part))?;
        }
        self.append_block(&block, Some(SnapshotPart::End))?;
        if records > 0 {
            info!(records, "copied the store to the archive, so that the archive alone restores it");
        }
        self.flush()
    }

    /// Appends the committed writes that are not in the database yet.
    pub(crate) fn append_changes(&mut self) -> Result<(), StoreError> {
        let (mut block, mut pushed) = (Vec::new(), Ok(()));
        self.store.engine.waiting(&mut |key, value| {
            if pushed.is_ok() {
                pushed = push_logged(&mut block, key, value);
            }
        });
        pushed?;
        if block.is_empty() {
            return Ok(());
        }
        match (&self.archive_target, self.logged) {
            (Some(ArchiveTarget::Folder(_)), Some(_)) => self.append_block(&block, None),
            (Some(ArchiveTarget::Objects(_)), _) => Ok(()),
            // The log would miss these changes, so the next process that opens the archive begins it again.
            _ => self.forget_log(),
        }
    }

    fn forget_log(&mut self) -> Result<(), StoreError> {
        self.logged = None;
        if self.store().last_change()?.is_none() {
            return Ok(());
        }
        let mut change = self.begin();
        change.remove(keys::meta(LAST));
        let (batch, partitions) = change.into_batch()?;
        self.store.engine.commit(batch, partitions)
    }

    fn append_block(&mut self, block: &[u8], part: Option<SnapshotPart>) -> Result<(), StoreError> {
        let Some(ArchiveTarget::Folder(archive)) = &mut self.archive_target else { return Ok(()) };
        let number = self.logged.unwrap_or(0) + 1;
        append(archive, number, block, part)?;
        self.set_last_change(number)
    }

    fn set_last_change(&mut self, number: u64) -> Result<(), StoreError> {
        self.logged = Some(number);
        let mut change = self.begin();
        change.put(keys::meta(LAST), &number);
        let (batch, partitions) = change.into_batch()?;
        self.store.engine.commit(batch, partitions)
    }
}

fn append(
    archive: &mut Archive,
    number: u64,
    block: &[u8],
    part: Option<SnapshotPart>,
) -> Result<(), StoreError> {
    let number = number.to_string();
    let (level, of_changes) = (archive.options().level, archive.options().of_changes.clone());
    let own = of_changes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut fields = vec![(NUMBER, number.as_str())];
    fields.extend(part.map(|part| (SNAPSHOT, part.label())));
    fields.extend(own);
    let at = Timestamp::now();
    let record = Metadata { at, content_type: CHANGES_TYPE, fields: &fields, block }.record(level);
    archive.append(&record, at)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use gleaner_archive::files::ArchiveOptions;
    use gleaner_corpus::DocumentId;
    use gleaner_frontier::UrlKey;
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::{StoreOptions, open};

    #[derive(Debug, Clone)]
    enum Step {
        Put(u8, u8),
        Remove(u8),
        Flush,
        Spill,
        /// A crash that loses all changes in memory.
        Crash,
        /// A crash after the changes were written to the archive, and before they were written to the database.
        CrashAfterArchive,
        /// A crash while the whole store is copied to the archive again.
        CrashInSnapshot,
        /// A process that changes the store without its archive.
        WithoutArchive(u8, u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            5 => (0..8_u8, any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
            2 => (0..8_u8).prop_map(Step::Remove),
            2 => Just(Step::Flush),
            1 => Just(Step::Spill),
            1 => Just(Step::Crash),
            1 => Just(Step::CrashAfterArchive),
            1 => Just(Step::CrashInSnapshot),
            1 => (0..8_u8, any::<u8>()).prop_map(|(key, value)| Step::WithoutArchive(key, value)),
        ];
        prop::collection::vec(step, 0..40)
    }

    /// Half of the keys are those of texts, which sled does not contain.
    fn key(number: u8) -> Vec<u8> {
        match number % 2 {
            0 => keys::meta(&format!("test {number}")),
            _ => keys::document(DocumentId([number; 16])),
        }
    }

    fn opened(folder: &Path) -> Writer {
        open(folder, &StoreOptions { cache: 1 << 20, create: true }).unwrap()
    }

    fn with_archive(folder: &Path) -> Writer {
        let mut writer = opened(folder);
        let of_changes = vec![("Gleaner-Software".to_owned(), "test".to_owned())];
        let options = ArchiveOptions { rotate: 2_000, level: 1, info: Vec::new(), of_changes };
        writer.open_archive(&folder.join("archive"), options).unwrap();
        writer
    }

    fn write(writer: &mut Writer, number: u8, value: Option<u8>) {
        let mut change = writer.begin();
        match value {
            Some(value) => change.put_bytes(key(number), vec![value; 100]),
            None => change.remove(key(number)),
        }
        writer.commit(change).unwrap();
    }

    fn records(store: &Store) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let pairs = keys::SPACES.into_iter().flat_map(|space| store.scan([space]).collect::<Vec<_>>());
        pairs.map(Result::unwrap).filter(|(key, _)| is_logged(key)).collect()
    }

    fn archive_files(folder: &Path) -> Vec<PathBuf> {
        let folder = folder.join("archive");
        names(&folder).unwrap().into_iter().map(|name| folder.join(name)).collect()
    }

    fn restored(folder: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let new = TempDir::new().unwrap();
        let mut writer = opened(new.path());
        let log = writer
            .restore(&folder.join("archive"), ChangeLog::find(&archive_files(folder), 0).unwrap(), |_| {})
            .unwrap();
        assert!(!log.is_incomplete && log.damaged.is_empty(), "{log:?}");
        assert_eq!(writer.store().last_change().unwrap(), log.entries.last().map(|entry| entry.number));
        records(&writer.store())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        #[test]
        fn the_archive_restores_the_store_after_any_history(steps in steps()) {
            let folder = TempDir::new().unwrap();
            let mut writer = with_archive(folder.path());
            for step in steps {
                match step {
                    Step::Put(number, value) => write(&mut writer, number, Some(value)),
                    Step::Remove(number) => write(&mut writer, number, None),
                    Step::Flush => writer.flush().unwrap(),
                    Step::Spill => writer.spill().unwrap(),
                    Step::Crash => {
                        drop(writer);
                        writer = with_archive(folder.path());
                    }
                    Step::CrashAfterArchive => {
                        let expected = records(&writer.store());
                        writer.sync_archive().unwrap();
                        drop(writer);
                        writer = with_archive(folder.path());
                        prop_assert_eq!(records(&writer.store()), expected);
                    }
                    Step::CrashInSnapshot => {
                        writer.flush().unwrap();
                        writer.append_block(&[], Some(SnapshotPart::Begin)).unwrap();
                        drop(writer);
                        writer = with_archive(folder.path());
                    }
                    Step::WithoutArchive(number, value) => {
                        drop(writer);
                        writer = opened(folder.path());
                        write(&mut writer, number, Some(value));
                        writer.flush().unwrap();
                        drop(writer);
                        writer = with_archive(folder.path());
                    }
                }
            }
            writer.flush().unwrap();
            prop_assert_eq!(restored(folder.path()), records(&writer.store()));
        }
    }

    #[test]
    fn a_missing_change_is_noticed() {
        let folder = TempDir::new().unwrap();
        let mut writer = with_archive(folder.path());
        for number in 0..40 {
            write(&mut writer, number, Some(number));
            writer.flush().unwrap();
        }
        drop(writer);
        let files = archive_files(folder.path());
        assert!(files.len() > 3);
        let middle = &files[files.len() / 2];
        let mut bytes = fs::read(middle).unwrap();
        let at = bytes.len() - 20;
        bytes[at] ^= 0xff;
        fs::write(middle, bytes).unwrap();
        let new = TempDir::new().unwrap();
        let mut writer = opened(new.path());
        let log = writer
            .restore(&folder.path().join("archive"), ChangeLog::find(&files, 0).unwrap(), |_| {})
            .unwrap();
        assert!(log.is_incomplete && !log.damaged.is_empty());
        // The other changes are applied.
        assert!(records(&writer.store()).len() >= 35);
    }

    #[test]
    fn changes_of_removed_urls_are_left_out() {
        let (removed, kept) = (UrlKey::from_bytes([1; 16]), UrlKey::from_bytes([2; 16]));
        let mut block = Vec::new();
        push(&mut block, &keys::url(removed), Some(b"a"));
        push(&mut block, &keys::document(DocumentId([1; 16])), Some(b"text"));
        push(&mut block, &keys::url(kept), Some(b"b"));
        push(&mut block, &keys::meta("run"), None);
        let mut urls = RemovedUrls::default();
        urls.add_url(removed);
        let without = changes_without(&block, &urls, &HashSet::new()).unwrap().unwrap();
        let mut expected = Vec::new();
        push(&mut expected, &keys::url(kept), Some(b"b"));
        push(&mut expected, &keys::meta("run"), None);
        assert_eq!(without, expected);
        assert_eq!(changes_without(&without, &urls, &HashSet::new()).unwrap(), None);
    }
}
