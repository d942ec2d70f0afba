//! Runs `gleaner crawl` and prints the summary of the run.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::status::Hooks;
use console::Term;
use gleaner_crawl::render::text::{count, duration, minute};
use gleaner_crawl::report::{GroupedCounts, Report, RunStatus, text};
use gleaner_crawl::{Budget, DeferredHost, Ending, Summary, Wanted};
use gleaner_frontier::OutcomeClass;
use gleaner_store::Counts;
use jiff::Timestamp;

use crate::args::{Common, Crawl};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::run_tables::HostRow;
use crate::scheduled::daemon::Daemon;
use crate::scheduled::run_report;
use crate::table::wrapped;
use crate::{CommandResult, distributed, opening, output, run_tables, settings};

pub(crate) fn run(common: &Common, args: Crawl) -> CommandResult {
    let mut daemon = Daemon::open(common, &args.seeds, &args.urls, &args.budgets, |_| Ok(()))?;
    if args.now {
        daemon.wanted = Wanted::Waiting;
    }
    daemon.serve(args.status.status, &args.status.access, Hooks::default())?;
    let began = Instant::now();
    let crawled = daemon.crawl();
    let seconds = began.elapsed().as_secs_f64();
    let report = run_report::report(&daemon, &crawled);
    let (place, store_arguments) =
        (distributed::store_address(&daemon.config), distributed::store_arguments(&daemon.config));
    if crawled.is_ok() {
        let reported = settings::report_unknown_pins(&daemon.config, &daemon.store);
        reported.err().iter().for_each(|failure| print_message(failure.message()));
    }
    let config = daemon.config.clone();
    daemon.close();
    let summary = crawled.map_err(Failure::work)?;
    let text = format_summary(&summary, seconds, &place, report.as_ref(), &store_arguments)
        + &next_step(&summary, &store_arguments);
    output::print(&text)?;
    if summary.ending != Ending::Stopped {
        opening::shrink_store(&config);
    }
    match report.map(|report| report.status) {
        None if !summary.ending.is_over() => Err(Failure::Interrupted),
        // If the report could not be created, the log has the reason.
        None | Some(RunStatus::Fine) => Ok(()),
        Some(RunStatus::Unusual) => {
            print_message("gleaner: exit code 3: the lines above that begin with ! say what is unusual");
            Err(Failure::Unusual)
        }
        Some(RunStatus::Failed) => Err(Failure::Work("no page of any seed could be fetched".into())),
    }
}

/// Maximum number of hosts in the table at the end of a run. The report contains all hosts.
const HOSTS: usize = 20;

/// `store_arguments` has the options with which other commands find the corpus.
pub(super) fn format_summary(
    summary: &Summary,
    seconds: f64,
    place: &str,
    report: Option<&Report>,
    store_arguments: &str,
) -> String {
    let mut text = headline(summary, seconds, place);
    if summary.hosts.is_empty() {
        text += "No URL was processed in this run.\n";
    } else {
        text += &format!("\n{}", run_tables::hosts(rows(summary, report), HOSTS));
    }
    text += &findings(report, store_arguments);
    let of = |counts: fn(&Counts) -> &BTreeMap<String, u64>| {
        let reasons = move |(host, of): &'_ (String, Counts)| (host.clone(), counts(of).clone());
        summary.hosts.iter().map(reasons).collect::<Vec<_>>()
    };
    for (title, head, counts) in [
        ("Outcomes", ["Outcome", "URLs", "Hosts"], of(|counts| &counts.outcomes)),
        ("Links that were not followed", ["Reason", "Links", "Hosts"], of(|counts| &counts.refused)),
    ] {
        let flat = counts.iter().flat_map(|(host, counts)| {
            counts.iter().map(|(reason, count)| (host.as_str(), reason.as_str(), *count))
        });
        text += &run_tables::reasons(title, head, flat);
    }
    let held = summary.deferred_urls.iter().chain(&summary.buffered);
    let held = held.map(|held| (held.host.as_str(), held.why.as_str(), held.urls));
    text + &run_tables::reasons("Left for the next run", ["Reason", "URLs", "Hosts"], held)
}

fn headline(summary: &Summary, seconds: f64, place: &str) -> String {
    let mut all = Counts::default();
    summary.hosts.iter().for_each(|(_, counts)| all.add(counts));
    let all = GroupedCounts::from_counts(&all);
    let resumed = if summary.resumed { " (resumed)" } else { "" };
    let took = duration(seconds.round() as u64);
    let (new, near) = (count(all.new, "new document"), count(all.near_duplicates, "near-duplicate"));
    let (pages, corpus) = (count(all.fetched, "page"), count(summary.documents, "document"));
    format!(
        "Run {}{resumed}, {took}: {new} and {near} from {pages}; {corpus} in the corpus {place}\n",
        summary.run.number
    )
}

