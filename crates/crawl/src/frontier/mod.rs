//! Decides which URL is requested next, and when. The decision depends on the queues of the hosts, delays,
//! back-offs, robots.txt, budgets and quotas. The store contains the queues, and this module only reads them.

pub(crate) mod budget;
pub(crate) mod known_urls;
pub(crate) mod other_domains;
pub(crate) mod quota;
pub(crate) mod schedule;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::settings::Config;
use gleaner_fetch::{Access, Politeness, RobotsDecision, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, Scope, UrlKey, UrlRefusal, waits_for_list};
use gleaner_store::{Counts, HostId, HostRecord, Store, StoreError, UrlRecord, WaitReason};
use jiff::Timestamp;
use tracing::warn;
use url::Url;

use crate::explanation::ON_HOLD;
use crate::session_config::SessionConfig;
use crate::traps::{Traps, rules_of};
use crate::usage::{SiteUsage, UsageSource};
use crate::visit::robots_path;
use budget::RunBudget;
use known_urls::KnownUrls;
use other_domains::OtherDomains;
use quota::Quota;
use schedule::{GroupName, Schedule, group_of};

/// Number of runs after which a page no longer waits for a list. The pauses between attempts are shorter, if there is
/// a run each night.
const REMEMBERED_RUNS: usize = 10;
/// Maximum number of ready URLs of a host that are counted for the time left when a run begins.
const MAX_COUNTED: usize = 10_000;
/// Longest time between two checks of the clock, of the stop request and of waiting URLs.
pub(crate) const TICK: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) struct Frontier {
    pub(crate) hosts: HashMap<HostId, FrontierHost>,
    pub(crate) schedule: Schedule,
    pub(crate) known: KnownUrls,
    /// Delays and back-offs of the hosts. A replay sends no requests and does not use them.
    pub(crate) politeness: Politeness,
    pub(crate) budget: RunBudget,
    pub(crate) quota: Quota,
    pub(crate) scope: Arc<Scope>,
    pub(crate) other_domains: OtherDomains,
    pub(crate) in_flight: usize,
    pub(crate) traps: Traps,
    session: SessionConfig,
    store: Store,
    seeds: HashSet<String>,
    counts: HashMap<String, Counts>,
    /// The counts of the last run, by host. Only hosts with rules about traps. `None` until they are read.
    last_counts: Option<HashMap<String, Counts>>,
    /// The names of the hosts with pages that wait until a list names them, by the counts of the last runs.
    waiting_hosts: HashSet<String>,
}

#[derive(Debug)]
pub(crate) struct FrontierHost {
    pub(crate) name: String,
    pub(crate) group: GroupName,
    /// The host's registrable domain. Quotas apply to this domain.
    pub(crate) site: Arc<str>,
    /// The rules of the host's robots.txt. `None` until they are known.
    pub(crate) access: Option<Access>,
    /// What the host's files state about the use of its pages.
    pub(crate) usage: Arc<SiteUsage>,
    pub(crate) robots_due: Timestamp,
    /// Number of consecutive failed requests for the robots.txt, if the last one was in this run. Otherwise 0.
    pub(crate) robots_failures: u32,
    pub(crate) requests: u64,
    /// Whether the host is out of scope, and only sitemaps are requested from it ([`other_domains`]).
    pub(crate) only_sitemaps: bool,
    /// Whether a seed is on this host. The crawl requests `/sitemap.xml` only from hosts with a seed.
    pub(crate) is_seed: bool,
    pub(crate) paused: bool,
    /// Whether lists are requested without validators, because pages of the last runs wait until a list names them. A
    /// list that has not changed (304) names the same pages, but does not show them.
    pub(crate) reads_whole_lists: bool,
}

#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) key: UrlKey,
    pub(crate) url: CanonicalUrl,
    pub(crate) record: UrlRecord,
}

