//! The records with changes in an archive: how they are written and found.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gleaner_archive::files::names;
use gleaner_archive::{Archive, ArchiveReader, Damage, Header, Item, Metadata, Record};
use gleaner_frontier::Seed;
use jiff::Timestamp;

use super::block::batch;
use crate::engine::Batch;
use crate::{ArchiveEnd, Store, StoreError, keys, seeds};

/// The `Content-Type` of the records in the archive.
pub const CHANGES_TYPE: &str = "application/vnd.gleaner.changes";

const NUMBER: &str = "Gleaner-Changes";
const SNAPSHOT: &str = "Gleaner-Snapshot";

/// Maximum length of a block with changes that is read, in bytes. A change has at most some ten megabytes.
pub(super) const MAX_BLOCK: usize = 256 << 20;

/// Where a record with changes is.
#[derive(Debug, Clone)]
pub(super) struct LogEntry {
    pub(super) file: PathBuf,
    pub(super) offset: u64,
    pub(super) number: u64,
    snapshot: Option<SnapshotPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotPart {
    Begin,
    Part,
    End,
}

impl SnapshotPart {
    const ALL: [(Self, &'static str); 3] = [(Self::Begin, "begin"), (Self::Part, "part"), (Self::End, "end")];

    fn label(self) -> &'static str {
        Self::ALL.iter().find(|(part, _)| *part == self).map_or("", |(_, label)| label)
    }

    fn from_header(header: &Header) -> Option<Self> {
        let stated = header.get(SNAPSHOT)?;
        Self::ALL.iter().find(|(_, label)| *label == stated).map(|(part, _)| *part)
    }
}

/// Whether a record of an archive has changes of a store.
#[must_use]
pub fn is_of_changes(record: &Record) -> bool {
    record.header.kind().as_deref() == Some("metadata")
        && record.header.get("Content-Type") == Some(CHANGES_TYPE)
}

/// The log of a store in an archive, as far as it can be read.
#[derive(Debug, Clone, Default)]
pub struct ChangeLog {
    /// The records with changes, in the order of the archive.
    pub(super) entries: Vec<LogEntry>,
    /// Parts of the archive that cannot be read: file, offset in bytes, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// Whether changes are missing, because a part of the archive is damaged or a file is missing.
    pub is_incomplete: bool,
    /// The end of the last intact record. `None` if the archive has no file.
    pub(super) end: Option<ArchiveEnd>,
}

impl ChangeLog {
    /// Finds the changes in the files of the archive in `folder`. The result is empty if an older version wrote the
    /// archive.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn in_folder(folder: &Path) -> Result<Self, StoreError> {
        Self::after(folder, None)
    }

    /// Finds the changes after a position in the archive, or all changes.
    pub(super) fn after(folder: &Path, after: Option<&ArchiveEnd>) -> Result<Self, StoreError> {
        let mut log = Self::default();
        let is_before = |name: &String| after.is_some_and(|after| *name != after.file);
        for (index, name) in names(folder)?.into_iter().skip_while(is_before).enumerate() {
            let from = after.filter(|_| index == 0).map_or(0, |after| after.length);
            log.read_file(&folder.join(&name), name, from).map_err(StoreError::folder(folder))?;
        }
        Ok(log)
    }

    fn read_file(&mut self, path: &Path, name: String, from: u64) -> io::Result<()> {
        let mut length = fs::metadata(path)?.len();
        for item in ArchiveReader::open(path, from, 0)? {
            match item? {
                Item::Record(record) => self.entries.extend(entry(path, &record)),
                Item::Damage(Damage { offset, reason, is_last }) => {
                    if is_last {
                        // The next process that appends cuts off an incomplete record.
                        length = offset;
                    }
                    self.damaged.push((path.to_owned(), offset, reason));
                }
            }
        }
        self.end = Some(ArchiveEnd { file: name, length });
        Ok(())
    }

