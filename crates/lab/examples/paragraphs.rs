//! Prints which paragraphs of gold texts are classified as repeated, and would therefore be lost if repeated
//! paragraphs were removed.
//!
//! ```sh
//! cargo run --release -p gleaner-lab --example paragraphs -- ../shared/sets/sites
//! ```
//!
//! Gold texts contain no boilerplate. Therefore a paragraph that is classified as repeated is a refrain, an
//! error in the gold text, or a mistake. `--show` prints the keys with the first words of each line.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use gleaner_corpus::dedup::paragraphs::{ParagraphParams, Paragraphs};
use gleaner_lab::Dataset;

fn main() -> Result<(), Box<dyn Error>> {
    let (options, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_shown = options.iter().any(|option| option == "--show");
    let sets = Dataset::find(&folders.iter().map(PathBuf::from).collect::<Vec<_>>())?;
    let mut paragraphs = Paragraphs::new(ParagraphParams::default());
    let mut texts = Vec::new();
    for set in &sets {
        for entry in &set.entries {
            let Some(gold) = entry.read_gold()? else { continue };
            paragraphs.count(&set.name, &gold);
            texts.push((set.name.as_str(), gold));
        }
    }
    let mut out = io::stdout().lock();
    writeln!(out, "| set | texts | paragraphs | repeated |\n|---|---:|---:|---:|")?;
    for set in &sets {
        let of = || texts.iter().filter(|(name, _)| *name == set.name).map(|(_, gold)| gold);
        let lines =
            of().map(|gold| gold.lines().filter(|line| !line.trim().is_empty()).count()).sum::<usize>();
        let repeated = of().map(|gold| paragraphs.repeated(&set.name, gold).len()).sum::<usize>();
        writeln!(out, "| {} | {} | {lines} | {repeated} |", set.name, of().count())?;
    }
    for (name, gold) in texts.iter().filter(|_| is_shown) {
        for of in paragraphs.repeated(name, gold) {
            let words = gold.lines().nth(of.line).unwrap_or_default().split_whitespace().take(12);
            writeln!(out, "{name} {:016x} {:?} {}", of.key, of.reason, words.collect::<Vec<_>>().join(" "))?;
        }
    }
    Ok(())
}
