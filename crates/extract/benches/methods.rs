//! Published methods against what they replace, one thread: `FastContentExtractor` against
//! `ContentExtractor` with all pairs, as published and by an index; linear BTE against the
//! improved and the original one.
//!
//! `cargo bench -p gleaner-extract --bench methods`. A generated site always; the recorded
//! sites with 20 pages where they are present, each by itself. From the parsed page for the
//! first two, which are taught by the pages that are not measured; from the decoded source
//! for BTE, parsing included where a method parses. On a shared machine only the ratio of
//! two figures from one run means anything.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gleaner_extract::bte::{self, improved, linear, original};
use gleaner_extract::content_extractor::{self, Search};
use gleaner_extract::fast_content_extractor;
use gleaner_html::{Page, decode};
use gleaner_testkit::measured;

/// Pages of a site: those of the second number are read, the others teach.
const LEAST: usize = 20;
const READ: usize = 5;
const TAUGHT: usize = 30;

fn text(bytes: &[u8]) -> String {
    decode::decode(bytes, Some("text/html")).text
}

fn template(criterion: &mut Criterion) {
    for (name, sites) in measured::sites(LEAST) {
        for (number, pages) in sites.iter().enumerate() {
            let pages: Vec<Page> = pages.iter().take(TAUGHT).map(|bytes| Page::parse(&text(bytes))).collect();
            let (read, taught) = pages.split_at(READ);
            let params = content_extractor::Params::of_the_paper();
            let all_pairs = content_extractor::Site::new(taught, &params);
            let indexed = content_extractor::Params { search: Search::Indexed, ..params };
            let indexed = content_extractor::Site::new(taught, &indexed);
            let fast = fast_content_extractor::Params::of_the_paper();
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

fn body_text(criterion: &mut Criterion) {
    let params = bte::Params::default();
    for (name, pages) in measured::groups() {
        // With more tokens the original is not searched as published.
        let is_small = |source: &String| original::Tokens::from_source(source).len() <= params.max_tokens;
        let sources: Vec<String> = pages.iter().map(|bytes| text(bytes)).filter(is_small).collect();
        if sources.is_empty() {
            eprintln!("skipped: no {name} page of {} tokens", params.max_tokens);
            continue;
        }
        let mut group = criterion.benchmark_group(format!("bte, {name}"));
        group.sample_size(10);
        group.bench_function("linear", |b| {
            b.iter(|| {
                sources.iter().for_each(|it| drop(black_box(linear::extract(&Page::parse(it), &params))));
            });
        });
        group.bench_function("improved", |b| {
            b.iter(|| {
                sources.iter().for_each(|it| drop(black_box(improved::extract(&Page::parse(it), &params))));
            });
        });
        group.bench_function("original", |b| {
            b.iter(|| sources.iter().for_each(|it| drop(black_box(original::extract(it, &params)))));
        });
        group.finish();
    }
}

criterion_group!(benches, template, body_text);
criterion_main!(benches);
