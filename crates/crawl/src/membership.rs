//! A crawl as one of several workers: which partitions of it are ours, and what follows.
//!
//! | what the leases say | what the owner does |
//! |---|---|
//! | a partition has come | its seeds are taken in, its hosts wait a whole gap, then they are asked |
//! | others should have more | nothing new is asked in some partitions; when nothing is in flight there, all is flushed and the partitions are given up |
//! | it is not certain that they hold | nothing new is asked, and requests end |
//! | a partition has come whose worker did not give it up | nothing of it is asked for the time that one request may take: a site may still work on the last one |
//! | one is another's | the crawl begins anew, as after a crash ([`crate::pipeline::run`]) |
//!
//! A crawl that is alone in its store has one partition for ever, and none of this happens.

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

/// Messages that are taken at once.
const MESSAGES: usize = 1_000;

/// Takes in the seeds of the partitions that the writer has.
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
    /// Follows the leases, and does what other workers ask of our partitions.
    pub(crate) fn follow_leases(&mut self) -> Result<(), CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(()) };
        self.take_found(&received.found)?;
        self.answer_wanted(received.wanted)?;
        if leases.has_gained() {
            // Told before it is asked for, so that nobody takes us for idle in between.
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

    /// Whether a replay is to go on with other partitions, once nothing is in flight; does what
    /// other workers ask of our partitions.
    pub(crate) fn is_regrouping(&mut self) -> Result<bool, CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(false) };
        // Nothing is asked by a replay. The next crawl wants them again.
        let mut change = self.writer.begin();
        received.wanted.iter().for_each(|wanted| change.drop_wanted(wanted));
        self.commit(change)?;
        Ok(leases.has_gained() || leases.excess() > 0)
    }

    /// Gives up what other workers should have. Nothing is in flight.
    pub(crate) fn give_way(&mut self) -> Result<(), CrawlError> {
        let Some(leases) = self.store.leases().cloned() else { return Ok(()) };
        let partitions = self.surplus(&leases);
        self.flush()?;
        self.writer.release(&partitions)?;
        info!(partitions = partitions.len(), "released partitions to other workers");
        Ok(())
    }

    /// Tells the others how we are, and does what they ask of our partitions. Gives what is known
    /// of the leases, and what is left of the messages; `None`: there are none.
    fn follow_workers(&mut self) -> Result<Option<(Leases, Received)>, CrawlError> {
        let Some(leases) = self.store.leases().cloned() else { return Ok(None) };
        if leases.is_lost() {
            return Err(StoreError::NotOurs.into());
        }
        leases.report(self.progress.pages.load(Ordering::Relaxed), self.is_idle);
        let mut change = self.writer.begin();
        let received = change.receive(MESSAGES, &mut self.duplicates)?;
        if received.done > 0 {
            // Said before the messages can be gone from the store: nobody is to find none, and us idle.
            self.mark_busy();
            self.commit(change)?;
        }
        Ok(Some((leases, received)))
    }

    /// Partitions that others should have. One on hold stays: its next owner would not know of the hold.
    fn surplus(&self, leases: &Leases) -> Vec<PartitionId> {
        let is_free = |partition: &PartitionId| self.partition_held_until(*partition).is_none();
        self.store.held_partitions().into_iter().rev().filter(is_free).take(leases.excess()).collect()
    }

    /// Whether hosts may be asked: our leases hold for certain.
    pub(crate) fn may_ask(&self) -> bool {
        self.store.leases().is_none_or(Leases::is_certain)
    }

    /// Until when a partition is on hold, since its last worker did not give it up; `None`: it is not.
    pub(crate) fn partition_held_until(&self, partition: PartitionId) -> Option<Instant> {
        self.partition_holds.get(&partition).copied().filter(|until| *until > Instant::now())
    }

    /// Whether a host's partition is about to be given up.
    pub(crate) fn is_leaving(&self, host: HostId) -> bool {
        !self.leaving.is_empty() && self.leaving.contains(&self.store.partition_of(host))
    }

    /// Gives up the partitions that are to be left, once nothing is in flight in any of them. All at
    /// once: where there are more partitions than hosts, those without a host would be free first,
    /// and whoever takes them has his share and nothing to do.
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

    /// Whether the whole crawl has nothing more to do, when this worker has not: no other has,
    /// or one has ended the run.
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

    /// There is something to do again.
    pub(crate) fn mark_busy(&mut self) {
        if std::mem::take(&mut self.is_idle)
            && let Some(leases) = self.store.leases()
        {
            leases.report(self.progress.pages.load(Ordering::Relaxed), false);
        }
    }
}
