//! The owner: the only writer of the store, and the dispatcher of requests.
//!
//! One thread runs one loop: dispatch, wait for an event, apply it, flush from time to time. A dispatch
//! writes nothing, so a crash leaves every URL in flight as it was.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use gleaner_config::Config;
use gleaner_fetch::{Politeness, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, Scope, Seed};
use gleaner_store::{
    Change, Counts, Duplicates, HostId, HostRecord, PartitionId, Run, Store, StoreError, Writer,
};
use gleaner_template::SiteTemplate;
use jiff::Timestamp;
use tracing::warn;

use crate::Stop;
use crate::budget::{Ending, RunBudget};
use crate::clock::Clock;
use crate::documents::levels;
use crate::error::CrawlError;
use crate::hosts::{Host, Hosts, group_of};
use crate::job::{Event, Outgoing, Task};
use crate::known_urls::KnownUrls;
use crate::network::Fetching;
use crate::progress::Progress;
use crate::quota::Quota;
use crate::redirected_robots::RedirectedRobots;
use crate::schedule::Schedule;
use crate::session_config::SessionConfig;

/// Longest time between two checks of the clock, the stop and waiting URLs.
pub(crate) const TICK: Duration = Duration::from_millis(200);

/// The state of a crawl; owns the store.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) writer: Writer,
    pub(crate) store: Store,
    pub(crate) config: Config,
    pub(crate) scope: Arc<Scope>,
    /// The index that documents are compared with.
    pub(crate) duplicates: Duplicates,
    pub(crate) hosts: Hosts,
    pub(crate) schedule: Schedule,
    pub(crate) known: KnownUrls,
    /// When hosts may be requested. Only a crawl also has a [`Fetching`]; a replay sends no requests.
    pub(crate) politeness: Politeness,
    pub(crate) outgoing: Vec<Outgoing>,
    pub(crate) tasks: Sender<Task>,
    pub(crate) run: Run,
    pub(crate) stop: Stop,
    pub(crate) progress: Arc<Progress>,
    pub(crate) seeds: Vec<Seed>,
    /// Whether hosts out of scope are accepted, as in a replay.
    pub(crate) takes_all: bool,
    /// Visits, robots.txt requests and training jobs without an event yet.
    pub(crate) in_flight: usize,
    unflushed: usize,
    flushed: Instant,
    pub(crate) promoted: Instant,
    pub(crate) clock: Clock,
    pub(crate) began: Timestamp,
    /// Pages that earlier processes fetched from each host in this run.
    fetched: HashMap<String, u64>,
    pub(crate) budget: RunBudget,
    pub(crate) quota: Quota,
    /// Partitions on hold because their last worker did not release them, and until when.
    pub(crate) partition_holds: BTreeMap<PartitionId, Instant>,
    /// Robots.txt files that hosts of other partitions redirect to, and who waits for them.
    pub(crate) wanted: RedirectedRobots,
    pub(crate) leaving: BTreeSet<PartitionId>,
    /// Whether we reported to other workers that there is no work here.
    pub(crate) is_idle: bool,
}

impl Owner {
    /// An owner without hosts; [`Owner::load_hosts`] adds them.
    pub(crate) fn new(
        writer: Writer,
        session_config: SessionConfig,
        scope: Arc<Scope>,
        politeness: Politeness,
        tasks: Sender<Task>,
    ) -> Result<Self, StoreError> {
        let SessionConfig { config, seeds, takes_all, run, stop, progress, clock, .. } = session_config;
        let store = writer.store();
        let duplicates = Duplicates::new(&store, &levels(&config.corpus))?;
        let now = Instant::now();
        let (budget, quota) = (RunBudget::new(&config.crawl, now), Quota::new(&config.crawl));
        Ok(Self {
            store,
            writer,
            duplicates,
            config,
            scope,
            hosts: Hosts::default(),
            schedule: Schedule::default(),
            known: KnownUrls::default(),
            politeness,
            outgoing: Vec::new(),
            tasks,
            run,
            stop,
            progress,
            seeds,
            takes_all,
            in_flight: 0,
            unflushed: 0,
            flushed: now,
            promoted: now.checked_sub(TICK).unwrap_or(now),
            began: clock.now(),
            clock,
            fetched: HashMap::new(),
            budget,
            quota,
            partition_holds: BTreeMap::new(),
            wanted: RedirectedRobots::new(),
            leaving: BTreeSet::new(),
            is_idle: false,
        })
    }

