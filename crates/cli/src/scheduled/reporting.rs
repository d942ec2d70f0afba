//! The report of a crawl: written beside the corpus, and told to whom the user chose.

use std::path::Path;

use gleaner_crawl::report::{Report, folder};
use gleaner_crawl::{CrawlError, Summary};
use jiff::Timestamp;
use tracing::error;

use crate::scheduled::daemon::Daemon;
use crate::scheduled::notify;

/// Makes the report of a crawl, writes it, and runs the user's command. `None`: the crawl
/// was interrupted and is not over, or the report cannot be made, which is logged.
pub(crate) fn report(daemon: &Daemon, crawled: &Result<Summary, CrawlError>) -> Option<Report> {
    let made = gleaner_crawl::report::build(&daemon.store, &daemon.config, crawled, Timestamp::now());
    let report = match made {
        Ok(report) => report?,
        Err(error) => {
            error!(%error, "there is no report, since the store cannot be read");
            return None;
        }
    };
    let (folder, settings) = (folder::of(Path::new(&daemon.config.store.path)), &daemon.config.report);
    let files = match folder::write(&folder, &report, settings.keep) {
        Ok(files) => Some(files),
        Err(error) => {
            error!(%error, "the report cannot be written");
            None
        }
    };
    notify::tell(settings, &report, files.as_ref());
    Some(report)
}
