//! A change: writes that are read back at once and become one batch.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_frontier::UrlKey;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::{Batch, Pair, Range, Write};
use crate::parts::Part;
use crate::records::{decode, encode};
use crate::{
    ArchiveEnd, Counts, HostId, HostRecord, PartId, Reextracted, Store, StoreError, Totals, UrlRecord, keys,
};

/// Writes to a store that take effect all at once, or not at all.
///
/// Reading through a change sees what it has written so far.
#[derive(Debug)]
pub struct Change {
    pub(crate) store: Store,
    batch: Batch,
    /// What was read ahead.
    ahead: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// Parts whose records it changes.
    parts: BTreeSet<Part>,
    touched: BTreeMap<HostId, HostRecord>,
    queued: BTreeMap<HostId, i64>,
}

impl Change {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            batch: Batch::default(),
            ahead: BTreeMap::new(),
            parts: BTreeSet::new(),
            touched: BTreeMap::new(),
            queued: BTreeMap::new(),
        }
    }

    pub(crate) fn into_batch(self) -> (Batch, BTreeSet<Part>) {
        (self.batch, self.parts)
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

    pub(crate) fn drop_page(&mut self, url: UrlKey) {
        self.remove(keys::page(url));
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
        if unread.len() > 1 && self.store.parts.is_cut() {
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
            .scan(Range::of(prefix))
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

    pub(crate) fn put<T: Serialize>(&mut self, key: Vec<u8>, record: &T) {
        self.put_bytes(key, encode(record));
    }

    /// A key that says all by being there.
    pub(crate) fn mark(&mut self, key: Vec<u8>) {
        self.put_bytes(key, Vec::new());
    }

    pub(crate) fn put_bytes(&mut self, key: Vec<u8>, bytes: Vec<u8>) {
        self.batch.write(key, Write::Put(bytes));
    }

    /// Writes what only one may have, if nothing stood there when it was read.
    pub(crate) fn claim<T: Serialize>(&mut self, key: Vec<u8>, record: &T) -> Result<(), StoreError> {
        let write = match self.get_bytes(&key)? {
            Some(_) => Write::Put(encode(record)),
            None => Write::Claim(encode(record)),
        };
        self.batch.write(key, write);
        Ok(())
    }

    /// The part of a URL; `None`: the URL is not known.
    pub(crate) fn part_of_url(&self, url: UrlKey) -> Result<Option<Part>, StoreError> {
        if !self.store.parts.is_cut() {
            return Ok(Some(Part::WHOLE));
        }
        Ok(self.url(url)?.map(|record| self.store.parts.of_host(record.host)))
    }

    /// Writes the record of a URL.
    pub(crate) fn put_url(&mut self, key: UrlKey, record: &UrlRecord) {
        self.change_part(self.store.parts.of_host(record.host));
        self.put(keys::url(key), record);
    }

    /// A record of the part is changed.
    pub(crate) fn change_part(&mut self, part: Part) {
        self.parts.insert(part);
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.batch.write(key, Write::Remove);
    }

    /// The record of a host, made where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn host(&mut self, name: &str, domain: &str) -> Result<HostRecord, StoreError> {
        let part = self.store.parts.of_domain(domain);
        if let Some(host) = self.get("a host", &keys::host(part, name))? {
            return Ok(host);
        }
        let key = keys::meta_of(part, "hosts");
        let hosts: u32 = self.get("the number of hosts", &key)?.unwrap_or(0);
        self.put(key, &(hosts + 1));
        let host = HostRecord {
            id: HostId(part.number(hosts).ok_or(StoreError::Crowded { what: "hosts" })?),
            name: name.into(),
            domain: domain.into(),
            sequence: 0,
            queued: 0,
            gathered: 0,
            template: 0,
            held_until: None,
            outdated: false,
            paused: false,
            called: 0,
            called_rightly: 0,
        };
        self.put_host(&host);
        Ok(host)
    }

    /// Writes a host's record.
    pub fn put_host(&mut self, host: &HostRecord) {
        let part = self.store.parts.of_host(host.id);
        self.change_part(part);
        self.put(keys::host(part, &host.name), host);
    }

    /// Writes what is known of a host's robots.txt.
    pub fn put_robots<T: Serialize>(&mut self, host: &str, robots: &T) {
        self.put(keys::robots(host), robots);
    }

    /// Writes a host's template as JSON; the host's record follows by the caller.
    pub fn put_template(&mut self, host: &str, version: u32, json: &str) {
        self.put_bytes(keys::template(host, version), json.as_bytes().to_vec());
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
        self.put(keys::health(host), health);
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
        self.change_part(self.store.parts.of_name(host));
        let key = keys::counts(run, host);
        let mut counts: Counts = self.get("a host's counts", &key)?.unwrap_or_default();
        change(&mut counts);
        self.put(key, &counts);
        Ok(())
    }

    pub(crate) fn total(&mut self, part: Part, change: impl FnOnce(&mut Totals)) -> Result<(), StoreError> {
        self.change_part(part);
        let key = keys::meta_of(part, "totals");
        let mut totals: Totals = self.get("the totals", &key)?.unwrap_or_default();
        change(&mut totals);
        self.put(key, &totals);
        Ok(())
    }

    /// Writes up to where the archive is on disk.
    pub fn put_archive_end(&mut self, end: &ArchiveEnd) {
        self.put(keys::meta("archive"), end);
    }

    /// Writes up to where a file was replayed for a purpose in a part, in bytes.
    pub fn put_replayed(&mut self, purpose: &str, file: &str, PartId(part): PartId, offset: u64) {
        self.change_part(part);
        self.put(keys::replayed(purpose, part, file), &offset);
    }

    /// Writes up to where the archive was extracted again in a part.
    pub fn put_reextracted(&mut self, PartId(part): PartId, done: &Reextracted) {
        self.change_part(part);
        self.put(keys::meta_of(part, "reextracted"), done);
    }

    /// Notes that the store is being made anew, or is complete again.
    pub fn put_rebuilding(&mut self, is_rebuilding: bool) {
        self.put(keys::meta("rebuilding"), &is_rebuilding);
    }
}
