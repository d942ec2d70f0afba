//! Tests that a removed document is in no file of the corpus, and does not come back.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gleaner_corpus::Document;
use gleaner_store::{StoreOptions, open};
use gleaner_testkit::GeneratedPapers;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::distributed::Cluster;
use crate::web::{HTML, Web, article, front, measured};

const ARTICLES: usize = 12;

/// A new address of article 5.
const MOVED: &str = "/news/an-old-story-at-a-new-address.html";

/// Serves articles of two hosts. `b.example` has the text of article 3 of `a.example` under its own address. While
/// `has_moved` is true, article 5 is also at [`MOVED`].
fn web_with(has_moved: Arc<AtomicBool>) -> Web {
    let own: Vec<String> =
        (1..=ARTICLES).map(|number| format!("/news/a-story-of-number-{number}.html")).collect();
    Web::start(move |asked| {
        let moved = has_moved.load(Ordering::Relaxed).then_some(MOVED);
        let paths: Vec<&str> = own.iter().map(String::as_str).chain(moved).collect();
        let (host, path) = asked.url.split_once('/').unwrap_or((&asked.url, ""));
        let number =
            |path: &str| path.strip_prefix("news/a-story-of-number-")?.strip_suffix(".html")?.parse().ok();
        match (host, path, number(path)) {
            (_, "", _) => front(&paths),
            ("a.example", path, _) if moved.is_some_and(|moved| moved[1..] == *path) => page(5),
            ("a.example", _, Some(number)) => page(number),
            ("b.example", _, Some(3)) => page(3),
            ("b.example", _, Some(number)) => page(100 + number),
            _ => crate::web::response("404 Not Found", HTML, b""),
        }
    })
}

fn web() -> Web {
    web_with(Arc::default())
}

fn page(number: usize) -> Vec<u8> {
    let page = article(number);
    measured(HTML, page.len(), page.as_bytes())
}

fn url(host: &str, number: usize) -> String {
    format!("http://{host}/news/a-story-of-number-{number}.html")
}

/// The last sentence of an article, which no other article has.
fn sentence(number: usize) -> String {
    format!("This is the end of article {number}.")
}

fn crawled() -> Web {
    let web = web();
    web.succeeds(&["crawl", "http://a.example", "http://b.example"]);
    assert_eq!(numbers(&web), all_without(&[]));
    web
}

/// Returns the files below a folder that contain the bytes, also in gzip members and Zstandard frames.
pub fn files_with(folder: &Path, wanted: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, wanted));
            continue;
        }
        let content = fs::read(&path).unwrap();
        if has(&content, wanted.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn has(content: &[u8], wanted: &[u8]) -> bool {
    let is_in = |bytes: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
    let parts = |magic: &'static [u8]| {
        (0..content.len()).filter(move |at| content[*at..].starts_with(magic)).map(|at| &content[at..])
    };
    let decoded = |mut reader: Box<dyn Read + '_>| {
        let mut out = Vec::new();
        // Bytes that look like a beginning may be none, and a part of the data may come before the error.
        let _ = reader.read_to_end(&mut out);
        out
    };
    is_in(content)
        || parts(&[0x1f, 0x8b, 8]).any(|part| is_in(&decoded(Box::new(flate2::read::GzDecoder::new(part)))))
        || parts(&[0x28, 0xb5, 0x2f, 0xfd]).any(|part| {
            let decoder = zstd::stream::read::Decoder::new(Cursor::new(part));
            decoder.is_ok_and(|decoder| is_in(&decoded(Box::new(decoder.single_frame()))))
        })
}

fn in_files(web: &Web, number: usize) -> Vec<String> {
    files_with(&web.folder.path().join("data"), &sentence(number))
}

/// Returns the numbers of the articles in the corpus. An article of both hosts is there once, at any of its URLs.
fn numbers(web: &Web) -> BTreeSet<usize> {
    let number = |text: &String| text.rsplit(' ').next()?.strip_suffix('.')?.parse().ok();
    web.corpus().values().map(|text| number(text).unwrap()).collect()
}

fn all_without(removed: &[usize]) -> BTreeSet<usize> {
    let all = (1..=ARTICLES).chain(101..=100 + ARTICLES).filter(|number| *number != 103);
    all.filter(|number| !removed.contains(number)).collect()
}

