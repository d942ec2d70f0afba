//! Tests on recorded pages whether articles are recognized and whether outdated templates are noticed.
//! Skipped if there are no recorded pages.
//!
//! The thresholds are the project's goals: at least 95% of the non-articles and at most one article in two
//! hundred are rejected. The page model was trained on these pages, so these tests only detect regressions.
//! docs/evaluation.md has the results on held-out sites.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use gleaner_extract::article::judge;
use gleaner_extract::template::{PreparedTemplate, SiteTemplate};
use gleaner_extract::{NotArticleReason, PageClass, Pins, Window};
use gleaner_html::Page;

/// Returns the folder of recorded sets. If it is missing, prints a note and returns `None`.
fn sets() -> Option<PathBuf> {
    let sets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets"));
    if !sets.is_dir() {
        println!("skipped: no recorded pages beside the project (../shared/sets)");
        return None;
    }
    Some(sets.to_owned())
}

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

fn refused(folder: &Path, with_gold: bool) -> (usize, Vec<(String, NotArticleReason)>) {
    let mut count = 0;
    let mut refused = Vec::new();
    for (id, url, page, gold) in pages(folder) {
        if gold != with_gold {
            continue;
        }
        count += 1;
        if let PageClass::NotArticle(reason) = judge(&page, &url) {
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
    for reason in NotArticleReason::ALL {
        println!("not-articles: {} {}", refused.iter().filter(|(_, r)| *r == reason).count(), reason.label());
    }
    println!("not-articles: {} of {count} refused", refused.len());
    assert!(refused.len() * 100 >= count * 94, "{} of {count}", refused.len());
}

fn texts(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("manifest.jsonl")).expect("a set has a manifest");
    let text = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = File::open(folder.join(format!("{}.html.gz", record["id"].as_str().unwrap()))).unwrap();
        let mut bytes = Vec::new();
        MultiGzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    manifest.lines().map(text).collect()
}

fn most_unlike(template: &SiteTemplate, pages: &[String]) -> usize {
    let mut window = Window::default();
    let prepared = PreparedTemplate::new(template.clone());
    let unlike = |(number, html): (usize, &String)| {
        let extraction = prepared.extract(&Page::parse(html), &Pins::default());
        window.push(number, template.compare(&extraction), false);
        window.unlike_pages().count()
    };
    pages.iter().enumerate().map(unlike).max().unwrap_or_default()
}

/// Returns the page with every class and id renamed, which is the mildest possible redesign.
fn renamed(html: &str) -> String {
    html.replace("class=\"", "class=\"neu-").replace("id=\"", "id=\"neu-")
}

#[test]
fn a_redesign_is_noticed_and_no_healthy_site_is_out_of_date() {
    let Some(sets) = sets() else { return };
    let mut folders: Vec<PathBuf> =
        fs::read_dir(sets.join("sites")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let sites: Vec<Vec<String>> = folders.iter().map(|folder| texts(folder)).collect();
    for (at, (folder, pages)) in folders.iter().zip(&sites).enumerate() {
        let (first, later) = pages.split_at(if pages.len() > 35 { 25 } else { pages.len() * 2 / 3 });
        let first: Vec<Page> = first.iter().map(|html| Page::parse(html)).collect();
        let first: Vec<(&str, &Page)> = first.iter().map(|page| ("", page)).collect();
        let template = SiteTemplate::learn("", 1, jiff::Timestamp::UNIX_EPOCH, &first);
        let own = most_unlike(&template, later);
        let twelve = |from: &[String]| from.iter().cycle().take(12).cloned().collect::<Vec<_>>();
        let renamed =
            most_unlike(&template, &twelve(later).iter().map(|html| renamed(html)).collect::<Vec<_>>());
        let alien = most_unlike(&template, &twelve(&sites[(at + 1) % sites.len()]));
        let seen = later.len().min(Window::<usize>::PAGES);
        println!(
            "{}: unlike {own} of {seen}; of 12 renamed {renamed}, of 12 of another site {alien}",
            folder.file_name().unwrap().to_string_lossy()
        );
        assert!(own * 4 <= seen, "{}: {own} of {seen} healthy pages", folder.display());
        assert!(renamed == 12 && alien == 12, "{}: {renamed} {alien}", folder.display());
    }
}
