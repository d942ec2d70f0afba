//! A change: writes that are read back at once and become one batch.

use std::collections::BTreeMap;

use gleaner_frontier::UrlKey;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::records::{decode, encode};
use crate::{ArchiveEnd, Counts, HostId, HostRecord, Run, Store, StoreError, Totals, keys};

/// Writes to a store that take effect all at once, or not at all.
///
/// Reading through a change sees what it has written so far.
#[derive(Debug)]
pub struct Change {
    pub(crate) store: Store,
    writes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    dropped_pages: Vec<UrlKey>,
    touched: BTreeMap<HostId, HostRecord>,
    queued: i64,
}

impl Change {
    pub(crate) const fn new(store: Store) -> Self {
        Self {
            store,
            writes: BTreeMap::new(),
            dropped_pages: Vec::new(),
            touched: BTreeMap::new(),
            queued: 0,
        }
    }

    pub(crate) fn into_batch(self) -> (sled::Batch, Vec<UrlKey>) {
        let mut batch = sled::Batch::default();
        for (key, value) in self.writes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        (batch, self.dropped_pages)
    }

    /// Hosts that have got a URL to ask by this change.
    #[must_use]
    pub const fn touched(&self) -> &BTreeMap<HostId, HostRecord> {
        &self.touched
    }

    /// By how many the frontier's ready and waiting URLs grow.
    #[must_use]
    pub const fn queued(&self) -> i64 {
        self.queued
    }

    pub(crate) fn touch(&mut self, host: &HostRecord) {
        self.touched.entry(host.id).or_insert_with(|| host.clone());
    }

    pub(crate) const fn queue(&mut self, by: i64) {
        self.queued += by;
    }

    pub(crate) fn drop_page(&mut self, url: UrlKey) {
        self.dropped_pages.push(url);
    }

    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        what: &'static str,
        key: &[u8],
    ) -> Result<Option<T>, StoreError> {
        match self.writes.get(key) {
            Some(Some(bytes)) => decode(what, bytes).map(Some),
            Some(None) => Ok(None),
            None => self.store.get(what, key),
        }
    }

    pub(crate) fn get_bytes(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.writes.get(key) {
            Some(value) => Ok(value.clone()),
            None => Ok(self
                .store
                .records
                .get(key)
                .map_err(StoreError::sled("reading"))?
                .map(|bytes| bytes.to_vec())),
        }
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
    ) -> impl Iterator<Item = Result<(Vec<u8>, Vec<u8>), StoreError>> + 'a {
        let kept = self.store.records.scan_prefix(prefix).filter_map(|pair| match pair {
            Ok((key, _)) if self.writes.contains_key(&*key) => None,
            Ok((key, value)) => Some(Ok((key.to_vec(), value.to_vec()))),
            Err(error) => Some(Err(StoreError::sled("reading")(error))),
        });
        let written = self.writes.range(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix));
        let written = written.filter_map(|(key, value)| Some((key.clone(), value.clone()?)));
        let (mut kept, mut written) = (kept.peekable(), written.peekable());
        std::iter::from_fn(move || match (kept.peek(), written.peek()) {
            (Some(Ok((one, _))), Some((other, _))) if other < one => written.next().map(Ok),
            (Some(_), _) => kept.next(),
            (None, _) => written.next().map(Ok),
        })
    }

    pub(crate) fn put<T: Serialize>(&mut self, key: Vec<u8>, record: &T) {
        self.writes.insert(key, Some(encode(record)));
    }

    /// A key that says all by being there.
    pub(crate) fn mark(&mut self, key: Vec<u8>) {
        self.writes.insert(key, Some(Vec::new()));
    }

    pub(crate) fn put_bytes(&mut self, key: Vec<u8>, bytes: Vec<u8>) {
        self.writes.insert(key, Some(bytes));
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.writes.insert(key, None);
    }

    /// The record of a host, made where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn host(&mut self, name: &str, domain: &str) -> Result<HostRecord, StoreError> {
        if let Some(host) = self.get("a host", &keys::host(name))? {
            return Ok(host);
        }
        let key = keys::meta("hosts");
        let hosts: u32 = self.get("the number of hosts", &key)?.unwrap_or(0);
        self.put(key, &(hosts + 1));
        let host = HostRecord {
            id: HostId(hosts),
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
        self.put(keys::host(&host.name), host);
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
        let key = keys::counts(run, host);
        let mut counts: Counts = self.get("a host's counts", &key)?.unwrap_or_default();
        change(&mut counts);
        self.put(key, &counts);
        Ok(())
    }

    pub(crate) fn total(&mut self, change: impl FnOnce(&mut Totals)) -> Result<(), StoreError> {
        let key = keys::meta("totals");
        let mut totals: Totals = self.get("the totals", &key)?.unwrap_or_default();
        change(&mut totals);
        self.put(key, &totals);
        Ok(())
    }

    /// Begins a run, or goes on with the last one where that did not end. `replayed`: it
    /// reads an archive, and is none of the nights that are compared.
    /// Gives the run and whether it is an old one that goes on.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn begin_run(&mut self, now: Timestamp, replayed: bool) -> Result<(Run, bool), StoreError> {
        let last: Option<Run> = self.get("the last run", &keys::meta("run"))?;
        if let Some(run) = last.clone().filter(|run| run.ended.is_none()) {
            return Ok((run, true));
        }
        let run = Run { number: last.map_or(1, |run| run.number + 1), started: now, ended: None, replayed };
        self.put_run(&run);
        Ok((run, false))
    }

    /// Writes up to where the archive is on disk.
    pub fn put_archive_end(&mut self, end: &ArchiveEnd) {
        self.put(keys::meta("archive"), end);
    }

    /// Writes up to where a file was replayed for a purpose, in bytes.
    pub fn put_replayed(&mut self, purpose: &str, file: &str, offset: u64) {
        self.put(keys::replayed(purpose, file), &offset);
    }

    /// Notes that the store is being made anew, or is complete again.
    pub fn put_rebuilding(&mut self, is_rebuilding: bool) {
        self.put(keys::meta("rebuilding"), &is_rebuilding);
    }

    /// Marks a run as ended by itself.
    pub fn end_run(&mut self, run: &Run, now: Timestamp) {
        self.put_run(&Run { ended: Some(now), ..run.clone() });
    }

    /// The last run, and one of many.
    fn put_run(&mut self, run: &Run) {
        self.put(keys::meta("run"), run);
        self.put(keys::run(run.number), run);
    }
}
