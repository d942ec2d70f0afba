//! Checks a part of store and archive after each crawl, so that each byte is checked within a month.
//!
//! The check goes through the records of the store and the files of the archive in order. The share that must
//! be done grows with the time since the pass began, and is 1 after 28 days. So a crawl every night checks a
//! 28th, and one every hour a 24th of that. After each step, the position is written to `check.json` in the data
//! folder. A killed check continues there.
//!
//! It checks that every record and text of the store is readable, that a text has its hash, that each archived
//! record is intact, and that the archive has the files to which URLs refer. `gleaner verify` also compares
//! records with each other.
//!
//! Limitation: the operating system and sled may return data from memory although the disk is damaged. A
//! corpus in a database is not checked.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::settings::Config;
use gleaner_archive::{ArchiveReader, Item};
use gleaner_store::{ArchivePosition, DamagedRecord, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::archive::archive_files;
use crate::error::CrawlError;
use crate::replay::WarcFile;
use crate::stop::StopRequest;

/// Time in which the whole store and the whole archive are checked.
const PASS: SignedDuration = SignedDuration::from_hours(28 * 24);

/// Time after which a pass that has not ended is reported.
const MAX_PASS: SignedDuration = SignedDuration::from_hours(31 * 24);

/// Bytes that are checked between two writes of the position.
const STEP: u64 = 16 << 20;

/// Maximum number of bytes that are read of a record. The digest of a longer record is not checked.
const BLOCK: usize = 256 << 20;

/// Maximum number of damages that are remembered. `gleaner verify` finds all.
const MAX_DAMAGES: usize = 1_000;

const FILE: &str = "check.json";

/// Why a check could not be done.
#[derive(Debug, Error)]
pub enum IntegrityError {
    /// The file with the position cannot be written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder of the archive cannot be read.
    #[error(transparent)]
    Archive(#[from] CrawlError),
}

/// A part of store or archive that is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DamagedPart {
    /// A text or a signature cannot be read.
    Record(DamagedRecord),
    /// The store cannot be read beyond some record.
    Store {
        /// The reason.
        reason: String,
    },
    /// A record of the archive, or a whole file, cannot be read.
    Archive {
        /// The name of the file, or its number if it is missing.
        file: String,
        /// The offset of the record in bytes.
        offset: u64,
        /// The reason.
        reason: String,
    },
}

/// A damage that was found, and is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// When it was found.
    pub found: Timestamp,
    /// The damaged part.
    pub part: DamagedPart,
}

/// What a report says about store and archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntegrityReport {
    /// The known damages.
    pub damages: Vec<Damage>,
    /// Whether the check is not done within a month, because `store.check_time` is too short.
    pub is_late: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// When the pass began.
    began: Timestamp,
    store: StoreProgress,
    archive: ArchiveProgress,
    damages: Vec<Damage>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct StoreProgress {
    bytes: u64,
    is_done: bool,
    /// The key of the last record that was checked.
    last: Option<Vec<u8>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ArchiveProgress {
    bytes: u64,
    is_done: bool,
    /// The number of the file that is being checked, and the offset in it.
    file: u32,
    offset: u64,
}

impl State {
    fn new(began: Timestamp, damages: Vec<Damage>) -> Self {
        Self { began, store: StoreProgress::default(), archive: ArchiveProgress::default(), damages }
    }

    /// Reads the state. A missing or damaged file means that the first pass begins.
    fn read(data: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(data.join(FILE)).ok()?).ok()
    }

    fn write(&self, data: &Path) -> Result<(), IntegrityError> {
        let (part, path) = (data.join("check.part"), data.join(FILE));
        let json = serde_json::to_vec(self).expect("a state is plain data");
        let written = fs::write(&part, json).and_then(|()| fs::rename(&part, &path));
        written.map_err(|source| IntegrityError::File { path, source })
    }

    const fn is_done(&self) -> bool {
        self.store.is_done && self.archive.is_done
    }
}

/// Checks the part that is due at `now`. Ends earlier after `store.check_time`, or on a stop request. Does
/// nothing if this time is zero or the store is shared.
///
/// # Errors
/// The position cannot be written, or the folder of the archive cannot be read. Damage is no error: the next
/// report names it (`report`).
pub fn check(
    config: &Config,
    store: &Store,
    now: Timestamp,
    stop: &StopRequest,
) -> Result<(), IntegrityError> {
    let limit = config.store.check_time.get();
    if limit.is_zero() || store.is_shared() {
        return Ok(());
    }
    let data = Path::new(&config.store.path);
    let state = State::read(data).unwrap_or_else(|| State::new(now, Vec::new()));
    let files = archive_files(config)?;
    let mut check = Check { data, store, files, now, state };
    check.forget_repaired();
    let began = Instant::now();
    let may_continue = || began.elapsed() < limit && !stop.is_requested();
    check.state.began = check.state.began.min(now);
    let share = now.duration_since(check.state.began).as_secs_f64() / PASS.as_secs_f64();
    check.store(due(share, folder_bytes(&data.join("sled"))), &may_continue)?;
    check.archive(due(share, check.files.iter().map(|file| length_of(file)).sum()), &may_continue)?;
    if share >= 1.0 && check.state.is_done() {
        check.state = State::new(now, std::mem::take(&mut check.state.damages));
    }
    check.state.write(data)
}

/// Returns what the last checks have found, for the report of a run that ended at `now`.
pub(crate) fn report(data: &Path, now: Timestamp) -> IntegrityReport {
    let Some(state) = State::read(data) else { return IntegrityReport::default() };
    let is_late = now.duration_since(state.began) > MAX_PASS && !state.is_done();
    IntegrityReport { damages: state.damages, is_late }
}

