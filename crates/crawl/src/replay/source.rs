//! Reads responses from WARC files of gleaner's own archive or of other crawlers.
//!
//! A separate thread reads, unpacks and decodes the files, and sends each response with its file and offset.
//! It counts skipped records by reason, reports damaged records, and ignores pages in partitions of other
//! workers.

use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use gleaner_archive::{ArchiveReader, Damage, Item, Record};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{FileRecord, StoreError};
use tracing::warn;

use super::archived_response::{ArchivedResponse, BodyLimits, RecordPlace};
use super::marks::{DONE, FileMarks, OwnPartitions};
use crate::usage::site_files::SiteFileResponse;

const AHEAD: usize = 16;

/// A WARC file, and the records to read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarcFile {
    /// The path of the file, or the name of the object that contains it.
    pub path: PathBuf,
    /// The offsets of the records to read. `None` means all records.
    pub offsets: Option<Vec<u64>>,
    /// The number of a file in object storage. `None` for a file on disk.
    pub stored: Option<u32>,
}

impl WarcFile {
    /// Selects all records of a file on disk.
    #[must_use]
    pub fn file(path: PathBuf) -> Self {
        Self { path, offsets: None, stored: None }
    }

    /// Selects all records of an archive file in object storage.
    #[must_use]
    pub fn from_file(number: u32, file: &FileRecord) -> Self {
        Self { path: (&file.name).into(), offsets: None, stored: Some(number) }
    }

    /// Whether the file may have data after this offset.
    fn is_longer_than(&self, offset: u64) -> bool {
        self.stored.is_some() || fs::metadata(&self.path).is_ok_and(|file| file.len() > offset)
    }

    /// Returns the file's number in gleaner's own archive, or 0 for other files.
    #[must_use]
    pub fn number(&self) -> u32 {
        if let Some(number) = self.stored {
            return number;
        }
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        gleaner_archive::RecordPosition { file, offset: 0 }.number()
    }
}

#[derive(Debug)]
pub(crate) enum FileEvent {
    Answer(Box<ArchivedResponse>),
    /// A robots.txt or tdmrep.json.
    SiteFile(Box<SiteFileResponse>),
    PassedOver(&'static str),
    Damaged(PathBuf, Damage),
    /// The end of a file: the index of the file, and the offset at which a further record would begin.
    FileEnds(usize, u64),
    Failed(PathBuf, io::Error),
}

/// Starts a thread that reads the pages of this worker's partitions. The thread skips pages before the marks.
pub(crate) fn read(
    sources: Vec<(WarcFile, FileMarks)>,
    own: OwnPartitions,
    limits: BodyLimits,
) -> io::Result<Receiver<FileEvent>> {
    let (send, incoming) = bounded(AHEAD);
    let work = move || {
        // Pages after the marks need the robots.txt before them, also those of earlier files.
        let last = sources.iter().rposition(|(source, marks)| source.is_longer_than(marks.least()));
        for (file, (source, marks)) in sources.into_iter().enumerate() {
            let is_whole = last.is_some_and(|last| file <= last);
            let reader = FileReader { file, source, marks, is_whole, own: &own, limits, send: &send };
            // The receiver was dropped.
            let Some(()) = reader.read() else { return };
        }
    };
    thread::Builder::new().name("archive".into()).spawn(work)?;
    Ok(incoming)
}

struct FileReader<'a> {
    file: usize,
    source: WarcFile,
    marks: FileMarks,
    /// Whether the file is read from its beginning. Before the marks, only the files of hosts are used.
    is_whole: bool,
    own: &'a OwnPartitions,
    limits: BodyLimits,
    send: &'a Sender<FileEvent>,
}

impl FileReader<'_> {
    /// Reads the file. Returns `None` if the receiver was dropped.
    fn read(&self) -> Option<()> {
        match self.read_on() {
            Ok(listens) => listens,
            Err(error) => self.send.send(FileEvent::Failed(self.source.path.clone(), error)).ok(),
        }
    }

    fn read_on(&self) -> io::Result<Option<()>> {
        let (source, from) = (&self.source, self.marks.least());
        if from == DONE {
            return Ok(self.send.send(FileEvent::FileEnds(self.file, DONE)).ok());
        }
        let stored = match self.stored() {
            Ok(stored) => stored,
            // An unreadable object is handled like a damaged file, because the other files are readable.
            Err(StoreError::Objects(error)) if !error.is_unavailable() => {
                return Ok(self.lacks(error.to_string()));
            }
            Err(error) => return Err(io::Error::other(error)),
        };
        // A file that ends within a record may grow. The next replay resumes there.
        let mut end = match &stored {
            Some(content) => content.len() as u64,
            None => fs::metadata(&source.path)?.len(),
        };
        let most = self.limits.of_record();
        let starts: Vec<u64> = match &source.offsets {
            None if self.is_whole => vec![0],
            None => vec![from],
            Some(offsets) => offsets.iter().copied().filter(|offset| *offset >= from).collect(),
        };
        for start in starts {
            let items: Box<dyn Iterator<Item = io::Result<Item>>> = match &stored {
                None => Box::new(ArchiveReader::open(&source.path, start, most)?),
                Some(content) => {
                    let mut content = Cursor::new(content.as_slice());
                    content.set_position(start);
                    Box::new(ArchiveReader::new(content, most)?)
                }
            };
            let count = if source.offsets.is_some() { 1 } else { usize::MAX };
            for item in items.take(count) {
                let heard = match item? {
                    Item::Record(record) => self.event(record, from),
                    Item::Damage(damage) if damage.offset < from && !damage.is_last => None,
                    Item::Damage(damage) => {
                        if damage.is_last && source.offsets.is_none() {
                            end = end.min(damage.offset);
                        }
                        Some(FileEvent::Damaged(source.path.clone(), damage))
                    }
                };
                if heard.is_some_and(|heard| self.send.send(heard).is_err()) {
                    return Ok(None);
                }
            }
        }
        Ok(self.send.send(FileEvent::FileEnds(self.file, end)).ok())
    }

    fn stored(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.source.stored.map(|number| self.own.stored(number)).transpose()
    }

    fn lacks(&self, reason: String) -> Option<()> {
        let damage = Damage { offset: 0, reason, is_last: true };
        self.send.send(FileEvent::Damaged(self.source.path.clone(), damage)).ok()?;
        self.send.send(FileEvent::FileEnds(self.file, 0)).ok()
    }

    /// Returns the event for a record, or `None` if it is processed already or by another worker. Of the records before
    /// `from`, only the files of hosts have events.
    fn event(&self, record: Record, from: u64) -> Option<FileEvent> {
        if let Some(file) = SiteFileResponse::from_record(&record) {
            return Some(FileEvent::SiteFile(Box::new(file)));
        }
        if record.offset < from {
            return None;
        }
        let place = RecordPlace { file: self.file, offset: record.offset };
        let is_ours = |url: &CanonicalUrl| {
            self.own.position(url).is_some_and(|partition| self.marks.get(partition) <= place.offset)
        };
        match ArchivedResponse::from_record(&record, place, self.limits, is_ours) {
            Ok(Some(answer)) => Some(FileEvent::Answer(Box::new(answer))),
            Ok(None) => None,
            Err(reason) => Some(FileEvent::PassedOver(reason)),
        }
    }
}

pub(crate) fn log_damage(path: &Path, damage: &Damage) {
    warn!(file = %path.display(), offset = damage.offset, reason = damage.reason, "a record cannot be read");
}
