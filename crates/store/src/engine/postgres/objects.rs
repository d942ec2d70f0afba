//! Stores texts in object storage, and their positions in the database.
//!
//! A flush writes all its documents, and the revisions that they replace, to one file. It stores the file
//! before the transaction that records the file. Therefore a file is valid if and only if it has a row (`f`
//! in `keys.rs`). If a process ends in between, its file has no row, and the pages of the documents are
//! fetched again.
//!
//! A file is a sequence of documents as `packed.rs` writes them. The row of a document contains the
//! document's file, offset and length. The row of the file contains the name of its object. If a compaction
//! merged the file, the object contains the merged documents, and a document is found by its id
//! ([`super::open_files`]).

use std::collections::BTreeMap;

use crate::objects::{ObjectError, Objects};
use jiff::Timestamp;

use super::open_files::OpenFiles;
use super::rows::TextPositions;
use crate::engine::{KeyValue, Write};
use crate::files::{FileRecord, SPOOL_FOLDER, revisions_beside};
use crate::records::encode;
use crate::{PackedDocument, StoreError, keys};

/// The first byte of a row that contains a document's position.
const THERE: u8 = 1;

/// The name of the mark, an object that contains the name of the corpus.
pub(super) const NAME: &str = "corpus";

#[derive(Debug)]
pub(super) struct TextStorage {
    objects: Objects,
    open: OpenFiles,
}

