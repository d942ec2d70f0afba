//! Compares the speed of `FastContentExtractor` and `ContentExtractor` on one thread. `ContentExtractor` is
//! run twice: once it compares all pairs, as published, and once it uses an index.
//!
//! Run with `cargo bench -p gleaner-extract --bench site_methods`. The input is a generated site and, if present,
//! each recorded site with at least 20 pages. The time excludes parsing. Both methods are trained on the
//! pages that are not measured. On a shared machine, only ratios of figures from one run are meaningful.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gleaner_extract::site_methods::content_extractor::{self, Search};
use gleaner_extract::site_methods::fast_content_extractor;
use gleaner_html::{Page, decode};
use gleaner_testkit::bench_pages;

/// Minimum number of pages of a recorded site, number of measured pages, and maximum number of pages used.
/// The pages that are not measured are for training.
const LEAST: usize = 20;
const READ: usize = 5;
const TAUGHT: usize = 30;

fn text(bytes: &[u8]) -> String {
    decode::decode(bytes, Some("text/html")).text.into_owned()
}

fn template(criterion: &mut Criterion) {
    for (name, sites) in bench_pages::sites(LEAST) {
        for (number, pages) in sites.iter().enumerate() {
            let pages: Vec<Page> = pages.iter().take(TAUGHT).map(|bytes| Page::parse(&text(bytes))).collect();
            let (read, taught) = pages.split_at(READ);
            let params = content_extractor::ContentExtractorParams::of_the_paper();
            let all_pairs = content_extractor::SiteBlocks::new(taught, &params);
            let indexed = content_extractor::ContentExtractorParams { search: Search::Indexed, ..params };
            let indexed = content_extractor::SiteBlocks::new(taught, &indexed);
            let fast = fast_content_extractor::FastContentExtractorParams::of_the_paper();
            let fast = fast_content_extractor::prepare(taught, &fast);
            let mut group = criterion.benchmark_group(format!("template, {name} {number}"));
            group.sample_size(10);
            group.bench_function("content extractor, all pairs", |b| {
                b.iter(|| read.iter().for_each(|page| drop(black_box(all_pairs.extract(page)))));
            });
            group.bench_function("content extractor, indexed", |b| {
                b.iter(|| read.iter().for_each(|page| drop(black_box(indexed.extract(page)))));
            });
            group.bench_function("fast content extractor", |b| {
                b.iter(|| read.iter().for_each(|page| drop(black_box(fast.detect(page)))));
            });
            group.finish();
        }
    }
}

criterion_group!(benches, template);
criterion_main!(benches);
