//! Stores band keys by band instead of by document.
//!
//! A band's key is its [`ROWS`] values of 16 bits: 6 bytes, without a hash. The task of a band reads
//! only its own keys, 1/42 of all keys. A file is a sequence of blocks. A block contains the number of
//! documents, the place of each document in its shard, the time of each, then for each band the keys of
//! all documents. Keys are not sorted; a reader sorts the part that fits into memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use gleaner_corpus::dedup::{BANDS, ROWS, Signature};

use crate::global::GlobalError;
use crate::global::table::Out;

/// Number of documents per block, which takes about 4 MB of memory.
const BLOCK: usize = 16_384;

const KEY: usize = 2 * ROWS;

const PLACE: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Keyed {
    pub(crate) key: u64,
    pub(crate) time: i64,
    /// The document's place in its shard, or its number.
    pub(crate) document: u32,
}

fn key(signature: &Signature, band: usize) -> [u8; KEY] {
    let values = &signature.values()[band * ROWS..(band + 1) * ROWS];
    let mut key = [0; KEY];
    for (two, value) in key.chunks_exact_mut(2).zip(values) {
        two.copy_from_slice(&value.to_le_bytes());
    }
    key
}

pub(crate) struct ColumnsWriter {
    out: Out,
    places: Vec<u8>,
    times: Vec<u8>,
    keys: Vec<Vec<u8>>,
}

impl ColumnsWriter {
    pub(crate) fn new(out: Out) -> Self {
        Self { out, places: Vec::new(), times: Vec::new(), keys: vec![Vec::new(); BANDS] }
    }

    pub(crate) fn add(&mut self, place: u32, time: i64, signature: &Signature) -> Result<(), GlobalError> {
        self.places.extend(place.to_le_bytes());
        self.times.extend(time.to_le_bytes());
        for (band, keys) in self.keys.iter_mut().enumerate() {
            keys.extend(key(signature, band));
        }
        if self.places.len() >= 4 * BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), GlobalError> {
        let count = (self.places.len() / 4) as u32;
        if count == 0 {
            return Ok(());
        }
        self.out.write(&count.to_le_bytes())?;
        for part in [&mut self.places, &mut self.times].into_iter().chain(&mut self.keys) {
            self.out.write(part)?;
            part.clear();
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), GlobalError> {
        self.end_block()?;
        self.out.finish()
    }
}

/// Passes the keys of a band to the caller, in the order of the documents.
pub(crate) fn each(
    path: &Path,
    band: usize,
    mut take: impl FnMut(Keyed) -> Result<(), GlobalError>,
) -> Result<(), GlobalError> {
    let mut file = File::open(path).map_err(GlobalError::reading(path))?;
    let end = file.metadata().map_err(GlobalError::reading(path))?.len();
    let mut at = 0;
    let mut read = |at: u64, length: usize| {
        let mut bytes = vec![0; length];
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
        read.map(|()| bytes).map_err(GlobalError::reading(path))
    };
    while at < end {
        let mut count = [0; 4];
        count.copy_from_slice(&read(at, 4)?);
        let count = u32::from_le_bytes(count) as usize;
        if count > BLOCK {
            return Err(GlobalError::damaged(path));
        }
        let places = read(at + 4, PLACE * count)?;
        let (places, times) = places.split_at(4 * count);
        let keys = read(at + 4 + ((PLACE + band * KEY) * count) as u64, KEY * count)?;
        let entries = places.chunks_exact(4).zip(times.chunks_exact(8)).zip(keys.chunks_exact(KEY));
        for ((place, time), key) in entries {
            let mut wide = [0; 8];
            wide[..KEY].copy_from_slice(key);
            take(Keyed {
                key: u64::from_le_bytes(wide),
                time: i64::from_le_bytes(time.try_into().expect("eight bytes are a time")),
                document: u32::from_le_bytes(place.try_into().expect("four bytes are a place")),
            })?;
        }
        at += (4 + (PLACE + BANDS * KEY) * count) as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_band_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("columns");
        let signature = |place: u32| Signature::of_hashes((0..9).map(|at| u64::from(place * 100 + at) << 40));
        let mut columns = ColumnsWriter::new(Out::create(path.clone()).unwrap());
        let count = BLOCK as u32 + 100;
        for place in 0..count {
            columns.add(2 * place, -i64::from(place), &signature(place % 500)).unwrap();
        }
        columns.finish().unwrap();
        for band in [0, 17, BANDS - 1] {
            let mut next = 0;
            each(&path, band, |keyed| {
                let mut wide = [0; 8];
                wide[..KEY].copy_from_slice(&key(&signature(next % 500), band));
                let key = u64::from_le_bytes(wide);
                assert_eq!(keyed, Keyed { key, time: -i64::from(next), document: 2 * next });
                next += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(next, count);
        }
    }
}
