//! `gleaner crawl`: seed sites in, a corpus out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use gleaner_config::Config;
use gleaner_crawl::{Clock, Progress, Start, Stop, Summary};
use gleaner_frontier::Seed;
use gleaner_status::{Corpus, Hooks};
use gleaner_store::Counts;
use gleaner_testkit::Newspaper;
use jiff::Timestamp;

use crate::args::{Common, Crawl};
use crate::aside::say;
use crate::commands::serve;
use crate::failure::Failure;
use crate::table::table;
use crate::watching::Watching;
use crate::{Done, logging, settings, signals, watching};

/// Outcomes that have a column of their own; the rest is in the table of reasons.
const COLUMNS: [&str; 7] =
    ["stored", "near_duplicate", "duplicate", "not_article", "listing", "redirected", "disallowed"];

/// Hosts that are named for one reason to wait.
const NAMED: usize = 5;

pub(crate) fn run(common: &Common, args: Crawl) -> Done {
    let mut config = settings::load(common)?;
    let newspaper = demo(&mut config)?;
    let seeds = match newspaper {
        Some(_) if args.seeds.is_empty() => demo_seeds()?,
        _ => settings::seeds(&args.seeds, &config)?,
    };
    let pins = settings::pins(&config)?;
    let admission = settings::admission(&config)?;
    let bar = watching::bar();
    logging::begin(&config.log, &bar)?;
    if config.fetch.contact.is_empty() && !config.fetch.user_agent.contains(['@', '+']) {
        say(
            "gleaner: please set fetch.contact, so that a site's owner can reach you: --set fetch.contact=you@example.org",
        );
    }
    let writer = settings::store(&config, true)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::work)?;
    let (stop, progress) = (Stop::default(), Arc::new(Progress::default()));
    signals::listen(runtime.handle(), stop.clone(), {
        let bar = bar.clone();
        move || bar.suspend(|| say("gleaner: finishing what is in flight; Ctrl-C again ends at once"))
    });

    let (store, shown) = (writer.store(), (config.clone(), pins.clone()));
    let corpus = || Corpus { store, config: shown.0, pins: shown.1 };
    let server = serve::beside(&args.status, runtime.handle(), corpus, Hooks::default())?;
    if let Some(server) = &server {
        server.watch(Some(Arc::clone(&progress)));
    }
    let began = Instant::now();
    let watching = Watching::begin(Arc::clone(&progress), bar, config.crawl.progress.get());
    let data = config.store.path.clone();
    let runtime_handle = runtime.handle().clone();
    let summary = gleaner_crawl::run(Start {
        config,
        seeds,
        pins,
        admission,
        writer,
        runtime: runtime_handle,
        stop,
        progress,
        clock: Clock::default(),
    });
    drop((watching, server));
    runtime.shutdown_background();

    let summary = summary.map_err(Failure::work)?;
    let text = report(&summary, began.elapsed().as_secs_f64(), &data);
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))?;
    if !summary.complete {
        return Err(Failure::Interrupted);
    }
    if nothing_reached(&summary) {
        return Err(Failure::Work("no page of any seed could be fetched; the table above says why".into()));
    }
    Ok(())
}

/// Whether the corpus is empty because no site answered: a nightly job must see that.
fn nothing_reached(summary: &Summary) -> bool {
    let mut all = Counts::default();
    summary.hosts.iter().for_each(|(_, counts)| all.add(counts));
    let failed = all.ended("failed") + all.ended("private_address");
    let ended: u64 = all.outcomes.values().sum();
    summary.documents == 0 && ended == failed && (failed > 0 || !summary.held_back.is_empty())
}

/// Starts the bundled newspaper where the settings ask for it. It is reached
/// through itself as a proxy, so that its hosts keep their names.
fn demo(config: &mut Config) -> Result<Option<Newspaper>, Failure> {
    if !config.demo.newspaper {
        return Ok(None);
    }
    let newspaper = Newspaper::start_in_background(gleaner_testkit::Options::default())
        .map_err(|error| Failure::Work(format!("cannot serve the bundled newspaper: {error}")))?;
    config.fetch.proxy = newspaper.proxy();
    Ok(Some(newspaper))
}

fn demo_seeds() -> Result<Vec<Seed>, Failure> {
    gleaner_frontier::parse_seeds(&Newspaper::seeds().join("\n"), "the bundled newspaper")
        .map_err(Failure::usage)
}

/// The end of a run, for people.
fn report(summary: &Summary, seconds: f64, data: &str) -> String {
    let mut all = Counts::default();
    summary.hosts.iter().for_each(|(_, counts)| all.add(counts));
    let goes_on = if summary.resumed { " (went on with an interrupted run)" } else { "" };
    let near = match all.ended("near_duplicate") {
        0 => String::new(),
        count => format!(" and {count} near-duplicates of others"),
    };
    let mut text = format!(
        "Run {}{goes_on}: {:.0} s, {} pages read, {} documents stored{near}; {} in the corpus {data}\n",
        summary.run.number,
        seconds,
        all.fetched,
        all.ended("stored"),
        summary.documents,
    );
    text += &if summary.hosts.is_empty() {
        "No URL ended in this run.\n".to_owned()
    } else {
        format!("\n{}\n", outcomes(summary, &all))
    };
    text += &section("Other outcomes and reasons", &["Host", "URLs", "Outcome"], reasons(summary));
    text += &section("Links that were not followed", &["Host", "Links", "Reason"], refused(summary));
    text += &section("Left to the next run", &["URLs", "Why", "Hosts"], held_back(summary));
    text + &next_step(summary, data)
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
            "No article",
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

/// Outcomes that the first table does not tell apart.
fn reasons(summary: &Summary) -> Vec<Vec<String>> {
    let of = |counts: &Counts| {
        counts.outcomes.clone().into_iter().filter(|(reason, _)| !COLUMNS.contains(&&**reason))
    };
    summary.hosts.iter().flat_map(|(host, counts)| rows(host, of(counts))).collect()
}

fn refused(summary: &Summary) -> Vec<Vec<String>> {
    summary.hosts.iter().flat_map(|(host, counts)| rows(host, counts.refused.clone())).collect()
}

/// A row a reason; the host is named in the first.
fn rows(host: &str, counts: impl IntoIterator<Item = (String, u64)>) -> Vec<Vec<String>> {
    let named = [host.to_owned()].into_iter().chain(std::iter::repeat(String::new()));
    counts
        .into_iter()
        .zip(named)
        .map(|((reason, count), host)| vec![host, count.to_string(), reason])
        .collect()
}

/// URLs that wait, a row a reason, with the hosts that have most of them.
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

fn next_step(summary: &Summary, data: &str) -> String {
    if !summary.complete {
        return "\nInterrupted. Everything is kept; the same command goes on where it was.\n".into();
    }
    let due = summary.next_due.and_then(|due| Timestamp::from_second(i64::try_from(due).ok()?).ok());
    let due = match due {
        Some(due) => format!("The next URL is due at {due}."),
        None if summary.held_back.is_empty() => "Nothing is due.".to_owned(),
        None => "What is left waits for the reasons above; run the same command later.".to_owned(),
    };
    let look = format!(" Look at the corpus: gleaner export --data {data} | head -n 1");
    format!("\n{due}{}\n", if summary.documents > 0 { &look } else { "" })
}