#[derive(Debug)]
pub(crate) enum NextUrl {
    Allowed(Ready),
    /// robots.txt disallows this URL, or the settings exclude it. Store this outcome.
    Refused(Ready, Outcome),
    /// A URL has session parameters. Replace it by the URL without them. The text is the rule.
    Replaced(Ready, CanonicalUrl, String),
    /// Request this robots.txt first.
    Robots(Url),
    /// Do nothing for now.
    Later(Pause),
    /// Do nothing: the host has no ready URL, or has reached a limit for this run.
    Nothing,
}

/// A host has work, but gets no requests until this time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pause {
    pub(crate) until: Instant,
    /// Whether the run waits for the end of this pause, provided that the pause is at most `crawl.linger`.
    pub(crate) is_awaited: bool,
}

impl Pause {
    pub(crate) const fn until(until: Instant) -> Self {
        Self { until, is_awaited: true }
    }
}

impl Frontier {
    pub(crate) fn new(store: Store, session: &SessionConfig, politeness: Politeness) -> Self {
        let crawl = &session.config.crawl;
        session.progress.set_limits(crawl.max_pages, crawl.max_time.get());
        Self {
            hosts: HashMap::new(),
            schedule: Schedule::default(),
            known: KnownUrls::default(),
            politeness,
            budget: RunBudget::new(crawl, Instant::now()),
            quota: Quota::new(&session.config),
            scope: Arc::clone(&session.scope),
            other_domains: OtherDomains::default(),
            in_flight: 0,
            traps: Traps::new(crawl.skip_traps && !session.run.replayed),
            session: session.clone(),
            store,
            seeds: session.seeds.iter().map(|seed| seed.url.host().to_owned()).collect(),
            counts: HashMap::new(),
            last_counts: None,
            waiting_hosts: HashSet::new(),
        }
    }

    fn config(&self) -> &Config {
        &self.session.config
    }

    pub(crate) fn load_counts(&mut self) -> Result<(), StoreError> {
        let number = self.session.run.number;
        self.counts = self.store.counts(number)?.into_iter().collect();
        if self.last_counts.is_none() {
            // The newest run is this one.
            let runs = self.store.runs(REMEMBERED_RUNS + 1)?;
            for run in runs.into_iter().filter(|run| run.number < number) {
                let counts = self.store.counts(run.number)?;
                let waiting = counts.iter().filter(|(_, counts)| has_waiting_pages(counts));
                self.waiting_hosts.extend(waiting.map(|(name, _)| name.clone()));
                let has_rules = |(_, counts): &(String, Counts)| rules_of(counts).next().is_some();
                self.last_counts.get_or_insert_with(|| counts.into_iter().filter(has_rules).collect());
            }
            self.last_counts.get_or_insert_default();
        }
        Ok(())
    }

    /// Whether a host is in scope. The stored domain may differ from the domain by the current Public Suffix List, so
    /// this checks both. A replay accepts all hosts.
    pub(crate) fn is_in_scope(&self, record: &HostRecord) -> bool {
        self.session.takes_all
            || self.scope.contains_domain(&record.domain)
            || front_of(&record.name).is_some_and(|url| self.scope.contains(&url))
    }

    /// Adds a host that is not loaded yet, if it is in scope or a robots.txt names a sitemap on it. Returns whether the
    /// host was added.
    pub(crate) fn admit(&mut self, record: &HostRecord) -> Result<bool, StoreError> {
        if self.hosts.contains_key(&record.id) {
            return Ok(false);
        }
        let is_in_scope = self.is_in_scope(record);
        if !is_in_scope && !self.other_domains.has_host(&record.name) {
            return Ok(false);
        }
        let group = group_of(self.config().fetch.gap_scope, record);
        let last = self.last_counts.as_ref().and_then(|counts| counts.get(&record.name));
        let host = FrontierHost {
            name: record.name.clone(),
            group: Arc::clone(&group),
            site: record.domain.as_str().into(),
            access: None,
            usage: Arc::default(),
            robots_due: Timestamp::MIN,
            robots_failures: 0,
            requests: self.counts.get(&record.name).map_or(0, requests),
            only_sitemaps: !is_in_scope,
            is_seed: self.seeds.contains(&record.name),
            paused: record.paused,
            reads_whole_lists: self.waiting_hosts.contains(&record.name),
        };
        self.hosts.insert(record.id, host);
        let known = [self.counts.get(&record.name), last];
        self.traps.load(&record.name, known.into_iter().flatten().flat_map(rules_of));
        self.politeness.gates.raise_delay(&group, self.config().delay_of(&record.domain).get());
        self.session.progress.hosts.store(self.hosts.len() as u64, Ordering::Relaxed);
        if let Some(robots) = self.store.robots::<RobotsRecord>(&record.name)? {
            self.apply_robots(record.id, &robots);
        }
        Ok(true)
    }

