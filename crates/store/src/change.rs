//! Defines a change: a set of writes that are committed as one batch.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use gleaner_frontier::{CanonicalUrl, UrlKey};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::{Batch, KeyValue, Range, Write};
use crate::keys::Owner;
use crate::partitions::Partition;
use crate::records::{decode, encode};
use crate::{
    ArchiveEnd, Counts, HostId, HostRecord, PackedPage, PartitionId, Reextracted, Store, StoreError, Totals,
    UrlRecord, keys,
};

/// Returns the name under which a robots.txt is stored. This is the host name for the host's own file, and the
/// URL for the target of another host's redirect.
pub(crate) fn robots_name(url: &CanonicalUrl) -> &str {
    let is_own = url.url().path() == "/robots.txt" && url.url().query().is_none();
    if is_own { url.host() } else { url.as_str() }
}

/// A set of writes to a store that take effect together or not at all.
///
/// A read through a change sees the change's own earlier writes. If the store is shared, a change reads each
/// record only once, because each read is a round trip.
#[derive(Debug)]
pub struct Change {
    pub(crate) store: Store,
    batch: Batch,
    /// Records of a shared store that this change has read.
    read: RefCell<BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
    /// The partitions that send messages.
    senders: BTreeSet<Partition>,
    pub(crate) touched: BTreeMap<HostId, HostRecord>,
    queued: BTreeMap<HostId, i64>,
    ready: BTreeMap<HostId, i64>,
}

