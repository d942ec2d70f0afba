//! Runs `gleaner workers`: lists the workers of a shared corpus.

use std::time::Duration;

use gleaner_store::{PARTITIONS, WorkerStatus};
use serde_json::json;

use crate::args::{Common, Workers};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::table::table;
use crate::{CommandResult, distributed, output, settings};

/// Workers whose last heartbeat is older than this are not shown.
const SHOWN: Duration = Duration::from_secs(24 * 3_600);

pub(crate) fn run(common: &Common, args: &Workers) -> CommandResult {
    let config = settings::load(common)?;
    if !distributed::is_shared(&config) {
        return Err(Failure::Usage(
            "only a corpus in PostgreSQL has workers: set --store postgres://...".into(),
        ));
    }
    let store = distributed::open_for_reading(&config)?.map_err(Failure::work)?;
    let workers = store.workers(SHOWN).map_err(Failure::work)?;
    let lease = config.workers.lease.get();
    let shown = if args.json { lines(&workers) } else { format_table(&workers, lease) };
    output::print(&shown)?;
    let there = workers.iter().filter(|worker| worker.silent <= lease.as_secs_f64());
    let (waiting, crawling): (Vec<_>, Vec<_>) = there.partition(|worker| worker.waiting);
    let held: u64 = workers.iter().map(|worker| worker.partitions).sum();
    if crawling.is_empty() && !waiting.is_empty() {
        print_message("gleaner: all workers are waiting for their next crawl");
    } else if held < PARTITIONS {
        let free = PARTITIONS - held;
        print_message(format_args!(
            "gleaner: {free} of {PARTITIONS} partitions have no worker; a running worker takes them within {lease:?} and one heartbeat"
        ));
        return Err(Failure::Unusual);
    }
    Ok(())
}

fn lines(workers: &[WorkerStatus]) -> String {
    let line = |worker: &WorkerStatus| {
        let WorkerStatus { name, session: _, version, age, silent, partitions, pages, rate, idle, waiting } =
            worker;
        let worker = json!({
            "name": name, "version": version, "age_seconds": age, "silent_seconds": silent,
            "partitions": partitions, "pages": pages, "pages_per_second": rate, "idle": idle, "waiting": waiting,
        });
        format!("{worker}\n")
    };
    workers.iter().map(line).collect()
}

fn format_table(workers: &[WorkerStatus], lease: Duration) -> String {
    let row = |worker: &WorkerStatus| {
        let state = match worker {
            _ if worker.silent > lease.as_secs_f64() => "gone",
            WorkerStatus { waiting: true, .. } => "waiting",
            WorkerStatus { idle: true, .. } => "idle",
            WorkerStatus { .. } => "running",
        };
        vec![
            worker.name.clone(),
            worker.partitions.to_string(),
            worker.pages.to_string(),
            format!("{:.1}", worker.rate),
            state.to_owned(),
            format!("{:.0}", worker.silent),
            format!("{:.0}", worker.age / 60.0),
            worker.version.clone(),
        ]
    };
    let head = ["worker", "partitions", "pages", "pages/s", "state", "silent, s", "age, min", "version"];
    let mut shown = table(&head, workers.iter().map(row));
    shown.push('\n');
    shown
}
