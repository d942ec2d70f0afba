//! Reads records from the tables.

use std::collections::BTreeMap;
use std::ops::Bound;

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::Postgres;
use super::link::Connection;
use super::record_kinds::{Column, RecordKind, kind_of, split};
use super::values::{RowFields, SqlValue};
use crate::StoreError;
use crate::engine::{KeyValue, Range, prefix_end};

/// A statement with its parameters.
#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) values: Vec<Parameter>,
}

#[derive(Debug, Clone)]
pub(super) enum Parameter {
    One(SqlValue),
    Many(Vec<SqlValue>),
}

impl Parameter {
    fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::One(value) => value,
            Self::Many(values) => values,
        }
    }
}

impl Statement {
    /// Adds a parameter, and returns its name with its type.
    pub(super) fn bind(&mut self, value: SqlValue, sql_type: &str) -> String {
        self.values.push(Parameter::One(value));
        format!("${}::{sql_type}", self.values.len())
    }

    /// Adds a parameter with the values of a column, and returns its name with its type.
    pub(super) fn bind_all(&mut self, values: Vec<SqlValue>, sql_type: &str) -> String {
        self.values.push(Parameter::Many(values));
        format!("${}::{sql_type}[]", self.values.len())
    }

    /// Adds a parameter for each column of some rows, and returns an `unnest(...)` of these parameters.
    pub(super) fn bind_rows(
        &mut self,
        columns: &[Column],
        rows: impl IntoIterator<Item = Vec<SqlValue>>,
    ) -> String {
        let mut values: Vec<Vec<SqlValue>> = vec![Vec::new(); columns.len()];
        for row in rows {
            values.iter_mut().zip(row).for_each(|(values, value)| values.push(value));
        }
        let bound: Vec<String> = columns
            .iter()
            .zip(values)
            .map(|((_, sql_type), values)| self.bind_all(values, sql_type))
            .collect();
        format!("unnest({})", bound.join(", "))
    }

    pub(super) async fn query(&self, client: &Connection) -> Result<Vec<Row>, tokio_postgres::Error> {
        client.query(&self.sql, &self.parameters()).await
    }

    pub(super) async fn execute(&self, client: &Connection) -> Result<u64, tokio_postgres::Error> {
        client.execute(&self.sql, &self.parameters()).await
    }

    /// Executes statements in this order. They are sent together, and take one round trip.
    pub(super) async fn execute_all<'a>(
        statements: impl Iterator<Item = &'a Self> + Clone,
        client: &Connection,
    ) -> Result<Vec<u64>, tokio_postgres::Error> {
        let sql: Vec<&str> = statements.clone().map(|statement| statement.sql.as_str()).collect();
        client.prepare_all(&sql).await?;
        futures_util::future::try_join_all(statements.map(|statement| statement.execute(client))).await
    }

    fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(Parameter::as_sql).collect()
    }
}

