//! Reads the last fetched version of a page, for `gleaner doctor`, `gleaner template explain` and the status
//! page.

use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use gleaner_archive::files::names;
use gleaner_archive::{ArchiveError, Item, Place, Reader};
use gleaner_config::Config;
use gleaner_frontier::UrlKey;
use gleaner_html::decode::decode;
use gleaner_store::{Archived, Store, StoreError};

use crate::archive::archive_folder;

/// A fetched page of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPage {
    /// The decoded HTML, from at most `fetch.max_page` bytes.
    pub html: String,
    /// Where the archive has the page: the path of the file or the name of the object, and the offset of the
    /// record in bytes. `None` if the page is still in the store, buffered for its host's template.
    pub place: Option<(PathBuf, u64)>,
}

/// A page cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive's folder cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The archive file that had the page is missing.
    #[error("archive file {number} with the page is missing; `gleaner verify` lists all faults")]
    Missing {
        /// The file's number, which its name begins with.
        number: u32,
    },
    /// The record is damaged, or it is not a response.
    #[error("the record at byte {offset} of {} cannot be read: {reason}", file.display())]
    Unreadable {
        /// The archive file.
        file: PathBuf,
        /// The offset of the record in bytes.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
}

/// Reads the last fetched version of a page. Returns `None` if the corpus has no version of it.
///
/// # Errors
/// See [`PageError`].
pub fn stored_page(config: &Config, store: &Store, key: UrlKey) -> Result<Option<StoredPage>, PageError> {
    if let Some(kept) = store.page(key)? {
        let html = decode(&kept.body, kept.content_type.as_deref()).text.into_owned();
        return Ok(Some(StoredPage { html, place: None }));
    }
    let Some(archived) = store.url(key)?.and_then(|record| record.archived) else { return Ok(None) };
    let (file, offset) = (archive_file(config, store, &archived)?, archived.offset);
    match archived_html(config, store, &file, offset) {
        Ok(html) => Ok(Some(StoredPage { html, place: Some((file, offset)) })),
        Err(reason) => Err(PageError::Unreadable { file, offset, reason }),
    }
}

fn archive_file(config: &Config, store: &Store, archived: &Archived) -> Result<PathBuf, PageError> {
    let found = if store.is_shared() {
        let files = store.archive_files().collect::<Result<Vec<_>, _>>()?;
        files.into_iter().find(|(number, _)| *number == archived.file).map(|(_, file)| file.name.into())
    } else {
        let folder = archive_folder(config);
        let is_it = |name: &String| Place { file: name.clone(), offset: 0 }.number() == archived.file;
        names(&folder)?.into_iter().find(is_it).map(|name| folder.join(name))
    };
    found.ok_or(PageError::Missing { number: archived.file })
}

fn archived_html(config: &Config, store: &Store, file: &Path, offset: u64) -> Result<String, String> {
    let most = usize::try_from(config.fetch.max_page.get()).unwrap_or(usize::MAX);
    if !store.is_shared() {
        return html(Reader::open(file, offset, most).map_err(|error| error.to_string())?, most);
    }
    let content = store
        .object(&file.to_string_lossy())
        .map_err(|error| error.to_string())?
        .ok_or("the object is missing")?;
    let from = usize::try_from(offset).ok().and_then(|from| content.get(from..)).ok_or(SHORT)?;
    html(Reader::new(Cursor::new(from), most).map_err(|error| error.to_string())?, most)
}

const SHORT: &str = "the file ends before it";

fn html<R: Read + Seek>(mut reader: Reader<R>, most: usize) -> Result<String, String> {
    match reader.next() {
        Some(Ok(Item::Record(record))) => {
            let http = record.http().ok_or("it is not an HTTP response")?;
            let content_type = http.header("content-type").map(str::to_owned);
            Ok(decode(&http.payload(most).body, content_type.as_deref()).text.into_owned())
        }
        Some(Ok(Item::Damage(damage))) => Err(damage.reason),
        Some(Err(error)) => Err(error.to_string()),
        None => Err(SHORT.into()),
    }
}
