//! Finds the pairs of a band: similar documents with the same band key.
//!
//! The keys are read in several passes, each of a part that fits into memory, as in
//! [`exact`](crate::global::exact). They are sorted by key and then by time. Each document is compared,
//! by signature, with these documents with the same key:
//! * the earliest [`FIRST`]: a cluster's representative is, or once was, its earliest document,
//! * the last [`LAST`] before it: a text that is edited repeatedly is similar to its previous version.
//!
//! After the earliest [`MOST`] documents of a key, documents are compared only with the earliest
//! [`FIRST`]. The comparisons depend on time, not on the content of memory, so the result is the same
//! for any memory size.
//!
//! Limitation: a duplicate is missed if its representative is neither among the first 16 nor among the
//! last 16 documents of any common key. This requires at least 33 different texts under each of these
//! keys.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use gleaner_corpus::dedup::Signature;

use crate::global::GlobalError;
use crate::global::bits::Bits;
use crate::global::columns::{self, Keyed};
use crate::global::exact::parts;
use crate::global::pairs::{Pair, PairsWriter};
use crate::global::part::Part;
use crate::global::table::{Out, Tables, take};

/// Number of the earliest documents of a key, with which all others are compared. [`LAST`] is the number
/// of documents just before a document with which it is compared.
pub(crate) const FIRST: usize = 16;

pub(crate) const LAST: usize = 16;

/// Number of documents of a key that are compared with the documents just before them.
pub(crate) const MOST: usize = 4096;

const KEYED: usize = 20;

pub(crate) struct Band<'a> {
    pub(crate) band: usize,
    pub(crate) repeats: &'a Bits,
    pub(crate) signed: u64,
    /// Minimum similarity of signatures at which a pair is recorded.
    pub(crate) related: f64,
    pub(crate) memory: usize,
}

struct Finder<'a> {
    tables: Tables,
    related: f64,
    buffer: Vec<Keyed>,
    pairs: PairsWriter,
    late: Late<'a>,
}

pub(crate) fn find(tables: Tables, asked: &Band, part: &Part) -> Result<u64, GlobalError> {
    let room = (asked.memory / 2 / size_of::<Keyed>()).max(1024);
    let passes = parts(asked.signed as usize, room);
    let pairs = PairsWriter::begin(part, asked.memory / 2);
    let late = Late { part, out: None };
    let shards: Vec<(u32, PathBuf)> =
        tables.shards().map(|(before, folder)| (before, folder.join("columns"))).collect();
    let mut finder = Finder { tables, related: asked.related, buffer: Vec::new(), pairs, late };
    let mut found = 0;
    for pass in 0..passes {
        let mut room = room;
        for (before, path) in &shards {
            columns::each(path, asked.band, |keyed| {
                let document = before + keyed.document;
                if share(keyed.key, passes) == pass && !asked.repeats.get(document.into()) {
                    finder.buffer.push(Keyed { document, ..keyed });
                    if finder.buffer.len() >= room {
                        finder.put_off()?;
                        room = room.max(2 * finder.buffer.len());
                    }
                }
                Ok(())
            })?;
        }
        found += finder.compare()?;
    }
    finder.pairs.finish()?;
    Ok(found)
}

fn share(key: u64, parts: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(mixed) * u128::from(parts)) >> 64) as u64
}