fn check(web: &Web) {
    let said = web.succeeds(&["verify"]);
    assert!(said.contains("No fault was found."), "{said}");
}

#[test]
fn preview_changes_nothing() {
    let web = crawled();
    let said = web.succeeds(&["remove", &url("a.example", 5)]);
    for part in ["1 document", &url("a.example", 5), "--yes"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(numbers(&web), all_without(&[]));
    assert!(!in_files(&web, 5).is_empty());
    assert!(web.succeeds(&["removals"]).contains("nothing was removed"));
}

#[test]
fn removed_document_is_in_no_file_and_does_not_come_back() {
    let web = crawled();
    web.succeeds(&["rebuild"]);
    assert!(!in_files(&web, 3).is_empty());
    let said = web.succeeds(&["remove", &url("b.example", 3), "--reason", "a letter", "--yes"]);
    assert!(said.contains("removal 1: 1 document"), "{said}");
    assert_eq!(in_files(&web, 3), [""; 0], "a removed text is left");
    assert_eq!(numbers(&web), all_without(&[3]));
    check(&web);
    assert!(!web.folder.path().join("data/sled.old-1").exists());

    let said = web.succeeds(&["removals", "--urls"]);
    for part in ["a letter", &url("a.example", 3), &url("b.example", 3)] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = web.succeeds(&["doctor", &url("a.example", 3)]);
    assert!(said.contains("removed on") && said.contains("a letter"), "{said}");

    let asked = |host: &str| web.asked(url(host, 3).trim_start_matches("http://"));
    let requests = (asked("a.example"), asked("b.example"));
    web.succeeds(&["crawl", "http://a.example", "http://b.example", "--set", "crawl.revisit=0s"]);
    assert_eq!((asked("a.example"), asked("b.example")), requests);
    for command in ["rebuild", "reextract"] {
        web.succeeds(&[command]);
        assert_eq!(numbers(&web), all_without(&[3]), "{command}");
        check(&web);
    }
    assert_eq!(in_files(&web, 3), [""; 0]);
    // The archive alone restores the corpus and the removal.
    let before = web.succeeds(&["export", "--members", "--confidence", "0"]);
    for arguments in [&["rebuild"][..], &["rebuild", "--relearn"]] {
        fs::remove_dir_all(web.folder.path().join("data/sled")).unwrap();
        web.succeeds(arguments);
        assert_eq!(numbers(&web), all_without(&[3]), "{arguments:?}");
        assert!(web.succeeds(&["removals"]).contains("a letter"), "{arguments:?}");
        if arguments.len() == 1 {
            assert_eq!(web.succeeds(&["export", "--members", "--confidence", "0"]), before);
        }
    }
    assert_eq!(in_files(&web, 3), [""; 0]);
}

#[test]
fn raw_page_is_removed_and_other_urls_are_named() {
    let web = web();
    // Without a template, the raw pages are kept.
    let sets = ["--set", "template.min_pages=90", "--set", "template.prepare_pages=90"];
    web.succeeds(&[&["crawl", "http://a.example", "http://b.example"], &sets[..]].concat());
    let in_store = |files: &[String]| files.iter().filter(|file| file.contains("/sled/")).count();
    assert!(in_store(&in_files(&web, 3)) >= 2, "the text and the raw page are stored");
    let said = web.succeeds(&["remove", &url("a.example", 3)]);
    for part in ["Other URLs", &url("a.example", 3), &url("b.example", 3)] {
        assert!(said.contains(part), "{part}: {said}");
    }
    web.succeeds(&["remove", &url("a.example", 3), "--yes"]);
    assert_eq!(in_files(&web, 3), [""; 0]);
    check(&web);
    web.succeeds(&["crawl", "http://a.example", "http://b.example"]);
    assert_eq!(numbers(&web), all_without(&[3]));
    check(&web);
}

#[test]
fn removed_text_does_not_come_back_under_a_new_url() {
    let has_moved = Arc::new(AtomicBool::new(false));
    let web = web_with(Arc::clone(&has_moved));
    web.succeeds(&["crawl", "http://a.example", "http://b.example"]);
    web.succeeds(&["remove", &url("a.example", 5), "--yes"]);
    has_moved.store(true, Ordering::Relaxed);
    let moved = format!("a.example{MOVED}");
    let requests = || web.all_asked().iter().filter(|url| **url == moved).count();
    web.succeeds(&["crawl", "http://a.example", "http://b.example", "--now"]);
    assert_eq!(requests(), 1);
    assert_eq!(numbers(&web), all_without(&[5]));
    assert_eq!(in_files(&web, 5), [""; 0], "its response is not archived");
    // The new URL is removed too.
    web.succeeds(&["crawl", "http://a.example", "http://b.example", "--now"]);
    assert_eq!(requests(), 1);
    assert!(web.succeeds(&["doctor", &format!("http://{moved}")]).contains("removed"));
    check(&web);
}

#[test]
fn a_word_and_an_ending_of_many_sites_are_refused() {
    let web = web();
    for arguments in [["remove", "a"], ["remove", "--host=com.vn"], ["remove", "--host=nosuch"]] {
        let refused = web.run(&arguments);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("no dot in it") || said.contains("ending that many sites share"), "{said}");
    }
}

