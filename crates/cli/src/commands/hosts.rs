//! Runs `gleaner hosts`: lists each host on one line.

use std::collections::HashSet;

use console::Term;
use gleaner_crawl::render::text::{count, zone};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{HostView, RunHistory};
use gleaner_store::{Store, StoreError};
use jiff::Timestamp;
use serde::Serialize;

use crate::args::{self, Common, HostOrder};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::table::{NOTHING, table, wrapped};
use crate::{CommandResult, opening, output, settings};

#[derive(Debug, Serialize)]
struct HostLine {
    host: String,
    /// The origin of the site's seed, such as `seeds.txt line 3`.
    seed: Option<String>,
    new: u64,
    usual: Option<f64>,
    failed: u64,
    queued: u64,
    gap: f64,
    template: String,
    last_success: Option<Timestamp>,
    state: String,
    #[serde(skip)]
    is_seed: bool,
}

impl HostLine {
    /// Whether the table names the host even if it folds others.
    const fn is_shown(&self) -> bool {
        self.is_seed || self.last_success.is_some()
    }
}

pub(crate) fn run(common: &Common, args: &args::Hosts) -> CommandResult {
    let config = settings::load(common)?;
    let store = opening::read_store(&config)?;
    let mut lines = lines(&config, &store).map_err(Failure::work)?;
    if let Some(filter) = &args.filter {
        let wanted = filter.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        lines.retain(|line| has(&line.host) || has(&line.state) || has(&line.template));
        if lines.is_empty() {
            print_message(format_args!("gleaner: no host matches {filter}"));
            return Ok(());
        }
    }
    sort(&mut lines, args.sort);
    let shown = if args.json {
        lines
            .iter()
            .map(|line| serde_json::to_string(line).map(|line| line + "\n"))
            .collect::<Result<_, _>>()
            .map_err(Failure::work)?
    } else {
        shown_table(lines, args.all || args.filter.is_some())
    };
    output::print(&shown)
}

/// Formats the table and its legend. Unless `all` is set, folds hosts that never gave a document, because a site may
/// have many of them.
fn shown_table(lines: Vec<HostLine>, all: bool) -> String {
    let (shown, folded): (Vec<HostLine>, Vec<HostLine>) =
        lines.into_iter().partition(|line| all || line.is_shown());
    let mut text = format!("{}\n", format_table(&shown));
    if !folded.is_empty() {
        let hosts = count(folded.len() as u64, "host");
        text += &format!("and {hosts} without documents; --all lists them\n");
    }
    text + &wrapped(LEGEND, &Term::stdout()) + "\n"
}

const LEGEND: &str = "New, Failed: in the newest run. Usual: new documents in a usual run, known after three runs. \
Queued: URLs that wait for a request, also those that are due later.";

fn sort(lines: &mut [HostLine], by: HostOrder) {
    lines.sort_by(|a, b| {
        let order = match by {
            HostOrder::Host => b.last_success.is_some().cmp(&a.last_success.is_some()),
            HostOrder::New => b.new.cmp(&a.new),
            HostOrder::Failed => b.failed.cmp(&a.failed),
            HostOrder::Queued => b.queued.cmp(&a.queued),
            // `None` comes first, which is the value of hosts that never had a new document.
            HostOrder::LastSuccess => a.last_success.cmp(&b.last_success),
        };
        order.then_with(|| a.host.cmp(&b.host))
    });
}

fn lines(config: &Config, store: &Store) -> Result<Vec<HostLine>, StoreError> {
    // Only all runs show whether a host ever gave a document.
    let mut history = RunHistory::read(store, usize::MAX)?;
    let seeds: HashSet<String> =
        store.seeds()?.into_iter().flatten().map(|seed| seed.url.host().to_owned()).collect();
    let now = Timestamp::now();
    let line = |host: HostView| {
        let newest = host.newest();
        HostLine {
            seed: host.seeding.origin().map(str::to_owned),
            new: newest.new,
            usual: host.usual,
            failed: newest.failed(),
            queued: host.record.queued,
            gap: host.delay.as_secs_f64(),
            template: host.template.to_string(),
            last_success: host.last_new,
            state: host.request_state(now).to_string(),
            is_seed: seeds.contains(&host.record.name),
            host: host.record.name,
        }
    };
    Ok(HostView::all(store, config, &mut history)?.into_iter().map(line).collect())
}

fn format_table(lines: &[HostLine]) -> String {
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
    let row = |line: &HostLine| {
        vec![
            line.host.clone(),
            line.new.to_string(),
            or_nothing(line.usual.map(|usual| format!("{usual:.0}"))),
            line.failed.to_string(),
            line.queued.to_string(),
            line.template.clone(),
            or_nothing(line.last_success.map(|at| at.to_zoned(zone()).date().to_string())),
            line.state.clone(),
        ]
    };
    let head = ["Host", "New", "Usual", "Failed", "Queued", "Template", "Last new", "State"];
    table(&head, lines.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(host: &str, gave: bool, is_seed: bool) -> HostLine {
        HostLine {
            host: host.into(),
            seed: None,
            new: 0,
            usual: None,
            failed: 0,
            queued: 1,
            gap: 5.0,
            template: "none yet".into(),
            last_success: gave.then_some(Timestamp::UNIX_EPOCH),
            state: "open".into(),
            is_seed,
        }
    }

    #[test]
    fn hosts_without_documents_are_folded_and_the_others_come_first() {
        let lines = || {
            let mut lines = vec![
                line("a.example", false, false),
                line("b.example", false, true),
                line("www.b.example", true, false),
                line("z.example", false, false),
            ];
            sort(&mut lines, HostOrder::Host);
            lines
        };
        let text = shown_table(lines(), false);
        let hosts: Vec<&str> =
            text.lines().skip(2).take(2).map(|line| line.split(' ').nth(1).unwrap()).collect();
        assert_eq!(hosts, ["www.b.example", "b.example"], "{text}");
        assert!(text.contains("and 2 hosts without documents; --all lists them"), "{text}");
        assert!(shown_table(lines(), true).contains("z.example"));
    }
}
