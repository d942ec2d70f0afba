//! Measures whole crawls with the real binary: `cargo bench -p gleaner --bench crawl [PAGES] [CODING...]`. It
//! crawls two kinds of pages:
//!
//! 1. A generated newspaper of PAGES pages (1,000 by default). 60% of them are articles. The others are
//!    sections, galleries, topic pages and second versions of articles. The newspaper is crawled from the
//!    front pages, once with each content coding.
//! 2. The recorded sites in `../shared/sets/sites`, if the folder exists. A first crawl learns the templates
//!    of the sites. The measured crawl reads other articles of these sites: copies of the pages in which the
//!    words change places in each text that only this page has.
//!
//!    Then `gleaner reextract` extracts these pages again, and `gleaner ingest` reads the WARC files into an
//!    empty store.
//!
//! The pages are served on loopback, without a delay between requests. The bench prints the processor time
//! per page, and which share of it each kind of thread uses. If the Python in `GLEANER_PYTHON` (or `python3`)
//! has the packages Scrapy and trafilatura, Scrapy runs the same crawls (`peers.py`), and the bench prints
//! the ratio of Scrapy's times to gleaner's. If `GLEANER_SPIDER` names the program of `spider/`, the crawler
//! spider runs them too. To build that program:
//! `cargo build --release --manifest-path crates/cli/benches/crawl/spider/Cargo.toml --target-dir target/spider`.
//! The newspaper with gzip is also crawled over TLS, with HTTP/1.1 and with HTTP/2. `GLEANER_BINARY` names another
//! binary to measure. `GLEANER_BENCH_SET` is a `key=value` pair for `--set`.
//!
//! Limitations: the server and the crawler share the cores, so use the processor time and not the wall time.
//! Recorded sites have few pages per site, and most of their links lead to pages that are not recorded.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring"
)]

mod input;
#[path = "../../tests/measured/mod.rs"]
mod measured;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use gleaner_testkit::FixedServer;
use gleaner_testkit::tls_sites::TlsSites;
use input::{CODINGS, Input};
use measured::{Measured, to_end};
use tempfile::TempDir;

/// Number of pages of the generated newspaper.
const PAGES: usize = 1_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|one| !one.starts_with('-')).collect();
    let pages = arguments.iter().find_map(|one| one.parse().ok()).unwrap_or(PAGES);
    let is_chosen = |coding: &str| arguments.iter().any(|one| one == coding);
    let chosen: Vec<&'static str> = CODINGS.into_iter().filter(|coding| is_chosen(coding)).collect();
    let codings = if chosen.is_empty() { CODINGS.to_vec() } else { chosen };
    let python = python();
    let newspaper = Input::newspaper(pages);
    for input in [Some(&newspaper), Input::recorded().as_ref()].into_iter().flatten() {
        println!("\n{}", input.description);
        for coding in &codings {
            measure(input, coding, python.as_deref());
        }
    }
    println!("\n{}, over TLS", newspaper.description);
    ["http/1.1", "h2"].into_iter().for_each(|protocol| measure_tls(&newspaper, protocol));
}

/// Crawls the newspaper with gzip as https sites.
fn measure_tls(input: &Input, protocol: &str) {
    let sites = TlsSites::start(input.coded("gzip"), protocol).unwrap();
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("authority.pem"), sites.authority()).unwrap();
    let seeds: Vec<String> = input.seeds.iter().map(|seed| seed.replace("http://", "https://")).collect();
    let mut command = gleaner(folder.path(), &sites.proxy(), &seeds, input.depth);
    command.env("SSL_CERT_FILE", folder.path().join("authority.pem"));
    let own = to_end(command);
    print(&format!("gleaner, {protocol}"), &own, sites.take_sent(), None);
    println!("    {}", own.by_thread());
}

