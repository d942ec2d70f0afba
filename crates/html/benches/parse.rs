//! Measures the speed of decoding and parsing on one thread, once with the fast builder, and once with
//! html5ever and scraper.
//!
//! Run with `cargo bench -p gleaner-html`. It measures a generated page, and the 60 recorded pages closest to
//! the median size if they are present. The fast builder's time includes its fallback. On a shared machine,
//! only ratios of figures from one run are meaningful.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_html::{Page, decode};
use gleaner_testkit::bench_pages;

fn parse(c: &mut Criterion) {
    for (name, sources) in bench_pages::groups() {
        let texts: Vec<String> =
            sources.iter().map(|bytes| decode::decode(bytes, Some("text/html")).text.into_owned()).collect();
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(sources.iter().map(|source| source.len() as u64).sum()));
        group.sample_size(20);
        let characters = |bytes: &Vec<u8>| decode::decode(black_box(bytes), Some("text/html")).text.len();
        group.bench_function("decode", |b| b.iter(|| sources.iter().map(characters).sum::<usize>()));
        let nodes =
            |build: fn(&str) -> Page| texts.iter().map(|page| build(black_box(page)).len()).sum::<usize>();
        group.bench_function("fast", |b| b.iter(|| nodes(Page::parse)));
        group.bench_function("reference", |b| b.iter(|| nodes(Page::parse_reference)));
        group.finish();
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