#[test]
fn a_removal_that_would_not_find_the_archive_is_refused() {
    let web = crawled();
    let refused = web.run(&["remove", &url("a.example", 5), "--yes", "--set", "archive.path=elsewhere"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("set archive.path as in the crawls"));
    assert!(!web.folder.path().join("elsewhere").exists());
    assert_eq!(numbers(&web), all_without(&[]));
}

#[test]
fn kept_archive_does_not_bring_a_document_back() {
    let web = crawled();
    web.succeeds(&["remove", &url("a.example", 7), "--keep-archive", "--yes"]);
    let left = in_files(&web, 7);
    assert!(left.iter().all(|file| file.contains("/archive/")) && !left.is_empty(), "{left:?}");
    for command in ["rebuild", "reextract"] {
        web.succeeds(&[command]);
        assert_eq!(numbers(&web), all_without(&[7]), "{command}");
    }
    web.succeeds(&["ingest", "data/archive"]);
    assert_eq!(numbers(&web), all_without(&[7]));
    check(&web);
    web.succeeds(&["removals", "--take-back", "1"]);
    web.succeeds(&["rebuild"]);
    assert_eq!(numbers(&web), all_without(&[7]), "a rebuild restores the corpus as it is");
    web.succeeds(&["rebuild", "--relearn"]);
    assert_eq!(numbers(&web), all_without(&[]));
}

#[test]
fn removed_host_gets_no_request() {
    let web = crawled();
    let said = web.succeeds(&["remove", "--host", "b.example", "--yes"]);
    assert!(said.contains("removal 1"), "{said}");
    // Article 3 is on both hosts.
    assert_eq!(numbers(&web), (1..=ARTICLES).collect());
    assert!(web.corpus().keys().all(|url| url.starts_with("http://a.example/")));
    assert_eq!(in_files(&web, 105), [""; 0]);
    check(&web);
    let requests = || web.all_asked().iter().filter(|url| url.starts_with("b.example")).count();
    let before = requests();
    let said = web.succeeds(&["crawl", "http://a.example", "http://b.example", "--set", "crawl.revisit=0s"]);
    assert!(
        said.contains("http://b.example/ is not requested, because it was removed (removal 1)"),
        "{said}"
    );
    assert_eq!(requests(), before);
    let said = web.succeeds(&["doctor", "b.example"]);
    assert!(said.contains("removed on"), "{said}");
    web.succeeds(&["rebuild"]);
    assert_eq!(numbers(&web), (1..=ARTICLES).collect());
}

#[test]
fn condition_removes_what_meets_it_now() {
    let web = crawled();
    let said =
        web.succeeds(&["remove", "--where", "host=b.example and not title~'of 3'", "--yes", "--forget-urls"]);
    assert!(said.contains("removal 1: 11 documents"), "{said}");
    assert!((1..=ARTICLES).all(|number| numbers(&web).contains(&number)));
    let said = web.succeeds(&["removals", "--urls"]);
    assert!(said.contains("hash ") && !said.contains("a-story-of-number"), "{said}");
    let no_match = web.run(&["remove", "--where", "words>100000", "--yes"]);
    assert_eq!(no_match.status.code(), Some(1));
    assert_eq!(web.run(&["remove", "--where", "words>many"]).status.code(), Some(2));
    let said = web.succeeds(&["remove", "--host", "nosuch.example"]);
    assert!(said.contains("The corpus has no host"), "{said}");
}

#[test]
fn incremental_export_names_removed_documents() {
    let web = crawled();
    web.succeeds(&["export", "--members", "--confidence", "0", "--into", "first"]);
    web.succeeds(&["remove", &url("a.example", 5), "--yes"]);
    web.succeeds(&["export", "--into", "second", "--since", "first"]);
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(web.folder.path().join("second/manifest.json")).unwrap()).unwrap();
    let list = fs::read_to_string(web.folder.path().join("second/removed.txt")).unwrap();
    let ids = web.succeeds(&["removals", "--ids"]);
    assert_eq!(list, ids);
    assert_eq!(list.lines().count(), 1);
    assert_eq!(manifest["removed"]["documents"], 1);
    let earlier = web.succeeds(&["export", "--members", "--confidence", "0"]);
    assert!(!earlier.contains(list.trim()));
    let first = files_with(&web.folder.path().join("first"), list.trim());
    assert!(!first.is_empty(), "the earlier export has the document");
}

