//! Runs `gleaner hosts`: lists each host on one line.

use gleaner_crawl::settings::Config;
use gleaner_crawl::{HostView, RunHistory};
use gleaner_store::{Store, StoreError};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::args::{self, Common, HostOrder};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::table::{NOTHING, table};
use crate::{CommandResult, output, settings};

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
}

pub(crate) fn run(common: &Common, args: &args::Hosts) -> CommandResult {
    let config = settings::load(common)?;
    let store = settings::read_store(&config)?;
    let mut lines = lines(&config, &store).map_err(Failure::work)?;
    if let Some(filter) = &args.filter {
        let wanted = filter.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        lines.retain(|line| has(&line.host) || has(&line.state) || has(&line.template));
        if lines.is_empty() {
            print_message(format_args!("gleaner: no host matches {filter}"));
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
        format!("{}\n", format_table(&lines))
    };
    output::print(&shown)
}

fn sort(lines: &mut [HostLine], by: HostOrder) {
    lines.sort_by(|a, b| {
        let order = match by {
            HostOrder::Host => std::cmp::Ordering::Equal,
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
    let mut history = RunHistory::read(store, RunHistory::KEPT)?;
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
            or_nothing(line.last_success.map(|at| at.to_zoned(TimeZone::UTC).date().to_string())),
            line.state.clone(),
        ]
    };
    let head = ["Host", "New", "Usual", "Failed", "Queued", "Template", "Last new", "State"];
    table(&head, lines.iter().map(row))
}
