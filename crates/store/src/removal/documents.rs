//! Removes documents and URLs from the store.

use std::collections::BTreeSet;

use gleaner_frontier::{CanonicalUrl, RemovedUrls, UrlKey};
use jiff::Timestamp;

use super::{Removal, RemovalStep, RemovalTarget};
use crate::read::text;
use crate::records::{decode, document_id};
use crate::{Change, HostId, HostRecord, Store, StoreError, UrlRecord, Writer, keys};

/// Number of URLs for each change.
const PART: usize = 500;

/// Number of messages between partitions for each change.
const MESSAGES: usize = 1_000;

impl Store {
    /// Returns what one removal removes.
    fn urls_of_removal(&self, removal: &Removal) -> Result<RemovedUrls, StoreError> {
        let mut removed = RemovedUrls::default();
        removal.target.hosts().iter().for_each(|host| removed.add_host(host));
        for url in self.all_removed_urls() {
            let (url, of) = url?;
            if of.removal == removal.number {
                removed.add_url(url);
            }
        }
        Ok(removed)
    }

    fn hosts_of_removal(&self, removed: &RemovedUrls) -> Result<Vec<HostRecord>, StoreError> {
        let mut hosts = Vec::new();
        for host in self.hosts() {
            let host = host?;
            if removed.contains_host(&host.name) {
                hosts.push(host);
            }
        }
        Ok(hosts)
    }

    /// Returns the keys of the URLs that are still in the store.
    fn urls_to_erase(&self, removal: &Removal, hosts: &[HostRecord]) -> Result<Vec<UrlKey>, StoreError> {
        let mut urls = Vec::new();
        if !matches!(removal.target, RemovalTarget::Hosts(_)) {
            for url in self.all_removed_urls() {
                let (url, of) = url?;
                if of.removal == removal.number {
                    urls.push(url);
                }
            }
            return Ok(urls);
        }
        let hosts: BTreeSet<HostId> = hosts.iter().map(|host| host.id).collect();
        for pair in self.scan([keys::URL]) {
            let (key, value) = pair?;
            let record: UrlRecord = decode("a URL", &value)?;
            if hosts.contains(&record.host) {
                urls.extend(keys::last_url(&key));
            }
        }
        Ok(urls)
    }
}

impl Writer {
    /// Removes the documents and URLs of a removal from the store. This process must hold all partitions.
    ///
    /// # Errors
    /// The store cannot be read or written, or a text cannot be read, so that its hash is unknown.
    pub fn remove_documents(&mut self, removal: &mut Removal) -> Result<(), StoreError> {
        // Messages of earlier workers may concern the removed documents.
        self.receive_messages()?;
        let store = self.store();
        let removed = store.urls_of_removal(removal)?;
        let hosts = store.hosts_of_removal(&removed)?;
        for part in store.urls_to_erase(removal, &hosts)?.chunks(PART) {
            let mut change = self.begin();
            for url in part {
                change.erase(*url, &removed, self)?;
            }
            self.commit(change)?;
        }
        self.receive_messages()?;
        let mut change = self.begin();
        for host in hosts {
            change.reset_host(host)?;
        }
        self.commit(change)?;
        // An export that ran before this had the documents, so the next incremental export must name them.
        removal.at = Timestamp::now();
        self.set_removal_step(removal, RemovalStep::Archive)
    }

    /// Applies the messages between partitions. A store in a folder has none.
    fn receive_messages(&mut self) -> Result<(), StoreError> {
        loop {
            self.flush()?;
            let mut change = self.begin();
            let received = change.receive(MESSAGES, self)?.done;
            self.commit(change)?;
            if received == 0 {
                return Ok(());
            }
        }
    }
}

impl Change {
    /// Removes everything that the store knows of a URL. Aliases of its document that are not removed keep the text.
    fn erase(&mut self, url: UrlKey, removed: &RemovedUrls, writer: &mut Writer) -> Result<(), StoreError> {
        let id = document_id(url);
        // Without this, the partition of a removed document would get a message about its alias.
        let original = self.url(url)?.and_then(|record| record.duplicate_of);
        if let Some(original) = original.filter(|original| removed.contains_key(*original)) {
            self.remove(keys::alias(document_id(original), url));
            self.end_alias(url)?;
        }
        for key in self.keys(&keys::aliases_of(id))? {
            let Some(alias) = keys::last_url(&key) else { continue };
            let address = text(&self.get_bytes(&key)?.unwrap_or_default())?;
            let host =
                CanonicalUrl::from_record(&address).map(|url| url.host().to_owned()).unwrap_or_default();
            if removed.contains_key(alias) || removed.contains_host(&host) {
                self.remove(key);
                self.end_alias(alias)?;
            }
        }
        self.withdraw(url, writer)?;
        if self.get_bytes(&keys::document(id))?.is_some() {
            return Err(StoreError::Damaged {
                what: "a text",
                reason: format!(
                    "{id} cannot be read, so it is not removed; first run `gleaner verify --repair`"
                ),
            });
        }
        for key in self.keys(&keys::history(id))? {
            self.remove(key);
        }
        self.forget_url(url)
    }

    /// Removes what the store knows of a host's pages, except the counts of its visits.
    fn reset_host(&mut self, host: HostRecord) -> Result<(), StoreError> {
        for key in self.keys(&keys::templates_of(&host.name))? {
            self.remove(key);
        }
        self.remove(keys::health(&host.name));
        self.remove(keys::robots(&host.name));
        let sequence = host.sequence;
        self.put_host(&HostRecord { sequence, ..HostRecord::new(host.id, &host.name, &host.domain) });
        Ok(())
    }
}
