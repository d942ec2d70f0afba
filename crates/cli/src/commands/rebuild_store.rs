//! Prepares a rebuild, which builds the new store beside the old one, or resumes an interrupted rebuild.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_crawl::render::text::bytes;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{WarcFile, archive_files, archive_folder};
use gleaner_frontier::Seed;
use gleaner_store::{ArchivePosition, Replacement, Store, StoreError, Writer};

use crate::failure::Failure;
use crate::messages::print_message;
use crate::settings;

pub(super) struct RebuildStore {
    pub(super) replacement: Replacement,
    pub(super) writer: Writer,
    pub(super) seeds: Vec<Seed>,
    /// Number of documents in the old store. `None` if unknown.
    pub(super) before: Option<u64>,
}

/// Opens the store that the rebuild fills: a new one, or that of an interrupted rebuild. The seeds are those in
/// `files` or, if it is empty, those of the last crawl or in the settings.
pub(super) fn begin(config: &Config, files: &[PathBuf], force: bool) -> Result<RebuildStore, Failure> {
    let (replacement, unreadable) =
        Replacement::begin(Path::new(&config.store.path), config.store.cache.get()).map_err(Failure::work)?;
    if let Some(error) = unreadable {
        print_message(format_args!("gleaner: {error}"));
    }
    let seeds = seeds(files, config, replacement.old())?;
    let before = match replacement.old().filter(|_| !force) {
        Some(old) => examine(config, old).unwrap_or_else(|error| {
            print_message(format_args!("gleaner: {error}"));
            None
        }),
        None => None,
    };
    // A rebuild would lose documents without pages in the archive, such as ingested documents.
    if let Some(Examined { without_archive: lost @ 1.., .. }) = before {
        return Err(Failure::Work(format!(
            "the archive has no page for some documents: {lost}. `gleaner rebuild --force` drops them; \
             ingested documents can be ingested again afterwards"
        )));
    }
    if force {
        replacement.start_over().map_err(Failure::work)?;
    } else if replacement.is_begun() {
        print_message("gleaner: resuming the interrupted rebuild (--force starts over)");
    }
    require_space(config, &replacement)?;
    let writer = replacement.open(config.store.cache.get()).map_err(Failure::work)?;
    Ok(RebuildStore { replacement, writer, seeds, before: before.map(|old| old.documents) })
}

/// Returns the settings with which the store in `folder` is built from the archive of the corpus.
pub(super) fn config_of(config: &Config, folder: &Path) -> Config {
    let mut config = config.clone();
    config.archive.path = archive_folder(&config).to_string_lossy().into_owned();
    config.store.path = folder.to_string_lossy().into_owned();
    config
}

/// Refuses a rebuild that would fill the disk. The new store will be about as large as the old one. Without an old
/// store, it is assumed to be as large as the archive, which is an upper limit of most corpora.
fn require_space(config: &Config, replacement: &Replacement) -> Result<(), Failure> {
    let folder = Path::new(&config.store.path);
    let archive: u64 =
        archive_files(config).unwrap_or_default().into_iter().map(|file| length_of(file).1).sum();
    let old = size_of(&folder.join("sled"));
    let expected = if old > 0 { old } else { archive };
    let needed = expected.saturating_sub(size_of(&replacement.folder()));
    let floor = config.store.min_free_disk.get();
    let free = replacement.free_space().map_err(Failure::work)?;
    if free >= needed.saturating_add(floor) {
        return Ok(());
    }
    Err(Failure::Work(format!(
        "a rebuild needs about {} beside the old store, and the disk has {} free, of which store.min_free_disk = {} \
         must stay free; make room, then run the same command (the old store is unchanged)",
        bytes(needed),
        bytes(free),
        bytes(floor)
    )))
}

pub(super) fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.map(|path| if path.is_dir() { size_of(&path) } else { length_of(path).1 }).sum()
}

fn seeds(files: &[PathBuf], config: &Config, old: Option<&Store>) -> Result<Vec<Seed>, Failure> {
    if files.is_empty() {
        if let Some(known) = old.and_then(|old| old.seeds().ok().flatten()) {
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

#[derive(Clone, Copy)]
struct Examined {
    documents: u64,
    /// Number of documents whose page is not in the archive.
    without_archive: u64,
}

/// Examines the old store. Does not detect damage that would be found only by reading all records. Returns `None`
/// if the store is incomplete, because an older version did not finish a rebuild.
fn examine(config: &Config, store: &Store) -> Result<Option<Examined>, StoreError> {
    if store.is_rebuilding()? {
        return Ok(None);
    }
    // If an archive file is missing or truncated, the store refers to records that no longer exist.
    let files = archive_files(config).unwrap_or_default();
    let lengths: BTreeMap<u32, u64> = files.into_iter().map(length_of).collect();
    let is_there = |at: ArchivePosition| lengths.get(&at.file).is_some_and(|length| at.offset < *length);
    let without_archive = store.count_without_archive(is_there)?;
    Ok(Some(Examined { documents: store.totals()?.documents(), without_archive }))
}

fn length_of(path: PathBuf) -> (u32, u64) {
    let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    (WarcFile::file(path).number(), length)
}
