//! Opens the store that the settings name, and copies it to new files.

use std::fs;
use std::path::Path;

use gleaner_crawl::archive_folder;
use gleaner_crawl::render::text::bytes;
use gleaner_crawl::settings::Config;
use gleaner_store::{Shrunk, Store, StoreError, StoreOptions, Writer, open, shrink};
use tracing::info;

use crate::distributed;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::signals;

pub(crate) fn store(config: &Config, create: bool) -> Result<Store, Failure> {
    let is_new = || !Path::new(&config.store.path).join("sled").exists();
    if create && !distributed::is_shared(config) && has_archive(config) && is_new() {
        print_message(format_args!(
            "gleaner: {} has an archive but no store: starting a new store; `gleaner rebuild` would restore the old one",
            config.store.path
        ));
    }
    let store = match distributed::is_shared(config) {
        true => distributed::open_for_reading(config)?.map_err(Failure::work)?,
        false => open_store(config, create)?.store(),
    };
    check_complete(config, store)
}

/// Opens the corpus for reading, even while another process is writing.
pub(crate) fn read_store(config: &Config) -> Result<Store, Failure> {
    check_complete(config, open_for_reading(config)?.map_err(Failure::work)?)
}

/// Opens the corpus for reading, even if it is not complete. Returns `None` if there is no corpus yet.
pub(crate) fn read_store_if_exists(config: &Config) -> Result<Option<Store>, Failure> {
    match open_for_reading(config)? {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Nothing { .. } | StoreError::OnlyArchive { .. } | StoreError::NoTables { .. }) => {
            Ok(None)
        }
        Err(error) => Err(Failure::work(error)),
    }
}

fn open_for_reading(config: &Config) -> Result<Result<Store, StoreError>, Failure> {
    if distributed::is_shared(config) {
        return distributed::open_for_reading(config);
    }
    let folder = Path::new(&config.store.path);
    Ok(gleaner_store::read_corpus(folder, &archive_folder(config), config.store.cache.get()))
}

fn check_complete(config: &Config, store: Store) -> Result<Store, Failure> {
    match incomplete_reason(config, &store)? {
        Some(what) => Err(Failure::Work(what)),
        None => {
            name_unfinished_removals(&store)?;
            Ok(store)
        }
    }
}

/// Says that removals were interrupted, so that some removed data may still be there.
pub(crate) fn name_unfinished_removals(store: &Store) -> Result<(), Failure> {
    if let Some(message) = store.interrupted_removals().map_err(Failure::work)? {
        print_message(format_args!("gleaner: {message}"));
    }
    Ok(())
}

/// Returns a message if the store is incomplete, because a rebuild or a migration did not finish.
pub(crate) fn incomplete_reason(config: &Config, store: &Store) -> Result<Option<String>, Failure> {
    // During a migration, the settings name the database even if `store` is the one in the folder.
    let place = match store.is_shared() {
        true => distributed::store_address(config),
        false => config.store.path.clone(),
    };
    store.incomplete_reason(&place).map_err(Failure::work)
}

/// Opens the store in the data folder for writing, even if a rebuild or a migration did not finish.
pub(crate) fn open_store(config: &Config, create: bool) -> Result<Writer, Failure> {
    if create {
        refuse_foreign_folder(Path::new(&config.store.path))?;
    }
    let options = StoreOptions { cache: config.store.cache.get(), create };
    open(Path::new(&config.store.path), &options).map_err(|error| open_failure(config, error))
}

/// The size in bytes from which a message names a copy of the store, because it takes more than a moment.
const LARGE_STORE: u64 = 64 << 20;

/// Copies the store to new files if much of its space is unused. The store must be closed. A copy that fails is no failure of
/// the command, because no data are lost. Ctrl-C and SIGTERM end the process at once.
pub(crate) fn shrink_store(config: &Config) {
    if distributed::is_shared(config) {
        return;
    }
    let _listening = signals::end_at_signal();
    let on_begin = |size| {
        if size >= LARGE_STORE {
            print_message(format_args!(
                "gleaner: copying the store ({}) to new files, because much of its space may be unused",
                bytes(size)
            ));
        }
    };
    let store = &config.store;
    match shrink(Path::new(&store.path), store.cache.get(), store.min_free_disk.get(), &on_begin) {
        // The status page may still have the store open.
        Ok(None) | Err(StoreError::Busy { .. }) => {}
        Ok(Some(Shrunk { before, after })) => info!(before, after, "copied the store to new files"),
        Err(error) => {
            print_message(format_args!("gleaner: the store could not be copied to new files: {error}"))
        }
    }
}

/// The files and folders by which a corpus is known.
const OF_CORPUS: [&str; 5] = ["sled", "archive", "reports", "lock", "migration"];
/// Maximum number of files that a message names.
const MAX_NAMED_FILES: usize = 3;

/// Refuses to create a corpus in a folder with other files. Hidden files, and those that a file system has in its
/// first folder, do not count.
fn refuse_foreign_folder(folder: &Path) -> Result<(), Failure> {
    // If the folder cannot be read, opening the store fails with the reason.
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|name| !name.starts_with('.') && name != "lost+found").collect();
    if names.is_empty() || names.iter().any(|name| OF_CORPUS.contains(&name.as_str())) {
        return Ok(());
    }
    names.sort();
    names.truncate(MAX_NAMED_FILES);
    let (folder, names) = (folder.display(), names.join(", "));
    Err(Failure::Usage(format!(
        "{folder} is not a corpus and has other files ({names}): name a new or empty folder with --data"
    )))
}

/// Refuses to write a file or folder of the user into the folder of the corpus.
pub(crate) fn refuse_inside_corpus(config: &Config, target: &Path) -> Result<(), Failure> {
    let Ok(corpus) = fs::canonicalize(&config.store.path) else { return Ok(()) };
    let target_path = std::path::absolute(target).unwrap_or_else(|_| target.into());
    let is_inside =
        target_path.ancestors().any(|folder| fs::canonicalize(folder).is_ok_and(|it| it == corpus));
    if !is_inside {
        return Ok(());
    }
    let (target, corpus) = (target.display(), &config.store.path);
    Err(Failure::Usage(format!("{target} is inside the corpus {corpus}: name a place outside of it")))
}

/// Opens the store in the data folder for writing. Returns `None` if another process has it open.
pub(crate) fn try_open_store(config: &Config) -> Result<Option<Writer>, Failure> {
    match open(
        Path::new(&config.store.path),
        &StoreOptions { cache: config.store.cache.get(), create: false },
    ) {
        Ok(writer) => Ok(Some(writer)),
        Err(StoreError::Busy { .. }) => Ok(None),
        Err(error) => Err(open_failure(config, error)),
    }
}

fn open_failure(config: &Config, error: StoreError) -> Failure {
    Failure::work(error.beside(&archive_folder(config)))
}

fn has_archive(config: &Config) -> bool {
    gleaner_crawl::archive_files(config).is_ok_and(|files| !files.is_empty())
}
