//! What a store is kept in: an ordered map from bytes to bytes.
//!
//! All that is known of URLs, hosts, documents and clusters is told by keys (`keys.rs`) and
//! records, once, for every engine. An engine knows nothing of them but the first byte of a
//! key, by which it may keep kinds of records in places of their own.
//!
//! | engine | for | durable after [`Engine::flush`] by |
//! |---|---|---|
//! | [`embedded`] | one process, a folder | sled's log |
//! | [`postgres`] | many processes | a transaction, fenced by leases |
//!
//! What holds for each of them, and `store/tests` runs on each of them:
//!
//! 1. A batch is there after [`Engine::commit`] for whoever reads by this engine, all of it.
//! 2. It is there after a crash if it was flushed. If not, it may be gone as a whole, with
//!    all that was committed after it; never a part of it.
//! 3. Keys come in the order of their bytes.

pub(crate) mod embedded;
pub(crate) mod postgres;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::Bound;

use gleaner_dedup::{Candidate, Keys, Number};

use crate::StoreError;
use crate::partitions::Partition;

/// A key and what stands under it.
pub(crate) type Pair = (Vec<u8>, Vec<u8>);

/// Pairs in the order asked for.
pub(crate) type Scan = Box<dyn Iterator<Item = Result<Pair, StoreError>> + Send>;

/// Keys that are read, in which order, with what stands under them or without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) begin: Bound<Vec<u8>>,
    pub(crate) end: Bound<Vec<u8>>,
    /// The last key first.
    pub(crate) backwards: bool,
    /// Values come empty: only the keys are asked for.
    pub(crate) keys_only: bool,
}

impl Range {
    /// The keys that begin with this.
    pub(crate) fn with_prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let prefix = prefix.into();
        let end = behind(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
        Self { begin: Bound::Included(prefix), end, backwards: false, keys_only: false }
    }

    /// Those of them behind a key.
    pub(crate) fn after(self, key: Vec<u8>) -> Self {
        Self { begin: Bound::Excluded(key), ..self }
    }

    pub(crate) fn backwards(self) -> Self {
        Self { backwards: true, ..self }
    }

    pub(crate) fn keys_only(self) -> Self {
        Self { keys_only: true, ..self }
    }

    /// The first byte that all of its keys have; `None`: they differ in it.
    pub(crate) fn space(&self) -> Option<u8> {
        match &self.begin {
            Bound::Included(key) | Bound::Excluded(key) => key.first().copied(),
            Bound::Unbounded => None,
        }
    }
}

/// The first key behind all that begin with this; `None`: there is none.
pub(crate) fn behind(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// What is written under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Write {
    /// This, whatever stands there.
    Put(Vec<u8>),
    /// This, if nothing stands there when it comes to disk. Between processes the first wins.
    Claim(Vec<u8>),
    /// Nothing any more.
    Remove,
}

impl Batch {
    /// Writes that were made behind those that are there.
    pub(crate) fn write(&mut self, key: Vec<u8>, write: Write) {
        match joined(self.writes.get(&key), write) {
            Some(write) => drop(self.writes.insert(key, write)),
            None => drop(self.writes.remove(&key)),
        }
    }
}

impl Write {
    /// What is read under the key from then on.
    pub(crate) fn value(&self) -> Option<&[u8]> {
        match self {
            Self::Put(value) | Self::Claim(value) => Some(value),
            Self::Remove => None,
        }
    }
}

/// Two writes of one key, one after the other, as one; `None`: as if there had been none.
/// What was claimed and is not yet on disk is not ours: taking it back must not remove
/// what another has put there.
pub(crate) fn joined(before: Option<&Write>, then: Write) -> Option<Write> {
    match (before, then) {
        (Some(Write::Claim(_)), Write::Remove) => None,
        (Some(Write::Claim(_)), Write::Put(value)) => Some(Write::Claim(value)),
        (Some(Write::Remove | Write::Put(_)), Write::Claim(value)) => Some(Write::Put(value)),
        (_, then) => Some(then),
    }
}

/// Writes that take effect together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) writes: BTreeMap<Vec<u8>, Write>,
}

/// A claim that another process had made before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) key: Vec<u8>,
    /// What was claimed.
    pub(crate) ours: Vec<u8>,
    /// What stands there.
    pub(crate) theirs: Vec<u8>,
}

/// See the head of this file.
pub(crate) trait Engine: Debug + Send + Sync {
    /// What stands under a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// The same of many keys, in their order.
    fn get_all(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        keys.iter().map(|key| self.get(key)).collect()
    }

    /// Whether something stands under a key.
    fn has(&self, key: &[u8]) -> Result<bool, StoreError>;

    /// What stands under keys of one space, one pair after the other.
    fn scan(&self, range: Range) -> Scan;

    /// The first key under each of these beginnings.
    fn firsts(&self, prefixes: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let first = |prefix: &Vec<u8>| {
            let pair = self.scan(Range::with_prefix(prefix.as_slice()).keys_only()).next().transpose()?;
            Ok(pair.map(|(key, _)| key))
        };
        prefixes.iter().map(first).collect()
    }

    /// Makes all writes of a batch, which changes records of these partitions.
    fn commit(&self, batch: Batch, partitions: BTreeSet<Partition>) -> Result<(), StoreError>;

    /// Writes records of the whole to where a crash cannot reach them, if `expected` still
    /// stands under `key`. Gives whether it did. For what no partition has, and several processes
    /// may change. Where the way is lost after the write it may have been done and give
    /// `false`, so a caller looks at what stands there then.
    fn exchange(&self, key: &[u8], expected: Option<&[u8]>, records: Vec<Pair>) -> Result<bool, StoreError>;

    /// Brings all that was committed to where a crash cannot reach it. Gives the claims that
    /// were lost; if there are any, nothing was brought there, and they have to be given up
    /// before the next try.
    fn flush(&self) -> Result<Vec<Lost>, StoreError>;

    /// The index of near-duplicates that it keeps; `None`: it keeps none.
    fn near(&self) -> Option<&dyn Near> {
        None
    }
}

/// An index of near-duplicates that an engine keeps, for all who write there.
pub(crate) trait Near {
    /// Documents that share a band with these keys, as [`gleaner_dedup::Index`] has it.
    fn candidates(&self, keys: &Keys) -> Result<Vec<Candidate>, StoreError>;

    /// Puts a document in; it is there for others after the next flush.
    fn put(&self, number: Number, keys: &Keys);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_where_the_next_one_begins() {
        assert_eq!(behind(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(behind(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(behind(&[255]), None);
        assert_eq!(behind(&[]), None);
    }
}
