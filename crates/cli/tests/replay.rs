//! Crawls the recorded sites, which a server replays under their own names. The corpus must get every page
//! with gold text. The crawl must not request a forbidden URL, and must keep every host's delay.
//!
//! The tests need Python and the recorded sets beside the project. If either is missing, they print a line
//! and are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// Returns the folders of the recorded sites whose names end in one of `names`, or of all sites if `names` is
/// empty.
fn sites(names: &[&str]) -> Vec<PathBuf> {
    let Ok(folders) = fs::read_dir(shared().join("sets/sites")) else { return Vec::new() };
    let mut sites: Vec<PathBuf> = folders.map(|folder| folder.unwrap().path()).collect();
    sites.retain(|site| names.is_empty() || names.iter().any(|name| site.to_string_lossy().ends_with(name)));
    sites.sort();
    sites
}

/// The server that replays the sites. Dropping it ends the process.
struct Replay {
    server: Child,
    folder: TempDir,
    proxy: String,
}

impl Replay {
    /// Starts the server. Prints a line and returns `None` if it cannot run.
    fn serve(sites: &[PathBuf], options: &[&str]) -> Option<Self> {
        let python = Command::new("python3").arg("--version").output();
        if sites.is_empty() || python.is_err() {
            println!("skipped: needs python3 and ../shared/sets");
            return None;
        }
        let folder = TempDir::new().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Command::new("python3")
            .arg(shared().join("replay/replay.py"))
            .args(["--port", &port.to_string(), "--log", "access.jsonl", "--seeds", "seeds.txt"])
            .args(options)
            .args(sites)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("pages on"), "the server did not start: {line}");
        Some(Self { server, folder, proxy: format!("fetch.proxy=http://127.0.0.1:{port}") })
    }

    fn gleaner(&self, arguments: &[&str]) -> String {
        let sets =
            ["fetch.delay=10ms", "fetch.retry_backoff=200ms", "fetch.contact=a@b.example", "crawl.linger=5s"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(self.folder.path()).args(arguments).args(["--set", &self.proxy]);
        let output = command.args(sets.iter().flat_map(|set| ["--set", set])).output().unwrap();
        let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        // Most pages of the recorded sites are missing, which is unusual.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{arguments:?}\n{out}\n{err}");
        out
    }

    fn check(&self, sites: &[PathBuf]) {
        let report = self.gleaner(&["crawl", "--seeds", "seeds.txt"]);
        let exported = self.gleaner(&["export", "--members"]);
        let carried: BTreeSet<String> = exported
            .lines()
            .flat_map(|line| serde_json::from_str::<Value>(line).unwrap()["urls"].as_array().unwrap().clone())
            .map(|url| schemeless(url.as_str().unwrap()))
            .collect();
        let gold: Vec<String> = sites.iter().flat_map(|site| with_gold(site)).collect();
        let lost: Vec<&String> = gold.iter().filter(|url| !carried.contains(&schemeless(url))).collect();
        assert!(lost.is_empty(), "{} of {} pages are lost: {lost:#?}\n{report}", lost.len(), gold.len());
        self.check_politeness(0.010);
    }

    fn check_politeness(&self, gap: f64) {
        let mut last: BTreeMap<String, f64> = BTreeMap::new();
        for line in fs::read_to_string(self.folder.path().join("access.jsonl")).unwrap().lines() {
            let request: Value = serde_json::from_str(line).unwrap();
            let (host, path) = (request["host"].as_str().unwrap(), request["path"].as_str().unwrap());
            assert!(!path.starts_with("/private/"), "{host} forbids {path}");
            let at = request["t"].as_f64().unwrap();
            if let Some(before) = last.insert(host.to_owned(), at) {
                // The log rounds to a tenth of a millisecond.
                assert!(at - before >= gap - 0.0002, "{host} was asked for {path} after {} s", at - before);
            }
        }
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Returns the URLs of a site's pages that have gold text.
fn with_gold(site: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(site.join("manifest.jsonl")).unwrap();
    let rows = manifest.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let gold = rows.filter(|row| site.join(format!("{}.txt", row["id"].as_str().unwrap())).exists());
    gold.map(|row| row["url"].as_str().unwrap().to_owned()).collect()
}

/// Removes the scheme, because an http and an https URL are the same page.
fn schemeless(url: &str) -> String {
    url.split_once("://").map_or(url, |(_, rest)| rest).to_owned()
}

#[test]
fn every_recorded_article_ends_in_the_corpus() {
    let sites = sites(&[]);
    if let Some(replay) = Replay::serve(&sites, &[]) {
        replay.check(&sites);
    }
}

#[test]
fn errors_on_the_way_lose_nothing() {
    let sites = sites(&["vnexpress.net", "bbc.co.uk_2012daniel", "ria.ru_2012daniel", "reuters.com_2008l3s"]);
    if let Some(replay) = Replay::serve(&sites, &["--errors", "0.05"]) {
        replay.check(&sites);
    }
}
