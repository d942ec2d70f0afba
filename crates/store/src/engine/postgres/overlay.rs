//! Keeps committed writes until they are in the database, and caches frequently read records.
//!
//! All reads go through the overlay, so that a process sees its own writes. Records of hosts, counts,
//! template health and totals stay after a flush. Each page needs these records. The copies stay correct,
//! because no other process writes the records of this process's partitions. The beginnings of lists of URLs,
//! and records that were read ahead, stay until the next flush.

use std::collections::BTreeMap;

use crate::engine::{Batch, KeyValue, Range, Write, joined};
use crate::keys;

/// Whether a record stays in the overlay after a flush, because only this process writes it.
fn stays(key: &[u8]) -> bool {
    match key.first() {
        Some(&(keys::HOST | keys::COUNTS | keys::HEALTH)) => true,
        Some(&keys::META) => key.ends_with(b"totals") || key.ends_with(b"hosts"),
        _ => false,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    write: Write,
    is_flushed: bool,
}

/// The beginning of a list of URLs in the database, with the URLs' records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) rows: Vec<KeyValue>,
    /// Whether the list has no further rows.
    pub(crate) is_whole: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Overlay {
    entries: BTreeMap<Vec<u8>, Entry>,
    /// Lists that were read since the last flush, by their prefixes. No other process changes them.
    heads: BTreeMap<Vec<u8>, Head>,
    /// Records that were read since the last flush. `None`: the database has no such record.
    read: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// How often records that were read have been forgotten.
    generation: u64,
}

impl Overlay {
    /// Returns the value of a key in the overlay. Returns `None` if the overlay does not have the key, and
    /// `Some(None)` if the key is removed.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        let entry = self.entries.get(key).map(|entry| entry.write.value());
        entry.or_else(|| self.read.get(key).map(Option::as_deref))
    }

    pub(crate) fn head(&self, prefix: &[u8]) -> Option<&Head> {
        self.heads.get(prefix)
    }

    pub(crate) fn keep_head(&mut self, prefix: &[u8], head: Head) {
        self.heads.insert(prefix.to_vec(), head);
    }

    /// Keeps a record that was read, until the next flush.
    pub(crate) fn keep_read(&mut self, key: Vec<u8>, record: Option<Vec<u8>>) {
        self.read.insert(key, record);
    }

    /// Keeps records until the next flush, unless records were forgotten since the generation in which they were read.
    pub(crate) fn keep_all_read(
        &mut self,
        generation: u64,
        records: impl IntoIterator<Item = (Vec<u8>, Option<Vec<u8>>)>,
    ) {
        if generation == self.generation {
            self.read.extend(records);
        }
    }

    pub(crate) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the keys of a range in the overlay with their values, in order. A value of `None` means that
    /// the key is removed, even if the database still has it.
    pub(crate) fn within(&self, range: &Range) -> BTreeMap<Vec<u8>, Option<Vec<u8>>> {
        if range.is_empty() {
            return BTreeMap::new();
        }
        let known = self.entries.range((range.begin.clone(), range.end.clone()));
        known.map(|(key, entry)| (key.clone(), entry.write.value().map(<[u8]>::to_vec))).collect()
    }

    pub(crate) fn take_in(&mut self, batch: Batch) {
        for (key, write) in batch.writes {
            let before = self.entries.get(&key);
            if before.is_some_and(|entry| entry.is_flushed && entry.write == write) {
                // The database has this value.
                continue;
            }
            let before = before.filter(|entry| !entry.is_flushed);
            match joined(before.map(|entry| &entry.write), write) {
                Some(write) => drop(self.entries.insert(key, Entry { write, is_flushed: false })),
                None => drop(self.entries.remove(&key)),
            }
        }
    }

    pub(crate) fn unflushed(&self) -> BTreeMap<Vec<u8>, Write> {
        let unflushed = self.entries.iter().filter(|(_, entry)| !entry.is_flushed);
        unflushed.map(|(key, entry)| (key.clone(), entry.write.clone())).collect()
    }

    pub(crate) fn flushed(&mut self) {
        self.forget_read();
        self.entries.retain(|key, entry| {
            entry.is_flushed = true;
            stays(key) && entry.write.value().is_some()
        });
    }

    /// Drops a claim of a key. The value in the database is from another process, which claimed the key first.
    pub(crate) fn drop_claim(&mut self, key: &[u8]) {
        self.entries.remove(key);
        self.read.remove(key);
    }

    pub(crate) fn clear(&mut self) {
        self.forget_read();
        self.entries.clear();
    }

    /// Forgets what was read. A process that gets a partition must do this first, because other processes have changed
    /// the records of the partition.
    pub(crate) fn forget_read(&mut self) {
        self.heads.clear();
        self.read.clear();
        self.generation += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(writes: &[(&str, Write)]) -> Batch {
        Batch { writes: writes.iter().map(|(key, write)| (key.as_bytes().to_vec(), write.clone())).collect() }
    }

    fn put(value: &str) -> Write {
        Write::Put(value.into())
    }

    #[test]
    fn a_claim_that_is_taken_back_was_never_made() {
        let mut overlay = Overlay::default();
        overlay.take_in(batch(&[("c1", Write::Claim("a".into())), ("c2", put("b"))]));
        overlay.take_in(batch(&[("c1", Write::Remove), ("c2", Write::Remove)]));
        assert_eq!(overlay.get(b"c1"), None);
        assert_eq!(overlay.get(b"c2"), Some(None));
        overlay.take_in(batch(&[("c2", Write::Claim("d".into()))]));
        assert_eq!(overlay.unflushed()[b"c2".as_slice()], put("d"), "the row was ours, and is replaced");
    }

    #[test]
    fn what_was_read_is_kept_until_the_flush_or_until_a_claim_is_lost() {
        let mut overlay = Overlay::default();
        overlay.keep_read(b"c1".to_vec(), None);
        overlay.keep_read(b"u1".to_vec(), Some(b"read".to_vec()));
        assert_eq!((overlay.get(b"c1"), overlay.get(b"u1")), (Some(None), Some(Some(b"read".as_slice()))));
        overlay.take_in(batch(&[("c1", Write::Claim("ours".into())), ("u1", put("written"))]));
        assert_eq!(overlay.get(b"u1"), Some(Some(b"written".as_slice())));
        overlay.drop_claim(b"c1");
        assert_eq!(overlay.get(b"c1"), None, "the database now has the record of another process");
        let before = overlay.generation();
        overlay.flushed();
        assert_eq!(overlay.get(b"u1"), None);
        overlay.keep_all_read(before, [(b"u2".to_vec(), None)]);
        assert_eq!(overlay.get(b"u2"), None, "it was read before the flush");
    }

    #[test]
    fn records_of_hosts_stay_and_others_are_left_to_the_database() {
        let mut overlay = Overlay::default();
        overlay.take_in(batch(&[("h1", put("host")), ("u1", put("url")), ("hx", Write::Remove)]));
        overlay.flushed();
        assert!(overlay.unflushed().is_empty());
        assert_eq!(overlay.get(b"h1"), Some(Some(b"host".as_slice())));
        assert_eq!((overlay.get(b"u1"), overlay.get(b"hx")), (None, None));
        overlay.take_in(batch(&[("h1", put("host"))]));
        assert!(overlay.unflushed().is_empty(), "the database has the same value");
        overlay.take_in(batch(&[("h1", put("host again"))]));
        assert_eq!(overlay.unflushed().len(), 1);
    }
}
