//! Merges the files that flushes wrote to object storage into large files that other programs read.
//!
//! A flush writes small files, because they must be durable when its transaction ends. A compaction merges
//! these files:
//!
//! | kind | before | after |
//! |---|---|---|
//! | documents | `spool/0000/NUMBER.docs` | `documents/date=DAY/NUMBER.parquet`, `revisions/...` (earlier revisions) |
//! | archive | `archive/....warc.gz` | a larger `archive/....warc.gz` with the same records |
//!
//! 1. The new object is written. If the process ends here, no row names the object ([`Store::leftovers`]).
//! 2. One transaction changes the rows of the merged files, so that they name the new object. The rows of
//!    documents and URLs do not change, because they have the number of a file, not the name of its object. If
//!    another compaction has moved one of the files, or has added files to one of the merged objects, nothing
//!    changes, and the new object is removed.
//! 3. The old objects are removed. If the process ends before this step, no row names them.
//!
//! A compaction does not copy texts that were replaced or removed. If a text is replaced later, the old text
//! stays in the Parquet file until the file is merged again.
//!
//! A compaction needs no lease, because it changes no row of a partition.

mod documents;
mod plan;

use std::collections::BTreeMap;
use std::thread::{self, JoinHandle};

use gleaner_archive::files::merged_name;
use tracing::{info, warn};

use crate::engine::Engine;
use crate::engine::postgres::Postgres;
use crate::engine::postgres::compaction::MovedFile;
use crate::files::{ARCHIVE_FOLDER, files_of, revisions_beside};
use crate::records::decode;
use crate::{FileRecord, Store, StoreError, keys};
use plan::{Batch, Input};

/// Minimum size of a full file of documents, in bytes. Such a file contains about 128 MB of text.
const DOCUMENTS: u64 = 48 << 20;

/// Minimum size of a full file of the archive, in bytes.
const ARCHIVE: u64 = 512 << 20;

/// Number of flushes between two checks whether a worker has enough files for a compaction.
const FLUSHES: u32 = 16;

/// The result of a compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Number of new files of documents.
    pub documents: u64,
    /// Number of new files of the archive.
    pub archive: u64,
    /// Number of objects that the new files replaced.
    pub replaced: u64,
}

/// The files that a compaction merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All files of the corpus. Files with many outdated documents are written again.
    All,
    /// All files of the corpus. All files of documents are written again, so that removed texts are in none.
    Rewritten,
    /// The files of this process.
    Own,
    /// The files of documents of this process. They are usually less than a full file, because a worker merges
    /// full files during a crawl.
    OwnDocuments,
    /// The files of this process, if their total size suffices for a full file.
    OwnFull,
}

impl Store {
    /// Merges small files in object storage. Does nothing for a store in a folder.
    ///
    /// # Errors
    /// The database or the storage cannot be reached or refuses a request.
    pub fn compact(&self, extent: Extent) -> Result<Compacted, StoreError> {
        self.distributed.as_ref().map_or_else(|| Ok(Compacted::default()), |engine| compact(engine, extent))
    }
}

/// The compactions of a worker during a crawl.
#[derive(Debug, Default)]
pub(crate) struct Background {
    flushes: u32,
    last: Option<JoinHandle<()>>,
}

/// Begins a compaction on a separate thread if this process may have enough files for a full file. If the
/// process ends during the compaction, nothing is lost.
pub(crate) fn after_flush(engine: &Postgres) {
    let mut background = engine.background();
    background.flushes += 1;
    let is_running = background.last.as_ref().is_some_and(|last| !last.is_finished());
    if is_running || !background.flushes.is_multiple_of(FLUSHES) {
        return;
    }
    // The thread has no handle of the store, because the worker ends with the last handle.
    let engine = engine.clone();
    let work = move || {
        if let Err(error) = compact(&engine, Extent::OwnFull) {
            warn!(%error, "files in object storage were not merged");
        }
    };
    background.last = thread::Builder::new().name("compaction".into()).spawn(work).ok();
}

fn compact(engine: &Postgres, extent: Extent) -> Result<Compacted, StoreError> {
    engine.check_objects()?;
    let mut compacted = Compacted::default();
    merge_documents(engine, extent, &mut compacted)?;
    if extent != Extent::OwnDocuments {
        merge_archives(engine, extent, &mut compacted)?;
    }
    Ok(compacted)
}

