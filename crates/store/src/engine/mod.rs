//! Defines the engine of a store: an ordered map from bytes to bytes.
//!
//! All engines use the same keys (`keys.rs`) and records. The first byte of a key is the kind of its record.
//! An engine may store each kind separately.
//!
//! | engine | use | how [`Engine::flush`] makes writes durable |
//! |---|---|---|
//! | [`embedded`] | one process, a folder | one batch of sled and its log |
//! | [`postgres`] | many processes | a transaction that checks the leases |
//! | [`remote`] | reading a folder that another process has open | no writes |
//!
//! Every engine that can write has these guarantees. The tests in `store/tests` check them for each engine:
//!
//! 1. After [`Engine::commit`], reads through this engine see the whole batch.
//! 2. A flushed batch survives a crash. A crash may lose an unflushed batch together with all later batches,
//!    but never only a part of a batch.
//! 3. Keys are returned in the order of their bytes.

pub(crate) mod embedded;
pub(crate) mod postgres;
pub(crate) mod remote;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::iter;
use std::ops::Bound;

use serde::{Deserialize, Serialize};

use crate::partitions::Partition;
use crate::{StoreError, keys};

pub(crate) type KeyValue = (Vec<u8>, Vec<u8>);

pub(crate) type Scan = Box<dyn Iterator<Item = Result<KeyValue, StoreError>> + Send>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Range {
    pub(crate) begin: Bound<Vec<u8>>,
    pub(crate) end: Bound<Vec<u8>>,
    pub(crate) backwards: bool,
    /// Whether to return empty values instead of the stored values.
    pub(crate) keys_only: bool,
}

impl Range {
    pub(crate) fn with_prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let prefix = prefix.into();
        let end = prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
        Self { begin: Bound::Included(prefix), end, backwards: false, keys_only: false }
    }

    /// Returns the range that contains only this key.
    fn only(key: &[u8]) -> Self {
        let bound = Bound::Included(key.to_vec());
        Self { begin: bound.clone(), end: bound, backwards: false, keys_only: false }
    }

    pub(crate) fn after(self, key: Vec<u8>) -> Self {
        Self { begin: Bound::Excluded(key), ..self }
    }

    pub(crate) fn backwards(self) -> Self {
        Self { backwards: true, ..self }
    }

    pub(crate) fn keys_only(self) -> Self {
        Self { keys_only: true, ..self }
    }

    /// Returns the part of the range after the key `last`, in reading order.
    pub(crate) fn beyond(self, last: &[u8]) -> Self {
        let bound = Bound::Excluded(last.to_vec());
        if self.backwards { Self { end: bound, ..self } } else { Self { begin: bound, ..self } }
    }

    /// Whether the range cannot contain a key. `BTreeMap::range` panics for such ranges.
    pub(crate) fn is_empty(&self) -> bool {
        match (&self.begin, &self.end) {
            (Bound::Included(begin) | Bound::Excluded(begin), Bound::Excluded(end)) => begin >= end,
            (Bound::Excluded(begin), Bound::Included(end)) => begin >= end,
            (Bound::Included(begin), Bound::Included(end)) => begin > end,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        }
    }

    pub(crate) fn space(&self) -> Option<u8> {
        match &self.begin {
            Bound::Included(key) | Bound::Excluded(key) => key.first().copied(),
            Bound::Unbounded => None,
        }
    }
}

/// A part of a scan, and the remaining range. The range is `None` if the part includes the last pair.
pub(crate) type ScanPart = (Vec<Result<KeyValue, StoreError>>, Option<Range>);

/// Scans a range in pieces. `read` returns the first piece of a range.
pub(crate) fn in_pieces(
    range: Range,
    mut read: impl FnMut(Range) -> Result<ScanPart, StoreError> + Send + 'static,
) -> Scan {
    let (mut rest, mut piece) = (Some(range), VecDeque::new());
    Box::new(iter::from_fn(move || {
        while piece.is_empty() {
            match read(rest.take()?) {
                Ok((pairs, beyond)) => (piece, rest) = (pairs.into(), beyond),
                Err(error) => return Some(Err(error)),
            }
        }
        piece.pop_front()
    }))
}

/// Returns the first key after all keys with this prefix, or `None` if no key comes after them.
pub(crate) fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Write {
    Put(Vec<u8>),
    /// Sets the value if the key is absent at the flush. Only the first process that flushes the key succeeds.
    Claim(Vec<u8>),
    Remove,
}

impl Batch {
    pub(crate) fn write(&mut self, key: Vec<u8>, write: Write) {
        match joined(self.writes.get(&key), write) {
            Some(write) => drop(self.writes.insert(key, write)),
            None => drop(self.writes.remove(&key)),
        }
    }
}

impl Write {
    pub(crate) fn value(&self) -> Option<&[u8]> {
        match self {
            Self::Put(value) | Self::Claim(value) => Some(value),
            Self::Remove => None,
        }
    }
}

