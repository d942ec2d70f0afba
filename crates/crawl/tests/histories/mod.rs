//! Builds invented run histories, in the form in which the store returns them.

use std::collections::BTreeMap;

use gleaner_crawl::integrity::IntegrityReport;
use gleaner_crawl::report::{Disk, HostData, PastRun, RunData, RunEnding};
use gleaner_store::{Counts, Run};
use jiff::{SignedDuration, Timestamp};

/// Returns the counts of a run with these outcomes. Each outcome has its reason and its count.
pub fn counts(outcomes: &[(&str, u64)]) -> Counts {
    let outcomes: BTreeMap<String, u64> =
        outcomes.iter().map(|(label, n)| ((*label).to_owned(), *n)).collect();
    let fetched = outcomes.values().sum();
    Counts { outcomes, fetched, bytes: fetched * 50_000, ..Counts::default() }
}

/// Returns the counts of an ordinary night: `new` new articles, some hub pages, and listings.
pub fn gives(new: u64) -> Counts {
    counts(&[("stored", new), ("not_article: hub", new / 10 + 1), ("listing", 12)])
}

/// Returns the start of a night. Night 0 is Monday, 2 November 2026, 19:00 UTC, which is 02:00 on Tuesday in
/// Hanoi.
pub fn night(number: i64) -> Timestamp {
    let first: Timestamp = "2026-11-02T19:00:00Z".parse().unwrap();
    first + SignedDuration::from_hours(24 * number)
}

/// Returns the data of the last night of these hosts. The earlier nights are its past runs.
pub fn run_data(hosts: &[(&str, Vec<Counts>)]) -> RunData {
    let last = hosts[0].1.len() - 1;
    let past = (0..last).rev().map(|number| PastRun {
        started: night(i64::try_from(number).unwrap()),
        hosts: hosts.iter().map(|(name, nights)| ((*name).to_owned(), nights[number].clone())).collect(),
    });
    let hosts = hosts.iter().map(|(name, nights)| HostData {
        name: (*name).to_owned(),
        counts: nights[last].clone(),
        ..HostData::default()
    });
    let started = night(i64::try_from(last).unwrap());
    RunData {
        run: Run { number: u32::try_from(last).unwrap() + 1, started, ended: None, replayed: false },
        ended: started + SignedDuration::from_hours(3),
        resumed: false,
        ending: RunEnding::Quiet,
        hosts: hosts.collect(),
        past: past.collect(),
        last_findings: Vec::new(),
        documents: 1000,
        next_due: None,
        disk: Some(Disk { free: 1 << 40, floor: 256 << 20 }),
        integrity: IntegrityReport::default(),
    }
}
