//! Tests that what a site and its pages state about their use is recorded with each document, in every command that
//! stores documents, and that exports and the corpus can be limited to what is allowed.

use std::collections::BTreeMap;

use gleaner_archive::Capture;
use jiff::Timestamp;
use serde_json::Value;

use crate::raw_sites::{Asked, RawSites, article, html, links, not_found, response, text};

// Article `n` is at `/story/n`. Some of them state something about themselves.
const ROBOTS: &str = "User-agent: *\n\
    Content-Signal: search=yes, ai-train=no\n\
    Content-Usage: /story/7 train-ai=y, ai-use=n\n\
    Disallow: /private/\n\n\
    User-agent: CCBot\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /story/8\n\n\
    License: https://a.example/license.xml\n";

const TDMREP: &str = r#"[{"location": "/story/6", "tdm-reservation": 1, "tdm-policy": "https://a.example/tdm"},
    {"location": "/story/9", "tdm-reservation": 1}, {"location": "/story/10", "tdm-reservation": 0}]"#;

fn story(number: usize) -> Vec<u8> {
    let (headers, head) = match number {
        8 => ("tdm-reservation: 1\r\nContent-Usage: search=n\r\n", ""),
        9 => ("tdm-reservation: 1\r\n", "<meta name=tdm-reservation content=0>"),
        10 => ("X-Robots-Tag: noai\r\nLink: </terms>; rel=\"license\"\r\n", ""),
        11 => ("", "<meta name=robots content='noimageai, index'>"),
        _ => ("", ""),
    };
    html(headers, &article(&format!("story{number}"), head))
}

