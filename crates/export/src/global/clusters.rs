//! Assigns duplicates to representatives, in the order of time, as a crawl does.
//!
//! 1. An exact duplicate is assigned to the first document with its text.
//! 2. Pairs are read in the order of the later document. The candidates are the earlier documents that
//!    are representatives; [`ask`] decides with the same thresholds and bounds as in a crawl.
//! 3. A near-duplicate is assigned to the document that it resembles, or replaces it as representative
//!    ([`Representative::prefers`]). Any other document is its own representative.
//!
//! The assignments are a forest in memory, with 4 bytes per document: a union-find with path halving, in
//! which a union depends on order and not on size (R. E. Tarjan, J. van Leeuwen, Worst-case analysis of
//! set union algorithms, JACM 1984). A document is compared only with representatives, because texts
//! within a connected component of all pairs would drift apart.
//!
//! Limitation: this step uses one thread. It reads and aligns a few thousand texts with similar
//! signatures per second.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_corpus::dedup::{
    Candidate, Documents, Number, Representative, Signature, Signed, SimilarityParams, Verdict, ask,
};
use serde::{Deserialize, Serialize};

use crate::global::bits::Bits;
use crate::global::pairs::Merged;
use crate::global::part::Part;
use crate::global::table::{Out, Row, Tables, take};
use crate::global::{GlobalError, Settings};

/// The result of finding the clusters; also the content of `summary.json` of the task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Number of documents read.
    pub documents: u64,
    /// Number of documents with exactly the text of their representative.
    pub exact: u64,
    /// Number of documents with nearly the text of their representative.
    pub near: u64,
    /// Number of clusters of at least two documents.
    pub clusters: u64,
}

/// A document represented by another document: a line of `duplicates.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Duplicate {
    /// The document's id.
    pub id: String,
    /// The document's shard.
    pub shard: PathBuf,
    /// The document's line or row in its shard, from 1.
    pub line: u64,
    /// The id of its representative.
    pub head: String,
    /// The representative's shard.
    pub head_shard: PathBuf,
    /// The representative's line or row in its shard, from 1.
    pub head_line: u64,
    /// Estimated similarity to the representative, 0 to 1; 1 for the same text.
    pub similarity: f64,
    /// Whether the texts are the same or nearly the same.
    pub kind: Kind,
}

/// How the texts of two duplicates are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The same text except for white space and Unicode normal form.
    Exact,
    /// Nearly the same text.
    Near,
}

pub(crate) struct Asked<'a> {
    pub(crate) settings: Settings,
    pub(crate) repeats: &'a Path,
    pub(crate) pairs: &'a [PathBuf],
    pub(crate) shards: &'a [&'a Path],
    pub(crate) memory: usize,
}

/// Finds the clusters, and writes `duplicates.jsonl` and `members` (one bit per document).
pub(crate) fn make(tables: Tables, asked: &Asked, part: &Part) -> Result<Outcome, GlobalError> {
    let mut forest = Forest {
        behind: (0..tables.len()).collect(),
        tables: RefCell::new(tables),
        params: asked.settings.params(),
        representative: asked.settings.representative,
    };
    forest.read_repeats(asked.repeats)?;
    let mut pairs = Merged::open(asked.pairs, asked.memory)?;
    let mut met: Vec<(u32, u32)> = Vec::new();
    let mut next = pairs.next()?;
    while let Some(pair) = next {
        match met.last_mut() {
            Some((earlier, shared)) if *earlier == pair.earlier => *shared += 1,
            _ => met.push((pair.earlier, 1)),
        }
        next = pairs.next()?;
        if next.is_none_or(|next| next.later != pair.later) {
            forest.place(pair.later, &met)?;
            met.clear();
        }
    }
    forest.tell(asked.shards, part)
}

struct Forest {
    /// The document that each document is assigned to; a representative is assigned to itself.
    behind: Vec<u32>,
    tables: RefCell<Tables>,
    params: SimilarityParams,
    representative: Representative,
}

struct Heads<'a> {
    rows: &'a [(u32, Row)],
    tables: &'a RefCell<Tables>,
}

impl Documents for Heads<'_> {
    type Error = GlobalError;

    fn signature(&self, document: Number) -> Result<Option<Signature>, GlobalError> {
        Ok(self.rows.get(document as usize).and_then(|(_, row)| row.signature.clone()))
    }

    fn text(&self, document: Number) -> Result<Option<String>, GlobalError> {
        let Some((number, row)) = self.rows.get(document as usize) else { return Ok(None) };
        self.tables.borrow_mut().text(*number, row).map(Some)
    }
}

