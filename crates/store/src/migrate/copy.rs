//! Converts the records of the source to records of the target.

use std::collections::BTreeMap;

use gleaner_corpus::{DocumentId, words};
use gleaner_frontier::{Outcome, UrlKey};

use super::load::Loader;
use super::numbers::NumberMap;
use super::{MigrateError, Migration, MovedRecords};
use crate::clusters::{ClusterMembership, ClusterRecord, SignatureRecord, url_of};
use crate::packed::unpack;
use crate::partitions::{Partition, Partitions};
use crate::records::{decode, document_id, encode};
use crate::{ArchivePosition, HostId, HostRecord, Store, StoreError, Totals, UrlRecord, UrlState, keys};

const SAME: [u8; 9] = [
    keys::ROBOTS,
    keys::HEALTH,
    keys::TEMPLATE,
    keys::COUNTS,
    keys::RUN,
    keys::ALIAS,
    keys::CONTENT,
    keys::HISTORY,
    keys::PAGE,
];

const META: [&str; 3] = ["run", "clock", "seeds"];

impl Migration<'_> {
    /// Copies all records. `place` maps a position in the source's archive to a position in the target's
    /// archive. `report` receives the counts after every 100,000 records and at the end.
    ///
    /// # Errors
    /// A store cannot be read or written, the source is damaged, or a partition has no number left.
    pub fn copy(
        &mut self,
        place: &dyn Fn(ArchivePosition) -> ArchivePosition,
        report: &mut dyn FnMut(&MovedRecords),
    ) -> Result<MovedRecords, MigrateError> {
        let target = self.to.store().partitions;
        let mut copy = Copier {
            hosts: NumberMap::new(
                "a host",
                self.from.partitions.clone(),
                limits(&self.from, "hosts", |n: u32| n)?,
            ),
            numbers: NumberMap::new(
                "a document's number",
                self.from.partitions.clone(),
                limits(&self.from, "totals", |totals: Totals| totals.numbers)?,
            ),
            from: self.from.clone(),
            load: Loader::new(self.to),
            target,
            totals: BTreeMap::new(),
            moved: MovedRecords::default(),
            report,
        };
        // Hosts, URLs and documents come first, because other records are stored in their rows.
        copy.hosts()?;
        copy.urls(place)?;
        copy.documents()?;
        for space in SAME {
            copy.same(space)?;
        }
        copy.replayed()?;
        copy.clusters()?;
        Ok(copy.end()?)
    }
}

/// Returns, for each partition of a store, the number in its record `name`, or 0 if there is no such record.
fn limits<T: serde::de::DeserializeOwned>(
    store: &Store,
    name: &str,
    limit: impl Fn(T) -> u32,
) -> Result<Vec<u32>, StoreError> {
    let keys: Vec<Vec<u8>> =
        store.partitions.all().into_iter().map(|partition| keys::meta_of(partition, name)).collect();
    let records = store.engine.get_all(&keys)?.into_iter();
    records.map(|bytes| bytes.map_or(Ok(0), |bytes| decode("the totals", &bytes).map(&limit))).collect()
}

struct Copier<'a> {
    from: Store,
    load: Loader<'a>,
    target: Partitions,
    hosts: NumberMap,
    numbers: NumberMap,
    totals: BTreeMap<Partition, Totals>,
    moved: MovedRecords,
    report: &'a mut dyn FnMut(&MovedRecords),
}