    /// Returns the number of records with changes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Whether the archive has no changes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Drops what a later complete snapshot replaces, and checks that no change is missing after it.
    pub(super) fn since_snapshot(mut self) -> Self {
        let is = |part| move |entry: &LogEntry| entry.snapshot == Some(part);
        let end = self.entries.iter().rposition(is(SnapshotPart::End));
        let begin = end.and_then(|end| self.entries[..end].iter().rposition(is(SnapshotPart::Begin)));
        self.is_incomplete = begin.is_none();
        self.entries.drain(..begin.unwrap_or(0));
        let numbers = self.entries.iter().map(|entry| entry.number);
        self.is_incomplete |= numbers.clone().zip(numbers.skip(1)).any(|(one, next)| next != one + 1);
        self
    }

    /// Whether the archive has all changes of a store. It does not if the archive was cut, or if the store was changed
    /// without its archive.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn has_all_of(&self, store: &Store) -> Result<bool, StoreError> {
        let found = self.entries.last().map(|entry| entry.number);
        Ok(store.last_change()?.is_some_and(|last| found >= Some(last)))
    }

    /// Returns the records about removals, by their keys.
    pub(crate) fn removals(&self) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, StoreError> {
        let prefixes = keys::all_removals();
        let mut records = BTreeMap::new();
        for entry in &self.entries {
            for (key, write) in entry.batch()?.writes {
                if !prefixes.iter().any(|prefix| key.starts_with(prefix)) {
                    continue;
                }
                match write.value() {
                    Some(value) => drop(records.insert(key, value.to_vec())),
                    None => drop(records.remove(&key)),
                }
            }
        }
        Ok(records)
    }

    /// Returns the seeds of the last crawl. `None` if the archive does not have them.
    ///
    /// # Errors
    /// A change cannot be read.
    pub fn seeds(&self) -> Result<Option<Vec<Seed>>, StoreError> {
        let key = keys::meta(seeds::NAME);
        for entry in self.entries.iter().rev() {
            if let Some(write) = entry.batch()?.writes.remove(&key) {
                return write.value().map(seeds::decoded).transpose();
            }
        }
        Ok(None)
    }
}

fn entry(file: &Path, record: &Record) -> Option<LogEntry> {
    let number = record.header.get(NUMBER).filter(|_| is_of_changes(record))?.parse().ok()?;
    let snapshot = SnapshotPart::from_header(&record.header);
    Some(LogEntry { file: file.to_owned(), offset: record.offset, number, snapshot })
}

impl LogEntry {
    pub(super) fn batch(&self) -> Result<Batch, StoreError> {
        let Self { file, offset, .. } = self;
        let wrong = |reason: String| StoreError::Damaged {
            what: "a change in the archive",
            reason: format!("byte {offset} of {}: {reason}", file.display()),
        };
        let record = record_at(file, *offset).map_err(wrong)?;
        if record.is_cut {
            return Err(wrong("it is too large".into()));
        }
        record.check().map_err(wrong)?;
        batch(&record.block)
    }
}

/// Reads a record of the archive.
pub(super) fn record_at(file: &Path, offset: u64) -> Result<Record, String> {
    let mut reader = ArchiveReader::open(file, offset, MAX_BLOCK).map_err(|error| error.to_string())?;
    match reader.next() {
        Some(Ok(Item::Record(record))) => Ok(record),
        Some(Ok(Item::Damage(damage))) => Err(damage.reason),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("the file ends before it".into()),
    }
}

/// Appends a record with changes to the archive.
pub(super) fn append(
    archive: &mut Archive,
    number: u64,
    block: &[u8],
    part: Option<SnapshotPart>,
) -> Result<(), StoreError> {
    let number = number.to_string();
    let (level, of_changes) = (archive.options().level, archive.options().of_changes.clone());
    let own = of_changes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut fields = vec![(NUMBER, number.as_str())];
    fields.extend(part.map(|part| (SNAPSHOT, part.label())));
    fields.extend(own);
    let at = Timestamp::now();
    let record = Metadata { at, content_type: CHANGES_TYPE, fields: &fields, block }.record(level);
    archive.append(&record, at)?;
    Ok(())
}
