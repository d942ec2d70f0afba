//! Reads the data that an exported record adds to its document: URLs, position in the archive, history and
//! cluster. `gleaner export`, the status page and the Python package use it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use gleaner_archive::files::names;
use gleaner_archive::{Exchange, RecordPosition};
use gleaner_corpus::Document;
use gleaner_export::RecordContext;
use gleaner_frontier::UrlKey;

use crate::{ArchivePosition, FileRecord, History, Store, StoreError};

/// Reads the URLs, the archive position, the history and the cluster of a document. Knows only the archive
/// files that existed when the reader was created.
#[derive(Debug)]
pub struct ContextReader {
    store: Store,
    /// The folder of the archive, unless the store is shared.
    folder: PathBuf,
    /// For each file, the name of the file or object that contains it, and where it begins there.
    files: HashMap<u32, (String, u64)>,
}

impl ContextReader {
    /// Creates a reader. Lists the files of the archive, which are in the folder `archive` unless the store is shared.
    ///
    /// # Errors
    /// The archive's folder or the store cannot be read.
    pub fn new(store: Store, archive: &Path) -> Result<Self, StoreError> {
        let files = files_by_number(&store, archive)?;
        Ok(Self { store, folder: archive.to_owned(), files })
    }

    /// Reads the data for a document. Leaves the list of removed paragraphs empty, which the export computes.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(&self, document: &Document) -> Result<RecordContext, StoreError> {
        let History { earlier, gone } = self.store.history(document.id)?;
        let (urls, archived) = (self.store.urls_of(document)?, self.archived(document)?);
        let mut context = RecordContext { urls, archived, earlier, gone, ..RecordContext::default() };
        if let Some(similarity_info) = self.store.similarity_info(document.id)? {
            context.representative =
                Some(similarity_info.representative).filter(|other| *other != document.id);
            context.similarity = similarity_info.similarity;
            context.near_duplicates = similarity_info.members;
            context.related = similarity_info.related.iter().map(|(id, _)| id.to_string()).collect();
        }
        Ok(context)
    }

    /// Reads the archived response of a document's page, and its request. Returns `None` if the page is not archived.
    ///
    /// # Errors
    /// The store cannot be read. The inner error says why the archive has no intact response at this place.
    pub fn page(&self, document: &Document) -> Result<Option<io::Result<Exchange>>, StoreError> {
        let Some(place) = self.place(document)? else { return Ok(None) };
        if self.store.is_shared() {
            let content = self.store.archive_content(place.file)?;
            return Ok(Some(Exchange::read(&mut Cursor::new(content), place.offset)));
        }
        let file = self.files.get(&place.file).map(|(name, _)| self.folder.join(name));
        let missing = || io::Error::other(format!("archive file {} is missing", place.file));
        let read = file.ok_or_else(missing).and_then(File::open);
        Ok(Some(read.and_then(|mut file| Exchange::read(&mut file, place.offset))))
    }

    fn archived(&self, document: &Document) -> Result<Option<(String, u64)>, StoreError> {
        Ok(self.place(document)?.and_then(|place| {
            let (file, begin) = self.files.get(&place.file)?;
            Some((file.clone(), begin + place.offset))
        }))
    }

    fn place(&self, document: &Document) -> Result<Option<ArchivePosition>, StoreError> {
        let record = self.store.url(UrlKey::from_bytes(document.id.0))?;
        Ok(record.and_then(|record| record.archived))
    }
}

fn files_by_number(store: &Store, archive: &Path) -> Result<HashMap<u32, (String, u64)>, StoreError> {
    if store.is_shared() {
        let file = |(number, file): (u32, FileRecord)| {
            (number, (file.name.rsplit('/').next().unwrap_or_default().to_owned(), file.offset))
        };
        return store.archive_files().map(|named| Ok(file(named?))).collect();
    }
    let numbered = |file: String| (RecordPosition { file: file.clone(), offset: 0 }.number(), (file, 0));
    Ok(names(archive)?.into_iter().map(numbered).collect())
}
