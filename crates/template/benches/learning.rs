//! Compares two times on one thread: learning a template from 25 pages, and extracting each of these pages
//! without a template.
//!
//! Run with `cargo bench -p gleaner-template --bench learning`. The input is a generated site and, if
//! present, the recorded sites with at least 25 pages. Both times include decoding and parsing, except in the
//! `parsed` benchmarks. On a shared machine, only ratios of figures from one run are meaningful.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_html::{Page, decode, links::links, metadata::metadata_at};
use gleaner_template::site::extract_alone;
use gleaner_template::{SiteTemplate, judge};
use gleaner_testkit::bench_pages;

const LEARNED: usize = 25;

fn read(bytes: &[u8]) -> Page {
    Page::parse(&decode::decode(bytes, Some("text/html")).text)
}

fn learn(pages: &[Vec<u8>]) {
    let pages: Vec<Page> = pages.iter().take(LEARNED).map(|bytes| read(bytes)).collect();
    learn_read(&pages);
}

fn learn_read(pages: &[Page]) {
    let pages: Vec<_> = pages.iter().take(LEARNED).map(|page| ("https://a.example/", page)).collect();
    black_box(SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages));
}

fn cold(pages: &[Vec<u8>]) {
    for bytes in pages.iter().take(LEARNED) {
        black_box(extract_alone(&read(bytes)));
    }
}

fn cold_with_all(pages: &[Vec<u8>]) {
    for bytes in pages.iter().take(LEARNED) {
        let page = read(bytes);
        black_box((extract_alone(&page), links(&page), metadata_at(&page, "https://a.example/")));
    }
}

fn judged(pages: &[Page]) {
    for page in pages {
        black_box(judge(page, "https://a.example/"));
    }
}

fn learning(criterion: &mut Criterion) {
    for (name, sites) in bench_pages::sites(LEARNED) {
        let pages = || sites.iter().flat_map(|pages| pages.iter().take(LEARNED));
        let parsed: Vec<Vec<Page>> =
            sites.iter().map(|pages| pages.iter().take(LEARNED).map(|bytes| read(bytes)).collect()).collect();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        group.throughput(Throughput::Elements(pages().count() as u64));
        group.bench_function("learn", |b| b.iter(|| sites.iter().for_each(|pages| learn(pages))));
        group.bench_function("cold", |b| b.iter(|| sites.iter().for_each(|pages| cold(pages))));
        group.bench_function("cold, links, metadata", |b| {
            b.iter(|| sites.iter().for_each(|pages| cold_with_all(pages)));
        });
        group.bench_function("learn, parsed", |b| {
            b.iter(|| parsed.iter().for_each(|pages| learn_read(pages)))
        });
        group.bench_function("cold, parsed", |b| {
            b.iter(|| parsed.iter().flatten().for_each(|page| drop(black_box(extract_alone(page)))));
        });
        group.bench_function("article or not", |b| b.iter(|| parsed.iter().for_each(|pages| judged(pages))));
        group.finish();
    }
}

criterion_group!(benches, learning);
criterion_main!(benches);
