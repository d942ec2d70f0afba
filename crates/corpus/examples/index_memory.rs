//! Measures how many similar documents an index of a given size finds. The results are in docs/dedup.md.
//!
//! ```sh
//! cargo run --release -p gleaner-corpus --example index_memory -- 1000000 100 300
//! ```
//!
//! The arguments are a number of documents and one or more table sizes in MiB. For each size, the program
//! inserts this number of synthetic documents of 400 shingles each into a table. It then queries the table
//! with changed copies of the oldest, middle and newest documents, at several similarities. Times are
//! wall-clock times.

use std::error::Error;
use std::io::{self, Write};
use std::time::Instant;

use gleaner_corpus::dedup::{BANDS, BandIndex, BandKeys, BandTable, DocumentNumber, Signature};

const SHINGLES: u64 = 400;

/// Number of queries with changed copies, for each age and similarity.
const ASKED: u32 = 2_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).map(|argument| argument.parse());
    let arguments: Vec<usize> = arguments.collect::<Result<_, _>>()?;
    let [documents, sizes @ ..] = &arguments[..] else {
        return Err("give the number of documents, then the table sizes in MiB".into());
    };
    let documents = DocumentNumber::try_from(*documents)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| table | entries kept | put | asked | of | found at 0.5 | 0.6 | 0.7 | 0.8 | candidates |"
    )?;
    writeln!(out, "|---:|---:|---:|---:|---|{}", "---:|".repeat(5))?;
    for mebibytes in sizes {
        measure(&mut out, documents, *mebibytes)?;
    }
    Ok(())
}

fn measure(out: &mut impl Write, documents: DocumentNumber, mebibytes: usize) -> io::Result<()> {
    let mut table = BandTable::with_memory(mebibytes << 20);
    let mut putting = 0.0;
    for document in 0..documents {
        let keys = keys(document, 0, 0);
        let begin = Instant::now();
        let Ok(()) = table.put(document, &keys);
        putting += begin.elapsed().as_secs_f64();
    }
    let asked = ASKED.min(documents);
    for (age, first) in [("oldest", 0), ("middle", (documents - asked) / 2), ("newest", documents - asked)] {
        let (mut found, mut candidates, mut asking) = ([0_u32; 4], 0, 0.0);
        for document in first..first + asked {
            for (similarity, found) in [0.5, 0.6, 0.7, 0.8].into_iter().zip(&mut found) {
                let changed = (SHINGLES as f64 * (1.0 - similarity) / (1.0 + similarity)).round() as u64;
                let keys = keys(document, changed, 1);
                let begin = Instant::now();
                let Ok(met) = table.candidates(&keys);
                asking += begin.elapsed().as_secs_f64();
                *found += u32::from(met.iter().any(|candidate| candidate.document == document));
                candidates += met.len();
            }
        }
        let share = |count: u32| format!("{:.3}", f64::from(count) / f64::from(asked));
        writeln!(
            out,
            "| {mebibytes} MiB | {:.2} | {:.1} µs | {:.1} µs | {age} | {} | {:.2} |",
            BandTable::retained_share(table.memory(), documents.into()),
            putting / f64::from(documents) * 1e6,
            asking / f64::from(4 * asked) * 1e6,
            found.map(share).join(" | "),
            candidates as f64 / f64::from(4 * asked),
        )?;
    }
    writeln!(
        out,
        "{} bytes per document in the table with {BANDS} keys",
        table.memory() / documents.max(1) as usize
    )
}

/// Returns the keys of a version of a document. The first `changed` shingles differ between the versions.
fn keys(document: DocumentNumber, changed: u64, version: u64) -> BandKeys {
    let hash = |at: u64| {
        let version = if at < changed { version } else { 0 };
        spread(u64::from(document) << 32 | version << 16 | at)
    };
    BandKeys::from_signature(&Signature::of_hashes((0..SHINGLES).map(hash)))
}

const fn spread(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
