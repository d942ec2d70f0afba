//! The file with the index of near-duplicates of a store in a folder.
//!
//! The file is a [`BandTable`](gleaner_corpus::dedup::BandTable) on disk. A query reads 42 buckets, which the system
//! usually has in memory, so the process itself needs no memory for the table. A file is never changed. A file with more
//! documents replaces it.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`], which has the format |
//! | 4 | number of buckets |
//! | 8 | number of documents that were put |
//! | 4 | CRC-32 of the bytes before |
//! | 40 | 0 |
//! | 64 for each bucket | 62 bytes of [`Bucket::to_bytes`], and the lower half of their CRC-32 |
//!
//! Numbers are little-endian.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use gleaner_archive::files::new_file;
use gleaner_corpus::dedup::{BandKeys, Bucket, DocumentNumber, KeyPlace};
use gleaner_http::retry::wait_for_descriptor;

const MAGIC: &[u8; 8] = b"glnear01";

/// Length of the header, and of a bucket with its checksum.
const BLOCK: usize = 64;

/// Length of the part of the header that is checked.
const CHECKED: usize = 20;

/// Size of the buffer of a file that is read or written as a whole.
const BUFFER: usize = 1 << 20;

/// An error while one file is copied to another.
#[derive(Debug)]
pub(super) enum CopyError {
    /// The old file cannot be read, or is damaged.
    Read(io::Error),
    /// The new file cannot be written.
    Write(io::Error),
}

/// A complete file.
#[derive(Debug)]
pub(super) struct IndexFile {
    path: PathBuf,
    file: File,
    buckets: u32,
    documents: u64,
}

/// A document that is to be stored under a key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) place: KeyPlace,
    pub(super) document: DocumentNumber,
}

