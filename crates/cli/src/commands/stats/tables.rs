//! Formats the figures as tables.

use super::corpus_stats::{CorpusStats, Host};
use super::growth;
use crate::table::{NOTHING, table};

pub(super) fn describe(stats: &CorpusStats) -> String {
    let mut text = format!(
        "Documents: {}; words: {}; duplicate URLs: {}; in {}\n",
        stats.documents, stats.words, stats.duplicates, stats.folder
    );
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
        text += &format!("Last run: {}, started {:.0}, {ended}\n", run.number, run.started);
    }
    let rows = stats.languages.iter().map(|one| {
        let types = one.types.map_or_else(|| NOTHING.to_owned(), |types| types.to_string());
        vec![one.language.clone(), one.documents.to_string(), one.words.to_string(), types]
    });
    text += &format!("\n{}\n", table(&["Language", "Documents", "Words", "Types (about)"], rows));
    if let Some(days) = &stats.days {
        text += &format!("\n{}\n", growth::table_of(days));
    }
    text + &format!("\n{}\n", hosts(stats))
}

fn hosts(stats: &CorpusStats) -> String {
    let rows = stats.hosts.iter().map(|host| {
        let Host { stored, near_duplicates, duplicates, fetched, queued, buffered, .. } = *host;
        let numbers = [stored, near_duplicates, duplicates, fetched, queued, buffered.into()];
        let cells = numbers.map(|number| number.to_string());
        [host.host.clone()].into_iter().chain(cells).chain([host.template.clone()]).collect()
    });
    let head = [
        "Host",
        "Stored",
        "Near-duplicates",
        "Duplicates",
        "Pages fetched",
        "Queued",
        "Buffered",
        "Template",
    ];
    table(&head, rows)
}
