//! A crawl as one of several workers: which parts of it are ours, and what follows.
//!
//! | what the leases say | what the owner does |
//! |---|---|
//! | a part has come | its seeds are taken in, its hosts wait a whole gap, then they are asked |
//! | others should have more | nothing new is asked in some parts; when nothing is in flight there, all is flushed and the parts are given up |
//! | it is not certain that they hold | nothing new is asked, and requests end |
//! | a part has come whose worker did not give it up | nothing of it is asked for the time that one request may take: a site may still work on the last one |
//! | one is another's | the crawl begins anew, as after a crash ([`crate::pipeline::run`]) |
//!
//! A crawl that is alone in its store has one part for ever, and none of this happens.

use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_frontier::{Found, Role, Seed};
use gleaner_store::{HostId, PartId, Received, StoreError, Tenure, Turn, Writer};
use jiff::Timestamp;
use tracing::info;

use crate::error::CrawlError;
use crate::hosts::Host;
use crate::owner::Owner;
use crate::reading::rank;

/// Messages that are taken at once.
const MESSAGES: usize = 1_000;

/// Takes in the seeds of the parts that the writer has.
pub(crate) fn plant(writer: &mut Writer, seeds: &[Seed], begun: Timestamp) -> Result<(), StoreError> {
    let mut change = writer.begin();
    for seed in seeds {
        let found = Found { url: seed.url.clone(), role: Role::Front, dated: None, news: false };
        change.seed(&found, Turn { rank: rank::LISTING, fresh: Some(begun) })?;
    }
    writer.commit(change)?;
    writer.flush()
}

impl Owner {
    /// Follows the leases, and does what other workers ask of our parts.
    pub(crate) fn follow_leases(&mut self) -> Result<(), CrawlError> {
        let Some((tenure, received)) = self.heed_others()? else { return Ok(()) };
        self.take_found(&received.found)?;
        self.answer_wanted(received.wanted)?;
        if tenure.has_gained() {
            // Told before it is asked for, so that nobody takes us for idle in between.
            self.stir();
            let gained = tenure.gained();
            info!(parts = gained.len(), "parts have come");
            plant(&mut self.writer, &self.seeds, self.run.started)?;
            let holds_end = Instant::now() + self.config.fetch.timeout.get();
            let left = gained.iter().filter(|gained| gained.was_left);
            self.part_holds.extend(left.map(|gained| (gained.part, holds_end)));
            self.load_hosts(gained.into_iter().map(|gained| gained.part).collect())?;
        }
        if self.leaving.is_empty() {
            self.leaving = self.surplus(&tenure).into_iter().collect();
        }
        self.leave()
    }

    /// Whether a replay is to go on with other parts, once nothing is in flight; does what
    /// other workers ask of our parts.
    pub(crate) fn is_regrouping(&mut self) -> Result<bool, CrawlError> {
        let Some((tenure, received)) = self.heed_others()? else { return Ok(false) };
        // Nothing is asked by a replay. The next crawl wants them again.
        let mut change = self.writer.begin();
        received.wanted.iter().for_each(|wanted| change.drop_wanted(wanted));
        self.commit(change)?;
        Ok(tenure.has_gained() || tenure.excess() > 0)
    }

    /// Gives up what other workers should have. Nothing is in flight.
    pub(crate) fn give_way(&mut self) -> Result<(), CrawlError> {
        let Some(tenure) = self.store.tenure().cloned() else { return Ok(()) };
        let parts = self.surplus(&tenure);
        self.flush()?;
        self.writer.release(&parts)?;
        info!(parts = parts.len(), "gave parts up to other workers");
        Ok(())
    }

    /// Tells the others how we are, and does what they ask of our parts. Gives what is known
    /// of the leases, and what is left of the messages; `None`: there are none.
    fn heed_others(&mut self) -> Result<Option<(Tenure, Received)>, CrawlError> {
        let Some(tenure) = self.store.tenure().cloned() else { return Ok(None) };
        if tenure.is_lost() {
            return Err(StoreError::NotOurs.into());
        }
        tenure.report(self.progress.pages.load(Ordering::Relaxed), self.is_idle);
        let mut change = self.writer.begin();
        let received = change.receive(MESSAGES, &mut self.duplicates)?;
        if received.done > 0 {
            // Said before the messages can be gone from the store: nobody is to find none, and us idle.
            self.stir();
            self.commit(change)?;
        }
        Ok(Some((tenure, received)))
    }

    /// Parts that others should have. One on hold stays: its next owner would not know of the hold.
    fn surplus(&self, tenure: &Tenure) -> Vec<PartId> {
        let is_free = |part: &PartId| self.part_held_until(*part).is_none();
        self.store.held_parts().into_iter().rev().filter(is_free).take(tenure.excess()).collect()
    }

    /// Whether hosts may be asked: our leases hold for certain.
    pub(crate) fn may_ask(&self) -> bool {
        self.store.tenure().is_none_or(Tenure::is_certain)
    }

    /// Until when a part is on hold, since its last worker did not give it up; `None`: it is not.
    pub(crate) fn part_held_until(&self, part: PartId) -> Option<Instant> {
        self.part_holds.get(&part).copied().filter(|until| *until > Instant::now())
    }

    /// Whether a host's part is about to be given up.
    pub(crate) fn is_leaving(&self, host: HostId) -> bool {
        !self.leaving.is_empty() && self.leaving.contains(&self.store.part_of(host))
    }

    /// Gives up the parts that are to be left, once nothing is in flight in any of them. All at
    /// once: where there are more parts than hosts, those without a host would be free first,
    /// and whoever takes them has his share and nothing to do.
    fn leave(&mut self) -> Result<(), CrawlError> {
        if self.leaving.is_empty() {
            return Ok(());
        }
        let is_busy = |(id, host): (HostId, &Host)| self.is_leaving(id) && self.schedule.is_busy(&host.group);
        if self.hosts.iter().any(is_busy) || self.is_asking_in(|part| self.leaving.contains(&part)) {
            return Ok(());
        }
        let left: Vec<PartId> = std::mem::take(&mut self.leaving).into_iter().collect();
        self.flush()?;
        self.writer.release(&left)?;
        info!(parts = left.len(), "gave parts up to other workers");
        let store = self.store.clone();
        self.part_holds.retain(|part, _| !left.contains(part));
        self.forget_wanted(|part| left.contains(&part));
        for (id, host) in self.hosts.retain(|id| !left.contains(&store.part_of(id))) {
            self.schedule.lull(&host.group, id);
            self.quota.remove(&host.site);
        }
        Ok(())
    }

    /// Whether the whole crawl has nothing more to do, when this worker has not: no other has,
    /// or one has ended the run.
    pub(crate) fn is_over_everywhere(&mut self) -> Result<bool, CrawlError> {
        let Some(tenure) = self.store.tenure().cloned() else { return Ok(true) };
        if !self.is_idle {
            self.flush()?;
            self.is_idle = true;
        }
        tenure.report(self.progress.pages.load(Ordering::Relaxed), true);
        let is_ended = || -> Result<bool, StoreError> {
            let last = self.store.last_run()?;
            Ok(last.is_some_and(|run| run.number > self.run.number || run.ended.is_some()))
        };
        Ok(is_ended()? || self.store.is_all_quiet()?)
    }

    /// There is something to do again.
    pub(crate) fn stir(&mut self) {
        if std::mem::take(&mut self.is_idle)
            && let Some(tenure) = self.store.tenure()
        {
            tenure.report(self.progress.pages.load(Ordering::Relaxed), false);
        }
    }
}
