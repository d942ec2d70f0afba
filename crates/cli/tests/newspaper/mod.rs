#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "each test uses a part of it"
)]
//! Runs the real binary on the bundled newspaper. Several tests share this code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use gleaner_testkit::{Newspaper, NewspaperOptions, Request};
use tempfile::TempDir;

/// Crawls a newspaper without faults to its end, without delays.
pub fn crawled() -> Crawl {
    let options = NewspaperOptions { faults: false, ..NewspaperOptions::default() };
    let crawl = Crawl::with_options(options, Duration::ZERO);
    crawl.to_its_end();
    crawl
}

/// A newspaper and a folder for one crawl of it.
pub struct Crawl {
    pub newspaper: Newspaper,
    pub folder: TempDir,
    /// Further settings of all commands, such as `crawl.max_pages=5`.
    pub settings: Vec<String>,
    gap: Duration,
}

impl Crawl {
    pub fn new(gap: Duration) -> Self {
        Self::with_options(NewspaperOptions::default(), gap)
    }

    pub fn with_options(options: NewspaperOptions, gap: Duration) -> Self {
        let newspaper = Newspaper::start_in_background(options).unwrap();
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("seeds.txt"), Newspaper::seeds().join("\n")).unwrap();
        Self { newspaper, folder, settings: Vec::new(), gap }
    }

    /// Returns a `gleaner` command with the settings of this crawl.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .args(["--data", "data"])
            .args(["--set", &format!("fetch.proxy={}", self.newspaper.proxy())])
            .args(["--set", &format!("fetch.delay={}ms", self.gap.as_millis())])
            .args(["--set", "fetch.retry_backoff=200ms"])
            .args(["--set", "fetch.contact=test@gleaner.invalid"])
            .args(["--set", "crawl.linger=5s"])
            .args(["--set", "store.flush_pages=7"])
            .args(self.settings.iter().flat_map(|setting| ["--set", setting]))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn spawn(&self) -> Child {
        let mut command = self.command(&["crawl", "--seeds", "seeds.txt"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Crawls until nothing is due. Returns the standard output.
    pub fn to_its_end(&self) -> String {
        let output = self.run(&["crawl", "--seeds", "seeds.txt"]);
        let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
        out
    }

    pub fn export(&self, arguments: &[&str]) -> Vec<serde_json::Value> {
        let output = self.run(&[&["export"], arguments].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        // An export of an empty corpus fails.
        assert!(output.status.success() || told.contains("has no documents yet"), "{told}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Exports the corpus. Returns each text with its metadata, and the URLs that have this text.
    pub fn corpus(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut corpus = BTreeMap::new();
        for document in self.export(&[]) {
            let known = ["title", "published", "authors", "language", "method", "content_hash", "text"];
            let text = known.map(|field| document[field].to_string()).join("\n");
            let urls =
                document["urls"].as_array().unwrap().iter().map(|url| url.as_str().unwrap().to_owned());
            let urls: BTreeSet<String> = urls.collect();
            assert_eq!(corpus.insert(text, urls), None, "a document is there twice: {document}");
        }
        corpus
    }
}

/// Checks that each host got its next request at least `gap` after each response.
pub fn check_gaps(requests: &[Request], gap: Duration) {
    let mut last: BTreeMap<String, Duration> = BTreeMap::new();
    for request in requests {
        if let Some(finished) = last.get(&request.host) {
            let pause = request.time.saturating_sub(*finished);
            assert!(pause >= gap, "{} was asked for {} after {pause:?}", request.host, request.path);
        }
        last.insert(request.host.clone(), request.finished.unwrap_or(request.time));
    }
}
