//! A change: writes that are read back at once and become one batch.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_frontier::{CanonicalUrl, UrlKey};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::{Batch, Pair, Range, Write};
use crate::partitions::Partition;
use crate::records::{decode, encode};
use crate::{
    ArchiveEnd, Counts, HostId, HostRecord, PartitionId, Reextracted, Store, StoreError, Totals, UrlRecord,
    keys,
};

/// Under what a robots.txt lies: a host's own under the host's name.
pub(crate) fn robots_name(url: &CanonicalUrl) -> &str {
    let is_own = url.url().path() == "/robots.txt" && url.url().query().is_none();
    if is_own { url.host() } else { url.as_str() }
}

/// Writes to a store that take effect all at once, or not at all.
///
/// Reading through a change sees what it has written so far.
#[derive(Debug)]
pub struct Change {
    pub(crate) store: Store,
    batch: Batch,
    /// What was read ahead.
    ahead: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// Partitions for which something is written.
    partitions: BTreeSet<Partition>,
    touched: BTreeMap<HostId, HostRecord>,
    queued: BTreeMap<HostId, i64>,
}

impl Change {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            batch: Batch::default(),
            ahead: BTreeMap::new(),
            partitions: BTreeSet::new(),
            touched: BTreeMap::new(),
            queued: BTreeMap::new(),
        }
    }

    pub(crate) fn into_batch(self) -> (Batch, BTreeSet<Partition>) {
        (self.batch, self.partitions)
    }

    /// Hosts that have got a URL to ask by this change.
    #[must_use]
    pub const fn touched(&self) -> &BTreeMap<HostId, HostRecord> {
        &self.touched
    }

    /// By how many the ready and waiting URLs of each host grow.
    #[must_use]
    pub const fn queued(&self) -> &BTreeMap<HostId, i64> {
        &self.queued
    }

    pub(crate) fn touch(&mut self, host: &HostRecord) {
        self.touched.entry(host.id).or_insert_with(|| host.clone());
    }

    pub(crate) fn queue(&mut self, host: HostId, by: i64) {
        *self.queued.entry(host).or_default() += by;
    }

    pub(crate) fn drop_page(&mut self, of: Partition, url: UrlKey) {
        self.remove(of, keys::page(url));
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
        match self.ahead.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.store.engine.get(key),
        }
    }

    /// Reads what will be asked for, at once: with an engine behind a network each reading
    /// is a way there and back.
    pub(crate) fn read_ahead(&mut self, keys: Vec<Vec<u8>>) -> Result<(), StoreError> {
        let unread: Vec<Vec<u8>> = keys.into_iter().filter(|key| !self.ahead.contains_key(key)).collect();
        if unread.len() > 1 && self.store.partitions.is_cut() {
            let values = self.store.engine.get_all(&unread)?;
            self.ahead.extend(unread.into_iter().zip(values));
        }
        Ok(())
    }

    /// The records of these URLs will be asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read_urls_ahead(&mut self, urls: impl IntoIterator<Item = UrlKey>) -> Result<(), StoreError> {
        self.read_ahead(urls.into_iter().map(keys::url).collect())
    }

    /// The keys with this prefix, in order.
    pub(crate) fn keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, StoreError> {
        self.scan(prefix).map(|pair| pair.map(|(key, _)| key)).collect()
    }

    /// What stands under the keys with this prefix, in the order of the keys: what the
    /// store has and what was written here, less what was removed here.
    pub(crate) fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
    ) -> impl Iterator<Item = Result<Pair, StoreError>> + 'a {
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

    /// Writes a record of a partition. It takes effect only while the partition is this process's, as all
    /// that is written for a partition.
    pub(crate) fn put<T: Serialize>(&mut self, of: Partition, key: Vec<u8>, record: &T) {
        self.write(of, key, Write::Put(encode(record)));
    }

    /// A key that says all by being there.
    pub(crate) fn mark(&mut self, of: Partition, key: Vec<u8>) {
        self.write(of, key, Write::Put(Vec::new()));
    }

    pub(crate) fn put_bytes(&mut self, of: Partition, key: Vec<u8>, bytes: Vec<u8>) {
        self.write(of, key, Write::Put(bytes));
    }

    /// Writes what only one may have, if nothing stood there when it was read.
    pub(crate) fn claim<T: Serialize>(
        &mut self,
        of: Partition,
        key: Vec<u8>,
        record: &T,
    ) -> Result<(), StoreError> {
        let write = match self.get_bytes(&key)? {
            Some(_) => Write::Put(encode(record)),
            None => Write::Claim(encode(record)),
        };
        self.write(of, key, write);
        Ok(())
    }

    pub(crate) fn remove(&mut self, of: Partition, key: Vec<u8>) {
        self.write(of, key, Write::Remove);
    }

    fn write(&mut self, of: Partition, key: Vec<u8>, write: Write) {
        self.partitions.insert(of);
        self.batch.write(key, write);
    }

    /// Writes what is no partition's. It is flushed only while all partitions of this process are its.
    pub(crate) fn put_common<T: Serialize>(&mut self, key: Vec<u8>, record: &T) {
        self.put_common_bytes(key, encode(record));
    }

    pub(crate) fn put_common_bytes(&mut self, key: Vec<u8>, bytes: Vec<u8>) {
        self.batch.write(key, Write::Put(bytes));
    }

    /// The partition of a URL; `None`: the URL is not known.
    pub(crate) fn partition_of_url(&self, url: UrlKey) -> Result<Option<Partition>, StoreError> {
        if !self.store.partitions.is_cut() {
            return Ok(Some(Partition::WHOLE));
        }
        Ok(self.url(url)?.map(|record| self.store.partitions.of_host(record.host)))
    }

    /// Writes the record of a URL.
    pub(crate) fn put_url(&mut self, key: UrlKey, record: &UrlRecord) {
        self.put(self.store.partitions.of_host(record.host), keys::url(key), record);
    }

    /// The record of a host, made where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn host(&mut self, name: &str, domain: &str) -> Result<HostRecord, StoreError> {
        let partition = self.store.partitions.of(name, domain);
        self.host_in(partition, name, domain)
    }

    /// The record of a host in the partition that stored it, made where there is none.
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
        self.put(partition, key, &(hosts + 1));
        let host = HostRecord {
            id: HostId(partition.number(hosts).ok_or(StoreError::Crowded { what: "hosts" })?),
            name: name.into(),
            domain: domain.into(),
            sequence: 0,
            queued: 0,
            buffered: 0,
            template: 0,
            held_until: None,
            outdated: false,
            paused: false,
            announced_updates: 0,
            confirmed_updates: 0,
        };
        self.put_host(&host);
        Ok(host)
    }

    /// Writes a host's record.
    pub fn put_host(&mut self, host: &HostRecord) {
        let partition = self.store.partitions.of_host(host.id);
        self.put(partition, keys::host(partition, &host.name), host);
    }

    /// Writes what is known of a host's robots.txt.
    pub fn put_robots<T: Serialize>(&mut self, host: &str, robots: &T) {
        self.put(self.store.partitions.of_name(host), keys::robots(host), robots);
    }

    /// Writes what is known of a robots.txt: a host's own, or where another host's redirects to.
    pub fn put_robots_at<T: Serialize>(&mut self, url: &CanonicalUrl, robots: &T) {
        self.put(self.store.partitions.of_url(url), keys::robots(robots_name(url)), robots);
    }

    /// Writes a host's template as JSON; the host's record follows by the caller.
    pub fn put_template(&mut self, host: &str, version: u32, json: &str) {
        let of = self.store.partitions.of_name(host);
        self.put_bytes(of, keys::template(host, version), json.as_bytes().to_vec());
    }

    /// What the last pages of a host told of its template.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn health<T: DeserializeOwned>(&self, host: &str) -> Result<Option<T>, StoreError> {
        self.get("a template's health", &keys::health(host))
    }

    /// Writes what the last pages of a host told of its template.
    pub fn put_health<T: Serialize>(&mut self, host: &str, health: &T) {
        self.put(self.store.partitions.of_name(host), keys::health(host), health);
    }

    /// Changes the counts of a host in a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn count(
        &mut self,
        run: u32,
        host: &str,
        change: impl FnOnce(&mut Counts),
    ) -> Result<(), StoreError> {
        let key = keys::counts(run, host);
        let mut counts: Counts = self.get("a host's counts", &key)?.unwrap_or_default();
        change(&mut counts);
        self.put(self.store.partitions.of_name(host), key, &counts);
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
        self.put(partition, key, &totals);
        Ok(())
    }

    /// Writes up to where the archive is on disk.
    pub fn put_archive_end(&mut self, end: &ArchiveEnd) {
        self.put_common(keys::meta("archive"), end);
    }

    /// Writes up to where a file was replayed for a purpose in a partition, in bytes.
    pub fn put_replayed(
        &mut self,
        purpose: &str,
        file: &str,
        PartitionId(partition): PartitionId,
        offset: u64,
    ) {
        self.put(partition, keys::replayed(purpose, partition, file), &offset);
    }

    /// Writes up to where the archive was extracted again in a partition.
    pub fn put_reextracted(&mut self, PartitionId(partition): PartitionId, done: &Reextracted) {
        self.put(partition, keys::meta_of(partition, "reextracted"), done);
    }

    /// Notes that the store is being made anew, or is complete again.
    pub fn put_rebuilding(&mut self, is_rebuilding: bool) {
        self.put_common(keys::meta("rebuilding"), &is_rebuilding);
    }
}
