//! Defines the errors of a store.

use std::io;
use std::path::{Path, PathBuf};

use gleaner_archive::files::names;
use gleaner_corpus::DocumentId;
use gleaner_http::retry::is_out_of_files;
use thiserror::Error;

use crate::keys;

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => {
            "crawls need write permission there: get it, or choose another with --data DIR"
        }
        _ => "choose another with --data DIR",
    }
}

/// Returns the error of the system in an error of sled. sled copies it as a text such as `Os { code: 28, ... }`.
fn of_system(error: io::Error) -> io::Error {
    let text = error.to_string();
    let code = text.strip_prefix("Os { code: ").and_then(|rest| rest.split(',').next()?.parse().ok());
    code.map_or(error, io::Error::from_raw_os_error)
}

/// An error while opening, reading or writing a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be created or read.
    #[error("data folder {}: {source}; {}", path.display(), advice(source))]
    Folder {
        /// The data folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another process has the folder open.
    #[error("data folder {} is in use by {holder}; wait for it, stop it, or choose another with --data DIR (to watch a crawl in a browser, start it with --status)", path.display())]
    Busy {
        /// The data folder.
        path: PathBuf,
        /// The process that has the folder open, as the lock file names it.
        holder: String,
    },
    /// Another process has the folder open, and reading through that process failed.
    #[error("data folder {}: the process that has it open failed: {reason}; run the command again", path.display())]
    Remote {
        /// The data folder.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The folder contains no corpus, and the command must not create a corpus.
    #[error("no corpus in {}: `gleaner crawl --data DIR` creates one", path.display())]
    Nothing {
        /// The data folder.
        path: PathBuf,
    },
    /// The folder contains an archive, but no corpus.
    #[error("no corpus in {}, but an archive: `gleaner rebuild` restores the corpus from it", path.display())]
    OnlyArchive {
        /// The data folder.
        path: PathBuf,
    },
    /// A newer gleaner wrote the store.
    #[error("data folder {} has format {found}, this gleaner reads up to {known}; use a newer gleaner", path.display())]
    Newer {
        /// The data folder.
        path: PathBuf,
        /// The store's format.
        found: u32,
        /// The newest format that this program can read.
        known: u32,
    },
    /// The disk is full.
    #[error("the store failed while {doing}: {source}; make room, then run the same command to go on")]
    Full {
        /// The failed operation.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The process has reached its limit of open files.
    #[error(
        "the store failed while {doing}: {source}: the limit of open files is reached; raise it with `ulimit -n 4096` or LimitNOFILE= of a systemd unit, then run the same command to go on"
    )]
    NoFile {
        /// The failed operation.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// sled failed.
    #[error("the store failed while {doing}: {source}")]
    Sled {
        /// The failed operation.
        doing: &'static str,
        /// sled's error.
        source: sled::Error,
    },
    /// The address of a database is invalid.
    #[error(
        "the address of the database cannot be used: {reason}; it looks like postgres://user@host:5432/database, and the password is best in PGPASSWORD or in a file that PGPASSWORD_FILE names"
    )]
    Address {
        /// The reason, without the address.
        reason: String,
    },
    /// A thread cannot be started.
    #[error("no thread can be started for {task}: {source}")]
    Thread {
        /// The task of the thread.
        task: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The database failed or refused an operation.
    #[error("{database} failed while {doing}: {reason}")]
    Database {
        /// The failed operation.
        doing: &'static str,
        /// The database's address, without the password.
        database: String,
        /// The error of the database or the driver, and the time spent on retries.
        reason: String,
    },
    /// Object storage failed or refused an operation.
    #[error(transparent)]
    Objects(#[from] crate::objects::ObjectError),
    /// The archive cannot be written or read.
    #[error(
        "{0}{hint}",
        hint = if .0.is_full() { "; make room, then run the same command to go on" } else { "" }
    )]
    Archive(#[from] gleaner_archive::ArchiveError),
    /// The database has no tables of gleaner.
    #[error("{database} has no tables of gleaner: `gleaner crawl --store ...` creates them")]
    NoTables {
        /// The database's address, without the password.
        database: String,
    },
    /// A newer gleaner created the tables.
    #[error("the tables of {database} have version {found}, this gleaner knows {known}; use a newer gleaner")]
    NewerTables {
        /// The database's address, without the password.
        database: String,
        /// The version of the database's tables.
        found: i32,
        /// The newest version of the tables that this program can read.
        known: i32,
    },
    /// The tables are too old to be updated.
    #[error(
        "the tables of {database} have version {found}, which cannot be upgraded to {known}: with the gleaner that wrote them, run `gleaner migrate --from {database} --to sled --objects ... --data FOLDER`; then with this one `gleaner migrate --from sled --to postgres://... --objects ... --data FOLDER`, with a new database and a new prefix"
    )]
    OlderTables {
        /// The database's address, without the password.
        database: String,
        /// The version of the database's tables.
        found: i32,
        /// The version of the tables that this program needs.
        known: i32,
    },
    /// The tables need an update, which this process does not do.
    #[error(
        "the tables of {database} are of an older gleaner; stop its workers, then start a worker of this version as the owner of the tables, such as `gleaner crawl`, which updates them"
    )]
    TablesToUpdate {
        /// The database's address, without the password.
        database: String,
    },
    /// The tables need an update, but older workers are running.
    #[error(
        "the tables of {database} must be upgraded, but older workers are running: {workers}; stop them first"
    )]
    OlderWorkers {
        /// The database's address, without the password.
        database: String,
        /// The names of the older workers.
        workers: String,
    },
    /// A worker's settings differ from those of the running workers.
    #[error(
        "this worker's settings differ from those of the others ({workers}): {differing}; use the same settings and the same version of gleaner, or stop the others first"
    )]
    Settings {
        /// The names and values of the differing settings.
        differing: String,
        /// Names of the running workers.
        workers: String,
    },
    /// The storage contains the files of another corpus.
    #[error(
        "{objects} has the files of another corpus, as its object `corpus` says (this corpus is {corpus}); choose another prefix with --objects"
    )]
    OtherCorpus {
        /// Address of the storage.
        objects: String,
        /// The identifier of this corpus.
        corpus: String,
    },
    /// The storage does not contain this corpus's files.
    #[error("{objects} is not the storage of this corpus: {why}; is --objects wrong?")]
    NotItsStorage {
        /// Address of the storage.
        objects: String,
        /// Why this storage seems wrong.
        why: String,
    },
    /// One text is unreadable. Other texts are readable.
    #[error(
        "the text of the document {id} cannot be read: {source}; `gleaner verify` names all texts that are lost, \
         and `gleaner verify --repair` extracts them again from the archive"
    )]
    Lost {
        /// The document.
        id: DocumentId,
        /// The number of the earlier revision that is unreadable. `None` if the current text is unreadable.
        revision: Option<u32>,
        /// The cause.
        source: Box<Self>,
    },
    /// The signature of one document is unreadable. Other records are readable.
    #[error(
        "the record {key} cannot be read: {reason}; `gleaner verify --repair` computes it again from the text of its document"
    )]
    Unreadable {
        /// The key of the record, in hexadecimal digits.
        key: String,
        /// Why the record cannot be read.
        reason: String,
    },
    /// An entry of a file of texts is unreadable, or an entry has another form than expected.
    #[error("{reason}")]
    UnreadableEntry {
        /// Why the entry cannot be read.
        reason: String,
    },
    /// The clock of this machine differs too much from the database's clock.
    #[error(
        "this machine's clock is {ahead:.0} s ahead of the database's; set both by a time service (NTP), then start again"
    )]
    Clocks {
        /// Seconds by which this machine's clock is ahead. Negative if it is behind.
        ahead: f64,
    },
    /// Another process has taken over the partitions of these records.
    #[error("another worker has taken over these records; the change is dropped, and that worker repeats it")]
    NotOurs,
    /// No number is left for a new record of a partition.
    #[error("the store has no number left for more {what} of one site's domain; please report this")]
    Crowded {
        /// The kind of record that needs a number.
        what: &'static str,
    },
    /// A record is unreadable.
    #[error(
        "the store is damaged: {what} cannot be read ({reason}); `gleaner rebuild` restores it from the archive and keeps the damaged store beside it"
    )]
    Damaged {
        /// The kind of record.
        what: &'static str,
        /// Why the record cannot be read.
        reason: String,
    },
}

