//! Prints the frequency of the word classes that distinguish languages.
//!
//! ```sh
//! cargo run -p gleaner-lab --example word_classes -- LISTS
//! ```
//!
//! LISTS is a folder with one word list `TAG.tsv` per language. Each line is a word, a tab and the word's
//! frequency. The output is the table in `crates/corpus/src/language/shares.rs`. That table was computed from
//! the 30,000 most frequent words of each list of wordfreq 3.1.1. `vi-bare` is the list `vi` without
//! diacritics.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use gleaner_corpus::language::class::{CLASSES, WordClass};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder of lists")?;
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.sort();
    let mut out = io::stdout().lock();
    for file in files {
        let mut shares = [0.0; CLASSES];
        for line in fs::read_to_string(&file)?.lines() {
            let (word, frequency) = line.split_once('\t').ok_or("a line has a word, a tab, a frequency")?;
            if let Some(class) = WordClass::from_word(word) {
                shares[class as usize] += frequency.parse::<f64>()?;
            }
        }
        let all: f64 = shares.iter().sum();
        let shares = shares.map(|share| (share / all * 1e4).round() as u16);
        let tag = file.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(out, "    (\"{tag}\", {shares:?}),")?;
    }
    Ok(())
}
