//! Measures the processing stages of a page without a template, on one thread: parsing, lines, classification
//! by the block model, metadata and links.
//!
//! Run with `cargo bench -p gleaner-extract`. The input is a generated page and, if present, the 60 recorded
//! pages closest to the median size. Every stage after parsing starts from the parsed page. The
//! classification computes lines, title and description itself. On a shared machine, only ratios of figures
//! from one run are meaningful.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_extract::block_model;
use gleaner_html::{Page, decode, links, metadata, text};
use gleaner_testkit::bench_pages;

/// A stage's name, and a function that runs it on a page and returns a number that depends on its result.
type Stage = (&'static str, fn(&Page) -> usize);

const STAGES: [Stage; 4] = [
    ("lines", |page| text::lines(page, 0, |_| true).len()),
    ("judge", |page| block_model::classify(page, block_model::built_in()).len()),
    ("metadata", |page| metadata::metadata(page).authors.len()),
    ("links", |page| links::links(page).anchors.len()),
];

fn stages(c: &mut Criterion) {
    for (name, sources) in bench_pages::groups() {
        let sources: Vec<String> =
            sources.iter().map(|bytes| decode::decode(bytes, Some("text/html")).text.into_owned()).collect();
        let pages: Vec<Page> = sources.iter().map(|source| Page::parse(source)).collect();
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(sources.iter().map(|source| source.len() as u64).sum()));
        group.sample_size(20);
        group.bench_function("parse", |b| {
            b.iter(|| sources.iter().map(|source| Page::parse(black_box(source)).len()).sum::<usize>());
        });
        for (stage, run) in STAGES {
            group.bench_function(stage, |b| {
                b.iter(|| pages.iter().map(|page| black_box(run(black_box(page)))).sum::<usize>());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
