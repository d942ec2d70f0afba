//! Removes records from the files of the archive.
//!
//! In a folder, a file is written again beside the old one:
//!
//! 1. The new file is written and synced. Its name ends in `.rewrite`, so that no reader takes it for an archive file.
//! 2. One flush of the store writes the new positions of all responses in the file, and a record that the new file
//!    replaces the old one.
//! 3. The new file is renamed over the old one, and the record is removed. After a kill, the next process that opens
//!    the store does this step ([`finish_rewrite`]).
//!
//! In object storage, the new content of an object is written to a new object. One transaction writes the new positions
//! and the new name, and then the old object is removed. If the process ends before that, no row names the old object,
//! so the next attempt removes it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{BufWriter, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use gleaner_archive::files::{merged_name, names, new_file};
use gleaner_archive::{Damage, Record, RecordChange, RecordPosition, RewritePlan};
use gleaner_corpus::ContentHash;
use gleaner_frontier::{CanonicalUrl, RemovedUrls, UrlKey};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change_log::{changes_without, is_of_changes};
use crate::files::ARCHIVE_FOLDER;
use crate::{ArchiveEnd, ArchivePosition, Change, FileRecord, Store, StoreError, UrlRecord, Writer, keys};

const ENDING: &str = ".rewrite";

/// What was removed from the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewrittenArchive {
    /// Number of removed records.
    pub records: u64,
    /// Number of files that were written again.
    pub files: u64,
    /// Number of bytes by which the archive has shrunk.
    pub bytes: u64,
    /// The parts of files that cannot be read, and therefore stay: the file, the byte and the reason.
    pub unreadable: Vec<String>,
}

/// A file of the archive that is replaced by the file beside it.
#[derive(Debug, Serialize, Deserialize)]
struct Rewritten {
    path: PathBuf,
}

/// Returns what happens to a record.
type Decide<'a> = &'a dyn Fn(&Record) -> RecordChange;

/// How a file is written again, and where its responses were.
struct PlannedFile {
    plan: RewritePlan,
    responses: Vec<(u64, UrlKey)>,
}

/// Returns what happens to a record of the archive if these URLs are removed.
fn change_of(record: &Record, removed: &RemovedUrls, texts: &HashSet<ContentHash>) -> RecordChange {
    if is_of_changes(record) {
        // A block that cannot be read is found by `verify`.
        return match changes_without(&record.block, removed, texts) {
            Ok(Some(block)) => RecordChange::Replace(block),
            Ok(None) | Err(_) => RecordChange::Keep,
        };
    }
    match url_of(record).is_some_and(|url| removed.contains(&url)) {
        true => RecordChange::Drop,
        false => RecordChange::Keep,
    }
}

fn url_of(record: &Record) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(record.header.target()?).ok()
}

fn plan(source: &mut (impl Read + Seek), level: u32, decide: Decide<'_>) -> std::io::Result<PlannedFile> {
    let mut responses = Vec::new();
    let plan = RewritePlan::new(source, level, |record| {
        let change = decide(record);
        let is_response = record.header.kind().is_some_and(|kind| kind == "response");
        if change == RecordChange::Keep && is_response {
            responses.extend(url_of(record).map(|url| (record.offset, url.key())));
        }
        change
    })?;
    Ok(PlannedFile { plan, responses })
}

impl RewrittenArchive {
    fn count(&mut self, file: &str, plan: &RewritePlan) {
        let part = |damage: &Damage| format!("{file}, from byte {}: {}", damage.offset, damage.reason);
        self.unreadable.extend(plan.damages().iter().map(part));
        if !plan.is_unchanged() {
            self.records += plan.dropped();
            self.files += 1;
            self.bytes += plan.old_length().saturating_sub(plan.length());
        }
    }
}

impl Change {
    /// Writes the new positions of the responses in a file.
    fn move_responses(&mut self, file: u32, planned: &PlannedFile) -> Result<(), StoreError> {
        self.read_urls_ahead(planned.responses.iter().map(|(_, url)| *url))?;
        for (offset, url) in &planned.responses {
            let Some(record) = self.url(*url)? else { continue };
            let Some(at) = record.archived.filter(|at| (at.file, at.offset) == (file, *offset)) else {
                continue;
            };
            let Some(offset) = planned.plan.moved_to(*offset) else { continue };
            self.put_url(*url, &UrlRecord { archived: Some(ArchivePosition { offset, ..at }), ..record });
        }
        Ok(())
    }