/// A key with its value, or with an error that concerns only this value.
pub(super) type Row = (Vec<u8>, Result<Vec<u8>, StoreError>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPosition {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
    /// The name of the object that contains the file. Empty if the file has no row.
    pub(super) name: String,
}

impl TextPosition {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![THERE];
        bytes.extend(self.file.to_be_bytes());
        bytes.extend(self.offset.to_be_bytes());
        bytes.extend(self.length.to_be_bytes());
        bytes.extend(self.name.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (bytes, name) = bytes.split_first_chunk::<17>()?;
        (bytes[0] == THERE).then(|| Self {
            file: u32::from_be_bytes(std::array::from_fn(|at| bytes[1 + at])),
            offset: u64::from_be_bytes(std::array::from_fn(|at| bytes[5 + at])),
            length: u32::from_be_bytes(std::array::from_fn(|at| bytes[13 + at])),
            name: String::from_utf8_lossy(name).into_owned(),
        })
    }
}

fn name_of(file: u32) -> String {
    format!("{SPOOL_FOLDER}/{:04}/{file:010}.docs", file / 10_000)
}

impl TextStorage {
    pub(super) fn new(objects: Objects) -> Self {
        Self { objects, open: OpenFiles::default() }
    }

    pub(super) const fn objects(&self) -> &Objects {
        &self.objects
    }

    pub(super) fn mark(&self, corpus: &str) -> Result<(), StoreError> {
        Ok(self.objects.put(NAME, corpus.into())?)
    }

    /// Refuses storage that contains the files of another corpus. Returns whether the storage has a mark.
    pub(super) fn check(&self, corpus: &str) -> Result<bool, StoreError> {
        match self.objects.get(NAME) {
            Ok(named) if named == corpus.as_bytes() => Ok(true),
            Ok(_) => {
                let objects = self.objects.address().to_owned();
                Err(StoreError::OtherCorpus { objects, corpus: corpus.to_owned() })
            }
            Err(error) if error.is_missing() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores the documents of a flush in one file, and adds the file's record. Returns the positions of the
    /// documents.
    pub(super) fn put_away(
        &self,
        unflushed: &mut BTreeMap<Vec<u8>, Write>,
        number: impl FnOnce(&'static str) -> Result<u32, StoreError>,
    ) -> Result<TextPositions, StoreError> {
        let texts: Vec<(&Vec<u8>, &[u8])> = unflushed
            .iter()
            .filter(|(key, _)| keys::is_text(key))
            .filter_map(|(key, write)| Some((key, write.value()?)))
            .collect();
        if texts.is_empty() {
            return Ok(TextPositions::new());
        }
        let file = number("files")?;
        let (mut content, mut spots, name) = (Vec::new(), TextPositions::new(), name_of(file));
        for (key, bytes) in texts {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            let offset = content.len() as u64;
            spots.insert(key.clone(), TextPosition { file, offset, length, name: name.clone() });
            content.extend_from_slice(bytes);
        }
        let (bytes, records) = (content.len() as u64, spots.len() as u64);
        let record = FileRecord { name: name.clone(), bytes, records, at: Timestamp::now(), offset: 0 };
        self.objects.put(&name, content)?;
        unflushed.insert(keys::file(keys::DOCUMENTS_FILE, file), Write::Put(encode(&record)));
        Ok(spots)
    }

    /// Replaces the positions in the rows by the documents. If a document cannot be read, only its row gets
    /// the error. `corpus` returns the name of the corpus.
    pub(super) fn fetch_each(
        &self,
        mut rows: Vec<KeyValue>,
        corpus: impl FnOnce() -> Result<String, StoreError>,
    ) -> Result<Vec<Row>, StoreError> {
        match self.fetch(&mut rows) {
            Ok(()) => return Ok(rows.into_iter().map(|(key, value)| (key, Ok(value))).collect()),
            Err(error) if is_of_one(&error) => self.check_owner(&error, corpus)?,
            Err(error) => return Err(error),
        }
        let each = |mut row: KeyValue| match self.fetch(std::slice::from_mut(&mut row)) {
            Ok(()) => Ok((row.0, Ok(row.1))),
            Err(error) if is_of_one(&error) => Ok((row.0.clone(), Err(lost(&row.0, error)))),
            Err(error) => Err(error),
        };
        rows.into_iter().map(each).collect()
    }

    /// Fails if `error` reports a missing file and the mark in the storage does not name this corpus.
    pub(super) fn check_owner(
        &self,
        error: &StoreError,
        corpus: impl FnOnce() -> Result<String, StoreError>,
    ) -> Result<(), StoreError> {
        let StoreError::Objects(ObjectError::Missing { at }) = error else { return Ok(()) };
        match self.check(&corpus()?)? {
            true => Ok(()),
            false => Err(StoreError::NotItsStorage {
                objects: self.objects.address().to_owned(),
                why: format!("it lacks {}, and the object that names its corpus", at.object),
            }),
        }
    }

    /// Replaces the positions in the rows by the documents, in all rows or in none.
    fn fetch(&self, rows: &mut [KeyValue]) -> Result<(), StoreError> {
        let (mut found, mut places, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (key, value)) in rows.iter().enumerate().filter(|(_, (key, _))| keys::is_text(key)) {
            let damaged = |reason| StoreError::Damaged { what: "the position of a document", reason };
            let (Some(spot), Some((id, revision))) =
                (TextPosition::from_bytes(value), keys::revision_of(key))
            else {
                return Err(damaged(format!("the row {}", keys::hex(key))));
            };
            if let Some(revisions) = revisions_beside(&spot.name) {
                let name = if revision.is_some() { &revisions } else { &spot.name };
                let document = self.open.document(&self.objects, name, id, revision)?;
                found.push((at, PackedDocument::unsigned(document).bytes));
            } else if spot.name.is_empty() {
                return Err(damaged(format!("the file {} is not recorded", spot.file)));
            } else {
                places.push(at);
                ranges.push((spot.name, spot.offset, u64::from(spot.length)));
            }
        }
        if !ranges.is_empty() {
            found.extend(places.into_iter().zip(self.objects.get_ranges(&ranges)?));
        }
        for (at, content) in found {
            rows[at].1 = content;
        }
        Ok(())
    }
}

/// Whether a text could not be read because its object does not exist.
pub(super) fn is_missing(error: &StoreError) -> bool {
    match error {
        StoreError::Lost { source, .. } => is_missing(source),
        StoreError::Objects(error) => error.is_missing(),
        _ => false,
    }
}

pub(crate) fn is_of_one(error: &StoreError) -> bool {
    match error {
        StoreError::Damaged { .. } => true,
        StoreError::Objects(error) => {
            matches!(error, ObjectError::Missing { .. } | ObjectError::TooShort { .. })
        }
        _ => false,
    }
}

fn lost(key: &[u8], source: StoreError) -> StoreError {
    match keys::revision_of(key) {
        Some((id, revision)) => StoreError::Lost { id, revision, source: Box::new(source) },
        None => source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_document_lies_comes_back() {
        let name = name_of(70_001);
        assert_eq!(name, "spool/0007/0000070001.docs");
        let spot = TextPosition { file: 70_001, offset: 1 << 40, length: 12, name };
        assert_eq!(TextPosition::from_bytes(&spot.to_bytes()), Some(spot));
        assert_eq!(TextPosition::from_bytes(b""), None);
    }
}
