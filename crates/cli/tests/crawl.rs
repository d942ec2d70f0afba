//! Examines one crawl of the bundled newspaper by the real binary: its requests, its documents, and the
//! output of other commands on its corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::Request;
use serde_json::Value;

const GAP: Duration = Duration::from_millis(20);

struct Done {
    crawl: Crawl,
    /// The printed summary.
    report: String,
    /// The requests of the crawl, without the requests that tests send later.
    requests: Vec<Request>,
}

/// Returns the result of the crawl, which runs only once. The lock prevents two tests from using the data
/// folder at the same time.
fn crawled() -> MutexGuard<'static, Done> {
    static CRAWL: LazyLock<Mutex<Done>> = LazyLock::new(|| {
        let crawl = Crawl::new(GAP);
        let report = crawl.to_its_end();
        let requests = crawl.newspaper.requests();
        Mutex::new(Done { crawl, report, requests })
    });
    CRAWL.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn every_article_is_stored_once_with_its_text_metadata_and_urls() {
    let done = crawled();
    let documents = done.crawl.export(&[]);
    let expected = done.crawl.newspaper.expected();
    assert_eq!(documents.len(), expected.len());
    let mut lost_leads = 0;
    for article in &expected {
        let own: BTreeSet<&str> = article.urls.iter().map(String::as_str).collect();
        let document = documents.iter().find(|document| own.contains(text(&document["url"])));
        let document = document.unwrap_or_else(|| panic!("{} is not in the corpus", article.path));
        let urls: BTreeSet<&str> = document["urls"].as_array().unwrap().iter().map(text).collect();
        assert_eq!(urls, own);
        assert_eq!(text(&document["title"]), article.title);
        assert_eq!(text(&document["language"]), article.language);
        assert_eq!(text(&document["host"]), article.host);
        assert_eq!(document["authors"][0], article.author.as_str());
        assert!(["template", "detection"].contains(&text(&document["method"])));
        assert_eq!(document["template_version"], 1);
        assert_eq!(
            text(&document["published"]).parse::<jiff::Timestamp>().unwrap(),
            article.published.parse::<jiff::Timestamp>().unwrap()
        );
        let lines: Vec<&str> = text(&document["text"]).lines().collect();
        let mut from = 0;
        for (number, paragraph) in article.paragraphs.iter().enumerate() {
            match lines[from..].iter().position(|line| line == paragraph) {
                Some(at) => from += at + 1,
                // The paper's method removes a lead that other pages repeat as a teaser, since it looks like
                // a repeated block (docs/papers.md).
                None if number == 0 => lost_leads += 1,
                None => panic!("{}: not in order: {paragraph}\n{lines:#?}", article.path),
            }
        }
    }
    assert!(lost_leads * 10 <= expected.len(), "{lost_leads} leads of {} are lost", expected.len());
}

#[test]
fn nothing_is_asked_that_must_not_be() {
    let done = crawled();
    for request in &done.requests {
        let forbidden = ["/private/", "/search"].iter().any(|start| request.path.starts_with(start));
        assert!(!forbidden, "{}{} is forbidden by robots.txt", request.host, request.path);
        assert!(
            ["baolang.example", "villagepost.example"].contains(&request.host.as_str()),
            "{}",
            request.host
        );
        assert_eq!(request.user_agent, "gleaner/0.1.0 (+test@gleaner.invalid)");
    }
    check_gaps(&done.requests, GAP);
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for request in &done.requests {
        first.entry(&request.host).or_insert(&request.path);
    }
    assert!(first.values().all(|path| *path == "/robots.txt"), "{first:?}");
}

#[test]
fn traps_end_and_every_url_is_asked_once() {
    let done = crawled();
    let mut asked: BTreeMap<(String, String), Vec<u16>> = BTreeMap::new();
    for request in &done.requests {
        asked.entry((request.host.clone(), request.path.clone())).or_default().push(request.status);
    }
    for (url, statuses) in &asked {
        let failed = statuses.iter().filter(|status| [500, 503].contains(status)).count();
        assert!(statuses.len() - failed <= 1, "{url:?} was asked for {statuses:?}");
    }
    let of = |part: &str| asked.keys().filter(|(_, path)| path.contains(part)).count();
    // The link distance limits endless session ids and the endless calendar.
    assert!(of("sid=") <= 48, "{} session ids", of("sid="));
    assert!(of("/lich/") <= 26 && of("/calendar/") <= 26, "{} {}", of("/lich/"), of("/calendar/"));
    assert!(of("utm_") == 0);
}

#[test]
fn the_report_names_every_outcome() {
    let done = crawled();
    for part in [
        "all hosts",
        "gone: http_404",
        "not_article: nearly_empty",
        "redirect_refused: out_of_scope",
        "repeated_segment",
        "too_deep",
        "The next URL is due at",
    ] {
        assert!(done.report.contains(part), "lacks {part}:\n{}", done.report);
    }
}