impl IndexFile {
    /// Opens a file. Reads only its header.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or has another format.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = wait_for_descriptor(|| File::open(path))?;
        let mut header = [0; BLOCK];
        file.read_exact_at(&mut header, 0)?;
        if header[..8] != MAGIC[..] {
            return Err(damaged("it has another format"));
        }
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        if crc32fast::hash(&header[..CHECKED]) != number(CHECKED) {
            return Err(damaged("the checksum of its beginning is wrong"));
        }
        let (buckets, documents) = (number(8), u64::from(number(16)) << 32 | u64::from(number(12)));
        if file.metadata()?.len() != (u64::from(buckets) + 1) * BLOCK as u64 {
            return Err(damaged("its length is wrong"));
        }
        Ok(Self { path: path.to_owned(), file, buckets, documents })
    }

    /// Returns the number of buckets.
    pub(super) const fn buckets(&self) -> u32 {
        self.buckets
    }

    /// Returns the number of documents that were put, including those that the table has lost.
    pub(super) const fn documents(&self) -> u64 {
        self.documents
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the documents that share a key with `keys`, once for each key.
    ///
    /// # Errors
    /// The file cannot be read, or a bucket is damaged.
    pub(super) fn find(&self, keys: &BandKeys) -> io::Result<Vec<DocumentNumber>> {
        let mut found = Vec::new();
        for key in keys.as_array() {
            let place = KeyPlace::new(*key, self.buckets);
            let mut block = [0; BLOCK];
            self.file.read_exact_at(&mut block, (u64::from(place.bucket()) + 1) * BLOCK as u64)?;
            found.extend(bucket_of(&block)?.documents(place));
        }
        Ok(found)
    }

    /// Reads all buckets in their order.
    ///
    /// # Errors
    /// The file cannot be opened. The iterator returns an error for a damaged bucket.
    pub(super) fn all(&self) -> io::Result<impl Iterator<Item = io::Result<Bucket>> + use<>> {
        let mut file = wait_for_descriptor(|| File::open(&self.path))?;
        file.seek(SeekFrom::Start(BLOCK as u64))?;
        let mut reader = BufReader::with_capacity(BUFFER, file);
        Ok((0..self.buckets).map(move |_| {
            let mut block = [0; BLOCK];
            reader.read_exact(&mut block)?;
            bucket_of(&block)
        }))
    }

    /// Writes a file of `count` buckets to disk, and opens it. `path` must not exist.
    ///
    /// # Errors
    /// A bucket is an error, or the file cannot be written. Then no file remains, unless it cannot be removed.
    pub(super) fn write(
        path: &Path,
        count: u32,
        documents: u64,
        buckets: impl Iterator<Item = io::Result<Bucket>>,
    ) -> Result<Self, CopyError> {
        let written = Self::write_new(path, count, documents, buckets);
        if written.is_err() {
            let _ = fs::remove_file(path);
        }
        written
    }

    fn write_new(
        path: &Path,
        count: u32,
        documents: u64,
        buckets: impl Iterator<Item = io::Result<Bucket>>,
    ) -> Result<Self, CopyError> {
        let mut options = new_file();
        options.write(true).create_new(true);
        let file = wait_for_descriptor(|| options.open(path)).map_err(CopyError::Write)?;
        let mut writer = BufWriter::with_capacity(BUFFER, file);
        writer.write_all(&header(count, documents)).map_err(CopyError::Write)?;
        for bucket in buckets {
            let bytes = bucket.map_err(CopyError::Read)?.to_bytes();
            let written = writer.write_all(&bytes).and_then(|()| writer.write_all(&checksum(&bytes)));
            written.map_err(CopyError::Write)?;
        }
        let synced = writer.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            file.sync_all()?;
            path.parent().map_or(Ok(()), |folder| wait_for_descriptor(|| File::open(folder))?.sync_all())
        });
        synced.and_then(|()| Self::open(path)).map_err(CopyError::Write)
    }

    /// Returns the buckets with further entries.
    ///
    /// # Errors
    /// The file cannot be opened. The iterator returns an error for a damaged bucket.
    pub(super) fn merged(
        &self,
        mut entries: Vec<Entry>,
    ) -> io::Result<impl Iterator<Item = io::Result<Bucket>> + use<>> {
        // This sort keeps the order of the entries of a bucket.
        entries.sort_by_key(|entry| entry.place.bucket());
        let mut entries = entries.into_iter().peekable();
        Ok((0..).zip(self.all()?).map(move |(number, bucket)| {
            let mut bucket = bucket?;
            while let Some(entry) = entries.next_if(|entry| entry.place.bucket() == number) {
                bucket.put(entry.place, entry.document);
            }
            Ok(bucket)
        }))
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(super) fn check(&self) -> io::Result<()> {
        self.all()?.try_for_each(|bucket| bucket.map(drop))
    }
}

fn damaged(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn header(buckets: u32, documents: u64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&buckets.to_le_bytes());
    header[12..CHECKED].copy_from_slice(&documents.to_le_bytes());
    let sum = crc32fast::hash(&header[..CHECKED]);
    header[CHECKED..][..4].copy_from_slice(&sum.to_le_bytes());
    header
}

fn checksum(bucket: &[u8; Bucket::BYTES]) -> [u8; 2] {
    (crc32fast::hash(bucket) as u16).to_le_bytes()
}

fn bucket_of(block: &[u8; BLOCK]) -> io::Result<Bucket> {
    let (bytes, sum) =
        block.split_first_chunk::<{ Bucket::BYTES }>().expect("a bucket is shorter than a block");
    if checksum(bytes) != sum {
        return Err(damaged("the checksum of a bucket is wrong"));
    }
    Ok(Bucket::from_bytes(bytes))
}