/// Returns the names of columns, separated by commas.
pub(super) fn names(columns: &[Column]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Returns the values of `count` columns of a row, from the column `from`.
fn fields(row: &Row, from: usize, count: usize) -> Result<RowFields, tokio_postgres::Error> {
    Ok(RowFields::new((from..from + count).map(|at| row.try_get(at)).collect::<Result<_, _>>()?))
}

impl RecordKind {
    fn columns(&self, keys_only: bool) -> String {
        let values = if keys_only { &[] } else { self.values };
        [self.key, values]
            .iter()
            .filter(|columns| !columns.is_empty())
            .map(|columns| names(columns))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the record in a row, with columns from index `from`. Returns `None` if the row has no such record.
    fn pair(
        &self,
        row: &Row,
        from: usize,
        keys_only: bool,
    ) -> Result<Option<KeyValue>, tokio_postgres::Error> {
        let Some(key) = self.key_of(&mut fields(row, from, self.key.len())?) else { return Ok(None) };
        if keys_only {
            return Ok(Some((key, Vec::new())));
        }
        let record = (self.record)(&mut fields(row, from + self.key.len(), self.values.len())?);
        Ok(record.map(|record| (key, record)))
    }

    /// Adds the parameters for a bound of a range, and returns its condition.
    fn bound(&self, statement: &mut Statement, key: &[u8], comparison: &str) -> String {
        let order = &self.key[..self.order];
        let values = split(key).into_iter().zip(order);
        let bound: Vec<String> =
            values.map(|(value, (_, sql_type))| statement.bind(value, sql_type)).collect();
        format!("({}) {comparison} ({})", names(order), bound.join(", "))
    }

    fn page(&self, range: &Range, limit: usize) -> Statement {
        let mut statement = Statement::default();
        let mut conditions = vec![self.only.to_owned()];
        let of_kind = |key: &&Vec<u8>| key.first() == Some(&self.space);
        let (from, to) = (compared(&range.begin), compared(&range.end));
        if let Some((key, is_included)) = from.filter(|(key, _)| of_kind(key)) {
            conditions.push(self.bound(&mut statement, key, if is_included { ">=" } else { ">" }));
        }
        if let Some((key, is_included)) = to.filter(|(key, _)| of_kind(key)) {
            conditions.push(self.bound(&mut statement, key, if is_included { "<=" } else { "<" }));
        }
        let direction = if range.backwards { " DESC" } else { "" };
        let order: Vec<String> =
            self.key[..self.order].iter().map(|(name, _)| format!("{name}{direction}")).collect();
        let limit = statement.bind(SqlValue::number(limit), "bigint");
        statement.sql = format!(
            "SELECT {} FROM {} WHERE {} ORDER BY {} LIMIT {limit}",
            self.columns(range.keys_only),
            self.table,
            conditions.join(" AND "),
            order.join(", ")
        );
        statement
    }
}

fn compared(bound: &Bound<Vec<u8>>) -> Option<(&Vec<u8>, bool)> {
    match bound {
        Bound::Included(key) => Some((key, true)),
        Bound::Excluded(key) => Some((key, false)),
        Bound::Unbounded => None,
    }
}

/// A statement that reads records of one table by their keys. Each kind has its own columns in the result.
struct Lookup {
    statement: Statement,
    kinds: Vec<&'static RecordKind>,
}

impl Lookup {
    /// Creates the look-ups. Kinds with one key column share one, because PostgreSQL can combine their indexes.
    fn from_keys(asked: &BTreeMap<u8, Vec<Vec<u8>>>) -> Vec<Self> {
        let mut by_table: BTreeMap<(&str, u8), Vec<&'static RecordKind>> = BTreeMap::new();
        for space in asked.keys() {
            let kind = kind_of(*space);
            let alone = if kind.key.len() == 1 { 0 } else { *space };
            by_table.entry((kind.table, alone)).or_default().push(kind);
        }
        by_table.into_values().map(|kinds| Self::new(kinds, asked)).collect()
    }

    fn new(kinds: Vec<&'static RecordKind>, asked: &BTreeMap<u8, Vec<Vec<u8>>>) -> Self {
        let mut statement = Statement::default();
        let mut conditions = Vec::new();
        for kind in &kinds {
            let keys = asked.get(&kind.space).into_iter().flatten().map(|key| split(key));
            conditions.push(match kind.key {
                [(name, sql_type)] => {
                    let keys = keys.filter_map(|key| key.into_iter().next()).collect();
                    format!("{name} = ANY({})", statement.bind_all(keys, sql_type))
                }
                columns => {
                    let keys = statement.bind_rows(columns, keys);
                    format!("({}) IN (SELECT * FROM {keys})", names(columns))
                }
            });
        }
        let columns: Vec<String> = kinds.iter().map(|kind| kind.columns(false)).collect();
        let table = kinds.first().map_or("", |kind| kind.table);
        statement.sql =
            format!("SELECT {} FROM {table} WHERE {}", columns.join(", "), conditions.join(" OR "));
        Self { statement, kinds }
    }

    async fn pairs(&self, client: &Connection) -> Result<Vec<KeyValue>, tokio_postgres::Error> {
        let mut pairs = Vec::new();
        for row in self.statement.query(client).await? {
            let mut from = 0;
            for kind in &self.kinds {
                pairs.extend(kind.pair(&row, from, false)?);
                from += kind.key.len() + kind.values.len();
            }
        }
        Ok(pairs)
    }
}

impl Postgres {
    /// Returns the first records of a range.
    pub(super) fn page(&self, range: &Range, limit: usize) -> Result<Vec<KeyValue>, StoreError> {
        let Some(kind) = range.space().map(kind_of) else { return Ok(Vec::new()) };
        let (statement, keys_only) = (kind.page(range, limit), range.keys_only);
        self.link().run("reading", |client| {
            let statement = statement.clone();
            Box::pin(async move {
                let rows = statement.query(&client).await?;
                rows.iter().filter_map(|row| kind.pair(row, 0, keys_only).transpose()).collect()
            })
        })
    }

    /// Returns the records with the keys `asked`, which are grouped by first byte. May return other records, too.
    pub(super) fn rows(&self, asked: &BTreeMap<u8, Vec<Vec<u8>>>) -> Result<Vec<KeyValue>, StoreError> {
        self.link().run("reading", |client| {
            let lookups = Lookup::from_keys(asked);
            Box::pin(async move {
                // The statements for several tables are sent together, and take one round trip.
                let pairs = lookups.iter().map(|lookup| lookup.pairs(&client));
                Ok(futures_util::future::try_join_all(pairs).await?.concat())
            })
        })
    }

    /// Returns the first records with each of these prefixes, at most `limit` of each. All prefixes have the same
    /// first byte.
    pub(super) fn first_rows(
        &self,
        space: u8,
        prefixes: &[Vec<u8>],
        limit: usize,
        keys_only: bool,
    ) -> Result<Vec<Vec<KeyValue>>, StoreError> {
        let kind = kind_of(space);
        let order = &kind.key[..kind.order];
        let mut statement = Statement::default();
        let typed: Vec<Column> = order.iter().chain(order).copied().collect();
        let last = [&[space], [u8::MAX; 32].as_slice()].concat();
        let rows = prefixes.iter().map(|prefix| {
            let end = prefix_end(prefix).filter(|end| end.first() == Some(&space));
            let ends =
                [prefix, end.as_ref().unwrap_or(&last)].map(|key| split(key).into_iter().take(kind.order));
            ends.into_iter().flatten().collect()
        });
        let asked = statement.bind_rows(&typed, rows);
        let aliases = |of: &str| (0..kind.order).map(|at| format!("{of}{at}")).collect::<Vec<_>>().join(", ");
        let (low, high) = (aliases("low"), aliases("high"));
        statement.sql = format!(
            "SELECT at, found.* FROM {asked} WITH ORDINALITY AS asked ({low}, {high}, at) CROSS JOIN LATERAL \
             (SELECT {columns} FROM {table} WHERE {only} AND ({order}) >= ({low}) AND ({order}) < ({high}) \
              ORDER BY {order} LIMIT {limit}) AS found ORDER BY at",
            columns = kind.columns(keys_only),
            table = kind.table,
            only = kind.only,
            order = names(order),
        );
        let count = prefixes.len();
        self.link().run("looking up the next records", |client| {
            let statement = statement.clone();
            Box::pin(async move {
                let mut first = vec![Vec::new(); count];
                for row in statement.query(&client).await? {
                    let at: i64 = row.try_get(0)?;
                    let of = usize::try_from(at - 1).ok().and_then(|at| first.get_mut(at));
                    if let (Some(of), Some(pair)) = (of, kind.pair(&row, 1, keys_only)?) {
                        of.push(pair);
                    }
                }
                first.iter_mut().for_each(|pairs| pairs.sort_unstable());
                Ok(first)
            })
        })
    }
}
