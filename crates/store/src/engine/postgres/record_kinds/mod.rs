//! Defines how each kind of record is stored as a row.
//!
//! A kind has a table, key columns in the order of its keys, and value columns. Kinds may share rows: a row
//! of `urls` has the record of a URL and perhaps its raw page, and a row of `documents` has the document, its
//! content hash and its signature. The columns that one kind of record writes are a [`Group`].
//!
//! Some kinds are not written, because their records follow from other records: the lists of ready, waiting
//! and buffered URLs from the states of URLs, and the numbers of a document from its signature.

mod documents;
mod hosts;
mod others;
#[cfg(test)]
pub(super) mod tests;
mod urls;

use super::objects::TextPosition;
use super::values::{KeyParts, RowFields, SqlValue};
use crate::{StoreError, keys};

/// The name of a column, or an expression, with its SQL type.
pub(super) type Column = (&'static str, &'static str);

/// How records of one kind are read.
#[derive(Debug)]
pub(super) struct RecordKind {
    pub(super) space: u8,
    pub(super) table: &'static str,
    /// A condition that is true for the rows that have such a record.
    pub(super) only: &'static str,
    pub(super) key: &'static [Column],
    /// Number of columns of the key that determine the order.
    pub(super) order: usize,
    pub(super) values: &'static [Column],
    /// Splits a key, without its first byte, into its columns.
    pub(super) split: fn(&mut KeyParts<'_>) -> Vec<SqlValue>,
    /// Returns a key, without its first byte, from its columns. Returns `None` if the row has no such record.
    pub(super) join: fn(&mut RowFields) -> Option<Vec<u8>>,
    /// Returns a record from its columns. Returns `None` if the row has no such record.
    pub(super) record: fn(&mut RowFields) -> Option<Vec<u8>>,
}

/// Returns the row of a record from its key without the first byte, its value, and the position of its text.
type ToRow = fn(&mut KeyParts<'_>, &[u8], Option<TextPosition>) -> Result<Row, StoreError>;

/// The columns that one kind of record writes.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) table: &'static str,
    /// The columns that identify the row.
    pub(super) id: &'static [Column],
    pub(super) columns: &'static [Column],
    pub(super) removal: Removal,
    /// The columns by which a removed record is found: the first columns of the kind's key.
    pub(super) found_by: &'static [Column],
    pub(super) row: ToRow,
}

/// The effect on the row when a record is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removal {
    /// The row is deleted. Such a record creates the row.
    Row,
    /// The group's columns become NULL in the row that the key identifies.
    Columns,
    /// The group's columns become NULL in the row that has the record of the kind's key.
    Found,
}

/// The identity of a row, and the values of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: Vec<SqlValue>,
    pub(super) values: Vec<SqlValue>,
}

/// Returns the kind of the records whose keys begin with this byte.
pub(super) fn kind_of(space: u8) -> &'static RecordKind {
    match space {
        keys::URL => &urls::URL,
        keys::READY => &urls::READY,
        keys::RETRY => &urls::RETRY,
        keys::REVISIT => &urls::REVISIT,
        keys::BUFFERED => &urls::BUFFERED,
        keys::PAGE => &urls::PAGE,
        keys::HOST => &hosts::HOST,
        keys::HEALTH => &hosts::HEALTH,
        keys::ROBOTS => &hosts::ROBOTS,
        keys::TEMPLATE => &hosts::TEMPLATE,
        keys::COUNTS => &hosts::COUNTS,
        keys::DOCUMENT => &documents::DOCUMENT,
        keys::CONTENT => &documents::CONTENT,
        keys::MEMBERSHIP => &documents::MEMBERSHIP,
        keys::SIGNED => &documents::SIGNED,
        keys::CLUSTER => &documents::CLUSTER,
        keys::HISTORY => &documents::HISTORY,
        keys::ALIAS => &documents::ALIAS,
        keys::RUN => &others::RUN,
        keys::REPLAYED => &others::REPLAYED,
        keys::FILE => &others::FILE,
        keys::MESSAGE => &others::MESSAGE,
        _ => &others::RECORD,
    }
}

/// Returns the columns that the record with this key writes. Returns `None` if the record is not written.
pub(super) fn group_of(key: &[u8]) -> Option<&'static Group> {
    Some(match key.first().copied().unwrap_or_default() {
        keys::READY | keys::RETRY | keys::REVISIT | keys::BUFFERED | keys::MEMBERSHIP => return None,
        keys::URL => &urls::URL_COLUMNS,
        keys::PAGE => &urls::PAGE_COLUMNS,
        keys::HOST => &hosts::HOST_COLUMNS,
        keys::HEALTH => &hosts::HEALTH_COLUMNS,
        keys::ROBOTS => &hosts::ROBOTS_COLUMNS,
        keys::TEMPLATE => &hosts::TEMPLATE_COLUMNS,
        keys::COUNTS => &hosts::COUNTS_COLUMNS,
        keys::DOCUMENT => &documents::DOCUMENT_COLUMNS,
        keys::CONTENT => &documents::CONTENT_COLUMNS,
        keys::SIGNED => &documents::SIGNED_COLUMNS,
        keys::CLUSTER if key.len() > 5 => &documents::MEMBER_COLUMNS,
        keys::CLUSTER => &documents::CLUSTER_COLUMNS,
        keys::HISTORY => &documents::HISTORY_COLUMNS,
        keys::ALIAS => &documents::ALIAS_COLUMNS,
        keys::RUN => &others::RUN_COLUMNS,
        keys::REPLAYED => &others::REPLAYED_COLUMNS,
        keys::FILE => &others::FILE_COLUMNS,
        keys::MESSAGE => &others::MESSAGE_COLUMNS,
        _ => &others::RECORD_COLUMNS,
    })
}

/// Splits a key into the columns of its kind.
pub(super) fn split(key: &[u8]) -> Vec<SqlValue> {
    let space = key.first().copied().unwrap_or_default();
    (kind_of(space).split)(&mut parts(key))
}

/// Returns the parts of a key without its first byte.
pub(super) fn parts(key: &[u8]) -> KeyParts<'_> {
    KeyParts(key.get(1..).unwrap_or_default())
}

impl RecordKind {
    /// Returns the columns of a kind whose records create their rows.
    pub(super) const fn row_of(&self, row: ToRow) -> Group {
        Group {
            table: self.table,
            id: self.key,
            columns: self.values,
            removal: Removal::Row,
            found_by: self.key,
            row,
        }
    }

    /// Returns the key of a row that has a record of this kind.
    pub(super) fn key_of(&self, fields: &mut RowFields) -> Option<Vec<u8>> {
        let rest = (self.join)(fields)?;
        Some([&[self.space], rest.as_slice()].concat())
    }
}
