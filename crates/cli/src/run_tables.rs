//! Formats the results of a run: hosts, outcomes, remaining URLs.

use std::collections::BTreeMap;

use gleaner_crawl::render::text::count;
use gleaner_crawl::report::{GroupedCounts, HostReport};
use gleaner_crawl::{DeferredHost, Summary};
use gleaner_store::Counts;

use crate::table::{NOTHING, table};

const OUTCOMES: usize = 20;
const NAMED: usize = 3;
/// Maximum number of hosts with only failed pages in a table of hosts.
const MAX_FAILING: usize = 5;

pub(crate) struct HostRow<'a> {
    pub(crate) host: &'a str,
    pub(crate) usual: Option<f64>,
    pub(crate) counts: GroupedCounts,
}

impl<'a> From<&'a HostReport> for HostRow<'a> {
    fn from(host: &'a HostReport) -> Self {
        Self { host: &host.name, usual: host.usual, counts: host.figures.clone() }
    }
}

/// Formats a table of a run's hosts, sorted by new documents. Lists at most `most` hosts with new or changed documents,
/// and at most [`MAX_FAILING`] of those that only have failed pages. All other hosts are only counted.
pub(crate) fn hosts(mut rows: Vec<HostRow<'_>>, most: usize) -> String {
    let gives = |row: &HostRow<'_>| row.counts.new + row.counts.revised > 0;
    let all = rows.len();
    let mut total = GroupedCounts::default();
    rows.iter().for_each(|row| total.add(&row.counts));
    rows.retain(|row| gives(row) || row.counts.failed() > 0);
    rows.sort_by_key(|row| (std::cmp::Reverse((row.counts.new, row.counts.failed())), row.host.to_owned()));
    let quiet = all - rows.len();
    let (mut shown, mut failing): (Vec<_>, Vec<_>) = rows.into_iter().partition(gives);
    let (active, failed) = (shown.len(), failing.len());
    shown.truncate(most);
    failing.truncate(MAX_FAILING.min(most - shown.len()));
    let (more, more_failing) = (active - shown.len(), failed - failing.len());
    shown.append(&mut failing);
    let mut cells: Vec<Vec<String>> =
        shown.iter().map(|row| line(row.host, row.usual, &row.counts)).collect();
    if all > 1 {
        cells.push(line("all hosts", None, &total));
    }
    let head = ["Host", "New", "Usual", "Changed", "Duplicates", "Failed", "URLs"];
    let mut text = format!("{}\n", table(&head, cells));
    if !shown.is_empty() && shown.iter().all(|row| row.usual.is_none()) {
        text += "Usual: new documents in a usual run, known after three runs\n";
    }
    for (hosts, of) in [
        (more, "with fewer new documents"),
        (more_failing, "with failed pages only"),
        (quiet, "without new, changed or failed pages"),
    ] {
        if hosts > 0 {
            text += &format!("and {} {of}\n", count(hosts as u64, "host"));
        }
    }
    text
}

/// Describes what an unfinished run has done so far.
pub(crate) fn format_progress(hosts: &[(String, Counts)], buffered: &[DeferredHost]) -> String {
    let mut all = Counts::default();
    hosts.iter().for_each(|(_, counts)| all.add(counts));
    let new = count(all.ended("stored"), "new document");
    let pages = count(all.fetched, "page");
    let waiting = waiting(buffered).map(|waiting| format!("; {waiting}")).unwrap_or_default();
    format!("{new} from {pages}{waiting}")
}

/// Describes how a run was stopped, and what it has done so far.
pub(crate) fn stopped(summary: &Summary, by: &str) -> String {
    let so_far = format_progress(&summary.hosts, &summary.buffered);
    format!("run {} was {by}: {so_far}", summary.run.number)
}

/// Describes how many fetched pages wait for a template. Returns `None` if no page waits.
pub(crate) fn waiting(buffered: &[DeferredHost]) -> Option<String> {
    let pages: u64 = buffered.iter().map(|held| held.urls).sum();
    let hosts = count(buffered.len() as u64, "host");
    let wait = if pages == 1 { "waits" } else { "wait" };
    (pages > 0).then(|| format!("{} of {hosts} {wait} for a template", count(pages, "page")))
}

