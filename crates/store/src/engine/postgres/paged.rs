//! Scans a range in pages of rows, including writes that are not flushed.
//!
//! The first page is small, because often only the first key is needed. Later pages grow. A write between two
//! pages may be seen or not, as in any scan during writes. An unreadable text is an error at its position, and
//! the scan continues after it.

use std::collections::VecDeque;
use std::ops::{Bound, RangeBounds};

use super::Postgres;
use super::objects::Row;
use crate::StoreError;
use crate::engine::{KeyValue, Range};

/// Number of rows of the first page, and the maximum for later pages.
const ROWS: (usize, usize) = (8, 512);

pub(super) struct Paged {
    engine: Postgres,
    /// The remaining range. `None` if nothing remains.
    rest: Option<Range>,
    rows: usize,
    ready: VecDeque<Result<KeyValue, StoreError>>,
}

impl Paged {
    pub(super) fn new(engine: Postgres, range: Range) -> Self {
        Self { engine, rest: Some(range), rows: ROWS.0, ready: VecDeque::new() }
    }

    fn turn(&mut self, range: Range) -> Result<(), StoreError> {
        // The overlay is read before the database. Otherwise, a write that is flushed in between would be missed.
        let mut known = self.engine.read_overlay().within(&range);
        let kept = self.engine.page(&range, self.rows)?;
        let last = kept.last().map(|(key, _)| key.clone()).filter(|_| kept.len() == self.rows);
        let (page, rest) = match last {
            Some(last) => split(&range, last),
            None => (range.clone(), None),
        };
        known.retain(|key, _| (page.begin.clone(), page.end.clone()).contains(key));
        let kept: Vec<KeyValue> = kept.into_iter().filter(|(key, _)| !known.contains_key(key)).collect();
        let mut rows: Vec<Row> = match range.keys_only {
            true => kept.into_iter().map(|(key, value)| (key, Ok(value))).collect(),
            false => self.engine.with_texts(kept)?,
        };
        let written = known.into_iter().filter_map(|(key, value)| Some((key, value?)));
        rows.extend(written.map(|(key, value)| (key, Ok(if range.keys_only { Vec::new() } else { value }))));
        rows.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        if range.backwards {
            rows.reverse();
        }
        self.ready.extend(rows.into_iter().map(|(key, value)| Ok((key, value?))));
        self.rest = rest;
        self.rows = (4 * self.rows).min(ROWS.1);
        Ok(())
    }
}

fn split(range: &Range, at: Vec<u8>) -> (Range, Option<Range>) {
    if range.backwards {
        let page = Range { begin: Bound::Included(at.clone()), ..range.clone() };
        (page, Some(Range { end: Bound::Excluded(at), ..range.clone() }))
    } else {
        let page = Range { end: Bound::Included(at.clone()), ..range.clone() };
        (page, Some(Range { begin: Bound::Excluded(at), ..range.clone() }))
    }
}

impl Iterator for Paged {
    type Item = Result<KeyValue, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(pair) = self.ready.pop_front() {
                return Some(pair);
            }
            let range = self.rest.take()?;
            if let Err(error) = self.turn(range) {
                return Some(Err(error));
            }
        }
    }
}
