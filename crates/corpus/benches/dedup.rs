//! Measures the cost of a new document (from tokens to index update) and of comparing two texts, on one
//! thread.
//!
//! Run with `cargo bench -p gleaner-corpus --bench dedup`. A text has 500 words from a short list of English
//! or Vietnamese words. Random letters or numbers are added to some words. The index contains a million
//! documents.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gleaner_corpus::dedup::{Alignment, BandIndex, BandKeys, BandTable, Signature, SignedText, Tokens};

const WORDS: usize = 500;

const TEXTS: u64 = 64;

const KNOWN: u32 = 1_000_000;

const ENGLISH: [&str; 24] = [
    "the",
    "of",
    "government",
    "said",
    "to",
    "a",
    "in",
    "on",
    "Minister",
    "which",
    "election",
    "markets",
    "for",
    "rain",
    "people",
    "would",
    "after",
    "company",
    "is",
    "new",
    "and",
    "percent",
    "thousands",
    "it",
];

const VIETNAMESE: [&str; 24] = [
    "người",
    "của",
    "và",
    "được",
    "Hà",
    "Nội",
    "trong",
    "không",
    "những",
    "trường",
    "đường",
    "thành",
    "phố",
    "ngày",
    "với",
    "đã",
    "công",
    "việc",
    "nước",
    "năm",
    "các",
    "là",
    "học",
    "Thủ",
];

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn text(words: &[&str], mut seed: u64) -> String {
    let mut text = String::new();
    for at in 0..WORDS {
        let number = next(&mut seed);
        text += words[number as usize % words.len()];
        match number >> 16 & 15 {
            0..4 => text.push(char::from(b'a' + (number >> 20 & 15) as u8)),
            4 => text += &format!(" {}", number >> 24 & 255),
            _ => {}
        }
        text += if at % 20 == 19 { ".\n" } else { " " };
    }
    text
}

/// Returns the keys of a document that is similar to no other, from random hashes instead of shingles.
fn synthetic(document: u32) -> BandKeys {
    let mut state = u64::from(document) << 20 | 1;
    let hash = |_| next(&mut state) << 33 ^ next(&mut state);
    BandKeys::from_signature(&Signature::of_hashes((0..300).map(hash)))
}

fn documents(c: &mut Criterion) {
    let mut table = BandTable::with_memory(1 << 28);
    for document in 0..KNOWN {
        let Ok(()) = table.put(document, &synthetic(document));
    }
    for (name, words) in [("english", ENGLISH), ("vietnamese", VIETNAMESE)] {
        let texts: Vec<String> = (0..TEXTS).map(|seed| text(&words, seed * 77 + 1)).collect();
        let tokens: Vec<Tokens> = texts.iter().map(|text| Tokens::from_text(text)).collect();
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(TEXTS));
        group.sample_size(20);
        group.bench_function("tokens", |b| {
            b.iter(|| texts.iter().map(|text| Tokens::from_text(black_box(text)).len()).sum::<usize>());
        });
        group.bench_function("signature", |b| {
            b.iter(|| tokens.iter().filter_map(|tokens| Signature::from_tokens(black_box(tokens))).count());
        });
        group.bench_function("tokens, signature, asked, put", |b| {
            b.iter_batched_ref(
                || KNOWN,
                |document| {
                    for text in &texts {
                        let signed = SignedText::from_text(black_box(text)).expect("a text of 500 words");
                        let Ok(candidates) = table.candidates(&signed.keys);
                        black_box(candidates);
                        *document += 1;
                        let Ok(()) = table.put(*document, &signed.keys);
                    }
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function("alignment", |b| {
            let pairs = || tokens.iter().zip(&tokens[1..]);
            b.iter(|| pairs().map(|(one, other)| Alignment::new(one, other).aligned).sum::<usize>());
        });
        group.finish();
    }
}

criterion_group!(benches, documents);
criterion_main!(benches);
