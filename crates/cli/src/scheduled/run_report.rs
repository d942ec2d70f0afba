//! Creates the report of a crawl, stores it and runs the notification command.

use std::path::Path;

use gleaner_crawl::report::{Report, folder};
use gleaner_crawl::{CrawlError, Summary, integrity};
use jiff::Timestamp;
use tracing::error;

use crate::scheduled::daemon::Daemon;
use crate::scheduled::notification;

/// Checks a part of store and archive after a crawl. Creates and writes the report of the crawl, and runs the user's notification command. Returns `None` if the
/// crawl was interrupted or failed before a run began. Also returns `None` if the report cannot be created,
/// and logs the error.
pub(crate) fn report(daemon: &Daemon, crawled: &Result<Summary, CrawlError>) -> Option<Report> {
    if crawled.as_ref().is_ok_and(|summary| summary.ending.is_over()) {
        let checked = integrity::check(&daemon.config, &daemon.store, Timestamp::now(), &daemon.stop);
        checked.err().iter().for_each(|error| error!(%error, "store and archive cannot be checked"));
    }
    let made = gleaner_crawl::report::build(&daemon.store, &daemon.config, crawled, Timestamp::now());
    let report = match made {
        Ok(report) => report?,
        // The failed crawl is reported instead.
        Err(_) if crawled.is_err() => return None,
        Err(error) => {
            error!(%error, "cannot create the report: the store cannot be read");
            return None;
        }
    };
    let (folder, settings) =
        (folder::reports_folder(Path::new(&daemon.config.store.path)), &daemon.config.report);
    let files = match folder::write(&folder, &report, settings.keep) {
        Ok(files) => Some(files),
        Err(_) if crawled.is_err() => None,
        Err(error) => {
            error!(%error, "cannot write the report");
            None
        }
    };
    notification::run_command(settings, &report, files.as_ref());
    Some(report)
}