impl StoreError {
    /// Returns the error for a corpus whose archive is in the folder `archive`: if only the corpus is missing, the error
    /// says so.
    #[must_use]
    pub fn beside(self, archive: &Path) -> Self {
        match self {
            Self::Nothing { path } if names(archive).is_ok_and(|files| !files.is_empty()) => {
                Self::OnlyArchive { path }
            }
            error => error,
        }
    }

    /// Returns the error for a record that is unreadable while others are readable. `source` is the cause.
    pub(crate) fn unreadable(key: &[u8], source: Self) -> Self {
        match keys::revision_of(key).filter(|_| keys::is_text(key)) {
            Some((id, revision)) => Self::Lost { id, revision, source: Box::new(source) },
            None => Self::Unreadable { key: keys::hex(key), reason: source.to_string() },
        }
    }

    /// Returns the key of the record if only this record is unreadable.
    pub(crate) fn unreadable_key(&self) -> Option<Vec<u8>> {
        match self {
            Self::Lost { id, revision: None, .. } => Some(keys::document(*id)),
            Self::Lost { id, revision: Some(number), .. } => Some(keys::revision(*id, *number)),
            Self::Unreadable { key, .. } => keys::from_hex(key),
            _ => None,
        }
    }

    /// Returns a function for `map_err` that converts an error of an operation in the data folder `path`.
    pub(crate) fn folder(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull => Self::Full { doing: "writing into its folder", source },
            _ if is_out_of_files(&source) => Self::NoFile { doing: "opening a file in its folder", source },
            _ => Self::Folder { path: path.into(), source },
        }
    }

    pub(crate) fn sled(doing: &'static str) -> impl FnOnce(sled::Error) -> Self {
        let plain = |source| match source {
            sled::Error::Io(source) => sled::Error::Io(of_system(source)),
            source => source,
        };
        move |source| match plain(source) {
            sled::Error::Corruption { .. } => {
                Self::Damaged { what: "the database", reason: format!("found while {doing}") }
            }
            sled::Error::Io(source) if source.kind() == io::ErrorKind::StorageFull => {
                Self::Full { doing, source }
            }
            sled::Error::Io(source) if is_out_of_files(&source) => Self::NoFile { doing, source },
            source => Self::Sled { doing, source },
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_permission_is_told_from_others() {
        let said =
            |kind: io::ErrorKind| StoreError::Folder { path: "d".into(), source: kind.into() }.to_string();
        assert!(said(io::ErrorKind::PermissionDenied).contains("crawls need write permission there"));
        assert!(said(io::ErrorKind::NotADirectory).ends_with("choose another with --data DIR"));
    }

    #[test]
    fn an_error_of_sled_has_the_words_of_the_system() {
        let copied = format!("{:?}", io::Error::from_raw_os_error(5));
        assert!(copied.starts_with("Os { code: 5"));
        let error = StoreError::sled("writing")(sled::Error::Io(io::Error::other(copied))).to_string();
        assert!(error.contains("Input/output error") && !error.contains("Os {"), "{error}");
    }

    #[test]
    fn without_a_file_descriptor_the_error_names_the_limit_and_no_other_folder() {
        let error = || io::Error::from_raw_os_error(24);
        for error in [
            StoreError::folder(Path::new("data"))(error()),
            StoreError::sled("opening")(sled::Error::Io(error())),
        ] {
            let message = error.to_string();
            assert!(message.contains("limit of open files") && message.contains("ulimit -n"), "{message}");
            assert!(!message.contains("--data"), "{message}");
        }
    }
}
