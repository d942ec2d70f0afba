//! Writes responses to the archive before the store refers to them.
//!
//! The [`Writer`] owns the archive. Each flush of the store first writes the archive to disk. Therefore the
//! archive on disk has every record to which the store on disk refers.
//!
//! | store | records are appended to | a flush |
//! |---|---|---|
//! | in a folder | a growing file | syncs the file, and records its length |
//! | shared | a file in memory | uploads the file, and records its name in the flush's transaction |
//!
//! If a flush fails, the archive may contain records or a file to which the store does not refer. This is
//! harmless, because the crawl fetches and archives these pages again.

use std::path::Path;

use gleaner_archive::files::{ArchiveOptions, RecordPosition};
use gleaner_archive::{Archive, Spool};
use jiff::Timestamp;

use crate::files::{ARCHIVE_FOLDER, FileRecord};
use crate::{ArchiveEnd, Store, StoreError, Writer};

const MAX_IN_MEMORY: u64 = 64 << 20;

#[derive(Debug)]
pub(crate) enum ArchiveTarget {
    Folder(Archive),
    /// An archive in object storage, with one file for each flush.
    Objects(Box<Uploads>),
}

#[derive(Debug)]
pub(crate) struct Uploads {
    store: Store,
    options: ArchiveOptions,
    name: String,
    spool: Option<(u32, Spool)>,
    records: u64,
}

impl Uploads {
    fn append(&mut self, bytes: &[u8], records: u64, at: Timestamp) -> Result<(u32, u64), StoreError> {
        let (number, spool) = match &mut self.spool {
            Some((number, spool)) => (*number, spool),
            empty => {
                let number = self.store.next_file()?;
                let spool = Spool::begin(number, at, &self.options, &self.name);
                let (_, spool) = empty.insert((number, spool));
                (number, spool)
            }
        };
        self.records += records;
        Ok((number, spool.append(bytes).offset))
    }

    /// Ends the archive file in memory and uploads it. The caller must write the returned number and record
    /// in the next change that is flushed.
    fn put_away(&mut self) -> Result<Option<(u32, FileRecord)>, StoreError> {
        let Some((number, spool)) = self.spool.take() else { return Ok(None) };
        let (name, content) = spool.finish();
        let record = FileRecord {
            name: format!("{ARCHIVE_FOLDER}/{name}"),
            bytes: content.len() as u64,
            records: std::mem::take(&mut self.records),
            at: Timestamp::now(),
            offset: 0,
        };
        self.store.put_object(&record.name, content)?;
        Ok(Some((number, record)))
    }
}

impl ArchiveTarget {
    fn open(store: &Store, folder: &Path, options: ArchiveOptions) -> Result<Self, StoreError> {
        if let Some(leases) = store.leases() {
            let name = leases.session().split(' ').next().unwrap_or_default().to_owned();
            let options = ArchiveOptions { rotate: options.rotate.min(MAX_IN_MEMORY), ..options };
            let (store, spool, records) = (store.clone(), None, 0);
            return Ok(Self::Objects(Box::new(Uploads { store, options, name, spool, records })));
        }
        let known = store.archive_end()?.map(|end| RecordPosition { file: end.file, offset: end.length });
        Ok(Self::Folder(Archive::open(folder, options, known.as_ref())?))
    }

    fn append(&mut self, bytes: &[u8], records: u64, at: Timestamp) -> Result<(u32, u64), StoreError> {
        match self {
            Self::Folder(archive) => {
                let place = archive.append(bytes, at)?;
                Ok((place.number(), place.offset))
            }
            Self::Objects(uploads) => uploads.append(bytes, records, at),
        }
    }
}

impl Writer {
    /// Opens the archive for appending responses and changes. `folder` is the folder of the archive's files. If the
    /// store is shared, `folder` is ignored. Otherwise, also applies the changes in the archive that a crash kept from
    /// the store. If the archive does not have the changes of this store, copies the whole store to it.
    ///
    /// # Errors
    /// The folder cannot be read or written, or the archive is shorter than the store recorded.
    pub fn open_archive(&mut self, folder: &Path, options: ArchiveOptions) -> Result<(), StoreError> {
        let target = self.archive_target.insert(ArchiveTarget::open(&self.store, folder, options)?);
        match target {
            ArchiveTarget::Folder(_) => self.open_log(folder),
            ArchiveTarget::Objects(_) => Ok(()),
        }
    }

    /// Flushes the store and begins a new file of the archive, so that the others may be written again. Does nothing if no
    /// archive is open in a folder.
    pub(crate) fn begin_archive_file(&mut self) -> Result<(), StoreError> {
        self.flush()?;
        if let Some(ArchiveTarget::Folder(archive)) = &mut self.archive_target {
            archive.begin_file(Timestamp::now())?;
        }
        self.flush()
    }

    /// Appends a response. `bytes` contains `records` WARC records. `at` is the time of the response. Returns
    /// the number of the file and the offset in bytes at which the records begin. Returns `None` and writes
    /// nothing if no archive is open.
    ///
    /// # Errors
    /// The archive cannot be written.
    pub fn archive(
        &mut self,
        bytes: &[u8],
        records: u64,
        at: Timestamp,
    ) -> Result<Option<(u32, u64)>, StoreError> {
        self.archive_target
            .as_mut()
            .map(|archive_target| archive_target.append(bytes, records, at))
            .transpose()
    }

    /// Whether a flush is due because the archive file in memory has reached the maximum size.
    #[must_use]
    pub fn is_archive_full(&self) -> bool {
        match &self.archive_target {
            Some(ArchiveTarget::Objects(uploads)) => {
                uploads.spool.as_ref().is_some_and(|(_, spool)| spool.is_full())
            }
            Some(ArchiveTarget::Folder(_)) | None => false,
        }
    }

    pub(crate) fn sync_archive(&mut self) -> Result<(), StoreError> {
        self.append_changes()?;
        let mut change = self.begin();
        match &mut self.archive_target {
            None => return Ok(()),
            Some(ArchiveTarget::Folder(archive)) => {
                let Some(RecordPosition { file, offset }) = archive.sync()? else { return Ok(()) };
                change.put_archive_end(&ArchiveEnd { file, length: offset });
            }
            Some(ArchiveTarget::Objects(uploads)) => {
                let Some((number, record)) = uploads.put_away()? else { return Ok(()) };
                change.put_archive_file(number, &record);
            }
        }
        self.commit(change)
    }
}
