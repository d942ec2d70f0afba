//! Reads the last fetched version of a page, for `doctor`, `template explain` and the status page.

use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use crate::settings::Config;
use gleaner_archive::files::names;
use gleaner_archive::{ArchiveError, ArchiveReader, Item, RecordPosition};
use gleaner_frontier::UrlKey;
use gleaner_html::decode::decode;
use gleaner_store::{ArchivePosition, Store, StoreError};

use crate::archive::archive_folder;

/// A fetched page of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPage {
    /// The decoded HTML. At most `fetch.max_page` bytes of the body were decoded.
    pub html: String,
    /// The position of the page in the archive: the path of the file or the name of the object, and the
    /// offset of the record in bytes. `None` if the raw page is still in the store, because the page is
    /// buffered or kept for a later extraction.
    pub place: Option<(PathBuf, u64)>,
}

/// Why a page cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive's folder cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The archive file that contained the page is missing.
    #[error("archive file {number} with the page is missing; `gleaner verify` lists all faults")]
    Missing {
        /// The number at the beginning of the file's name.
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

/// Reads the last fetched version of a page. Returns `None` if the corpus has no version of the page.
///
/// # Errors
/// See [`PageError`].
pub fn stored_page(config: &Config, store: &Store, key: UrlKey) -> Result<Option<StoredPage>, PageError> {
    if let Some(kept) = store.page(key)? {
        let html = decode(&kept.body, kept.content_type.as_deref()).text.into_owned();
        return Ok(Some(StoredPage { html, place: None }));
    }
    let Some(archived) = store.url(key)?.and_then(|record| record.archived) else { return Ok(None) };
    let (file, offset) = archive_place(config, store, &archived)?;
    match archived_html(config, store, &archived, &file) {
        Ok(html) => Ok(Some(StoredPage { html, place: Some((file, offset)) })),
        Err(reason) => Err(PageError::Unreadable { file, offset, reason }),
    }
}

/// Returns the file or object of a response, and the offset in it.
pub(crate) fn archive_place(
    config: &Config,
    store: &Store,
    archived: &ArchivePosition,
) -> Result<(PathBuf, u64), PageError> {
    let found = if store.is_shared() {
        let file = store.archive_file(archived.file)?;
        file.map(|file| (file.name.into(), file.offset + archived.offset))
    } else {
        let folder = archive_folder(config);
        let is_it =
            |name: &String| RecordPosition { file: name.clone(), offset: 0 }.number() == archived.file;
        names(&folder)?.into_iter().find(is_it).map(|name| (folder.join(name), archived.offset))
    };
    found.ok_or(PageError::Missing { number: archived.file })
}

fn archived_html(
    config: &Config,
    store: &Store,
    archived: &ArchivePosition,
    file: &Path,
) -> Result<String, String> {
    let most = usize::try_from(config.fetch.max_page.get()).unwrap_or(usize::MAX);
    if !store.is_shared() {
        return html(
            ArchiveReader::open(file, archived.offset, most).map_err(|error| error.to_string())?,
            most,
        );
    }
    let content = store.archive_content(archived.file).map_err(|error| error.to_string())?;
    let from = usize::try_from(archived.offset).ok().and_then(|from| content.get(from..)).ok_or(SHORT)?;
    html(ArchiveReader::new(Cursor::new(from), most).map_err(|error| error.to_string())?, most)
}

const SHORT: &str = "the file ends before it";

fn html<R: Read + Seek>(mut reader: ArchiveReader<R>, most: usize) -> Result<String, String> {
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
