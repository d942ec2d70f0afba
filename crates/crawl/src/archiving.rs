//! Every answer is kept as it came, before its page counts as fetched.
//!
//! 1. A worker makes the records of an answer and of its request, and compresses them
//!    ([`Keeping`]).
//! 2. The owner appends them before it changes the store for that answer.
//! 3. At each flush the archive is brought to disk first, then the store: what the store
//!    has on disk, the archive has, too.
//!
//! An answer of 304, or with the body that the URL gave last, becomes a revisit record that
//! says where that body is. What gave no answer (a time limit, a page that is too large or
//! of another type) is not kept, and neither is it read.

use std::path::{Path, PathBuf};

use gleaner_archive::files::{self, Options};
use gleaner_archive::{Archive, Capture, Digest, Place, Revisit, Spool};
use gleaner_config::Config;
use gleaner_fetch::Response;
use gleaner_store::{ARCHIVE_FOLDER, ArchiveEnd, Archived, FileRecord, Store, StoreError, UrlRecord};
use jiff::Timestamp;

use crate::owner::Owner;
use crate::pipeline::CrawlError;

/// Named field of a record: what was expected behind the URL.
pub(crate) const ROLE: &str = "Gleaner-Role";

/// The role of a robots.txt, which the frontier does not have.
pub(crate) const ROBOTS: &str = "robots";

/// Bytes of records that wait in memory for a flush, at most.
const MOST_IN_MEMORY: u64 = 64 << 20;

/// How records are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeping {
    level: u32,
}

/// An answer as records: its own, and that of its request.
#[derive(Debug)]
pub(crate) struct Kept {
    bytes: Vec<u8>,
    records: u64,
    at: Timestamp,
    /// Of its body; `None` where the record has none that a later one may refer to.
    digest: Option<Digest>,
}

impl Kept {
    /// Whether the body is the one that the archive had of the URL.
    pub(crate) const fn is_as_before(&self) -> bool {
        self.digest.is_none()
    }
}

impl Keeping {
    /// Unless the settings say that nothing is kept.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        config.archive.keep.then_some(Self { level: config.archive.level })
    }

    /// The records of an answer to a URL of this role, whose last body is known or not.
    pub(crate) fn record(
        self,
        url: &str,
        role: &str,
        response: &Response,
        at: Timestamp,
        last: Option<Archived>,
    ) -> Kept {
        let capture = Capture {
            url,
            at,
            status: response.status,
            headers: &response.headers,
            body: &response.body,
            is_cut: response.is_cut,
            request: &response.sent,
            fields: &[(ROLE, role)],
        };
        let (digest, records) = (capture.digest(), capture.records());
        let last = last.map(|last| Revisit { at: last.at, payload: Digest::from_bytes(last.digest) });
        let known = last.filter(|last| response.status == 304 || last.payload == digest);
        match known {
            Some(known) => Kept { bytes: capture.revisit(known, self.level), records, at, digest: None },
            None => {
                let is_body = (200..300).contains(&response.status);
                let bytes = capture.response(digest, self.level);
                Kept { bytes, records, at, digest: is_body.then_some(digest) }
            }
        }
    }
}

/// The folder of the archive.
#[must_use]
pub fn archive_folder(config: &Config) -> PathBuf {
    match config.archive.path.as_str() {
        "" => Path::new(&config.store.path).join("archive"),
        path => PathBuf::from(path),
    }
}

/// Where records go.
#[derive(Debug)]
pub(crate) enum Shelf {
    /// Files in a folder, one of which grows.
    Folder(Archive),
    /// Object storage: a file a flush, put away before the change that names it.
    Objects(Box<Uploads>),
}

/// The file that grows in memory until the next flush.
#[derive(Debug)]
pub(crate) struct Uploads {
    store: Store,
    options: Options,
    name: String,
    spool: Option<(u32, Spool)>,
    records: u64,
}

impl Uploads {
    fn append(&mut self, kept: &Kept) -> Result<(u32, u64), StoreError> {
        let (number, spool) = match &mut self.spool {
            Some((number, spool)) => (*number, spool),
            empty => {
                let number = self.store.next_file()?;
                let spool = Spool::begin(number, kept.at, &self.options, &self.name);
                let (_, spool) = empty.insert((number, spool));
                (number, spool)
            }
        };
        self.records += kept.records;
        Ok((number, spool.append(&kept.bytes).offset))
    }