/// Combines two consecutive writes of one key. Returns `None` if they cancel each other out. A claim followed
/// by a removal does so. Otherwise, the removal could remove the value of another process that has claimed
/// the key.
pub(crate) fn joined(before: Option<&Write>, then: Write) -> Option<Write> {
    match (before, then) {
        (Some(Write::Claim(_)), Write::Remove) => None,
        (Some(Write::Claim(_)), Write::Put(value)) => Some(Write::Claim(value)),
        (Some(Write::Remove | Write::Put(_)), Write::Claim(value)) => Some(Write::Put(value)),
        (_, then) => Some(then),
    }
}

/// Returns the key of the URL record to which an entry of a URL list refers.
pub(crate) fn listed(key: &[u8]) -> Result<Vec<u8>, StoreError> {
    keys::last_url(key).map(keys::url).ok_or_else(unlisted)
}

pub(crate) fn unlisted() -> StoreError {
    StoreError::Damaged { what: "the frontier", reason: "a key without its URL".into() }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) writes: BTreeMap<Vec<u8>, Write>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LostClaim {
    pub(crate) key: Vec<u8>,
    pub(crate) ours: Vec<u8>,
    pub(crate) theirs: Vec<u8>,
}

/// Gets a key, and its new value or `None`.
pub(crate) type SeeWrite<'a> = dyn FnMut(&[u8], Option<&[u8]>) + 'a;

/// The file with the index of near-duplicates, as the store records it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IndexLog {
    /// The name of the file. `None` if there is no file.
    pub(crate) file: Option<String>,
    /// The numbers of the documents whose signatures were written after the file, in the order of the writes. A number
    /// may occur several times, and the signature may be missing.
    pub(crate) since: Vec<u32>,
}

pub(crate) trait Engine: Debug + Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    fn get_all(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        keys.iter().map(|key| self.get(key)).collect()
    }

    /// Whether there is a record with this key, which may be a key of a list. Does not read its value.
    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        let mut pairs = self.scan(Range::only(key).keys_only());
        Ok(pairs.next().transpose()?.is_some_and(|(found, _)| found == key))
    }

    /// Reads records that will be read soon, in one request. Does nothing if a read is not a round trip.
    fn read_ahead(&self, _keys: Vec<Vec<u8>>) -> Result<(), StoreError> {
        Ok(())
    }

    /// Reads the beginnings of lists of URLs that will be read soon, in one request. Does nothing if a read is
    /// not a round trip.
    fn read_lists_ahead(&self, _prefixes: Vec<Vec<u8>>) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the pairs of a range. All keys of the range must have the same first byte. In the lists of
    /// URLs, only the keys have a meaning, and the returned values must be ignored.
    fn scan(&self, range: Range) -> Scan;

    /// Returns the first key of a list of URLs, with the record of that URL.
    fn first_listed(&self, prefix: &[u8]) -> Result<Option<KeyValue>, StoreError> {
        let Some(pair) = self.scan(Range::with_prefix(prefix).keys_only()).next() else { return Ok(None) };
        let (key, _) = pair?;
        let record = self.get(&listed(&key)?)?;
        Ok(Some((key, record.ok_or_else(unlisted)?)))
    }

    fn first_keys(&self, prefixes: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let first = |prefix: &Vec<u8>| {
            let pair = self.scan(Range::with_prefix(prefix.as_slice()).keys_only()).next().transpose()?;
            Ok(pair.map(|(key, _)| key))
        };
        prefixes.iter().map(first).collect()
    }

    /// Applies all writes of a batch. `partitions` contains the partitions with records that the batch changes.
    fn commit(&self, batch: Batch, partitions: BTreeSet<Partition>) -> Result<(), StoreError>;

    /// Writes `records` durably if `key` still has the value `expected`. Returns whether they were written.
    /// Use it for records that belong to no partition and that several processes may change. If the
    /// connection is lost after the write, `false` may be wrong. Therefore the caller must read the value
    /// after `false`.
    fn exchange(
        &self,
        key: &[u8],
        expected: Option<&[u8]>,
        records: Vec<KeyValue>,
    ) -> Result<bool, StoreError>;

    /// Calls `see` with each committed write that is not in the database yet, in the order of the keys. A removed
    /// record has no value. Shared databases have no such writes, because their changes are not in the archive.
    fn waiting(&self, _see: &mut SeeWrite<'_>) {}

    /// Whether the committed writes take much memory. The caller must then call [`Self::spill`].
    fn is_full(&self) -> bool {
        false
    }

    /// Moves the committed writes from memory to the database, without making them durable.
    fn spill(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the file with the index of near-duplicates. Engines other than [`embedded`] have no such file.
    fn index_log(&self) -> Result<IndexLog, StoreError> {
        Ok(IndexLog::default())
    }

    /// Records durably another file with the index of near-duplicates, which must be on disk, or that there is no file.
    fn set_index_log(&self, _log: &IndexLog) -> Result<(), StoreError> {
        Ok(())
    }

    /// Makes all committed batches durable, and returns the lost claims. If there are lost claims, nothing
    /// was written. The caller must then resolve the claims and flush again.
    fn flush(&self) -> Result<Vec<LostClaim>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_where_the_next_one_begins() {
        assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(prefix_end(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(prefix_end(&[255]), None);
        assert_eq!(prefix_end(&[]), None);
    }
}
