//! Tests that pages which ask not to be stored, or not to have their links followed, are obeyed in every command that
//! stores pages.

use crate::raw_sites::{RawSites, article, html, links, not_found};

/// Article `n` is at `/story/n`, and links to `/behind/n`. The numbers up to `ORDINARY` ask for nothing.
const ORDINARY: usize = 6;

fn front() -> String {
    let paths: Vec<String> = (1..=ORDINARY + 6).map(|number| format!("/story/{number}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).chain(["/list/header", "/list/meta"]).collect();
    links(&paths)
}

fn story(number: usize) -> Vec<u8> {
    let (headers, head) = match number - ORDINARY.min(number) {
        1 => ("", "<meta name=robots content='noindex, follow'>"),
        2 => ("X-Robots-Tag: noindex\r\n", ""),
        3 => ("", "<meta name=gleaner content=noindex>"),
        4 => ("X-Robots-Tag: otherbot: nofollow\r\nX-Robots-Tag: gleaner: noindex\r\n", ""),
        5 => ("X-Robots-Tag: none\r\n", ""),
        6 => ("X-Robots-Tag: otherbot: none\r\n", "<meta name=otherbot content=none>"),
        _ => ("", ""),
    };
    let key = format!("story{number}");
    let page =
        article(&key, head).replace("</article>", &format!("<a href=/behind/{number}>More</a></article>"));
    html(headers, &page)
}

fn sites() -> RawSites {
    RawSites::start(|asked| match asked.url.strip_prefix("a.example").unwrap_or_default() {
        "/" => html("", &front()),
        "/list/header" => html("X-Robots-Tag: nofollow\r\n", &links(&["/hidden/1"])),
        "/list/meta" => {
            html("", &links(&["/hidden/2"]).replace("<ul>", "<meta name=robots content=nofollow><ul>"))
        }
        path => match path.strip_prefix("/story/").and_then(|number| number.parse().ok()) {
            Some(number) => story(number),
            None => not_found(),
        },
    })
}

fn numbers(sites: &RawSites) -> Vec<usize> {
    let number = |url: String| url.rsplit('/').next().unwrap().parse().unwrap();
    let mut numbers: Vec<usize> = sites.stored().into_iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

const CRAWL: [&str; 2] = ["crawl", "http://a.example/"];
const WITHOUT: [&str; 2] = ["--set", "crawl.robots_meta=[]"];

/// The ordinary pages, and the page that asks another crawler.
fn allowed() -> Vec<usize> {
    (1..=ORDINARY).chain([ORDINARY + 6]).collect()
}

fn all() -> Vec<usize> {
    (1..=ORDINARY + 6).collect()
}

#[test]
fn a_noindex_page_is_not_stored_and_its_links_are_followed() {
    // With 5 pages, the template is learned before the last pages. With 99, all pages would be buffered.
    for prepare_pages in ["5", "99"] {
        let sites = sites();
        let set = format!("template.prepare_pages={prepare_pages}");
        let report = sites.gleaner(&[&CRAWL[..], &["--set", &set]].concat());
        assert_eq!(numbers(&sites), allowed(), "{report}");
        for number in [1, 2, 3, 4, 6].map(|number| ORDINARY + number) {
            assert_eq!(sites.asked(&format!("/behind/{number}")).len(), 1, "the links of page {number}");
        }
        assert_eq!(sites.asked(&format!("/behind/{}", ORDINARY + 5)), [], "`none` means nofollow too");
        assert_eq!(sites.asked("/hidden/"), [], "nofollow counts in a header as in a page");
        let doctor = sites.gleaner(&["doctor", &format!("http://a.example/story/{}", ORDINARY + 2)]);
        assert!(doctor.contains("no document: kept out by the settings: the page says noindex"), "{doctor}");
        // A later run does not find the pages in a buffer.
        sites.gleaner(&[&CRAWL[..], &["--set", "crawl.revisit=0s"]].concat());
        assert_eq!(numbers(&sites), allowed());
    }
}

#[test]
fn replays_of_the_archive_decide_like_the_crawl() {
    let sites = sites();
    sites.gleaner(&[&CRAWL[..], &WITHOUT].concat());
    assert_eq!(numbers(&sites), all(), "the setting switches it off");
    assert_eq!(sites.asked("/hidden/").len(), 2);

    sites.gleaner(&["reextract"]);
    assert_eq!(numbers(&sites), allowed());
    sites.gleaner(&[&["reextract"][..], &WITHOUT].concat());
    assert_eq!(numbers(&sites), all());
    sites.gleaner(&["rebuild", "--relearn", "--force"]);
    assert_eq!(numbers(&sites), allowed());

    let archive = sites.folder.path().join("data/archive");
    let files: Vec<String> =
        std::fs::read_dir(archive).unwrap().map(|file| file.unwrap().path().display().to_string()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    sites.gleaner(&[&["ingest"][..], &files, &["--data", "other"]].concat());
    let exported = sites.gleaner(&["export", "--members", "--confidence", "0", "--data", "other"]);
    assert_eq!(exported.lines().count(), allowed().len());
}
