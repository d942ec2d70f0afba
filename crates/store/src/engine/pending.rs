//! Keeps the writes of an embedded store that are not yet in its database.
//!
//! Pages of one host change the same records (host, counts, totals), and a URL is often found and read shortly
//! after. Only the last write of a record reaches the database, and reads of such records need no access to it.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::engine::{Range, Write, joined};

#[derive(Debug, Default)]
pub(crate) struct Pending {
    writes: BTreeMap<Vec<u8>, Write>,
    bytes: usize,
}

impl Pending {
    /// Returns the value of a key. `None`: no write of the key is pending. `Some(None)`: the key is removed.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        self.writes.get(key).map(Write::value)
    }

    /// Returns the first key of a range, or the last one if the range is read backwards, with its value.
    pub(crate) fn first(&self, range: &Range) -> Option<(&[u8], Option<&[u8]>)> {
        if range.is_empty() {
            return None;
        }
        let mut writes = self.writes.range::<[u8], _>((bytes(&range.begin), bytes(&range.end)));
        let first = if range.backwards { writes.next_back() } else { writes.next() };
        first.map(|(key, write)| (key.as_slice(), write.value()))
    }

    pub(crate) fn put(&mut self, key: Vec<u8>, write: Write) {
        self.bytes += size(&key, &write);
        // Nobody else claims keys of an embedded store, so a removal after a claim stays a removal: the
        // database may have an older value.
        let write = joined(self.writes.get(&key), write).unwrap_or(Write::Remove);
        self.writes.insert(key, write);
    }

    pub(crate) fn forget(&mut self, key: &[u8]) {
        self.writes.remove(key);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Write)> {
        self.writes.iter().map(|(key, write)| (key.as_slice(), write))
    }

    /// Returns the size of all writes since the last [`clear`](Self::clear), in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

fn size(key: &[u8], write: &Write) -> usize {
    key.len() + write.value().map_or(0, <[u8]>::len)
}

fn bytes(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(begin: &str, end: &str) -> Range {
        let (begin, end) = (Bound::Included(begin.into()), Bound::Excluded(end.into()));
        Range { begin, end, backwards: false, keys_only: false }
    }

    #[test]
    fn the_last_write_of_a_key_counts() {
        let mut pending = Pending::default();
        for (key, write, expected) in [
            ("a", Write::Put(b"1".to_vec()), Some(Some(b"1".as_slice()))),
            ("a", Write::Remove, Some(None)),
            ("b", Write::Claim(b"2".to_vec()), Some(Some(b"2"))),
            ("b", Write::Remove, Some(None)),
        ] {
            pending.put(key.into(), write);
            assert_eq!(pending.get(key.as_bytes()), expected, "{key}");
        }
        assert_eq!((pending.get(b"c"), pending.bytes()), (None, 6));
        pending.forget(b"a");
        assert_eq!(pending.get(b"a"), None);
    }

    #[test]
    fn ranges_are_read_from_both_ends() {
        let mut pending = Pending::default();
        for key in ["a", "b", "c", "d"] {
            pending.put(key.into(), Write::Put(key.into()));
        }
        let key = |range: Range| pending.first(&range).map(|(key, _)| key);
        assert_eq!(key(range("b", "d")), Some(b"b".as_slice()));
        assert_eq!(key(range("b", "d").backwards()), Some(b"c".as_slice()));
        assert_eq!(key(range("b", "d").after(b"b".to_vec())), Some(b"c".as_slice()));
        assert_eq!((key(range("d", "b")), key(range("e", "f"))), (None, None));
        assert_eq!(key(range("b", "b").after(b"b".to_vec())), None);
    }
}
