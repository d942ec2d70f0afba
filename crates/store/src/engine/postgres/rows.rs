//! Writes records to the tables.
//!
//! The records of one row are written together, in one statement for all rows of a table that change the same
//! columns.

use std::collections::{BTreeMap, BTreeSet};

use super::MAX_ROWS;
use super::link::Connection;
use super::objects::TextPosition;
use super::record_kinds::{Column, Group, Removal, group_of, parts, split};
use super::select::{Statement, names};
use super::values::SqlValue;
use crate::StoreError;
use crate::engine::Write;

/// The positions of texts in object storage, by the keys of their records.
pub(super) type TextPositions = BTreeMap<Vec<u8>, TextPosition>;

/// Groups of columns, by the name of their first column, with the values of one row.
type Groups = BTreeMap<&'static str, (&'static Group, Vec<SqlValue>)>;

/// Rows of a table by their identity.
type Table = BTreeMap<Vec<SqlValue>, Groups>;

/// The values that identify rows to change, by table and columns.
type Found = BTreeMap<(&'static str, &'static [Column]), (&'static Group, Vec<Vec<SqlValue>>)>;

/// All rows that a flush changes.
#[derive(Debug, Default)]
pub(super) struct Rows {
    tables: BTreeMap<&'static str, Table>,
    deleted: Found,
    /// Rows in which the columns of a group become NULL.
    emptied: Found,
    /// Content hashes that may move from one document to another, with the id of the new document.
    moved: Vec<Vec<SqlValue>>,
    /// Content hashes that no other document may have yet, each with the id of its document.
    claimed: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Rows {
    pub(super) fn from_writes(
        writes: BTreeMap<Vec<u8>, Write>,
        spots: &TextPositions,
    ) -> Result<Self, StoreError> {
        let mut rows = Self::default();
        for (key, write) in writes {
            let Some(group) = group_of(&key) else { continue };
            match &write {
                Write::Remove => rows.remove(group, &key),
                Write::Put(value) | Write::Claim(value) => {
                    let row = (group.row)(&mut parts(&key), value, spots.get(&key).cloned())?;
                    if group.removal == Removal::Found && key.first() == Some(&crate::keys::CONTENT) {
                        rows.note_hash(&key, &write, &row.id);
                    }
                    rows.put(group, row.id, row.values);
                }
            }
        }
        Ok(rows)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.deleted.is_empty() && self.emptied.is_empty()
    }

    fn note_hash(&mut self, key: &[u8], write: &Write, id: &[SqlValue]) {
        let hash = key[1..].to_vec();
        match (write, id) {
            (Write::Claim(_), [SqlValue::Bytes(id)]) => self.claimed.push((hash, id.clone())),
            _ => self.moved.push([&[SqlValue::Bytes(hash)], id].concat()),
        }
    }

    fn put(&mut self, group: &'static Group, id: Vec<SqlValue>, values: Vec<SqlValue>) {
        let groups = self.tables.entry(group.table).or_default().entry(id).or_default();
        groups.insert(first_column(group), (group, values));
    }

    fn remove(&mut self, group: &'static Group, key: &[u8]) {
        let mut found = split(key);
        found.truncate(group.found_by.len());
        let list = match group.removal {
            Removal::Columns => return self.put(group, found, vec![SqlValue::Null; group.columns.len()]),
            Removal::Row => &mut self.deleted,
            Removal::Found => &mut self.emptied,
        };
        list.entry((group.table, group.found_by)).or_insert_with(|| (group, Vec::new())).1.push(found);
    }

    /// Returns the claimed hashes that another document has, each with the ids of both documents.
    pub(super) async fn lost(
        &self,
        client: &Connection,
    ) -> Result<Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>, tokio_postgres::Error> {
        let hashes: Vec<&[u8]> = self.claimed.iter().map(|(hash, _)| hash.as_slice()).collect();
        let sql = "SELECT content_hash, id FROM documents WHERE content_hash = ANY($1)";
        let rows = client.query(sql, &[&hashes]).await?;
        let theirs: BTreeMap<Vec<u8>, Vec<u8>> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let lost = self.claimed.iter().filter_map(|(hash, ours)| {
            let theirs = theirs.get(hash).filter(|theirs| *theirs != ours)?;
            Some((hash.clone(), ours.clone(), theirs.clone()))
        });
        Ok(lost.collect())
    }

    /// Writes all rows. If rows that should be changed are missing, returns the name of their table.
    pub(super) async fn write(
        &self,
        client: &Connection,
    ) -> Result<Option<&'static str>, tokio_postgres::Error> {
        let writes = self.writes();
        let written = Statement::execute_all(writes.iter().map(|write| &write.statement), client).await?;
        let is_short = |(write, written): &(&RowWrite, u64)| *written < write.at_least;
        Ok(writes.iter().zip(written).find(is_short).map(|(write, _)| write.table))
    }

    /// Returns the statements that write the rows, in their order.
    fn writes(&self) -> Vec<RowWrite> {
        let mut writes = Vec::new();
        for ((table, columns), (_, rows)) in &self.deleted {
            let sql = format!("DELETE FROM {table}");
            writes.extend(rows.chunks(MAX_ROWS).map(|rows| RowWrite::any(table, found(&sql, columns, rows))));
        }
        for ((table, columns), (group, rows)) in &self.emptied {
            let empty: Vec<String> = group.columns.iter().map(|(name, _)| format!("{name} = NULL")).collect();
            let sql = format!("UPDATE {table} SET {}", empty.join(", "));
            writes.extend(rows.chunks(MAX_ROWS).map(|rows| RowWrite::any(table, found(&sql, columns, rows))));
        }
        if !self.moved.is_empty() {
            let mut statement = Statement::default();
            let columns = [("hash", "bytea"), ("document", "bytea")];
            let moved = statement.bind_rows(&columns, self.moved.iter().cloned());
            statement.sql = format!(
                "UPDATE documents SET content_hash = NULL FROM {moved} AS moved (hash, document) \
                 WHERE content_hash = hash AND id <> document"
            );
            writes.push(RowWrite::any("documents", statement));
        }
        for table in self.tables.values() {
            writes.extend(by_columns(table).values().flat_map(alike_writes));
        }
        writes
    }
}

/// A statement that writes rows of a table.
#[derive(Debug)]
struct RowWrite {
    table: &'static str,
    statement: Statement,
    /// How many rows it must write at least.
    at_least: u64,
}

impl RowWrite {
    const fn any(table: &'static str, statement: Statement) -> Self {
        Self { table, statement, at_least: 0 }
    }
}

fn first_column(group: &Group) -> &'static str {
    group.columns.first().map_or("", |(name, _)| name)
}

