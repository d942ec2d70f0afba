//! `gleaner serve`: the status page of a corpus that no other process has open, or of one that
//! many share.
//!
//! It crawls when the page's button is pressed, and at no other time; where many share the
//! corpus it only reads.

use std::thread;
use std::time::Duration;

use gleaner_crawl::report::text;
use gleaner_crawl::snapshot;
use gleaner_status::Hooks;

use crate::args::{Common, Serve};
use crate::aside::say;
use crate::scheduled::daemon::Daemon;
use crate::scheduled::reporting;
use crate::{Done, distributed};

/// How often it is looked whether something was asked for.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common, args: &Serve) -> Done {
    let mut daemon = Daemon::visit(common, &args.seeds)?;
    // Of a corpus that many share this is a reader.
    let hooks = if distributed::is_shared(&daemon.config) { Hooks::default() } else { daemon.hooks() };
    daemon.serve(Some(args.address), &args.access, hooks)?;
    while !daemon.stop.asked() {
        if daemon.is_asked() {
            crawl(&daemon);
        }
        snapshot::follow(&daemon.config, &daemon.store);
        thread::sleep(LOOK);
    }
    daemon.close();
    Ok(())
}

/// One crawl, and what is said about it.
fn crawl(daemon: &Daemon) {
    say("gleaner: starting a crawl (requested on the status page)");
    let crawled = daemon.crawl();
    if let Err(error) = &crawled {
        say(format_args!("gleaner: the crawl failed: {error}"));
    }
    if let Some(report) = reporting::report(daemon, &crawled) {
        say(text::short(&report).trim_end());
    }
}