    /// Loads the known hosts of these partitions. Each waits a full gap before its first request, because
    /// another process may have just sent one. Remaining holds are restored.
    pub(crate) fn load_hosts(&mut self, partitions: Vec<PartitionId>) -> Result<(), StoreError> {
        let counts: HashMap<String, Counts> = self.store.counts(self.run.number)?.into_iter().collect();
        self.fetched = counts.iter().map(|(host, counts)| (host.clone(), counts.fetched)).collect();
        let records: Vec<HostRecord> =
            self.store.hosts_of_partitions(partitions).collect::<Result<_, _>>()?;
        for record in &records {
            self.progress.queue.fetch_add(record.queued, std::sync::atomic::Ordering::Relaxed);
            self.progress.buffered.fetch_add(record.buffered.into(), std::sync::atomic::Ordering::Relaxed);
            self.budget.spend(self.fetched.get(&record.name).copied().unwrap_or_default());
            self.admit(record)?;
            let site: Arc<str> = record.domain.as_str().into();
            self.quota.add_queued(&site, record.queued.try_into().unwrap_or(i64::MAX));
            self.quota.add_bytes(&site, counts.get(&record.name).map_or(0, |counts| counts.bytes));
        }
        for record in &records {
            let Some(host) = self.hosts.get(record.id) else { continue };
            let group = Arc::clone(&host.group);
            let held = record.held_until.map(|at| self.clock.until(at)).unwrap_or_default();
            self.politeness.gates.start_gap(&group);
            self.politeness.holds.hold(&host.name, held);
            if record.buffered > 0 || self.store.next_ready(record.id)?.is_some() {
                self.schedule.wake(&group, record.id, Instant::now());
            }
        }
        Ok(())
    }

    fn admit(&mut self, record: &HostRecord) -> Result<(), StoreError> {
        // The stored domain may differ from the one by today's public suffix list; check both.
        let is_in_scope = || {
            let today = || CanonicalUrl::parse(&format!("http://{}/", record.name)).ok();
            self.takes_all
                || self.scope.domains().any(|domain| domain == record.domain)
                || today().is_some_and(|url| self.scope.contains(&url))
        };
        if self.hosts.contains(record.id) || !is_in_scope() {
            return Ok(());
        }
        let group = group_of(self.config.fetch.gap_scope, record);
        let template = match self.store.template(&record.name)? {
            Some(_) if record.outdated => None,
            Some(json) => match SiteTemplate::from_json(&json) {
                Ok(template) => Some(Arc::new(crate::extraction::Applied::from_template(template))),
                Err(error) => {
                    warn!(host = record.name, %error, "the template cannot be read; it will be learned again");
                    None
                }
            },
            None => None,
        };
        let host = Host {
            name: record.name.clone(),
            group: Arc::clone(&group),
            site: record.domain.as_str().into(),
            access: None,
            robots_due: Timestamp::MIN,
            template,
            version: record.template,
            buffered: record.buffered as usize,
            fetched: self.fetched.get(&record.name).copied().unwrap_or_default(),
            seed: self.seeds.iter().any(|seed| seed.url.host() == record.name),
            unteachable: false,
            paused: record.paused,
        };
        self.hosts.insert(record.id, host);
        self.hosts.widen(&group, self.config.fetch.delay.get());
        self.progress.hosts.store(self.hosts.len() as u64, std::sync::atomic::Ordering::Relaxed);
        if let Some(robots) = self.store.robots::<RobotsRecord>(&record.name)? {
            self.apply_robots(record.id, &robots);
        }
        Ok(())
    }

