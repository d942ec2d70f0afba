//! Runs the statements of a compaction ([`crate::compaction`]).

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::DocumentId;

use super::link::Connection;
use super::record_kinds::Column;
use super::select::Statement;
use super::values::SqlValue;
use super::{MAX_ROWS, Postgres};
use crate::StoreError;

/// A row with the position of one text: a document or an earlier revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextRow {
    pub(crate) id: DocumentId,
    /// The number of the revision, from 1.
    pub(crate) revision: u32,
    /// Whether this is the newest revision, which is the document.
    pub(crate) is_newest: bool,
    pub(crate) file: u32,
    pub(crate) offset: u64,
}

/// A file that a compaction moves to another object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MovedFile {
    pub(crate) number: u32,
    /// The object that contained the file so far.
    pub(crate) from: String,
    /// The new values of the columns `position`, `bytes` and `records`.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) records: u64,
}

const TEXTS: &str = "SELECT id, coalesce((SELECT earlier FROM revisions WHERE document = id AND number = 0), 0) + 1, \
    TRUE, file, position FROM documents WHERE id = ANY($1) \
    UNION ALL SELECT document, number, FALSE, file, position FROM revisions WHERE document = ANY($1) AND number > 0";

impl Postgres {
    /// Returns the rows of these documents and of their earlier revisions.
    pub(crate) fn text_rows(&self, ids: &[DocumentId]) -> Result<Vec<TextRow>, StoreError> {
        let mut rows = Vec::new();
        for ids in ids.chunks(MAX_ROWS) {
            let ids: Vec<Vec<u8>> = ids.iter().map(|id| id.0.to_vec()).collect();
            rows.extend(self.0.reading.run("reading the positions of texts", |client| {
                let ids = ids.clone();
                Box::pin(async move {
                    let rows = client.query(TEXTS, &[&ids]).await?;
                    Ok(rows.iter().filter_map(text_row).collect::<Vec<_>>())
                })
            })?);
        }
        Ok(rows)
    }

    pub(crate) fn documents_by_file(&self) -> Result<BTreeMap<u32, u64>, StoreError> {
        let sql = "SELECT file, count(*) FROM documents GROUP BY file";
        self.0.reading.run("counting documents", |client| {
            Box::pin(async move {
                let rows = client.query(sql, &[]).await?;
                let row = |row: &tokio_postgres::Row| {
                    Some((u32::try_from(row.get::<_, i64>(0)).ok()?, row.get::<_, i64>(1).unsigned_abs()))
                };
                Ok(rows.iter().filter_map(row).collect())
            })
        })
    }

    /// Returns the number of files in each of these objects.
    pub(crate) fn files_by_object(&self, names: Vec<String>) -> Result<BTreeMap<String, u64>, StoreError> {
        self.0.reading.run("counting the files of objects", |client| {
            let names = names.clone();
            Box::pin(async move {
                let sql = "SELECT name, count(*) FROM files WHERE name = ANY($1) GROUP BY name";
                let rows = client.query(sql, &[&names]).await?;
                Ok(rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1).unsigned_abs())).collect())
            })
        })
    }

    /// Records that these files are now in the object `name`. Changes nothing and returns `false` if one of them is
    /// no longer in the object `MovedFile::from`, or if such an object has further files: the caller listed the
    /// files while another compaction moved them, and must not remove the object.
    pub(crate) fn move_files(
        &self,
        kind: &'static str,
        files: &[MovedFile],
        name: &str,
    ) -> Result<bool, StoreError> {
        const COLUMNS: [Column; 5] = [
            ("number", "bigint"),
            ("old", "text"),
            ("position", "bigint"),
            ("bytes", "bigint"),
            ("records", "bigint"),
        ];
        let mut statement = Statement::default();
        let new = statement.bind(SqlValue::text(name), "text");
        let kind = statement.bind(SqlValue::text(kind), "text");
        let rows = statement.bind_rows(
            &COLUMNS,
            files.iter().map(|file| {
                let MovedFile { number, from, offset, bytes, records } = file;
                let numbers =
                    [SqlValue::number(*offset), SqlValue::number(*bytes), SqlValue::number(*records)];
                [SqlValue::number(*number), SqlValue::text(from.as_str())]
                    .into_iter()
                    .chain(numbers)
                    .collect()
            }),
        );
        statement.sql = format!(
            "UPDATE files SET name = {new}, position = new.position, bytes = new.bytes, records = new.records \
             FROM {rows} AS new (number, old, position, bytes, records) \
             WHERE files.kind = {kind} AND files.number = new.number AND files.name = new.old"
        );
        let old: BTreeSet<String> = files.iter().map(|file| file.from.clone()).collect();
        let (count, old, name) = (files.len() as u64, Vec::from_iter(old), name.to_owned());
        self.transact(|client| {
            let (statement, old, name) = (statement.clone(), old.clone(), name.clone());
            Box::pin(async move { move_all(&client, &statement, count, &old, &name).await })
        })
    }
}