    /// Continues the work on a host that another process crawled before. Adds the host's counts to budget and
    /// quota, and restores its back-off. Starts a full delay, because the other process may have sent a
    /// request just before.
    pub(crate) fn resume(&mut self, record: &HostRecord) -> Result<(), StoreError> {
        let (pages, bytes) =
            self.counts.get(&record.name).map_or((0, 0), |counts| (requests(counts), counts.bytes));
        self.budget.spend(pages);
        let site: Arc<str> = record.domain.as_str().into();
        self.quota.add_queued(&site, record.queued.try_into().unwrap_or(i64::MAX));
        self.quota.add_bytes(&site, bytes);
        self.quota.add_pages(&site, pages);
        self.session.progress.queue.fetch_add(record.queued, Ordering::Relaxed);
        // With several workers, the time left is unknown, because they exchange their hosts.
        if !self.store.is_shared()
            && let Some(host) = self.hosts.get(&record.id)
        {
            let ready = self.store.count_ready(record.id, MAX_COUNTED)?;
            let ready = i64::try_from(ready).unwrap_or(i64::MAX);
            self.session.progress.activity.ready_grows(&host.group, ready);
        }
        self.restart(record)
    }

    /// Restores the back-off of a loaded host, starts a full delay, and wakes the host if it has work.
    pub(crate) fn restart(&mut self, record: &HostRecord) -> Result<(), StoreError> {
        let Some(host) = self.hosts.get(&record.id) else { return Ok(()) };
        let held = record.held_until.map(|at| self.session.clock.until(at)).unwrap_or_default();
        self.politeness.gates.start_delay(&host.group);
        self.politeness.backoffs.start(&host.name, held);
        if record.buffered > 0 || self.store.next_ready(record.id)?.is_some() {
            self.wake(record.id);
        }
        Ok(())
    }

    /// Removes the hosts for which `stays` is false, because another process takes them over. Reverts all
    /// that [`resume`](Self::resume) added for them.
    pub(crate) fn release(&mut self, stays: impl Fn(HostId) -> bool) {
        for (id, host) in self.hosts.extract_if(|id, _| !stays(*id)) {
            self.schedule.mark_idle(&host.group, id);
            self.traps.remove(&host.name);
            self.budget.give_back(host.requests);
            let queued = self.quota.remove(&host.site);
            self.session.progress.queue_grows(-i64::try_from(queued).unwrap_or(i64::MAX));
        }
        self.session.progress.hosts.store(self.hosts.len() as u64, Ordering::Relaxed);
    }

    pub(crate) fn host_named(&mut self, name: &str) -> Option<(HostId, &mut FrontierHost)> {
        self.hosts.iter_mut().find(|(_, host)| host.name == name).map(|(id, host)| (*id, host))
    }

    pub(crate) fn apply_robots(&mut self, id: HostId, robots: &RobotsRecord) {
        let fetch = &self.session.config.fetch;
        let access = robots.rules(fetch.product());
        let cap = fetch.max_crawl_delay.get();
        let Some(host) = self.hosts.get_mut(&id) else { return };
        let delay = access.crawl_delay().unwrap_or_default();
        if delay > cap {
            warn!(host = host.name, asked = ?delay, taken = ?cap, "Crawl-delay above fetch.max_crawl_delay");
        }
        let delay = access.effective_delay(self.session.config.delay_of(&host.site), fetch);
        if !host.only_sitemaps {
            self.other_domains.set(id, sitemaps(&host.name, &access), &self.scope);
        }
        host.access = Some(access);
        host.usage = Arc::new(SiteUsage::new(robots, &self.session.config));
        let is_stale = robots.stale(self.session.clock.now());
        host.robots_due = if is_stale { Timestamp::MIN } else { robots.next_ask() };
        self.politeness.gates.raise_delay(&host.group, delay);
    }

