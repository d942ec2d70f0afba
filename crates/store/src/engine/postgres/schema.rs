//! Creates and updates the tables, and refuses tables that this program cannot read.
//!
//! Migrations are the numbered files in `migrations/`. Each migration runs once. All due migrations run in one
//! transaction. If several workers start at the same time, all workers but one may fail. They try again and
//! find the tables up to date. A migration does not begin while workers of an older version are alive.

use super::link::{Connection, Link};
use tokio_postgres::error::SqlState;

use crate::StoreError;
use crate::engine::postgres::Address;

/// Migrations by number, from [`FIRST`].
const MIGRATIONS: [&str; 4] = [
    include_str!("migrations/3.sql"),
    include_str!("migrations/4.sql"),
    include_str!("migrations/5.sql"),
    include_str!("migrations/6.sql"),
];

/// Runs after the migrations, so it describes the newest tables.
const COMMENTS: &str = include_str!("migrations/comments.sql");

/// Earlier tables had encoded records, which this program does not read.
const FIRST: i32 = 3;

pub(crate) const VERSION: i32 = FIRST + MIGRATIONS.len() as i32 - 1;

const TRIES: usize = 20;

/// Returns the version of the tables, or 0 if there are no tables.
pub(crate) fn version(link: &Link) -> Result<i32, StoreError> {
    link.run("reading the version of its tables", |client| {
        Box::pin(async move {
            let there = client.query_one("SELECT to_regclass('gleaner_schema') IS NOT NULL", &[]).await?;
            if !there.get::<_, bool>(0) {
                return Ok(0);
            }
            let version = client.query_opt("SELECT max(version) FROM gleaner_schema", &[]).await?;
            Ok(version.and_then(|row| row.get::<_, Option<i32>>(0)).unwrap_or(0))
        })
    })
}

/// Refuses missing tables, and tables of another version, for a process that does not update them.
pub(crate) fn check(link: &Link, address: &Address) -> Result<(), StoreError> {
    match version(link)? {
        0 => Err(StoreError::NoTables { database: address.redacted().into() }),
        FIRST..VERSION => Err(StoreError::TablesToUpdate { database: address.redacted().into() }),
        found => refuse_others(found, address),
    }
}

/// Refuses tables that are newer than this program, and tables that it cannot update.
fn refuse_others(found: i32, address: &Address) -> Result<(), StoreError> {
    if (1..FIRST).contains(&found) {
        return Err(StoreError::OlderTables { database: address.redacted().into(), found, known: VERSION });
    }
    if found > VERSION {
        return Err(StoreError::NewerTables { database: address.redacted().into(), found, known: VERSION });
    }
    Ok(())
}

