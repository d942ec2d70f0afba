//! Maintains the manifest, which lists the valid files in object storage.
//!
//! A file is valid if the store has a record of it. The change that refers to a file also writes this record.
//! If a process uploads a file and ends before it writes the record, the file is not valid.

use std::collections::HashSet;

use crate::objects::Entry;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::records::decode;
use crate::{Change, Store, StoreError, keys};

/// The folder of the archive's files in object storage.
pub const ARCHIVE_FOLDER: &str = "archive";

pub(crate) const DOCUMENTS_FOLDER: &str = "documents";

/// A file in object storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The name of the file, relative to the address of the storage.
    pub name: String,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Number of documents or WARC records in the file.
    pub records: u64,
    /// When the file was stored.
    pub at: Timestamp,
}

impl Change {
    /// Records a file of the archive. The file is valid once this change is flushed.
    pub fn put_archive_file(&mut self, number: u32, file: &FileRecord) {
        self.put_common(keys::file(keys::ARCHIVE_FILE, number), file);
    }
}

impl Store {
    /// Returns a unique number for the next archive file. Returns 0 for a store in a folder, whose archive
    /// assigns its own numbers.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn next_file(&self) -> Result<u32, StoreError> {
        self.distributed.as_ref().map_or(Ok(0), |engine| engine.allot("files"))
    }

    /// Writes a file to object storage. Does nothing for a store in a folder.
    ///
    /// # Errors
    /// The storage cannot be reached or refuses the request.
    pub fn put_object(&self, name: &str, content: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.distributed.as_ref().map_or(Ok(()), |engine| engine.objects().put(name, content))?)
    }

    /// Reads a file from object storage, or returns `None` if the store has no object storage.
    ///
    /// # Errors
    /// The storage cannot be reached, or the file does not exist.
    pub fn object(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.distributed.as_ref().map(|engine| engine.objects().get(name)).transpose()?)
    }

    /// Returns the archive's files with their numbers, in ascending order. A store in a folder has none.
    pub fn archive_files(&self) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        self.files_of(keys::ARCHIVE_FILE)
    }

    /// Returns the files of documents with their numbers, in ascending order. A store in a folder has none.
    pub fn document_files(&self) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        self.files_of(keys::DOCUMENTS_FILE)
    }

    /// Returns the files in object storage that are not valid and were written before `before`. The process
    /// that wrote such a file ended before it recorded the file. Returns none for a store in a folder.
    ///
    /// # Errors
    /// The database or the storage cannot be reached, or the storage belongs to another corpus.
    pub fn leftovers(&self, before: Timestamp) -> Result<Vec<Entry>, StoreError> {
        let Some(engine) = &self.distributed else { return Ok(Vec::new()) };
        engine.check_objects()?;
        // The files are listed before the records are read. Otherwise a file that is written in between would
        // seem to be without a record.
        let mut files = engine.objects().list(ARCHIVE_FOLDER)?;
        files.extend(engine.objects().list(DOCUMENTS_FOLDER)?);
        files.retain(|file| file.changed < before);
        let mut counted = HashSet::new();
        for file in self.archive_files().chain(self.document_files()) {
            counted.insert(file?.1.name);
        }
        files.retain(|file| !counted.contains(&file.name));
        Ok(files)
    }

    /// Removes files that [`Store::leftovers`] returned.
    ///
    /// # Errors
    /// The storage cannot be reached or refuses the request.
    pub fn remove_leftovers(&self, files: &[Entry]) -> Result<(), StoreError> {
        let Some(engine) = &self.distributed else { return Ok(()) };
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        Ok(engine.objects().delete_many(&names)?)
    }

    fn files_of(&self, kind: u8) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        self.scan(keys::files_of(kind)).map(|pair| {
            let (key, value) = pair?;
            Ok((keys::file_number(&key), decode("a file", &value)?))
        })
    }
}
