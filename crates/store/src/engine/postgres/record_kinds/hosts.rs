//! Stores hosts, the health of their templates, robots.txt, templates, and the counts of runs.

use std::collections::BTreeMap;

use super::{Column, Group, RecordKind, Removal, Row};
use crate::engine::postgres::objects::TextPosition;
use crate::engine::postgres::values::{KeyParts, RowFields, SqlValue};
use crate::records::{decode, encode};
use crate::{Counts, HostId, HostRecord, StoreError};

const HOST_VALUES: &[Column] = &[
    ("id", "bigint"),
    ("name", "text"),
    ("domain", "text"),
    ("sequence", "bigint"),
    ("queued", "bigint"),
    ("buffered", "bigint"),
    ("template", "bigint"),
    ("held_until", "timestamptz"),
    ("outdated", "boolean"),
    ("paused", "boolean"),
    ("announced_updates", "bigint"),
    ("confirmed_updates", "bigint"),
];

const NAME: &[Column] = &[("name", "text")];

const HOST_KEY: &[Column] = &[("partition", "smallint"), ("name", "text")];

pub(super) const HOST: RecordKind = RecordKind {
    space: crate::keys::HOST,
    table: "hosts",
    only: "TRUE",
    key: HOST_KEY,
    order: 2,
    values: HOST_VALUES,
    split: |key| vec![key.byte(), key.text()],
    join: |fields| {
        let (partition, name) = (fields.int::<u8>()?, fields.text()?);
        Some([&[partition], name.as_bytes()].concat())
    },
    record: |fields| host(fields).map(|host| encode(&host)),
};

pub(super) const HOST_COLUMNS: Group = Group {
    table: "hosts",
    id: NAME,
    columns: &[
        ("partition", "smallint"),
        ("id", "bigint"),
        ("domain", "text"),
        ("sequence", "bigint"),
        ("queued", "bigint"),
        ("buffered", "bigint"),
        ("template", "bigint"),
        ("held_until", "timestamptz"),
        ("outdated", "boolean"),
        ("paused", "boolean"),
        ("announced_updates", "bigint"),
        ("confirmed_updates", "bigint"),
    ],
    removal: Removal::Row,
    found_by: HOST_KEY,
    row: |key, value, _| {
        let (partition, name) = (key.byte(), key.text());
        Ok(Row { id: vec![name], values: host_columns(partition, &decode("a host", value)?) })
    },
};

fn host_columns(partition: SqlValue, record: &HostRecord) -> Vec<SqlValue> {
    vec![
        partition,
        SqlValue::number(record.id.0),
        SqlValue::text(record.domain.as_str()),
        SqlValue::number(record.sequence),
        SqlValue::number(record.queued),
        SqlValue::number(record.buffered),
        SqlValue::number(record.template),
        SqlValue::option(record.held_until, SqlValue::time),
        SqlValue::Bool(record.outdated),
        SqlValue::Bool(record.paused),
        SqlValue::number(record.announced_updates),
        SqlValue::number(record.confirmed_updates),
    ]
}

fn host(fields: &mut RowFields) -> Option<HostRecord> {
    Some(HostRecord {
        id: HostId(fields.int()?),
        name: fields.text()?,
        domain: fields.text()?,
        sequence: fields.int()?,
        queued: fields.int()?,
        buffered: fields.int()?,
        template: fields.int()?,
        held_until: fields.time(),
        outdated: fields.bool()?,
        paused: fields.bool()?,
        announced_updates: fields.int()?,
        confirmed_updates: fields.int()?,
    })
}

pub(super) const HEALTH: RecordKind =
    by_name(crate::keys::HEALTH, "hosts", "health IS NOT NULL", &[("health", "bytea")]);

pub(super) const HEALTH_COLUMNS: Group = Group { removal: Removal::Columns, ..HEALTH.row_of(row_by_name) };

/// The name is a host, or the URL of the target of another host's redirect.
pub(super) const ROBOTS: RecordKind = by_name(crate::keys::ROBOTS, "robots", "TRUE", &[("rules", "bytea")]);

pub(super) const ROBOTS_COLUMNS: Group = ROBOTS.row_of(row_by_name);

/// Returns a kind whose rows have a name and one column with the record.
const fn by_name(
    space: u8,
    table: &'static str,
    only: &'static str,
    values: &'static [Column],
) -> RecordKind {
    RecordKind {
        space,
        table,
        only,
        key: NAME,
        order: 1,
        values,
        split: |key| vec![key.text()],
        join: |fields| fields.text().map(String::into_bytes),
        record: RowFields::bytes,
    }
}

