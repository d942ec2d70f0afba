//! Measures what the detection of near-duplicates costs per document, separately while a document is packed
//! and while it is stored. The cost is the processor time of one thread, from Linux's `/proc`.
//!
//! `cargo run --release -p gleaner-store --example near_cost -- 20000` stores 20,000 documents of 500 random
//! words, without and with the detection of near-duplicates. Every tenth document is an edited copy of an
//! earlier document.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring"
)]

use gleaner_corpus::Document;
use gleaner_corpus::dedup::SignedText;
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{DuplicateLevels, PackedDocument, QueuePosition, StoreOptions, open};
use jiff::Timestamp;

const WORDS: usize = 500;

/// Number of pages between two flushes, as in the default of `store.flush_pages`.
const FLUSH: usize = 200;

/// Returns the processor time of this thread in nanoseconds, or 0 if the system does not report it.
fn processor() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0)
}

/// Returns 500 words, drawn from 4,000 words with a seed. If `edited`, every 25th word is different.
fn text(seed: u64, edited: bool) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for at in 0..WORDS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = (state >> 33) % 4_000 + if edited && at % 25 == 7 { 4_000 } else { 0 };
        for digit in word.to_string().bytes() {
            text.push(char::from(digit + 49));
        }
        text.push_str(if at % 20 == 19 { ".\n" } else { " " });
    }
    text
}

fn document(number: usize) -> Document {
    let text = match number % 10 {
        9 => text(number as u64 - 5, true),
        _ => text(number as u64, false),
    };
    let url = CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap();
    let id = gleaner_corpus::DocumentId(*url.key().as_bytes());
    Document::with_text(id, url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH)
}

fn bytes_below(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| match entry.metadata().unwrap() {
            of if of.is_dir() => bytes_below(&entry.path()),
            of => of.len(),
        })
        .sum()
}

fn main() {
    let documents = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let micros = |nanoseconds: u64| nanoseconds as f64 / 1e3 / documents as f64;
    let mut signing = 0;
    for number in 0..documents {
        let text = document(number).text;
        let before = processor();
        assert!(SignedText::from_text(&text).is_some());
        signing += processor() - before;
    }
    println!("{documents} documents; signing: {:.1} us each", micros(signing));
    for (name, levels) in [
        ("off", DuplicateLevels { near: None, ..DuplicateLevels::default() }),
        ("on", DuplicateLevels::default()),
    ] {
        let folder = std::env::temp_dir().join(format!("gleaner-near-cost-{}", std::process::id()));
        let mut writer = open(&folder, &StoreOptions { cache: 64 << 20, create: true }).unwrap();
        writer.detect_duplicates(&levels).unwrap();
        let (mut packing, mut placing) = (0, 0);
        for number in 0..documents {
            let document = document(number);
            let url = CanonicalUrl::parse(&document.url).unwrap();
            let start = processor();
            let packed = PackedDocument::from_document(document);
            let packed_at = processor();
            let mut change = writer.begin();
            let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
            change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
            let outcome = change.place(url.key(), packed, &mut writer).unwrap();
            let record = change.url(url.key()).unwrap().unwrap();
            change.end(url.key(), record, outcome, None).unwrap();
            writer.commit(change).unwrap();
            placing += processor() - packed_at;
            packing += packed_at - start;
            if number % FLUSH == 0 {
                writer.flush().unwrap();
            }
        }
        writer.flush().unwrap();
        let totals = writer.store().totals().unwrap();
        println!(
            "near-duplicates {name}: packing {:.1} us, placing {:.1} us; {} members of {} clusters; {} bytes on disk each",
            micros(packing),
            micros(placing),
            totals.near_duplicates,
            totals.clusters,
            bytes_below(&folder.join("sled")) / documents as u64
        );
        let start = processor();
        writer.detect_duplicates(&levels).unwrap();
        println!("  index made anew: {:.1} us each", micros(processor() - start));
        drop(writer);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
