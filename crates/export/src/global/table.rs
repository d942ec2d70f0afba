//! The data of each document that tasks share, in files per shard.
//!
//! | file | entry | access |
//! |---|---|---|
//! | `rows` | [`ROW`] bytes: time, words, line, position of the text, signature | by number |
//! | `hashes` | 16 bytes of the content hash, 8 of time | in order, and by number |
//! | `texts` | the id, then the compressed text | by number |
//! | `columns` | band keys ([`columns`](crate::global::columns)) | in order |
//!
//! A document's number is its place in its shard plus the number of documents in all earlier shards.
//!
//! Limitation: rows are read in random order, some hundred bytes at a time. This needs an SSD, or enough
//! memory to cache the rows.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gleaner_corpus::dedup::{Contender, Number, Signature};
use serde::{Deserialize, Serialize};

use crate::global::GlobalError;
use crate::global::part::Part;
use crate::reading::Article;

pub(crate) const ROW: usize = 40 + Signature::BYTES;

pub(crate) const HASH: usize = 24;

const OPEN: usize = 400;

/// The fastest regular level of zstd.
const LEVEL: i32 = 1;

/// The time of a document without a fetch time: after all others.
pub(crate) const LAST: i64 = i64::MAX;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// When the document was fetched, in microseconds since 1970; [`LAST`] if unknown.
    pub(crate) time: i64,
    pub(crate) words: u32,
    pub(crate) line: u64,
    text: u32,
    /// The offset of the document's id, which its compressed text follows.
    offset: u64,
    packed: u32,
    id: u16,
    /// `None` if the text is too short for a signature.
    pub(crate) signature: Option<Signature>,
}

impl Row {
    fn to_bytes(&self) -> [u8; ROW] {
        let mut bytes = [0; ROW];
        let mut out = bytes.as_mut_slice();
        let signature = self.signature.as_ref().map_or([0; Signature::BYTES], Signature::to_bytes);
        let parts: [&[u8]; 9] = [
            &self.time.to_le_bytes(),
            &self.words.to_le_bytes(),
            &self.line.to_le_bytes(),
            &self.text.to_le_bytes(),
            &self.offset.to_le_bytes(),
            &self.packed.to_le_bytes(),
            &self.id.to_le_bytes(),
            &u16::from(self.signature.is_some()).to_le_bytes(),
            &signature,
        ];
        for part in parts {
            out.write_all(part).expect("a row has room for its parts");
        }
        bytes
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        Some(Self {
            time: i64::from_le_bytes(take(bytes)?),
            words: u32::from_le_bytes(take(bytes)?),
            line: u64::from_le_bytes(take(bytes)?),
            text: u32::from_le_bytes(take(bytes)?),
            offset: u64::from_le_bytes(take(bytes)?),
            packed: u32::from_le_bytes(take(bytes)?),
            id: u16::from_le_bytes(take(bytes)?),
            signature: match u16::from_le_bytes(take(bytes)?) {
                0 => None,
                _ => Some(Signature::from_bytes(bytes)?),
            },
        })
    }

    pub(crate) const fn contender(&self, document: Number) -> Contender {
        Contender { document, words: self.words as u64 }
    }
}

pub(crate) fn line_of(row: &[u8; ROW]) -> u64 {
    let mut line = [0; 8];
    line.copy_from_slice(&row[12..20]);
    u64::from_le_bytes(line)
}

pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

/// Counts from signing a shard; also the content of `summary.json` of the task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signing {
    /// Number of documents read.
    pub documents: u64,
    /// Number of documents with a signature; the others are too short.
    pub signed: u64,
    /// Number of lines that are not documents.
    pub damaged: u64,
    /// The first line that is not a document, and the reason.
    pub first_damaged: Option<(u64, String)>,
}

pub(crate) struct TableWriter {
    rows: Out,
    hashes: Out,
    texts: Out,
    offset: u64,
}

pub(crate) struct Out {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Out {
    pub(crate) fn create(path: PathBuf) -> Result<Self, GlobalError> {
        let file = File::create(&path).map_err(GlobalError::writing(&path))?;
        Ok(Self { path, file: BufWriter::with_capacity(1 << 16, file) })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), GlobalError> {
        self.file.write_all(bytes).map_err(GlobalError::writing(&self.path))
    }

    pub(crate) fn finish(mut self) -> Result<(), GlobalError> {
        let done = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        done.map_err(GlobalError::writing(&self.path))
    }
}

pub(crate) struct Entry<'a> {
    pub(crate) line: u64,
    pub(crate) article: &'a Article,
    pub(crate) words: u64,
    pub(crate) hash: &'a [u8; 32],
    pub(crate) signature: Option<&'a Signature>,
}

impl TableWriter {
    pub(crate) fn begin(part: &Part) -> Result<Self, GlobalError> {
        let [rows, hashes, texts] = ["rows", "hashes", "texts"].map(|name| Out::create(part.path(name)));
        Ok(Self { rows: rows?, hashes: hashes?, texts: texts?, offset: 0 })
    }

