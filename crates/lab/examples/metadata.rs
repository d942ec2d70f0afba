//! Prints how often each metadata field is found per set, and how many headlines equal the gold headlines.
//!
//! ```sh
//! cargo run --release -p gleaner-lab --example metadata -- ../shared/sets
//! ```
//!
//! With `--json`, prints only the metadata of each page, on one line per page. With `--wrong`, prints the
//! headlines that differ from the gold headline. If a folder has no manifest, all sets below it are used.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use gleaner_lab::Dataset;
use gleaner_lab::metadata::{Coverage, PageMetadata, read};

fn main() -> Result<(), Box<dyn Error>> {
    let (options, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let sets = Dataset::find(&folders.iter().map(PathBuf::from).collect::<Vec<_>>())?;
    let read = sets.iter().map(|set| Ok((set, read(set)?))).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let mut out = io::stdout().lock();
    match options.first().map(String::as_str) {
        None => table(&mut out, &read)?,
        Some("--json") => pages(&mut out, &read)?,
        Some("--wrong") => wrong(&mut out, &read)?,
        Some(other) => return Err(format!("{other} is not known: --json or --wrong").into()),
    }
    Ok(())
}

fn table(out: &mut impl Write, read: &[(&Dataset, Vec<PageMetadata>)]) -> io::Result<()> {
    writeln!(
        out,
        "| set | pages | title | date | with time | with zone | author | section | language | canonical | gold titles | same | word F1 |"
    )?;
    writeln!(out, "|---|{}", "---:|".repeat(12))?;
    for (set, pages) in read {
        row(out, &set.name, &Coverage::from_pages(pages))?;
    }
    row(out, "all", &Coverage::from_pages(read.iter().flat_map(|(_, pages)| pages)))
}

fn row(out: &mut impl Write, name: &str, of: &Coverage) -> io::Result<()> {
    let share = |count: usize| format!("{:.3}", count as f64 / of.pages.max(1) as f64);
    let shares =
        [of.title, of.published, of.timed, of.zoned, of.authors, of.section, of.language, of.canonical];
    let shares = shares.map(share).join(" | ");
    let gold = match of.gold {
        0 => "0 | – | –".to_owned(),
        gold => format!("{gold} | {:.3} | {:.3}", of.same as f64 / gold as f64, of.words),
    };
    writeln!(out, "| {name} | {} | {shares} | {gold} |", of.pages)
}

fn pages(out: &mut impl Write, read: &[(&Dataset, Vec<PageMetadata>)]) -> io::Result<()> {
    for (set, pages) in read {
        for page in pages {
            let line = serde_json::json!({
                "set": set.name, "id": page.id, "url": page.url, "gold": page.gold, "metadata": page.metadata,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn wrong(out: &mut impl Write, read: &[(&Dataset, Vec<PageMetadata>)]) -> io::Result<()> {
    for (set, pages) in read {
        for page in pages.iter().filter(|page| page.is_same() == Some(false)) {
            let found = page.metadata.title.as_deref().unwrap_or_default();
            writeln!(
                out,
                "{}/{}\n  gold  {}\n  found {found}",
                set.name,
                page.id,
                page.gold.as_deref().unwrap_or_default()
            )?;
        }
    }
    Ok(())
}
