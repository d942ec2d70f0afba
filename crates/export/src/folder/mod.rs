//! Exports many files into a folder atomically, and resumes an interrupted export.
//!
//! The export writes `FOLDER.part` and renames it to `FOLDER` when it is complete. When the open files reach
//! the size of a shard, the export closes them, flushes them to disk and updates the manifest. Therefore
//! every file in the manifest is complete.
//!
//! To resume an interrupted export, the user repeats the command. The export checks the files in the manifest
//! by their hashes, removes files that are not in the manifest, and continues after the last document. The
//! result equals that of an uninterrupted export, because documents are in the order of their ids and no
//! format contains the current time.
//!
//! Documents that were fetched after the export began are excluded. The manifest contains the start time of
//! the export as `until`, so that the next export can continue at this time.
//!
//! Limitation: the files may differ if documents change or disappear during the interruption. Formats with
//! one file per document are not flushed file by file, because that would take too long. After a power
//! failure, check the files with `sha256sum -c SHA256SUMS`.

mod host_files;
mod shards;
mod text_files;

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use gleaner_corpus::{CorpusVersion, Document, DocumentId};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::manifest::{DataFile, VERSION, hex, sync_folder, write_synced};
use crate::{
    ExportError, Fields, Filter, FilterCounts, Format, Manifest, Record, RecordContext, Sample, Selection,
    UnreadableText, format,
};
use host_files::HostFiles;
use shards::Shards;
use text_files::TextFiles;

/// The name of the file with the ids of removed documents.
const REMOVED: &str = "removed.txt";

/// The parameters of an export.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The output format.
    pub format: Format,
    /// The fields to export. Used by formats that [have fields](crate::FormatKind::has_fields).
    pub fields: Fields,
    /// Selects the documents.
    pub filter: Filter,
    /// Size in bytes at which a file is closed and the next one begins. For plain text, and for Markdown in a
    /// folder: the number of bytes between two flushes to disk.
    pub shard_size: u64,
    /// Whether an external tagger gives the tokens.
    pub tagged: bool,
    /// The command line without the program's name. Only the same command line can resume an interrupted
    /// export.
    pub command: Vec<String>,
    /// The time at which the export begins.
    pub started: Timestamp,
}

/// Distributes documents over files.
trait Layout: std::fmt::Debug {
    /// Writes a record. Returns the approximate number of bytes written since the last call of `close`.
    fn write(&mut self, record: &Record) -> Result<u64, ExportError>;

    /// Closes open files, flushes them to disk and appends them to `files`.
    fn close(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError>;

    fn finish(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError> {
        self.close(files)
    }
}

/// An export into a folder, in progress.
#[derive(Debug)]
pub struct FolderExport {
    target: PathBuf,
    part: PathBuf,
    format: Format,
    fields: Fields,
    shard_size: u64,
    manifest: Manifest,
    selection: Selection,
    layout: Box<dyn Layout>,
    last: Option<DocumentId>,
    /// The lock that keeps other processes from writing into the folder.
    _lock: File,
}

impl FolderExport {
    /// Begins an export into the folder `path`, or resumes an interrupted export with the same command.
    ///
    /// # Errors
    /// The folder exists and is not empty, another process is exporting into it, the interrupted export has
    /// another command, another version or a damaged file, or a file cannot be written.
    pub fn begin(path: &Path, request: ExportRequest) -> Result<Self, ExportError> {
        // Removes a final slash.
        let target: PathBuf = path.components().collect();
        let Some(name) = target.file_name() else {
            return Err(ExportError::Nameless { path: path.into() });
        };
        if !is_free(&target)? {
            return Err(ExportError::Exists { path: target });
        }
        let mut part = OsString::from(name);
        part.push(".part");
        let part = target.with_file_name(part);
        let lock = lock(&part, &target)?;
        let manifest = match Manifest::read(&part)? {
            Some(manifest) => same(manifest, &request, &part)?,
            None => begin(&part, &request)?,
        };
        let ExportRequest { format, fields, filter, shard_size, .. } = request;
        let filter = Filter { since: manifest.since, until: Some(manifest.until), ..filter };
        let selection =
            Selection::new(filter, manifest.tally.clone()).with_pages(request.format.kind.has_pages);
        let files = &manifest.files;
        let layout: Box<dyn Layout> = match format.kind.layout {
            format::Layout::FilePerDocument => Box::new(TextFiles::begin(&part, format, files)?),
            format::Layout::FilePerHost => Box::new(HostFiles::begin(&part, files)?),
            format::Layout::Shards(subfolder) => {
                Box::new(Shards::begin(&part, subfolder, format, &fields, shard_size, files)?)
            }
        };
        let last = manifest.last_id.as_deref().and_then(|id| id.parse().ok());
        Ok(Self { target, part, format, fields, shard_size, manifest, selection, layout, last, _lock: lock })
    }

    /// Returns the id of the last processed document, after which the export continues. Returns `None` if the
    /// export starts at the beginning of the corpus.
    #[must_use]
    pub const fn last(&self) -> Option<DocumentId> {
        self.last
    }

    /// Returns the path of the incomplete folder, `FOLDER.part`.
    #[must_use]
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Returns the counts of exported and excluded documents, including those before an interruption.
    #[must_use]
    pub const fn tally(&self) -> &FilterCounts {
        self.selection.tally()
    }

    /// Returns the filter. A resumed export uses the time limits in its manifest.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        self.selection.filter()
    }

    /// Restricts the export to a sample of the documents that pass the filter.
    pub const fn set_sample(&mut self, sample: Sample) {
        self.selection.set_sample(sample);
    }

    /// Whether the filter's limit is reached. If so, further documents are not written.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.selection.is_full()
    }

