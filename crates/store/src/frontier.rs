//! Maintains the frontier: which URLs are known, ready and waiting.
//!
//! A host's ready URLs are requested by ascending rank, then newest first ([`QueuePosition`]).
//!
//! A URL has one record and is in at most one of three lists: ready, waiting, buffered. When the crawl
//! chooses a URL for a request, it writes nothing to the store. The URL stays in the list of ready URLs until
//! its visit ends. Therefore a crash does not lose the URL.

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, RevisitSchedule, UrlKey};
use jiff::Timestamp;

use crate::messages::Message;
use crate::{Change, HostId, HostRecord, StoreError, UrlRecord, UrlState, WaitReason, keys};

/// The position of a URL among its host's ready URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueuePosition {
    /// Smaller ranks are requested earlier.
    pub rank: u8,
    /// When the content was published or last changed. If this is unknown, usually the start of the run that
    /// found the URL. Within a rank, newer URLs are requested first, and URLs without a date last.
    pub fresh: Option<Timestamp>,
}

/// Number of low bits of a sequence number that contain the order of discovery. The higher bits contain the
/// age of the URL.
const ORDER: u32 = 28;

impl QueuePosition {
    /// Returns the sequence number within a rank. Newer URLs come first, and equally old URLs in order of
    /// discovery. One number contains age and order, because the key has room for only one.
    fn sequence_number(self, sequence: u64) -> u64 {
        const AGES: u64 = (1 << (64 - ORDER)) - 1;
        let fresh = self.fresh.and_then(|at| u64::try_from(at.as_second()).ok()).unwrap_or(0);
        (AGES - fresh.min(AGES)) << ORDER | sequence & ((1 << ORDER) - 1)
    }
}

