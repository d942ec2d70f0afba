//! Stores runs, positions of replays, files, messages, and records of the whole store.

use super::{Column, Group, RecordKind, Removal, Row};
use crate::engine::postgres::values::{RowFields, SqlValue};
use crate::files::FileRecord;
use crate::records::{decode, encode};
use crate::{Run, keys};

const RUN_KEY: &[Column] = &[("number", "bigint")];

const RUN_VALUES: &[Column] =
    &[("started", "timestamptz"), ("ended", "timestamptz"), ("replayed", "boolean"), ("number", "bigint")];

pub(super) const RUN: RecordKind = RecordKind {
    space: keys::RUN,
    table: "runs",
    only: "TRUE",
    key: RUN_KEY,
    order: 1,
    values: RUN_VALUES,
    split: |key| vec![key.number()],
    join: |fields| Some(fields.int::<u32>()?.to_be_bytes().to_vec()),
    record: |fields| run(fields).map(|run| encode(&run)),
};

pub(super) const RUN_COLUMNS: Group = Group {
    table: "runs",
    id: RUN_KEY,
    columns: &[("started", "timestamptz"), ("ended", "timestamptz"), ("replayed", "boolean")],
    removal: Removal::Row,
    found_by: RUN_KEY,
    row: |key, value, _| {
        let run: Run = decode("a run", value)?;
        let values = vec![
            SqlValue::time(run.started),
            SqlValue::option(run.ended, SqlValue::time),
            SqlValue::Bool(run.replayed),
        ];
        Ok(Row { id: vec![key.number()], values })
    },
};

fn run(fields: &mut RowFields) -> Option<Run> {
    let (started, ended, replayed) = (fields.time()?, fields.time(), fields.bool()?);
    Some(Run { number: fields.int()?, started, ended, replayed })
}

const REPLAYED_KEY: &[Column] = &[("purpose", "text"), ("partition", "smallint"), ("file", "text")];
const REPLAYED_VALUES: &[Column] = &[("position", "bigint")];

pub(super) const REPLAYED: RecordKind = RecordKind {
    space: keys::REPLAYED,
    table: "replays",
    only: "TRUE",
    key: REPLAYED_KEY,
    order: 3,
    values: REPLAYED_VALUES,
    split: |key| vec![key.text(), key.byte(), key.text()],
    join: |fields| {
        let (purpose, partition, file) = (fields.text()?, fields.int::<u8>()?, fields.text()?);
        Some([purpose.as_bytes(), &[0, partition], file.as_bytes()].concat())
    },
    record: |fields| fields.int::<u64>().map(|position| encode(&position)),
};

pub(super) const REPLAYED_COLUMNS: Group = REPLAYED.row_of(|key, value, _| {
    let position: u64 = decode("the state of a replay", value)?;
    Ok(Row { id: vec![key.text(), key.byte(), key.text()], values: vec![SqlValue::number(position)] })
});

const FILE_KEY: &[Column] = &[("kind", "text"), ("number", "bigint")];

const FILE_VALUES: &[Column] = &[
    ("name", "text"),
    ("bytes", "bigint"),
    ("records", "bigint"),
    ("stored", "timestamptz"),
    ("position", "bigint"),
];

fn split_file(key: &mut crate::engine::postgres::values::KeyParts<'_>) -> Vec<SqlValue> {
    let kind = match key.array() {
        [keys::ARCHIVE_FILE] => "archive",
        [keys::DOCUMENTS_FILE] => "documents",
        // A bound of a range need not be a kind of file. These values sort before and after all kinds.
        [byte] if byte < keys::ARCHIVE_FILE => "",
        [byte] if byte < keys::DOCUMENTS_FILE => "b",
        _ => "e",
    };
    vec![SqlValue::text(kind), key.number()]
}

pub(super) const FILE: RecordKind = RecordKind {
    space: keys::FILE,
    table: "files",
    only: "TRUE",
    key: FILE_KEY,
    order: 2,
    values: FILE_VALUES,
    split: split_file,
    join: |fields| {
        let kind = match fields.text()?.as_str() {
            "archive" => keys::ARCHIVE_FILE,
            _ => keys::DOCUMENTS_FILE,
        };
        Some([&[kind][..], &fields.int::<u32>()?.to_be_bytes()].concat())
    },
    record: |fields| file(fields).map(|file| encode(&file)),
};

pub(super) const FILE_COLUMNS: Group = FILE.row_of(|key, value, _| {
    let file: FileRecord = decode("a file", value)?;
    let values = vec![
        SqlValue::Text(file.name),
        SqlValue::number(file.bytes),
        SqlValue::number(file.records),
        SqlValue::time(file.at),
        SqlValue::number(file.offset),
    ];
    Ok(Row { id: split_file(key), values })
});

fn file(fields: &mut RowFields) -> Option<FileRecord> {
    let (name, bytes, records) = (fields.text()?, fields.int()?, fields.int()?);
    Some(FileRecord { name, bytes, records, at: fields.time()?, offset: fields.int()? })
}

const MESSAGE_KEY: &[Column] = &[("partition", "smallint"), ("id", "bytea")];
const MESSAGE_VALUES: &[Column] = &[("message", "bytea")];

pub(super) const MESSAGE: RecordKind = RecordKind {
    space: keys::MESSAGE,
    table: "messages",
    only: "TRUE",
    key: MESSAGE_KEY,
    order: 2,
    values: MESSAGE_VALUES,
    split: |key| vec![key.byte(), key.id()],
    join: |fields| Some([&[fields.int::<u8>()?][..], &fields.bytes()?].concat()),
    record: RowFields::bytes,
};

pub(super) const MESSAGE_COLUMNS: Group = MESSAGE
    .row_of(|key, value, _| Ok(Row { id: vec![key.byte(), key.id()], values: vec![SqlValue::bytes(value)] }));

const RECORD_KEY: &[Column] = &[("key", "bytea")];
const RECORD_VALUES: &[Column] = &[("value", "bytea")];

/// A record of the whole store, or of a partition. The column `key` has the key without its first byte.
pub(super) const RECORD: RecordKind = RecordKind {
    space: keys::META,
    table: "records",
    only: "TRUE",
    key: RECORD_KEY,
    order: 1,
    values: RECORD_VALUES,
    split: |key| vec![key.rest()],
    join: RowFields::bytes,
    record: RowFields::bytes,
};

pub(super) const RECORD_COLUMNS: Group =
    RECORD.row_of(|key, value, _| Ok(Row { id: vec![key.rest()], values: vec![SqlValue::bytes(value)] }));
