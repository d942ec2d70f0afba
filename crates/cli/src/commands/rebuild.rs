//! How a rebuild begins: with what becomes of the store that is there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_config::Config;
use gleaner_crawl::{Source, archive_files};
use gleaner_store::{Archived, StoreError, Writer, set_aside};

use crate::aside::say;
use crate::failure::Failure;
use crate::settings;

/// What a rebuild begins with.
pub(super) struct Begun {
    pub(super) writer: Writer,
    /// Documents of the store before, and where it is kept; `None`: not known.
    pub(super) before: Option<(u64, PathBuf)>,
}

/// The store to be filled: a new one, or the one that an interrupted rebuild began.
pub(super) fn begin(config: &Config, force: bool) -> Result<Begun, Failure> {
    let folder = Path::new(&config.store.path);
    let mut documents = None;
    match standing(config, folder, force) {
        Ok(Standing::Unfinished(writer)) => {
            say("gleaner: resuming the interrupted rebuild (--force starts over)");
            return Ok(Begun { writer, before: None });
        }
        // What the archive does not have, such as what was ingested, would be gone.
        Ok(Standing::Whole { without_archive: lost @ 1.., .. }) => {
            return Err(Failure::Work(format!(
                "documents of which the archive has no page: {lost}. `gleaner rebuild --force` goes on without them; \
                 what was ingested can be ingested again afterwards"
            )));
        }
        Ok(Standing::Whole { documents: counted, .. }) => documents = Some(counted),
        Ok(Standing::GivenUp) | Err(StoreError::Nothing { .. }) => {}
        Err(error @ (StoreError::Busy { .. } | StoreError::Folder { .. })) => {
            return Err(Failure::work(error));
        }
        Err(error) => say(format_args!("gleaner: {error}")),
    }
    let aside = set_aside(folder).map_err(Failure::work)?;
    if let Some(aside) = &aside {
        say(format_args!("gleaner: the old store is kept as {}", aside.display()));
    }
    let mut writer = settings::open_store(config, true)?;
    let mut change = writer.begin();
    change.put_rebuilding(true);
    writer.commit(change).and_then(|()| writer.flush()).map_err(Failure::work)?;
    Ok(Begun { writer, before: documents.zip(aside) })
}

/// What stands where the store is to be made.
enum Standing {
    /// What an interrupted rebuild began.
    Unfinished(Writer),
    /// A store, and how many of its documents are of pages that the archive does not have.
    Whole { documents: u64, without_archive: u64 },
    /// A store into which nobody looks.
    GivenUp,
}

/// Damage may be found by opening the store, and only by reading in it.
fn standing(config: &Config, folder: &Path, force: bool) -> Result<Standing, StoreError> {
    let options = gleaner_store::Options { cache: config.store.cache.get(), create: false };
    let writer = gleaner_store::open(folder, &options)?;
    if force {
        return Ok(Standing::GivenUp);
    }
    let store = writer.store();
    if store.is_rebuilding()? {
        return Ok(Standing::Unfinished(writer));
    }
    // A file that is gone or cut does not have what the store put there.
    let files = archive_files(config).unwrap_or_default();
    let lengths: BTreeMap<u32, u64> = files.into_iter().map(length_of).collect();
    let is_there = |at: Archived| lengths.get(&at.file).is_some_and(|length| at.offset < *length);
    let without_archive = store.count_without_archive(is_there)?;
    Ok(Standing::Whole { documents: store.totals()?.documents(), without_archive })
}

/// The number and length of an archive's file.
fn length_of(path: PathBuf) -> (u32, u64) {
    let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    (Source::file(path).number(), length)
}
