//! Finds exact duplicates.
//!
//! Hashes are read in several passes, each of a part that fits into memory and is sorted there. Nothing
//! is sorted on disk, so an interruption leaves nothing behind. If memory is still full because many
//! documents have the same text, all but the first document of each text are written out and removed
//! from memory.
//!
//! Limitation: with a tenth of the memory that all hashes would need, the hashes, 24 bytes per document,
//! are read more than ten times.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::global::GlobalError;
use crate::global::bits::Bits;
use crate::global::part::Part;
use crate::global::table::{HASH, Out, Tables, take};

/// The hash of a document, ordered so that the first document of a text comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hashed {
    hash: [u8; 16],
    time: i64,
    document: u32,
}

struct Repeats {
    buffer: Vec<Hashed>,
    pairs: Out,
    is_repeat: Bits,
    found: u64,
}

pub(crate) fn find(tables: &Tables, memory: usize, part: &Part) -> Result<u64, GlobalError> {
    let room = (memory / size_of::<Hashed>()).max(1024);
    let passes = parts(tables.len() as usize, room);
    let pairs = Out::create(part.path("pairs"))?;
    let mut repeats = Repeats { buffer: Vec::new(), pairs, is_repeat: Bits::default(), found: 0 };
    for pass in 0..passes {
        let mut room = room;
        for (before, folder) in tables.shards() {
            each(&folder.join("hashes"), before, |hashed| {
                if share(hashed.hash, passes) == pass {
                    repeats.buffer.push(hashed);
                    if repeats.buffer.len() >= room {
                        repeats.thin_out()?;
                        room = room.max(2 * repeats.buffer.len());
                    }
                }
                Ok(())
            })?;
        }
        repeats.thin_out()?;
        repeats.buffer.clear();
    }
    repeats.pairs.finish()?;
    repeats.is_repeat.write(Out::create(part.path("bits"))?)?;
    Ok(repeats.found)
}

/// Returns the number of passes, chosen so that a part fills at most four fifths of `room`.
pub(crate) fn parts(count: usize, room: usize) -> u64 {
    (count as u64 * 5).div_ceil(room as u64 * 4).max(1)
}

fn share(hash: [u8; 16], parts: u64) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    ((u128::from(u64::from_be_bytes(first)) * u128::from(parts)) >> 64) as u64
}

impl Repeats {
    /// Keeps the first document of each text, and writes out the others.
    fn thin_out(&mut self) -> Result<(), GlobalError> {
        self.buffer.sort_unstable();
        for same in self.buffer.chunk_by(|one, other| one.hash == other.hash) {
            for repeat in &same[1..] {
                self.pairs.write(&repeat.document.to_le_bytes())?;
                self.pairs.write(&same[0].document.to_le_bytes())?;
                self.is_repeat.set(repeat.document.into());
                self.found += 1;
            }
        }
        self.buffer.dedup_by_key(|hashed| hashed.hash);
        Ok(())
    }
}

fn each(
    path: &Path,
    before: u32,
    mut take_one: impl FnMut(Hashed) -> Result<(), GlobalError>,
) -> Result<(), GlobalError> {
    let file = File::open(path).map_err(GlobalError::reading(path))?;
    let mut bytes = [0; HASH];
    let length = file.metadata().map_err(GlobalError::reading(path))?.len();
    let mut file = BufReader::with_capacity(1 << 16, file);
    for place in 0..(length / HASH as u64) as u32 {
        file.read_exact(&mut bytes).map_err(GlobalError::reading(path))?;
        let (mut hash, mut rest) = ([0; 16], &bytes[16..]);
        hash.copy_from_slice(&bytes[..16]);
        let time = take(&mut rest).map(i64::from_le_bytes).ok_or_else(|| GlobalError::damaged(path))?;
        take_one(Hashed { hash, time, document: before + place })?;
    }
    Ok(())
}
