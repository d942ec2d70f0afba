//! Finds the first URL of a list.
//!
//! The first rows of a list are read with the URLs' records, in one statement. A process that owns the list's
//! partition keeps these rows until its next flush, because no other process changes them. The process's own
//! changes are in the overlay.

use std::collections::BTreeMap;

use super::Postgres;
use super::overlay::Head;
use crate::engine::{Engine, KeyValue, Range, listed, unlisted};
use crate::partitions::Partition;
use crate::{StoreError, keys};

/// Number of rows that are read at once.
const ROWS: usize = 8;

impl Postgres {
    pub(super) fn first_of_list(&self, prefix: &[u8]) -> Result<Option<KeyValue>, StoreError> {
        let range = Range::with_prefix(prefix);
        // The overlay is read before the database. Otherwise, a write that is flushed in between would be missed.
        let known = self.read_overlay().within(&range);
        let is_left = |(key, _): &KeyValue| known.get(key) != Some(&None);
        let mut head = self.head(prefix, &range)?;
        let left = loop {
            match (head.rows.iter().find(|row| is_left(row)), head.rows.last()) {
                // All these rows were removed since the last flush.
                (None, Some((last, _))) if !head.is_whole => {
                    head = self.read_head(prefix, &range.clone().after(last.clone()))?;
                }
                (left, _) => break left.cloned(),
            }
        };
        match (left, first_written(known)) {
            (Some((key, record)), written) if written.as_ref().is_none_or(|written| key <= *written) => {
                self.with_record(key, Some(record)).map(Some)
            }
            (_, Some(written)) => self.with_record(written, None).map(Some),
            (_, None) => Ok(None),
        }
    }

    fn head(&self, prefix: &[u8], range: &Range) -> Result<Head, StoreError> {
        if let Some(head) = self.read_overlay().head(prefix) {
            return Ok(head.clone());
        }
        self.read_head(prefix, range)
    }

    fn read_head(&self, prefix: &[u8], range: &Range) -> Result<Head, StoreError> {
        let rows = self.page(range, ROWS)?;
        let head = Head { is_whole: rows.len() < ROWS, rows };
        if self.has_list(prefix) {
            self.write_overlay().keep_head(prefix, head.clone());
        }
        Ok(head)
    }

    /// Reads the first rows of lists in one statement, and keeps them. Skips the lists whose first rows are kept, and
    /// those of other processes.
    pub(super) fn read_heads(&self, mut prefixes: Vec<Vec<u8>>) -> Result<(), StoreError> {
        {
            let overlay = self.read_overlay();
            prefixes.retain(|prefix| overlay.head(prefix).is_none() && self.has_list(prefix));
        }
        let Some(space) = prefixes.first().and_then(|prefix| prefix.first().copied()) else { return Ok(()) };
        let heads = self.first_rows(space, &prefixes, ROWS, false)?;
        let mut overlay = self.write_overlay();
        for (prefix, rows) in prefixes.iter().zip(heads) {
            overlay.keep_head(prefix, Head { is_whole: rows.len() < ROWS, rows });
        }
        Ok(())
    }

    /// Whether this process owns the partition of a host's list.
    fn has_list(&self, prefix: &[u8]) -> bool {
        // The number of a host begins with its partition.
        let partition = prefix.get(1).copied().map(Partition::new);
        let is_of_host = matches!(prefix.first(), Some(&(keys::READY | keys::BUFFERED)));
        let epochs = self.leases().zip(partition).map(|(leases, partition)| leases.epochs([partition]));
        is_of_host && epochs.into_iter().flatten().any(|(_, epoch)| epoch.is_some())
    }

    /// Returns the record of the URL to which a key of a list refers. `read` is the record in the database.
    fn with_record(&self, key: Vec<u8>, read: Option<Vec<u8>>) -> Result<KeyValue, StoreError> {
        let url = listed(&key)?;
        let written = self.read_overlay().get(&url).map(|value| value.map(<[u8]>::to_vec));
        let record = match (written, read) {
            (Some(written), _) => written,
            (None, Some(read)) => {
                if self.has_list(&key) {
                    self.write_overlay().keep_read(url, Some(read.clone()));
                }
                Some(read)
            }
            (None, None) => self.get(&url)?,
        };
        Ok((key, record.ok_or_else(unlisted)?))
    }
}

fn first_written(known: BTreeMap<Vec<u8>, Option<Vec<u8>>>) -> Option<Vec<u8>> {
    known.into_iter().find_map(|(key, value)| value.map(|_| key))
}
