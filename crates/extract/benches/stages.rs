//! The stages of a page that no template is known for, one thread: parsing, its lines, the
//! block model's judgement, metadata, links.
//!
//! `cargo bench -p gleaner-extract`. A generated page always; the 60 recorded pages around
//! the median size where they are present. Each stage begins with what the one before
//! it left; the judgement has lines, title and description of its own in it. On a shared
//! machine only the ratio of two figures from one run means anything.

use std::fs;
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::GzDecoder;
use gleaner_extract::block_model;
use gleaner_html::{Page, decode, links, metadata, text};

/// Recorded pages that are measured.
const PAGES: usize = 60;

/// A news page of some 150 KB: head, menus, article, teasers, scripts.
fn generated() -> String {
    let menu =
        "<li class=\"menu-item menu-item-type-post\"><a href=\"/section/one?a=1&amp;b=2\">Section</a></li>\n";
    let text = "<p class=\"body\">The rain that fell on the <b>valley</b> all day ended &ndash; the river \
                rose by <a href=\"/rivers\" target=\"_blank\">two metres</a>, the town's mayor said.</p>\n";
    let teaser = "<div class=\"teaser\"><a href=\"/2026/11/20/rain\"><img src=\"/i.jpg\" alt=\"Rain\" \
                  width=\"300\" height=\"200\"><h3>Rain ends</h3></a><span class=\"date\">20.11.</span></div>\n";
    let script = format!("<script>{}</script>\n", "if (a < b && c) { f(\"x\", 'y'); }\n".repeat(300));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Rain</title>{script}</head>\n\
         <body><ul>{}</ul><article>{}</article>{}{script}{script}</body></html>\n",
        menu.repeat(200),
        text.repeat(150),
        teaser.repeat(200),
    )
}

/// The recorded pages nearest to the median size.
fn recorded() -> Vec<String> {
    let mut folders =
        vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets")).to_owned()];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.to_string_lossy().ends_with(".html.gz") => paths.push(path),
                false => {}
            }
        }
    }
    let read = |path: &PathBuf| {
        let mut bytes = Vec::new();
        let file = fs::File::open(path).expect("a recorded page");
        GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
        decode::decode(&bytes, Some("text/html")).text
    };
    let mut pages: Vec<String> = paths.iter().map(read).collect();
    pages.sort_by_key(String::len);
    let from = (pages.len() / 2).saturating_sub(PAGES / 2);
    pages.into_iter().skip(from).take(PAGES).collect()
}

/// A stage: what of a page it gives, as a number that depends on all of it.
type Stage = (&'static str, fn(&Page) -> usize);

const STAGES: [Stage; 4] = [
    ("lines", |page| text::lines(page, 0, |_| true).len()),
    ("judge", |page| block_model::judge(page, block_model::built_in()).len()),
    ("metadata", |page| metadata::metadata(page).authors.len()),
    ("links", |page| links::links(page).anchors.len()),
];

fn stages(c: &mut Criterion) {
    for (name, sources) in [("generated", vec![generated()]), ("recorded", recorded())] {
        if sources.is_empty() {
            eprintln!("skipped: no {name} pages");
            continue;
        }
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
