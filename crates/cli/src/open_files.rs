//! Open files: as many as the system lets the process have, and no more than that.
//!
//! Each connection is an open file. Most systems give a process 1,024 of them and let it raise
//! that to what they call the hard limit. Where even that is too few for
//! `fetch.concurrency`, fewer requests are in flight at once: a crawl that runs out of files
//! could neither connect nor write its store.

use gleaner_config::Fetch;
use gleaner_fetch::FILES_OF_A_REQUEST;

use crate::aside::say;

/// No more than Linux allows by default (`fs.nr_open`): where the hard limit is higher, a program
/// that closes all its files when it is started, such as that of `report.command`, takes minutes.
const MOST: u64 = 1 << 20;
/// Open files of all else: the store, the archive, the search index, a database, object
/// storage, the status page and the runtime. Seen were 40 at most.
const RESERVED: u64 = 96;

/// Raises the limit of open files as far as the process may, and gives it. `None`: the system
/// does not tell.
pub(crate) fn raise() -> Option<u64> {
    rlimit::increase_nofile_limit(MOST).ok().or_else(current)
}

/// The limit as it is, where it may not be changed.
#[cfg(unix)]
fn current() -> Option<u64> {
    rlimit::Resource::NOFILE.get_soft().ok()
}

#[cfg(not(unix))]
fn current() -> Option<u64> {
    None
}

/// Bounds `fetch.concurrency` by the limit of open files, and says so.
pub(crate) fn bound(fetch: &mut Fetch) {
    let Some(limit) = raise() else { return };
    let fits = requests(limit);
    if fetch.concurrency > fits {
        say(format_args!(
            "gleaner: this process may have {limit} open files, so that at most {fits} requests are in flight at once, instead of {} (fetch.concurrency); to allow more, raise the hard limit: `ulimit -Hn 65536` as root, or LimitNOFILE=65536 of a systemd unit",
            fetch.concurrency
        ));
        fetch.concurrency = fits;
    }
}

/// Requests that may be in flight with so many open files.
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
        let mut fetch = Fetch { concurrency: 1, ..Fetch::default() };
        bound(&mut fetch);
        assert_eq!(fetch.concurrency, 1);
    }
}