pub(crate) fn migrate(link: &Link, address: &Address) -> Result<(), StoreError> {
    for _ in 0..TRIES {
        let found = version(link)?;
        refuse_others(found, address)?;
        if found == VERSION {
            return Ok(());
        }
        if found > 0
            && let Err(error) = refuse_older_workers(link, address)
        {
            // Another worker may have migrated the tables meanwhile. Then the running workers are not older.
            if version(link)? == found {
                return Err(error);
            }
            continue;
        }
        match link.run("creating its tables", |client| Box::pin(async move { run(&client, found).await })) {
            Ok(true) => {}
            // Another worker is running the migrations. The next attempt finds their result.
            Ok(false) => std::thread::sleep(super::MOMENT),
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Database {
        doing: "creating its tables",
        database: address.redacted().into(),
        reason: "other workers made the same change every time".into(),
    })
}

/// Whether a server's error means that another worker made the same change first.
fn is_race(error: &tokio_postgres::Error) -> bool {
    let codes = [SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_OBJECT, SqlState::UNIQUE_VIOLATION];
    error.code().is_some_and(|code| codes.contains(code))
}

/// Runs the migrations after version `from`. Returns `false` if another worker is running them.
async fn run(client: &Connection, from: i32) -> Result<bool, tokio_postgres::Error> {
    let mut sql = String::from("BEGIN;\n");
    if from == 0 {
        sql.push_str("CREATE TABLE gleaner_schema (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());\n");
    }
    for (number, migration) in (FIRST..).zip(MIGRATIONS).filter(|(number, _)| *number > from) {
        // If another worker is running the same migration, this row waits for it and is then refused.
        sql.push_str(&format!("INSERT INTO gleaner_schema (version) VALUES ({number});\n"));
        sql.push_str(migration);
    }
    sql.push_str(COMMENTS);
    sql.push_str("COMMIT;");
    let done = client.batch_execute(&sql).await;
    if done.is_err() {
        let _ = client.batch_execute("ROLLBACK").await;
    }
    match done {
        Err(error) if is_race(&error) => Ok(false),
        done => done.map(|()| true),
    }
}

fn refuse_older_workers(link: &Link, address: &Address) -> Result<(), StoreError> {
    let alive: Vec<String> = link.run("looking for workers", |client| {
        Box::pin(async move {
            let sql = "SELECT name FROM workers WHERE seen > now() - interval '2 minutes' ORDER BY name";
            Ok(client.query(sql, &[]).await?.iter().map(|row| row.get(0)).collect())
        })
    })?;
    if alive.is_empty() {
        return Ok(());
    }
    Err(StoreError::OlderWorkers { database: address.redacted().into(), workers: alive.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates the tables of an older version.
    fn tables_of(version: i32, server: &gleaner_testkit::postgres::Postgres) -> String {
        let address = server.database();
        let _ = server
            .query(&address, "CREATE TABLE gleaner_schema (version integer PRIMARY KEY, at timestamptz)");
        for (number, migration) in (FIRST..=version).zip(MIGRATIONS) {
            let _ = server.query(&address, migration);
            let _ = server.query(&address, &format!("INSERT INTO gleaner_schema VALUES ({number})"));
        }
        address
    }

    fn migrated(address: &str, server: &gleaner_testkit::postgres::Postgres) {
        let folder = tempfile::TempDir::new().unwrap();
        drop(crate::engine::postgres::record_kinds::tests::writer(address, folder.path()));
        let version = server.query(address, "SELECT max(version) FROM gleaner_schema");
        assert_eq!(version, VERSION.to_string());
    }

    fn opened(address: &str, folder: &std::path::Path) -> crate::engine::postgres::Postgres {
        let options = crate::objects::StorageOptions::default();
        let objects =
            crate::objects::Objects::open(folder.join("objects").to_str().unwrap(), options).unwrap();
        let patience = crate::engine::postgres::ReconnectPolicy {
            at_most: std::time::Duration::from_secs(20),
            should_stop: std::sync::Arc::new(|| false),
        };
        crate::engine::postgres::Postgres::open(Address::parse(address).unwrap(), objects, None, patience)
            .unwrap()
    }

    #[test]
    fn workers_that_start_at_once_migrate_the_tables_once() {
        let Some(server) = gleaner_testkit::postgres::Postgres::shared() else { return };
        let address = tables_of(5, &server);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let folder = tempfile::TempDir::new().unwrap();
                    let engine = opened(&address, folder.path());
                    migrate(engine.link(), &Address::parse(&address).unwrap()).unwrap();
                });
            }
        });
        assert_eq!(server.query(&address, "SELECT max(version) FROM gleaner_schema"), VERSION.to_string());
    }

    #[test]
    fn a_reader_does_not_read_tables_of_version_5() {
        let Some(server) = gleaner_testkit::postgres::Postgres::shared() else { return };
        let address = tables_of(5, &server);
        let folder = tempfile::TempDir::new().unwrap();
        let engine = opened(&address, folder.path());
        let checked = check(engine.link(), &Address::parse(&address).unwrap());
        assert!(matches!(checked, Err(StoreError::TablesToUpdate { .. })), "{checked:?}");
    }

    #[test]
    fn templates_of_version_5_get_the_time_at_which_they_were_learned() {
        let Some(server) = gleaner_testkit::postgres::Postgres::shared() else { return };
        let address = tables_of(5, &server);
        let _ = server.query(
            &address,
            "INSERT INTO hosts VALUES ('a.example', 0, 0, 'a.example', 0, 0, 0, 1, NULL, false, false, 0, 0); \
             INSERT INTO templates (host, version, template) \
             VALUES ('a.example', 1, '{\"learned\": \"2026-03-04T05:06:07.891234567Z\"}')",
        );
        migrated(&address, &server);
        let trained = server.query(&address, "SELECT trained AT TIME ZONE 'UTC' FROM templates");
        assert_eq!(trained, "2026-03-04 05:06:07.891234");
    }
}
