//! Tests the addresses of the recorded pages: each has one spelling, and most are correctly classified as an
//! article or not. Skipped if the recorded pages are missing.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests, outside the test functions")]

use gleaner_frontier::{CanonicalUrl, looks_like_article};
use std::fs;
use std::path::{Path, PathBuf};

const SETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets");

fn manifest(folder: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join("manifest.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folders() -> Option<Vec<PathBuf>> {
    let Ok(sites) = fs::read_dir(Path::new(SETS).join("sites")) else {
        println!("skipped: the recorded pages are not beside this project");
        return None;
    };
    Some(sites.map(|site| site.unwrap().path()).collect())
}

fn urls(entries: &[serde_json::Value]) -> Vec<CanonicalUrl> {
    let texts = entries.iter().map(|entry| entry["url"].as_str().unwrap());
    texts.map(|text| CanonicalUrl::parse(text).unwrap_or_else(|r| panic!("{text}: {r}"))).collect()
}

#[test]
fn each_recorded_page_has_one_spelling_of_its_own() {
    for folder in folders().unwrap_or_default() {
        let urls = urls(&manifest(&folder));
        for url in &urls {
            assert_eq!(CanonicalUrl::parse(url.as_str()).as_ref(), Ok(url));
        }
        let keys: std::collections::BTreeSet<_> = urls.iter().map(CanonicalUrl::key).collect();
        assert_eq!(keys.len(), urls.len(), "two pages of {} became one", folder.display());
    }
}

#[test]
fn most_articles_look_like_articles_and_most_hubs_do_not() {
    let Some(folders) = folders() else { return };
    let articles: Vec<_> = folders.iter().flat_map(|folder| urls(&manifest(folder))).collect();
    let share = |urls: &[CanonicalUrl]| {
        let like = urls.iter().filter(|url| looks_like_article(url)).count();
        like as f64 / urls.len() as f64
    };
    let mut hubs = manifest(&Path::new(SETS).join("not-articles"));
    hubs.retain(|entry| entry["kind"] == "hub");
    let (articles, hubs) = (share(&articles), share(&urls(&hubs)));
    println!("look like articles: {articles:.3} of the articles, {hubs:.3} of the hubs");
    assert!(articles > 0.9 && hubs < 0.25, "{articles:.3} of the articles, {hubs:.3} of the hubs");
}
