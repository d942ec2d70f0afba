//! Loads records into the target in batches.
//!
//! Each batch is on disk before the next begins, so at most one batch is in memory. Each batch checks the
//! leases of all partitions, so nothing is written if another worker owns a partition. A batch consists of
//! several small commits, because sled frees replaced data only after a commit.

use std::collections::BTreeSet;

use crate::engine::{Batch, Write};
use crate::partitions::Partition;
use crate::{Store, StoreError, Writer};

const RECORDS: usize = 4_000;
const COMMITTED: usize = 50;
const BYTES: usize = 16 << 20;

pub(super) struct Loader<'a> {
    to: &'a mut Writer,
    pub(super) store: Store,
    fence: BTreeSet<Partition>,
    batch: Batch,
    waiting: usize,
    bytes: usize,
    pub(super) records: u64,
}

impl<'a> Loader<'a> {
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
            return self.write_batch();
        }
        if self.batch.writes.len() >= COMMITTED {
            self.commit()?;
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.store.engine.commit(std::mem::take(&mut self.batch), self.fence.clone())
    }

    pub(super) fn write_batch(&mut self) -> Result<(), StoreError> {
        (self.waiting, self.bytes) = (0, 0);
        self.commit()?;
        self.to.flush()?;
        if let Some(engine) = &self.store.distributed {
            // A worker caches the host records that it wrote. The migration does not read these records again.
            engine.forget();
        }
        Ok(())
    }
}
