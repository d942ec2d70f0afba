//! Maintains the manifest, which lists the valid files in object storage.
//!
//! A file is valid if the store has a record of it. The change that refers to a file also writes this record.
//! If a process uploads a file and ends before it writes the record, the file is not valid.

use std::collections::HashSet;

use crate::objects::{ObjectEntry, ObjectError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::engine::{Engine, Range};
use crate::records::decode;
use crate::{Change, Store, StoreError, keys};

/// The folder of the archive's files in object storage.
pub const ARCHIVE_FOLDER: &str = "archive";

/// The folder of the Parquet files of documents in object storage.
pub const DOCUMENTS_FOLDER: &str = "documents";

/// The folder of the files of documents that each flush writes, until a compaction merges them.
pub(crate) const SPOOL_FOLDER: &str = "spool";

/// The folder of the Parquet files of earlier revisions. Each has the name of its file of documents.
const REVISIONS_FOLDER: &str = "revisions";

/// Returns the name of the file with the earlier revisions of a Parquet file of documents. Returns `None` for
/// other files, which contain the revisions themselves.
pub(crate) fn revisions_beside(name: &str) -> Option<String> {
    let rest = name.strip_prefix(DOCUMENTS_FOLDER).filter(|_| name.ends_with(".parquet"))?;
    Some(format!("{REVISIONS_FOLDER}{rest}"))
}

/// A file in object storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The name of the object that contains the file, relative to the address of the storage.
    pub name: String,
    /// The length of the file in bytes. If a compaction merged files of documents, the first file has the
    /// length and the number of documents of the new file, and the other files have 0.
    pub bytes: u64,
    /// Number of documents or WARC records in the file.
    pub records: u64,
    /// When the file was stored.
    pub at: Timestamp,
    /// The offset in bytes at which the file begins in the object `name`. It may be greater than 0, because a
    /// compaction joins small files of the archive in one object.
    #[serde(default)]
    pub offset: u64,
}

impl Change {
    /// Records a file of the archive. The file is valid once this change is flushed.
    pub fn put_archive_file(&mut self, number: u32, file: &FileRecord) {
        self.put(keys::file(keys::ARCHIVE_FILE, number), file);
    }
}

impl Store {
    /// Returns a unique number for the next archive file. Returns 0 for a store in a folder, whose archive
    /// assigns its own numbers.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn next_file(&self) -> Result<u32, StoreError> {
        self.distributed.as_ref().map_or(Ok(0), |engine| engine.assign_number("files"))
    }

    /// Writes a file to object storage. Does nothing for a store in a folder.
    ///
    /// # Errors
    /// The storage cannot be reached or refuses the request.
    pub fn put_object(&self, name: &str, content: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.distributed.as_ref().map_or(Ok(()), |engine| engine.objects().put(name, content))?)
    }

    /// Returns the record of a file of the archive. Returns `None` if the file does not exist, or if the store
    /// is in a folder.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn archive_file(&self, number: u32) -> Result<Option<FileRecord>, StoreError> {
        self.get("a file", &keys::file(keys::ARCHIVE_FILE, number))
    }

    /// Reads a file of the archive from object storage. The result is empty for a store in a folder.
    ///
    /// # Errors
    /// The storage cannot be reached, or the file does not exist or ends too early.
    pub fn archive_content(&self, number: u32) -> Result<Vec<u8>, StoreError> {
        let Some(engine) = &self.distributed else { return Ok(Vec::new()) };
        let unknown = || StoreError::Damaged { what: "the archive", reason: format!("no file {number}") };
        let read = |file: &FileRecord| engine.objects().get_range(&file.name, file.offset, file.bytes);
        let file = self.archive_file(number)?.ok_or_else(unknown)?;
        let content = read(&file);
        if content.as_ref().is_err_and(ObjectError::is_missing)
            // A compaction may have moved the file after its record was read.
            && let Some(moved) = self.archive_file(number)?.filter(|moved| moved.name != file.name)
        {
            return Ok(read(&moved)?);
        }
        Ok(content?)
    }

    /// Returns the archive's files with their numbers, in ascending order. Empty for a store in a folder.
    pub fn archive_files(&self) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        files_of(&*self.engine, keys::ARCHIVE_FILE)
    }

    /// Returns the files of documents with their numbers, in ascending order. Empty for a store in a folder.
    pub fn document_files(&self) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        files_of(&*self.engine, keys::DOCUMENTS_FILE)
    }

    /// Returns the files in object storage that have no record and were written before `before`. The process
    /// that wrote such a file ended before it recorded the file. Empty for a store in a folder.
    ///
    /// # Errors
    /// The database or the storage cannot be reached, or the storage belongs to another corpus.
    pub fn leftovers(&self, before: Timestamp) -> Result<Vec<ObjectEntry>, StoreError> {
        let Some(engine) = &self.distributed else { return Ok(Vec::new()) };
        engine.check_objects()?;
        // The files are listed before the records are read. Otherwise, a file that is written in between would
        // seem to have no record.
        let mut files = Vec::new();
        for folder in [ARCHIVE_FOLDER, DOCUMENTS_FOLDER, REVISIONS_FOLDER, SPOOL_FOLDER] {
            files.extend(engine.objects().list(folder)?);
        }
        files.retain(|file| file.changed < before);
        let mut counted = HashSet::new();
        for file in self.archive_files().chain(self.document_files()) {
            let name = file?.1.name;
            counted.extend(revisions_beside(&name));
            counted.insert(name);
        }
        files.retain(|file| !counted.contains(&file.name));
        Ok(files)
    }

    /// Removes files that [`Store::leftovers`] returned.
    ///
    /// # Errors
    /// The storage cannot be reached or refuses the request.
    pub fn remove_leftovers(&self, files: &[ObjectEntry]) -> Result<(), StoreError> {
        let Some(engine) = &self.distributed else { return Ok(()) };
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        Ok(engine.objects().delete_many(&names)?)
    }
}

/// Returns the files of a kind with their numbers, in ascending order.
pub(crate) fn files_of(
    engine: &dyn Engine,
    kind: u8,
) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
    engine.scan(Range::with_prefix(keys::files_of(kind))).map(|pair| {
        let (key, value) = pair?;
        Ok((keys::file_number(&key), decode("a file", &value)?))
    })
}