impl Change {
    /// Returns the record of a URL, including this change's writes. Returns `None` if the URL is unknown.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn url(&self, key: UrlKey) -> Result<Option<UrlRecord>, StoreError> {
        self.get("a URL", &keys::url(key))
    }

    /// Adds a URL to the frontier as ready. Returns `false` and changes nothing if the URL is already known.
    /// `depth` and `hops` are stored in the URL's record. `position` is its position among the ready URLs.
    /// URLs with the same rank and date are requested in order of discovery. If the URL is in another
    /// worker's partition, sends it to that worker and returns `true`. This message is sent only if this
    /// process still owns the partition of the host `by` at the flush or, for `None`, all of its partitions.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn discover(
        &mut self,
        by: Option<HostId>,
        found: &FoundUrl,
        depth: u32,
        hops: u32,
        position: QueuePosition,
    ) -> Result<bool, StoreError> {
        let key = found.url.key();
        if self.url(key)?.is_some() {
            return Ok(false);
        }
        let partition = self.store.partitions.of_url(&found.url);
        if !self.store.partitions.holds(partition) {
            let message = Message::found(found, depth, hops, position);
            match by {
                Some(by) => self.send(self.store.partitions.of_host(by), partition, &message),
                None => self.send_from_all(partition, &message),
            }
            return Ok(true);
        }
        let mut host = self.host(found.url.host(), found.url.domain())?;
        let record = UrlRecord {
            url: found.url.as_str().into(),
            host: host.id,
            role: found.role,
            depth,
            hops,
            tries: 0,
            state: UrlState::Done,
            dated: found.dated,
            etag: None,
            last_modified: None,
            last: None,
            duplicate_of: None,
            archived: None,
            revisits: RevisitSchedule::default(),
            failure: None,
        };
        self.enter(key, record, &mut host, position);
        self.put_host(&host);
        Ok(true)
    }

    /// Adds a seed to the frontier. A URL that is already known, for example from a link on another site,
    /// gets the seed's role and depth 0, and becomes ready unless a visit is already planned. Ignores seeds
    /// in partitions of other processes.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn seed(&mut self, found: &FoundUrl, position: QueuePosition) -> Result<(), StoreError> {
        if !self.store.partitions.holds(self.store.partitions.of_url(&found.url)) {
            return Ok(());
        }
        if self.discover(None, found, 0, 0, position)? {
            return Ok(());
        }
        let key = found.url.key();
        let Some(mut record) = self.url(key)? else { return Ok(()) };
        let ended = matches!(record.state, UrlState::Done | UrlState::Kept);
        if record.role == found.role && !ended {
            return Ok(());
        }
        (record.role, record.depth, record.hops) = (found.role, 0, 0);
        if ended {
            let mut host = self.host(found.url.host(), found.url.domain())?;
            self.leave(key, &mut record, &mut host);
            self.enter(key, record, &mut host, position);
            self.put_host(&host);
        } else {
            self.put_url(key, &record);
        }
        Ok(())
    }

    fn enter(&mut self, key: UrlKey, mut record: UrlRecord, host: &mut HostRecord, position: QueuePosition) {
        let (rank, sequence) = (position.rank, position.sequence_number(host.sequence));
        host.sequence += 1;
        host.queued += 1;
        record.state = UrlState::Ready { rank, sequence };
        self.put_bytes(keys::ready(host.id, rank, sequence, key), Vec::new());
        self.put_url(key, &record);
        self.touched.entry(host.id).or_insert_with(|| host.clone());
        self.queue_ready(host.id, 1);
    }

    fn leave(&mut self, key: UrlKey, record: &mut UrlRecord, host: &mut HostRecord) {
        let of = self.store.partitions.of_host(record.host);
        match record.state {
            UrlState::Ready { rank, sequence } => {
                self.remove(keys::ready(record.host, rank, sequence, key));
                host.queued = host.queued.saturating_sub(1);
                self.queue_ready(host.id, -1);
            }
            UrlState::Waiting { wait, due, .. } => {
                self.remove(keys::waiting(of, wait, due, key));
                host.queued = host.queued.saturating_sub(1);
                self.queue(host.id, -1);
            }
            UrlState::Buffered { sequence } => {
                self.remove(keys::buffered(record.host, sequence, key));
                self.remove(keys::page(key));
                host.buffered = host.buffered.saturating_sub(1);
            }
            UrlState::Kept => self.remove(keys::page(key)),
            UrlState::Done => {}
        }
        record.state = UrlState::Done;
    }

    fn wait(
        &mut self,
        key: UrlKey,
        record: &mut UrlRecord,
        host: &mut HostRecord,
        wait: WaitReason,
        (due, rank): (Timestamp, u8),
    ) {
        // Due times are rounded up, so that no URL is due early.
        let second = due.as_second() + i64::from(due.subsec_nanosecond() > 0);
        let due = u64::try_from(second).unwrap_or(0);
        record.state = UrlState::Waiting { wait, due, rank };
        host.queued += 1;
        self.queue(host.id, 1);
        let of = self.store.partitions.of_host(record.host);
        self.put_bytes(keys::waiting(of, wait, due, key), Vec::new());
    }

    /// Ends the visit of a URL. `again` is the time and the rank of the next visit. `None` means that no visit
    /// is planned.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn end(
        &mut self,
        key: UrlKey,
        mut record: UrlRecord,
        outcome: Outcome,
        again: Option<(Timestamp, u8)>,
    ) -> Result<(), StoreError> {
        let mut host = self.host_of(&record)?;
        self.leave(key, &mut record, &mut host);
        (record.tries, record.failure) = (0, None);
        record.last = Some(outcome);
        if let Some(again) = again {
            self.wait(key, &mut record, &mut host, WaitReason::Revisit, again);
        }
        self.put_url(key, &record);
        self.put_host(&host);
        Ok(())
    }

    /// Records a failed attempt. The URL waits until `due`. The caller must also update the record's `tries` and
    /// `failure`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn retry(&mut self, key: UrlKey, mut record: UrlRecord, due: Timestamp) -> Result<(), StoreError> {
        let mut host = self.host_of(&record)?;
        let rank = match record.state {
            UrlState::Ready { rank, .. } | UrlState::Waiting { rank, .. } => rank,
            UrlState::Buffered { .. } | UrlState::Done | UrlState::Kept => 0,
        };
        self.leave(key, &mut record, &mut host);
        self.wait(key, &mut record, &mut host, WaitReason::Retry, (due, rank));
        self.put_url(key, &record);
        self.put_host(&host);
        Ok(())
    }

    /// Replaces a URL by `to` after a redirect that changed only its scheme. Adds one to the number of
    /// redirects. The URL becomes ready again with rank 0.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn rename(
        &mut self,
        key: UrlKey,
        mut record: UrlRecord,
        to: &CanonicalUrl,
    ) -> Result<(), StoreError> {
        let mut host = self.host_of(&record)?;
        self.leave(key, &mut record, &mut host);
        record.url = to.as_str().into();
        record.hops += 1;
        self.enter(key, record, &mut host, QueuePosition::default());
        self.put_host(&host);
        Ok(())
    }

    /// Marks an article as buffered for training. Returns the host's number of buffered pages. If the URL's
    /// state is [`UrlState::Kept`], its raw page is not removed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn buffer(&mut self, key: UrlKey, mut record: UrlRecord) -> Result<u32, StoreError> {
        let mut host = self.host_of(&record)?;
        if record.state == UrlState::Kept {
            record.state = UrlState::Done;
        }
        self.leave(key, &mut record, &mut host);
        let sequence = host.sequence;
        host.sequence += 1;
        host.buffered += 1;
        (record.tries, record.failure) = (0, None);
        record.state = UrlState::Buffered { sequence };
        self.put_bytes(keys::buffered(host.id, sequence, key), Vec::new());
        self.put_url(key, &record);
        self.put_host(&host);
        Ok(host.buffered)
    }

    /// Marks the raw page of a URL as kept if the URL's state is [`UrlState::Done`], and returns `true`. Returns
    /// `false` in other states. Then the raw page must not be stored, because nothing would remove it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn keep(&mut self, key: UrlKey) -> Result<bool, StoreError> {
        let done = self.url(key)?.filter(|record| record.state == UrlState::Done);
        let is_done = done.is_some();
        if let Some(record) = done {
            self.put_url(key, &UrlRecord { state: UrlState::Kept, ..record });
        }
        Ok(is_done)
    }

    /// Removes the raw page of a URL if the URL's state is [`UrlState::Kept`]. Does nothing in other states.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn release_page(&mut self, key: UrlKey) -> Result<(), StoreError> {
        if let Some(record) = self.url(key)?.filter(|record| record.state == UrlState::Kept) {
            self.remove(keys::page(key));
            self.put_url(key, &UrlRecord { state: UrlState::Done, ..record });
        }
        Ok(())
    }

    /// Records the outcome of a URL without changing its state.
    pub fn note(&mut self, key: UrlKey, record: &UrlRecord, outcome: Outcome) {
        self.put_url(key, &UrlRecord { last: Some(outcome), ..record.clone() });
    }

    /// Makes at most `limit` URLs ready that wait because of `wait` and are due by `until`. Returns the
    /// number of URLs that were due, at most `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn promote(&mut self, wait: WaitReason, until: Timestamp, limit: usize) -> Result<usize, StoreError> {
        let until = u64::try_from(until.as_second()).unwrap_or(0);
        let due = self.store.due(wait, until, limit)?;
        for key in &due {
            let Some(mut record) = self.url(*key)? else { continue };
            let UrlState::Waiting { rank, .. } = record.state else { continue };
            let mut host = self.host_of(&record)?;
            self.leave(*key, &mut record, &mut host);
            record.hops = 0;
            let position = QueuePosition { rank, fresh: record.dated };
            self.enter(*key, record, &mut host, position);
            self.put_host(&host);
        }
        Ok(due.len())
    }

    /// Makes a known URL ready and resets its number of redirects. Does not check the state of the URL. Use it
    /// for URLs that are done or wait for their next visit.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn revive(
        &mut self,
        key: UrlKey,
        mut record: UrlRecord,
        position: QueuePosition,
    ) -> Result<(), StoreError> {
        let mut host = self.host_of(&record)?;
        self.leave(key, &mut record, &mut host);
        record.hops = 0;
        self.enter(key, record, &mut host, position);
        self.put_host(&host);
        Ok(())
    }

    /// Removes the record of a URL, and its raw page. Does nothing if the URL is unknown.
    pub(crate) fn forget_url(&mut self, key: UrlKey) -> Result<(), StoreError> {
        let Some(mut record) = self.url(key)? else { return Ok(()) };
        let mut host = self.host_of(&record)?;
        self.leave(key, &mut record, &mut host);
        self.put_host(&host);
        self.remove(keys::url(key));
        Ok(())
    }

    fn host_of(&mut self, record: &UrlRecord) -> Result<HostRecord, StoreError> {
        let url = record.canonical_url()?;
        // The host stays in the partition that stores it, even if the current Public Suffix List implies
        // another partition.
        self.host_in(self.store.partitions.of_host(record.host), url.host(), url.domain())
    }
}
