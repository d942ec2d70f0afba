//! Copies the state of the corpus at one moment, even while a crawl runs.
//!
//! A caller writes a request file into the data folder ([`request`]). At its next tick, the owner thread of
//! the crawl flushes the store, copies the corpus and writes an answer file. Between runs, a daemon does the
//! same ([`follow`]). If no process uses the folder, the caller copies the corpus itself ([`take`]).
//!
//! 1. Complete archive files are hard-linked or copied. The newest file is copied up to its flushed length.
//! 2. The store is copied record by record.
//! 3. Everything is written to `DIR.part`. This folder is renamed to `DIR` at the end, so `DIR` is never
//!    incomplete.
//!
//! Limitation: the crawl pauses during the copy, for some seconds per hundred thousand documents.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::settings::Config;
use gleaner_archive::files::make_folder;
use gleaner_store::{Store, StoreError, StoreOptions, Writer};
use thiserror::Error;
use tracing::warn;

use crate::archive::archive_files;
use crate::error::CrawlError;
use crate::request_file::RequestFile;

/// Why a copy failed.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// A file or folder cannot be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The store cannot be copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] CrawlError),
}

const FILE: RequestFile = RequestFile { name: "snapshot" };

/// Begins the answer to a request that succeeded. The number of unreadable records follows.
const DONE: &str = "done ";

fn wrong(path: &Path) -> impl FnOnce(io::Error) -> SnapshotError {
    let path = path.to_owned();
    move |source| SnapshotError::File { path, source }
}

/// Requests a copy into `target`, an absolute path, from the process that uses the data folder.
///
/// # Errors
/// The request file cannot be written.
pub fn request(data: &Path, target: &Path) -> Result<(), SnapshotError> {
    FILE.send(data, target.as_os_str().as_encoded_bytes()).map_err(wrong(data))
}

/// Withdraws the request if no process has handled it.
pub fn withdraw(data: &Path) {
    FILE.withdraw(data);
}

/// Reads and removes the answer to a request. Returns `None` if there is no answer yet, the number of records
/// that cannot be read ([`take`]), or `Err` with the reason if the copy failed.
#[must_use]
pub fn answer(data: &Path) -> Option<Result<u64, String>> {
    let text = FILE.answer(data)?;
    let done = text.strip_prefix(DONE).and_then(|unreadable| unreadable.parse().ok());
    Some(done.ok_or(text))
}

/// Copies the flushed state of the corpus into `target`, which must not exist. Returns the number of texts and
/// signatures that cannot be read, also in the copy.
///
/// # Errors
/// A file, the store or the archive cannot be read or written. No partial copy remains.
pub fn take(config: &Config, writer: &Writer, target: &Path) -> Result<u64, SnapshotError> {
    if target.exists() {
        return Err(wrong(target)(io::Error::other("it already exists; choose a new folder")));
    }
    let mut part = target.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let _ = fs::remove_dir_all(&part);
    let copied = copy(config, writer, &part);
    if copied.is_err() {
        let _ = fs::remove_dir_all(&part);
    }
    let unreadable = copied?;
    fs::rename(&part, target).map_err(wrong(target))?;
    Ok(unreadable)
}

fn copy(config: &Config, writer: &Writer, part: &Path) -> Result<u64, SnapshotError> {
    let archive = part.join("archive");
    make_folder(&archive).map_err(wrong(&archive))?;
    let end = writer.store().archive_end()?;
    for path in archive_files(config)? {
        let Some(name) = path.file_name() else { continue };
        let to = archive.join(name);
        let newest = end.as_ref().filter(|end| name.to_str() == Some(end.file.as_str()));
        match newest {
            Some(end) => copy_up_to(&path, &to, end.length),
            None => fs::hard_link(&path, &to).or_else(|_| fs::copy(&path, &to).map(drop)),
        }
        .map_err(wrong(&path))?;
    }
    let options = StoreOptions { cache: config.store.cache.get(), create: true };
    Ok(writer.copy_to(part, &options)?)
}

fn copy_up_to(from: &Path, to: &Path, length: u64) -> io::Result<()> {
    let mut out = File::create_new(to)?;
    io::copy(&mut File::open(from)?.take(length), &mut out)?;
    out.sync_all()
}

/// Handles a pending request for a copy while no crawl runs. The caller must have flushed all changes.
pub fn follow(config: &Config, store: &Store) {
    let data = Path::new(&config.store.path);
    if !FILE.is_pending(data) {
        return;
    }
    let copied = match store.writer() {
        Ok(Some(writer)) => Ok(writer),
        // A crawl has begun. It handles the request.
        Ok(None) => return,
        Err(error) => Err(error),
    };
    let Some(target) = requested(data) else { return };
    let copied = copied.map_err(Into::into).and_then(|writer| take(config, &writer, Path::new(&target)));
    leave_answer(data, &target, copied);
}

pub(crate) fn requested(data: &Path) -> Option<String> {
    FILE.take(data)
}

pub(crate) fn leave_answer(data: &Path, target: &str, copied: Result<u64, SnapshotError>) {
    let answer = match copied {
        Ok(unreadable) => format!("{DONE}{unreadable}"),
        Err(error) => {
            warn!(target, %error, "the corpus could not be copied");
            error.to_string()
        }
    };
    if let Err(error) = FILE.leave_answer(data, &answer) {
        warn!(%error, "the result of the copy cannot be written");
    }
}
