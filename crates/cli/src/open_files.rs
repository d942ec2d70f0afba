//! Raises the limit of open files and adapts the number of parallel requests to it.
//!
//! Each connection is an open file. Most systems limit a process to 1,024 open files, but the process may
//! raise this limit up to the hard limit. If even the hard limit is too low for `fetch.concurrency`, the
//! crawl sends fewer requests at the same time. Otherwise it could reach the limit, and could then neither
//! connect nor write its store.

use gleaner_crawl::settings::FetchSettings;
use gleaner_fetch::FILES_OF_A_REQUEST;

use crate::messages::print_message;

/// The default of `fs.nr_open` on Linux. The program in `report.command` inherits the limit. If this program
/// closes all possible files at startup, a higher limit could delay it by minutes.
const MOST: u64 = 1 << 20;
/// Number of open files reserved for everything except connections to sites. At most 40 were observed. The
/// status page has at most 32 connections.
const RESERVED: u64 = 96;

/// Raises the limit of open files as far as the system allows. Returns the new limit if it is known.
pub(crate) fn raise_limit() -> Option<u64> {
    rlimit::increase_nofile_limit(MOST).ok().or_else(current)
}

#[cfg(unix)]
fn current() -> Option<u64> {
    rlimit::Resource::NOFILE.get_soft().ok()
}

#[cfg(not(unix))]
fn current() -> Option<u64> {
    None
}

pub(crate) fn limit_requests(fetch: &mut FetchSettings) {
    let Some(limit) = raise_limit() else { return };
    let fits = requests(limit);
    if fetch.concurrency > fits {
        print_message(format_args!(
            "gleaner: the limit of {limit} open files allows {fits} requests in flight at once instead of {} (fetch.concurrency); to allow more, raise the hard limit: run `ulimit -Hn 65536` as root, or set LimitNOFILE=65536 in the systemd unit",
            fetch.concurrency
        ));
        fetch.concurrency = fits;
    }
}

fn requests(limit: u64) -> usize {
    let fits = (limit.saturating_sub(RESERVED) / FILES_OF_A_REQUEST).max(1);
    usize::try_from(fits).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_leave_files_for_all_else() {
        for (limit, fits) in [(0, 1), (RESERVED, 1), (256, 40), (1024, 232), (MOST, 262_120)] {
            assert_eq!(requests(limit), fits, "{limit}");
        }
    }

    #[test]
    fn a_small_concurrency_stays_as_it_was_set() {
        let mut fetch = FetchSettings { concurrency: 1, ..FetchSettings::default() };
        limit_requests(&mut fetch);
        assert_eq!(fetch.concurrency, 1);
    }
}
