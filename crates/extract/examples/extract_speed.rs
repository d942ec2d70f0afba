//! Extracts the pages of a folder. Prints the processor time in seconds and the number of extracted words. A
//! page is a file `N.html`, with its URL in `N.url`. Each page is extracted ROUNDS times in a row. The
//! benchmark crates/python/benches/compare.py runs this program to measure the overhead of calls from Python.
//!
//! ```sh
//! cargo run --release -p gleaner-extract --example extract_speed -- FOLDER ROUNDS
//! ```
//!
//! Limitation: the program needs the scheduler statistics of Linux, which have an error of a few
//! milliseconds.

#![expect(clippy::print_stdout, reason = "examples print")]

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use gleaner_extract::{Page, extract};

fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = statistics.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e9)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let rounds: usize = std::env::args().nth(2).ok_or("how many rounds?")?.parse()?;
    let files =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    let (mut seconds, mut words) = (0.0, 0);
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "html")) {
        let (raw, url) = (fs::read(file)?, fs::read_to_string(file.with_extension("url"))?);
        let url = (!url.is_empty()).then_some(url.as_str());
        let begun = processor_seconds()?;
        for _ in 0..rounds {
            let document = Page::from_bytes(&raw, url).ok().and_then(|page| extract(&page));
            words += document.map_or(0, |document| document.words);
        }
        seconds += processor_seconds()? - begun;
    }
    println!("{seconds} {words}");
    Ok(())
}
