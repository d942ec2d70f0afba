//! Formats the statistics as tables.

use gleaner_corpus::{Preference, Purpose};
use gleaner_crawl::render::text::{bytes, count, minute};

use super::corpus_stats::{CorpusStats, DiskStats, HostStats, UsageStats};
use super::growth;
use crate::table::{NOTHING, table};

pub(super) fn describe(stats: &CorpusStats) -> String {
    let mut text = match stats.is_selection {
        true => {
            format!("Selected documents: {}; words: {}; in {}\n", stats.documents, stats.words, stats.folder)
        }
        false => whole_corpus(stats),
    };
    if let Some(types) = stats.types {
        text += &format!("Types (distinct words, ignoring case): about {types}\n");
    }
    if let Some(run) = stats.last_run.as_ref().filter(|_| !stats.is_selection) {
        let ended =
            run.ended.map_or_else(|| "not completed".to_owned(), |at| format!("ended {}", minute(at)));
        text += &format!("Last crawl: run {}, started {}, {ended}\n", run.number, minute(run.started));
    }
    if let Some(DiskStats { archive, store, search, reports }) = stats.disk {
        text += &format!(
            "Disk: archive {}, store {}, search index {}, reports {}\n",
            bytes(archive),
            bytes(store),
            bytes(search),
            bytes(reports)
        );
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

fn whole_corpus(stats: &CorpusStats) -> String {
    let mut text = format!(
        "Documents: {}; words: {}; duplicate URLs: {}; in {}\nVersion of the corpus: {}\n",
        stats.documents,
        stats.words,
        stats.duplicates.unwrap_or_default(),
        stats.folder,
        stats.version
    );
    if let Some((near_duplicates, clusters)) = stats.near_duplicates.zip(stats.clusters)
        && near_duplicates > 0
    {
        text += &format!(
            "Near-duplicates: {near_duplicates}, in clusters: {clusters} (listed by `gleaner duplicates`)\n"
        );
    }
    text
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

/// Formats the hosts that have documents, sorted by documents. Other hosts are only counted.
fn hosts(stats: &CorpusStats) -> String {
    let documents = |host: &HostStats| {
        let stored = || host.crawl.as_ref().map_or(0, |crawl| crawl.stored + crawl.near_duplicates);
        host.documents.unwrap_or_else(stored)
    };
    let (mut shown, silent): (Vec<&HostStats>, Vec<&HostStats>) =
        stats.hosts.iter().partition(|host| documents(host) > 0);
    shown.sort_by(|a, b| documents(b).cmp(&documents(a)).then_with(|| a.host.cmp(&b.host)));
    let rows = shown.into_iter().map(|host| {
        let crawl = host.crawl.as_ref();
        let counts =
            crawl.map(|crawl| [crawl.near_duplicates, crawl.duplicates, crawl.fetched, crawl.queued]);
        let counts = counts.into_iter().flatten().map(|count| count.to_string());
        [host.host.clone(), documents(host).to_string()].into_iter().chain(counts).collect()
    });
    let head = ["Host", "Documents", "Near-duplicates", "Duplicates", "Fetched", "Queued"];
    let mut text = table(if stats.is_selection { &head[..2] } else { &head }, rows);
    if !silent.is_empty() {
        text += &format!("\nand {} without documents", count(silent.len() as u64, "host"));
    }
    text
}
