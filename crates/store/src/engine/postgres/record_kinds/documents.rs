//! Stores documents with their content hash and signature, clusters, revisions and aliases.
//!
//! The text of a document is in object storage, and the row has its position. The other columns that
//! describe the document are copies for readers of the table.
//!
//! One row of `documents` has the records of the document, of its content hash, and of its signature. The
//! signature's record is in the list of members of a cluster, or in the list of all other signatures. The
//! record with the numbers of the document and its cluster is not written, because it follows from the signature.

use gleaner_corpus::{Document, DocumentId, words};

use super::{Column, Group, RecordKind, Removal, Row};
use crate::clusters::{ClusterMembership, ClusterRecord, SignatureRecord};
use crate::engine::postgres::objects::TextPosition;
use crate::engine::postgres::values::{KeyParts, RowFields, SqlValue};
use crate::records::{decode, encode};
use crate::{History, StoreError, packed};

const ID: &[Column] = &[("id", "bytea")];

/// An expression for the name of the object that contains the file of a text.
const NAME: &str = "(SELECT name FROM files WHERE kind = 'documents' AND files.number = file)";

const PLACE: &[Column] = &[("file", "bigint"), ("position", "bigint"), ("length", "bigint"), (NAME, "text")];

pub(super) const DOCUMENT: RecordKind = RecordKind {
    space: crate::keys::DOCUMENT,
    table: "documents",
    only: "TRUE",
    key: ID,
    order: 1,
    values: PLACE,
    split: |key| vec![key.id()],
    join: RowFields::bytes,
    record: place,
};

pub(super) const DOCUMENT_COLUMNS: Group = Group {
    table: "documents",
    id: ID,
    columns: &[
        ("url", "text"),
        ("host", "text"),
        ("title", "text"),
        ("language", "text"),
        ("published", "timestamptz"),
        ("fetched", "timestamptz"),
        ("words", "bigint"),
        ("confidence", "smallint"),
        ("method", "text"),
        ("template", "bigint"),
        ("file", "bigint"),
        ("position", "bigint"),
        ("length", "bigint"),
    ],
    removal: Removal::Row,
    found_by: ID,
    row: |key, value, spot| {
        let document = packed::unpack(value)?;
        Ok(Row { id: vec![key.id()], values: document_columns(&document, spot) })
    },
};

fn document_columns(document: &Document, spot: Option<TextPosition>) -> Vec<SqlValue> {
    let mut values = vec![
        SqlValue::text(document.url.as_str()),
        SqlValue::text(document.host.as_str()),
        SqlValue::option(document.title.as_deref(), SqlValue::text),
        SqlValue::text(document.language.as_str()),
        SqlValue::option(document.published_utc, SqlValue::time),
        SqlValue::time(document.fetched),
        SqlValue::number(words(&document.text)),
        SqlValue::option(document.confidence, SqlValue::number),
        SqlValue::text(document.method.as_str()),
        SqlValue::option(document.template_version, SqlValue::number),
    ];
    values.extend(place_columns(spot));
    values
}

fn place_columns(spot: Option<TextPosition>) -> [SqlValue; 3] {
    match spot {
        Some(TextPosition { file, offset, length, name: _ }) => {
            [SqlValue::number(file), SqlValue::number(offset), SqlValue::number(length)]
        }
        None => [SqlValue::Null, SqlValue::Null, SqlValue::Null],
    }
}

fn place(fields: &mut RowFields) -> Option<Vec<u8>> {
    let (file, offset, length) = (fields.int()?, fields.int()?, fields.int()?);
    Some(TextPosition { file, offset, length, name: fields.text().unwrap_or_default() }.to_bytes())
}

const CONTENT_HASH: &[Column] = &[("content_hash", "bytea")];

/// The unique index of the column finds equal texts.
pub(super) const CONTENT: RecordKind = RecordKind {
    space: crate::keys::CONTENT,
    table: "documents",
    only: "content_hash IS NOT NULL",
    key: CONTENT_HASH,
    order: 1,
    values: ID,
    split: |key| vec![SqlValue::bytes(key.array::<32>())],
    join: RowFields::bytes,
    record: |fields| fields.array().map(|id| encode(&DocumentId(id))),
};