impl Forest {
    fn read_repeats(&mut self, path: &Path) -> Result<(), GlobalError> {
        let bytes = fs::read(path).map_err(GlobalError::reading(path))?;
        for mut pair in bytes.chunks_exact(8) {
            let both = take(&mut pair).map(u32::from_le_bytes).zip(take(&mut pair).map(u32::from_le_bytes));
            let (repeat, first) = both.ok_or_else(|| GlobalError::damaged(path))?;
            *self.behind.get_mut(repeat as usize).ok_or_else(|| GlobalError::damaged(path))? = first;
        }
        Ok(())
    }

    fn root(&mut self, mut document: u32) -> u32 {
        while self.behind[document as usize] != document {
            let above = self.behind[self.behind[document as usize] as usize];
            self.behind[document as usize] = above;
            document = above;
        }
        document
    }

    /// Assigns a document. `met` has the earlier documents that it resembles, each with the number of
    /// shared keys.
    fn place(&mut self, document: u32, met: &[(u32, u32)]) -> Result<(), GlobalError> {
        let heads = met.iter().filter(|(earlier, _)| self.behind.get(*earlier as usize) == Some(earlier));
        let tables = &self.tables;
        let row =
            |(earlier, shared): &(u32, u32)| Ok((*earlier, tables.borrow_mut().row(*earlier)?, *shared));
        let mut heads: Vec<(u32, Row, u32)> = heads.map(row).collect::<Result<_, GlobalError>>()?;
        if heads.is_empty() {
            return Ok(());
        }
        // In the order of time, because `ask` uses the numbers to break ties.
        heads.sort_by_key(|(number, row, _)| (row.time, *number));
        let mut candidates: Vec<Candidate> = (0..)
            .zip(&heads)
            .map(|(document, (.., shared))| Candidate { document, shared: *shared })
            .collect();
        candidates.sort_unstable_by_key(|of| std::cmp::Reverse((of.shared, of.document)));
        let rows: Vec<(u32, Row)> = heads.into_iter().map(|(number, row, _)| (number, row)).collect();
        let row = tables.borrow_mut().row(document)?;
        let text = tables.borrow_mut().text(document, &row)?;
        let Some(signed) = Signed::from_text(&text) else { return Ok(()) };
        let likes = ask(&signed, &candidates, &Heads { rows: &rows, tables }, &self.params)?;
        if let Some(like) = likes.first().filter(|like| like.verdict == Verdict::Duplicate) {
            let (head, of_head) = &rows[like.document as usize];
            let newest = rows.len() as Number;
            match self.representative.prefers(row.contender(newest), of_head.contender(like.document)) {
                true => self.behind[*head as usize] = document,
                false => self.behind[document as usize] = *head,
            }
        }
        Ok(())
    }

    fn tell(mut self, shards: &[&Path], part: &Part) -> Result<Outcome, GlobalError> {
        let mut outcome = Outcome { documents: self.behind.len() as u64, ..Outcome::default() };
        let (mut members, mut heads) = (Bits::default(), Bits::default());
        let mut out = Out::create(part.path("duplicates.jsonl"))?;
        for document in 0..self.behind.len() as u32 {
            let head = self.root(document);
            if head == document {
                continue;
            }
            members.set(document.into());
            outcome.clusters += u64::from(!heads.get(head.into()));
            heads.set(head.into());
            let told = self.duplicate(document, head, shards)?;
            match told.kind {
                Kind::Exact => outcome.exact += 1,
                Kind::Near => outcome.near += 1,
            }
            let mut line =
                serde_json::to_vec(&told).expect("a duplicate has text keys, and memory takes all");
            line.push(b'\n');
            out.write(&line)?;
        }
        out.finish()?;
        members.write(Out::create(part.path("members"))?)?;
        Ok(outcome)
    }

    fn duplicate(&self, document: u32, head: u32, shards: &[&Path]) -> Result<Duplicate, GlobalError> {
        let mut tables = self.tables.borrow_mut();
        let (row, of_head) = (tables.row(document)?, tables.row(head)?);
        let is_same = tables.hash(document)? == tables.hash(head)?;
        let both = row.signature.as_ref().zip(of_head.signature.as_ref());
        let estimated = both.map_or(0.0, |(one, other)| one.similarity(other));
        let shard = |number| shards[tables.place(number).0].to_owned();
        Ok(Duplicate {
            shard: shard(document),
            head_shard: shard(head),
            id: tables.id(document, &row)?,
            head: tables.id(head, &of_head)?,
            line: row.line,
            head_line: of_head.line,
            similarity: if is_same { 1.0 } else { estimated },
            kind: if is_same { Kind::Exact } else { Kind::Near },
        })
    }
}
