//! Answers out of WARC files: own, or those that other crawlers wrote.
//!
//! A thread of its own reads, unpacks and decodes, and hands on what can be read as an
//! answer, each with the place from which on the file has not been handed on. What is
//! passed over is counted by its reason, and what is damaged is told. Pages of partitions that are
//! another worker's are its business, and are not spoken of.

use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use gleaner_archive::{Damage, Item, Reader, Record};
use gleaner_config::Config;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{FileRecord, StoreError};
use tracing::warn;

use super::answer::Answer;
use super::marks::{DONE, Marks, OwnPartitions};

/// Answers that are read ahead.
const AHEAD: usize = 16;

/// A WARC file, and where to begin in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file; or its name in the object storage that the store has for its own archive.
    pub path: PathBuf,
    /// The offsets of the records to be read; `None`: all of them.
    pub offsets: Option<Vec<u64>>,
    /// Of a file in that storage: the length with which it was put there.
    pub stored: Option<u64>,
}

impl Source {
    /// A whole file.
    #[must_use]
    pub fn file(path: PathBuf) -> Self {
        Self { path, offsets: None, stored: None }
    }

    /// A whole file of the archive that a store has in object storage.
    #[must_use]
    pub fn from_file(file: &FileRecord) -> Self {
        Self { path: (&file.name).into(), offsets: None, stored: Some(file.bytes) }
    }

    /// Its number in gleaner's own archive; 0: it is of another.
    #[must_use]
    pub fn number(&self) -> u32 {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        gleaner_archive::Place { file, offset: 0 }.number()
    }
}

/// A place in the files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Number of the file among the sources.
    pub(crate) file: usize,
    pub(crate) offset: u64,
}

/// What the reading thread hands on.
#[derive(Debug)]
pub(crate) enum SourceEvent {
    Answer(Box<Answer>),
    /// A record that is no answer to be read, with why.
    PassedOver(&'static str),
    /// A part of a file that cannot be read.
    Damaged(PathBuf, Damage),
    /// A file was read to its end; its number, and where the next record may begin.
    FileEnds(usize, u64),
    /// The disk or the storage failed.
    Failed(PathBuf, io::Error),
}

/// How the answers are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) page: usize,
    pub(crate) list: usize,
}

impl Limits {
    pub(crate) fn from_config(config: &Config) -> Self {
        let bytes = |limit: gleaner_config::Bytes| usize::try_from(limit.get()).unwrap_or(usize::MAX);
        Self { page: bytes(config.fetch.max_page), list: bytes(config.fetch.max_sitemap) }
    }
}

/// Begins to read the pages that are ours; the marks say which of them were read.
pub(crate) fn read(
    sources: Vec<(Source, Marks)>,
    own: OwnPartitions,
    limits: Limits,
) -> io::Result<Receiver<SourceEvent>> {
    let (send, heard) = bounded(AHEAD);
    let work = move || {
        for (file, (source, marks)) in sources.into_iter().enumerate() {
            let reading = Reading { file, source, marks, own: &own, limits, send: &send };
            // Nobody listens any more.
            let Some(()) = reading.read() else { return };
        }
    };
    thread::Builder::new().name("archive".into()).spawn(work)?;
    Ok(heard)
}

/// A file that is read.
struct Reading<'a> {
    /// Its number.
    file: usize,
    source: Source,
    marks: Marks,
    own: &'a OwnPartitions,
    limits: Limits,
    send: &'a Sender<SourceEvent>,
}

impl Reading<'_> {
    /// `None`: nobody listens any more.
    fn read(&self) -> Option<()> {
        match self.read_on() {
            Ok(listens) => listens,
            Err(error) => self.send.send(SourceEvent::Failed(self.source.path.clone(), error)).ok(),
        }
    }

    fn read_on(&self) -> io::Result<Option<()>> {
        let (source, from) = (&self.source, self.marks.least());
        if from == DONE {
            return Ok(self.send.send(SourceEvent::FileEnds(self.file, DONE)).ok());
        }
        let stored = match self.stored() {
            Ok(stored) => stored,
            // As a part that cannot be read: all other files can.
            Err(StoreError::Objects(error)) if !error.is_away() => return Ok(self.lacks(error.to_string())),
            Err(error) => return Err(io::Error::other(error)),
        };
        if let (Some(content), Some(length)) = (&stored, source.stored)
            && content.len() as u64 != length
        {
            return Ok(self.lacks(format!("it has {} bytes, and had {length}", content.len())));
        }
        // A file that ends within a record may grow: it is gone on with there.
        let mut end = match &stored {
            Some(content) => content.len() as u64,
            None => fs::metadata(&source.path)?.len(),
        };
        // A block has the head, too, and may be compressed once more.
        let most = self.limits.page.max(self.limits.list) + (1 << 20);
        let starts: Vec<u64> = match &source.offsets {
            None => vec![from],
            Some(offsets) => offsets.iter().copied().filter(|offset| *offset >= from).collect(),
        };
        for start in starts {
            let items: Box<dyn Iterator<Item = io::Result<Item>>> = match &stored {
                None => Box::new(Reader::open(&source.path, start, most)?),
                Some(content) => {
                    let mut content = Cursor::new(content.as_slice());
                    content.set_position(start);
                    Box::new(Reader::new(content, most)?)
                }
            };
            let count = if source.offsets.is_some() { 1 } else { usize::MAX };
            for item in items.take(count) {
                let heard = match item? {
                    Item::Record(record) => self.heard(record),
                    Item::Damage(damage) => {
                        if damage.is_last && source.offsets.is_none() {
                            end = end.min(damage.offset);
                        }
                        Some(SourceEvent::Damaged(source.path.clone(), damage))
                    }
                };
                if heard.is_some_and(|heard| self.send.send(heard).is_err()) {
                    return Ok(None);
                }
            }
        }
        Ok(self.send.send(SourceEvent::FileEnds(self.file, end)).ok())
    }

    /// The content of a file in object storage; `None`: it is on a disk.
    fn stored(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let name = self.source.path.to_string_lossy();
        self.source.stored.map(|_| self.own.stored(&name)).transpose()
    }

    /// Tells that nothing of the file can be read.
    fn lacks(&self, reason: String) -> Option<()> {
        let damage = Damage { offset: 0, reason, is_last: true };
        self.send.send(SourceEvent::Damaged(self.source.path.clone(), damage)).ok()?;
        self.send.send(SourceEvent::FileEnds(self.file, 0)).ok()
    }

    /// What a record says; `None`: it is another worker's, or was read before.
    fn heard(&self, record: Record) -> Option<SourceEvent> {
        let place = Place { file: self.file, offset: record.offset };
        let is_ours = |url: &CanonicalUrl| {
            self.own.position(url).is_some_and(|partition| self.marks.get(partition) <= place.offset)
        };
        match Answer::from_record(&record, place, self.limits, is_ours) {
            Ok(Some(answer)) => Some(SourceEvent::Answer(Box::new(answer))),
            Ok(None) => None,
            Err(reason) => Some(SourceEvent::PassedOver(reason)),
        }
    }
}

/// Tells a damage as it is met.
pub(crate) fn tell(path: &Path, damage: &Damage) {
    warn!(file = %path.display(), offset = damage.offset, reason = damage.reason, "a record cannot be read");
}