pub(super) const CONTENT_COLUMNS: Group = Group {
    table: "documents",
    id: ID,
    columns: CONTENT_HASH,
    removal: Removal::Found,
    found_by: CONTENT_HASH,
    row: |key, value, _| {
        let id: DocumentId = decode("a content hash", value)?;
        Ok(Row { id: vec![SqlValue::bytes(id.0)], values: vec![SqlValue::bytes(key.array::<32>())] })
    },
};

pub(super) const MEMBERSHIP: RecordKind = RecordKind {
    space: crate::keys::MEMBERSHIP,
    table: "documents",
    only: "number IS NOT NULL",
    key: ID,
    order: 1,
    values: &[("number", "bigint"), ("cluster", "bigint")],
    split: |key| vec![key.id()],
    join: RowFields::bytes,
    record: |fields| Some(encode(&ClusterMembership { number: fields.int()?, cluster: fields.int()? })),
};

const NUMBER: &[Column] = &[("number", "bigint")];

pub(super) const SIGNED: RecordKind = RecordKind {
    space: crate::keys::SIGNED,
    table: "documents",
    only: "number IS NOT NULL AND NOT is_member",
    key: NUMBER,
    order: 1,
    values: &[
        ("is_member", "boolean"),
        ("id", "bytea"),
        ("signed_words", "bigint"),
        ("cluster", "bigint"),
        ("signature", "bytea"),
        ("related", "jsonb"),
    ],
    split: |key| vec![key.number()],
    join: |fields| Some(fields.int::<u32>()?.to_be_bytes().to_vec()),
    record: |fields| {
        let is_member = fields.bool()?;
        signature_record(fields).filter(|_| !is_member).map(|record| encode(&record))
    },
};

const SIGNATURE: &[Column] = &[
    ("number", "bigint"),
    ("is_member", "boolean"),
    ("signed_words", "bigint"),
    ("cluster", "bigint"),
    ("signature", "bytea"),
    ("related", "jsonb"),
];

pub(super) const SIGNED_COLUMNS: Group = Group {
    table: "documents",
    id: ID,
    columns: SIGNATURE,
    removal: Removal::Found,
    found_by: NUMBER,
    row: |key, value, _| signature_row(key.number(), false, value),
};

pub(super) const MEMBER_COLUMNS: Group = Group {
    table: "documents",
    id: ID,
    columns: SIGNATURE,
    removal: Removal::Found,
    found_by: &[("cluster", "bigint"), ("number", "bigint")],
    row: |key, value, _| {
        let _cluster = key.number();
        signature_row(key.number(), true, value)
    },
};

fn signature_row(number: SqlValue, is_member: bool, value: &[u8]) -> Result<Row, StoreError> {
    let SignatureRecord { id, words, cluster, signature, related } = decode("a signature", value)?;
    let related: Vec<(String, u8)> =
        related.into_iter().map(|(id, similarity)| (id.to_string(), similarity)).collect();
    let damaged =
        |error: serde_json::Error| StoreError::Damaged { what: "a signature", reason: error.to_string() };
    let values = vec![
        number,
        SqlValue::Bool(is_member),
        SqlValue::number(words),
        SqlValue::number(cluster),
        SqlValue::Bytes(signature),
        SqlValue::Text(serde_json::to_string(&related).map_err(damaged)?),
    ];
    Ok(Row { id: vec![SqlValue::bytes(id.0)], values })
}

fn signature_record(fields: &mut RowFields) -> Option<SignatureRecord> {
    let (id, words, cluster) = (DocumentId(fields.array()?), fields.int()?, fields.int()?);
    let (signature, related) = (fields.bytes()?, fields.text()?);
    let related: Vec<(String, u8)> = serde_json::from_str(&related).ok()?;
    let parsed = related.into_iter().map(|(id, similarity)| Some((id.parse().ok()?, similarity)));
    Some(SignatureRecord { id, words, cluster, signature, related: parsed.collect::<Option<_>>()? })
}

