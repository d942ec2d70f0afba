//! Tests that a user can have pages fetched again now, within robots.txt.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::raw_sites::{RawSites, article, html, links, not_found, text};

/// A site whose articles change with each edition, which no list reports. The server confirms each validator.
fn site() -> (RawSites, Arc<AtomicUsize>) {
    let edition = Arc::new(AtomicUsize::new(1));
    let now = Arc::clone(&edition);
    let sites = RawSites::start(move |asked| {
        let edition = now.load(Ordering::Relaxed);
        match asked.url.strip_prefix("a.example").unwrap_or_default() {
            "/robots.txt" => text("User-agent: *\nDisallow: /story/7\n"),
            "/" => {
                let paths: Vec<String> = (1..=7).map(|number| format!("/story/{number}")).collect();
                html("", &links(&paths.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            path if path.starts_with("/story/") => {
                html("ETag: \"1\"\r\n", &article(&format!("{path} {edition}"), ""))
            }
            _ => not_found(),
        }
    });
    (sites, edition)
}

/// Returns the revision of each document, by the path of its page.
fn revisions(sites: &RawSites) -> BTreeMap<String, u64> {
    let out = sites.gleaner(&["export", "--members", "--confidence", "0", "--fields", "url,revision"]);
    let documents = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let path = |document: &Value| document["url"].as_str().unwrap().replace("http://a.example", "");
    documents.map(|document| (path(&document), document["revision"].as_u64().unwrap())).collect()
}

#[test]
fn a_page_is_fetched_again_on_request_and_no_other() {
    let (sites, edition) = site();
    sites.gleaner(&["crawl", "http://a.example/"]);
    edition.store(2, Ordering::Relaxed);
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert!(revisions(&sites).values().all(|revision| *revision == 1), "no crawl fetches them again");
    let doctor = sites.gleaner(&["doctor", "http://a.example/story/2"]);
    assert!(doctor.contains("`gleaner refetch` visits it now"), "{doctor}");

    let before = sites.asked("").len();
    let said = sites.gleaner(&["refetch", "http://a.example/story/2"]);
    assert!(said.contains("revised"), "{said}");
    let asked: Vec<String> = sites.asked("").into_iter().skip(before).map(|asked| asked.url).collect();
    assert_eq!(asked, ["a.example/story/2"]);
    let expected = |path: &str| if path == "/story/2" { 2 } else { 1 };
    assert!(revisions(&sites).iter().all(|(path, revision)| *revision == expected(path)));

    sites.gleaner(&["refetch", "--host", "a.example"]);
    assert!(revisions(&sites).values().all(|revision| *revision == 2), "{:?}", revisions(&sites));
    assert!(revisions(&sites).len() == 6 && sites.asked("/story/7").is_empty());
}

#[test]
fn a_page_that_robots_txt_disallows_is_not_fetched_on_request() {
    let (sites, _) = site();
    sites.gleaner(&["crawl", "http://a.example/"]);
    let said = sites.gleaner(&["refetch", "http://a.example/story/7"]);
    assert!(said.contains("disallowed") && sites.asked("/story/7").is_empty(), "{said}");
}

#[test]
fn doctor_says_that_the_documents_of_excluded_pages_stay() {
    let (sites, _) = site();
    sites.gleaner(&["crawl", "http://a.example/"]);
    let settings = "[site.\"a.example\"]\nexclude = ['/story/2']\n";
    std::fs::write(sites.folder.path().join("x.toml"), settings).unwrap();
    let doctor = |path: &str| {
        sites.gleaner(&["doctor", &format!("http://a.example{path}"), "--config", "x.toml", "--data", "data"])
    };
    let excluded = doctor("/story/2");
    assert!(excluded.contains("its document stays in the corpus; `gleaner remove"), "{excluded}");
    assert!(!doctor("/story/3").contains("stays in the corpus"));
}

#[test]
fn unknown_pages_and_hosts_are_refused() {
    let (sites, _) = site();
    sites.gleaner(&["crawl", "http://a.example/"]);
    for (arguments, part) in [
        (&["refetch", "http://a.example/other"][..], "is not known to this corpus"),
        (&["refetch", "--host", "b.example"], "no document is on b.example"),
        (&["refetch", "mailto:a@a.example"], "mailto"),
    ] {
        let output = sites.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{arguments:?}: {said}");
    }
}

#[test]
fn a_crawl_visits_now_what_waits_for_its_next_visit() {
    let (sites, _) = site();
    sites.gleaner(&["crawl", "http://a.example/"]);
    let fronts = || sites.asked("").into_iter().filter(|asked| asked.url == "a.example/").count();
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert_eq!(fronts(), 1, "it is not due");
    sites.gleaner(&["crawl", "--now", "http://a.example/"]);
    assert_eq!(fronts(), 2);
}
