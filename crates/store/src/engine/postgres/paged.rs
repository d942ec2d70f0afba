//! Scans a range in pieces, including writes that are not flushed.
//!
//! The first piece is small, because often only the first key is needed. Later pieces grow. A write between two
//! pieces may be seen or not, as in any scan during writes. An unreadable text is an error at its position, and
//! the scan continues after it.

use super::Postgres;
use super::objects::Row;
use crate::StoreError;
use crate::engine::{KeyValue, Range, Scan, ScanPart, in_pieces};

/// Number of rows of the first piece, and the maximum for later pieces.
const ROWS: (usize, usize) = (8, 512);

pub(super) fn scan(engine: Postgres, range: Range) -> Scan {
    let mut rows = ROWS.0;
    in_pieces(range, move |range| {
        let piece = piece(&engine, range, rows);
        rows = (4 * rows).min(ROWS.1);
        piece
    })
}

fn piece(engine: &Postgres, range: Range, rows: usize) -> Result<ScanPart, StoreError> {
    // The overlay is read before the database. Otherwise, a write that is flushed in between would be missed.
    let mut known = engine.read_overlay().within(&range);
    let kept = engine.page(&range, rows)?;
    let last = kept.last().filter(|_| kept.len() == rows).map(|(key, _)| key.clone());
    let rest = last.as_ref().map(|last| range.clone().beyond(last));
    if let Some(last) = &last {
        known.retain(|key, _| if range.backwards { key >= last } else { key <= last });
    }
    let kept: Vec<KeyValue> = kept.into_iter().filter(|(key, _)| !known.contains_key(key)).collect();
    let mut rows: Vec<Row> = match range.keys_only {
        true => kept.into_iter().map(|(key, value)| (key, Ok(value))).collect(),
        false => engine.with_texts(kept)?,
    };
    let written = known.into_iter().filter_map(|(key, value)| Some((key, value?)));
    rows.extend(written.map(|(key, value)| (key, Ok(if range.keys_only { Vec::new() } else { value }))));
    rows.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    if range.backwards {
        rows.reverse();
    }
    Ok((rows.into_iter().map(|(key, value)| Ok((key, value?))).collect(), rest))
}
