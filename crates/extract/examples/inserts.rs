//! Counts the captions, credits, by-lines and "read more" lines that are included as inserts on recorded
//! pages. docs/templates.md has the results.
//!
//! Run with `cargo run --release -p gleaner-extract --example inserts -- FOLDER [N]`. FOLDER contains sets
//! of pages. The pages of a set are judged with a template learned from its first 25 pages. The pages of a
//! set named `single` are judged without a template. With N, the text of every N-th insert is printed too.
//!
//! Limitation: the judged pages include the pages from which the template was learned.

#![allow(
    clippy::allow_attributes,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement for people that fails by panicking"
)]

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use gleaner_corpus::Insert;
use gleaner_extract::Pins;
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::Page;
use gleaner_html::decode::decode;

#[derive(Default)]
struct Sum {
    lines: usize,
    words: usize,
    pages: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("name a folder of sets"));
    let every: usize = arguments.next().map_or(usize::MAX, |number| number.parse().unwrap());
    let pins = Pins::default().with_inserts(Insert::ALL.to_vec(), "all");
    let mut sums: [Sum; 4] = Default::default();
    let (mut pages, mut seen) = (0, 0);
    for set in sets(&folder) {
        let all = read(&set);
        let named: Vec<(&str, &Page)> =
            all.iter().take(25).map(|page| ("https://a.example/", page)).collect();
        let is_single = set.file_name().is_some_and(|name| name == "single");
        let learn = || SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &named);
        let template = (!is_single).then(|| PreparedTemplate::new(learn()));
        for page in &all {
            let judgement = match &template {
                Some(template) => template.extract(page, &pins),
                None => Extraction::cold(page, &pins),
            };
            pages += 1;
            for (sum, insert) in sums.iter_mut().zip(Insert::ALL) {
                let blocks = judgement.blocks.iter().zip(&judgement.inserts);
                let back: Vec<_> = blocks.filter(|(_, is)| **is == Some(insert)).map(|it| it.0).collect();
                sum.lines += back.len();
                sum.words += back.iter().map(|block| block.words as usize).sum::<usize>();
                sum.pages += usize::from(!back.is_empty());
                for block in back {
                    seen += 1;
                    if seen % every == 0 {
                        println!("{:9} {}", insert.name(), block.placed.line.text);
                    }
                }
            }
        }
    }
    println!("{pages} pages; of each: pages with any, lines and words a page");
    for (sum, insert) in sums.iter().zip(Insert::ALL) {
        let mean = |sum: usize| sum as f64 / pages as f64;
        let share = 100.0 * mean(sum.pages);
        println!("{:9} {share:5.1}% {:6.2} {:7.2}", insert.name(), mean(sum.lines), mean(sum.words));
    }
}

fn sets(folder: &Path) -> Vec<PathBuf> {
    if folder.join("manifest.jsonl").exists() {
        return vec![folder.to_owned()];
    }
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.iter().filter(|path| path.is_dir()).flat_map(|path| sets(path)).collect()
}

fn read(set: &Path) -> Vec<Page> {
    let mut files: Vec<PathBuf> = fs::read_dir(set).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".html.gz"));
    files.sort();
    let page = |path: &PathBuf| {
        let mut bytes = Vec::new();
        GzDecoder::new(BufReader::new(File::open(path).unwrap())).read_to_end(&mut bytes).unwrap();
        Page::parse(&decode(&bytes, None).text)
    };
    files.iter().map(page).collect()
}
