//! Article or not, on recorded pages; skipped where they are absent.
//!
//! The bounds are those of the project: 95 in a hundred of what is no article, and one
//! article in two hundred. The page model was taught with these pages, so this holds
//! what is seen; docs/evaluation.md has what it does on sites left out.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "the helpers of a test")]

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use gleaner_html::Page;
use gleaner_template::{Reason, Verdict, judge};

/// The folder of recorded sets, or `None` with a line that says so.
fn sets() -> Option<PathBuf> {
    let sets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets"));
    if !sets.is_dir() {
        println!("skipped: no recorded pages beside the project (../shared/sets)");
        return None;
    }
    Some(sets.to_owned())
}

/// Id, URL, page and whether there is gold text, of each page in a folder.
fn pages(folder: &Path) -> impl Iterator<Item = (String, String, Page, bool)> {
    let manifest = fs::read_to_string(folder.join("manifest.jsonl")).expect("a set has a manifest");
    let folder = folder.to_owned();
    let records: Vec<serde_json::Value> =
        manifest.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    records.into_iter().map(move |record| {
        let id = record["id"].as_str().unwrap();
        let mut bytes = Vec::new();
        let file = File::open(folder.join(format!("{id}.html.gz"))).unwrap();
        MultiGzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        let gold = folder.join(format!("{id}.txt")).is_file();
        (
            id.to_owned(),
            record["url"].as_str().unwrap().to_owned(),
            Page::parse(&String::from_utf8_lossy(&bytes)),
            gold,
        )
    })
}

/// Pages judged, and the refused ones with their reasons.
fn refused(folder: &Path, with_gold: bool) -> (usize, Vec<(String, Reason)>) {
    let mut count = 0;
    let mut refused = Vec::new();
    for (id, url, page, gold) in pages(folder) {
        if gold != with_gold {
            continue;
        }
        count += 1;
        if let Verdict::NotArticle(reason) = judge(&page, &url) {
            refused.push((format!("{} {id}", folder.file_name().unwrap().to_string_lossy()), reason));
        }
    }
    (count, refused)
}

#[test]
fn no_article_of_a_site_is_refused() {
    let Some(sets) = sets() else { return };
    let mut all = (0, Vec::new());
    for site in fs::read_dir(sets.join("sites")).unwrap() {
        let (count, refused) = refused(&site.unwrap().path(), true);
        all.0 += count;
        all.1.extend(refused);
    }
    println!("sites: {} of {} articles refused", all.1.len(), all.0);
    assert!(all.1.is_empty(), "{:?}", all.1);
}

#[test]
fn hardly_any_single_article_is_refused() {
    let Some(sets) = sets() else { return };
    let (count, refused) = refused(&sets.join("single"), true);
    println!("single: {} of {count} articles refused: {refused:?}", refused.len());
    assert!(refused.len() * 200 <= count, "{refused:?}");
}

#[test]
fn most_other_pages_are_refused() {
    let Some(sets) = sets() else { return };
    let (count, refused) = refused(&sets.join("not-articles"), false);
    for reason in Reason::ALL {
        println!("not-articles: {} {}", refused.iter().filter(|(_, r)| *r == reason).count(), reason.label());
    }
    println!("not-articles: {} of {count} refused", refused.len());
    assert!(refused.len() * 100 >= count * 95, "{} of {count}", refused.len());
}
