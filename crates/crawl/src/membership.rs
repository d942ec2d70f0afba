//! Handles the partitions of a crawl with several workers.
//!
//! | leases | action of the owner |
//! |---|---|
//! | a partition was gained | enqueues its seeds; its hosts wait a full gap |
//! | other workers should have more | stops requests in some partitions and releases them when nothing is in flight there |
//! | the leases may have ended | starts no requests, and ends those in flight |
//! | a gained partition was not released by its last worker | sends no requests there for `fetch.timeout`: sites may still be processing some |
//! | another worker holds one of ours | starts the crawl again, as after a crash ([`crate::pipeline::run`]) |
//!
//! A crawl without other workers keeps its single partition.

use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_frontier::{Found, Role, Seed};
use gleaner_store::{HostId, Leases, PartitionId, Received, StoreError, Turn, Writer};
use jiff::Timestamp;
use tracing::info;

use crate::error::CrawlError;
use crate::extraction::rank;
use crate::hosts::Host;
use crate::owner::Owner;

const MESSAGES: usize = 1_000;

pub(crate) fn enqueue_seeds(writer: &mut Writer, seeds: &[Seed], begun: Timestamp) -> Result<(), StoreError> {
    let mut change = writer.begin();
    for seed in seeds {
        let found = Found { url: seed.url.clone(), role: Role::Front, dated: None, news: false };
        change.seed(&found, Turn { rank: rank::LISTING, fresh: Some(begun) })?;
    }
    writer.commit(change)?;
    writer.flush()
}

impl Owner {
    pub(crate) fn follow_leases(&mut self) -> Result<(), CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(()) };
        self.take_found(&received.found)?;
        self.answer_wanted(received.wanted)?;
        if leases.has_gained() {
            // Reported before the partitions are taken, so that no worker considers us idle in between.
            self.mark_busy();
            let gained = leases.gained();
            info!(partitions = gained.len(), "partitions were assigned to this worker");
            enqueue_seeds(&mut self.writer, &self.seeds, self.run.started)?;
            let holds_end = Instant::now() + self.config.fetch.timeout.get();
            let left = gained.iter().filter(|gained| gained.was_left);
            self.partition_holds.extend(left.map(|gained| (gained.partition, holds_end)));
            self.load_hosts(gained.into_iter().map(|gained| gained.partition).collect())?;
        }
        if self.leaving.is_empty() {
            self.leaving = self.surplus(&leases).into_iter().collect();
        }
        self.leave()
    }

    /// Whether a replay must regroup once nothing is in flight: partitions were gained, or other workers
    /// should have some. Answers messages from other workers.
    pub(crate) fn is_regrouping(&mut self) -> Result<bool, CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(false) };
        // A replay requests nothing. The next crawl asks for these again.
        let mut change = self.writer.begin();
        received.wanted.iter().for_each(|wanted| change.drop_wanted(wanted));
        self.commit(change)?;
        Ok(leases.has_gained() || leases.excess() > 0)
    }

    pub(crate) fn give_way(&mut self) -> Result<(), CrawlError> {
        let Some(leases) = self.store.leases().cloned() else { return Ok(()) };
        let partitions = self.surplus(&leases);
        self.flush()?;
        self.writer.release(&partitions)?;
        info!(partitions = partitions.len(), "released partitions to other workers");
        Ok(())
    }

    /// Reports our state to the other workers and applies their messages. Returns the leases and the
    /// remaining messages; `None` if there are no other workers.
    fn follow_workers(&mut self) -> Result<Option<(Leases, Received)>, CrawlError> {
        let Some(leases) = self.store.leases().cloned() else { return Ok(None) };
        if leases.is_lost() {
            return Err(StoreError::NotOurs.into());
        }
        leases.report(self.progress.pages.load(Ordering::Relaxed), self.is_idle);
        let mut change = self.writer.begin();
        let received = change.receive(MESSAGES, &mut self.duplicates)?;
        if received.done > 0 {
            // Reported before the messages leave the store: no worker may find none left and us idle.
            self.mark_busy();
            self.commit(change)?;
        }
        Ok(Some((leases, received)))
    }

    /// Partitions that others should have, without those on hold: the next owner would not know of the hold.
    fn surplus(&self, leases: &Leases) -> Vec<PartitionId> {
        let is_free = |partition: &PartitionId| self.partition_held_until(*partition).is_none();
        self.store.held_partitions().into_iter().rev().filter(is_free).take(leases.excess()).collect()
    }

    pub(crate) fn may_ask(&self) -> bool {
        self.store.leases().is_none_or(Leases::is_certain)
    }

    /// The end of a partition's hold, set if its last worker did not release it; `None` if there is none.
    pub(crate) fn partition_held_until(&self, partition: PartitionId) -> Option<Instant> {
        self.partition_holds.get(&partition).copied().filter(|until| *until > Instant::now())
    }

    pub(crate) fn is_leaving(&self, host: HostId) -> bool {
        !self.leaving.is_empty() && self.leaving.contains(&self.store.partition_of(host))
    }

    /// Releases all leaving partitions together once nothing is in flight in any of them. Otherwise those
    /// without hosts would go first, and the worker that takes them would get no work.
    fn leave(&mut self) -> Result<(), CrawlError> {
        if self.leaving.is_empty() {
            return Ok(());
        }
        let is_busy = |(id, host): (HostId, &Host)| self.is_leaving(id) && self.schedule.is_busy(&host.group);
        if self.hosts.iter().any(is_busy) || self.is_asking_in(|partition| self.leaving.contains(&partition))
        {
            return Ok(());
        }
        let left: Vec<PartitionId> = std::mem::take(&mut self.leaving).into_iter().collect();
        self.flush()?;
        self.writer.release(&left)?;
        info!(partitions = left.len(), "released partitions to other workers");
        let store = self.store.clone();
        self.partition_holds.retain(|partition, _| !left.contains(partition));
        self.forget_wanted(|partition| left.contains(&partition));
        for (id, host) in self.hosts.retain(|id| !left.contains(&store.partition_of(id))) {
            self.schedule.mark_idle(&host.group, id);
            self.quota.remove(&host.site);
        }
        Ok(())
    }

    /// Whether the whole crawl is done when this worker has no work: all others have none either, or one has
    /// ended the run.
    pub(crate) fn is_over_everywhere(&mut self) -> Result<bool, CrawlError> {
        let Some(leases) = self.store.leases().cloned() else { return Ok(true) };
        if !self.is_idle {
            self.flush()?;
            self.is_idle = true;
        }
        leases.report(self.progress.pages.load(Ordering::Relaxed), true);
        let is_ended = || -> Result<bool, StoreError> {
            let last = self.store.last_run()?;
            Ok(last.is_some_and(|run| run.number > self.run.number || run.ended.is_some()))
        };
        Ok(is_ended()? || self.store.is_all_quiet()?)
    }

    pub(crate) fn mark_busy(&mut self) {
        if std::mem::take(&mut self.is_idle)
            && let Some(leases) = self.store.leases()
        {
            leases.report(self.progress.pages.load(Ordering::Relaxed), false);
        }
    }
}
