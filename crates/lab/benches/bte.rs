//! Compares the speed of linear, improved and original Body Text Extraction, in one thread.
//!
//! Run it with `cargo bench -p gleaner-lab`. The input is a generated page and, if present, the recorded
//! pages. A measurement starts from the decoded source and includes parsing. The original method does not
//! need the parsed page. On a shared machine, only ratios of times from the same run are meaningful.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gleaner_html::{Page, decode};
use gleaner_lab::methods::bte::{self, improved, linear, original};
use gleaner_testkit::bench_pages;

fn text(bytes: &[u8]) -> String {
    decode::decode(bytes, Some("text/html")).text.into_owned()
}

fn body_text(criterion: &mut Criterion) {
    let params = bte::BteParams::default();
    for (name, pages) in bench_pages::groups() {
        // Pages with more tokens are excluded, because for them the original method is replaced by the linear
        // search.
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

criterion_group!(benches, body_text);
criterion_main!(benches);