    /// Adds a document; returns `false` if its id or text is too long for the table.
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<bool, GlobalError> {
        let Article { id, text, fetched } = entry.article;
        let (Ok(id_length), Ok(length)) = (u16::try_from(id.len()), u32::try_from(text.len())) else {
            return Ok(false);
        };
        let packed =
            zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(GlobalError::writing(&self.texts.path))?;
        let Ok(packed_length) = u32::try_from(packed.len()) else { return Ok(false) };
        let time = fetched.unwrap_or(LAST);
        let row = Row {
            time,
            words: entry.words.try_into().unwrap_or(u32::MAX),
            line: entry.line,
            text: length,
            offset: self.offset,
            packed: packed_length,
            id: id_length,
            signature: entry.signature.cloned(),
        };
        self.texts.write(id.as_bytes())?;
        self.texts.write(&packed)?;
        self.offset += u64::from(id_length) + u64::from(packed_length);
        self.rows.write(&row.to_bytes())?;
        self.hashes.write(&entry.hash[..16])?;
        self.hashes.write(&time.to_le_bytes())?;
        Ok(true)
    }

    pub(crate) fn finish(self) -> Result<(), GlobalError> {
        self.rows.finish()?;
        self.hashes.finish()?;
        self.texts.finish()
    }
}

#[derive(Debug)]
pub(crate) struct Tables {
    folders: Vec<PathBuf>,
    /// The number of documents before each shard, and the total.
    before: Vec<u32>,
    open: Vec<[Option<File>; 3]>,
    opened: usize,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Rows,
    Hashes,
    Texts,
}

impl Tables {
    pub(crate) fn open(folders: Vec<PathBuf>, counts: &[u64]) -> Result<Self, GlobalError> {
        let mut before = vec![0_u32];
        for count in counts {
            let last = u64::from(before[before.len() - 1]);
            before.push(u32::try_from(last + count).map_err(|_| GlobalError::TooMany)?);
        }
        let open = folders.iter().map(|_| [None, None, None]).collect();
        Ok(Self { folders, before, open, opened: 0 })
    }

    pub(crate) fn len(&self) -> u32 {
        self.before[self.before.len() - 1]
    }

    /// Returns the number of the first document of each shard, and the shard's folder.
    pub(crate) fn shards(&self) -> impl Iterator<Item = (u32, &Path)> {
        self.before.iter().copied().zip(self.folders.iter().map(PathBuf::as_path))
    }

    pub(crate) fn place(&self, number: Number) -> (usize, u32) {
        let shard = self.before.partition_point(|before| *before <= number) - 1;
        (shard, number - self.before[shard])
    }

    pub(crate) fn of_shard(&self, shard: usize) -> std::ops::Range<Number> {
        self.before[shard]..self.before[shard + 1]
    }

    fn read(&mut self, shard: usize, kind: Kind, at: u64, into: &mut [u8]) -> Result<(), GlobalError> {
        let name = ["rows", "hashes", "texts"][kind as usize];
        let path = || self.folders[shard].join(name);
        if self.open[shard][kind as usize].is_none() {
            let file = File::open(path()).map_err(GlobalError::reading(path()))?;
            if self.opened >= OPEN {
                self.open.iter_mut().for_each(|files| *files = [None, None, None]);
                self.opened = 0;
            }
            self.open[shard][kind as usize] = Some(file);
            self.opened += 1;
        }
        let file = self.open[shard][kind as usize].as_mut().expect("it was opened if it was not");
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(into));
        read.map_err(GlobalError::reading(self.folders[shard].join(name)))
    }

    pub(crate) fn row(&mut self, number: Number) -> Result<Row, GlobalError> {
        let (shard, place) = self.place(number);
        let mut bytes = [0; ROW];
        self.read(shard, Kind::Rows, u64::from(place) * ROW as u64, &mut bytes)?;
        Row::from_bytes(&bytes).ok_or_else(|| GlobalError::damaged(self.folders[shard].join("rows")))
    }

    pub(crate) fn hash(&mut self, number: Number) -> Result<[u8; 16], GlobalError> {
        let (shard, place) = self.place(number);
        let mut bytes = [0; 16];
        self.read(shard, Kind::Hashes, u64::from(place) * HASH as u64, &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn id(&mut self, number: Number, row: &Row) -> Result<String, GlobalError> {
        let (shard, _) = self.place(number);
        let mut bytes = vec![0; usize::from(row.id)];
        self.read(shard, Kind::Texts, row.offset, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| GlobalError::damaged(self.folders[shard].join("texts")))
    }

    pub(crate) fn text(&mut self, number: Number, row: &Row) -> Result<String, GlobalError> {
        let (shard, _) = self.place(number);
        let mut packed = vec![0; row.packed as usize];
        self.read(shard, Kind::Texts, row.offset + u64::from(row.id), &mut packed)?;
        let text = zstd::bulk::decompress(&packed, row.text as usize).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        text.ok_or_else(|| GlobalError::damaged(self.folders[shard].join("texts")))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::dedup::Tokens;

    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let text: String = (0..50).map(|at| format!("w{at} ")).collect();
        let signature = Signature::from_tokens(&Tokens::from_text(&text));
        for signature in [signature, None] {
            let row = Row {
                time: -5,
                words: 7,
                line: 1 << 40,
                text: 9,
                offset: 1 << 50,
                packed: 11,
                id: 13,
                signature,
            };
            assert_eq!(Row::from_bytes(&row.to_bytes()), Some(row));
        }
        assert_eq!(Row::from_bytes(&[1; 60]), None);
    }
}
