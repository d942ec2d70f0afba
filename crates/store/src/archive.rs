//! The archive beside the store: answers as they came, on disk before what the store says of them.
//!
//! The [`Writer`] has the archive, and each flush of the store brings the archive to disk first,
//! whoever asked for the flush. So what the store has on disk, the archive has, too.
//!
//! | store | records go to | a flush |
//! |---|---|---|
//! | a folder | a file that grows | syncs the file, and notes up to where |
//! | shared | a file in memory | puts the file into object storage, and names it in the same transaction |
//!
//! A flush that fails behind that leaves records, or a file, of which the store does not know. They
//! do no harm: their pages are fetched and kept again.

use std::path::Path;

use gleaner_archive::files::{Options, Place};
use gleaner_archive::{Archive, Spool};
use jiff::Timestamp;

use crate::files::{ARCHIVE_FOLDER, FileRecord};
use crate::{ArchiveEnd, Store, StoreError, Writer};

/// Bytes of records that wait in memory for a flush, at most.
const MOST_IN_MEMORY: u64 = 64 << 20;

/// Where records go.
#[derive(Debug)]
pub(crate) enum Shelf {
    /// Files in a folder, one of which grows.
    Folder(Archive),
    /// Object storage: a file a flush.
    Objects(Box<Uploads>),
}

/// The file that grows in memory until the next flush.
#[derive(Debug)]
pub(crate) struct Uploads {
    store: Store,
    options: Options,
    /// The worker's name, which is in those of its files.
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

    /// Puts the file away; gives its number and record, which are to be in the change that
    /// is flushed next.
    fn put_away(&mut self) -> Result<Option<(u32, FileRecord)>, StoreError> {
        let Some((number, spool)) = self.spool.take() else { return Ok(None) };
        let (name, content) = spool.finish();
        let record = FileRecord {
            name: format!("{ARCHIVE_FOLDER}/{name}"),
            bytes: content.len() as u64,
            records: std::mem::take(&mut self.records),
            at: Timestamp::now(),
        };
        self.store.put_object(&record.name, content)?;
        Ok(Some((number, record)))
    }
}

impl Shelf {
    fn open(store: &Store, folder: &Path, options: Options) -> Result<Self, StoreError> {
        if let Some(leases) = store.leases() {
            let name = leases.session().split(' ').next().unwrap_or_default().to_owned();
            let options = Options { rotate: options.rotate.min(MOST_IN_MEMORY), ..options };
            let (store, spool, records) = (store.clone(), None, 0);
            return Ok(Self::Objects(Box::new(Uploads { store, options, name, spool, records })));
        }
        let known = store.archive_end()?.map(|end| Place { file: end.file, offset: end.length });
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
    /// Opens the archive, to keep answers in it from now on. `folder`: where its files are, if the
    /// store is in a folder.
    ///
    /// # Errors
    /// The folder cannot be read or written, or the archive ends before the place up to which the
    /// store knows it.
    pub fn open_archive(&mut self, folder: &Path, options: Options) -> Result<(), StoreError> {
        self.shelf = Some(Shelf::open(&self.store(), folder, options)?);
        Ok(())
    }

    /// Appends an answer to the archive: `records` records, as bytes. Gives the number of their
    /// file, and where they begin there; `None`: no archive is open, so that nothing is kept.
    ///
    /// # Errors
    /// The archive cannot be written.
    pub fn archive(
        &mut self,
        bytes: &[u8],
        records: u64,
        at: Timestamp,
    ) -> Result<Option<(u32, u64)>, StoreError> {
        self.shelf.as_mut().map(|shelf| shelf.append(bytes, records, at)).transpose()
    }

    /// Whether a flush is due, since what of the archive waits in memory is as much as a file
    /// should have.
    #[must_use]
    pub fn is_archive_full(&self) -> bool {
        match &self.shelf {
            Some(Shelf::Objects(uploads)) => uploads.spool.as_ref().is_some_and(|(_, spool)| spool.is_full()),
            Some(Shelf::Folder(_)) | None => false,
        }
    }

    /// Brings the archive to disk, and notes in the store up to where.
    pub(crate) fn sync_archive(&mut self) -> Result<(), StoreError> {
        let mut change = self.begin();
        match &mut self.shelf {
            None => return Ok(()),
            Some(Shelf::Folder(archive)) => {
                let Some(Place { file, offset }) = archive.sync()? else { return Ok(()) };
                change.put_archive_end(&ArchiveEnd { file, length: offset });
            }
            Some(Shelf::Objects(uploads)) => {
                let Some((number, record)) = uploads.put_away()? else { return Ok(()) };
                change.put_archive_file(number, &record);
            }
        }
        self.commit(change)
    }
}
