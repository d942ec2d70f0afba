//! Handles the partitions of a crawl with several workers.
//!
//! Events, and what the owner does:
//!
//! * This worker gained a partition: the owner enqueues its seeds. Its hosts wait a full gap.
//! * Other workers should get partitions: the owner stops requests in some partitions, and releases them when
//!   nothing is in flight there.
//! * The leases may have ended: the owner starts no requests, and ends those in flight.
//! * The last worker of a gained partition did not release it: the owner sends no requests there for
//!   `fetch.timeout`, because sites may still process earlier requests.
//! * Another worker took a partition of this worker: the crawl starts again, as after a crash (`session.rs`).
//!
//! A crawl without other workers has one partition.

use std::time::Instant;

use gleaner_frontier::{Found, Role, Seed};
use gleaner_store::{HostId, Leases, Received, StoreError, Turn, Writer};
use jiff::Timestamp;
use tracing::info;

use crate::error::CrawlError;
use crate::frontier::hosts::Host;
use crate::pipeline::Pipeline;
use crate::rank;

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

impl Pipeline {
    pub(crate) fn follow_leases(&mut self) -> Result<(), CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(()) };
        self.take_found(&received.found)?;
        self.answer_wanted(received.wanted)?;
        if leases.has_gained() {
            // Reported before the partitions are loaded, so that this worker never looks idle meanwhile.
            self.membership.mark_busy();
            let gained = leases.gained();
            info!(partitions = gained.len(), "partitions were assigned to this worker");
            let (seeds, started) = (self.session.seeds.clone(), self.session.run.started);
            enqueue_seeds(&mut self.recorder.writer, &seeds, started)?;
            let until = Instant::now() + self.session.config.fetch.timeout.get();
            let left = gained.iter().filter(|gained| gained.was_left);
            self.membership.hold(left.map(|gained| gained.partition), until);
            self.load_hosts(gained.into_iter().map(|gained| gained.partition).collect())?;
        }
        if self.membership.leaving.is_empty() {
            self.membership.leaving = self.membership.surplus(&leases).into_iter().collect();
        }
        self.release_leaving()
    }

    /// Whether a replay must regroup once nothing is in flight: it gained partitions, or other workers should
    /// get some. Also handles messages from other workers.
    pub(crate) fn must_regroup(&mut self) -> Result<bool, CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(false) };
        // A replay sends no requests. The next crawl requests these robots.txt files again.
        let mut change = self.recorder.begin();
        received.wanted.iter().for_each(|wanted| change.drop_wanted(wanted));
        self.commit(change)?;
        Ok(leases.has_gained() || leases.excess() > 0)
    }

    pub(crate) fn release_surplus(&mut self) -> Result<(), CrawlError> {
        let Some(leases) = self.recorder.store.leases().cloned() else { return Ok(()) };
        let partitions = self.membership.surplus(&leases);
        self.recorder.flush()?;
        self.recorder.writer.release(&partitions)?;
        info!(partitions = partitions.len(), "released partitions to other workers");
        Ok(())
    }

    /// Reports this worker's state to the others and applies their messages. Returns the leases and the
    /// messages for the caller; `None`: there are no other workers.
    fn follow_workers(&mut self) -> Result<Option<(Leases, Received)>, CrawlError> {
        let Some(leases) = self.recorder.store.leases().cloned() else { return Ok(None) };
        if leases.is_lost() {
            return Err(StoreError::NotOurs.into());
        }
        self.membership.report(&leases, self.membership.is_idle);
        let mut change = self.recorder.begin();
        let received = self.recorder.receive(&mut change, MESSAGES)?;
        if received.done > 0 {
            // Reported before the messages leave the store. Otherwise another worker could find no messages
            // and see this worker as idle.
            self.membership.mark_busy();
            self.commit(change)?;
        }
        Ok(Some((leases, received)))
    }

    /// Releases all leaving partitions together, once nothing is in flight in any of them. Released one by
    /// one, partitions without hosts would be first, and the worker that takes them would get no work.
    fn release_leaving(&mut self) -> Result<(), CrawlError> {
        let (membership, frontier) = (&self.membership, &self.frontier);
        if membership.leaving.is_empty() {
            return Ok(());
        }
        let is_busy =
            |(id, host): (HostId, &Host)| membership.is_leaving(id) && frontier.schedule.is_busy(&host.group);
        let leaves = |partition| membership.leaving.contains(&partition);
        if frontier.hosts.iter().any(is_busy) || self.redirected.is_requesting_in(leaves) {
            return Ok(());
        }
        let left = self.membership.take_leaving();
        self.recorder.flush()?;
        self.recorder.writer.release(&left)?;
        info!(partitions = left.len(), "released partitions to other workers");
        let store = &self.recorder.store;
        let stays = |id| !left.contains(&store.partition_of(id));
        self.frontier.release(stays);
        self.learner.release(stays);
        self.redirected.release(|partition| !left.contains(&partition));
        Ok(())
    }

    /// Whether an idle worker's crawl is over: no other worker has work, or one has ended the run.
    pub(crate) fn is_over_everywhere(&mut self) -> Result<bool, CrawlError> {
        let Some(leases) = self.recorder.store.leases().cloned() else { return Ok(true) };
        if !self.membership.is_idle {
            self.recorder.flush()?;
            self.membership.is_idle = true;
        }
        self.membership.report(&leases, true);
        let store = &self.recorder.store;
        let number = self.session.run.number;
        let is_ended = store.last_run()?.is_some_and(|run| run.number > number || run.ended.is_some());
        Ok(is_ended || store.is_all_quiet()?)
    }
}