    pub(crate) fn apply_robots(&mut self, id: HostId, robots: &RobotsRecord) {
        let access = robots.rules(self.config.fetch.product());
        let (delay, cap) = (self.config.fetch.delay.get(), self.config.fetch.max_crawl_delay.get());
        let Some(host) = self.hosts.get_mut(id) else { return };
        let asked = access.crawl_delay().unwrap_or_default();
        if asked > cap {
            warn!(host = host.name, ?asked, taken = ?cap, "Crawl-delay above fetch.max_crawl_delay");
        }
        host.access = Some(access);
        host.robots_due = if robots.stale(self.clock.now()) { Timestamp::MIN } else { robots.next_ask() };
        let group = Arc::clone(&host.group);
        let gap = self.hosts.widen(&group, delay.max(asked.min(cap)));
        self.politeness.gates.set_gap(&group, gap);
    }

    /// Crawls until nothing is due, or until a budget is reached or a stop is requested and nothing is in
    /// flight.
    pub(crate) fn work(
        &mut self,
        fetching: &Fetching,
        events: &Receiver<Event>,
    ) -> Result<Ending, CrawlError> {
        loop {
            if self.stop.asked() {
                if self.in_flight == 0 {
                    return Ok(Ending::Stopped);
                }
            } else if let Some(budget) = self.budget.empty(Instant::now()) {
                if self.in_flight == 0 && !self.close(false)? {
                    return Ok(Ending::Budget(budget));
                }
            } else {
                self.tick()?;
                self.dispatch(fetching)?;
                if self.in_flight > 0 || !self.quiet()? || self.close(true)? {
                    self.mark_busy();
                } else if self.is_over_everywhere()? {
                    return Ok(Ending::Quiet);
                }
            }
            self.outgoing.drain(..).for_each(|request| fetching.send(request));
            match events.recv_timeout(self.pause()) {
                Ok(event) => self.apply(event)?,
                // No event came. The channel stays open, since `fetching` holds a sender.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.flush_if_due()?;
        }
    }

    fn pause(&self) -> Duration {
        let next = self.schedule.next().map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
        next.clamp(Duration::from_millis(1), TICK)
    }

    pub(crate) fn commit(&mut self, change: Change) -> Result<(), CrawlError> {
        let touched: Vec<HostRecord> = change.touched().values().cloned().collect();
        let queued = change.queued().clone();
        self.writer.commit(change)?;
        self.unflushed += 1;
        for record in touched {
            self.admit(&record)?;
            if let Some(host) = self.hosts.get(record.id) {
                let group = Arc::clone(&host.group);
                self.schedule.wake(&group, record.id, Instant::now());
            }
        }
        for (id, by) in queued {
            self.progress.queue_grows(by);
            if let Some(host) = self.hosts.get(id) {
                self.quota.add_queued(&host.site, by);
            }
        }
        Ok(())
    }

    fn flush_if_due(&mut self) -> Result<(), CrawlError> {
        if self.is_flush_due() { self.flush() } else { Ok(()) }
    }

    /// Flushes a site's rules at once if a flush is cheap. In object storage each flush would write a file,
    /// so there they wait for the next one.
    pub(crate) fn flush_rules(&mut self) -> Result<(), CrawlError> {
        if self.store.is_shared() { Ok(()) } else { self.flush() }
    }

    pub(crate) fn is_flush_due(&self) -> bool {
        let store = &self.config.store;
        let is_late = || self.unflushed > 0 && self.flushed.elapsed() >= store.flush_every.get();
        self.unflushed >= store.flush_pages || is_late() || self.writer.is_archive_full()
    }

    pub(crate) fn flush(&mut self) -> Result<(), CrawlError> {
        let mut change = self.writer.begin();
        change.put_clock(self.clock.now())?;
        self.writer.commit(change)?;
        self.writer.flush()?;
        self.unflushed = 0;
        self.flushed = Instant::now();
        let (free, floor) = (self.writer.free_space()?, self.config.store.min_free_disk);
        if free < floor.get() {
            return Err(CrawlError::DiskFull { free, floor });
        }
        Ok(())
    }

    /// Counts every host of this run, even without visits: the report must tell them from hosts out of scope.
    pub(crate) fn count_all(&mut self) -> Result<(), CrawlError> {
        let mut change = self.writer.begin();
        for (_, host) in self.hosts.iter() {
            change.count(self.run.number, &host.name, |_| {})?;
        }
        self.writer.commit(change)?;
        Ok(())
    }
}
