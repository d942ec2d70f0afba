//! Stores a URL, its raw page, and the lists of URLs in the table `urls`.

use gleaner_frontier::{Outcome, RevisitSchedule, Role, UrlKey};
use jiff::Timestamp;

use super::{Column, Group, RecordKind, Removal, Row};
use crate::engine::postgres::objects::TextPosition;
use crate::engine::postgres::values::{KeyParts, RowFields, SqlValue, ordered, unordered};
use crate::records::{decode, encode};
use crate::{ArchivePosition, HostId, StoreError, UrlRecord, UrlState, WaitReason};

const KEY: &[Column] = &[("key", "bytea")];

const VALUES: &[Column] = &[
    ("url", "text"),
    ("host", "bigint"),
    ("role", "text"),
    ("state", "text"),
    ("rank", "smallint"),
    ("sequence", "bigint"),
    ("due", "timestamptz"),
    ("depth", "integer"),
    ("hops", "integer"),
    ("tries", "integer"),
    ("outcome", "text"),
    ("reason", "text"),
    ("target", "text"),
    ("twin_of", "bytea"),
    ("dated", "timestamptz"),
    ("etag", "text"),
    ("last_modified", "text"),
    ("fetched", "timestamptz"),
    ("archive_file", "bigint"),
    ("archive_offset", "bigint"),
    ("body_sha1", "bytea"),
    ("payload_sha1", "bytea"),
    ("nanoseconds", "integer"),
    ("first_visit", "timestamptz"),
    ("last_visit", "timestamptz"),
    ("revisit_seconds", "bigint"),
    ("links_digest", "bigint"),
    ("failure", "text"),
];

pub(super) const URL: RecordKind = RecordKind {
    space: crate::keys::URL,
    table: "urls",
    only: "TRUE",
    key: KEY,
    order: 1,
    values: VALUES,
    split: |key| vec![key.id()],
    join: RowFields::bytes,
    record: |fields| url(fields).map(|url| encode(&url)),
};

pub(super) const URL_COLUMNS: Group =
    URL.row_of(|key, value, _| Ok(Row { id: vec![key.id()], values: columns(&decode("a URL", value)?) }));

