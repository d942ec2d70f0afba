//! Writes made-up documents as JSON Lines, for measurements. The arguments are a folder, the number of
//! documents, and the number of shards.
//!
//! `cargo run --release -p gleaner-export --example generated -- DIR 1000000 20`
//!
//! A document has about 500 words drawn from a vocabulary of 50,000, whose frequencies fall with the
//! rank as in a natural language. Every tenth document is an edited copy of an earlier one (every 12th
//! to 40th word is replaced), and every fiftieth is an exact copy. Each document is computed from its
//! number, so none needs to be stored.

use std::fs::{self, File};
use std::io::{BufWriter, Error, Write};
use std::path::Path;

fn mix(mut h: u64) -> u64 {
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// Returns the word of a rank, in letters.
fn word(rank: u64) -> String {
    let mut rest = rank + 26;
    let mut word = String::new();
    while rest > 0 {
        word.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    word
}

/// Returns a rank from 0 to 50,000, evenly distributed in its logarithm.
fn rank(random: u64) -> u64 {
    let even = (random >> 11) as f64 / (1_u64 << 53) as f64;
    (50_000_f64.powf(even) - 1.0) as u64
}

/// Returns the ranks of the words of an original.
fn original(document: u64) -> Vec<u64> {
    let length = 300 + mix(document) % 400;
    (0..length).map(|at| rank(mix(document << 20 | at << 1 | 1))).collect()
}

fn text(document: u64) -> String {
    let random = mix(document ^ 0x5eed);
    let earlier = || {
        // Documents with these numbers are always originals.
        let of = random % document.max(1);
        of - of % 50 + 1
    };
    let ranks = match document % 50 {
        0 if document > 50 => original(earlier()),
        10 | 20 | 30 | 40 | 45 if document > 50 => {
            let mut ranks = original(earlier());
            let every = 12 + random as usize % 29;
            let edited = ranks.iter_mut().enumerate().filter(|(at, _)| at % every == every / 2);
            edited.for_each(|(at, rank)| *rank = mix(random ^ at as u64) % 50_000);
            ranks
        }
        _ => original(document),
    };
    ranks.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, count, shards] = arguments.as_slice() else {
        return Err(Error::other("arguments: DIR DOCUMENTS SHARDS"));
    };
    let number = |text: &str| text.parse::<u64>().map_err(Error::other);
    let (count, shards) = (number(count)?, number(shards)?.max(1));
    fs::create_dir_all(folder)?;
    for shard in 0..shards {
        let path = Path::new(folder).join(format!("documents-{shard:05}.jsonl"));
        let mut out = BufWriter::new(File::create(path)?);
        for document in (shard * count / shards)..((shard + 1) * count / shards) {
            let seconds = mix(document ^ 0x7135) % 86_400;
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            writeln!(
                out,
                "{{\"id\":\"{document}\",\"fetched\":\"2026-11-22T{hour:02}:{minute:02}:{second:02}Z\",\"text\":\"{}\"}}",
                text(document)
            )?;
        }
        out.flush()?;
    }
    Ok(())
}