/// The record of a cluster with its members. The view gives the record the number -1, so that it comes first.
pub(super) const CLUSTER: RecordKind = RecordKind {
    space: crate::keys::CLUSTER,
    table: "cluster_records",
    only: "TRUE",
    key: &[("cluster", "bigint"), ("number", "bigint")],
    order: 2,
    values: &[
        ("representative", "bigint"),
        ("members", "bigint"),
        ("id", "bytea"),
        ("signed_words", "bigint"),
        ("cluster", "bigint"),
        ("signature", "bytea"),
        ("related", "jsonb"),
    ],
    split: |key| {
        let cluster = key.number();
        vec![cluster, if key.0.is_empty() { SqlValue::Int(-1) } else { key.number() }]
    },
    join: |fields| {
        let (cluster, number) = (fields.int::<u32>()?, fields.int::<i64>()?);
        let number = u32::try_from(number).map(|number| number.to_be_bytes().to_vec());
        Some([&cluster.to_be_bytes()[..], &number.unwrap_or_default()].concat())
    },
    record: |fields| match (fields.int(), fields.int()) {
        (Some(representative), Some(members)) => Some(encode(&ClusterRecord { representative, members })),
        _ => signature_record(fields).map(|record| encode(&record)),
    },
};

const CLUSTER_KEY: &[Column] = &[("cluster", "bigint")];

pub(super) const CLUSTER_COLUMNS: Group = Group {
    table: "clusters",
    id: CLUSTER_KEY,
    columns: &[("representative", "bigint"), ("members", "bigint")],
    removal: Removal::Row,
    found_by: CLUSTER_KEY,
    row: |key, value, _| {
        let ClusterRecord { representative, members } = decode("a cluster", value)?;
        Ok(Row {
            id: vec![key.number()],
            values: vec![SqlValue::number(representative), SqlValue::number(members)],
        })
    },
};

const HISTORY_KEY: &[Column] = &[("document", "bytea"), ("number", "bigint")];

/// The record with the number 0 is the document's history: the number of its earlier revisions, and the time
/// since which its page is gone.
pub(super) const HISTORY: RecordKind = RecordKind {
    space: crate::keys::HISTORY,
    table: "revisions",
    only: "TRUE",
    key: HISTORY_KEY,
    order: 2,
    values: &[
        ("earlier", "bigint"),
        ("gone", "timestamptz"),
        ("file", "bigint"),
        ("position", "bigint"),
        ("length", "bigint"),
        (NAME, "text"),
    ],
    split: |key| vec![key.id(), key.number()],
    join: |fields| {
        let (document, number) = (fields.bytes()?, fields.int::<u32>()?);
        let number = (number > 0).then(|| number.to_be_bytes().to_vec());
        Some([document, number.unwrap_or_default()].concat())
    },
    record: |fields| match (fields.int(), fields.time()) {
        (Some(earlier), gone) => Some(encode(&History { earlier, gone })),
        (None, _) => place(fields),
    },
};

pub(super) const HISTORY_COLUMNS: Group = Group {
    columns: &[
        ("earlier", "bigint"),
        ("gone", "timestamptz"),
        ("file", "bigint"),
        ("position", "bigint"),
        ("length", "bigint"),
    ],
    ..HISTORY.row_of(history_row)
};

fn history_row(key: &mut KeyParts<'_>, value: &[u8], spot: Option<TextPosition>) -> Result<Row, StoreError> {
    let id = vec![key.id(), key.number()];
    let (earlier, gone) = match spot {
        Some(_) => (SqlValue::Null, SqlValue::Null),
        None => {
            let History { earlier, gone } = decode("a document's history", value)?;
            (SqlValue::number(earlier), SqlValue::option(gone, SqlValue::time))
        }
    };
    Ok(Row { id, values: [earlier, gone].into_iter().chain(place_columns(spot)).collect() })
}

const ALIAS_KEY: &[Column] = &[("document", "bytea"), ("key", "bytea")];
const ALIAS_VALUES: &[Column] = &[("url", "text")];

pub(super) const ALIAS: RecordKind = RecordKind {
    space: crate::keys::ALIAS,
    table: "aliases",
    only: "TRUE",
    key: ALIAS_KEY,
    order: 2,
    values: ALIAS_VALUES,
    split: |key| vec![key.id(), key.id()],
    join: |fields| Some([fields.bytes()?, fields.bytes()?].concat()),
    record: |fields| fields.text().map(String::into_bytes),
};

pub(super) const ALIAS_COLUMNS: Group = ALIAS.row_of(|key, value, _| {
    let url = crate::read::text(value)?;
    Ok(Row { id: vec![key.id(), key.id()], values: vec![SqlValue::Text(url)] })
});
