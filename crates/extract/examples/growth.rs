//! Measures how the cost of a page depends on the size of the page and on the size of the site's template.
//! docs/performance.md has the results.
//!
//! Run with `cargo run --release -p gleaner-extract --example growth -- [FOLDER]`. The first table groups
//! the pages of FOLDER and its subfolders by size. Without FOLDER, the pages are generated. The second table
//! has templates that are learned from an increasing number of pages of one site: the largest recorded site,
//! or a generated site.
//!
//! Limitation: processor time is read from `/proc`, so on systems other than Linux all times are 0. Pages of
//! different sizes are from different sites, so differences are not due to size alone.

#![allow(
    clippy::allow_attributes,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement for people that fails by panicking"
)]

use std::hint::black_box;
use std::path::Path;

use gleaner_extract::Pins;
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::{Page, decode::decode};
use gleaner_testkit::bench_pages;

/// The minimum page size of each row, in KB.
const FROM: [usize; 7] = [0, 25, 50, 100, 200, 400, 800];

/// Numbers of pages from which templates are learned.
const LEARNED: [usize; 5] = [3, 6, 12, 25, 50];

/// The number of pages that are extracted with each template.
const READ: usize = 15;

fn page(bytes: &[u8]) -> Page {
    Page::parse(&decode(bytes, Some("text/html")).text)
}

/// Returns the processor time of one run in milliseconds: the minimum of five means, each over ten runs.
fn milliseconds(run: impl Fn()) -> f64 {
    let had = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ').next().and_then(|it| it.parse::<f64>().ok()).unwrap_or_default()
    };
    let once = |_| {
        let before = had();
        (0..10).for_each(|_| run());
        (had() - before) / 10.0 / 1e6
    };
    (0..5).map(once).fold(f64::INFINITY, f64::min)
}

fn by_size(pages: &[Vec<u8>]) {
    println!("KB from | pages | KB, mean | cold, ms a page | ms for 100 KB");
    for (at, from) in FROM.iter().enumerate() {
        let to = FROM.get(at + 1).map_or(usize::MAX, |to| to << 10);
        let of: Vec<&Vec<u8>> =
            pages.iter().filter(|page| ((from << 10)..to).contains(&page.len())).take(60).collect();
        if of.is_empty() {
            continue;
        }
        let size = of.iter().map(|page| page.len()).sum::<usize>() as f64 / of.len() as f64 / 1024.0;
        let cold =
            || of.iter().for_each(|bytes| drop(black_box(Extraction::cold(&page(bytes), &Pins::default()))));
        let each = milliseconds(cold) / of.len() as f64;
        println!("{from} | {} | {size:.0} | {each:.2} | {:.2}", of.len(), each / size * 100.0);
    }
}

fn by_template(pages: &[Vec<u8>]) {
    println!(
        "learned from | places | repeated | learn, ms a page | whole page | detection, or whole page where it needs the model"
    );
    let (read, teach) = pages.split_at(READ);
    for count in LEARNED.into_iter().filter(|count| *count <= teach.len()) {
        let learn = || {
            let pages: Vec<Page> = teach.iter().take(count).map(|bytes| page(bytes)).collect();
            let named: Vec<(&str, &Page)> = pages.iter().map(|page| ("https://a.example/", page)).collect();
            SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &named)
        };
        let prepared = PreparedTemplate::new(learn());
        let template = prepared.template();
        let full = |bytes: &[u8]| drop(black_box(prepared.extract(&page(bytes), &Pins::default())));
        let detected = |bytes: &Vec<u8>| {
            let partly = prepared.read(&decode(bytes, Some("text/html")).text);
            match prepared.detect(&partly) {
                Some(detected) => drop(black_box(detected)),
                None => full(bytes),
            }
        };
        let learning = milliseconds(|| drop(black_box(learn()))) / count as f64;
        let by_full = milliseconds(|| read.iter().for_each(|bytes| full(bytes))) / READ as f64;
        let by_detection = milliseconds(|| read.iter().for_each(detected)) / READ as f64;
        let (dom_paths, repeated) = (template.site.dom_paths.len(), template.site.repeated.len());
        println!("{count} | {dom_paths} | {repeated} | {learning:.2} | {by_full:.2} | {by_detection:.2}");
    }
}

fn main() {
    let folder = std::env::args().nth(1);
    let mut pages = folder.map_or_else(
        || (0..7).map(|at| bench_pages::news_page(0).repeat(1 << at)).collect(),
        |folder| bench_pages::below(Path::new(&folder)),
    );
    pages.sort_by_key(Vec::len);
    by_size(&pages);
    let sites = bench_pages::sites(READ + LEARNED[0]).pop().unwrap().1;
    by_template(sites.iter().max_by_key(|pages| pages.len()).unwrap());
}