/// Completes a statement with a condition for these rows.
fn found(sql: &str, columns: &[Column], rows: &[Vec<SqlValue>]) -> Statement {
    let mut statement = Statement::default();
    let condition = match columns {
        [(name, sql_type)] => {
            let values = rows.iter().flatten().cloned().collect();
            format!("{name} = ANY({})", statement.bind_all(values, sql_type))
        }
        columns => {
            let rows = statement.bind_rows(columns, rows.iter().cloned());
            format!("({}) IN (SELECT * FROM {rows})", names(columns))
        }
    };
    statement.sql = format!("{sql} WHERE {condition}");
    statement
}

/// Rows that change the same columns: the identity and the groups of each row.
type Alike<'a> = Vec<(&'a Vec<SqlValue>, &'a Groups)>;

fn by_columns(table: &Table) -> BTreeMap<BTreeSet<&'static str>, Alike<'_>> {
    let mut alike: BTreeMap<BTreeSet<&'static str>, Alike<'_>> = BTreeMap::new();
    for (id, groups) in table {
        alike.entry(groups.keys().copied().collect()).or_default().push((id, groups));
    }
    alike
}

/// Returns the statements that write rows that change the same columns.
fn alike_writes(rows: &Alike<'_>) -> Vec<RowWrite> {
    let Some((_, groups)) = rows.first() else { return Vec::new() };
    let groups: Vec<&'static Group> = groups.values().map(|(group, _)| *group).collect();
    let Some(Group { table, id, .. }) = groups.first() else { return Vec::new() };
    let columns: Vec<Column> = groups.iter().flat_map(|group| group.columns).copied().collect();
    let all: Vec<Column> = id.iter().chain(&columns).copied().collect();
    // If a group's records create their rows, the row may not exist yet.
    let creates = groups.iter().any(|group| group.removal == Removal::Row);
    let write = |rows: &[(&Vec<SqlValue>, &Groups)]| {
        let mut statement = Statement::default();
        let values = rows.iter().map(|(id, groups)| {
            let values = groups.values().flat_map(|(_, values)| values);
            id.iter().chain(values).cloned().collect()
        });
        let new = statement.bind_rows(&all, values);
        let from = if creates { "EXCLUDED" } else { "new" };
        let set: Vec<String> = columns.iter().map(|(name, _)| format!("{name} = {from}.{name}")).collect();
        let (set, all) = (set.join(", "), names(&all));
        statement.sql = match creates {
            true => format!(
                "INSERT INTO {table} ({all}) SELECT * FROM {new} ON CONFLICT ({}) DO UPDATE SET {set}",
                names(id)
            ),
            false => {
                let same: Vec<String> =
                    id.iter().map(|(name, _)| format!("{table}.{name} = new.{name}")).collect();
                format!("UPDATE {table} SET {set} FROM {new} AS new ({all}) WHERE {}", same.join(" AND "))
            }
        };
        let is_put = |(_, groups): &&(&Vec<SqlValue>, &Groups)| {
            groups.values().any(|(_, values)| values.iter().any(|value| *value != SqlValue::Null))
        };
        RowWrite { table, statement, at_least: rows.iter().filter(is_put).count() as u64 }
    };
    rows.chunks(MAX_ROWS).map(write).collect()
}
