//! Tests repeated `kill -9` while a newspaper changes its design. The crawl still learns the second template,
//! every text is correct, and the commands show version 2.

use std::process::Stdio;
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::NewspaperOptions;

const GAP: Duration = Duration::from_millis(20);
const CRAWL: [&str; 7] =
    ["crawl", "--seeds", "seeds.txt", "--set", "template.prepare_pages=10", "--set", "template.min_pages=10"];

#[test]
fn killed_around_a_redesign_every_text_is_right() {
    let options =
        NewspaperOptions { faults: false, redesigned_after: Some(12), ..NewspaperOptions::default() };
    let crawl = Crawl::with_options(options, GAP);
    for requests in (50..=150).step_by(10) {
        let mut command = crawl.command(&CRAWL);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(crawl.newspaper.wait_for_requests(requests, Duration::from_secs(30)));
        assert_eq!(child.try_wait().unwrap(), None, "the crawl had ended before {requests} requests");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = crawl.run(&CRAWL);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check_gaps(&crawl.newspaper.requests(), GAP);

    let documents = crawl.export(&[]);
    for article in crawl.newspaper.expected() {
        let of =
            |document: &&serde_json::Value| article.urls.iter().any(|url| document["url"] == url.as_str());
        let document = documents.iter().find(of).unwrap_or_else(|| panic!("{} is lost", article.path));
        let optional = |line: &&str| {
            let may_be = |text: &String| text == line;
            article.subheadings.iter().any(may_be) || may_be(&article.caption) || may_be(&article.title)
        };
        let lines: Vec<&str> =
            document["text"].as_str().unwrap().lines().filter(|line| !optional(line)).collect();
        assert_eq!(lines, article.paragraphs, "{}", article.path);
    }
    let said = |arguments: &[&str]| String::from_utf8(crawl.run(arguments).stdout).unwrap();
    for host in ["baolang.example", "villagepost.example"] {
        let shown = said(&["template", "show", host]);
        assert!(shown.contains("version   2") && shown.contains("at known places"), "{shown}");
    }
    let hosts = said(&["hosts"]);
    assert_eq!(hosts.matches("version 2").count(), 2, "{hosts}");
    assert_eq!(said(&["template", "list"]).matches("places in pages, ").count(), 2);
}