    /// Forgets how far the archive was extracted again, because that position refers to the old files.
    fn forget_reextracted(&mut self) -> Result<(), StoreError> {
        for partition in self.store.partitions.all() {
            let key = keys::meta_of(partition, "reextracted");
            if self.get_bytes(&key)?.is_some() {
                self.remove(key);
            }
        }
        Ok(())
    }
}

impl Writer {
    /// Removes the records of URLs from the archive, also robots.txt files of removed hosts. The parameters are those of
    /// [`Self::rewrite_archive`].
    ///
    /// # Errors
    /// As in [`Self::rewrite_archive`].
    pub fn remove_from_archive(
        &mut self,
        folder: &Path,
        level: u32,
        removed: &RemovedUrls,
    ) -> Result<RewrittenArchive, StoreError> {
        let texts = self.store().removed_texts()?;
        self.rewrite_archive(folder, level, &|record| change_of(record, removed, &texts))
    }

    /// Writes the files of the archive again in which `decide` changes a record, and stores the new positions of the
    /// other records. `folder` is the folder of the archive's files, and `level` the compression level of replaced
    /// records. If the archive is open for appending, later records come to a new file, and the new positions are
    /// among them. The store of several workers ignores `folder`.
    ///
    /// # Errors
    /// A file cannot be read or written. Files that are done stay done.
    pub fn rewrite_archive(
        &mut self,
        folder: &Path,
        level: u32,
        decide: Decide<'_>,
    ) -> Result<RewrittenArchive, StoreError> {
        let mut done = RewrittenArchive::default();
        if self.store().is_shared() {
            self.rewrite_objects(level, decide, &mut done)?;
            return Ok(done);
        }
        let files = names(folder)?;
        self.begin_archive_file()?;
        for name in files {
            let path = folder.join(&name);
            // A file of an attempt that ended before its flush.
            let _ = fs::remove_file(beside(&path));
            self.rewrite_file(&path, &name, level, decide, &mut done).map_err(|error| match error {
                RewriteError::File(error) => StoreError::folder(&path)(error),
                RewriteError::Store(error) => error,
            })?;
        }
        Ok(done)
    }

