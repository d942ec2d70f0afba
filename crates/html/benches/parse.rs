//! From text to a page: the fast builder against html5ever with scraper, one thread.
//!
//! `cargo bench -p gleaner-html`. A generated page always; the 60 recorded pages around
//! the median size where they are present. The fast figure has the fallback in it.
//! On a shared machine only the ratio of two figures from one run means anything.

use std::fs;
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::GzDecoder;
use gleaner_html::{Page, decode};

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

fn parse(c: &mut Criterion) {
    for (name, pages) in [("generated", vec![generated()]), ("recorded", recorded())] {
        if pages.is_empty() {
            eprintln!("skipped: no {name} pages");
            continue;
        }
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(pages.iter().map(|page| page.len() as u64).sum()));
        group.sample_size(20);
        let nodes =
            |build: fn(&str) -> Page| pages.iter().map(|page| build(black_box(page)).len()).sum::<usize>();
        group.bench_function("fast", |b| b.iter(|| nodes(Page::parse)));
        group.bench_function("reference", |b| b.iter(|| nodes(Page::parse_reference)));
        group.finish();
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
