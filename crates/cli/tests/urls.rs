//! Tests `gleaner urls`, and what `doctor` and `hosts` say about the same crawl.

use serde_json::Value;

use crate::web::{HTML, Web, article, front, measured, response};

const GOOD: &str = "/news/2026/11/the-old-mill-opens-again-12001.html";
const MISSING: [&str; 2] =
    ["/news/2026/11/the-bridge-is-closed-again-12002.html", "/news/2026/11/the-school-has-a-roof-12003.html"];

/// Crawls a site with an article on its host `www`, two missing pages, and a list of articles.
fn crawled() -> Web {
    let web = Web::start(|asked| match asked.url.split_once('/') {
        Some(("paper.example", "")) => {
            response("301 Moved", "Location: http://www.paper.example/\r\nContent-Length: 0\r\n", b"")
        }
        Some((_, "")) => front(&[GOOD, MISSING[0], MISSING[1]]),
        Some((_, path)) if GOOD.ends_with(path) => {
            let body = article(1);
            measured(HTML, body.len(), body.as_bytes())
        }
        _ => response("404 Not Found", "Content-Length: 0\r\n", b""),
    });
    let code = web.run(&["crawl", "http://paper.example/", "--set", "template.min_pages=2"]).status.code();
    assert!(matches!(code, Some(0 | 3)), "{code:?}");
    web
}

fn listed(web: &Web, arguments: &[&str]) -> String {
    let output = web.run(&[&["urls"], arguments].concat());
    assert!(output.status.success(), "{arguments:?} {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(web: &Web, arguments: &[&str], code: i32, part: &str) {
    let output = web.run(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?} {said}");
    assert!(said.contains(part), "{arguments:?} {said} lacks {part}");
}

#[test]
fn urls_are_listed_by_outcome_and_host() {
    let web = crawled();
    let table = listed(&web, &["--outcome", "gone", "--host", "paper.example"]);
    for path in MISSING {
        let line = table.lines().find(|line| line.contains(path)).unwrap();
        assert!(line.contains("gone: http_404") && line.contains("not found: HTTP 404"), "{line}");
        assert!(line.contains(" UTC") || line.contains(" +"), "{line}");
    }
    assert!(!table.contains(GOOD), "{table}");
    assert_eq!(listed(&web, &["--outcome", "gone: http_410"]), "");
    assert_eq!(
        listed(&web, &["--outcome", "gone", "--limit", "1"]).lines().count(),
        3,
        "head, line, one URL"
    );

    let csv = listed(&web, &["--format", "csv", "--outcome", "gone: http_404"]);
    let mut lines = csv.split("\r\n");
    assert_eq!(lines.next(), Some("url,host,role,outcome,reason,explanation,visited,next_visit"));
    let missing = lines.find(|line| line.contains(MISSING[0])).unwrap();
    let fields = ",www.paper.example,page,gone,gone: http_404,not found: HTTP 404,20";
    assert!(missing.contains(fields), "{missing}");

    let json = listed(&web, &["--format", "jsonl", "--host", "http://www.paper.example/x"]);
    let url = |path: &str| format!("http://www.paper.example{path}");
    let line = |path: &str| {
        let lines = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.into_iter().find(|line| line["url"] == url(path)).unwrap()
    };
    assert_eq!(line(MISSING[1])["reason"], "gone: http_404");
    assert_eq!(line("/")["outcome"], "listing");
    assert_eq!(line("/")["role"], "front");
    refused(&web, &["urls", "--outcome", "hub"], 2, "the outcomes are none, stored, ");
    refused(
        &web,
        &["urls", "--host", "paper"],
        1,
        "has no host paper; did you mean paper.example, www.paper.example?",
    );
}

#[test]
fn doctor_knows_the_hosts_below_a_domain_and_suggests_names() {
    let web = crawled();
    let told = web.succeeds(&["doctor", "paper.example"]);
    assert!(told.contains("hosts below") && told.contains("www.paper.example: "), "{told}");
    let told = web.succeeds(&["doctor", "paper"]);
    assert!(told.contains("did you mean paper.example, www.paper.example?"), "{told}");
    let told = web.succeeds(&["doctor", &format!("http://www.paper.example{}", MISSING[0])]);
    assert!(told.contains("not found: HTTP 404"), "{told}");
}

#[test]
fn times_are_in_the_zone_of_the_schedule() {
    let web = crawled();
    for arguments in [&["report"][..], &["report", "--list"], &["urls"], &["doctor", "www.paper.example"]] {
        let zone = ["--set", "schedule.zone=Asia/Kathmandu"];
        let told = web.succeeds(&[arguments, &zone].concat());
        assert!(told.contains(" +0545") && !told.contains("UTC"), "{arguments:?}: {told}");
    }
}