impl Finder<'_> {
    /// Postpones the entries of each key after its earliest [`MOST`]. They are compared only with the
    /// first ones, once these are known.
    fn put_off(&mut self) -> Result<(), GlobalError> {
        self.buffer.sort_unstable();
        let mut kept = 0;
        let (mut key, mut count) = (None, 0);
        for at in 0..self.buffer.len() {
            let keyed = self.buffer[at];
            (key, count) = if key == Some(keyed.key) { (key, count + 1) } else { (Some(keyed.key), 1) };
            if count <= MOST {
                self.buffer[kept] = keyed;
                kept += 1;
            } else {
                self.late.add(keyed)?;
            }
        }
        self.buffer.truncate(kept);
        Ok(())
    }

    /// Compares the buffered documents and clears the buffer. Returns the number of pairs.
    fn compare(&mut self) -> Result<u64, GlobalError> {
        self.buffer.sort_unstable();
        let buffer = std::mem::take(&mut self.buffer);
        let mut found = 0;
        for group in buffer.chunk_by(|one, other| one.key == other.key).filter(|group| group.len() > 1) {
            found += self.group(group)?;
        }
        let mut known: Option<(u64, Vec<Member>)> = None;
        self.late.take(|keyed| {
            if known.as_ref().is_none_or(|(key, _)| *key != keyed.key) {
                let from = buffer.partition_point(|other| other.key < keyed.key);
                let same = buffer[from..].iter().take_while(|other| other.key == keyed.key).take(FIRST);
                let first = same.map(|keyed| Member::new(*keyed, &mut self.tables));
                known = Some((keyed.key, first.collect::<Result<_, _>>()?));
            }
            let member = Member::new(keyed, &mut self.tables)?;
            let first = known.iter().flat_map(|(_, first)| first);
            found += note(&member, first, self.related, &mut self.pairs)?;
            Ok(())
        })?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(found)
    }

    /// Compares the documents of one key, in the order of time. Returns the number of pairs.
    fn group(&mut self, group: &[Keyed]) -> Result<u64, GlobalError> {
        let (mut first, mut last) = (Vec::new(), VecDeque::new());
        let mut found = 0;
        for (at, keyed) in group.iter().enumerate() {
            let member = Member::new(*keyed, &mut self.tables)?;
            let before = first.iter().chain(last.iter().filter(|_| at < MOST));
            found += note(&member, before, self.related, &mut self.pairs)?;
            if first.len() < FIRST {
                first.push(member);
            } else if at < MOST {
                if last.len() == LAST {
                    last.pop_front();
                }
                last.push_back(member);
            }
        }
        Ok(found)
    }
}

struct Member {
    keyed: Keyed,
    signature: Option<Signature>,
}

impl Member {
    fn new(keyed: Keyed, tables: &mut Tables) -> Result<Self, GlobalError> {
        Ok(Self { signature: tables.row(keyed.document)?.signature, keyed })
    }
}

fn note<'a>(
    later: &Member,
    before: impl Iterator<Item = &'a Member>,
    related: f64,
    pairs: &mut PairsWriter,
) -> Result<u64, GlobalError> {
    let mut found = 0;
    for earlier in before {
        let both = later.signature.as_ref().zip(earlier.signature.as_ref());
        if both.is_some_and(|(one, other)| one.similarity(other) >= related) {
            let Keyed { time, document, .. } = later.keyed;
            pairs.add(Pair { time, later: document, earlier: earlier.keyed.document })?;
            found += 1;
        }
    }
    Ok(found)
}

struct Late<'a> {
    part: &'a Part,
    out: Option<Out>,
}

impl Late<'_> {
    fn add(&mut self, keyed: Keyed) -> Result<(), GlobalError> {
        let mut out = match self.out.take() {
            Some(out) => out,
            None => Out::create(self.part.path("late"))?,
        };
        out.write(&keyed.key.to_le_bytes())?;
        out.write(&keyed.time.to_le_bytes())?;
        out.write(&keyed.document.to_le_bytes())?;
        self.out = Some(out);
        Ok(())
    }

    fn take(&mut self, mut each: impl FnMut(Keyed) -> Result<(), GlobalError>) -> Result<(), GlobalError> {
        let Some(out) = self.out.take() else { return Ok(()) };
        out.finish()?;
        let path = self.part.path("late");
        let file = File::open(&path).map_err(GlobalError::reading(&path))?;
        let count = file.metadata().map_err(GlobalError::reading(&path))?.len() / KEYED as u64;
        let mut file = BufReader::new(file);
        for _ in 0..count {
            let mut bytes = [0; KEYED];
            file.read_exact(&mut bytes).map_err(GlobalError::reading(&path))?;
            let mut rest = bytes.as_slice();
            let keyed = (|| {
                Some(Keyed {
                    key: u64::from_le_bytes(take(&mut rest)?),
                    time: i64::from_le_bytes(take(&mut rest)?),
                    document: u32::from_le_bytes(take(&mut rest)?),
                })
            })();
            each(keyed.ok_or_else(|| GlobalError::damaged(&path))?)?;
        }
        std::fs::remove_file(&path).map_err(GlobalError::writing(&path))
    }
}