/// Removes all files of a folder except `kept`. They are incomplete, or others have replaced them.
///
/// # Errors
/// The folder cannot be read, or a file cannot be removed.
pub(super) fn remove_others(folder: &Path, kept: Option<&str>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if kept.is_none_or(|kept| entry.file_name() != kept) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::dedup::{BandIndex, BandTable, Signature};
    use tempfile::TempDir;

    use super::*;

    const BUCKETS: u32 = 100;

    fn keys(document: u32) -> BandKeys {
        let hashes =
            (0..300_u64).map(|at| (u64::from(document) << 32 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        BandKeys::from_signature(&Signature::of_hashes(hashes))
    }

    fn entries(documents: std::ops::Range<u32>) -> Vec<Entry> {
        let entry = |document| {
            let keys = keys(document);
            let places = keys.as_array().map(|key| KeyPlace::new(key, BUCKETS));
            places.map(|place| Entry { place, document })
        };
        documents.flat_map(entry).collect()
    }

    fn empty(folder: &TempDir) -> IndexFile {
        let buckets = (0..BUCKETS).map(|_| Ok(Bucket::EMPTY));
        IndexFile::write(&folder.path().join("empty"), BUCKETS, 0, buckets).unwrap()
    }

    fn written(folder: &TempDir, name: &str, old: &IndexFile, from: u32, to: u32) -> IndexFile {
        let buckets = old.merged(entries(from..to)).unwrap();
        IndexFile::write(&folder.path().join(name), BUCKETS, to.into(), buckets).unwrap()
    }

    #[test]
    fn files_that_follow_each_other_equal_a_table_in_memory() {
        let folder = TempDir::new().unwrap();
        let mut table = BandTable::with_memory(BUCKETS as usize * 64);
        let mut file = empty(&folder);
        for (from, to) in [(0, 5), (5, 20), (20, 60)] {
            for document in from..to {
                let Ok(()) = table.put(document, &keys(document));
            }
            let next = written(&folder, &to.to_string(), &file, from, to);
            assert_eq!((next.buckets(), next.documents()), (BUCKETS, to.into()));
            let stored: Vec<Bucket> = next.all().unwrap().map(Result::unwrap).collect();
            assert_eq!(stored, table.buckets());
            for document in 0..to {
                assert_eq!(next.find(&keys(document)).unwrap(), table.documents(&keys(document)));
            }
            file = next;
        }
        remove_others(folder.path(), Some("60")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        remove_others(&folder.path().join("absent"), None).unwrap();
    }

    #[test]
    fn damage_is_noticed() {
        let folder = TempDir::new().unwrap();
        let path = written(&folder, "a", &empty(&folder), 0, 5).path().to_owned();
        let whole = fs::read(&path).unwrap();
        let is_damaged = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            IndexFile::open(&path).and_then(|file| file.check()).is_err()
        };
        assert!(!is_damaged(&whole));
        for at in (0..CHECKED + 4).chain(BLOCK..whole.len()) {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            assert!(is_damaged(&bytes), "{at}");
        }
        let mut hole = whole.clone();
        hole[BLOCK * 7..BLOCK * 8].fill(0);
        assert!(is_damaged(&hole), "a hole");
        assert!(is_damaged(&whole[..whole.len() - 1]), "a shorter file");
        assert!(is_damaged(&[]), "an empty file");
    }

    #[test]
    fn a_damaged_bucket_ends_a_query_and_a_copy() {
        let folder = TempDir::new().unwrap();
        let file = written(&folder, "a", &empty(&folder), 0, 5);
        let place = KeyPlace::new(keys(3).as_array()[0], BUCKETS);
        let mut bytes = fs::read(file.path()).unwrap();
        bytes[(place.bucket() as usize + 1) * BLOCK] ^= 1;
        fs::write(file.path(), bytes).unwrap();
        let file = IndexFile::open(file.path()).unwrap();
        assert!(file.find(&keys(3)).unwrap_err().to_string().contains("checksum"));
        let buckets = file.merged(Vec::new()).unwrap();
        let copied = IndexFile::write(&folder.path().join("b"), BUCKETS, 5, buckets);
        assert!(matches!(copied, Err(CopyError::Read(_))));
    }
}
