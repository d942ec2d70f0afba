//! Generated documents and shards, and the result that a crawl would have.

#![allow(clippy::allow_attributes, dead_code, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_corpus::dedup::{
    Candidate, Contender, Documents, Number, Signature, Signed, SimilarityParams, Verdict, ask,
};
use gleaner_corpus::{ContentHash, words};
use gleaner_export::global::{Duplicate, Kind, Options, Settings, Work};

/// A document of a test.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) fetched: Option<i64>,
}

fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
}

/// Returns a text of a topic. Every `every`-th word is edited, the numbers depend on the edition, and
/// `tail` words are appended.
pub(crate) fn text(topic: usize, every: usize, editor: usize, edition: usize, tail: usize) -> String {
    let word = |at: usize| match at {
        _ if at % 29 == 7 => format!("{}", at * (edition + 1)),
        _ if every > 0 && at % every == editor % every => format!("edit{}x{}", letters(editor), letters(at)),
        _ => format!("t{}w{}", letters(topic), letters(at * at % 997)),
    };
    let tail = (0..tail).map(|at| format!("tail{}", letters(at)));
    (0..160).map(word).chain(tail).collect::<Vec<_>>().join(" ")
}

/// Returns each duplicate's representative, by position, and whether the texts are equal: the result of
/// a crawl whose index drops nothing.
pub(crate) fn reference(documents: &[Made], settings: Settings) -> BTreeMap<usize, (usize, bool)> {
    struct Known<'a>(&'a [(usize, Signed)], &'a [Made]);
    impl Documents for Known<'_> {
        type Error = Infallible;
        fn signature(&self, document: Number) -> Result<Option<Signature>, Infallible> {
            Ok(Some(self.0[document as usize].1.signature.clone()))
        }
        fn text(&self, document: Number) -> Result<Option<String>, Infallible> {
            Ok(Some(self.1[self.0[document as usize].0].text.clone()))
        }
    }
    let params = SimilarityParams::default().with_duplicate(settings.similarity);
    let mut order: Vec<usize> = (0..documents.len()).collect();
    order.sort_by_key(|at| (documents[*at].fetched.unwrap_or(i64::MAX), *at));
    let mut by_hash = BTreeMap::new();
    // The representatives, in the order in which they were added.
    let mut heads: Vec<(usize, Signed)> = Vec::new();
    let mut rank = BTreeMap::new();
    let mut behind: BTreeMap<usize, usize> = BTreeMap::new();
    for at in order {
        rank.insert(at, rank.len() as Number);
        let hash = *ContentHash::from_text(&documents[at].text).as_bytes();
        if let Some(first) = by_hash.get(&hash) {
            behind.insert(at, *first);
            continue;
        }
        by_hash.insert(hash, at);
        let Some(signed) = Signed::from_text(&documents[at].text) else { continue };
        let shared = |other: &Signed| {
            let both = signed.keys.as_array().iter().zip(other.keys.as_array());
            both.filter(|(one, other)| one == other).count() as u32
        };
        let mut candidates: Vec<Candidate> = (0..)
            .zip(&heads)
            .map(|(document, (_, head))| Candidate { document, shared: shared(head) })
            .filter(|candidate| candidate.shared > 0)
            .collect();
        candidates.sort_by_key(|of| std::cmp::Reverse((of.shared, of.document)));
        let Ok(likes) = ask(&signed, &candidates, &Known(&heads, documents), &params);
        let duplicate = likes.first().filter(|like| like.verdict == Verdict::Duplicate);
        let Some(like) = duplicate else {
            heads.push((at, signed));
            continue;
        };
        let head = heads[like.document as usize].0;
        let contender = |at: usize| Contender { document: rank[&at], words: words(&documents[at].text) };
        if settings.representative.prefers(contender(at), contender(head)) {
            behind.insert(head, at);
            heads.remove(like.document as usize);
            heads.push((at, signed));
        } else {
            behind.insert(at, head);
        }
    }
    let root = |mut at: usize| {
        while let Some(above) = behind.get(&at) {
            at = *above;
        }
        at
    };
    let is_same = |one: usize, other: usize| {
        ContentHash::from_text(&documents[one].text) == ContentHash::from_text(&documents[other].text)
    };
    behind.keys().map(|at| (*at, (root(*at), is_same(*at, root(*at))))).collect()
}

/// Writes documents as shards of `size` lines; returns the folder.
pub(crate) fn shards(home: &Path, documents: &[Made], size: usize) -> PathBuf {
    let folder = home.join(format!("shards-{size}"));
    fs::create_dir_all(&folder).unwrap();
    for (number, chunk) in documents.chunks(size).enumerate() {
        let line = |made: &Made| {
            let fetched = made
                .fetched
                .map(|at| format!("2026-11-22T{:02}:{:02}:{:02}Z", at / 3600 % 24, at / 60 % 60, at % 60));
            let line = serde_json::json!({"id": made.id, "fetched": fetched, "text": made.text});
            format!("{line}\n")
        };
        let text: String = chunk.iter().map(line).collect();
        fs::write(folder.join(format!("part-{number:05}.jsonl")), text).unwrap();
    }
    folder
}

pub(crate) fn options(settings: Settings, memory: usize, threads: usize) -> Options {
    Options { settings, memory, threads, write: None }
}

/// Returns each duplicate's representative, by the numbers of their ids, as stored in a work folder.
pub(crate) fn told(work: &Work) -> BTreeMap<usize, (usize, bool)> {
    let text = fs::read_to_string(work.duplicates()).unwrap();
    let duplicates = text.lines().map(|line| serde_json::from_str::<Duplicate>(line).unwrap());
    let number = |id: &str| id.parse::<usize>().unwrap();
    duplicates.map(|of| (number(&of.id), (number(&of.head), of.kind == Kind::Exact))).collect()
}

/// Runs all tasks in a new work folder.
pub(crate) fn run(inputs: &Path, home: &Path, options: Options) -> Work {
    let name = format!("work-{}", fs::read_dir(home).unwrap().count());
    let work = Work::open(&[inputs.to_owned()], &home.join(name), options).unwrap();
    work.run_all(&|_| {}).unwrap();
    work
}

/// Returns numbered documents with these texts and fetch times in seconds.
pub(crate) fn made(texts: Vec<(String, Option<i64>)>) -> Vec<Made> {
    let one = |(number, (text, fetched)): (usize, _)| Made { id: number.to_string(), text, fetched };
    texts.into_iter().enumerate().map(one).collect()
}