/// Returns a Python with Scrapy and trafilatura, or `None` if it is not installed.
fn python() -> Option<String> {
    let python = std::env::var("GLEANER_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.args(["-c", "import scrapy, trafilatura"]).stderr(Stdio::null());
    let found = command.status().is_ok_and(|status| status.success());
    if !found {
        println!("no Python with Scrapy and trafilatura (GLEANER_PYTHON): without peers");
    }
    found.then_some(python)
}

fn measure(input: &Input, coding: &'static str, python: Option<&str>) {
    let server = FixedServer::start(input.coded(coding)).unwrap();
    let folder = TempDir::new().unwrap();
    let mut archived = 0;
    if !input.learning.is_empty() {
        to_end(gleaner(folder.path(), &server.proxy(), &input.learning, input.depth));
        archived = server.take_sent();
    }
    let own = to_end(gleaner(folder.path(), &server.proxy(), &input.seeds, input.depth));
    let crawled = server.take_sent();
    let own_ms = print(&format!("gleaner, {coding}"), &own, crawled, None);
    println!("    {}", own.by_thread());
    if archived > 0 {
        replay(folder.path(), archived + crawled);
    }
    let scrapy = |extracts| python.map(|python| scrapy(python, folder.path(), &server, input, extracts));
    let peers = [
        (
            "spider, links only",
            std::env::var_os("GLEANER_SPIDER").map(|it| spider(&it, &folder, &server, input)),
        ),
        ("Scrapy, links only", scrapy("no")),
        ("Scrapy with trafilatura", scrapy("yes")),
    ];
    for (name, peer) in peers {
        let Some(peer) = peer.map(to_end) else { continue };
        print(&format!("{name}, {coding}"), &peer, server.take_sent(), Some(own_ms));
    }
}

/// Extracts the archived pages again, and reads them into an empty store.
fn replay(folder: &Path, pages: usize) {
    for arguments in
        [["reextract", "--data", "data"].as_slice(), &["ingest", "data/archive", "--data", "new"]]
    {
        let mut command = Command::new(binary());
        command.current_dir(folder).args(arguments).env("GLEANER_LOG", "warn");
        print(arguments[0], &to_end(command), pages, None);
    }
}

fn binary() -> String {
    std::env::var("GLEANER_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_gleaner").into())
}

fn print(name: &str, measured: &Measured, pages: usize, own_ms: Option<f64>) -> f64 {
    let ms = 1000.0 * measured.processor.unwrap_or(f64::NAN) / pages as f64;
    let ratio = own_ms.map(|own| format!(", {:.1} times gleaner's", ms / own)).unwrap_or_default();
    println!("  {name}: {}{ratio}", measured.a_page(pages));
    ms
}

fn gleaner(folder: &Path, proxy: &str, seeds: &[String], depth: usize) -> Command {
    fs::write(folder.join("seeds.txt"), seeds.join("\n")).unwrap();
    let mut command = Command::new(binary());
    command
        .current_dir(folder)
        .args(["crawl", "--data", "data", "--seeds", "seeds.txt"])
        .args(["--set", &format!("fetch.proxy={proxy}")])
        .args(["--set", "fetch.delay=0s", "--set", "crawl.linger=0s"])
        .args(["--set", "fetch.contact=bench@gleaner.invalid"])
        .args(["--set", &format!("crawl.max_depth={depth}")])
        .env("GLEANER_LOG", "warn")
        .args(std::env::var("GLEANER_BENCH_SET").iter().flat_map(|set| ["--set", set]));
    command
}

fn spider(program: &OsStr, folder: &TempDir, server: &FixedServer, input: &Input) -> Command {
    fs::write(folder.path().join("seeds.txt"), input.seeds.join("\n")).unwrap();
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args(["seeds.txt", &server.proxy(), &input.depth.to_string()]);
    command
}

fn scrapy(python: &str, folder: &Path, server: &FixedServer, input: &Input, extracts: &str) -> Command {
    fs::write(folder.join("seeds.txt"), input.seeds.join("\n")).unwrap();
    let mut command = Command::new(python);
    command
        .current_dir(folder)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/crawl/peers.py"))
        .args(["seeds.txt", &server.proxy(), &input.depth.to_string(), extracts]);
    command
}