    /// Puts the file away; gives its number and record, which are to be in the change that
    /// is flushed next.
    fn put_away(&mut self, at: Timestamp) -> Result<Option<(u32, FileRecord)>, StoreError> {
        let Some((number, spool)) = self.spool.take() else { return Ok(None) };
        let (name, content) = spool.finish();
        let record = FileRecord {
            name: format!("{ARCHIVE_FOLDER}/{name}"),
            bytes: content.len() as u64,
            records: std::mem::take(&mut self.records),
            at,
        };
        self.store.put_object(&record.name, content)?;
        Ok(Some((number, record)))
    }
}

impl Shelf {
    /// Appends an answer; gives the number of its file, and where its record begins there.
    fn append(&mut self, kept: &Kept) -> Result<(u32, u64), CrawlError> {
        match self {
            Self::Folder(archive) => {
                let place = archive.append(&kept.bytes, kept.at)?;
                Ok((place.number(), place.offset))
            }
            Self::Objects(uploads) => Ok(uploads.append(kept)?),
        }
    }

    /// Whether what is not yet put away is as much as a file should have.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Folder(_) => false,
            Self::Objects(uploads) => uploads.spool.as_ref().is_some_and(|(_, spool)| spool.is_full()),
        }
    }
}

/// Opens the archive to append to it, unless the settings say that nothing is kept.
pub(crate) fn open(config: &Config, store: &Store) -> Result<Option<Shelf>, CrawlError> {
    if !config.archive.keep {
        return Ok(None);
    }
    let info = [
        ("software", concat!("gleaner/", env!("CARGO_PKG_VERSION")).to_owned()),
        ("format", "WARC File Format 1.1".to_owned()),
        ("http-header-user-agent", config.fetch.agent()),
        ("robots", "classic".to_owned()),
    ];
    let options = Options {
        rotate: config.archive.rotate.get(),
        level: config.archive.level,
        info: info.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    };
    if let Some(tenure) = store.tenure() {
        let name = tenure.session().split(' ').next().unwrap_or_default().to_owned();
        let rotate = options.rotate.min(MOST_IN_MEMORY);
        let options = Options { rotate, ..options };
        let (store, spool, records) = (store.clone(), None, 0);
        return Ok(Some(Shelf::Objects(Box::new(Uploads { store, options, name, spool, records }))));
    }
    let known = store.archive_end()?.map(|end| Place { file: end.file, offset: end.length });
    Ok(Some(Shelf::Folder(Archive::open(&archive_folder(config), options, known.as_ref())?)))
}

impl Owner {
    /// Appends the records of an answer, and notes at its URL where its body is.
    pub(crate) fn keep(
        &mut self,
        kept: Option<Kept>,
        record: Option<&mut UrlRecord>,
    ) -> Result<(), CrawlError> {
        let (Some(archive), Some(kept)) = (&mut self.archive, kept) else { return Ok(()) };
        let (file, offset) = archive.append(&kept)?;
        if let (Some(record), Some(digest)) = (record, kept.digest) {
            record.archived = Some(Archived { file, offset, at: kept.at, digest: *digest.as_bytes() });
        }
        Ok(())
    }

    /// Brings the archive to disk, and notes up to where.
    pub(crate) fn sync_archive(&mut self) -> Result<(), CrawlError> {
        let Some(archive) = &mut self.archive else { return Ok(()) };
        let mut change = self.writer.begin();
        match archive {
            Shelf::Folder(archive) => {
                let Some(Place { file, offset }) = archive.sync()? else { return Ok(()) };
                change.put_archive_end(&ArchiveEnd { file, length: offset });
            }
            Shelf::Objects(uploads) => {
                let Some((number, record)) = uploads.put_away(self.clock.now())? else { return Ok(()) };
                change.put_archive_file(number, &record);
            }
        }
        Ok(self.writer.commit(change)?)
    }
}

/// The names of the archive's files, oldest first.
///
/// # Errors
/// The folder cannot be read.
pub fn archive_files(config: &Config) -> Result<Vec<PathBuf>, CrawlError> {
    let folder = archive_folder(config);
    Ok(files::names(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}