fn rows<'a>(summary: &'a Summary, report: Option<&Report>) -> Vec<HostRow<'a>> {
    let usual = |name: &str| report?.hosts.iter().find(|host| host.name == name)?.usual;
    let row = |(name, counts): &'a (String, Counts)| HostRow {
        host: name,
        usual: usual(name),
        counts: GroupedCounts::from_counts(counts),
    };
    summary.hosts.iter().map(row).collect()
}

fn findings(report: Option<&Report>, store_arguments: &str) -> String {
    let found = report.filter(|report| !report.findings.is_empty());
    found.map_or_else(String::new, |report| {
        format!("\n{}", wrapped(&text::sentences(report, store_arguments), &Term::stdout()))
    })
}

/// Says how many of the requests that count toward `crawl.max_pages` failed or found no page.
fn counted_without_page(summary: &Summary) -> String {
    let is_without = |class: OutcomeClass| class.is_failure() || class == OutcomeClass::Gone;
    let without: u64 = summary.hosts.iter().map(|(_, counts)| counts.of_class(is_without)).sum();
    if without == 0 { String::new() } else { format!("; {without} of them failed or do not exist") }
}

fn next_step(summary: &Summary, store_arguments: &str) -> String {
    let (key, value) = match summary.ending {
        Ending::Stopped => {
            let waiting = run_tables::waiting(&summary.buffered);
            let waiting = waiting.map(|waiting| format!(": {waiting}")).unwrap_or_default();
            return format!("\nInterrupted{waiting}. Nothing is lost; the same command resumes.\n");
        }
        Ending::Budget(Budget::Pages) => ("crawl.max_pages", "pages"),
        Ending::Budget(Budget::Time) => ("crawl.max_time", "time"),
        Ending::Quiet => ("", ""),
    };
    if !key.is_empty() {
        let without = match summary.ending {
            Ending::Budget(Budget::Pages) => counted_without_page(summary),
            _ => String::new(),
        };
        let line = format!(
            "The run has reached its {value} ({key}{without}); the same command continues with the rest."
        );
        return format!("\n{}\n", wrapped(&line, &Term::stdout()));
    }
    let due = summary.next_due.and_then(|due| Timestamp::from_second(i64::try_from(due).ok()?).ok());
    let is_at_limit =
        |held: &DeferredHost| held.why.starts_with("crawl.max_") || held.why.starts_with("site.");
    let due = match due {
        _ if summary.deferred_urls.iter().any(is_at_limit) => {
            "The same command continues with the hosts that reached their limit.".to_owned()
        }
        Some(due) => format!("The next URL is due at {}.", minute(due)),
        None if summary.deferred_urls.is_empty() => "Nothing is due.".to_owned(),
        None => "The remaining URLs wait for the reasons above; run the same command later.".to_owned(),
    };
    let look = format!("\nTo look at the corpus:\n  gleaner export {store_arguments} | head -n 1");
    format!("\n{due}{}\n", if summary.documents > 0 { &look } else { "" })
}

#[cfg(test)]
mod tests {
    use gleaner_store::Run;

    use super::*;

    #[test]
    fn the_end_at_a_number_of_pages_counts_those_that_do_not_exist() {
        let outcomes = [("stored", 5), ("gone: http_404", 2), ("failed: timeout", 1)];
        let outcomes = outcomes.map(|(reason, count)| (reason.to_owned(), count)).into();
        let summary = |counts: Counts| Summary {
            run: Run { number: 1, started: Timestamp::UNIX_EPOCH, ended: None, replayed: false },
            resumed: false,
            ending: Ending::Budget(Budget::Pages),
            hosts: vec![("a.example".into(), counts)],
            deferred_urls: Vec::new(),
            buffered: Vec::new(),
            documents: 5,
            next_due: None,
        };
        let said = |counts| next_step(&summary(counts), "");
        let missing = said(Counts { outcomes, ..Counts::default() });
        assert!(
            missing.contains("its pages (crawl.max_pages; 3 of them failed or do not exist);"),
            "{missing}"
        );
        assert!(said(Counts::default()).contains("its pages (crawl.max_pages);"), "all were pages");
    }
}
