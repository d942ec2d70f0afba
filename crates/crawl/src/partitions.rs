//! Handles the partitions of a crawl with several worker processes.
//!
//! A crawl without other workers has one partition. Otherwise the owner thread reacts to these events:
//!
//! * This worker gained a partition. The owner enqueues the seeds of the partition. The partition's hosts get
//!   no request before their full delay has passed. If the previous worker did not release the partition, the
//!   hosts get no requests for `fetch.timeout`, because sites may still process earlier requests.
//! * Other workers should get partitions of this worker. The owner chooses some of them, starts no new
//!   requests there, and releases them together when nothing is in flight in any of them.
//! * The leases of this worker may have ended. The owner starts no requests, and cancels requests in flight.
//! * Another worker took a partition of this worker. The crawl starts again, as after a crash (`session.rs`).

use std::time::Instant;

use gleaner_frontier::{FoundUrl, Role, Seed};
use gleaner_store::{HostId, Leases, QueuePosition, ReceivedMessages, StoreError, Writer};
use jiff::Timestamp;
use tracing::info;

use crate::error::CrawlError;
use crate::frontier::FrontierHost;
use crate::pipeline::Pipeline;
use crate::rank;
use crate::redirected_robots::PendingRobots;
use crate::visit::OutgoingRequest;

const MESSAGES: usize = 1_000;

pub(crate) fn enqueue_seeds(writer: &mut Writer, seeds: &[Seed], begun: Timestamp) -> Result<(), StoreError> {
    let mut change = writer.begin();
    change.read_urls_ahead(seeds.iter().map(|seed| seed.url.key()))?;
    let removed = writer.store().removed()?;
    for seed in seeds.iter().filter(|seed| !removed.contains(&seed.url)) {
        let found = FoundUrl { url: seed.url.clone(), role: Role::Front, dated: None, news: false };
        change.seed(&found, QueuePosition { rank: rank::LISTING, fresh: Some(begun) })?;
    }
    writer.commit(change)?;
    writer.flush()
}

impl Pipeline {
    /// Follows the other workers. Returns the requests for robots.txt files for which hosts of other partitions wait.
    pub(crate) fn follow_leases(&mut self) -> Result<Vec<OutgoingRequest>, CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(Vec::new()) };
        self.take_robots_replies(&received.found)?;
        let requests = self.answer_robots_queries(received.wanted)?;
        if leases.has_gained() {
            // The state is reported before the hosts are loaded. Otherwise other workers could see this
            // worker as idle.
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
        self.release_leaving()?;
        Ok(requests)
    }

    /// Handles messages from other workers. Returns whether a replay must regroup once nothing is in flight,
    /// because it gained partitions or other workers should get some.
    pub(crate) fn must_regroup(&mut self) -> Result<bool, CrawlError> {
        let Some((leases, received)) = self.follow_workers()? else { return Ok(false) };
        // A replay sends no requests, so it drops messages that ask for a robots.txt. The next crawl sends
        // them again.
        let mut change = self.recorder.writer.begin();
        received.wanted.iter().for_each(|wanted| change.drop_robots_query(wanted));
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

    /// Reports this worker's state to the other workers, and applies their messages. Returns the leases and
    /// the messages that the caller must handle, or `None` if there are no other workers.
    fn follow_workers(&mut self) -> Result<Option<(Leases, ReceivedMessages)>, CrawlError> {
        let Some(leases) = self.recorder.store.leases().cloned() else { return Ok(None) };
        if leases.is_lost() {
            return Err(StoreError::NotOurs.into());
        }
        self.membership.report(&leases, self.membership.is_idle);
        let mut change = self.recorder.writer.begin();
        let received = change.receive(MESSAGES, &mut self.recorder.writer)?;
        if received.done > 0 {
            // The state is reported before the messages leave the store. Otherwise another worker could find
            // no messages and see this worker as idle.
            self.membership.mark_busy();
            self.commit(change)?;
        }
        Ok(Some((leases, received)))
    }

    /// Releases all leaving partitions together, once nothing is in flight in any of them. If each were
    /// released on its own, those without hosts would be released first, and the next worker would get no
    /// work with them.
    fn release_leaving(&mut self) -> Result<(), CrawlError> {
        let (membership, frontier) = (&self.membership, &self.frontier);
        if membership.leaving.is_empty() {
            return Ok(());
        }
        let is_busy = |(id, host): (&HostId, &FrontierHost)| {
            membership.is_leaving(*id) && frontier.schedule.is_busy(&host.group)
        };
        let is_requesting = |pending: &PendingRobots| {
            !pending.is_elsewhere && membership.leaving.contains(&pending.partition)
        };
        if frontier.hosts.iter().any(is_busy) || self.redirected.values().any(is_requesting) {
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
        // The next workers find the messages in the store.
        self.redirected.retain(|_, pending| !left.contains(&pending.partition));
        Ok(())
    }

    /// Whether the crawl of an idle worker is over, because no other worker has work or another worker has
    /// ended the run.
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
        Ok(is_ended || store.are_all_idle()?)
    }
}
