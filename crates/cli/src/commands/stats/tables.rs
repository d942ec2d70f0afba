//! Formats the statistics as tables.

use gleaner_corpus::{Preference, Purpose};
use gleaner_crawl::render::text::count;

use super::corpus_stats::{CorpusStats, HostStats, UsageStats};
use super::growth;
use crate::table::{NOTHING, table};

pub(super) fn describe(stats: &CorpusStats) -> String {
    let mut text = format!(
        "Documents: {}; words: {}; duplicate URLs: {}; in {}\n",
        stats.documents, stats.words, stats.duplicates, stats.folder
    );
    text += &format!("Version of the corpus: {}\n", stats.version);
    if stats.near_duplicates > 0 {
        text += &format!(
            "Near-duplicates: {}, in clusters: {} (listed by `gleaner duplicates`)\n",
            stats.near_duplicates, stats.clusters
        );
    }
    if let Some(types) = stats.types {
        text += &format!("Types (distinct words, ignoring case): about {types}\n");
    }
    if let Some(run) = &stats.last_run {
        let ended = run.ended.map_or_else(|| "not completed".to_owned(), |at| format!("ended {at:.0}"));
        text += &format!("Last crawl: run {}, started {:.0}, {ended}\n", run.number, run.started);
    }
    let rows = stats.languages.iter().map(|one| {
        let types = one.types.map_or_else(|| NOTHING.to_owned(), |types| types.to_string());
        vec![one.language.clone(), one.documents.to_string(), one.words.to_string(), types]
    });
    text += &format!("\n{}\n", table(&["Language", "Documents", "Words", "Types (about)"], rows));
    if let Some(days) = &stats.days {
        text += &format!("\n{}\n", growth::table_of(days));
    }
    if let Some(usage) = &stats.usage {
        text += &describe_usage(usage);
    }
    text + &format!("\n{}\n", hosts(stats))
}

/// Formats what is stated about the use of the documents. Returns an empty text if nothing is stated.
fn describe_usage(usage: &UsageStats) -> String {
    let mut text = String::new();
    if !usage.statements.is_empty() {
        let rows = Purpose::ALL.map(|purpose| {
            let counts = [Preference::Allow, Preference::Disallow, Preference::Unknown];
            let counts = counts.map(|preference| usage.count(purpose, preference).to_string());
            [purpose.name().to_owned()].into_iter().chain(counts).collect()
        });
        text += &format!("\n{}\n", table(&["Use of documents", "Allow", "Disallow", "Unknown"], rows));
    }
    for (head, counts) in
        [("Statement on use", &usage.statements), ("Crawler barred by robots.txt", &usage.barred_agents)]
    {
        if !counts.is_empty() {
            let rows = counts.iter().map(|(name, count)| vec![name.clone(), count.to_string()]);
            text += &format!("\n{}\n", table(&[head, "Documents"], rows));
        }
    }
    text
}

/// Formats the hosts that have documents or queued URLs, sorted by documents. Other hosts are only counted.
fn hosts(stats: &CorpusStats) -> String {
    let (mut shown, silent): (Vec<&HostStats>, Vec<&HostStats>) =
        stats.hosts.iter().partition(|host| host.stored + host.near_duplicates + host.queued > 0);
    shown.sort_by(|a, b| b.stored.cmp(&a.stored).then_with(|| a.host.cmp(&b.host)));
    let rows = shown.into_iter().map(|host| {
        let HostStats { stored, near_duplicates, duplicates, fetched, queued, .. } = *host;
        let cells = [stored, near_duplicates, duplicates, fetched, queued].map(|number| number.to_string());
        [host.host.clone()].into_iter().chain(cells).collect()
    });
    let head = ["Host", "Stored", "Near-duplicates", "Duplicates", "Fetched", "Queued"];
    let mut text = table(&head, rows);
    if !silent.is_empty() {
        text += &format!("\nand {} without documents", count(silent.len() as u64, "host"));
    }
    text
}