/// A list of URLs in one state. The values are the URLs' records, but the store does not read them.
const fn list(
    space: u8,
    only: &'static str,
    key: &'static [Column],
    order: usize,
    split: fn(&mut KeyParts<'_>) -> Vec<SqlValue>,
    join: fn(&mut RowFields) -> Option<Vec<u8>>,
) -> RecordKind {
    RecordKind { table: "urls", values: VALUES, record: URL.record, space, only, key, order, split, join }
}

// The rank and the sequence number are unique within a host, so the order does not need the URL key.
pub(super) const READY: RecordKind = list(
    crate::keys::READY,
    "state = 'ready'",
    &[("host", "bigint"), ("rank", "smallint"), ("sequence", "bigint"), ("key", "bytea")],
    3,
    |key| vec![key.number(), key.byte(), key.ordered(), key.id()],
    |fields| {
        let (host, rank) = (fields.int::<u32>()?, fields.int::<u8>()?);
        let (sequence, url) = (unordered(fields.int()?), fields.bytes()?);
        Some([&host.to_be_bytes()[..], &[rank], &sequence.to_be_bytes(), &url].concat())
    },
);

pub(super) const BUFFERED: RecordKind = list(
    crate::keys::BUFFERED,
    "state = 'buffered'",
    &[("host", "bigint"), ("sequence", "bigint"), ("key", "bytea")],
    2,
    |key| vec![key.number(), key.ordered(), key.id()],
    |fields| {
        let (host, sequence) = (fields.int::<u32>()?, unordered(fields.int()?));
        Some([&host.to_be_bytes()[..], &sequence.to_be_bytes(), &fields.bytes()?].concat())
    },
);

/// The number of a host begins with its partition.
const WAITING: &[Column] = &[("(host >> 24)", "bigint"), ("due", "timestamptz"), ("key", "bytea")];

fn split_waiting(key: &mut KeyParts<'_>) -> Vec<SqlValue> {
    vec![key.byte(), key.seconds(), key.id()]
}

fn join_waiting(fields: &mut RowFields) -> Option<Vec<u8>> {
    let (partition, due) = (fields.int::<u8>()?, fields.seconds()?);
    Some([&[partition][..], &due.to_be_bytes(), &fields.bytes()?].concat())
}

pub(super) const RETRY: RecordKind =
    list(crate::keys::RETRY, "state = 'retry'", WAITING, 3, split_waiting, join_waiting);

pub(super) const REVISIT: RecordKind =
    list(crate::keys::REVISIT, "state = 'revisit'", WAITING, 3, split_waiting, join_waiting);

const PAGES: &[Column] = &[("page", "bytea")];

pub(super) const PAGE: RecordKind = RecordKind {
    space: crate::keys::PAGE,
    table: "urls",
    only: "page IS NOT NULL",
    key: KEY,
    order: 1,
    values: PAGES,
    split: |key| vec![key.id()],
    join: RowFields::bytes,
    record: RowFields::bytes,
};

pub(super) const PAGE_COLUMNS: Group =
    Group { table: "urls", id: KEY, columns: PAGES, removal: Removal::Columns, found_by: KEY, row: page };

fn page(key: &mut KeyParts<'_>, value: &[u8], _: Option<TextPosition>) -> Result<Row, StoreError> {
    Ok(Row { id: vec![key.id()], values: vec![SqlValue::bytes(value)] })
}

fn columns(record: &UrlRecord) -> Vec<SqlValue> {
    let [state, rank, sequence, due] = state_columns(record.state);
    let [outcome, reason, target] = outcome_columns(record.last.as_ref());
    let archived = record.archived.as_ref();
    let RevisitSchedule { first, last, every, digest } = record.revisits;
    let unless_zero = |seconds: u64| SqlValue::option((seconds > 0).then_some(seconds), SqlValue::seconds);
    vec![
        SqlValue::text(record.url.as_str()),
        SqlValue::number(record.host.0),
        SqlValue::text(record.role.label()),
        state,
        rank,
        sequence,
        due,
        SqlValue::number(record.depth),
        SqlValue::number(record.hops),
        SqlValue::number(record.tries),
        outcome,
        reason,
        target,
        SqlValue::option(record.duplicate_of, |original| SqlValue::bytes(*original.as_bytes())),
        SqlValue::option(record.dated, SqlValue::time),
        SqlValue::option(record.etag.as_deref(), SqlValue::text),
        SqlValue::option(record.last_modified.as_deref(), SqlValue::text),
        SqlValue::option(archived.map(|at| at.at), SqlValue::time),
        SqlValue::option(archived.map(|at| at.file), SqlValue::number),
        SqlValue::option(archived.map(|at| at.offset), SqlValue::number),
        SqlValue::option(archived.map(|at| at.digest), SqlValue::bytes),
        SqlValue::option(archived.and_then(|at| at.payload), SqlValue::bytes),
        nanoseconds(record.dated, archived.map(|at| at.at)),
        unless_zero(first),
        unless_zero(last),
        SqlValue::option((every > 0).then_some(every), SqlValue::number),
        SqlValue::option((digest > 0).then_some(digest), |digest| SqlValue::Int(digest.cast_signed())),
        SqlValue::option(record.failure.as_deref(), SqlValue::text),
    ]
}

fn url(fields: &mut RowFields) -> Option<UrlRecord> {
    let (url, host) = (fields.text()?, HostId(fields.int()?));
    let (role, state) = (Role::from_label(&fields.text()?)?, state(fields)?);
    let (depth, hops, tries) = (fields.int()?, fields.int()?, fields.int()?);
    let last = outcome(fields);
    let duplicate_of = fields.array().map(UrlKey::from_bytes);
    let (dated, etag, last_modified) = (fields.time(), fields.text(), fields.text());
    let (at, file, offset) = (fields.time(), fields.int(), fields.int());
    let (digest, payload, nanoseconds) = (fields.array(), fields.array(), fields.int().unwrap_or(0));
    let archived = || {
        let at = with_nanoseconds(at?, nanoseconds % 1_000);
        Some(ArchivePosition { file: file?, offset: offset?, at, digest: digest?, payload })
    };
    let revisits = RevisitSchedule {
        first: fields.seconds().unwrap_or(0),
        last: fields.seconds().unwrap_or(0),
        every: fields.int().unwrap_or(0),
        digest: fields.int::<i64>().unwrap_or(0).cast_unsigned(),
    };
    let failure = fields.text();
    Some(UrlRecord {
        archived: archived(),
        dated: dated.map(|dated| with_nanoseconds(dated, nanoseconds / 1_000)),
        url,
        host,
        role,
        depth,
        hops,
        tries,
        state,
        etag,
        last_modified,
        last,
        duplicate_of,
        revisits,
        failure,
    })
}

/// Returns the nanoseconds that PostgreSQL does not store, of both times. Returns NULL if they are 0.
fn nanoseconds(dated: Option<Timestamp>, fetched: Option<Timestamp>) -> SqlValue {
    let of = |time: Option<Timestamp>| {
        time.map_or(0, |time| time.as_nanosecond().rem_euclid(1_000).try_into().unwrap_or(0_i64))
    };
    let both = of(dated) * 1_000 + of(fetched);
    SqlValue::option((both > 0).then_some(both), SqlValue::Int)
}

fn with_nanoseconds(time: Timestamp, nanoseconds: i64) -> Timestamp {
    let nanoseconds = jiff::SignedDuration::from_nanos(nanoseconds);
    time.checked_add(nanoseconds).unwrap_or(time)
}

fn state_columns(state: UrlState) -> [SqlValue; 4] {
    let (name, rank, sequence, due) = match state {
        UrlState::Ready { rank, sequence } => ("ready", Some(rank), Some(sequence), None),
        UrlState::Waiting { wait: WaitReason::Retry, due, rank } => ("retry", Some(rank), None, Some(due)),
        UrlState::Waiting { wait: WaitReason::Revisit, due, rank } => {
            ("revisit", Some(rank), None, Some(due))
        }
        UrlState::Buffered { sequence } => ("buffered", None, Some(sequence), None),
        UrlState::Done => ("done", None, None, None),
        UrlState::Kept => ("kept", None, None, None),
    };
    [
        SqlValue::text(name),
        SqlValue::option(rank, SqlValue::number),
        SqlValue::option(sequence, ordered),
        SqlValue::option(due, SqlValue::seconds),
    ]
}

fn state(fields: &mut RowFields) -> Option<UrlState> {
    let (name, rank) = (fields.text()?, fields.int());
    let (sequence, due) = (fields.int().map(unordered), fields.seconds());
    Some(match name.as_str() {
        "ready" => UrlState::Ready { rank: rank?, sequence: sequence? },
        "retry" => UrlState::Waiting { wait: WaitReason::Retry, due: due?, rank: rank? },
        "revisit" => UrlState::Waiting { wait: WaitReason::Revisit, due: due?, rank: rank? },
        "buffered" => UrlState::Buffered { sequence: sequence? },
        "kept" => UrlState::Kept,
        _ => UrlState::Done,
    })
}

/// Returns the label of an outcome, its reason, and the URL or document to which it refers.
fn outcome_columns(outcome: Option<&Outcome>) -> [SqlValue; 3] {
    let Some(outcome) = outcome else { return [SqlValue::Null, SqlValue::Null, SqlValue::Null] };
    let label = SqlValue::text(outcome.label());
    let (reason, target) = match outcome {
        Outcome::Stored
        | Outcome::Listing
        | Outcome::Unchanged
        | Outcome::PrivateAddress
        | Outcome::Revised => (None, None),
        Outcome::Duplicate { of } => (None, Some(of.to_string())),
        Outcome::NearDuplicate { of, similarity } => (Some(similarity.to_string()), Some(of.to_string())),
        Outcome::Redirected { to } => (None, Some(to.clone())),
        Outcome::RedirectRefused { to, reason } => (Some(reason.clone()), Some(to.clone())),
        Outcome::Gone { status } | Outcome::Rejected { status } => (Some(status.to_string()), None),
        Outcome::TooLarge { limit } => (Some(limit.to_string()), None),
        Outcome::NotArticle { reason: why }
        | Outcome::Disallowed { rule: why }
        | Outcome::WrongType { content_type: why }
        | Outcome::Unreadable { reason: why }
        | Outcome::Failed { reason: why }
        | Outcome::OtherLanguage { language: why }
        | Outcome::Filtered { condition: why }
        | Outcome::Truncated { reason: why }
        | Outcome::Excluded { rule: why } => (Some(why.clone()), None),
    };
    [label, SqlValue::option(reason, SqlValue::Text), SqlValue::option(target, SqlValue::Text)]
}

fn outcome(fields: &mut RowFields) -> Option<Outcome> {
    let (label, reason, target) = (fields.text(), fields.text(), fields.text());
    let of = || target.as_deref()?.parse::<UrlKey>().ok();
    let number = || reason.as_deref()?.parse::<u64>().ok();
    let status = || u16::try_from(number()?).ok();
    let why = reason.clone();
    Some(match label?.as_str() {
        "stored" => Outcome::Stored,
        "duplicate" => Outcome::Duplicate { of: of()? },
        "near_duplicate" => Outcome::NearDuplicate { of: of()?, similarity: u8::try_from(number()?).ok()? },
        "not_article" => Outcome::NotArticle { reason: why? },
        "listing" => Outcome::Listing,
        "unchanged" => Outcome::Unchanged,
        "redirected" => Outcome::Redirected { to: target? },
        "redirect_refused" => Outcome::RedirectRefused { to: target?, reason: why? },
        "disallowed" => Outcome::Disallowed { rule: why? },
        "gone" => Outcome::Gone { status: status()? },
        "rejected" => Outcome::Rejected { status: status()? },
        "too_large" => Outcome::TooLarge { limit: number()? },
        "wrong_type" => Outcome::WrongType { content_type: why? },
        "private_address" => Outcome::PrivateAddress,
        "unreadable" => Outcome::Unreadable { reason: why? },
        "failed" => Outcome::Failed { reason: why? },
        "other_language" => Outcome::OtherLanguage { language: why? },
        "filtered" => Outcome::Filtered { condition: why? },
        "revised" => Outcome::Revised,
        "truncated" => Outcome::Truncated { reason: why? },
        "excluded" => Outcome::Excluded { rule: why? },
        _ => return None,
    })
}
