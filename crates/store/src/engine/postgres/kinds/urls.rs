//! Stores a URL, its raw page, and the lists of URLs in the table `urls`.

use gleaner_frontier::{Outcome, Rhythm, Role, UrlKey};
use jiff::Timestamp;

use super::{Column, Group, Kind, Removal, Row};
use crate::engine::postgres::objects::Spot;
use crate::engine::postgres::values::{Fields, Parts, Value, ordered, unordered};
use crate::records::{decode, encode};
use crate::{Archived, HostId, StoreError, UrlRecord, UrlState, Wait};

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
];

pub(super) const URL: Kind = Kind {
    space: crate::keys::URL,
    table: "urls",
    only: "TRUE",
    key: KEY,
    order: 1,
    values: VALUES,
    split: |key| vec![key.id()],
    join: Fields::bytes,
    record: |fields| url(fields).map(|url| encode(&url)),
};

pub(super) const URL_COLUMNS: Group =
    URL.row_of(|key, value, _| Ok(Row { id: vec![key.id()], values: columns(&decode("a URL", value)?) }));

/// A list of URLs in one state. Its records have the URLs' records as values, which the store does not read.
const fn list(
    space: u8,
    only: &'static str,
    key: &'static [Column],
    order: usize,
    split: fn(&mut Parts<'_>) -> Vec<Value>,
    join: fn(&mut Fields) -> Option<Vec<u8>>,
) -> Kind {
    Kind { table: "urls", values: VALUES, record: URL.record, space, only, key, order, split, join }
}

// The places of a host are unique, so the key of the URL is not needed for the order.
pub(super) const READY: Kind = list(
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

pub(super) const BUFFERED: Kind = list(
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

fn split_waiting(key: &mut Parts<'_>) -> Vec<Value> {
    vec![key.byte(), key.seconds(), key.id()]
}

fn join_waiting(fields: &mut Fields) -> Option<Vec<u8>> {
    let (partition, due) = (fields.int::<u8>()?, fields.seconds()?);
    Some([&[partition][..], &due.to_be_bytes(), &fields.bytes()?].concat())
}

pub(super) const RETRY: Kind =
    list(crate::keys::RETRY, "state = 'retry'", WAITING, 3, split_waiting, join_waiting);

pub(super) const REVISIT: Kind =
    list(crate::keys::REVISIT, "state = 'revisit'", WAITING, 3, split_waiting, join_waiting);

const PAGES: &[Column] = &[("page", "bytea")];

pub(super) const PAGE: Kind = Kind {
    space: crate::keys::PAGE,
    table: "urls",
    only: "page IS NOT NULL",
    key: KEY,
    order: 1,
    values: PAGES,
    split: |key| vec![key.id()],
    join: Fields::bytes,
    record: Fields::bytes,
};

pub(super) const PAGE_COLUMNS: Group =
    Group { table: "urls", id: KEY, columns: PAGES, removal: Removal::Columns, found_by: KEY, row: page };

fn page(key: &mut Parts<'_>, value: &[u8], _: Option<Spot>) -> Result<Row, StoreError> {
    Ok(Row { id: vec![key.id()], values: vec![Value::bytes(value)] })
}

fn columns(record: &UrlRecord) -> Vec<Value> {
    let [state, rank, sequence, due] = state_columns(record.state);
    let [outcome, reason, target] = outcome_columns(record.last.as_ref());
    let archived = record.archived.as_ref();
    let Rhythm { first, last, every, digest } = record.rhythm;
    let unless_zero = |seconds: u64| Value::option((seconds > 0).then_some(seconds), Value::seconds);
    vec![
        Value::text(record.url.as_str()),
        Value::number(record.host.0),
        Value::text(record.role.label()),
        state,
        rank,
        sequence,
        due,
        Value::number(record.depth),
        Value::number(record.hops),
        Value::number(record.tries),
        outcome,
        reason,
        target,
        Value::option(record.twin_of, |twin| Value::bytes(*twin.as_bytes())),
        Value::option(record.dated, Value::time),
        Value::option(record.etag.as_deref(), Value::text),
        Value::option(record.last_modified.as_deref(), Value::text),
        Value::option(archived.map(|at| at.at), Value::time),
        Value::option(archived.map(|at| at.file), Value::number),
        Value::option(archived.map(|at| at.offset), Value::number),
        Value::option(archived.map(|at| at.digest), Value::bytes),
        Value::option(archived.and_then(|at| at.payload), Value::bytes),
        nanoseconds(record.dated, archived.map(|at| at.at)),
        unless_zero(first),
        unless_zero(last),
        Value::option((every > 0).then_some(every), Value::number),
        Value::option((digest > 0).then_some(digest), |digest| Value::Int(digest.cast_signed())),
    ]
}

fn url(fields: &mut Fields) -> Option<UrlRecord> {
    let (url, host) = (fields.text()?, HostId(fields.int()?));
    let (role, state) = (Role::from_label(&fields.text()?)?, state(fields)?);
    let (depth, hops, tries) = (fields.int()?, fields.int()?, fields.int()?);
    let last = outcome(fields);
    let twin_of = fields.array().map(UrlKey::from_bytes);
    let (dated, etag, last_modified) = (fields.time(), fields.text(), fields.text());
    let (at, file, offset) = (fields.time(), fields.int(), fields.int());
    let (digest, payload, nanoseconds) = (fields.array(), fields.array(), fields.int().unwrap_or(0));
    let archived = || {
        let at = with_nanoseconds(at?, nanoseconds % 1_000);
        Some(Archived { file: file?, offset: offset?, at, digest: digest?, payload })
    };
    let rhythm = Rhythm {
        first: fields.seconds().unwrap_or(0),
        last: fields.seconds().unwrap_or(0),
        every: fields.int().unwrap_or(0),
        digest: fields.int::<i64>().unwrap_or(0).cast_unsigned(),
    };
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
        twin_of,
        rhythm,
    })
}

/// Returns what two times have below a microsecond, which PostgreSQL does not store. NULL: nothing.
fn nanoseconds(dated: Option<Timestamp>, fetched: Option<Timestamp>) -> Value {
    let of = |time: Option<Timestamp>| {
        time.map_or(0, |time| time.as_nanosecond().rem_euclid(1_000).try_into().unwrap_or(0_i64))
    };
    let both = of(dated) * 1_000 + of(fetched);
    Value::option((both > 0).then_some(both), Value::Int)
}

fn with_nanoseconds(time: Timestamp, nanoseconds: i64) -> Timestamp {
    let nanoseconds = jiff::SignedDuration::from_nanos(nanoseconds);
    time.checked_add(nanoseconds).unwrap_or(time)
}

fn state_columns(state: UrlState) -> [Value; 4] {
    let (name, rank, sequence, due) = match state {
        UrlState::Ready { rank, sequence } => ("ready", Some(rank), Some(sequence), None),
        UrlState::Waiting { wait: Wait::Retry, due, rank } => ("retry", Some(rank), None, Some(due)),
        UrlState::Waiting { wait: Wait::Revisit, due, rank } => ("revisit", Some(rank), None, Some(due)),
        UrlState::Buffered { sequence } => ("buffered", None, Some(sequence), None),
        UrlState::Done => ("done", None, None, None),
        UrlState::Kept => ("kept", None, None, None),
    };
    [
        Value::text(name),
        Value::option(rank, Value::number),
        Value::option(sequence, ordered),
        Value::option(due, Value::seconds),
    ]
}

fn state(fields: &mut Fields) -> Option<UrlState> {
    let (name, rank) = (fields.text()?, fields.int());
    let (sequence, due) = (fields.int().map(unordered), fields.seconds());
    Some(match name.as_str() {
        "ready" => UrlState::Ready { rank: rank?, sequence: sequence? },
        "retry" => UrlState::Waiting { wait: Wait::Retry, due: due?, rank: rank? },
        "revisit" => UrlState::Waiting { wait: Wait::Revisit, due: due?, rank: rank? },
        "buffered" => UrlState::Buffered { sequence: sequence? },
        "kept" => UrlState::Kept,
        _ => UrlState::Done,
    })
}

/// Returns the label of an outcome, its reason, and the URL or document to which it refers.
fn outcome_columns(outcome: Option<&Outcome>) -> [Value; 3] {
    let Some(outcome) = outcome else { return [Value::Null, Value::Null, Value::Null] };
    let label = Value::text(outcome.label());
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
    [label, Value::option(reason, Value::Text), Value::option(target, Value::Text)]
}

fn outcome(fields: &mut Fields) -> Option<Outcome> {
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
