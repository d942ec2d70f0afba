//! The manifest: files in object storage that count.
//!
//! A file counts if its record is there, and its record is written in the change that needs
//! the file. Files without one were left by a process that died in between.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::records::decode;
use crate::{Change, Store, StoreError, keys};

/// A file in object storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its name below the address of the storage.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Documents or WARC records in it.
    pub records: u64,
    /// When it was stored.
    pub at: Timestamp,
}

impl Change {
    /// A file of the archive counts from this change on.
    pub fn put_archive_file(&mut self, number: u32, file: &FileRecord) {
        self.put(keys::file(keys::ARCHIVE_FILE, number), file);
    }
}

impl Store {
    /// The number of the next file of the archive, which no other gets. 0 in a folder, whose
    /// archive numbers its files itself.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn next_file(&self) -> Result<u32, StoreError> {
        self.cluster.as_ref().map_or(Ok(0), |engine| engine.allot("files"))
    }

    /// Puts a file into object storage.
    ///
    /// # Errors
    /// The storage cannot be reached or refuses.
    pub fn put_object(&self, name: &str, content: Vec<u8>) -> Result<(), StoreError> {
        Ok(self.cluster.as_ref().map_or(Ok(()), |engine| engine.objects().put(name, content))?)
    }

    /// Reads a file of object storage; `None`: the store has none.
    ///
    /// # Errors
    /// The storage cannot be reached, or the file is not there.
    pub fn object(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.cluster.as_ref().map(|engine| engine.objects().get(name)).transpose()?)
    }

    /// The archive's files by number, oldest first. None in a folder, whose archive is beside it.
    pub fn archive_files(&self) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        self.files_of(keys::ARCHIVE_FILE)
    }

    /// The corpus's files by number, oldest first. None in a folder.
    pub fn document_files(&self) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        self.files_of(keys::DOCUMENTS_FILE)
    }

    fn files_of(&self, kind: u8) -> impl Iterator<Item = Result<(u32, FileRecord), StoreError>> + use<> {
        self.scan(keys::files_of(kind)).map(|pair| {
            let (key, value) = pair?;
            Ok((keys::file_number(&key), decode("a file", &value)?))
        })
    }
}