fn answer(asked: &Asked) -> Vec<u8> {
    match asked.url.split_once('/').unwrap_or_default() {
        ("a.example", "robots.txt") => text(ROBOTS),
        ("a.example", ".well-known/tdmrep.json") => {
            response("200 OK", "Content-Type: application/json\r\n", TDMREP)
        }
        ("a.example" | "quiet.example", "") => {
            let paths: Vec<String> = (1..=11).map(|number| format!("/story/{number}")).collect();
            html("", &links(&paths.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        ("a.example", path) => match path.strip_prefix("story/").and_then(|number| number.parse().ok()) {
            Some(number) => story(number),
            None => not_found(),
        },
        ("quiet.example", path) if path.starts_with("story/") => {
            html("", &article(&format!("quiet {path}"), ""))
        }
        _ => not_found(),
    }
}

const FIELDS: &str = "url,use_train_ai,use_search,use_ai_input,use_tdm,use_statements,barred_agents,robots_fetched,\
                      tdmrep_fetched,archive_file";

/// Returns the fields of each document by the path of its URL.
fn exported(sites: &RawSites, options: &[&str]) -> BTreeMap<String, Value> {
    let export = ["export", "--members", "--confidence", "0", "--fields", FIELDS];
    let out = sites.gleaner(&[&export[..], options].concat());
    let documents = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let name = |document: &Value| {
        let url = document["url"].as_str().unwrap().split_once("://").unwrap().1.to_owned();
        url.replace("a.example/story/", "")
    };
    documents.map(|document| (name(&document), document)).collect()
}

fn preferences(document: &Value) -> [&str; 4] {
    ["use_train_ai", "use_search", "use_ai_input", "use_tdm"].map(|field| document[field].as_str().unwrap())
}

const CRAWL: [&str; 3] = ["crawl", "http://a.example/", "http://quiet.example/"];

fn without_archive(mut documents: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    documents
        .values_mut()
        .for_each(|document| drop(document.as_object_mut().unwrap().remove("archive_file")));
    documents
}

#[test]
fn statements_are_recorded_and_every_replay_finds_the_same() {
    // With 5 pages, the template is learned before the last pages. With 99, all pages are buffered.
    for prepare_pages in ["5", "99"] {
        let sites = RawSites::start(answer);
        let set = format!("template.prepare_pages={prepare_pages}");
        sites.gleaner(&[&CRAWL[..], &["--set", &set]].concat());
        let documents = exported(&sites, &[]);
        assert_eq!(documents.len(), 22);
        let use_of = |name: &str| preferences(&documents[name]);
        assert_eq!(use_of("1"), ["disallow", "allow", "unknown", "unknown"]);
        assert_eq!(use_of("6"), ["disallow", "allow", "unknown", "disallow"]);
        assert_eq!(use_of("7"), ["disallow", "allow", "disallow", "unknown"]);
        assert_eq!(use_of("8"), ["disallow", "disallow", "unknown", "disallow"]);
        assert_eq!(
            use_of("9"),
            ["disallow", "allow", "unknown", "allow"],
            "the page comes before the header"
        );
        assert_eq!(use_of("10"), ["disallow", "allow", "unknown", "allow"]);
        let statements = documents["10"]["use_statements"].to_string();
        for stated in [
            "robots.txt Content-Signal: search=yes, ai-train=no",
            "robots.txt License: https://a.example/license.xml",
            "tdmrep.json tdm-reservation: /story/10 0",
            "header X-Robots-Tag: noai",
            "header license: /terms",
        ] {
            assert!(statements.contains(stated), "{stated} in {statements}");
        }
        assert!(documents["11"]["use_statements"].to_string().contains("page robots: noimageai, index"));
        assert_eq!(documents["8"]["barred_agents"].to_string(), "[\"CCBot\",\"GPTBot\"]");
        assert_eq!(documents["7"]["barred_agents"].to_string(), "[\"CCBot\"]");
        let quiet = &documents["quiet.example/story/1"];
        assert_eq!(preferences(quiet), ["unknown"; 4]);
        assert!(quiet["robots_fetched"].is_null() && quiet["tdmrep_fetched"].is_null(), "{quiet}");
        assert_eq!(sites.asked("a.example/.well-known/tdmrep.json").len(), 1, "one request a day");

        // The archive has the records that prove the statements.
        let archive = sites.folder.path().join("data/archive");
        let files: Vec<_> = std::fs::read_dir(archive).unwrap().map(|file| file.unwrap().path()).collect();
        let mut warc = String::new();
        for file in &files {
            let bytes = std::fs::read(file).unwrap();
            let mut plain = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&*bytes), &mut plain).unwrap();
            warc += &String::from_utf8_lossy(&plain);
        }
        for (field, target) in
            [("robots_fetched", "/robots.txt"), ("tdmrep_fetched", "/.well-known/tdmrep.json")]
        {
            let fetched: Timestamp = documents["6"][field].as_str().unwrap().parse().unwrap();
            let is_of_target = |record: &&str| {
                record.contains(&format!("WARC-Target-URI: http://a.example{target}\r\n"))
                    && record.contains("WARC-Type: response")
            };
            let record = warc.split("WARC/1.1\r\n").find(is_of_target).unwrap();
            let date = record.lines().find_map(|line| line.strip_prefix("WARC-Date: ")).unwrap();
            assert_eq!(date.parse::<Timestamp>().unwrap(), fetched);
        }

        let before = without_archive(documents.clone());
        sites.gleaner(&["reextract"]);
        assert_eq!(without_archive(exported(&sites, &[])), before, "after reextract");
        for rebuild in [&["rebuild"][..], &["rebuild", "--relearn"]] {
            sites.gleaner(rebuild);
            assert_eq!(without_archive(exported(&sites, &[])), before, "after {rebuild:?}");
        }

        // Another corpus, from the archive as another crawler could have written it.
        let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        sites.gleaner(&[&["ingest", "--data", "other"][..], &files].concat());
        let ingested = exported(&sites, &["--data", "other"]);
        assert_eq!(without_archive(ingested), before, "after ingest");
    }
}

#[test]
fn exports_and_stats_select_by_use() {
    let sites = RawSites::start(answer);
    sites.gleaner(&CRAWL);
    let names = |options: &[&str]| -> Vec<String> { exported(&sites, options).into_keys().collect() };
    let quiet = |names: &[String]| names.iter().all(|name| name.starts_with("quiet"));
    let allowed = names(&["--allowed", "train-ai"]);
    assert!(quiet(&allowed) && allowed.len() == 11, "{allowed:?}");
    assert_eq!(names(&["--allowed", "search", "--allowed", "ai-input"]).len(), 20);
    assert_eq!(names(&["--explicitly-allowed", "search"]).len(), 10);
    assert_eq!(names(&["--explicitly-allowed", "tdm"]), ["10", "9"]);
    assert_eq!(names(&["--not-barred", "GPTBot"]).len(), 21);
    let unknown = sites.run(&["export", "--not-barred", "GPT-Bot"]);
    assert_eq!(unknown.status.code(), Some(2), "no document records this crawler");
    let output = sites.run(&["export", "--allowed", "train-ai", "--out", "x.jsonl"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("excluded by --allowed or --explicitly-allowed, train-ai disallowed: 11"),
        "{said}"
    );
    let wrong = sites.run(&["export", "--allowed", "reading"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("there are train-ai, search, ai-input, tdm"));

    let stats: Value = serde_json::from_str(&sites.gleaner(&["stats", "--json"])).unwrap();
    let usage = &stats["usage"];
    assert_eq!(usage["purposes"]["train-ai"].to_string(), "{\"disallow\":11,\"unknown\":11}");
    assert_eq!(usage["statements"]["robots.txt Content-Signal"], 11);
    assert_eq!(usage["statements"]["header tdm-reservation"], 2);
    assert_eq!(usage["barred_agents"]["CCBot"], 11);
    let tables = sites.gleaner(&["stats"]);
    assert!(
        tables.contains("Use of documents") && tables.contains("Crawler barred by robots.txt"),
        "{tables}"
    );
    let doctor = sites.gleaner(&["doctor", "http://a.example/story/8"]);
    for said in ["site on use", "use at fetch", "train-ai: disallow", "robots.txt bars CCBot, GPTBot"] {
        assert!(doctor.contains(said), "{said} in {doctor}");
    }
    assert!(sites.gleaner(&["doctor", "a.example"]).contains("site on use"));
}

#[test]
fn disallowed_documents_stay_out_of_the_corpus_on_request() {
    let sites = RawSites::start(answer);
    let set = ["--set", "corpus.allowed=[\"tdm\"]"];
    let report = sites.gleaner(&[&CRAWL[..], &set].concat());
    let names: Vec<String> = exported(&sites, &[]).into_keys().collect();
    assert_eq!(names.len(), 20, "{names:?} {report}");
    assert!(!names.contains(&"6".to_owned()) && !names.contains(&"8".to_owned()));
    let doctor = sites.gleaner(&["doctor", "http://a.example/story/8"]);
    assert!(doctor.contains("kept out by the settings: the site disallows tdm"), "{doctor}");
    // Without the setting, the archived pages are in the corpus. With it, they are taken out again.
    sites.gleaner(&["rebuild", "--relearn"]);
    assert_eq!(exported(&sites, &[]).len(), 22);
    sites.gleaner(&[&["reextract"][..], &set].concat());
    assert_eq!(exported(&sites, &[]).len(), 20);
    let wrong = sites.run(&["crawl", "http://a.example/", "--set", "corpus.allowed=[\"reading\"]"]);
    assert!(!wrong.status.success());
}

/// Returns a WARC record of a response, as another crawler could have written it.
fn warc_record(path: &str, date: &str, content_type: &str, body: &str) -> String {
    let length = body.len();
    let http =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example{path}\r\nWARC-Date: {date}\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

#[test]
fn the_robots_txt_in_force_at_the_fetch_decides() {
    let sites = RawSites::start(|_| not_found());
    let robots = |night: usize, text: &str| {
        warc_record("/robots.txt", &format!("2026-11-2{night}T00:00:00Z"), "text/plain", text)
    };
    let stories = |night: usize| -> String {
        let story = |number| {
            let (path, date) =
                (format!("/night{night}/{number}"), format!("2026-11-2{night}T00:01:0{number}Z"));
            warc_record(&path, &date, "text/html", &article(&path.replace('/', " "), ""))
        };
        (1..=4).map(story).collect()
    };
    let write = |name: &str, text: String| std::fs::write(sites.folder.path().join(name), text).unwrap();
    let (allows, forbids) =
        ("User-agent: gleaner\nContent-Usage: train-ai=y\n", "User-agent: *\nContent-Usage: train-ai=n\n");
    write("1.warc", [stories(0), robots(1, allows), stories(1), robots(2, forbids), stories(2)].concat());
    // The files are read in order, so the last robots.txt of the first file is in force in the second.
    let second = [stories(3), robots(4, ""), stories(4)].concat();
    write("2.warc", stories(3));
    sites.gleaner(&["ingest", "1.warc", "2.warc"]);
    // A later command continues where the earlier one ended.
    write("2.warc", second);
    sites.gleaner(&["ingest", "1.warc", "2.warc"]);
    write("3.warc", stories(5));
    sites.gleaner(&["ingest", "1.warc", "2.warc", "3.warc"]);
    let documents = exported(&sites, &[]);
    assert_eq!(documents.len(), 24);
    for (name, document) in documents {
        let (train_ai, robots) = match &name[..name.rfind('/').unwrap()] {
            "a.example/night1" => ("allow", "2026-11-21T00:00:00Z"),
            "a.example/night2" | "a.example/night3" => ("disallow", "2026-11-22T00:00:00Z"),
            _ => ("unknown", ""),
        };
        assert_eq!(document["use_train_ai"], train_ai, "{name}");
        assert_eq!(document["robots_fetched"].as_str().unwrap_or_default(), robots, "{name}");
    }
}

/// A response: URL, status, headers and body.
type Archived<'a> = (&'a str, u16, &'a [(&'a str, &'a str)], &'a str);

/// Returns a WARC file with these responses.
fn warc(responses: &[Archived]) -> Vec<u8> {
    let mut file = Vec::new();
    for (url, status, headers, body) in responses {
        let headers: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let capture = Capture {
            url,
            at: "2026-11-20T00:00:00Z".parse().unwrap(),
            status: *status,
            headers: &headers,
            body: body.as_bytes(),
            coded: None,
            is_cut: false,
            request: &[],
            fields: &[],
        };
        file.extend(capture.response(capture.digests().payload, 6));
    }
    file
}

/// Several workers may archive the target of a redirect after the pages of the host that is redirected.
#[test]
fn robots_txt_that_the_archive_has_after_the_pages_counts_for_them() {
    let sites = RawSites::start(answer);
    let html = [("Content-Type", "text/html")];
    let page = |name: &str| article(name, "");
    let file = warc(&[
        ("http://a.example/robots.txt", 301, &[("Location", "http://other.example/robots.txt")], ""),
        ("http://a.example/story/1", 200, &html, &page("first")),
        ("http://never.example/robots.txt", 301, &[("Location", "http://lost.example/robots.txt")], ""),
        ("http://never.example/story/3", 200, &html, &page("third")),
        ("http://other.example/story/2", 200, &html, &page("second")),
        ("http://other.example/robots.txt", 200, &[], ROBOTS),
    ]);
    std::fs::write(sites.folder.path().join("several.warc.gz"), file).unwrap();
    sites.gleaner(&["ingest", "several.warc.gz"]);
    let documents = exported(&sites, &[]);
    let stated: BTreeMap<&str, &str> = documents
        .iter()
        .map(|(page, document)| (page.as_str(), document["use_train_ai"].as_str().unwrap()))
        .collect();
    let expected =
        [("1", "disallow"), ("never.example/story/3", "unknown"), ("other.example/story/2", "unknown")];
    assert_eq!(stated, BTreeMap::from(expected));
}