impl Copier<'_> {
    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), StoreError> {
        self.load.put(key, value)?;
        self.moved.records = self.load.records;
        if self.moved.records.is_multiple_of(100_000) {
            (self.report)(&self.moved);
        }
        Ok(())
    }

    fn total(&mut self, partition: Partition) -> &mut Totals {
        self.totals.entry(partition).or_default()
    }

    fn hosts(&mut self) -> Result<(), StoreError> {
        for host in self.from.hosts() {
            let host = host?;
            self.hosts.note(host.id.0, self.target.of_name(&host.name))?;
        }
        let given = self.hosts.assign(&self.target)?;
        for (partition, count) in self.target.all().into_iter().zip(given).filter(|(_, count)| *count > 0) {
            self.put(keys::meta_of(partition, "hosts"), encode(&count))?;
        }
        for host in self.from.hosts() {
            let host = host?;
            let id = HostId(self.hosts.get(host.id.0)?);
            let key = keys::host(self.target.of_host(id), &host.name);
            self.put(key, encode(&HostRecord { id, ..host }))?;
            self.moved.hosts += 1;
        }
        Ok(())
    }

    fn same(&mut self, space: u8) -> Result<(), StoreError> {
        for pair in self.from.scan([space]) {
            let (key, value) = pair?;
            self.put(key, value)?;
            self.moved.pages += u64::from(space == keys::PAGE);
        }
        Ok(())
    }

    /// Copies the replay positions of the files that have a position in every partition of the source. Each
    /// partition of the target gets the smallest position of a file.
    fn replayed(&mut self) -> Result<(), StoreError> {
        let is_cut = self.from.partitions.is_cut();
        let mut files: BTreeMap<(String, String), (usize, u64)> = BTreeMap::new();
        for pair in self.from.scan([keys::REPLAYED]) {
            let (key, value) = pair?;
            let Some((purpose, file)) = keys::purpose_and_file(&key, is_cut) else { continue };
            let mark = decode("the state of a replay", &value)?;
            let (partitions, least) = files.entry((purpose.into(), file.into())).or_insert((0, mark));
            (*partitions, *least) = (*partitions + 1, mark.min(*least));
        }
        let everywhere = self.from.partitions.all().len();
        for ((purpose, file), (_, least)) in
            files.into_iter().filter(|(_, (partitions, _))| *partitions == everywhere)
        {
            for partition in self.target.all() {
                self.put(keys::replayed(&purpose, partition, &file), encode(&least))?;
            }
        }
        Ok(())
    }

    fn urls(&mut self, place: &dyn Fn(ArchivePosition) -> ArchivePosition) -> Result<(), StoreError> {
        for pair in self.from.scan([keys::URL]) {
            let (key, value) = pair?;
            let Some(url) = keys::last_url(&key) else { continue };
            let record: UrlRecord = decode("a URL", &value)?;
            let host = HostId(self.hosts.get(record.host.0)?);
            let partition = self.target.of_host(host);
            if let Some(list) = list_of(url, host, partition, record.state) {
                self.put(list, Vec::new())?;
            }
            self.total(partition).duplicates += u64::from(record.duplicate_of.is_some());
            let archived = record.archived.map(place);
            let last = self.outcome(url, record.last, partition)?;
            self.put(key, encode(&UrlRecord { host, archived, last, ..record }))?;
            self.moved.urls += 1;
        }
        Ok(())
    }

    /// Converts an outcome. A near-duplicate of a document in another partition becomes a document without a
    /// cluster.
    fn outcome(
        &self,
        url: UrlKey,
        last: Option<Outcome>,
        partition: Partition,
    ) -> Result<Option<Outcome>, StoreError> {
        let Some(Outcome::NearDuplicate { .. }) = last else { return Ok(last) };
        let is_elsewhere = match self.from.cluster_of(document_id(url))? {
            Some(cluster) => self.partition_of_document(cluster.representative)? != partition,
            None => false,
        };
        Ok(if is_elsewhere { Some(Outcome::Stored) } else { last })
    }

    fn documents(&mut self) -> Result<(), StoreError> {
        for pair in self.from.scan([keys::DOCUMENT]) {
            let (key, value) = pair?;
            let document = unpack(&value)?;
            let partition = self.partition_of_document(document.id)?;
            let (documents, count) = self.total(partition).languages.entry(document.language).or_default();
            *documents += 1;
            *count += words(&document.text);
            self.put(key, value)?;
            self.moved.documents += 1;
        }
        Ok(())
    }

    fn partition_of_document(&self, id: DocumentId) -> Result<Partition, StoreError> {
        if !self.target.is_cut() {
            return Ok(Partition::WHOLE);
        }
        let unknown =
            || StoreError::Damaged { what: "a document", reason: format!("no URL is known of {id}") };
        let record = self.from.url(url_of(id))?.ok_or_else(unknown)?;
        Ok(self.target.of_host(HostId(self.hosts.get(record.host.0)?)))
    }

    /// Returns the target's partition for a document that has this number in the source. If both stores are
    /// partitioned, the number contains the partition, so no look-up is needed.
    fn partition_of_number(&self, number: u32, id: DocumentId) -> Result<Partition, StoreError> {
        match self.from.partitions.is_cut() && self.target.is_cut() {
            true => Ok(self.from.partitions.of_number(number)),
            false => self.partition_of_document(id),
        }
    }

    fn clusters(&mut self) -> Result<(), StoreError> {
        self.number()?;
        for pair in self.from.scan([keys::MEMBERSHIP]) {
            let (key, value) = pair?;
            let cluster_membership: ClusterMembership = decode("a document's cluster membership", &value)?;
            let cluster_membership = self.renumbered(cluster_membership)?;
            self.put(key, encode(&cluster_membership))?;
        }
        for pair in self.from.scan([keys::SIGNED]) {
            let (key, value) = pair?;
            let Some((number, _)) = keys::numbers(&key) else { continue };
            let signed: SignatureRecord = decode("a signature", &value)?;
            let ClusterMembership { number, cluster } =
                self.renumbered(ClusterMembership { number, cluster: signed.cluster })?;
            self.put(keys::signed(number), encode(&SignatureRecord { cluster, ..signed }))?;
        }
        let mut record: Option<(u32, ClusterRecord)> = None;
        for pair in self.from.scan([keys::CLUSTER]) {
            let (key, value) = pair?;
            match keys::numbers(&key) {
                None => {}
                // The members of a cluster come directly after its record.
                Some((number, None)) => {
                    let ClusterRecord { representative, .. } = decode("a cluster", &value)?;
                    let ClusterMembership { number: representative, cluster } =
                        self.renumbered(ClusterMembership { number: representative, cluster: number })?;
                    self.cluster(record.replace((cluster, ClusterRecord { representative, members: 0 })))?;
                }
                Some((_, Some(number))) => {
                    let is_member = self.member(number, &value)?;
                    if let Some((_, record)) = &mut record {
                        record.members += u32::from(is_member);
                    }
                }
            }
        }
        self.cluster(record)
    }

    /// Writes a member of a cluster. If the member and the cluster are in different partitions, writes a
    /// document without a cluster and returns `false`.
    fn member(&mut self, number: u32, value: &[u8]) -> Result<bool, StoreError> {
        let signed: SignatureRecord = decode("a member of a cluster", value)?;
        let new = self.renumbered(ClusterMembership { number, cluster: signed.cluster })?;
        let is_member = new.cluster == self.numbers.get(signed.cluster)?;
        let key = if is_member { keys::member(new.cluster, new.number) } else { keys::signed(new.number) };
        self.put(key, encode(&SignatureRecord { cluster: new.cluster, ..signed }))?;
        Ok(is_member)
    }

    fn number(&mut self) -> Result<(), StoreError> {
        for pair in self.from.scan([keys::SIGNED]) {
            let (key, value) = pair?;
            let Some((number, _)) = keys::numbers(&key) else { continue };
            let signed: SignatureRecord = decode("a signature", &value)?;
            let partition = self.partition_of_number(number, signed.id)?;
            self.numbers.note(number, partition)?;
            self.numbers.note(signed.cluster, partition)?;
        }
        for pair in self.from.scan([keys::CLUSTER]) {
            let (key, value) = pair?;
            let Some((_, Some(number))) = keys::numbers(&key) else { continue };
            let signed: SignatureRecord = decode("a member of a cluster", &value)?;
            self.numbers.note(number, self.partition_of_number(number, signed.id)?)?;
        }
        let given = self.numbers.assign(&self.target)?;
        for (partition, count) in self.target.all().into_iter().zip(given).filter(|(_, count)| *count > 0) {
            self.total(partition).numbers = count;
        }
        Ok(())
    }

    /// Returns the new numbers of a document and its cluster. If the cluster is in another partition of the
    /// target, the document gets a new cluster with the document's own number. No other cluster has this
    /// number, because documents and clusters get their numbers from one sequence.
    fn renumbered(&self, old: ClusterMembership) -> Result<ClusterMembership, StoreError> {
        let (number, cluster) = (self.numbers.get(old.number)?, self.numbers.get(old.cluster)?);
        let is_here = self.target.of_number(number) == self.target.of_number(cluster);
        Ok(ClusterMembership { number, cluster: if is_here { cluster } else { number } })
    }

    fn cluster(&mut self, record: Option<(u32, ClusterRecord)>) -> Result<(), StoreError> {
        let Some((cluster, record)) = record.filter(|(_, record)| record.members > 0) else { return Ok(()) };
        let totals = self.total(self.target.of_number(cluster));
        totals.clusters += 1;
        totals.near_duplicates += u64::from(record.members);
        self.put(keys::cluster(cluster), encode(&record))
    }

    fn end(mut self) -> Result<MovedRecords, StoreError> {
        for name in META {
            if let Some(value) = self.from.engine.get(&keys::meta(name))? {
                self.put(keys::meta(name), value)?;
            }
        }
        for prefix in keys::all_removals() {
            for pair in self.from.scan(prefix) {
                let (key, value) = pair?;
                self.put(key, value)?;
            }
        }
        for (partition, totals) in std::mem::take(&mut self.totals) {
            self.put(keys::meta_of(partition, "totals"), encode(&totals))?;
        }
        self.load.write_batch()?;
        (self.report)(&self.moved);
        Ok(self.moved)
    }
}

fn list_of(url: UrlKey, host: HostId, partition: Partition, state: UrlState) -> Option<Vec<u8>> {
    match state {
        UrlState::Ready { rank, sequence } => Some(keys::ready(host, rank, sequence, url)),
        UrlState::Waiting { wait, due, .. } => Some(keys::waiting(partition, wait, due, url)),
        UrlState::Buffered { sequence } => Some(keys::buffered(host, sequence, url)),
        UrlState::Done | UrlState::Kept => None,
    }
}