    /// Returns what is stated about the use of the pages of a host.
    pub(crate) fn usage_of(&self, id: HostId) -> UsageSource {
        UsageSource::Response(self.hosts.get(&id).map(|host| Arc::clone(&host.usage)).unwrap_or_default())
    }

    /// With several workers, finds the sitemaps that the robots.txt of other workers' hosts name. `names` are hosts out
    /// of scope. Reads nothing if all of them are known or were checked before.
    pub(crate) fn read_other_domains<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), StoreError> {
        let other_domains = &mut self.other_domains;
        let unknown: Vec<&str> = names.into_iter().filter(|name| !other_domains.has_host(name)).collect();
        if !self.store.is_shared() || !other_domains.check(unknown) {
            return Ok(());
        }
        for record in self.store.hosts() {
            let record = record?;
            if self.hosts.contains_key(&record.id) || !self.is_in_scope(&record) {
                continue;
            }
            if let Some(robots) = self.store.robots::<RobotsRecord>(&record.name)? {
                let access = robots.rules(self.session.config.fetch.product());
                self.other_domains.set(record.id, sitemaps(&record.name, &access), &self.scope);
            }
        }
        Ok(())
    }

    pub(crate) fn wake(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get(&id) {
            self.schedule.wake(&host.group, id, Instant::now());
        }
    }

    pub(crate) fn count_queued(&mut self, queued: BTreeMap<HostId, i64>, ready: BTreeMap<HostId, i64>) {
        for (id, by) in ready {
            if let Some(host) = self.hosts.get(&id) {
                self.session.progress.activity.ready_grows(&host.group, by);
            }
        }
        for (id, by) in queued {
            self.session.progress.queue_grows(by);
            if let Some(host) = self.hosts.get(&id) {
                self.quota.add_queued(&host.site, by);
            }
        }
    }

    /// Returns the group that has been due longest and whose delay is over. Returns `None` if there is no
    /// such group, if the maximum number of URLs is in flight, or if a budget is used up.
    pub(crate) fn next_group(&mut self, now: Instant) -> Option<GroupName> {
        while self.has_room() && self.budget.exhausted(now).is_none() {
            let group = self.schedule.pop(now)?;
            let wait = self.politeness.gates.ready_in(&group);
            if wait.is_zero() {
                return Some(group);
            }
            let due = now + wait;
            self.schedule.put_off(&group, due, Some(due));
        }
        None
    }

    pub(crate) fn has_room(&self) -> bool {
        self.in_flight < self.config().fetch.concurrency
    }

    /// Returns the found URLs whose records must be read: those that may be new, and those with an announced change.
    pub(crate) fn needed_links<'a>(&mut self, found: &'a [(FoundUrl, u8)]) -> Vec<&'a CanonicalUrl> {
        let links = found.iter().map(|(found, _)| found);
        let needed = links.filter(|found| found.dated.is_some() || !self.known.contains(found.url.key()));
        needed.map(|found| &found.url).collect()
    }

    /// Reads the URLs that [`next_url`](Self::next_url) will return for the due groups. A shared store reads them in one
    /// request.
    pub(crate) fn read_next_ahead(&self, now: Instant) -> Result<(), StoreError> {
        let room = self.config().fetch.concurrency.saturating_sub(self.in_flight);
        match self.store.is_shared() && room > 0 {
            true => self.store.read_ready_ahead(self.schedule.next_hosts(now, room)),
            false => Ok(()),
        }
    }

    /// Returns the next action for a host: usually its next URL, checked against robots.txt.
    pub(crate) fn next_url(&mut self, id: HostId) -> Result<NextUrl, StoreError> {
        let Some(host) = self.hosts.get(&id) else { return Ok(NextUrl::Nothing) };
        if self.is_used_up(host) {
            return Ok(NextUrl::Nothing);
        }
        let held = self.politeness.backoffs.remaining(&host.name);
        if !held.is_zero() {
            return self.later(id, host, held, ON_HOLD);
        }
        let Some((key, record)) = self.store.next_ready(id)? else { return Ok(NextUrl::Nothing) };
        // The wanted URLs are the first of their hosts.
        if self.session.only.as_ref().is_some_and(|only| !only.contains(&key)) {
            return Ok(NextUrl::Nothing);
        }
        let url = record.canonical_url()?;
        // The other URLs of a host out of scope are from a crawl with other seeds. They stay in the queue.
        if host.only_sitemaps && !self.other_domains.allows(&url, &record) {
            return Ok(NextUrl::Nothing);
        }
        if let Some(rule) = self.exclusion(&url, &record) {
            return Ok(NextUrl::Refused(Ready { key, url, record }, Outcome::Excluded { rule }));
        }
        // The target of a redirect keeps its parameters, because the site may need them.
        let is_page = record.role == Role::Page && record.hops == 0;
        if is_page && let Some((plain, rule)) = self.traps.without_session(&url) {
            return Ok(NextUrl::Replaced(Ready { key, url, record }, plain, rule));
        }
        let is_current = host.robots_due > self.session.clock.now();
        Ok(match host.access.as_ref().filter(|_| is_current) {
            None => NextUrl::Robots(robots_url(&url)),
            Some(Access::AllDisallowed { reason }) => {
                return self.later(id, host, self.session.clock.until(host.robots_due), reason);
            }
            Some(Access::AllAllowed) => NextUrl::Allowed(Ready { key, url, record }),
            Some(Access::Rules(rules)) => match rules.verdict(&robots_path(url.url())) {
                RobotsDecision::Allowed { .. } => NextUrl::Allowed(Ready { key, url, record }),
                RobotsDecision::Disallowed { rule } => {
                    NextUrl::Refused(Ready { key, url, record }, Outcome::Disallowed { rule })
                }
            },
        })
    }

    fn later(
        &self,
        id: HostId,
        host: &FrontierHost,
        wait: Duration,
        why: &str,
    ) -> Result<NextUrl, StoreError> {
        let until = Instant::now() + wait;
        self.session.progress.activity.pauses(&host.name, until, why);
        Ok(NextUrl::Later(Pause { until, is_awaited: self.is_awaited(id, host)? }))
    }

    /// Whether the run waits for a host before it ends. The answer is yes unless the host's robots.txt cannot
    /// be read. In that case, the host must have a seed or be the target of a seed's redirect. Also, its
    /// robots.txt must have failed only once in a row, or its next retry must be due by
    /// `SessionConfig::awaits_until`.
    fn is_awaited(&self, id: HostId, host: &FrontierHost) -> Result<bool, StoreError> {
        if !matches!(host.access, Some(Access::AllDisallowed { .. })) {
            return Ok(true);
        }
        let is_front = |(_, record): (UrlKey, UrlRecord)| record.role == Role::Front;
        let is_of_seed = host.is_seed || self.store.next_ready(id)?.is_some_and(is_front);
        let is_soon = host.robots_failures <= 1 || host.robots_due <= self.session.awaits_until;
        Ok(is_of_seed && is_soon)
    }

    /// Returns the rule that excludes a queued URL, or `None` if no rule does. Such a URL was queued before
    /// the rule existed, or because another URL redirects to it, or to recheck a trap.
    fn exclusion(&self, url: &CanonicalUrl, record: &UrlRecord) -> Option<String> {
        let (role, dated) = (record.role, record.dated);
        match self.scope.refusal(&FoundUrl { url: url.clone(), role, dated, news: false }) {
            Some(UrlRefusal::Excluded { rule }) => Some(rule),
            _ => self.traps.excludes(url, record),
        }
    }

    /// Whether a URL may be requested as far as robots.txt is concerned. Only URLs that robots.txt disallowed at
    /// the last visit are compared with the current rules. They stay disallowed until the rules are known.
    pub(crate) fn is_allowed(&self, url: &CanonicalUrl, record: &UrlRecord) -> bool {
        if !matches!(record.last, Some(Outcome::Disallowed { .. })) {
            return true;
        }
        let access = self.hosts.get(&record.host).and_then(|host| host.access.as_ref());
        access.is_some_and(|access| access.verdict(&robots_path(url.url())).is_allowed())
    }

    /// Whether a host gets no more requests in this run, because the host or its site has reached a limit.
    pub(crate) fn is_used_up(&self, host: &FrontierHost) -> bool {
        self.is_at_cap(host) || self.quota.spent(&host.site).is_some()
    }

    pub(crate) fn is_at_cap(&self, host: &FrontierHost) -> bool {
        self.page_cap() > 0 && host.requests >= self.page_cap()
    }

    /// Returns `crawl.max_pages_per_host`. 0 means no limit.
    pub(crate) fn page_cap(&self) -> u64 {
        self.config().crawl.max_pages_per_host
    }

    pub(crate) fn spend(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(&id) {
            host.requests += 1;
            self.session.progress.activity.request_started(&host.name, &host.group);
            self.quota.add_pages(&host.site, 1);
        }
        self.budget.spend(1);
    }

    /// Makes a group due after its delay. The caller has recorded the outcome of the group's URL in flight.
    pub(crate) fn release_group(&mut self, group: &GroupName) {
        let wait = self.politeness.gates.ready_in(group);
        self.session.progress.waits(wait);
        let due = Instant::now() + wait;
        self.session.progress.activity.delay(group, wait);
        self.schedule.release(group, due);
    }

    /// Whether nothing is left for which the run waits. The run waits for work that is due within
    /// `crawl.linger`, by `SessionConfig::awaits_until`, or by `holds_end`, when all partitions may get
    /// requests. It always waits for the delay of a group. It does not wait for longer back-offs, nor for
    /// hosts that [`is_awaited`](Self::is_awaited) excludes. The next run requests their URLs.
    pub(crate) fn is_idle(&self, holds_end: Option<Instant>) -> Result<bool, StoreError> {
        let clock = &self.session.clock;
        let (now, patience) = (Instant::now(), clock.until(self.session.awaits_until));
        let linger = self.config().crawl.linger.get().max(patience);
        let holds_end = holds_end.unwrap_or(now);
        let soon = |at: Instant, group| {
            at <= holds_end.max(now + linger) || at <= now + self.politeness.gates.delay(group)
        };
        if self.schedule.awaited().any(|(at, group)| soon(at, group)) {
            return Ok(false);
        }
        let until = clock.after(linger).as_second();
        let is_later = |due| i64::try_from(due).unwrap_or(i64::MAX) > until;
        Ok(self.store.next_due(WaitReason::Retry)?.is_none_or(is_later))
    }

    pub(crate) fn pause(&self) -> Duration {
        let next = self.schedule.next().map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
        next.clamp(Duration::from_millis(1), TICK)
    }
}

/// Whether pages of a host wait until a list names them again. Feeds and sitemaps that could not be read do not count.
fn has_waiting_pages(counts: &Counts) -> bool {
    let of_lists = |reason: &str| -> u64 {
        let is_same = |broken: &str| broken.split_once(": ").is_some_and(|(_, other)| other == reason);
        counts.broken_lists.iter().filter(|(broken, _)| is_same(broken)).map(|(_, count)| count).sum()
    };
    counts.outcomes.iter().any(|(reason, count)| waits_for_list(reason) && *count > of_lists(reason))
}

/// Returns the number of requests. Older versions counted only the responses with a body.
fn requests(counts: &Counts) -> u64 {
    counts.requests.max(counts.fetched)
}

/// Returns the front page of a host over http, or `None` if the name is not valid.
fn front_of(host: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(&format!("http://{host}/")).ok()
}

/// Returns the sitemaps that the robots.txt of a host names.
fn sitemaps(host: &str, access: &Access) -> Vec<CanonicalUrl> {
    let Some(front) = front_of(host) else { return Vec::new() };
    access.sitemaps().iter().filter_map(|text| front.join_location(text).ok()).collect()
}

fn robots_url(page: &CanonicalUrl) -> Url {
    let mut url = page.url().clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url
}
