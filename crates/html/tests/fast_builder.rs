//! The fast builder against html5ever: whatever it is sure of is the same page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use gleaner_html::{Page, decode};
use proptest::prelude::*;

#[track_caller]
fn check(html: &str) -> Option<&'static str> {
    let reason = Page::left_to_reference(html);
    if reason.is_none() {
        let (fast, reference) = (Page::parse(html), Page::parse_reference(html));
        assert!(fast == reference, "{html:?}\n{}\n{}", outline(&fast), outline(&reference));
    }
    reason
}

/// A page in a line: what a failure shows.
fn outline(page: &Page) -> String {
    let node = |(id, node): (u32, &gleaner_html::Node)| {
        let attributes: Vec<_> = page.attributes(id).collect();
        match page.tag(id) {
            Some(tag) => format!("{}<{tag}>{attributes:?}", node.depth),
            None => format!("{}{:?}", node.depth, page.text(id).unwrap_or_default()),
        }
    };
    page.iter().take(400).map(node).collect::<Vec<_>>().join(" ")
}

/// The recorded pages, where they are present.
fn recorded() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets")).to_owned()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(".html.gz") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn read(path: &Path) -> String {
    let mut bytes = Vec::new();
    let mut reader = GzDecoder::new(fs::File::open(path).unwrap());
    std::io::Read::read_to_end(&mut reader, &mut bytes).unwrap();
    decode::decode(&bytes, Some("text/html")).text
}

#[test]
fn recorded_pages_are_the_same() {
    let paths = recorded();
    if paths.is_empty() {
        println!("skipped: no recorded pages");
        return;
    }
    let mut unsure: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    let mut different = Vec::new();
    for path in &paths {
        let html = read(path);
        match Page::left_to_reference(&html) {
            Some(reason) => unsure.entry(reason).or_default().push(path),
            None if Page::parse(&html) == Page::parse_reference(&html) => {}
            None => different.push(path),
        }
    }
    for (reason, pages) in &unsure {
        println!("{reason}: {} of {} pages left to the reference", pages.len(), paths.len());
    }
    assert!(different.is_empty(), "{} of {}: {different:?}", different.len(), paths.len());
}
