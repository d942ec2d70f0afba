//! Measures the disk space and the time for a document:
//! `cargo bench -p gleaner-store --bench layout [DOCUMENTS]`.
//!
//! The bench fills a store as a crawl does. It adds URLs, and then ends the visit of each URL with a document
//! of about 3 KB. Each page is one change, and the store is flushed after every 200 pages. Documents are
//! compressed before the timing begins, because a crawl compresses them on other threads. The bench runs
//! without and with the detection of near-duplicates. It prints documents per second of processor time and of
//! wall time. It also prints the size of the store divided by the size of the packed documents: after
//! filling, after closing, after opening the store again, and after copying it to new files.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring"
)]

use std::fs;
use std::path::Path;
use std::time::Instant;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::{DuplicateLevels, PackedDocument, QueuePosition, StoreOptions, open, shrink};
use jiff::Timestamp;

/// Number of pages between two flushes, as in the default of `store.flush_pages`.
const FLUSH: usize = 200;
/// Number of URLs that are added in one change, as if they were found on one page.
const FOUND: usize = 50;
const WORDS: usize = 500;
/// Number of different words. The n-th word is drawn with a frequency proportional to 1/n, as in natural
/// language.
const VOCABULARY: usize = 20_000;

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn word(rank: usize) -> String {
    const BEGINS: [&str; 16] =
        ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "th", "st"];
    const ENDS: [&str; 10] = ["a", "e", "i", "o", "u", "an", "er", "in", "on", "us"];
    let mut left = rank;
    let mut word = String::new();
    loop {
        word.push_str(BEGINS[left % 16]);
        word.push_str(ENDS[left / 16 % 10]);
        left /= 160;
        if left == 0 {
            return word;
        }
    }
}

fn text(number: usize) -> String {
    let mut numbers = Numbers(number as u64);
    let words: Vec<String> =
        (0..WORDS).map(|_| word((VOCABULARY as f64).powf(numbers.share()) as usize)).collect();
    words.join(" ")
}

fn url(number: usize) -> CanonicalUrl {
    let address = format!("https://news{}.example/2026/11/the-title-of-story-{number}.html", number % 50);
    CanonicalUrl::parse(&address).unwrap()
}

fn document(number: usize) -> Document {
    let url = url(number);
    let id = DocumentId(*url.key().as_bytes());
    Document {
        title: Some(format!("The title of story {number}")),
        language: "en".into(),
        published: Some("2026-11-20T08:00:00Z".into()),
        kinds: "p".into(),
        authors: vec!["A. Writer".into()],
        method: "detection".into(),
        template_version: Some(1),
        confidence: Some(90),
        ..Document::with_text(id, url.as_str(), url.host(), text(number), Timestamp::UNIX_EPOCH)
    }
}

/// Returns the processor time of this process so far, in seconds, or `None` if the system does not report it.
fn processor() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
}

fn size(folder: &Path) -> u64 {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let data = entry.metadata().unwrap();
            if data.is_dir() { size(&entry.path()) } else { data.len() }
        })
        .sum()
}

fn main() {
    let asked = std::env::args().nth(1).and_then(|number| number.parse().ok());
    let documents: usize = asked.unwrap_or(100_000);
    fill(
        documents,
        "near-duplicates not looked for",
        &DuplicateLevels { near: None, ..DuplicateLevels::default() },
    );
    fill(documents, "near-duplicates looked for", &DuplicateLevels::default());
}

fn fill(documents: usize, what: &str, levels: &DuplicateLevels) {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions { cache: 64 << 20, create: true };
    let mut writer = open(folder.path(), &options).unwrap();
    writer.detect_duplicates(levels).unwrap();
    let (mut payload, mut spent, mut wall) = (0_usize, 0.0, 0.0);
    for from in (0..documents).step_by(1000) {
        let packed: Vec<PackedDocument> =
            (from..from + 1000).map(|number| PackedDocument::from_document(document(number))).collect();
        let (begun, before) = (Instant::now(), processor());
        for first in (from..from + 1000).step_by(FOUND) {
            let mut change = writer.begin();
            for number in first..first + FOUND {
                let found = FoundUrl { url: url(number), role: Role::Page, dated: None, news: false };
                change.discover(None, &found, 1, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
            }
            writer.commit(change).unwrap();
        }
        for (number, packed) in (from..).zip(packed) {
            payload += packed.size();
            let key = url(number).key();
            let mut change = writer.begin();
            let record = change.url(key).unwrap().unwrap();
            change.place(key, packed, &mut writer).unwrap();
            change.count(1, "news.example", |counts| counts.fetched += 1).unwrap();
            change.end(key, record, Outcome::Stored, None).unwrap();
            writer.commit(change).unwrap();
            if (number + 1).is_multiple_of(FLUSH) {
                writer.flush().unwrap();
            }
        }
        wall += begun.elapsed().as_secs_f64();
        spent += processor().zip(before).map_or(f64::NAN, |(after, before)| after - before);
    }
    let count = documents as f64;
    println!("{what}: {documents} documents, {:.0} bytes packed on average", payload as f64 / count);
    println!("{:.0} documents/s of processor time, {:.0} of wall time", count / spent, count / wall);
    let ratio = |bytes: u64| bytes as f64 / payload as f64;
    println!("disk: {:.2} of what is packed", ratio(size(folder.path())));
    drop(writer);
    println!("closed: {:.2}", ratio(size(folder.path())));
    let begun = Instant::now();
    drop(open(folder.path(), &options).unwrap());
    println!("opened again in {:.1} s: {:.2}", begun.elapsed().as_secs_f64(), ratio(size(folder.path())));
    let begun = Instant::now();
    let copied = shrink(folder.path(), options.cache, 0, &|_| ()).unwrap().is_some();
    let after = ratio(size(folder.path()));
    println!("copied ({copied}) in {:.1} s: {after:.2}", begun.elapsed().as_secs_f64());
}