/// Kills removals at random moments. The next removal finishes those that were recorded.
#[test]
fn killed_removal_is_finished_by_the_next() {
    let web = crawled();
    let mut random = StdRng::seed_from_u64(40);
    let mut named = BTreeSet::new();
    for number in (1..=ARTICLES).filter(|number| *number != 3) {
        let address = url("a.example", number);
        // A preview takes as long as the first half of a removal, also on a busy machine.
        let begun = Instant::now();
        web.succeeds(&["remove", &address]);
        let half = begun.elapsed();
        let mut command = web.command(&["remove", &address, "--yes"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(half.mul_f64(random.random_range(0.2..2.5)));
        child.kill().unwrap();
        child.wait().unwrap();
        check(&web);
        let listed = web.succeeds(&["removals", "--urls"]);
        if listed.contains(&address) {
            named.insert(number);
        }
        // What is recorded is not requested again, finished or not.
        assert!(named.iter().all(|number| listed.contains(&url("a.example", *number))), "{listed}");
    }
    assert!(!named.is_empty() && named.len() < ARTICLES, "some kills come early and some late: {named:?}");
    web.succeeds(&["remove", &url("b.example", 1), "--yes"]);
    let removed: Vec<usize> = named.iter().copied().chain([101]).collect();
    assert_eq!(numbers(&web), all_without(&removed));
    for number in removed {
        assert_eq!(in_files(&web, number), [""; 0], "{number}");
    }
    check(&web);
    assert!(!web.succeeds(&["removals"]).contains("interrupted"));
}

const PAPERS: GeneratedPapers =
    GeneratedPapers { hosts: 6, articles: 12, listed: 11, wire: 3, redirected: 0 };

#[test]
fn removal_concerns_all_workers_and_moves_with_the_corpus() {
    let Some(cluster) = Cluster::with_papers(PAPERS, &["fsync=off"]) else { return };
    let workers = ["one", "two", "three"].map(|name| cluster.worker(name));
    let store = || cluster.store();
    let refused = cluster.run(&["remove", "--host", "paper-1.example", "--yes"]);
    assert!(!refused.status.success(), "workers are crawling");
    workers.into_iter().for_each(|worker| drop(worker.ends()));
    let documents: Vec<Document> = store().documents().map(Result::unwrap).collect();
    let has_aliases = |document: &&Document| store().urls_of(document).unwrap().len() > 1;
    let wire = documents.iter().find(has_aliases).unwrap();
    let urls = store().urls_of(wire).unwrap();
    let part = wire.text.lines().next().unwrap().chars().take(60).collect::<String>();
    let objects = cluster.folder.path().join("objects");
    assert!(files_with(&objects, &part).len() >= 2, "a text is in a WARC file and in a file of documents");

    let done = cluster.run(&["remove", &urls[1], "--yes"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(files_with(&objects, &part), [""; 0]);
    let verified = cluster.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    assert_eq!(store().totals().unwrap().documents(), documents.len() as u64 - 1);

    let asked = || {
        cluster
            .newspaper
            .requests()
            .iter()
            .filter(|it| urls.iter().any(|url| url.ends_with(&it.path)))
            .count()
    };
    let before = asked();
    let crawl = ["crawl", "--seeds", "seeds.txt", "--set", "crawl.revisit=0s"];
    let workers = ["one", "two"].map(|name| cluster.worker_that(name, &crawl));
    workers.into_iter().for_each(|worker| drop(worker.ends()));
    assert_eq!(asked(), before);
    let worker = cluster.worker_that("one", &["reextract"]);
    worker.ends();
    assert_eq!(store().totals().unwrap().documents(), documents.len() as u64 - 1);

    let moved = cluster
        .alone(
            "back",
            &["migrate", "--from", &cluster.address, "--to", "sled", "--objects", &cluster.objects.0],
        )
        .output()
        .unwrap();
    assert!(moved.status.success(), "{}", String::from_utf8_lossy(&moved.stderr));
    let listed = cluster.alone("back", &["removals", "--urls"]).stdout(Stdio::piped()).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(urls.iter().all(|url| listed.contains(url)), "{listed}");
    let crawled = cluster.alone("back", &crawl).output().unwrap();
    assert!(matches!(crawled.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&crawled.stderr));
    assert_eq!(asked(), before);
}

/// Serves `d.example` with a sitemap, a feed and redirects that lead to removed pages and a copy of a removed page, and
/// `c.example`, whose robots.txt redirects to `b.example`.
fn web_that_leads_back() -> Web {
    let removed = url("a.example", 5);
    let sitemap = format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>{removed}</loc>\
         <lastmod>2099-01-01T00:00:00Z</lastmod></url></urlset>"
    );
    let feed = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title><item><title>Five</title>\
         <link>{removed}</link><guid>{removed}</guid></item></channel></rss>"
    );
    let front = "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\"></head><body><ul>\
        <li><a href=\"/news/a-story-of-number-5.html\">A story about the number five</a></li>\
        <li><a href=\"/go\">A story on another site</a></li>\
        <li><a href=\"/back\">Another story on another site</a></li>\
        <li><a href=\"http://a.example/news/a-story-of-number-5.html\">A story about five</a></li>\
        <li><a href=\"/news/a-story-of-number-6.html\">A story about the number six</a></li></ul></body></html>";
    Web::start(move |asked| {
        let xml = "Content-Type: application/xml\r\n";
        let moved = |to: &str| {
            crate::web::response("302 Found", &format!("Location: {to}\r\nContent-Length: 0\r\n"), b"")
        };
        match asked.url.as_str() {
            "a.example/" | "b.example/" | "c.example/" | "d.example/" => {
                measured(HTML, front.len(), front.as_bytes())
            }
            "d.example/robots.txt" => {
                measured("Content-Type: text/plain\r\n", 37, b"Sitemap: http://d.example/sitemap.xml")
            }
            "d.example/sitemap.xml" => measured(xml, sitemap.len(), sitemap.as_bytes()),
            "d.example/feed.xml" => measured(xml, feed.len(), feed.as_bytes()),
            "d.example/go" => moved("http://b.example/news/a-story-of-number-8.html"),
            "d.example/back" => moved("http://a.example/news/a-story-of-number-5.html"),
            "c.example/robots.txt" => moved("http://b.example/robots.txt"),
            url => match url
                .split_once("/news/a-story-of-number-")
                .and_then(|(_, rest)| rest.strip_suffix(".html"))
            {
                Some(number) => page(number.parse().unwrap()),
                None => crate::web::response("404 Not Found", HTML, b""),
            },
        }
    })
}

#[test]
fn no_feed_sitemap_or_redirect_leads_to_removed_pages() {
    let web = web_that_leads_back();
    web.succeeds(&["crawl", "http://a.example", "http://b.example"]);
    let is_removed =
        |it: &&String| it.starts_with("b.example") || *it == "a.example/news/a-story-of-number-5.html";
    let asked = || web.all_asked().iter().filter(is_removed).count();
    assert!(asked() >= 3, "the pages are requested before they are removed");
    web.succeeds(&["remove", "--host", "b.example", "--yes"]);
    web.succeeds(&["remove", &url("a.example", 5), "--yes"]);
    let before = asked();
    let seeds = ["http://a.example", "http://b.example", "http://c.example", "http://d.example"];
    let said = web.run(&[&["crawl"], &seeds[..]].concat());
    assert_eq!(asked(), before, "{}", String::from_utf8_lossy(&said.stderr));
    let leads = [
        "c.example/robots.txt",
        "d.example/sitemap.xml",
        "d.example/feed.xml",
        "d.example/go",
        "d.example/back",
    ];
    for lead in leads.into_iter().chain(["d.example/news/a-story-of-number-5.html"]) {
        assert!(web.asked(lead) > 0, "{lead}");
    }
    let texts: Vec<String> = web.corpus().into_values().collect();
    assert!(texts.iter().all(|text| !text.contains(&sentence(5))), "a copy has the removed text");
}

#[test]
fn snapshot_obeys_and_a_corpus_in_use_refuses_a_removal() {
    let web = crawled();
    web.succeeds(&["remove", &url("a.example", 2), "--yes"]);
    web.succeeds(&["snapshot", "copy"]);
    assert_eq!(files_with(&web.folder.path().join("copy"), &sentence(2)), [""; 0]);
    std::fs::remove_dir_all(web.folder.path().join("data")).unwrap();
    std::fs::rename(web.folder.path().join("copy"), web.folder.path().join("data")).unwrap();
    let address = url("a.example", 2);
    let requests = web.asked(address.trim_start_matches("http://"));
    web.succeeds(&["crawl", "http://a.example", "--set", "crawl.revisit=0s"]);
    assert_eq!(web.asked(address.trim_start_matches("http://")), requests);

    let options = StoreOptions { cache: 16 << 20, create: false };
    let writer = open(&web.folder.path().join("data"), &options).unwrap();
    let refused = web.run(&["remove", &url("a.example", 1), "--yes"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && said.contains("is in use"), "{said}");
    drop(writer);
    web.succeeds(&["remove", &url("a.example", 1), "--yes"]);
}

#[test]
fn killed_removal_in_a_database_is_finished_by_the_next() {
    let Some(cluster) = Cluster::with_papers(PAPERS, &["fsync=off"]) else { return };
    cluster.worker("one").ends();
    let before = cluster.store().totals().unwrap().documents();
    // An article of one paper alone.
    let path = "/news/2026/11/a-story-that-is-number-5.html";
    let own: Vec<Document> = cluster
        .store()
        .documents()
        .map(Result::unwrap)
        .filter(|document| document.url.ends_with(path))
        .collect();
    assert_eq!(own.len(), PAPERS.hosts);
    let mut random = StdRng::seed_from_u64(41);
    for document in &own[1..4] {
        let mut command = cluster.command("reader", &["remove", &document.url, "--yes"]);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(300..1_500)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let done = cluster.run(&["remove", &own[0].url, "--yes"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let store = cluster.store();
    assert!(store.unfinished_removals().unwrap().is_empty());
    let removed: Vec<&Document> =
        own.iter().filter(|document| store.document(document.id).unwrap().is_none()).collect();
    assert_eq!(store.totals().unwrap().documents(), before - removed.len() as u64);
    let objects = cluster.folder.path().join("objects");
    for document in removed {
        let part: String = document.text.lines().nth(3).unwrap().chars().take(60).collect();
        assert_eq!(files_with(&objects, &part), [""; 0], "{}", document.url);
    }
    let verified = cluster.run(&["verify"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn what_was_removed_is_not_removed_twice() {
    let web = crawled();
    let said = |words: &[&str]| String::from_utf8(web.run(words).stderr).unwrap();
    let one = url("a.example", 5);
    web.succeeds(&["remove", &one, "--yes"]);
    for words in [&["remove", &one][..], &["remove", &one, "--yes"]] {
        let said = said(words);
        assert!(said.contains("already removed (removal 1); nothing to do"), "{said}");
    }
    web.succeeds(&["remove", "--host", "b.example", "--keep-archive", "--yes"]);
    let again = said(&["remove", "--host", "b.example", "--keep-archive", "--yes"]);
    assert!(again.contains("already removed (removal 2)"), "{again}");
    // The archive still has the pages, so this is another removal.
    let whole = said(&["remove", "--host", "b.example", "--yes"]);
    assert!(whole.contains("removal 3:"), "{whole}");
    let all = said(&["remove", &one, "--host", "b.example", "--yes"]);
    assert!(!all.contains("removal 4"), "{all}");
}