#[test]
fn a_second_run_asks_only_what_is_due() {
    let done = crawled();
    let before = done.crawl.newspaper.request_count();
    let report = done.crawl.to_its_end();
    assert!(report.starts_with("Run "), "{report}");
    assert_eq!(done.crawl.newspaper.request_count(), before, "nothing was due yet");
}

#[test]
fn exports_are_filtered_and_files_are_whole() {
    let done = crawled();
    let all = done.crawl.export(&[]).len();
    let vi = done.crawl.export(&["--language", "vi"]);
    assert!(vi.iter().all(|document| document["host"] == "baolang.example"));
    assert_eq!(vi.len(), done.crawl.export(&["--host", "baolang.example"]).len());
    assert_eq!(vi.len() * 2, all);
    let nothing = done.crawl.run(&["export", "--until", "2020-01-01"]);
    assert!(!nothing.status.success() && nothing.stdout.is_empty(), "no document is a failure");
    let out = done.crawl.folder.path().join("out.jsonl");
    let exported =
        done.crawl.run(&["export", "--format", "jsonl", "--since", "2020-01-01", "--out", "out.jsonl"]);
    assert!(exported.status.success());
    assert_eq!(fs::read_to_string(out).unwrap().lines().count(), all);
    assert!(!done.crawl.folder.path().join("out.jsonl.part").exists());
}

#[test]
fn stats_and_templates_are_shown() {
    let done = crawled();
    let shown = |arguments: &[&str]| {
        let output = done.crawl.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let stats = shown(&["stats"]);
    assert!(stats.starts_with("Documents: 74;"), "{stats}");
    assert!(stats.contains("Near-duplicates") && stats.contains("duplicate URLs: 2"), "{stats}");
    assert!(shown(&["template", "list"]).contains("villagepost.example"));
    assert!(shown(&["template", "show", "baolang.example"]).contains("repeated texts"));
    let json: Value =
        serde_json::from_str(&shown(&["template", "show", "baolang.example", "--json"])).unwrap();
    assert_eq!(json["format"], 4);
    for (host, said) in [
        ("nobody.example", "nobody.example has no template; `gleaner template list` lists all templates"),
        ("baolang.exmaple", "baolang.exmaple has no template; did you mean baolang.example?"),
    ] {
        let absent = done.crawl.run(&["template", "show", host]);
        let error = String::from_utf8_lossy(&absent.stderr).into_owned();
        assert!(absent.status.code() == Some(1) && error.contains(said), "{host}: {error}");
    }
}

#[test]
fn one_page_is_extracted_from_a_url_a_file_and_standard_input() {
    let done = crawled();
    let document = done.crawl.export(&["--language", "en"]).remove(0);
    let (url, stored) = (text(&document["url"]), text(&document["text"]));

    let by_url = done.crawl.run(&["extract", url]);
    assert_eq!(
        String::from_utf8_lossy(&by_url.stdout),
        format!("{stored}\n"),
        "by the template of the corpus"
    );

    let html = fetched(&done.crawl, url);
    fs::write(done.crawl.folder.path().join("page.html"), &html).unwrap();
    let by_file = done.crawl.run(&["extract", "page.html", "--url", url, "--format", "json"]);
    let json: Value = serde_json::from_slice(&by_file.stdout).unwrap();
    assert_eq!(
        (&json["text"], &json["title"], &json["url"]),
        (&document["text"], &document["title"], &document["url"])
    );

    let mut child =
        done.crawl.command(&["extract", "-", "--no-template"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&html).unwrap();
    let by_input = child.wait_with_output().unwrap();
    let first = stored.lines().find(|line| line.len() > 100).unwrap();
    assert!(String::from_utf8_lossy(&by_input.stdout).contains(first), "without a template");

    let forbidden = done.crawl.run(&["extract", "http://baolang.example/private/members"]);
    assert_eq!(forbidden.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&forbidden.stderr).contains("is disallowed by robots.txt"));
}

#[test]
fn a_template_is_learned_from_files() {
    let done = crawled();
    let folder = done.crawl.folder.path().join("pages");
    fs::create_dir_all(&folder).unwrap();
    let documents = done.crawl.export(&["--host", "villagepost.example"]);
    for (number, document) in documents.iter().take(8).enumerate() {
        fs::write(folder.join(format!("{number}.html")), fetched(&done.crawl, text(&document["url"])))
            .unwrap();
    }
    let learned = done.crawl.run(&["learn", "pages", "--out", "template.json"]);
    let said = String::from_utf8_lossy(&learned.stderr).into_owned();
    assert!(learned.status.success() && said.contains("learned from 8 pages"), "{said}");
    let extracted =
        done.crawl.run(&["extract", "pages/0.html", "--template", "template.json", "--format", "json"]);
    let json: Value = serde_json::from_slice(&extracted.stdout).unwrap();
    assert_eq!(json["method"], "detection");
}

/// Requests a page directly from the newspaper, without the crawler.
fn fetched(crawl: &Crawl, url: &str) -> Vec<u8> {
    use std::io::Read;
    let mut stream = std::net::TcpStream::connect(crawl.newspaper.address()).unwrap();
    write!(stream, "GET {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    answer.split_off(body)
}