impl Change {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            batch: Batch::default(),
            read: RefCell::default(),
            senders: BTreeSet::new(),
            touched: BTreeMap::new(),
            queued: BTreeMap::new(),
            ready: BTreeMap::new(),
        }
    }

    /// Returns the writes, and the partitions that this process must own to make them.
    pub(crate) fn into_batch(self) -> Result<(Batch, BTreeSet<Partition>), StoreError> {
        let mut partitions = self.senders.clone();
        for (key, write) in &self.batch.writes {
            partitions.extend(self.partition_of(key, write)?);
        }
        Ok((self.batch, partitions))
    }

    /// Returns the partition of a record. Returns `None` if the record belongs to no partition, or if every
    /// process may write it. If a flush has no other records, it succeeds only if this process still owns all
    /// of its partitions.
    fn partition_of(&self, key: &[u8], write: &Write) -> Result<Option<Partition>, StoreError> {
        let partitions = &self.store.partitions;
        if !partitions.is_cut() {
            return Ok(Some(Partition::WHOLE));
        }
        Ok(match (keys::owner_of(key), write.value()) {
            // A message is written by its sender and removed by its receiver.
            (Owner::Receiver(_), Some(_)) => None,
            (Owner::Partition(partition) | Owner::Receiver(partition), _) => Some(partition),
            (Owner::Host(name), _) => Some(match CanonicalUrl::parse(name) {
                Ok(url) => partitions.of_url(&url),
                Err(_) => partitions.of_name(name),
            }),
            (Owner::Url(url), _) => Some(self.partition_at(url)?),
            (Owner::Document, Some(id)) => Some(self.partition_of_document(decode("a content hash", id)?)?),
            // The change also removes the document, or writes the document's other hash.
            (Owner::Document, None) | (Owner::Nobody, _) => None,
        })
    }

    /// Returns the hosts with URLs that this change makes ready.
    #[must_use]
    pub const fn touched(&self) -> &BTreeMap<HostId, HostRecord> {
        &self.touched
    }

    /// Returns the change in the number of ready and waiting URLs of each host.
    #[must_use]
    pub const fn queued(&self) -> &BTreeMap<HostId, i64> {
        &self.queued
    }

    /// Returns the change in the number of ready URLs of each host.
    #[must_use]
    pub const fn ready(&self) -> &BTreeMap<HostId, i64> {
        &self.ready
    }

    pub(crate) fn queue(&mut self, host: HostId, by: i64) {
        *self.queued.entry(host).or_default() += by;
    }

    pub(crate) fn queue_ready(&mut self, host: HostId, by: i64) {
        self.queue(host, by);
        *self.ready.entry(host).or_default() += by;
    }

    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        what: &'static str,
        key: &[u8],
    ) -> Result<Option<T>, StoreError> {
        self.get_bytes(key)?.map(|bytes| decode(what, &bytes)).transpose()
    }

    pub(crate) fn get_bytes(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(write) = self.batch.writes.get(key) {
            return Ok(write.value().map(<[u8]>::to_vec));
        }
        if !self.store.partitions.is_cut() {
            return self.store.engine.get(key);
        }
        if let Some(value) = self.read.borrow().get(key) {
            return Ok(value.clone());
        }
        let value = self.store.engine.get(key)?;
        self.read.borrow_mut().insert(key.to_vec(), value.clone());
        Ok(value)
    }

    /// Reads these keys in one request if the store is shared. Later reads through this change use the
    /// result.
    pub(crate) fn read_ahead(&mut self, keys: Vec<Vec<u8>>) -> Result<(), StoreError> {
        if !self.store.partitions.is_cut() {
            return Ok(());
        }
        let read = self.read.get_mut();
        let unread: Vec<Vec<u8>> = keys.into_iter().filter(|key| !read.contains_key(key)).collect();
        if !unread.is_empty() {
            let values = self.store.engine.get_all(&unread)?;
            read.extend(unread.into_iter().zip(values));
        }
        Ok(())
    }

    /// Reads the records of these URLs in one request. Later reads through this change use the result. Does
    /// nothing for a store in a folder.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_urls_ahead(&mut self, urls: impl IntoIterator<Item = UrlKey>) -> Result<(), StoreError> {
        if !self.store.partitions.is_cut() {
            return Ok(());
        }
        self.read_ahead(urls.into_iter().map(keys::url).collect())
    }

    pub(crate) fn keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, StoreError> {
        self.scan(prefix).map(|pair| pair.map(|(key, _)| key)).collect()
    }

    pub(crate) fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
    ) -> impl Iterator<Item = Result<KeyValue, StoreError>> + 'a {
        let kept = self
            .store
            .engine
            .scan(Range::with_prefix(prefix))
            .filter(|pair| !matches!(pair, Ok((key, _)) if self.batch.writes.contains_key(key)));
        let writes = &self.batch.writes;
        let written = writes.range(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix));
        let written = written.filter_map(|(key, write)| Some((key.clone(), write.value()?.to_vec())));
        let (mut kept, mut written) = (kept.peekable(), written.peekable());
        std::iter::from_fn(move || match (kept.peek(), written.peek()) {
            (Some(Ok((one, _))), Some((other, _))) if other < one => written.next().map(Ok),
            (Some(_), _) => kept.next(),
            (None, _) => written.next().map(Ok),
        })
    }

    /// Writes a record. The write takes effect only if this process still owns the record's partition.
    pub(crate) fn put<T: Serialize>(&mut self, key: Vec<u8>, record: &T) {
        self.put_bytes(key, encode(record));
    }

    pub(crate) fn put_bytes(&mut self, key: Vec<u8>, bytes: Vec<u8>) {
        self.batch.write(key, Write::Put(bytes));
    }

    /// Creates a record that several processes may create at the same time. Only the first process that
    /// flushes succeeds.
    pub(crate) fn claim<T: Serialize>(&mut self, key: Vec<u8>, record: &T) {
        self.batch.write(key, Write::Claim(encode(record)));
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.batch.write(key, Write::Remove);
    }

    /// Requires that this process still owns the partition that sends a message.
    pub(crate) fn note_sender(&mut self, partition: Partition) {
        self.senders.insert(partition);
    }

    pub(crate) fn partition_of_url(&self, url: UrlKey) -> Result<Option<Partition>, StoreError> {
        if !self.store.partitions.is_cut() {
            return Ok(Some(Partition::WHOLE));
        }
        let record = match self.url(url)? {
            // This change removes the URL.
            None => self.store.url(url)?,
            record => record,
        };
        Ok(record.map(|record| self.store.partitions.of_host(record.host)))
    }

    /// Writes the record of a URL. The URL keeps its place in the lists, so `record` must have the stored
    /// [`state`](UrlRecord::state).
    pub fn put_url(&mut self, key: UrlKey, record: &UrlRecord) {
        self.put(keys::url(key), record);
    }

    /// Returns the record of a host. Creates it if it is missing. `domain` is the host's registrable domain.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn host(&mut self, name: &str, domain: &str) -> Result<HostRecord, StoreError> {
        let partition = self.store.partitions.for_host(name, domain);
        self.host_in(partition, name, domain)
    }

    pub(crate) fn host_in(
        &mut self,
        partition: Partition,
        name: &str,
        domain: &str,
    ) -> Result<HostRecord, StoreError> {
        if let Some(host) = self.get("a host", &keys::host(partition, name))? {
            return Ok(host);
        }
        let key = keys::meta_of(partition, "hosts");
        let hosts: u32 = self.get("the number of hosts", &key)?.unwrap_or(0);
        self.put(key, &(hosts + 1));
        let id = HostId(partition.number(hosts).ok_or(StoreError::Crowded { what: "hosts" })?);
        let host = HostRecord::new(id, name, domain);
        self.put_host(&host);
        Ok(host)
    }

    /// Writes a host's record.
    pub fn put_host(&mut self, host: &HostRecord) {
        let partition = self.store.partitions.of_host(host.id);
        self.put(keys::host(partition, &host.name), host);
    }

    /// Writes the record of a host's robots.txt.
    pub fn put_robots<T: Serialize>(&mut self, host: &str, robots: &T) {
        self.put(keys::robots(host), robots);
    }

    /// Writes the record of a host's own robots.txt, or of the target of another host's robots.txt redirect.
    pub fn put_robots_at<T: Serialize>(&mut self, url: &CanonicalUrl, robots: &T) {
        self.put(keys::robots(robots_name(url)), robots);
    }

    /// Writes the raw page of a URL. Opening a store in a folder removes all raw pages whose URL is neither
    /// buffered nor kept.
    pub fn put_page(&mut self, url: UrlKey, page: PackedPage) {
        self.put_bytes(keys::page(url), page.0);
    }

    /// Writes a host's template as JSON. The caller must also update the version in the host's record.
    pub fn put_template(&mut self, host: &str, version: u32, json: &str) {
        self.put_bytes(keys::template(host, version), json.as_bytes().to_vec());
    }

    /// Writes the health of a host's template.
    pub fn put_health<T: Serialize>(&mut self, host: &str, health: &T) {
        self.put(keys::health(host), health);
    }

    /// Changes the counts of a host in a run. `change` gets the current counts.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn count(
        &mut self,
        run: u32,
        host: &str,
        change: impl FnOnce(&mut Counts),
    ) -> Result<(), StoreError> {
        let key = keys::counts(run, host);
        let mut counts: Counts = self.get("a host's counts", &key)?.unwrap_or_default();
        change(&mut counts);
        self.put(key, &counts);
        Ok(())
    }

    pub(crate) fn total(
        &mut self,
        partition: Partition,
        change: impl FnOnce(&mut Totals),
    ) -> Result<(), StoreError> {
        let key = keys::meta_of(partition, "totals");
        let mut totals: Totals = self.get("the totals", &key)?.unwrap_or_default();
        change(&mut totals);
        self.put(key, &totals);
        Ok(())
    }

    /// Writes the position up to which the archive is on disk.
    pub fn put_archive_end(&mut self, end: &ArchiveEnd) {
        self.put(keys::meta("archive"), end);
    }

    /// Writes the offset in bytes up to which a file was replayed in a partition. Each purpose has its own
    /// offset.
    pub fn put_replayed(
        &mut self,
        purpose: &str,
        file: &str,
        PartitionId(partition): PartitionId,
        offset: u64,
    ) {
        self.put(keys::replayed(purpose, partition, file), &offset);
    }

    /// Writes the position up to which the archive was re-extracted in a partition.
    pub fn put_reextracted(&mut self, PartitionId(partition): PartitionId, done: &Reextracted) {
        self.put(keys::meta_of(partition, "reextracted"), done);
    }

    /// Marks the store as being rebuilt, or as complete again. Only older versions built a store in its place.
    pub fn put_rebuilding(&mut self, is_rebuilding: bool) {
        self.put(keys::meta("rebuilding"), &is_rebuilding);
    }
}
