//! Records into the target, batch by batch.
//!
//! A batch is brought to disk before the next one begins, so that what is not yet there is
//! never more than one batch. Each is fenced by all partitions: if one is another worker's by now,
//! nothing is written. Within a batch, records are committed few at a time: sled frees what a
//! commit has replaced only when the commit is over.

use std::collections::BTreeSet;

use gleaner_dedup::{Keys, Signature};

use crate::engine::{Batch, Write};
use crate::partitions::Partition;
use crate::{Store, StoreError, Writer};

/// Records of a batch, at most.
const RECORDS: usize = 4_000;
/// Records that are committed together.
const COMMITTED: usize = 50;
/// Bytes from which on a batch is full.
const BYTES: usize = 16 << 20;

/// See the head of this file.
pub(super) struct Load<'a> {
    to: &'a mut Writer,
    pub(super) store: Store,
    fence: BTreeSet<Partition>,
    batch: Batch,
    /// Records and bytes that are not yet on disk.
    waiting: usize,
    bytes: usize,
    /// Records that were put.
    pub(super) records: u64,
}

impl<'a> Load<'a> {
    pub(super) fn new(to: &'a mut Writer) -> Self {
        let store = to.store();
        let fence = store.partitions.held().into_iter().collect();
        Self { to, store, fence, batch: Batch::default(), waiting: 0, bytes: 0, records: 0 }
    }

    pub(super) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), StoreError> {
        self.records += 1;
        self.write(key, Write::Put(value))
    }

    pub(super) fn remove(&mut self, key: Vec<u8>) -> Result<(), StoreError> {
        self.write(key, Write::Remove)
    }

    fn write(&mut self, key: Vec<u8>, write: Write) -> Result<(), StoreError> {
        self.bytes += key.len() + write.value().map_or(0, <[u8]>::len);
        self.waiting += 1;
        self.batch.writes.insert(key, write);
        if self.waiting >= RECORDS || self.bytes >= BYTES {
            return self.bring();
        }
        if self.batch.writes.len() >= COMMITTED {
            self.commit()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.store.engine.commit(std::mem::take(&mut self.batch), self.fence.clone())
    }

    /// Puts a head into the index of near-duplicates, where the engine keeps one.
    pub(super) fn put_near(&self, number: u32, signature: Option<Signature>) {
        if let (Some(near), Some(signature)) = (self.store.engine.near(), signature) {
            near.put(number, &Keys::from_signature(&signature));
        }
    }

    /// Brings to disk what was put.
    pub(super) fn bring(&mut self) -> Result<(), StoreError> {
        (self.waiting, self.bytes) = (0, 0);
        self.commit()?;
        self.to.flush()?;
        if let Some(engine) = &self.store.cluster {
            // Of what it has written a worker keeps records of hosts at hand; nobody asks here.
            engine.forget();
        }
        Ok(())
    }
}
