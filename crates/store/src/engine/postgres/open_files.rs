//! Reads single documents from the Parquet files of a compaction.
//!
//! A file is read by its footer and whole row groups, which stay in memory. Rows are sorted by id, so a scan in
//! the order of ids reads each row group about once.
//!
//! Limitation: a scan needs the memory of one row group of each file. If the row groups of all files do not fit
//! into memory, they are read many times.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use gleaner_corpus::{Document, DocumentId};
use gleaner_export::document_file::{DocumentFile, END, StoredDocument, footer_length};

use super::lock;
use crate::StoreError;
use crate::objects::Objects;

/// Memory for footers and row groups, in bytes.
const MEMORY: usize = 64 << 20;

/// Number of bytes at the end of a file that are read at first. Few footers are larger.
const TAIL: u64 = 256 << 10;

#[derive(Debug, Default)]
pub(super) struct OpenFiles(Mutex<Cache>);

#[derive(Debug, Clone)]
enum Part {
    Footer(DocumentFile),
    Group(Arc<Vec<StoredDocument>>),
}

/// Parts of files with file name, number of the row group, and size. The last part was used most recently.
#[derive(Debug, Default)]
struct Cache {
    parts: VecDeque<(String, Option<usize>, Part, usize)>,
    bytes: usize,
}

impl Cache {
    fn get(&mut self, name: &str, group: Option<usize>) -> Option<Part> {
        let at = self.parts.iter().position(|(of, known, ..)| *known == group && of == name)?;
        let found = self.parts.remove(at)?;
        let part = found.2.clone();
        self.parts.push_back(found);
        Some(part)
    }

    fn add(&mut self, name: &str, group: Option<usize>, part: Part, bytes: usize) {
        self.bytes += bytes;
        self.parts.push_back((name.to_owned(), group, part, bytes));
        while self.bytes > MEMORY
            && self.parts.len() > 1
            && let Some((.., bytes)) = self.parts.pop_front()
        {
            self.bytes -= bytes;
        }
    }
}

impl OpenFiles {
    /// Returns a document, or one of its revisions, from the file `name`.
    pub(super) fn document(
        &self,
        objects: &Objects,
        name: &str,
        id: DocumentId,
        revision: Option<u32>,
    ) -> Result<Document, StoreError> {
        let file = self.footer(objects, name)?;
        for group in file.groups_with(id) {
            let documents = self.group(objects, name, &file, group)?;
            let is_wanted = |stored: &&StoredDocument| {
                stored.document.id == id && revision.is_none_or(|revision| stored.revision == revision)
            };
            if let Some(found) = documents.iter().find(is_wanted) {
                return Ok(found.document.clone());
            }
        }
        Err(damaged(name)(std::io::Error::other(format!("it lacks the document {id}"))))
    }

    fn footer(&self, objects: &Objects, name: &str) -> Result<DocumentFile, StoreError> {
        if let Some(Part::Footer(file)) = lock(&self.0).get(name, None) {
            return Ok(file);
        }
        let (file, bytes) = footer(objects, name)?;
        // In memory, the footer takes several times its size in the file.
        lock(&self.0).add(name, None, Part::Footer(file.clone()), 4 * bytes);
        Ok(file)
    }

    fn group(
        &self,
        objects: &Objects,
        name: &str,
        file: &DocumentFile,
        group: usize,
    ) -> Result<Arc<Vec<StoredDocument>>, StoreError> {
        if let Some(Part::Group(documents)) = lock(&self.0).get(name, Some(group)) {
            return Ok(documents);
        }
        let range = file.range(group);
        let bytes = objects.get_range(name, range.start, range.end - range.start)?;
        let documents = Arc::new(file.read(group, bytes).map_err(damaged(name))?);
        let size = |stored: &StoredDocument| size_of::<StoredDocument>() + 2 * stored.document.text.len();
        let bytes = documents.iter().map(size).sum();
        lock(&self.0).add(name, Some(group), Part::Group(Arc::clone(&documents)), bytes);
        Ok(documents)
    }
}

pub(crate) fn all_documents(objects: &Objects, name: &str) -> Result<Vec<StoredDocument>, StoreError> {
    let (file, _) = footer(objects, name)?;
    let mut documents = Vec::new();
    for group in 0..file.groups() {
        let range = file.range(group);
        let bytes = objects.get_range(name, range.start, range.end - range.start)?;
        documents.extend(file.read(group, bytes).map_err(damaged(name))?);
    }
    Ok(documents)
}

/// Reads a footer. Also returns its length.
fn footer(objects: &Objects, name: &str) -> Result<(DocumentFile, usize), StoreError> {
    let size = objects.size(name)?;
    let short = || damaged(name)(std::io::Error::other(format!("it has only {size} bytes")));
    let tail = TAIL.min(size);
    let mut bytes = objects.get_range(name, size - tail, tail)?;
    let end = bytes.len().checked_sub(END as usize).ok_or_else(short)?;
    let length = footer_length(&bytes[end..]).map_err(damaged(name))?;
    let begin = size.checked_sub(length + END).ok_or_else(short)?;
    if length + END > tail {
        bytes = objects.get_range(name, begin, length + END)?;
    }
    let end = bytes.len() - END as usize;
    let footer = &bytes[end - length as usize..end];
    Ok((DocumentFile::from_footer(footer).map_err(damaged(name))?, footer.len()))
}

fn damaged(name: &str) -> impl Fn(std::io::Error) -> StoreError {
    move |error| StoreError::Damaged { what: "a file of documents", reason: format!("{name}: {error}") }
}
