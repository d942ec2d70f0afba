//! Stores large values in append-only files, so that sled contains only their positions.
//!
//! sled copies a value each time it rewrites the tree leaf with the value. Therefore texts are in separate
//! files. An entry of a file consists of these parts:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | CRC-32 of the rest of the entry |
//! | 1, 4 | length of the key, length of the value (big-endian) |
//! | | key, value |
//!
//! Entries are written and synced before the batch that refers to them. One record of that batch contains the
//! length of each file ([`Files`]). After a crash, a file may be longer than its recorded length. The next
//! entry then overwrites the surplus.
//!
//! A replaced or removed value stays in its file, and its bytes are counted. If more than half of a file
//! consists of such values, [`Embedded::flush`](super::Embedded) writes the other values again and removes
//! the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gleaner_archive::files::{make_folder, new_file};
use gleaner_http::retry::{is_out_of_files, wait_for_descriptor};
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// Maximum length of a file in bytes. Compaction reads up to half of a file into memory.
const FILE_BYTES: u32 = 64 << 20;

/// Maximum number of files that are kept open.
const MAX_OPEN: usize = 64;

/// The first byte of a position. Large values that older versions stored in sled begin with another byte.
const TAG: u8 = 1;

/// Length of the checksum and the two lengths in bytes.
const HEAD: usize = 9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryPosition {
    file: u32,
    offset: u32,
    length: u32,
}

impl EntryPosition {
    pub(super) fn to_bytes(self) -> [u8; 13] {
        let mut bytes = [TAG; 13];
        for (at, number) in [self.file, self.offset, self.length].into_iter().enumerate() {
            bytes[1 + 4 * at..][..4].copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    /// Returns the position that a record in sled contains, or `None` if it contains the value itself.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 13] = bytes.try_into().ok()?;
        let number = |at: usize| u32::from_be_bytes(std::array::from_fn(|byte| bytes[1 + 4 * at + byte]));
        (bytes[0] == TAG).then(|| Self { file: number(0), offset: number(1), length: number(2) })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sizes {
    bytes: u32,
    /// Bytes of entries to which no record refers.
    dead: u32,
}

/// The files by number. Entries are appended to the last file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Files {
    sizes: BTreeMap<u32, Sizes>,
    /// Whether all large values are in files. `false` if sled may still contain values of an older version.
    pub(super) is_complete: bool,
}

impl Files {
    pub(super) const fn new(is_complete: bool) -> Self {
        Self { sizes: BTreeMap::new(), is_complete }
    }

    /// Counts the bytes of an entry to which no record refers any more.
    pub(super) fn release(&mut self, spot: EntryPosition) {
        if let Some(sizes) = self.sizes.get_mut(&spot.file) {
            sizes.dead = sizes.dead.saturating_add(spot.length);
        }
    }
}

pub(super) struct Entry {
    pub(super) spot: EntryPosition,
    pub(super) key: Vec<u8>,
    pub(super) value: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Texts {
    folder: PathBuf,
    files: Files,
    /// Maximum length of a file in bytes.
    pub(super) most: u32,
    open: Mutex<BTreeMap<u32, Arc<File>>>,
    /// Damaged files. They are not compacted.
    damaged: BTreeSet<u32>,
}

impl Texts {
    pub(super) fn new(folder: PathBuf, files: Files) -> Self {
        Self { folder, files, most: FILE_BYTES, open: Mutex::default(), damaged: BTreeSet::new() }
    }

    pub(super) const fn files(&self) -> &Files {
        &self.files
    }

    /// Begins to append entries. [`Texts::accept`] adds them to the files.
    pub(super) fn append(&self) -> AppendBatch<'_> {
        let mut files = self.files.clone();
        let number = files.sizes.last_entry().map_or(1, |last| *last.key());
        let sizes = files.sizes.entry(number).or_default();
        let offset = sizes.bytes;
        AppendBatch { files, folder: &self.folder, most: self.most, number, offset, buffer: Vec::new() }
    }

    pub(super) fn accept(&mut self, files: Files) {
        self.files = files;
    }

    /// Reads a value. An error concerns only this value, except when no file can be opened.
    pub(super) fn read(&self, key: &[u8], spot: EntryPosition) -> Result<Vec<u8>, StoreError> {
        let read = || {
            let known = self.files.sizes.get(&spot.file).map_or(0, |sizes| sizes.bytes);
            if spot.offset.checked_add(spot.length).is_none_or(|end| end > known) {
                return Err(io::Error::other("the position is outside of its file"));
            }
            let mut entry = vec![0; spot.length as usize];
            self.file(spot.file)?.read_exact_at(&mut entry, spot.offset.into())?;
            Ok(entry)
        };
        let entry = read().map_err(|error| self.unreadable(key, spot.file, error))?;
        match parse(&entry) {
            Some((found, value)) if found == key => Ok(value.to_vec()),
            _ => Err(self.unreadable(key, spot.file, io::Error::other("its checksum is wrong"))),
        }
    }

    fn unreadable(&self, key: &[u8], file: u32, error: io::Error) -> StoreError {
        if is_out_of_files(&error) {
            return StoreError::folder(&self.folder)(error);
        }
        let reason = format!("{}: {error}", path(&self.folder, file).display());
        StoreError::unreadable(key, StoreError::UnreadableEntry { reason })
    }

    fn file(&self, number: u32) -> io::Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&number) {
            return Ok(Arc::clone(file));
        }
        if open.len() >= MAX_OPEN {
            open.clear();
        }
        let file = Arc::new(wait_for_descriptor(|| File::open(path(&self.folder, number)))?);
        open.insert(number, Arc::clone(&file));
        Ok(file)
    }

