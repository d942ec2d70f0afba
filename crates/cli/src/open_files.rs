//! Raises the limit of open files and adapts the number of parallel requests to it.
//!
//! Each connection is an open file. Most systems limit a process to 1,024 open files, but allow it to raise
//! this limit to the hard limit. If the hard limit is too low for `fetch.concurrency`, fewer requests are in
//! flight: a crawl without free files could neither connect nor write its store.

use gleaner_config::Fetch;
use gleaner_fetch::FILES_OF_A_REQUEST;

use crate::aside::say;

/// The default maximum of Linux (`fs.nr_open`). A child process inherits the limit. With a higher one, a
/// program that closes all possible files at startup would take minutes; the program in `report.command` may
/// do this.
const MOST: u64 = 1 << 20;
/// Number of open files for all other uses. At most 40 were observed.
const RESERVED: u64 = 96;

/// Raises the limit of open files as far as the system allows. Returns it, if known.
pub(crate) fn raise() -> Option<u64> {
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

pub(crate) fn bound(fetch: &mut Fetch) {
    let Some(limit) = raise() else { return };
    let fits = requests(limit);
    if fetch.concurrency > fits {
        say(format_args!(
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
        let mut fetch = Fetch { concurrency: 1, ..Fetch::default() };
        bound(&mut fetch);
        assert_eq!(fetch.concurrency, 1);
    }
}