fn row_by_name(key: &mut KeyParts<'_>, value: &[u8], _: Option<TextPosition>) -> Result<Row, StoreError> {
    Ok(Row { id: vec![key.text()], values: vec![SqlValue::bytes(value)] })
}

const TEMPLATE_KEY: &[Column] = &[("host", "text"), ("version", "bigint")];
const TEMPLATE_VALUES: &[Column] = &[("template", "json")];

pub(super) const TEMPLATE: RecordKind = RecordKind {
    space: crate::keys::TEMPLATE,
    table: "templates",
    only: "TRUE",
    key: TEMPLATE_KEY,
    order: 2,
    values: TEMPLATE_VALUES,
    split: |key| vec![key.text(), key.number()],
    join: |fields| {
        let (host, version) = (fields.text()?, fields.int::<u32>()?);
        Some([host.as_bytes(), &[0], &version.to_be_bytes()].concat())
    },
    record: |fields| fields.text().map(String::into_bytes),
};

pub(super) const TEMPLATE_COLUMNS: Group = Group {
    columns: &[("template", "json"), ("trained", "timestamptz")],
    ..TEMPLATE.row_of(|key, value, _| {
        let json = crate::read::text(value)?;
        let trained = serde_json::from_str(&json).ok().and_then(|Learned { learned }| learned);
        let values = vec![SqlValue::Text(json), SqlValue::option(trained, SqlValue::time)];
        Ok(Row { id: vec![key.text(), key.number()], values })
    })
};

/// The part of a template that its row repeats.
#[derive(serde::Deserialize)]
struct Learned {
    learned: Option<jiff::Timestamp>,
}

const COUNTS_KEY: &[Column] = &[("run", "bigint"), ("host", "text")];

const COUNTS_VALUES: &[Column] = &[
    ("fetched", "bigint"),
    ("bytes", "bigint"),
    ("milliseconds", "bigint"),
    ("requests", "bigint"),
    ("outcomes", "jsonb"),
    ("refused", "jsonb"),
    ("broken_lists", "jsonb"),
];

pub(super) const COUNTS: RecordKind = RecordKind {
    space: crate::keys::COUNTS,
    table: "host_counts",
    only: "TRUE",
    key: COUNTS_KEY,
    order: 2,
    values: COUNTS_VALUES,
    split: |key| vec![key.number(), key.text()],
    join: |fields| {
        let (run, host) = (fields.int::<u32>()?, fields.text()?);
        Some([&run.to_be_bytes(), host.as_bytes()].concat())
    },
    record: |fields| counts(fields).map(|counts| encode(&counts)),
};

pub(super) const COUNTS_COLUMNS: Group = COUNTS.row_of(|key, value, _| {
    let id = vec![key.number(), key.text()];
    Ok(Row { id, values: counts_columns(&decode("a host's counts", value)?)? })
});

fn counts_columns(counts: &Counts) -> Result<Vec<SqlValue>, StoreError> {
    Ok(vec![
        SqlValue::number(counts.fetched),
        SqlValue::number(counts.bytes),
        SqlValue::number(counts.millis),
        SqlValue::number(counts.requests),
        json(&counts.outcomes)?,
        json(&counts.refused)?,
        json(&counts.broken_lists)?,
    ])
}

fn counts(fields: &mut RowFields) -> Option<Counts> {
    let (fetched, bytes, millis, requests) = (fields.int()?, fields.int()?, fields.int()?, fields.int()?);
    let (outcomes, refused, broken_lists) = (map(fields)?, map(fields)?, map(fields)?);
    Some(Counts { outcomes, refused, fetched, bytes, millis, requests, broken_lists })
}

fn json(counts: &BTreeMap<String, u64>) -> Result<SqlValue, StoreError> {
    // `jsonb` stores no NUL, which a server may send as a part of a reason.
    let clean: BTreeMap<String, u64> =
        counts.iter().map(|(label, count)| (label.replace('\0', "\u{fffd}"), *count)).collect();
    let damaged =
        |error: serde_json::Error| StoreError::Damaged { what: "a host's counts", reason: error.to_string() };
    Ok(SqlValue::Text(serde_json::to_string(&clean).map_err(damaged)?))
}

fn map(fields: &mut RowFields) -> Option<BTreeMap<String, u64>> {
    serde_json::from_str(&fields.text()?).ok()
}
