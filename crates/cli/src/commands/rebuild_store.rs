//! Prepares a rebuild: moves the old store away, or resumes an interrupted rebuild.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_config::Config;
use gleaner_crawl::{WarcFile, archive_files};
use gleaner_frontier::Seed;
use gleaner_store::{ArchivePosition, StoreError, Writer, set_aside};

use crate::failure::Failure;
use crate::messages::print_message;
use crate::settings;

pub(super) struct RebuildStore {
    pub(super) writer: Writer,
    /// Number of documents in the old store, and the new path of that store. `None` if unknown.
    pub(super) before: Option<(u64, PathBuf)>,
}

/// Opens the store that the rebuild fills. This is a new store, or the store of an interrupted rebuild.
pub(super) fn begin(config: &Config, force: bool) -> Result<RebuildStore, Failure> {
    let folder = Path::new(&config.store.path);
    let mut documents = None;
    match examine_old_store(config, folder, force) {
        Ok(OldStore::Unfinished(writer)) => {
            print_message("gleaner: resuming the interrupted rebuild (--force starts over)");
            return Ok(RebuildStore { writer: *writer, before: None });
        }
        // A rebuild would lose documents without pages in the archive, such as ingested documents.
        Ok(OldStore::Complete { without_archive: lost @ 1.., .. }) => {
            return Err(Failure::Work(format!(
                "the archive has no page for some documents: {lost}. `gleaner rebuild --force` drops them; \
                 ingested documents can be ingested again afterwards"
            )));
        }
        Ok(OldStore::Complete { documents: counted, .. }) => documents = Some(counted),
        Ok(OldStore::Replaced) | Err(StoreError::Nothing { .. }) => {}
        Err(error @ (StoreError::Busy { .. } | StoreError::Folder { .. })) => {
            return Err(Failure::work(error));
        }
        Err(error) => print_message(format_args!("gleaner: {error}")),
    }
    let old_path = set_aside(folder).map_err(Failure::work)?;
    if let Some(old_path) = &old_path {
        print_message(format_args!("gleaner: the old store is kept as {}", old_path.display()));
    }
    let mut writer = settings::open_store(config, true)?;
    let mut change = writer.begin();
    change.put_rebuilding(true);
    writer.commit(change).and_then(|()| writer.flush()).map_err(Failure::work)?;
    Ok(RebuildStore { writer, before: documents.zip(old_path) })
}

/// Returns the seeds in `files`. If `files` is empty, returns the seeds of the last crawl or, if none are
/// recorded, the seeds in the settings.
pub(super) fn seeds(files: &[PathBuf], config: &Config) -> Result<Vec<Seed>, Failure> {
    if files.is_empty() {
        if let Some(known) = known_seeds(config)? {
            return Ok(known);
        }
        if config.crawl.seeds.is_empty() {
            return Err(Failure::Usage(format!(
                "the store in {} does not know the seeds of the last crawl: set --seeds FILE",
                config.store.path
            )));
        }
    }
    settings::seeds(files, &[], config)
}

fn known_seeds(config: &Config) -> Result<Option<Vec<Seed>>, Failure> {
    let options = gleaner_store::StoreOptions { cache: config.store.cache.get(), create: false };
    match gleaner_store::open(Path::new(&config.store.path), &options) {
        Ok(writer) => Ok(writer.store().seeds().unwrap_or_default()),
        Err(error @ StoreError::Busy { .. }) => Err(Failure::work(error)),
        // A rebuild replaces a damaged store.
        Err(_) => Ok(None),
    }
}

enum OldStore {
    Unfinished(Box<Writer>),
    /// A complete store. `without_archive` is the number of documents whose page is not in the archive.
    Complete {
        documents: u64,
        without_archive: u64,
    },
    /// `--force` replaces the store without reading it.
    Replaced,
}

/// Examines the old store. Does not detect damage that would be found only by reading all records.
fn examine_old_store(config: &Config, folder: &Path, force: bool) -> Result<OldStore, StoreError> {
    let options = gleaner_store::StoreOptions { cache: config.store.cache.get(), create: false };
    let writer = gleaner_store::open(folder, &options)?;
    if force {
        return Ok(OldStore::Replaced);
    }
    let store = writer.store();
    if store.is_rebuilding()? {
        return Ok(OldStore::Unfinished(Box::new(writer)));
    }
    // If an archive file is missing or truncated, the store refers to records that no longer exist.
    let files = archive_files(config).unwrap_or_default();
    let lengths: BTreeMap<u32, u64> = files.into_iter().map(length_of).collect();
    let is_there = |at: ArchivePosition| lengths.get(&at.file).is_some_and(|length| at.offset < *length);
    let without_archive = store.count_without_archive(is_there)?;
    Ok(OldStore::Complete { documents: store.totals()?.documents(), without_archive })
}

fn length_of(path: PathBuf) -> (u32, u64) {
    let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    (WarcFile::file(path).number(), length)
}
