//! Runs `gleaner hosts`: lists every host on one line.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use gleaner_config::Config;
use gleaner_crawl::report::Figures;
use gleaner_fetch::{Access, RobotsRecord};
use gleaner_frontier::UrlKey;
use gleaner_store::{HostRecord, Run, Store, StoreError};
use gleaner_template::Window;
use jiff::Timestamp;
use serde::Serialize;

use crate::args::{self, Common, HostOrder};
use crate::aside::say;
use crate::failure::Failure;
use crate::table::{NOTHING, table};
use crate::{Done, settings};

const RUNS: usize = 15;

#[derive(Debug, Serialize)]
struct Line {
    host: String,
    new: u64,
    /// Median of the earlier runs in which the host was in scope.
    usual: Option<f64>,
    failed: u64,
    queued: u64,
    /// Seconds.
    gap: f64,
    template: String,
    /// Start of the last run that stored a document of the host.
    last_success: Option<Timestamp>,
    state: String,
}

pub(crate) fn run(common: &Common, args: &args::Hosts) -> Done {
    let config = settings::load(common)?;
    let store = settings::store(&config, false)?;
    let mut lines = lines(&config, &store).map_err(Failure::work)?;
    if let Some(filter) = &args.filter {
        let wanted = filter.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        lines.retain(|line| has(&line.host) || has(&line.state) || has(&line.template));
        if lines.is_empty() {
            say(format_args!("gleaner: no host matches {filter}"));
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
        format!("{}\n", shown(&lines))
    };
    io::stdout().lock().write_all(shown.as_bytes()).map_err(Failure::writing("standard output"))
}

fn sort(lines: &mut [Line], by: HostOrder) {
    lines.sort_by(|a, b| {
        let order = match by {
            HostOrder::Host => std::cmp::Ordering::Equal,
            HostOrder::New => b.new.cmp(&a.new),
            HostOrder::Failed => b.failed.cmp(&a.failed),
            HostOrder::Queued => b.queued.cmp(&a.queued),
            // The host without new documents for longest comes first; `None` is the longest.
            HostOrder::LastSuccess => a.last_success.cmp(&b.last_success),
        };
        order.then_with(|| a.host.cmp(&b.host))
    });
}

fn lines(config: &Config, store: &Store) -> Result<Vec<Line>, StoreError> {
    let mut runs: Vec<(Run, HashMap<String, Figures>)> = Vec::new();
    for run in store.runs(RUNS)? {
        let counts = store.counts(run.number)?;
        runs.push((
            run,
            counts.iter().map(|(host, counts)| (host.clone(), Figures::from_counts(counts))).collect(),
        ));
    }
    let now = Timestamp::now();
    let line = |host: Result<HostRecord, StoreError>| {
        let host = host?;
        let newest = runs.first().and_then(|(_, hosts)| hosts.get(&host.name));
        let mut before: Vec<u64> = runs
            .iter()
            .skip(1)
            .filter_map(|(_, hosts)| hosts.get(&host.name))
            .map(|figures| figures.new)
            .collect();
        before.sort_unstable();
        let robots = store.robots::<RobotsRecord>(&host.name)?;
        let access = robots.map(|robots| robots.rules(config.fetch.product()));
        Ok(Line {
            new: newest.map_or(0, |figures| figures.new),
            usual: (before.len() >= 3).then(|| before[before.len() / 2] as f64),
            failed: newest.map_or(0, Figures::failed),
            queued: host.queued,
            gap: gap(config, access.as_ref()).as_secs_f64(),
            template: template(store, &host)?,
            last_success: runs
                .iter()
                .find(|(_, hosts)| hosts.get(&host.name).is_some_and(|figures| figures.new > 0))
                .map(|(run, _)| run.started),
            state: state(&host, access.as_ref(), now),
            host: host.name,
        })
    };
    store.hosts().map(line).collect()
}

fn shown(lines: &[Line]) -> String {
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
    let row = |line: &Line| {
        vec![
            line.host.clone(),
            line.new.to_string(),
            or_nothing(line.usual.map(|usual| format!("{usual:.0}"))),
            line.failed.to_string(),
            line.queued.to_string(),
            format!("{} s", line.gap),
            line.template.clone(),
            or_nothing(line.last_success.map(|time| time.strftime("%Y-%m-%d %H:%M").to_string())),
            line.state.clone(),
        ]
    };
    let head = ["Host", "New", "Usual", "Failed", "Queued", "Gap", "Template", "Last new (UTC)", "State"];
    table(&head, lines.iter().map(row))
}

/// The gap between two requests, as far as robots.txt is known.
pub(crate) fn gap(config: &Config, access: Option<&Access>) -> Duration {
    access.unwrap_or(&Access::AllAllowed).effective_delay(&config.fetch)
}

/// A host's template version and how well it fits the last pages.
pub(crate) fn template(store: &Store, host: &HostRecord) -> Result<String, StoreError> {
    let window: Window<UrlKey> = store.health(&host.name)?.unwrap_or_default();
    Ok(match (host.template, host.outdated, window.unlike().count()) {
        (0, ..) => "none yet".into(),
        (version, true, _) => format!("{version}, out of date"),
        (version, false, 0) => version.to_string(),
        (version, false, unlike) => format!("{version}, {unlike} of {} unlike", window.len()),
    })
}

fn state(host: &HostRecord, access: Option<&Access>, now: Timestamp) -> String {
    match (access, host.held_until) {
        _ if host.paused => "paused".into(),
        (Some(Access::AllDisallowed { .. }), _) => "robots.txt: all disallowed".into(),
        (_, Some(until)) if until > now => format!("held until {}", until.strftime("%m-%d %H:%M")),
        (None, _) => "not requested yet".into(),
        _ => "open".into(),
    }
}