fn merge_documents(engine: &Postgres, extent: Extent, compacted: &mut Compacted) -> Result<(), StoreError> {
    let _alone = engine.begin_compaction(keys::DOCUMENTS_FILE);
    let live = (extent == Extent::All).then(|| engine.documents_by_file()).transpose()?;
    let rewrites = extent == Extent::Rewritten;
    let files = files_within(engine, keys::DOCUMENTS_FILE, extent)?;
    let batches = plan::documents(files, live.as_ref(), rewrites, DOCUMENTS);
    for batch in batches.iter().filter(|batch| extent.includes(batch, DOCUMENTS)) {
        compacted.documents += compacted.count(documents::merge(engine, batch)?);
    }
    Ok(())
}

fn merge_archives(engine: &Postgres, extent: Extent, compacted: &mut Compacted) -> Result<(), StoreError> {
    let _alone = engine.begin_compaction(keys::ARCHIVE_FILE);
    let batches = plan::archive(files_within(engine, keys::ARCHIVE_FILE, extent)?, ARCHIVE);
    for batch in batches.iter().filter(|batch| extent.includes(batch, ARCHIVE)) {
        compacted.archive += compacted.count(merge_archive(engine, batch)?);
    }
    Ok(())
}

/// Returns the files that may be merged. Leaves out files that another process has merged with files of other
/// processes.
fn files_within(engine: &Postgres, kind: u8, extent: Extent) -> Result<Vec<(u32, FileRecord)>, StoreError> {
    if matches!(extent, Extent::All | Extent::Rewritten) {
        return files_of(engine, kind).collect();
    }
    let own = engine.own_files();
    let keys: Vec<Vec<u8>> = own.iter().map(|number| keys::file(kind, *number)).collect();
    let records = own.iter().zip(engine.get_all(&keys)?);
    let records =
        records.filter_map(|(number, file)| Some(decode("a file", &file?).map(|file| (*number, file))));
    let files = records.collect::<Result<Vec<(u32, FileRecord)>, StoreError>>()?;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (_, file) in &files {
        *counts.entry(file.name.clone()).or_default() += 1;
    }
    let all = engine.files_by_object(counts.keys().cloned().collect())?;
    let is_shared = |file: &FileRecord| all.get(&file.name) != counts.get(&file.name);
    let (merged, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, file)| is_shared(file));
    engine.forget_files(merged.into_iter().map(|(number, _)| number));
    Ok(files)
}

impl Extent {
    fn includes(self, batch: &Batch, full: u64) -> bool {
        self != Self::OwnFull || batch.bytes() >= full
    }
}

impl Compacted {
    /// Counts the objects that a new file replaced. Returns the number of new files, 0 or 1.
    fn count(&mut self, replaced: usize) -> u64 {
        self.replaced += replaced as u64;
        u64::from(replaced > 0)
    }
}

/// Joins files of the archive in one object. Returns the number of replaced objects.
fn merge_archive(engine: &Postgres, batch: &Batch) -> Result<usize, StoreError> {
    let number = engine.assign_number("files")?;
    let name = format!("{ARCHIVE_FOLDER}/{}", merged_name(number, batch.at));
    let (mut parts, mut moved, mut offset) = (Vec::new(), Vec::new(), 0);
    for Input { name, files } in &batch.inputs {
        for (number, file) in files {
            let FileRecord { bytes, records, .. } = *file;
            parts.push((name.clone(), file.offset, bytes));
            moved.push(MovedFile { number: *number, from: name.clone(), offset, bytes, records });
            offset += bytes;
        }
    }
    engine.objects().join(&name, &parts)?;
    replace(engine, "archive", batch, &moved, &[name])
}

/// Assigns files to the first of the objects `new`, and removes the old objects. Returns the number of old
/// objects. If another process has moved one of the files, removes the new objects and returns 0.
fn replace(
    engine: &Postgres,
    kind: &'static str,
    batch: &Batch,
    moved: &[MovedFile],
    new: &[String],
) -> Result<usize, StoreError> {
    let Some(name) = new.first() else { return Ok(0) };
    if !engine.move_files(kind, moved, name)? {
        warn!(object = name, "files were not merged, because another process is merging them too");
        engine.objects().delete_many(new)?;
        return Ok(0);
    }
    let old = batch.inputs.iter().flat_map(|input| [Some(input.name.clone()), revisions_beside(&input.name)]);
    engine.objects().delete_many(&old.flatten().collect::<Vec<_>>())?;
    info!(objects = batch.inputs.len(), into = name, "merged files in object storage");
    Ok(batch.inputs.len())
}
