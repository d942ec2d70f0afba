//! `gleaner stats`: what the corpus holds.

use std::collections::BTreeMap;
use std::io::{self, Write};

use gleaner_frontier::UrlKey;
use gleaner_store::{Counts, HostRecord, Store, StoreError};
use gleaner_template::Window;

use crate::args::{Common, Stats};
use crate::failure::Failure;
use crate::table::table;
use crate::{Done, settings};

pub(crate) fn run(common: &Common, Stats {}: &Stats) -> Done {
    let config = settings::load(common)?;
    let store = settings::store(&config, false)?.store();
    let text = describe(&store, &config.store.path).map_err(Failure::work)?;
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))
}

fn describe(store: &Store, folder: &str) -> Result<String, StoreError> {
    let totals = store.totals()?;
    let mut text = format!(
        "{} documents, {} words, {} further URLs with the same texts, in {folder}\n",
        totals.documents(),
        totals.words(),
        totals.duplicates,
    );
    if let Some(run) = store.last_run()? {
        let ended = run.ended.map_or_else(|| "not ended".to_owned(), |at| format!("ended {at:.0}"));
        text += &format!("Last run: {}, begun {:.0}, {ended}\n", run.number, run.started);
    }
    let languages = totals.languages.iter().filter(|(_, (documents, _))| *documents > 0);
    let rows = languages
        .map(|(tag, (documents, words))| vec![tag.clone(), documents.to_string(), words.to_string()]);
    text += &format!("\n{}\n", table(&["Language", "Documents", "Words"], rows));
    let counts = counts(store)?;
    let mut rows = Vec::new();
    for host in store.hosts() {
        let host = host?;
        let counts = counts.get(&host.name).cloned().unwrap_or_default();
        let template = template(store, &host)?;
        let numbers = [
            counts.ended("stored"),
            counts.ended("duplicate"),
            counts.fetched,
            host.queued,
            host.gathered.into(),
        ];
        rows.push([host.name].into_iter().chain(numbers.map(|n| n.to_string())).chain([template]).collect());
    }
    text += &format!(
        "\n{}\n",
        table(&["Host", "Stored", "Duplicates", "Pages read", "Queued", "Gathered", "Template"], rows)
    );
    Ok(text)
}

/// Which template a host has, and what its last pages tell of it.
fn template(store: &Store, host: &HostRecord) -> Result<String, StoreError> {
    let window: Window<UrlKey> = store.health(&host.name)?.unwrap_or_default();
    Ok(match (host.template, host.outdated, window.unlike().count()) {
        (0, ..) => "none yet".into(),
        (version, true, _) => format!("version {version}, out of date"),
        (version, false, 0) => format!("version {version}"),
        (version, false, unlike) => {
            format!("version {version}, {unlike} of the last {} pages unlike it", window.len())
        }
    })
}

/// What happened at each host in all runs.
fn counts(store: &Store) -> Result<BTreeMap<String, Counts>, StoreError> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    let last = store.last_run()?.map_or(0, |run| run.number);
    for run in 1..=last {
        for (host, counts) in store.counts(run)? {
            all.entry(host).or_default().add(&counts);
        }
    }
    Ok(all)
}
