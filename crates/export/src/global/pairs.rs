//! Pairs of documents, sorted on disk by the time of the later document.
//!
//! Pairs are buffered, sorted and written in runs that fit into memory; finally the runs are merged. A
//! reader of several files merges them in the same way.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::global::GlobalError;
use crate::global::part::Part;
use crate::global::table::{Out, take};

const PAIR: usize = 16;

/// Bytes of each run that are in memory during a merge.
const BUFFER: std::ops::RangeInclusive<usize> = 1 << 12..=1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    /// When the later document was fetched, in microseconds.
    pub(crate) time: i64,
    pub(crate) later: u32,
    pub(crate) earlier: u32,
}

/// Writes pairs, added in any order, to a sorted file.
pub(crate) struct PairsWriter {
    path: PathBuf,
    runs_path: PathBuf,
    buffer: Vec<Pair>,
    room: usize,
    runs: Vec<u64>,
    out: Option<Out>,
    memory: usize,
}

impl PairsWriter {
    /// Starts the file `pairs` of a task; uses `memory` bytes of memory.
    pub(crate) fn begin(part: &Part, memory: usize) -> Self {
        Self {
            path: part.path("pairs"),
            runs_path: part.path("runs"),
            buffer: Vec::new(),
            room: (memory / size_of::<Pair>()).max(256),
            runs: Vec::new(),
            out: None,
            memory,
        }
    }

    pub(crate) fn add(&mut self, pair: Pair) -> Result<(), GlobalError> {
        self.buffer.push(pair);
        if self.buffer.len() >= self.room { self.end_run() } else { Ok(()) }
    }

    fn end_run(&mut self) -> Result<(), GlobalError> {
        let mut out = match self.out.take() {
            Some(out) => out,
            None => Out::create(self.runs_path.clone())?,
        };
        let end = self.runs.last().copied().unwrap_or_default() + (self.buffer.len() * PAIR) as u64;
        write_sorted(&mut self.buffer, &mut out)?;
        self.runs.push(end);
        self.out = Some(out);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<(), GlobalError> {
        let mut sorted = Out::create(self.path.clone())?;
        if self.out.is_none() {
            write_sorted(&mut self.buffer, &mut sorted)?;
            return sorted.finish();
        }
        self.end_run()?;
        self.buffer = Vec::new();
        if let Some(out) = self.out.take() {
            out.finish()?;
        }
        let file = Rc::new(RefCell::new(
            File::open(&self.runs_path).map_err(GlobalError::reading(&self.runs_path))?,
        ));
        let begins = std::iter::once(0).chain(self.runs.iter().copied());
        let buffer = buffer_of(self.memory, self.runs.len());
        let runs = begins.zip(&self.runs).map(|(at, end)| Run::new(&self.runs_path, &file, at..*end, buffer));
        let mut merged = Merged::from_runs(runs.collect())?;
        while let Some(pair) = merged.next()? {
            write(pair, &mut sorted)?;
        }
        sorted.finish()?;
        fs::remove_file(&self.runs_path).map_err(GlobalError::writing(&self.runs_path))
    }
}

fn buffer_of(memory: usize, runs: usize) -> usize {
    (memory / runs.max(1)).clamp(*BUFFER.start(), *BUFFER.end()) / PAIR * PAIR
}

fn write_sorted(pairs: &mut Vec<Pair>, out: &mut Out) -> Result<(), GlobalError> {
    pairs.sort_unstable();
    pairs.drain(..).try_for_each(|pair| write(pair, out))
}

fn write(pair: Pair, out: &mut Out) -> Result<(), GlobalError> {
    out.write(&pair.time.to_le_bytes())?;
    out.write(&pair.later.to_le_bytes())?;
    out.write(&pair.earlier.to_le_bytes())
}

struct Run {
    path: PathBuf,
    file: Rc<RefCell<File>>,
    left: std::ops::Range<u64>,
    buffer: Vec<u8>,
    at: usize,
    room: usize,
}

impl Run {
    fn new(path: &Path, file: &Rc<RefCell<File>>, left: std::ops::Range<u64>, room: usize) -> Self {
        Self { path: path.into(), file: Rc::clone(file), left, buffer: Vec::new(), at: 0, room }
    }

    fn next(&mut self) -> Result<Option<Pair>, GlobalError> {
        if self.at == self.buffer.len() {
            if self.left.is_empty() {
                return Ok(None);
            }
            let length = (self.left.end - self.left.start).min(self.room as u64);
            self.buffer.resize(length as usize, 0);
            let mut file = self.file.borrow_mut();
            let read =
                file.seek(SeekFrom::Start(self.left.start)).and_then(|_| file.read_exact(&mut self.buffer));
            read.map_err(GlobalError::reading(&self.path))?;
            self.left.start += length;
            self.at = 0;
        }
        let mut bytes = &self.buffer[self.at..];
        self.at += PAIR;
        let pair = (|| {
            Some(Pair {
                time: i64::from_le_bytes(take(&mut bytes)?),
                later: u32::from_le_bytes(take(&mut bytes)?),
                earlier: u32::from_le_bytes(take(&mut bytes)?),
            })
        })();
        pair.map(Some).ok_or_else(|| GlobalError::damaged(&self.path))
    }
}

pub(crate) struct Merged {
    runs: Vec<Run>,
    next: BinaryHeap<Reverse<(Pair, usize)>>,
}

impl Merged {
    fn from_runs(mut runs: Vec<Run>) -> Result<Self, GlobalError> {
        let mut next = BinaryHeap::new();
        for (at, run) in runs.iter_mut().enumerate() {
            next.extend(run.next()?.map(|pair| Reverse((pair, at))));
        }
        Ok(Self { runs, next })
    }

    /// Opens sorted files; uses `memory` bytes of memory.
    pub(crate) fn open(paths: &[PathBuf], memory: usize) -> Result<Self, GlobalError> {
        let room = buffer_of(memory, paths.len());
        let run = |path: &PathBuf| {
            let file = File::open(path).map_err(GlobalError::reading(path))?;
            let length = file.metadata().map_err(GlobalError::reading(path))?.len();
            Ok(Run::new(path, &Rc::new(RefCell::new(file)), 0..length, room))
        };
        Self::from_runs(paths.iter().map(run).collect::<Result<_, GlobalError>>()?)
    }

    pub(crate) fn next(&mut self) -> Result<Option<Pair>, GlobalError> {
        let Some(Reverse((pair, at))) = self.next.pop() else { return Ok(None) };
        self.next.extend(self.runs[at].next()?.map(|pair| Reverse((pair, at))));
        Ok(Some(pair))
    }
}