async fn move_all(
    client: &Connection,
    statement: &Statement,
    count: u64,
    old: &[String],
    name: &str,
) -> Result<bool, tokio_postgres::Error> {
    client.batch_execute("BEGIN").await?;
    let moved = async {
        let moved = statement.execute(client).await?;
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM files WHERE name = ANY($1))";
        let are_empty: bool = client.query_one(sql, &[&old]).await?.get(0);
        Ok(moved == count && are_empty)
    };
    let moved = moved.await;
    client.batch_execute(if matches!(moved, Ok(true)) { "COMMIT" } else { "ROLLBACK" }).await?;
    if moved? {
        return Ok(true);
    }
    // If the connection was lost after an earlier attempt was committed, the rows already name the object.
    Ok(client.query_opt("SELECT 1 FROM files WHERE name = $1 LIMIT 1", &[&name]).await?.is_some())
}

fn text_row(row: &tokio_postgres::Row) -> Option<TextRow> {
    let number = |at| row.get::<_, Option<i64>>(at);
    Some(TextRow {
        id: DocumentId(row.get::<_, Vec<u8>>(0).try_into().ok()?),
        revision: number(1)?.try_into().ok()?,
        is_newest: row.get(2),
        file: number(3)?.try_into().ok()?,
        offset: number(4)?.try_into().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use gleaner_testkit::postgres::Postgres as Server;
    use tempfile::TempDir;

    use super::*;
    use crate::engine::postgres::record_kinds::tests::writer;
    use crate::{Extent, Store};

    /// Returns the address of an empty database, and a store with it.
    fn store(folder: &TempDir) -> Option<(Arc<Server>, String, Store)> {
        let server = Server::shared()?;
        let address = server.database();
        let store = writer(&address, folder.path()).store();
        Some((server, address, store))
    }

    #[test]
    fn transactions_of_several_threads_do_not_mix() {
        let folder = TempDir::new().unwrap();
        let Some((server, address, store)) = store(&folder) else { return };
        let _ = server.query(&address, "CREATE TABLE done (is_kept boolean)");
        let engine = store.distributed.as_ref().unwrap();
        let run = |sql: &'static str, end: &'static str| {
            for _ in 0..100 {
                let done = engine.transact(|client| {
                    Box::pin(async move {
                        client.batch_execute("BEGIN").await?;
                        client.batch_execute(sql).await?;
                        client.batch_execute(end).await
                    })
                });
                done.unwrap();
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| run("INSERT INTO done VALUES (true)", "COMMIT"));
            scope.spawn(|| run("INSERT INTO done VALUES (false)", "ROLLBACK"));
        });
        let kept = server.query(&address, "SELECT count(*) FILTER (WHERE is_kept), count(*) FROM done");
        assert_eq!(kept, "100|100");
    }

    /// A worker that is stopped merges its documents while a background thread may still merge WARC files.
    #[test]
    fn merging_documents_does_not_wait_for_the_archive() {
        let folder = TempDir::new().unwrap();
        let Some((_server, _, store)) = store(&folder) else { return };
        let engine = store.distributed.clone().unwrap();
        let _merging = engine.begin_compaction(crate::keys::ARCHIVE_FILE);
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || done.send(store.compact(Extent::OwnDocuments)));
        is_done.recv_timeout(Duration::from_secs(60)).expect("it waits for the archive").unwrap();
    }

    /// A compaction that lists files in pieces may see only some of the files that another one has joined.
    #[test]
    fn an_object_with_further_files_is_not_replaced() {
        let folder = TempDir::new().unwrap();
        let Some((server, address, store)) = store(&folder) else { return };
        let _ = server.query(
            &address,
            "INSERT INTO files \
             SELECT 'documents', n, 'documents/1.parquet', 1, 1, now(), 0 FROM generate_series(1, 2) n",
        );
        let file = |number| {
            let from = "documents/1.parquet".to_owned();
            MovedFile { number, from, offset: 0, bytes: 1, records: 1 }
        };
        let engine = store.distributed.as_ref().unwrap();
        assert!(!engine.move_files("documents", &[file(1)], "documents/2.parquet").unwrap());
        let names = || server.query(&address, "SELECT DISTINCT name FROM files");
        assert_eq!(names(), "documents/1.parquet");
        assert!(engine.move_files("documents", &[file(1), file(2)], "documents/2.parquet").unwrap());
        assert_eq!(names(), "documents/2.parquet");
    }
}