    fn rewrite_file(
        &mut self,
        path: &Path,
        name: &str,
        level: u32,
        decide: Decide<'_>,
        done: &mut RewrittenArchive,
    ) -> Result<(), RewriteError> {
        let mut source = File::open(path)?;
        let planned = plan(&mut source, level, decide)?;
        done.count(name, &planned.plan);
        if planned.plan.is_unchanged() {
            return Ok(());
        }
        let file = new_file().write(true).create_new(true).open(beside(path))?;
        let mut out = BufWriter::new(file);
        planned.plan.write(&mut source, &mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        let mut change = self.begin();
        let number = RecordPosition { file: name.to_owned(), offset: 0 }.number();
        change.move_responses(number, &planned)?;
        change.forget_reextracted()?;
        if self.store().archive_end()?.is_some_and(|end| end.file == name) {
            change.put_archive_end(&ArchiveEnd { file: name.to_owned(), length: planned.plan.length() });
        }
        change.put(keys::meta("rewritten"), &Rewritten { path: path.to_owned() });
        self.commit(change)?;
        self.flush()?;
        Ok(finish_rewrite(self)?)
    }

    /// Writes the objects with removed records again.
    fn rewrite_objects(
        &mut self,
        level: u32,
        decide: Decide<'_>,
        done: &mut RewrittenArchive,
    ) -> Result<(), StoreError> {
        let mut objects: BTreeMap<String, Vec<(u32, FileRecord)>> = BTreeMap::new();
        for file in self.store().archive_files() {
            let (number, file) = file?;
            objects.entry(file.name.clone()).or_default().push((number, file));
        }
        for (name, files) in objects {
            self.rewrite_object(&name, files, level, decide, done)?;
        }
        self.store().remove_unrecorded()
    }

    fn rewrite_object(
        &mut self,
        name: &str,
        files: Vec<(u32, FileRecord)>,
        level: u32,
        decide: Decide<'_>,
        done: &mut RewrittenArchive,
    ) -> Result<(), StoreError> {
        let store = self.store();
        let mut planned = Vec::new();
        for (number, file) in files {
            let content = match store.archive_content(number) {
                Ok(content) => content,
                Err(StoreError::Objects(error)) if !error.is_unavailable() => {
                    done.unreadable.push(format!("{name}: {error}"));
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let wrong = |error: std::io::Error| StoreError::Damaged {
                what: "the archive",
                reason: error.to_string(),
            };
            let of_file = plan(&mut Cursor::new(&content), level, decide).map_err(wrong)?;
            planned.push((number, file, of_file));
        }
        planned.iter().for_each(|(_, _, of_file)| done.count(name, &of_file.plan));
        if planned.iter().all(|(_, _, of_file)| of_file.plan.is_unchanged()) {
            return Ok(());
        }
        let at = planned.first().map_or(Timestamp::UNIX_EPOCH, |(_, file, _)| file.at);
        let new_name = format!("{ARCHIVE_FOLDER}/{}", merged_name(store.next_file()?, at));
        let mut change = self.begin();
        let (mut parts, mut offset) = (Vec::new(), 0);
        for (number, file, of_file) in &planned {
            let bytes = of_file.plan.length();
            match of_file.plan.is_unchanged() {
                true => parts.push((file.name.clone(), file.offset, file.bytes)),
                false => {
                    let part = format!("{new_name}.{number}");
                    let content = store.archive_content(*number)?;
                    let mut new = Vec::new();
                    let written = of_file.plan.write(&mut Cursor::new(&content), &mut new);
                    written.map_err(|error| StoreError::Damaged {
                        what: "the archive",
                        reason: error.to_string(),
                    })?;
                    store.put_object(&part, new)?;
                    parts.push((part, 0, bytes));
                }
            }
            change.move_responses(*number, of_file)?;
            let records = file.records.saturating_sub(of_file.plan.dropped());
            let record = FileRecord { name: new_name.clone(), bytes, records, offset, ..file.clone() };
            change.put_archive_file(*number, &record);
            offset += bytes;
        }
        store.join_objects(&new_name, &parts)?;
        change.forget_reextracted()?;
        self.commit(change)?;
        self.flush()
    }
}

impl Store {
    /// Removes the files in object storage that have no record, and unfinished files. This process must be the only
    /// worker, because other workers may be about to record their files. Does nothing for a store in a folder.
    ///
    /// # Errors
    /// The database or the storage cannot be reached.
    pub fn remove_unrecorded(&self) -> Result<(), StoreError> {
        let Some(engine) = &self.distributed else { return Ok(()) };
        engine.objects().remove_unfinished().map_err(StoreError::folder(&self.folder))?;
        self.remove_leftovers(&self.leftovers(Timestamp::MAX)?)
    }

    fn join_objects(&self, name: &str, parts: &[(String, u64, u64)]) -> Result<(), StoreError> {
        Ok(self.distributed.as_ref().map_or(Ok(()), |engine| engine.objects().join(name, parts))?)
    }
}

enum RewriteError {
    File(std::io::Error),
    Store(StoreError),
}

impl From<std::io::Error> for RewriteError {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

impl From<StoreError> for RewriteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ENDING);
    name.into()
}

/// Replaces a file of the archive, if the store has its new positions already.
pub(crate) fn finish_rewrite(writer: &mut Writer) -> Result<(), StoreError> {
    let key = keys::meta("rewritten");
    let Some(Rewritten { path }) = writer.store().get("a file that is replaced", &key)? else {
        return Ok(());
    };
    let renamed = match fs::rename(beside(&path), &path) {
        // It was renamed before the process ended.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    renamed.and_then(|()| File::open(folder)?.sync_all()).map_err(StoreError::folder(folder))?;
    let mut change = writer.begin();
    change.remove(key);
    writer.commit(change)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StoreOptions, open};

    #[test]
    fn replacement_of_a_file_is_finished_when_the_store_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions { cache: 16 << 20, create: true };
        let path = folder.path().join("gleaner-20261128000000-00001.warc.gz");
        let mut writer = open(folder.path(), &options).unwrap();
        fs::write(&path, "old").unwrap();
        fs::write(beside(&path), "new").unwrap();
        let mut change = writer.begin();
        change.put(keys::meta("rewritten"), &Rewritten { path: path.clone() });
        writer.commit(change).unwrap();
        writer.flush().unwrap();
        drop(writer);
        for _ in 0..2 {
            drop(open(folder.path(), &options).unwrap());
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert!(!beside(&path).exists());
        }
        // Without the record, a file beside the old one is not complete.
        fs::write(beside(&path), "half").unwrap();
        drop(open(folder.path(), &options).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
