//! Keeps every change of a store in its archive, so that the archive alone restores the store. `block` has the format
//! of the changes, and `records` writes and finds their records.
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
//! A store that has no changes in the archive yet, because an older version wrote it or because it was built from
//! responses, is
//! first copied to the archive as a whole ([`Writer::open_archive`]). A restored store ([`Writer::restore`]) has the
//! records of the last complete copy, and all later changes.
//!
//! **Invariant:** sled on disk never has a change that the archive on disk does not have. If the archive has more,
//! because a crash happened between the two, the next [`Writer::open_archive`] applies the rest.
//!
//! A raw page is logged without its body, which is in the archive as a response. The records about the files of the store
//! itself are not logged ([`block::is_logged`]).
//!
//! Limitation: the changes of a shared database are not in the archive. The database is backed up with its own tools.

mod block;
mod records;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_archive::RecordPosition;
use gleaner_archive::files::names;
use tracing::{info, warn};

use crate::archive::ArchiveTarget;
use crate::engine::{Batch, Write};
use crate::packed::unpack_page;
use crate::partitions::Partition;
use crate::records::decode;
use crate::removal::finish_rewrite;
use crate::{ArchiveEnd, PackedPage, RawPage, Store, StoreError, UrlRecord, UrlState, Writer, keys};
pub(crate) use block::changes_without;
use block::push_logged;
pub use records::{CHANGES_TYPE, ChangeLog, is_of_changes};
use records::{MAX_BLOCK, SnapshotPart, append, record_at};

/// Number of the last logged change under `m`. A store without it is not logged.
const LAST: &str = "changes";

/// Size in bytes after which a part of a snapshot ends.
const PART: usize = 8 << 20;

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
        let log = ChangeLog::after(folder, Some(end))?;
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
        let log = ChangeLog::in_folder(folder)?.since_snapshot();
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

/// Reads the body of a raw page from its archived response.
fn archived_body(files: &BTreeMap<u32, PathBuf>, record: &UrlRecord) -> Result<Vec<u8>, String> {
    let archived = record.archived.ok_or("its response is not in the archive")?;
    let file = files.get(&archived.file).ok_or("its archive file is missing")?;
    let response = record_at(file, archived.offset)?;
    let message = response.http().ok_or("its archive record is not a response")?;
    Ok(message.payload(MAX_BLOCK).body)
}

#[cfg(test)]
mod tests {
    use gleaner_archive::files::ArchiveOptions;
    use gleaner_corpus::DocumentId;
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::block::is_logged;
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
            .restore(&folder.join("archive"), ChangeLog::in_folder(&folder.join("archive")).unwrap(), |_| {})
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
            .restore(
                &folder.path().join("archive"),
                ChangeLog::in_folder(&folder.path().join("archive")).unwrap(),
                |_| {},
            )
            .unwrap();
        assert!(log.is_incomplete && !log.damaged.is_empty());
        // The other changes are applied.
        assert!(records(&writer.store()).len() >= 35);
    }
}
