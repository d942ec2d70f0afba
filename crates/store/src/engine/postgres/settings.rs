//! Ensures that all workers have the same settings. Workers with different delays between requests, or
//! different rules for documents, must not crawl into one corpus.
//!
//! The settings of the first worker apply. The settings of other workers are compared with them. A mismatch
//! is an error that lists the differences. When no worker is alive, the settings of the next worker apply.
//!
//! When a worker registers, it removes the rows of workers whose last heartbeat was more than seven days ago.
//! A worker that ends normally removes its own row.

use std::collections::{BTreeMap, BTreeSet};

use super::link::{Connection, Link};
use crate::StoreError;

pub(crate) type Settings = BTreeMap<String, String>;

/// The key of the workers' command in the settings. Workers with different commands cannot run together.
const COMMAND: &str = "the command";

const FORGOTTEN: &str = "DELETE FROM workers WHERE seen < now() - interval '7 days'";

#[derive(Debug, Clone)]
pub(crate) struct JoiningWorker {
    pub(crate) session: String,
    pub(crate) name: String,
    pub(crate) version: &'static str,
    pub(crate) settings: Settings,
    /// Seconds without a heartbeat after which a worker counts as dead.
    pub(crate) life: f64,
}

/// Registers a worker if its settings equal the settings of the live workers.
pub(crate) fn register(link: &Link, applicant: &JoiningWorker) -> Result<(), StoreError> {
    let theirs = link.run("registering as a worker", |client| {
        let applicant = applicant.clone();
        Box::pin(async move {
            client.batch_execute("BEGIN").await?;
            let found = compare(&client, &applicant).await;
            let end = if matches!(&found, Ok((settings, _)) if *settings == applicant.settings) {
                "COMMIT"
            } else {
                "ROLLBACK"
            };
            client.batch_execute(end).await?;
            found
        })
    })?;
    let (theirs, workers) = theirs;
    if theirs == applicant.settings {
        return Ok(());
    }
    Err(StoreError::Settings { differing: differing(&theirs, &applicant.settings), workers })
}

async fn compare(
    client: &Connection,
    applicant: &JoiningWorker,
) -> Result<(Settings, String), tokio_postgres::Error> {
    // Locking a row makes workers register one after another.
    client.execute("INSERT INTO settings (name, value) VALUES ('', '') ON CONFLICT DO NOTHING", &[]).await?;
    client.execute("SELECT 1 FROM settings WHERE name = '' FOR UPDATE", &[]).await?;
    let sql = "SELECT name FROM workers WHERE seen > now() - make_interval(secs => $1) AND session <> $2 ORDER BY name";
    let alive: Vec<String> = client
        .query(sql, &[&applicant.life, &applicant.session])
        .await?
        .iter()
        .map(|row| row.get(0))
        .collect();
    if alive.is_empty() {
        client.execute("DELETE FROM settings WHERE name <> ''", &[]).await?;
        let (names, values): (Vec<&str>, Vec<&str>) =
            applicant.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).unzip();
        let sql = "INSERT INTO settings (name, value) SELECT * FROM unnest($1::text[], $2::text[])";
        client.execute(sql, &[&names, &values]).await?;
    }
    let rows = client.query("SELECT name, value FROM settings WHERE name <> ''", &[]).await?;
    let theirs: Settings = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    if theirs == applicant.settings {
        let sql = "INSERT INTO workers (session, name, version) VALUES ($1, $2, $3) \
                   ON CONFLICT (session) DO UPDATE SET seen = now()";
        client.execute(sql, &[&applicant.session, &applicant.name, &applicant.version]).await?;
        client.execute(FORGOTTEN, &[]).await?;
    }
    Ok((theirs, alive.join(", ")))
}

/// Describes the differences for users. If the command differs, describes only that difference.
fn differing(theirs: &Settings, ours: &Settings) -> String {
    let names: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    let is_command = |name: &&&String| name.as_str() == COMMAND && theirs.get(COMMAND) != ours.get(COMMAND);
    let names = names.iter().find(is_command).map_or(names.clone(), |command| BTreeSet::from([*command]));
    let value = |of: &Settings, name: &String| of.get(name).cloned().unwrap_or_else(|| "nothing".into());
    let differs = |name: &&String| theirs.get(*name) != ours.get(*name);
    let describe =
        |name: &String| format!("{name} is {} here and {} there", value(ours, name), value(theirs, name));
    names.into_iter().filter(differs).map(describe).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let of = |pairs: &[(&str, &str)]| -> Settings {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let (theirs, ours) = (of(&[("a", "1"), ("b", "2")]), of(&[("a", "1"), ("b", "3"), ("c", "4")]));
        assert_eq!(differing(&theirs, &ours), "b is 3 here and 2 there; c is 4 here and nothing there");
        let same = |settings: Settings, command: &str| -> Settings {
            settings.into_iter().chain([(COMMAND.to_owned(), command.to_owned())]).collect()
        };
        let text = differing(&same(theirs.clone(), "crawl"), &same(ours.clone(), "crawl"));
        assert_eq!(text, "b is 3 here and 2 there; c is 4 here and nothing there");
        let text = differing(&same(theirs, "crawl"), &same(ours, "ingest"));
        assert_eq!(text, "the command is ingest here and crawl there");
    }
}