/// Returns the number of bytes that must be checked when this share of a pass is over.
fn due(share: f64, total: u64) -> u64 {
    if share >= 1.0 { u64::MAX } else { (share * total as f64) as u64 }
}

struct Check<'a> {
    data: &'a Path,
    store: &'a Store,
    files: Vec<PathBuf>,
    now: Timestamp,
    state: State,
}

impl Check<'_> {
    fn add(&mut self, part: DamagedPart) {
        let is_known = self.state.damages.iter().any(|damage| damage.part == part);
        if !is_known && self.state.damages.len() < MAX_DAMAGES {
            self.state.damages.push(Damage { found: self.now, part });
        }
    }

    /// Forgets damages that are no longer there.
    fn forget_repaired(&mut self) {
        let (store, files) = (self.store, &self.files);
        self.state.damages.retain(|damage| match &damage.part {
            DamagedPart::Record(record) => store.is_damaged(record).unwrap_or(true),
            // It is found again where the check continues.
            DamagedPart::Store { .. } => false,
            DamagedPart::Archive { file, offset, .. } => !is_intact(files, file, *offset),
        });
    }

    fn store(&mut self, due: u64, may_continue: &impl Fn() -> bool) -> Result<(), IntegrityError> {
        let lengths: HashMap<u32, u64> =
            self.files.iter().map(|file| (number_of(file), length_of(file))).collect();
        while !self.state.store.is_done && self.state.store.bytes < due && may_continue() {
            let mut missing = Vec::new();
            let archived = |at: ArchivePosition| {
                if lengths.get(&at.file).is_none_or(|length| at.offset >= *length)
                    && !missing.contains(&at.file)
                {
                    missing.push(at.file);
                }
            };
            let step = STEP.min(due - self.state.store.bytes);
            match self.store.read_part(self.state.store.last.as_deref(), step, archived) {
                Ok(part) => {
                    let progress = &mut self.state.store;
                    progress.bytes += part.bytes;
                    progress.is_done = part.last.is_none();
                    progress.last = part.last;
                    part.damaged.into_iter().for_each(|record| self.add(DamagedPart::Record(record)));
                }
                Err(error) => {
                    self.add(DamagedPart::Store { reason: error.to_string() });
                    return Ok(());
                }
            }
            for number in missing {
                let (file, reason) = (number.to_string(), "the file is missing or too short".to_owned());
                self.add(DamagedPart::Archive { file, offset: 0, reason });
            }
            self.state.write(self.data)?;
        }
        Ok(())
    }

    fn archive(&mut self, due: u64, may_continue: &impl Fn() -> bool) -> Result<(), IntegrityError> {
        let end = self.store.archive_end()?;
        while !self.state.archive.is_done && self.state.archive.bytes < due && may_continue() {
            let at = self.state.archive.file;
            let Some(path) = self.files.iter().find(|file| number_of(file) >= at).cloned() else {
                self.state.archive.is_done = true;
                return Ok(());
            };
            if number_of(&path) > at {
                (self.state.archive.file, self.state.archive.offset) = (number_of(&path), 0);
            }
            let name = name_of(&path);
            let limit = match &end {
                Some(end) if end.file == name => end.length,
                _ => length_of(&path),
            };
            let step = STEP.min(due - self.state.archive.bytes);
            let from = self.state.archive.offset;
            let to = match self.records(&path, from, step, limit) {
                Ok(to) => to,
                Err(error) => {
                    self.add(DamagedPart::Archive { file: name, offset: from, reason: error.to_string() });
                    limit
                }
            };
            let progress = &mut self.state.archive;
            progress.bytes += to.saturating_sub(from);
            progress.offset = to;
            if to >= limit {
                (progress.file, progress.offset) = (number_of(&path) + 1, 0);
            }
            self.state.write(self.data)?;
        }
        Ok(())
    }

    /// Checks at least `step` bytes of a file that ends at `limit`. Returns the offset of the next record.
    fn records(&mut self, path: &Path, from: u64, step: u64, limit: u64) -> io::Result<u64> {
        let mut reader = ArchiveReader::open(path, from, BLOCK)?;
        while let Some(item) = reader.next() {
            let damage = match item? {
                Item::Record(record) => {
                    record.check().err().map(|reason| (record.offset, reason.to_string()))
                }
                Item::Damage(damage) => Some((damage.offset, damage.reason)),
            };
            if let Some((offset, reason)) = damage.filter(|(offset, _)| *offset < limit) {
                self.add(DamagedPart::Archive { file: name_of(path), offset, reason });
            }
            let at = reader.position().unwrap_or(limit);
            if at >= limit || at - from >= step {
                return Ok(at);
            }
        }
        Ok(limit)
    }
}

fn is_intact(files: &[PathBuf], name: &str, offset: u64) -> bool {
    let is_named = |file: &&PathBuf| name_of(file) == name || number_of(file).to_string() == name;
    let Some(path) = files.iter().find(is_named) else { return false };
    let item = ArchiveReader::open(path, offset, BLOCK).map(|mut reader| reader.next());
    matches!(item, Ok(Some(Ok(Item::Record(record)))) if record.check().is_ok())
}

fn number_of(file: &Path) -> u32 {
    WarcFile::file(file.to_owned()).number()
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn length_of(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len())
}

/// Returns the size of a folder and its subfolders in bytes.
fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.map(|path| if path.is_dir() { folder_bytes(&path) } else { length_of(&path) }).sum()
}
