//! Prepares a rebuild, which builds the new store beside the old one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_crawl::render::text::bytes;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{WarcFile, archive_files, archive_folder, open_archive};
use gleaner_frontier::Seed;
use gleaner_store::{ArchivePosition, ChangeLog, Replacement, Store, StoreError, Writer};

use crate::args::Rebuild;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, settings};

/// A rebuild that has begun: the old store is locked.
pub(super) struct RebuildStore {
    pub(super) replacement: Replacement,
    /// The changes in the archive. `None` if the store must be built from the archived responses.
    pub(super) changes: Option<ChangeLog>,
    /// Number of documents in the old store. `None` if unknown.
    pub(super) before: Option<u64>,
    /// The changes in the archive, also if they are not to be applied.
    found: ChangeLog,
}

impl RebuildStore {
    pub(super) fn begin(config: &Config, args: &Rebuild) -> Result<Self, Failure> {
        let (replacement, unreadable) =
            Replacement::begin(Path::new(&config.store.path), config.store.cache.get())
                .map_err(Failure::work)?;
        if let Some(error) = unreadable {
            print_message(format_args!("gleaner: {error}"));
        }
        if let Some(old) = replacement.old().filter(|_| !args.relearn) {
            copy_to_archive(config, old)?;
        }
        let changes = ChangeLog::in_folder(&archive_folder(config)).map_err(Failure::work)?;
        let found = changes.clone();
        // If the archive has not all changes of the store, the restored store would be older.
        let is_current = match replacement.old() {
            Some(old) => changes.has_all_of(old).map_err(Failure::work)?,
            None => true,
        };
        let has_changes = is_current && !changes.is_empty();
        let changes = (has_changes && !args.relearn).then_some(changes);
        let before = replacement.old().and_then(|old| Some(old.totals().ok()?.documents()));
        Ok(Self { replacement, changes, before, found })
    }

    /// Opens an empty store.
    pub(super) fn open_empty(&self, config: &Config) -> Result<Writer, Failure> {
        self.replacement.start_over().map_err(Failure::work)?;
        require_space(config, &self.replacement)?;
        self.replacement.open(config.store.cache.get()).map_err(Failure::work)
    }

    /// Opens the store that is filled from the archived responses: a new one, or that of an interrupted rebuild. Returns
    /// also the seeds: those in `files` or, if it is empty, those of the last crawl or in the settings.
    pub(super) fn open_for_responses(
        &self,
        config: &Config,
        args: &Rebuild,
    ) -> Result<(Writer, Vec<Seed>), Failure> {
        let seeds = self.seeds(&args.seeds, config)?;
        let old = self.replacement.old().filter(|_| !args.force);
        let lost = old.and_then(|old| {
            without_archive(config, old).unwrap_or_else(|error| {
                print_message(format_args!("gleaner: {error}"));
                None
            })
        });
        // A rebuild would lose documents without pages in the archive, such as ingested documents.
        if let Some(lost @ 1..) = lost {
            return Err(Failure::Work(format!(
                "the archive has no page for some documents: {lost}. `gleaner rebuild --relearn --force` drops them; \
                 ingested documents can be ingested again afterwards"
            )));
        }
        if args.force {
            self.replacement.start_over().map_err(Failure::work)?;
        } else if self.replacement.is_begun() {
            print_message("gleaner: resuming the interrupted rebuild (--force starts over)");
        }
        require_space(config, &self.replacement)?;
        let cache = config.store.cache.get();
        let writer = self.replacement.open_with_removals(cache, &self.found).map_err(Failure::work)?;
        Ok((writer, seeds))
    }

    fn seeds(&self, files: &[PathBuf], config: &Config) -> Result<Vec<Seed>, Failure> {
        if files.is_empty() {
            let of_old = self.replacement.old().and_then(|old| old.seeds().ok().flatten());
            if let Some(known) = of_old.or_else(|| self.found.seeds().ok().flatten()) {
                return Ok(known);
            }
            if config.crawl.seeds.is_empty() {
                return Err(Failure::Usage(format!(
                    "neither the store in {} nor its archive knows the seeds of the last crawl: set --seeds FILE",
                    config.store.path
                )));
            }
        }
        settings::seeds(files, &[], config)
    }
}

/// Copies the old store to its archive, if the archive does not have all its changes: an older version wrote it, or a part
/// of it is damaged. A store with texts that cannot be read is not copied.
fn copy_to_archive(config: &Config, old: &Store) -> CommandResult {
    let is_whole = old.damaged_records().is_ok_and(|damaged| damaged.is_empty());
    let is_complete = !old.is_rebuilding().unwrap_or(true) && !old.is_migrating().unwrap_or(true);
    let Some(mut writer) = old.writer().map_err(Failure::work)?.filter(|_| is_whole && is_complete) else {
        return Ok(());
    };
    open_archive(config, None, &mut writer).map_err(Failure::work)?;
    writer.complete_log(&archive_folder(config)).map_err(Failure::work)?;
    Ok(())
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

pub(crate) fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.map(|path| if path.is_dir() { size_of(&path) } else { length_of(path).1 }).sum()
}

/// Returns the number of documents in the old store whose page is not in the archive. Does not detect damage that would
/// be found only by reading all records. Returns `None` if the store is incomplete, because an older version did not
/// finish a rebuild.
fn without_archive(config: &Config, store: &Store) -> Result<Option<u64>, StoreError> {
    if store.is_rebuilding()? {
        return Ok(None);
    }
    // If an archive file is missing or truncated, the store refers to records that no longer exist.
    let files = archive_files(config).unwrap_or_default();
    let lengths: BTreeMap<u32, u64> = files.into_iter().map(length_of).collect();
    let is_there = |at: ArchivePosition| lengths.get(&at.file).is_some_and(|length| at.offset < *length);
    store.count_without_archive(is_there).map(Some)
}

fn length_of(path: PathBuf) -> (u32, u64) {
    let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    (WarcFile::file(path).number(), length)
}