    /// Writes a document if it passes the filter. The caller must pass documents in the order of their ids.
    ///
    /// # Errors
    /// An error means that a file cannot be written.
    pub fn write(&mut self, document: &Document, context: &RecordContext) -> Result<(), ExportError> {
        self.last = Some(document.id);
        let Some(record) = self.selection.take(document, context) else { return Ok(()) };
        if self.layout.write(&record)? >= self.shard_size {
            self.layout.close(&mut self.manifest.files)?;
            self.note()?;
        }
        Ok(())
    }

    /// Names the version of the corpus in the manifest.
    pub fn set_corpus_version(&mut self, version: CorpusVersion) {
        self.manifest.corpus_version = Some(version);
    }

    /// Lists texts that could not be read in the manifest. If the export was interrupted, the list also has those of
    /// the documents before the interruption.
    pub fn set_unreadable(&mut self, texts: impl IntoIterator<Item = UnreadableText>) {
        for text in texts {
            if !self.manifest.unreadable.contains(&text) {
                self.manifest.unreadable.push(text);
            }
        }
    }

    /// Writes the ids of the documents that were removed from the corpus since the earlier export, so that the reader of
    /// an incremental export can remove them from a copy.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_removed(&mut self, ids: &[DocumentId]) -> Result<(), ExportError> {
        let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let path = self.part.join(REMOVED);
        write_synced(&path, text.as_bytes()).map_err(ExportError::writing(path))?;
        let (documents, bytes) = (ids.len() as u64, text.len() as u64);
        let sha256 = hex(Sha256::new_with_prefix(text.as_bytes()));
        self.manifest.removed = Some(DataFile { path: REMOVED.into(), documents, bytes, sha256 });
        Ok(())
    }

    /// Removes the incomplete folder, so that the same command begins again.
    ///
    /// # Errors
    /// An error means that the folder cannot be removed.
    pub fn discard(self) -> Result<(), ExportError> {
        fs::remove_dir_all(&self.part).map_err(ExportError::writing(&self.part))
    }

    /// Finishes the export, renames the folder and returns the manifest.
    ///
    /// # Errors
    /// An error means that a file cannot be written, or that the folder cannot be renamed.
    pub fn finish(mut self) -> Result<Manifest, ExportError> {
        self.layout.finish(&mut self.manifest.files)?;
        self.manifest.complete = true;
        self.manifest.tally = self.selection.tally().clone();
        if let Some((name, text)) = self.format.kind.companion {
            let path = self.part.join(name);
            write_synced(&path, text(&self.manifest, &self.fields).as_bytes())
                .map_err(ExportError::writing(path))?;
        }
        self.note()?;
        let renamed = fs::rename(&self.part, &self.target).and_then(|()| sync_folder(parent(&self.target)));
        renamed.map_err(ExportError::writing(&self.target))?;
        Ok(self.manifest)
    }

    fn note(&mut self) -> Result<(), ExportError> {
        self.manifest.last_id = self.last.map(|id| id.to_string());
        self.manifest.tally = self.selection.tally().clone();
        self.manifest.write(&self.part)
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_free(path: &Path) -> Result<bool, ExportError> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(true),
            io::ErrorKind::NotADirectory => Ok(fs::symlink_metadata(path).is_err()),
            _ => Err(ExportError::reading(path)(error)),
        },
    }
}

/// Creates the incomplete folder if it does not exist, and locks it for this process.
fn lock(part: &Path, target: &Path) -> Result<File, ExportError> {
    fs::create_dir_all(part).map_err(ExportError::writing(part))?;
    let folder = File::open(part).map_err(ExportError::reading(part))?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => Err(ExportError::Busy { path: target.into() }),
        Err(TryLockError::Error(error)) => Err(ExportError::writing(part)(error)),
    }
}

fn begin(part: &Path, request: &ExportRequest) -> Result<Manifest, ExportError> {
    // This file exists if the process was killed while it was writing the first manifest.
    let left = part.join("manifest.json.new");
    if left.exists() {
        fs::remove_file(&left).map_err(ExportError::writing(left))?;
    }
    if !is_free(part)? {
        return Err(ExportError::Exists { path: part.into() });
    }
    let manifest = Manifest {
        manifest_version: VERSION,
        gleaner: env!("CARGO_PKG_VERSION").into(),
        command: request.command.clone(),
        complete: false,
        started: request.started,
        since: request.filter.since,
        until: request.filter.until.map_or(request.started, |until| until.min(request.started)),
        tally: FilterCounts::default(),
        last_id: None,
        files: Vec::new(),
        tagged: request.tagged,
        unreadable: Vec::new(),
        corpus_version: None,
        removed: None,
    };
    manifest.write(part)?;
    Ok(manifest)
}

/// Returns the manifest of an interrupted export. Fails if the export has another command or another version
/// of gleaner.
fn same(manifest: Manifest, request: &ExportRequest, part: &Path) -> Result<Manifest, ExportError> {
    let is_same = manifest.manifest_version == VERSION
        && manifest.gleaner == env!("CARGO_PKG_VERSION")
        && manifest.command == request.command;
    if is_same {
        return Ok(manifest);
    }
    let command = format!("gleaner {}", manifest.command.join(" "));
    Err(ExportError::Other { path: part.into(), command, version: manifest.gleaner })
}

fn damaged(path: PathBuf, folder: &Path, reason: impl Into<String>) -> ExportError {
    ExportError::Damaged { path, reason: reason.into(), folder: folder.into() }
}

#[cfg(test)]
mod tests;
