//! Runs `gleaner serve`: serves the status page of a corpus in a folder or in a database.
//!
//! For a corpus in a folder, a button on the page starts a crawl. A corpus in a database is only read.

use std::thread;
use std::time::Duration;

use crate::status::Hooks;
use gleaner_crawl::report::text;
use gleaner_crawl::{repair, snapshot};

use crate::args::{Common, Serve};
use crate::messages::print_message;
use crate::scheduled::daemon::{Daemon, UNATTENDED};
use crate::scheduled::run_report;
use crate::{CommandResult, distributed, run_tables};

/// Interval between checks for a requested crawl, a requested copy, or a stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common, args: &Serve) -> CommandResult {
    let mut daemon = Daemon::open_existing(common, &args.seeds)?;
    daemon.patience = UNATTENDED;
    // This process only reads a shared corpus, so its page has no buttons that need a writer.
    let hooks = if distributed::is_shared(&daemon.config) { Hooks::default() } else { daemon.hooks() };
    daemon.serve(Some(args.address), &args.access, hooks)?;
    while !daemon.stop.is_requested() {
        if daemon.is_crawl_requested() {
            crawl(&daemon);
        }
        snapshot::follow(&daemon.config, &daemon.store);
        repair::follow(daemon.repair_rules(), &daemon.store);
        thread::sleep(CHECK_INTERVAL);
    }
    daemon.close();
    Ok(())
}

fn crawl(daemon: &Daemon) {
    print_message("gleaner: starting a crawl (requested on the status page)");
    let crawled = daemon.crawl();
    if let Err(error) = &crawled {
        print_message(format_args!("gleaner: the crawl failed: {error}"));
    }
    match (run_report::report(daemon, &crawled), crawled) {
        (Some(report), _) => print_message(text::short(&report).trim_end()),
        (None, Ok(summary)) if !summary.ending.is_over() => {
            let by = if daemon.stop.is_requested() { "interrupted" } else { "stopped on the status page" };
            let stopped = run_tables::stopped(&summary, by);
            print_message(format_args!("gleaner: {stopped}; \"Crawl now\" continues it"));
        }
        (None, _) => {}
    }
}
