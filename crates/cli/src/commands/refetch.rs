//! Runs `gleaner refetch`: fetches known URLs again, whether they are due or not.

use std::path::Path;
use std::time::Instant;

use gleaner_corpus::is_of_host;
use gleaner_crawl::Wanted;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{Store, join_alone};

use super::crawl::format_summary;
use crate::args::{Common, Refetch};
use crate::failure::Failure;
use crate::scheduled::daemon::Daemon;
use crate::unreadable::UnreadableTexts;
use crate::{CommandResult, distributed, output};

pub(crate) fn run(common: &Common, args: &Refetch) -> CommandResult {
    let mut daemon = Daemon::open_existing(common, &[])?;
    if distributed::is_shared(&daemon.config) {
        // The queues of all hosts are changed at the beginning, so this process needs all partitions.
        let membership = distributed::membership(&daemon.config, &daemon.stop)?;
        let folder = Path::new(&daemon.config.store.path);
        daemon.store = join_alone(folder, &membership, false).map_err(Failure::work)?.store();
    }
    let urls = urls(&daemon.store, args)?;
    refuse_others(&daemon, &urls)?;
    daemon.wanted = Wanted::Only(urls);
    let began = Instant::now();
    let crawled = daemon.crawl();
    let place = distributed::store_address(&daemon.config);
    let store_arguments = distributed::store_arguments(&daemon.config);
    daemon.close();
    let summary = crawled.map_err(Failure::work)?;
    output::print(&format_summary(&summary, began.elapsed().as_secs_f64(), &place, None, &store_arguments))?;
    if summary.ending.is_over() { Ok(()) } else { Err(Failure::Interrupted) }
}

/// Refuses URLs that are not on the site of a seed, because the crawl would not request them.
fn refuse_others(daemon: &Daemon, urls: &[CanonicalUrl]) -> CommandResult {
    let seeds = daemon.seeds.as_deref().unwrap_or_default();
    let scope = gleaner_crawl::scope(&daemon.config, seeds).map_err(Failure::usage)?;
    match urls.iter().find(|url| !scope.contains(url)) {
        Some(url) => Err(Failure::Work(format!(
            "{url} is not requested, because {} is not the site of a seed; add it to the seeds (crawl.seeds)",
            url.domain()
        ))),
        None => Ok(()),
    }
}

/// Returns the URLs of the command line, and those of all documents of its hosts.
fn urls(store: &Store, args: &Refetch) -> Result<Vec<CanonicalUrl>, Failure> {
    if args.urls.is_empty() && args.host.is_empty() {
        return Err(Failure::Usage("name what to fetch again: URLs or --host".into()));
    }
    let mut urls = Vec::new();
    for text in &args.urls {
        let url =
            CanonicalUrl::parse(text).map_err(|refusal| Failure::Usage(format!("{text}: {refusal}")))?;
        if let Some(removal) = store.removal_of(&url).map_err(Failure::work)? {
            let number = removal.number;
            return Err(Failure::Work(format!(
                "{url} was removed (removal {number}); `gleaner removals --take-back {number}` allows it again"
            )));
        }
        if store.url(url.key()).map_err(Failure::work)?.is_none() {
            let advice = "`gleaner doctor` says why, and `gleaner crawl` fetches new pages";
            return Err(Failure::Work(format!("{url} is not known to this corpus; {advice}")));
        }
        urls.push(url);
    }
    if args.host.is_empty() {
        return Ok(urls);
    }
    let known = urls.len();
    let unreadable = UnreadableTexts::new(store);
    for document in unreadable.documents(store.documents()) {
        let document = document.map_err(Failure::work)?;
        if args.host.iter().any(|host| is_of_host(&document.host, &host.to_ascii_lowercase())) {
            urls.extend(CanonicalUrl::parse(&document.url));
        }
    }
    if urls.len() == known {
        return Err(Failure::Work(format!("no document is on {}", args.host.join(", "))));
    }
    Ok(urls)
}
