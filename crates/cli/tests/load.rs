//! Tests the load of many hosts: the real binary crawls many generated papers at once. The crawl must fetch
//! every page once, keep every host's delay and the limit of requests in flight, and use a bounded amount of
//! memory.
//!
//! With `GLEANER_LOAD=1`, the test has 200 hosts and 100,000 pages without a delay. This takes some minutes
//! and needs a release build. The processor time and memory (docs/performance.md) need Linux's `/proc`. The
//! test never asserts a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use crate::measured::{Measured, to_end};
use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::{GeneratedPapers, NewspaperOptions, Request};

/// The size and the limits of the crawl.
struct Load {
    generated: GeneratedPapers,
    gap: Duration,
    /// Maximum number of requests in flight.
    concurrency: usize,
    /// Maximum resident memory in MiB.
    memory: u64,
}

impl Load {
    fn asked_for() -> Self {
        if std::env::var_os("GLEANER_LOAD").is_some() {
            let generated =
                GeneratedPapers { hosts: 200, articles: 500, listed: 500, wire: 0, redirected: 0 };
            return Self { generated, gap: Duration::ZERO, concurrency: 64, memory: 300 };
        }
        let generated = GeneratedPapers { hosts: 20, articles: 100, listed: 100, wire: 0, redirected: 0 };
        Self { generated, gap: Duration::from_millis(2), concurrency: 6, memory: 200 }
    }

    fn run(&self) -> (Crawl, Measured) {
        let crawl = Crawl::with_options(
            NewspaperOptions { generated: Some(self.generated), ..NewspaperOptions::default() },
            self.gap,
        );
        fs::write(crawl.folder.path().join("seeds.txt"), self.generated.seeds().join("\n")).unwrap();
        let mut command = crawl.command(&["crawl", "--seeds", "seeds.txt"]);
        command.args(["--set", &format!("fetch.concurrency={}", self.concurrency)]);
        command.args(["--set", "crawl.linger=0s", "--set", "store.flush_pages=200"]);
        let measured = to_end(command);
        (crawl, measured)
    }
}

/// Returns the maximum number of requests that the server handled at the same time.
fn most_at_once(requests: &[Request]) -> usize {
    let mut edges: Vec<(Duration, i32)> = Vec::new();
    for request in requests {
        edges.push((request.time, 1));
        edges.extend(request.finished.map(|finished| (finished, -1)));
    }
    edges.sort();
    let at_once = edges.iter().scan(0, |now, (_, step)| {
        *now += step;
        Some(*now)
    });
    usize::try_from(at_once.max().unwrap_or(0)).unwrap()
}

#[test]
fn under_load_every_page_is_read_once_and_politely() {
    let load = Load::asked_for();
    let (crawl, measured) = load.run();
    let requests = crawl.newspaper.requests();

    let mut asked: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for request in requests.iter().filter(|request| request.path.ends_with(".html")) {
        *asked.entry((&request.host, &request.path)).or_default() += 1;
    }
    let pages = load.generated.hosts * load.generated.articles;
    assert_eq!(asked.len(), pages, "pages that were asked for");
    let again: Vec<_> = asked.iter().filter(|(_, times)| **times != 1).collect();
    assert!(again.is_empty(), "asked for more than once: {again:?}");

    let stored: BTreeSet<String> =
        crawl.export(&[]).iter().map(|document| document["url"].as_str().unwrap().to_owned()).collect();
    assert_eq!(stored.len(), pages, "documents");

    check_gaps(&requests, load.gap);
    let most = most_at_once(&requests);
    assert!(most <= load.concurrency, "{most} at once");
    if let Some(peak) = measured.peak_mebibytes {
        assert!(peak <= load.memory, "{peak} MiB");
    }
    println!("{pages} pages, {}", measured.a_page(requests.len()));
}
