//! Restores a store from the archive alone: the changes in it, and the raw pages of the articles that wait for a
//! template. Nothing is extracted again, so the store has the texts that it had, whatever the version of gleaner, the
//! settings and the pins are today.

use std::path::PathBuf;

use crate::settings::Config;
use gleaner_frontier::UrlKey;
use gleaner_store::{ChangeLog, PackedPage, RawPage, Store, StoreError, Writer};
use tracing::warn;

use crate::error::CrawlError;
use crate::repair::archived_response;

/// Number of raw pages after which the store is flushed.
const FLUSH_AFTER: usize = 500;

/// The result of [`restore`].
#[derive(Debug, Clone, Default)]
pub struct Restored {
    /// Number of changes in the archive that were applied.
    pub changes: u64,
    /// Parts of the archive that cannot be read: file, offset in bytes, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// Whether changes are missing. The caller must then process the archived responses that the store does not know.
    pub is_incomplete: bool,
    /// Documents in the corpus.
    pub documents: u64,
}

/// Finds the changes in the archive's files. The result is empty if an older version wrote the archive.
///
/// # Errors
/// A file cannot be read.
pub fn changes_in_archive(files: &[PathBuf]) -> Result<ChangeLog, CrawlError> {
    let path = || files.first().cloned().unwrap_or_default();
    ChangeLog::find(files, 0).map_err(|source| CrawlError::Source { path: path(), source })
}

/// Fills an empty store from the changes in its archive. `progress` gets the number of changes applied since the last
/// call.
///
/// # Errors
/// The store cannot be written.
pub fn restore(
    config: &Config,
    writer: &mut Writer,
    log: ChangeLog,
    progress: impl FnMut(u64),
) -> Result<Restored, CrawlError> {
    let log = writer.restore(log, progress)?;
    restore_raw_pages(config, writer)?;
    writer.flush()?;
    Ok(Restored {
        changes: log.len(),
        is_incomplete: log.is_incomplete,
        damaged: log.damaged,
        documents: writer.store().totals()?.documents(),
    })
}

fn restore_raw_pages(config: &Config, writer: &mut Writer) -> Result<(), CrawlError> {
    for (count, key) in writer.urls_with_raw_page()?.into_iter().enumerate() {
        match raw_page(config, &writer.store(), key) {
            Ok(page) => {
                let mut change = writer.begin();
                change.put_page(key, PackedPage::from_page(&page));
                writer.commit(change)?;
            }
            // The training counts the page as unreadable.
            Err(reason) => warn!(url = %key, reason, "the raw page cannot be restored"),
        }
        if count % FLUSH_AFTER == FLUSH_AFTER - 1 {
            writer.flush()?;
        }
    }
    Ok(())
}

fn raw_page(config: &Config, store: &Store, key: UrlKey) -> Result<RawPage, String> {
    let record = store.url(key).map_err(|error: StoreError| error.to_string())?;
    let record = record.ok_or("the store has no record of its URL")?;
    let answer = archived_response(config, store, &record)?;
    let (body, content_type) = (answer.response.body, answer.response.content_type);
    Ok(RawPage { body, content_type, fetched: answer.at })
}