    /// Returns a file with more than half of its bytes unused. The last file is never returned.
    pub(super) fn mostly_unused(&self) -> Option<u32> {
        let (last, _) = self.files.sizes.last_key_value()?;
        let is_wasteful = |(number, sizes): &(&u32, &Sizes)| *number < last && sizes.dead > sizes.bytes / 2;
        let mut wasteful = self.files.sizes.iter().filter(is_wasteful).map(|(number, _)| *number);
        wasteful.find(|number| !self.damaged.contains(number))
    }

    /// Returns all entries of a file, or `None` if the file is damaged. A damaged file is not compacted.
    pub(super) fn entries(&mut self, number: u32) -> Result<Option<Vec<Entry>>, StoreError> {
        let bytes = self.files.sizes.get(&number).map_or(0, |sizes| sizes.bytes);
        let mut content = vec![0; bytes as usize];
        let read = self.file(number).and_then(|file| file.read_exact_at(&mut content, 0));
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Vec::new())),
            Err(error) if is_out_of_files(&error) => Err(StoreError::folder(&self.folder)(error)),
            Err(_) => Ok(self.damaged(number)),
            Ok(()) => match split(number, &content) {
                Some(entries) => Ok(Some(entries)),
                None => Ok(self.damaged(number)),
            },
        }
    }

    fn damaged(&mut self, number: u32) -> Option<Vec<Entry>> {
        tracing::warn!(
            file = %path(&self.folder, number).display(),
            "a file of texts is damaged; `gleaner verify` names what is lost"
        );
        self.damaged.insert(number);
        None
    }

    /// Removes a file to which no record on disk refers.
    pub(super) fn remove(&mut self, number: u32) -> Result<(), StoreError> {
        self.files.sizes.remove(&number);
        self.open.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&number);
        match fs::remove_file(path(&self.folder, number)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::folder(&self.folder)(error))
            }
            _ => Ok(()),
        }
    }
}

pub(super) struct AppendBatch<'a> {
    pub(super) files: Files,
    folder: &'a Path,
    most: u32,
    number: u32,
    /// The offset in the last file at which the buffer begins.
    offset: u32,
    buffer: Vec<u8>,
}

impl AppendBatch<'_> {
    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<EntryPosition, StoreError> {
        let length = length_of(HEAD + key.len() + value.len());
        let used = self.offset + length_of(self.buffer.len());
        if used > 0 && used.saturating_add(length) > self.most {
            self.write()?;
            (self.number, self.offset) = (self.number + 1, 0);
        }
        let spot =
            EntryPosition { file: self.number, offset: self.offset + length_of(self.buffer.len()), length };
        write_entry(&mut self.buffer, key, value);
        let sizes = self.files.sizes.entry(self.number).or_default();
        sizes.bytes = spot.offset + length;
        Ok(spot)
    }

    /// Writes the entries to disk, and returns the new state of the files.
    pub(super) fn finish(mut self) -> Result<Files, StoreError> {
        self.write()?;
        Ok(self.files)
    }

    fn write(&mut self) -> Result<(), StoreError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let wrong = StoreError::folder(self.folder);
        let is_new = self.offset == 0;
        if is_new {
            make_folder(self.folder).map_err(&wrong)?;
        }
        let mut options = new_file();
        options.write(true).create(true).truncate(false);
        let file = wait_for_descriptor(|| options.open(path(self.folder, self.number))).map_err(&wrong)?;
        file.write_all_at(&self.buffer, self.offset.into()).map_err(&wrong)?;
        file.sync_data().map_err(&wrong)?;
        if is_new {
            sync_folder(self.folder).map_err(&wrong)?;
        }
        self.offset += length_of(self.buffer.len());
        self.buffer.clear();
        Ok(())
    }
}

/// Syncs a folder and its parent, so that a new file and its new folder survive a power failure.
fn sync_folder(folder: &Path) -> io::Result<()> {
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        wait_for_descriptor(|| File::open(folder))?.sync_all()?;
    }
    Ok(())
}

fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:08}.texts"))
}

/// Returns a length in bytes. Values are far smaller than 4 GiB, because response bodies have a size limit.
fn length_of(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn write_entry(to: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    let begin = to.len();
    to.extend([0; 4]);
    to.push(u8::try_from(key.len()).unwrap_or(u8::MAX));
    to.extend(length_of(value.len()).to_be_bytes());
    to.extend_from_slice(key);
    to.extend_from_slice(value);
    let sum = crc32fast::hash(&to[begin + 4..]);
    to[begin..begin + 4].copy_from_slice(&sum.to_be_bytes());
}

/// Returns the length of the entry at the beginning of `bytes`.
fn length_at(bytes: &[u8]) -> Option<usize> {
    let value = u32::from_be_bytes(bytes.get(5..HEAD)?.try_into().ok()?);
    Some(HEAD + usize::from(bytes[4]) + value as usize)
}

/// Returns the key and value of an entry, or `None` if the entry is damaged.
fn parse(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    if length_at(entry)? != entry.len() {
        return None;
    }
    let sum = u32::from_be_bytes(entry[..4].try_into().ok()?);
    (crc32fast::hash(&entry[4..]) == sum).then(|| entry[HEAD..].split_at(usize::from(entry[4])))
}

fn split(file: u32, content: &[u8]) -> Option<Vec<Entry>> {
    let (mut entries, mut at) = (Vec::new(), 0);
    while at < content.len() {
        let length = length_at(&content[at..])?;
        let (key, value) = parse(content.get(at..at + length)?)?;
        let spot = EntryPosition { file, offset: length_of(at), length: length_of(length) };
        entries.push(Entry { spot, key: key.to_vec(), value: value.to_vec() });
        at += length;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const KEY: [u8; 17] = [b'd'; 17];

    fn put(texts: &mut Texts, values: &[&str]) -> Vec<EntryPosition> {
        let mut appending = texts.append();
        let spots = values.iter().map(|value| appending.push(&KEY, value.as_bytes()).unwrap()).collect();
        let files = appending.finish().unwrap();
        texts.accept(files);
        spots
    }

    #[test]
    fn values_come_back_from_several_files() {
        let folder = TempDir::new().unwrap();
        let mut texts = Texts::new(folder.path().join("texts"), Files::new(true));
        texts.most = 100;
        let values = ["rain", &"long ".repeat(50), "", "sun"];
        let spots: Vec<EntryPosition> = values.iter().flat_map(|value| put(&mut texts, &[value])).collect();
        assert_eq!(spots.iter().map(|spot| spot.file).collect::<Vec<_>>(), [1, 2, 3, 3]);
        for (value, spot) in values.iter().zip(spots) {
            assert_eq!(EntryPosition::from_bytes(&spot.to_bytes()), Some(spot));
            assert_eq!(texts.read(&KEY, spot).unwrap(), value.as_bytes());
        }
    }

    #[test]
    fn a_value_of_an_older_version_is_not_a_position() {
        assert_eq!(EntryPosition::from_bytes(&[0x92; 13]), None);
        assert_eq!(EntryPosition::from_bytes(b""), None);
    }

    #[test]
    fn each_damaged_byte_and_a_wrong_key_are_noticed() {
        let folder = TempDir::new().unwrap();
        let mut texts = Texts::new(folder.path().join("texts"), Files::new(true));
        let spot = put(&mut texts, &["rain"])[0];
        let file = path(&texts.folder, 1);
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&file, bytes).unwrap();
            assert!(matches!(texts.read(&KEY, spot), Err(StoreError::Lost { .. })), "{at}");
        }
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        assert!(texts.read(&KEY, spot).is_err());
        fs::write(&file, &whole).unwrap();
        assert_eq!(texts.read(&KEY, spot).unwrap(), b"rain");
        assert!(matches!(texts.read(b"s1234", spot), Err(StoreError::Unreadable { .. })));
        let beyond = EntryPosition { offset: 1, ..spot };
        assert!(texts.read(&KEY, beyond).unwrap_err().to_string().contains("outside of its file"));
    }

    #[test]
    fn entries_that_never_counted_are_overwritten() {
        let folder = TempDir::new().unwrap();
        let mut texts = Texts::new(folder.path().join("texts"), Files::new(true));
        let first = put(&mut texts, &["rain"])[0];
        let mut appending = texts.append();
        appending.push(&KEY, b"a change that was lost in a crash").unwrap();
        appending.finish().unwrap();
        let second = put(&mut texts, &["sun"])[0];
        assert_eq!(second.offset, first.length);
        assert_eq!(texts.read(&KEY, first).unwrap(), b"rain");
        assert_eq!(texts.read(&KEY, second).unwrap(), b"sun");
    }
}
