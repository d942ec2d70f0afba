//! Records which file has the index of near-duplicates (`near/folder.rs`), and which signatures were written since.
//!
//! The records are in a tree of sled of their own. So they belong to this copy of the store: no scan returns them, and
//! they are neither in the archive nor in copies of the store. The tree contains:
//!
//! | key | value |
//! |---|---|
//! | `f` | the name of the file |
//! | `n` number | the numbers of documents whose signatures were written at once |
//!
//! The numbers are written before the signatures. After a crash, a number without a signature may be there, but no
//! signature without its number. Without a file, no numbers are written.

use crate::engine::IndexLog;

const FILE: &[u8] = b"f";
const NUMBERS: u8 = b'n';

#[derive(Debug, Clone)]
pub(super) struct LogTree(sled::Tree);

impl LogTree {
    pub(super) const fn new(tree: sled::Tree) -> Self {
        Self(tree)
    }

    pub(super) fn file(&self) -> sled::Result<Option<String>> {
        Ok(self.0.get(FILE)?.map(|name| String::from_utf8_lossy(&name).into_owned()))
    }

    pub(super) fn read(&self) -> sled::Result<IndexLog> {
        let mut since = Vec::new();
        for record in self.0.scan_prefix([NUMBERS]).values() {
            let record = record?;
            since.extend(
                record
                    .chunks_exact(4)
                    .map(|number| number.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))),
            );
        }
        Ok(IndexLog { file: self.file()?, since })
    }

    /// Adds the numbers of documents. `order` must be greater than in earlier calls.
    pub(super) fn add(&self, order: u64, numbers: &[u32]) -> sled::Result<()> {
        self.0.insert(key(order), value(numbers)).map(drop)
    }

    /// Replaces the file and the numbers, as one batch. `order` must be greater than in earlier calls.
    pub(super) fn set(&self, order: u64, log: &IndexLog) -> sled::Result<()> {
        let mut batch = sled::Batch::default();
        for key in self.0.scan_prefix([NUMBERS]).keys() {
            batch.remove(key?);
        }
        match &log.file {
            Some(name) => batch.insert(FILE, name.as_bytes()),
            None => batch.remove(FILE),
        }
        if !log.since.is_empty() {
            batch.insert(key(order), value(&log.since));
        }
        self.0.apply_batch(batch)
    }
}

fn key(order: u64) -> Vec<u8> {
    [&[NUMBERS][..], &order.to_be_bytes()].concat()
}

fn value(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}