fn line(host: &str, usual: Option<f64>, counts: &GroupedCounts) -> Vec<String> {
    let usual = usual.map_or_else(|| NOTHING.to_owned(), |usual| format!("{usual:.0}"));
    vec![
        host.to_owned(),
        counts.new.to_string(),
        usual,
        counts.revised.to_string(),
        (counts.duplicates + counts.near_duplicates).to_string(),
        counts.failed().to_string(),
        counts.visits().to_string(),
    ]
}

/// Formats a table of reasons with the numbers of URLs and hosts, most frequent first. Each item of `counts`
/// is a host, a reason and a number of URLs. Returns an empty text if there are no items.
pub(crate) fn reasons<'a>(
    title: &str,
    head: [&str; 3],
    counts: impl Iterator<Item = (&'a str, &'a str, u64)>,
) -> String {
    let mut by_reason: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
    for (host, reason, count) in counts {
        by_reason.entry(reason).or_default().push((count, host));
    }
    let sum = |hosts: &[(u64, &str)]| hosts.iter().map(|(count, _)| count).sum::<u64>();
    let mut sorted: Vec<_> =
        by_reason.into_iter().map(|(reason, hosts)| (sum(&hosts), reason, hosts)).collect();
    if sorted.is_empty() {
        return String::new();
    }
    sorted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let rest = sorted.split_off(sorted.len().min(OUTCOMES));
    let rows = sorted
        .into_iter()
        .map(|(urls, reason, hosts)| vec![reason.to_owned(), urls.to_string(), join_names(hosts)]);
    let mut text = format!("\n{title}\n{}\n", table(&head, rows));
    if !rest.is_empty() {
        let urls = rest.iter().map(|(urls, ..)| urls).sum();
        text += &format!("and {} ({})\n", count(rest.len() as u64, "other reason"), count(urls, "URL"));
    }
    text
}

fn join_names(mut hosts: Vec<(u64, &str)>) -> String {
    hosts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let more = hosts.len().saturating_sub(NAMED);
    let mut named: Vec<String> = hosts.into_iter().take(NAMED).map(|(_, host)| host.to_owned()).collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(host: &str, new: u64, failed: u64) -> HostRow<'_> {
        let failures = (failed > 0).then(|| ("failed: timeout".to_owned(), failed)).into_iter().collect();
        HostRow { host, usual: None, counts: GroupedCounts { new, failures, ..GroupedCounts::default() } }
    }

    #[test]
    fn hosts_with_most_new_documents_come_first_and_silent_ones_are_counted() {
        let rows = vec![
            row("a.vn", 0, 0),
            row("b.vn", 3, 0),
            row("c.vn", 9, 0),
            row("d.vn", 0, 4),
            row("e.vn", 0, 0),
        ];
        let text = hosts(rows, 2);
        let (first, second) = (text.find("c.vn").unwrap(), text.find("b.vn").unwrap());
        assert!(first < second && !text.contains("d.vn") && !text.contains("a.vn"), "{text}");
        assert!(text.contains("and 1 host with failed pages only\n"), "{text}");
        assert!(text.contains("and 2 hosts without new, changed or failed pages\n"), "{text}");
    }

    #[test]
    fn hosts_that_only_fail_are_folded() {
        let names: Vec<String> = (0..46).map(|number| format!("s{number:02}.a.vn")).collect();
        let failing = names.iter().map(|name| row(name, 0, 1));
        let text = hosts(failing.chain([row("a.vn", 9, 0)]).collect(), usize::MAX);
        assert_eq!(text.matches(".a.vn").count(), MAX_FAILING, "{text}");
        assert!(text.find(" a.vn") < text.find("s00.a.vn"), "{text}");
        assert!(text.contains("and 41 hosts with failed pages only\n"), "{text}");
    }

    #[test]
    fn the_most_frequent_reasons_are_named() {
        let names: Vec<String> = (0..OUTCOMES + 2).map(|number| format!("reason-{number:02}")).collect();
        let counts = names.iter().zip(1..).map(|(name, count)| ("a.vn", name.as_str(), count));
        let text = reasons("Outcomes", ["Outcome", "URLs", "Hosts"], counts);
        let last = names.last().unwrap();
        assert!(text.lines().nth(4).unwrap().contains(last.as_str()), "the largest number is first: {text}");
        assert!(text.ends_with("and 2 other reasons (3 URLs)\n"), "{text}");
    }
}
