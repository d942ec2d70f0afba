//! The stages of a page that no template is known for, one thread: parsing, its lines, the
//! block model's judgement, metadata, links.
//!
//! `cargo bench -p gleaner-extract`. A generated page always; the 60 recorded pages around
//! the median size where they are present. Each stage begins with what the one before
//! it left; the judgement has lines, title and description of its own in it. On a shared
//! machine only the ratio of two figures from one run means anything.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_extract::block_model;
use gleaner_html::{Page, decode, links, metadata, text};
use gleaner_testkit::measured;

/// A stage: what of a page it gives, as a number that depends on all of it.
type Stage = (&'static str, fn(&Page) -> usize);

const STAGES: [Stage; 4] = [
    ("lines", |page| text::lines(page, 0, |_| true).len()),
    ("judge", |page| block_model::judge(page, block_model::built_in()).len()),
    ("metadata", |page| metadata::metadata(page).authors.len()),
    ("links", |page| links::links(page).anchors.len()),
];

fn stages(c: &mut Criterion) {
    for (name, sources) in measured::groups() {
        let sources: Vec<String> =
            sources.iter().map(|bytes| decode::decode(bytes, Some("text/html")).text).collect();
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
