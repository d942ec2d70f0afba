//! Tests Ctrl-C. The first Ctrl-C finishes the requests in flight and prints how to resume. The second one
//! ends the process at once. After either, the same command resumes the crawl.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};

const GAP: Duration = Duration::from_millis(40);

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn an_interrupted_crawl_goes_on_where_it_was() {
    let crawl = Crawl::new(GAP);
    let mut command = crawl.command(&["crawl", "--seeds", "seeds.txt"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(crawl.newspaper.wait_for_requests(60, Duration::from_secs(30)));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("finishing the requests in flight"), "{err}");
    assert!(out.contains("the same command resumes"), "{out}");
    assert!(out.contains("the run was interrupted"), "{out}");
    let requests = crawl.newspaper.requests();
    assert!(requests.iter().all(|request| request.finished.is_some()), "a request was cut off");

    let report = crawl.to_its_end();
    assert!(report.contains("(resumed)"), "{report}");
    let crawled = crawl.corpus().len();
    assert_eq!(crawled, crawl.newspaper.expected().len());
    check_gaps(&crawl.newspaper.requests(), GAP);
    let mut pages: Vec<_> = crawl
        .newspaper
        .requests()
        .into_iter()
        .filter(|request| request.status == 200 && request.path != "/robots.txt")
        .map(|request| (request.host, request.path))
        .collect();
    let asked = pages.len();
    pages.sort();
    pages.dedup();
    assert_eq!(pages.len(), asked, "a page was asked for twice");
}

#[test]
fn an_interrupted_crawl_counts_the_pages_that_wait_for_a_template() {
    let crawl = Crawl::new(GAP);
    // No host has 200 articles, so all fetched articles wait for a template.
    let arguments = ["crawl", "--seeds", "seeds.txt", "--set", "template.prepare_pages=200"];
    let child = crawl.command(&arguments).spawn().unwrap();
    assert!(crawl.newspaper.wait_for_requests(60, Duration::from_secs(30)));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    let waiting = out.lines().find(|line| line.starts_with("Interrupted: ")).expect(&out);
    let waiting = waiting.trim_start_matches("Interrupted: ").split_once(". Nothing is lost").unwrap().0;
    let pages: u64 = waiting.split(' ').next().unwrap().parse().unwrap();
    assert!(pages > 1 && waiting.ends_with("wait for a template"), "{out}");
    assert!(out.contains("fetched; waiting for a template"), "{out}");
    let report = crawl.run(&["report"]);
    let report = String::from_utf8_lossy(&report.stdout);
    assert!(report.contains("has not ended: 0 new documents from ") && report.contains(waiting), "{report}");
    let list = crawl.run(&["report", "--list"]);
    assert!(String::from_utf8_lossy(&list.stdout).contains(waiting), "{list:?}");
}

#[test]
fn the_second_interrupt_ends_at_once() {
    // The delay is so long that, after only the first signal, the process would still wait.
    let crawl = Crawl::new(Duration::from_secs(1));
    let mut command = crawl.command(&["crawl", "--seeds", "seeds.txt"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(crawl.newspaper.wait_for_requests(3, Duration::from_secs(30)));
    interrupt(&child);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
