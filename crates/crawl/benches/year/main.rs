//! Simulates a year of nightly crawls: `cargo bench -p gleaner-crawl --bench year -- SEED NIGHTS [JSON]`.
//!
//! The sites and what happens to them are a [`World`], which follows from the seed. Each night is a real run with the real
//! store and archive. The world is served on loopback, the clock is set to the night, and the delay between requests is
//! [`night::DELAY`]. A killed night runs in a child process, which gets SIGKILL after some requests.
//!
//! Environment variables: `YEAR_SITES` (16), `YEAR_ARTICLES` (8: mean number of new articles of a site a day),
//! `YEAR_BEFORE` (40: days with articles before the first night), `YEAR_SET` (settings of the crawl, separated by `;`,
//! such as `crawl.revisit=10d`), `YEAR_DEBUG=1` (prints what each report says).
//!
//! The bench compares corpus, reports and requests with the truth, prints a table, and writes it to the file JSON. It
//! ends with exit code 1 if a goal is missed, and names nights and sites. docs/operations.md has results.
//!
//! The sites of https are served through the proxy, with certificates of an authority that the simulation trusts: the
//! program runs itself again with `SSL_CERT_FILE`.
//!
//! The check `year` of `.ci/run` simulates 30 nights of another seed each time.
//!
//! Deliberate faults, tried on 2026-11-29, and the goal that each missed (seed, nights, sites):
//!
//! * a page that failed or showed a wall is forgotten: recall of articles (7, 63, 12)
//! * missed runs are not reported: recall of alarms (21, 30, 4)
//! * robots.txt is ignored: politeness (21, 12, 4)
//! * equal texts are not recognized: articles stored twice (21, 20, 4)
//! * crawler traps are not recognized: recall of alarms (102, 30, 8)
//!
//! Two faults missed no goal. Templates that are never learned again lower only the worst week, to 0.9985 (7, 63, 12).
//! If sections and feeds are never read again, front pages and sitemaps name the same articles (21, 30, 4).
//!
//! Limitation: back-offs of 10 s and more are not waited for, so what fails is requested again in the next night.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a program for measuring"
)]

mod alarms;
mod goals;
mod ledger;
mod machine;
mod night;
mod politeness;
mod year;

use std::process::{Command, ExitCode};

use gleaner_testkit::tls::Authority;
use gleaner_testkit::world::WorldSize;
use year::Year;

/// The environment variable with the key of the authority that signs the certificates of the sites.
const AUTHORITY: &str = "YEAR_AUTHORITY";

/// Runs this program again in a process that trusts a new authority.
fn with_authority() -> ExitCode {
    let (authority, folder) = (Authority::new(AUTHORITY), tempfile::tempdir().unwrap());
    let file = folder.path().join("authority.pem");
    std::fs::write(&file, authority.pem()).unwrap();
    let mut simulation = Command::new(std::env::current_exe().unwrap());
    simulation.args(std::env::args_os().skip(1)).env("SSL_CERT_FILE", file).env(AUTHORITY, authority.key());
    if simulation.status().unwrap().success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    if let Some(("child", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        night::run_child(rest);
        return ExitCode::SUCCESS;
    }
    let number = |at: usize, usual: u64| arguments.get(at).map_or(usual, |text| text.parse().unwrap());
    let (seed, nights) = (number(0, 1), number(1, 365) as u32);
    let setting = |name: &str, usual: f64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let sites = setting("YEAR_SITES", 16.0) as usize;
    let (articles, before) = (setting("YEAR_ARTICLES", 8.0), setting("YEAR_BEFORE", 40.0) as u32);
    let Ok(key) = std::env::var(AUTHORITY) else { return with_authority() };
    let size = WorldSize { sites, nights, articles, before };
    println!("seed {seed}, {nights} nights, {sites} sites");
    let results = Year::simulate(seed, size, Authority::from_key(AUTHORITY, &key));
    print!("{}", results.table());
    if let Some(path) = arguments.get(2) {
        std::fs::write(path, serde_json::to_string_pretty(&results).unwrap()).unwrap();
    }
    if results.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
