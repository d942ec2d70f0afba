//! Formats the figures as tables.

use super::figures::{Figures, Host};
use super::growth;
use crate::table::{NOTHING, table};

pub(super) fn describe(figures: &Figures) -> String {
    let mut text = format!(
        "Documents: {}; words: {}; duplicate URLs: {}; in {}\n",
        figures.documents, figures.words, figures.duplicates, figures.folder
    );
    if figures.near_duplicates > 0 {
        text += &format!(
            "Near-duplicates: {}, in clusters: {} (listed by `gleaner duplicates`)\n",
            figures.near_duplicates, figures.clusters
        );
    }
    if let Some(types) = figures.types {
        text += &format!("Types (distinct words, ignoring case): about {types}\n");
    }
    if let Some(run) = &figures.last_run {
        let ended = run.ended.map_or_else(|| "not completed".to_owned(), |at| format!("ended {at:.0}"));
        text += &format!("Last run: {}, started {:.0}, {ended}\n", run.number, run.started);
    }
    let rows = figures.languages.iter().map(|one| {
        let types = one.types.map_or_else(|| NOTHING.to_owned(), |types| types.to_string());
        vec![one.language.clone(), one.documents.to_string(), one.words.to_string(), types]
    });
    text += &format!("\n{}\n", table(&["Language", "Documents", "Words", "Types (about)"], rows));
    if let Some(days) = &figures.days {
        text += &format!("\n{}\n", growth::table_of(days));
    }
    text + &format!("\n{}\n", hosts(figures))
}

fn hosts(figures: &Figures) -> String {
    let rows = figures.hosts.iter().map(|host| {
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
