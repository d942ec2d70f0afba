//! Measures the processor time of one thread for each way to read a page. docs/performance.md has the
//! results.
//!
//! Run with `cargo bench -p gleaner-extract --bench costs [-- ROUNDS [STAGE]]`. The input is the recorded
//! sites, or a generated site if there are none. As in `gleaner-lab eval --protocol template`, page k of a site
//! is in fold k mod 5, and the pages of a fold are read with a template that was learned from the first 30
//! pages of the other folds. Each measurement is a pass over all pages. The bench prints the minimum over the
//! rounds. With STAGE, it measures only the stages whose names begin with STAGE, for a profile.
//! `crates/python/benches/peers.py` measures other programs on the same pages.
//!
//! A stage starts from the bytes of the pages. The pages of the stage `not an article` are hubs, galleries
//! and other pages without an article. If detection fails for a page, the time of the page includes the full
//! method.
//!
//! Limitation: processor time is read from `/proc`, so on systems other than Linux the bench measures wall
//! time. Other programs on the same processor affect the times, because they displace cache contents.

#![allow(
    clippy::allow_attributes,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement for people that fails by panicking"
)]

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use gleaner_extract::Pins;
use gleaner_extract::article::judge;
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::{Page, decode::decode, links::links, metadata::metadata_at};
use gleaner_testkit::bench_pages;

const ROUNDS: usize = 5;
const FOLDS: usize = 5;
const TEACHERS: usize = 30;

/// The number of pages from which the stage `learn` learns. The stage omits sites with fewer pages.
const LEARNED: usize = 25;

const ADDRESS: &str = "https://a.example/2026/11/20/rain-ends-in-the-valley";

struct Site {
    pages: Vec<Vec<u8>>,
    templates: Vec<PreparedTemplate>,
    /// Pages of other sites that are not articles.
    others: Vec<Vec<u8>>,
}

type Stage = (&'static str, fn(&Site));

const STAGES: [Stage; 12] = [
    ("decode", |site| site.each(|bytes, _| drop(black_box(decode(bytes, Some("text/html")))))),
    ("read", |site| site.each(|bytes, _| drop(black_box(read(bytes))))),
    ("links", |site| site.each(|bytes, _| drop(black_box(links(&read(bytes)))))),
    ("metadata", |site| site.each(|bytes, _| drop(black_box(metadata_at(&read(bytes), ADDRESS))))),
    ("article or not", |site| {
        site.each(|bytes, _| {
            black_box(judge(&read(bytes), ADDRESS));
        });
    }),
    ("not an article", |site| {
        site.others.iter().for_each(|bytes| {
            black_box(judge(&read(bytes), ADDRESS));
        });
    }),
    ("detection", |site| site.each(|bytes, template| detect(template, bytes, false))),
    ("detection, links, metadata", |site| site.each(|bytes, template| detect(template, bytes, true))),
    ("cold", |site| site.each(|bytes, _| drop(black_box(cold(&read(bytes)))))),
    ("cold, links, metadata", |site| {
        site.each(|bytes, _| {
            let page = read(bytes);
            black_box((cold(&page), links(&page), metadata_at(&page, ADDRESS)));
        });
    }),
    ("learn", |site| {
        let pages: Vec<Page> = site.learned().iter().map(|bytes| read(bytes)).collect();
        black_box(template(&pages));
    }),
    ("learn: the same pages cold", |site| {
        site.learned().iter().for_each(|bytes| drop(black_box(cold(&read(bytes)))));
    }),
];

impl Site {
    fn from_pages(pages: Vec<Vec<u8>>) -> Self {
        let teach = |fold: usize| {
            let others = pages.iter().enumerate().filter(|(at, _)| at % FOLDS != fold);
            let read: Vec<Page> = others.take(TEACHERS).map(|(_, bytes)| read(bytes)).collect();
            PreparedTemplate::new(template(&read))
        };
        Self { templates: (0..FOLDS).map(teach).collect(), pages, others: Vec::new() }
    }

    fn pages_of(&self, stage: &str) -> usize {
        match stage {
            "not an article" => self.others.len(),
            stage if stage.starts_with("learn") => self.learned().len(),
            _ => self.pages.len(),
        }
    }

    fn each(&self, run: impl Fn(&[u8], &PreparedTemplate)) {
        self.pages.iter().enumerate().for_each(|(at, bytes)| run(bytes, &self.templates[at % FOLDS]));
    }

    fn learned(&self) -> &[Vec<u8>] {
        self.pages.get(..LEARNED).unwrap_or_default()
    }
}

fn read(bytes: &[u8]) -> Page {
    Page::parse(&decode(bytes, Some("text/html")).text)
}

fn cold(page: &Page) -> Extraction {
    Extraction::cold(page, &Pins::default())
}

fn template(pages: &[Page]) -> SiteTemplate {
    let named: Vec<(&str, &Page)> = pages.iter().map(|page| (ADDRESS, page)).collect();
    SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &named)
}

fn detect(prepared: &PreparedTemplate, bytes: &[u8], with_all: bool) {
    let text = decode(bytes, Some("text/html")).text;
    let partly = prepared.read(&text);
    let (page, extracted) = match prepared.detect(&partly) {
        Some(extracted) => (partly.page, extracted),
        None => {
            let page = partly.into_whole(&text);
            let extracted = prepared.extract(&page, &Pins::default());
            (page, extracted)
        }
    };
    if with_all {
        black_box((links(&page), metadata_at(&page, ADDRESS)));
    }
    black_box(extracted);
}

fn processor() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let had = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let had = had.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    had.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    // `cargo bench` adds the argument `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let rounds: usize = arguments.first().map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let wanted = arguments.get(1).map_or("", String::as_str);
    let (name, pages) = bench_pages::sites(1).pop().unwrap();
    let mut sites: Vec<Site> = pages.into_iter().map(Site::from_pages).collect();
    sites[0].others = bench_pages::not_articles();
    let stages: Vec<Stage> = STAGES.into_iter().filter(|(stage, _)| stage.starts_with(wanted)).collect();
    let mut least = vec![f64::INFINITY; stages.len()];
    for _ in 0..rounds {
        for ((_, run), least) in stages.iter().zip(&mut least) {
            let before = processor();
            sites.iter().for_each(run);
            *least = least.min(processor() - before);
        }
    }
    let all: usize = sites.iter().map(|site| site.pages.len()).sum();
    let bytes: usize = sites.iter().flat_map(|site| &site.pages).map(Vec::len).sum();
    println!("{all} {name} pages of {} KB, ms a page, least of {rounds} rounds", bytes / all / 1000);
    for ((stage, _), seconds) in stages.iter().zip(least) {
        let pages: usize = sites.iter().map(|site| site.pages_of(stage)).sum();
        println!("{stage:<28}{:>8.3}", 1e3 * seconds / pages as f64);
    }
}
