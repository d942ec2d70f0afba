//! Provides pages for the benches of all crates: generated pages and, if present, recorded pages.
//!
//! Recorded pages are in `shared/sets` next to the project: folders of `<id>.html.gz`, with one folder per
//! site in `sites`. The pages belong to their publishers and are not part of the project. If they are
//! missing, the benches print a note and continue without them.
//!
//! Limitation: a generated page repeats one pattern, to which caches and branch predictors adapt. Such a page
//! shows whether a time has changed, but not how long real pages take.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

const OF_THE_MIDDLE: usize = 60;

const SETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets");

/// Returns groups of pages with the names that benches print. The group `generated` contains one page.
/// `recorded` contains the 60 pages around the median size of all recorded pages.
#[must_use]
pub fn groups() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let groups = [("generated", vec![news_page(0)]), ("recorded", of_the_middle())];
    groups.into_iter().filter(|(name, pages)| is_present(name, pages.len())).collect()
}

/// Returns groups of sites with the names that benches print. The group `generated` contains one site with at
/// least 40 pages. `recorded` contains every recorded site with at least `least` pages, sorted by name.
#[must_use]
pub fn sites(least: usize) -> Vec<(&'static str, Vec<Vec<Vec<u8>>>)> {
    let generated = vec![(0..40.max(least)).map(news_page).collect()];
    let groups = [("generated", generated), ("recorded", recorded_sites(least))];
    groups.into_iter().filter(|(name, sites)| is_present(name, sites.len())).collect()
}

/// Returns the recorded pages that are not articles. Returns an empty list if they are missing.
#[must_use]
pub fn not_articles() -> Vec<Vec<u8>> {
    below(&Path::new(SETS).join("not-articles"))
}

/// Returns the recorded pages in a folder and its subfolders, sorted by name. Returns an empty list if the
/// folder is missing.
#[must_use]
pub fn below(folder: &Path) -> Vec<Vec<u8>> {
    pages_below(folder).iter().map(|path| read(path)).collect()
}

fn is_present(name: &str, count: usize) -> bool {
    if count == 0 {
        eprintln!("skipped: no {name} pages");
    }
    count > 0
}

/// Returns a news page of about 150 KB with head, menus, article, teasers and scripts. Each `number` yields a
/// different article of the same site. The same number always yields the same bytes.
#[must_use]
pub fn news_page(number: usize) -> Vec<u8> {
    let menu =
        "<li class=\"menu-item menu-item-type-post\"><a href=\"/section/one?a=1&amp;b=2\">Section</a></li>\n";
    let teaser = "<div class=\"teaser\"><a href=\"/2026/11/20/rain\"><img src=\"/i.jpg\" alt=\"Rain\" \
                  width=\"300\" height=\"200\"><h3>Rain ends</h3></a><span class=\"date\">20.11.</span></div>\n";
    let script = format!("<script>{}</script>\n", "if (a < b && c) { f(\"x\", 'y'); }\n".repeat(300));
    let paragraph = |at: usize| {
        format!(
            "<p class=\"body\">The rain that fell on the <b>valley</b> {number}-{at} all day ended &ndash; the \
             river rose by <a href=\"/rivers\" target=\"_blank\">two metres</a>, mayor {at} of town {number} said.</p>\n"
        )
    };
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Rain {number}</title>{script}\
         </head>\n<body><ul class=\"menu\">{}</ul><article><h1>Rain {number}</h1>{}</article>\
         <div class=\"more\">{}</div>{script}{script}</body></html>\n",
        menu.repeat(200),
        (0..150).map(paragraph).collect::<String>(),
        teaser.repeat(200),
    );
    page.into_bytes()
}

fn of_the_middle() -> Vec<Vec<u8>> {
    let mut pages = below(Path::new(SETS));
    pages.sort_by_key(Vec::len);
    let from = (pages.len() / 2).saturating_sub(OF_THE_MIDDLE / 2);
    pages.into_iter().skip(from).take(OF_THE_MIDDLE).collect()
}

fn recorded_sites(least: usize) -> Vec<Vec<Vec<u8>>> {
    let sites = entries(&Path::new(SETS).join("sites")).into_iter().map(|site| pages_below(&site));
    let sites = sites.filter(|paths| paths.len() >= least.max(1));
    sites.map(|paths| paths.iter().map(|path| read(path)).collect()).collect()
}

fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for path in entries(folder) {
        match path.is_dir() {
            true => pages.extend(pages_below(&path)),
            false if path.to_string_lossy().ends_with(".html.gz") => pages.push(path),
            false => {}
        }
    }
    pages
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).expect("a recorded page that was listed");
    MultiGzDecoder::new(file).read_to_end(&mut bytes).expect("recorded pages are gzip files");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_pages_are_of_one_site_and_differ() {
        let [one, same, other] = [1, 1, 2].map(news_page);
        assert!(one == same && one != other);
        assert!((100_000..200_000).contains(&one.len()), "{} bytes", one.len());
    }

    #[test]
    fn there_is_always_something_to_measure() {
        assert_eq!(groups()[0].1.len(), 1);
        let sites = sites(50);
        assert_eq!((sites[0].0, sites[0].1[0].len()), ("generated", 50));
        assert!(sites.iter().flat_map(|(_, sites)| sites).all(|pages| pages.len() >= 50));
    }

    #[test]
    fn what_is_absent_is_nothing() {
        assert!(below(Path::new("no such folder")).is_empty());
    }
}
