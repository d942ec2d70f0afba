//! Runs `gleaner crawl` and prints the summary of the run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use gleaner_crawl::report::{Report, Status, text};
use gleaner_crawl::{Budget, Ending, HeldBack, Summary};
use gleaner_status::Hooks;
use gleaner_store::Counts;
use jiff::Timestamp;

use crate::args::{Common, Crawl};
use crate::failure::Failure;
use crate::scheduled::daemon::Daemon;
use crate::scheduled::reporting;
use crate::table::table;
use crate::{Done, distributed};

/// Outcomes with their own column; all others are listed in the table of reasons.
const COLUMNS: [&str; 7] =
    ["stored", "near_duplicate", "duplicate", "not_article", "listing", "redirected", "disallowed"];

const NAMED: usize = 5;

pub(crate) fn run(common: &Common, args: Crawl) -> Done {
    let mut daemon = Daemon::open(common, &args.seeds, &args.budgets, |_| Ok(()))?;
    daemon.serve(args.status.status, &args.status.access, Hooks::default())?;
    let began = Instant::now();
    let crawled = daemon.crawl();
    let seconds = began.elapsed().as_secs_f64();
    let report = reporting::report(&daemon, &crawled);
    let (place, words) = (distributed::place(&daemon.config), distributed::words(&daemon.config));
    daemon.close();
    let summary = crawled.map_err(Failure::work)?;
    let text = end(&summary, report.as_ref(), seconds, &place) + &next_step(&summary, &words);
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))?;
    match report.map(|report| report.status) {
        None if !summary.ending.is_over() => Err(Failure::Interrupted),
        // If the report is missing, the reason was logged.
        None | Some(Status::Fine) => Ok(()),
        Some(Status::Unusual) => Err(Failure::Unusual),
        Some(Status::Failed) => {
            Err(Failure::Work("no page of any seed could be fetched; the table above says why".into()))
        }
    }
}

fn end(summary: &Summary, report: Option<&Report>, seconds: f64, place: &str) -> String {
    let mut all = Counts::default();
    summary.hosts.iter().for_each(|(_, counts)| all.add(counts));
    let goes_on = if summary.resumed { " (resumed)" } else { "" };
    let near = match all.ended("near_duplicate") {
        0 => String::new(),
        count => format!(", near-duplicates: {count}"),
    };
    let mut text = format!(
        "Run {}{goes_on}: {:.0} s; pages fetched: {}; documents stored: {}{near}; in the corpus {place}: {}\n",
        summary.run.number,
        seconds,
        all.fetched,
        all.ended("stored"),
        summary.documents,
    );
    text += &findings(report);
    text += &if summary.hosts.is_empty() {
        "No URL was processed in this run.\n".to_owned()
    } else {
        format!("\n{}\n", outcomes(summary, &all))
    };
    text += &section("Other outcomes and reasons", &["Host", "URLs", "Outcome"], reasons(summary));
    text += &section("Links that were not followed", &["Host", "Links", "Reason"], refused(summary));
    text + &section("Left for the next run", &["URLs", "Why", "Hosts"], held_back(summary))
}

fn findings(report: Option<&Report>) -> String {
    let found = report.filter(|report| !report.findings.is_empty());
    found.map_or_else(String::new, |report| format!("\n{}", text::sentences(report)))
}

fn outcomes(summary: &Summary, all: &Counts) -> String {
    let row = |name: &str, counts: &Counts| {
        let others: u64 = counts.outcomes.values().sum::<u64>()
            - COLUMNS.iter().map(|label| counts.ended(label)).sum::<u64>();
        let columns = COLUMNS.iter().map(|label| counts.ended(label)).chain([others]);
        [name.to_owned()].into_iter().chain(columns.map(|count| count.to_string())).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = summary.hosts.iter().map(|(name, counts)| row(name, counts)).collect();
    if rows.len() > 1 {
        rows.push(row("all hosts", all));
    }
    table(
        &[
            "Host",
            "Stored",
            "Near-duplicate",
            "Duplicate",
            "Not an article",
            "Listing",
            "Redirected",
            "Disallowed",
            "Other",
        ],
        rows,
    )
}

fn section(title: &str, head: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() { String::new() } else { format!("\n{title}\n{}\n", table(head, rows)) }
}

/// Returns rows for the outcomes that have no column in the first table.
fn reasons(summary: &Summary) -> Vec<Vec<String>> {
    let of = |counts: &Counts| {
        counts.outcomes.clone().into_iter().filter(|(reason, _)| !COLUMNS.contains(&&**reason))
    };
    summary.hosts.iter().flat_map(|(host, counts)| rows(host, of(counts))).collect()
}

fn refused(summary: &Summary) -> Vec<Vec<String>> {
    summary.hosts.iter().flat_map(|(host, counts)| rows(host, counts.refused.clone())).collect()
}

/// Returns one row per reason; only the first row names the host.
fn rows(host: &str, counts: impl IntoIterator<Item = (String, u64)>) -> Vec<Vec<String>> {
    let named = [host.to_owned()].into_iter().chain(std::iter::repeat(String::new()));
    counts
        .into_iter()
        .zip(named)
        .map(|((reason, count), host)| vec![host, count.to_string(), reason])
        .collect()
}

/// Counts the waiting URLs: one row per reason, with the hosts that have the most of them.
fn held_back(summary: &Summary) -> Vec<Vec<String>> {
    let mut by_reason: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
    for held in &summary.held_back {
        by_reason.entry(&held.why).or_default().push((held.urls, &held.host));
    }
    let row = |(why, mut hosts): (&str, Vec<(u64, &str)>)| {
        hosts.sort_by(|a, b| b.cmp(a));
        let urls: u64 = hosts.iter().map(|(urls, _)| urls).sum();
        let mut named: Vec<&str> = hosts.iter().take(NAMED).map(|(_, host)| *host).collect();
        let more = format!("and {} more", hosts.len().saturating_sub(NAMED));
        if hosts.len() > NAMED {
            named.push(&more);
        }
        vec![urls.to_string(), why.to_owned(), named.join(", ")]
    };
    by_reason.into_iter().map(row).collect()
}

/// `words`: the options with which other commands find the corpus.
fn next_step(summary: &Summary, words: &str) -> String {
    let (key, value) = match summary.ending {
        Ending::Stopped => {
            return "\nInterrupted. Nothing is lost; the same command resumes.\n".into();
        }
        Ending::Budget(Budget::Pages) => ("crawl.max_pages", "pages"),
        Ending::Budget(Budget::Time) => ("crawl.max_time", "time"),
        Ending::Quiet => ("", ""),
    };
    if !key.is_empty() {
        return format!(
            "\nThe run has reached its {value} ({key}); the same command continues with the rest.\n"
        );
    }
    let due = summary.next_due.and_then(|due| Timestamp::from_second(i64::try_from(due).ok()?).ok());
    let is_at_limit = |held: &HeldBack| held.why.starts_with("crawl.max_");
    let due = match due {
        _ if summary.held_back.iter().any(is_at_limit) => {
            "The same command continues with the hosts that reached their limit.".to_owned()
        }
        Some(due) => format!("The next URL is due at {due}."),
        None if summary.held_back.is_empty() => "Nothing is due.".to_owned(),
        None => "The remaining URLs wait for the reasons above; run the same command later.".to_owned(),
    };
    let look = format!(" To look at the corpus: gleaner export {words} | head -n 1");
    format!("\n{due}{}\n", if summary.documents > 0 { &look } else { "" })
}
