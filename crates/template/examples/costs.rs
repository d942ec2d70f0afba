//! Measures the processor time to learn a template, and to extract without one, for docs/performance.md.
//!
//! Run with `cargo run --release -p gleaner-template --example costs -- [ROUNDS [FOLDER]]`. The input is the
//! recorded sites with at least 25 pages, or the generated site if there are none. With FOLDER, the input is
//! all pages in this folder and its subfolders, and learning is not measured. In each round, every
//! measurement consists of eight runs (one with FOLDER). The minimum over the rounds is printed for each
//! site.
//!
//! Limitation: processor time is read from `/proc`, so on systems other than Linux wall time is measured.
//! Other programs on the same processor affect the times, because they displace cache contents.

#![allow(
    clippy::allow_attributes,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement for people that fails by panicking"
)]

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use gleaner_html::{Page, decode::decode, links::links, metadata::metadata_at};
use gleaner_template::SiteTemplate;
use gleaner_template::site::extract_alone;
use gleaner_testkit::bench_pages;

/// Number of consecutive runs per measurement. The system's clock has steps of some milliseconds.
const TIMES: usize = 8;

const LEARNED: usize = 25;

const ADDRESS: &str = "https://a.example/";

/// A measured function of the pages' bytes.
type Run = fn(&[Vec<u8>]);

/// The measured functions with their names. Each starts from the bytes of a site's pages.
const COSTS: [(&str, Run); 5] = [
    ("learn", |pages| {
        let pages: Vec<Page> = pages.iter().map(|bytes| read(bytes)).collect();
        let named: Vec<(&str, &Page)> = pages.iter().map(|page| (ADDRESS, page)).collect();
        black_box(SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &named));
    }),
    ("cold", |pages| pages.iter().for_each(|bytes| drop(black_box(extract_alone(&read(bytes)))))),
    ("cold, links, metadata", |pages| {
        for page in pages.iter().map(|bytes| read(bytes)) {
            black_box((extract_alone(&page), links(&page), metadata_at(&page, ADDRESS)));
        }
    }),
    ("metadata", |pages| {
        pages.iter().for_each(|bytes| drop(black_box(metadata_at(&read(bytes), ADDRESS))));
    }),
    ("read", |pages| pages.iter().for_each(|bytes| drop(black_box(read(bytes))))),
];

fn read(bytes: &[u8]) -> Page {
    Page::parse(&decode(bytes, Some("text/html")).text)
}

fn processor() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let had = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let had = had.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    had.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    let rounds: usize = std::env::args().nth(1).map_or(5, |rounds| rounds.parse().unwrap());
    let folder = std::env::args().nth(2);
    let (name, mut sites) = match &folder {
        Some(folder) => (folder.as_str(), vec![bench_pages::below(folder.as_ref())]),
        None => bench_pages::sites(LEARNED).pop().unwrap(),
    };
    if folder.is_none() {
        sites.iter_mut().for_each(|pages| pages.truncate(LEARNED));
    }
    let times = if folder.is_some() { 1 } else { TIMES };
    let first = usize::from(folder.is_some());
    let mut least = vec![[f64::INFINITY; COSTS.len()]; sites.len()];
    for _ in 0..rounds {
        for (pages, least) in sites.iter().zip(&mut least) {
            for ((_, run), least) in COSTS.iter().zip(least).skip(first) {
                let before = processor();
                (0..times).for_each(|_| run(pages));
                *least = least.min((processor() - before) / times as f64);
            }
        }
    }
    println!("{name}, ms a page, least of {rounds} rounds");
    println!("{}", COSTS.map(|(name, _)| format!("{name:>22}")).concat());
    let line = |sums: [f64; COSTS.len()], pages: usize| {
        let a_page = sums.map(|seconds| format!("{:>22.3}", 1e3 * seconds / pages as f64));
        println!("{}   learn/cold {:.2}", a_page.concat(), sums[0] / sums[1]);
    };
    for (pages, least) in sites.iter().zip(&least) {
        line(*least, pages.len());
    }
    let all = least.iter().fold([0.0; COSTS.len()], |sum, of| std::array::from_fn(|at| sum[at] + of[at]));
    println!("all:");
    line(all, sites.iter().map(Vec::len).sum());
}
