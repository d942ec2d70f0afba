//! Applies the response to a host's robots.txt.

use gleaner_fetch::{Access, RobotsAnswer, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::HostId;
use url::Url;

use crate::error::CrawlError;
use crate::frontier::FrontierHost;
use crate::pipeline::Pipeline;
use crate::rank;
use crate::redirected_robots::waits_for;

impl Pipeline {
    /// Applies the response to a robots.txt request, or forwards a redirect to another partition.
    pub(crate) fn robots_answered(
        &mut self,
        id: HostId,
        origin: &Url,
        answer: RobotsAnswer,
    ) -> Result<(), CrawlError> {
        match answer {
            RobotsAnswer::Record(record) => self.record_robots(id, origin, &record),
            RobotsAnswer::Elsewhere { url, hops } => {
                let Some(host) = self.frontier.hosts.get(&id) else { return Ok(()) };
                let previous = self.recorder.store.robots::<RobotsRecord>(&host.name)?;
                let now = self.session.clock.now();
                let waits = RobotsRecord::failed(waits_for(&url), previous.as_ref(), now);
                self.record_robots(id, origin, &waits)?;
                self.request_elsewhere(origin, &url, u32::try_from(hops).unwrap_or(u32::MAX)).map(drop)
            }
            // The lease has ended. The partition's next worker requests the file.
            RobotsAnswer::NotPermitted => Ok(()),
        }
    }

    /// Stores a host's robots.txt before any page of the host is requested, because a `Crawl-delay` must
    /// survive a crash.
    pub(crate) fn record_robots(
        &mut self,
        id: HostId,
        origin: &Url,
        record: &RobotsRecord,
    ) -> Result<(), CrawlError> {
        self.frontier.apply_robots(id, record);
        if let Some(host) = self.frontier.hosts.get_mut(&id) {
            host.robots_failures = record.failures();
        }
        let Some(host) = self.frontier.hosts.get(&id) else { return Ok(()) };
        let mut change = self.recorder.writer.begin();
        change.put_robots(&host.name, record);
        let held = self.frontier.politeness.backoffs.remaining(&host.name);
        if !held.is_zero()
            && let Some(mut known) = self.recorder.store.host(&host.name)?
        {
            known.hold_until(self.session.clock.after(held));
            change.put_host(&known);
        }
        for url in self.sitemaps(id, host, origin) {
            let found = FoundUrl { url, role: Role::Sitemap, dated: None, news: false };
            change.discover(Some(id), &found, 0, 0, self.recorder.queue_position(&found, rank::LISTING))?;
        }
        self.commit(change)?;
        self.load_other_domains(id)?;
        self.recorder.flush_rules()
    }

    /// Loads the known hosts on other domains whose sitemaps the robots.txt of a host names.
    fn load_other_domains(&mut self, by: HostId) -> Result<(), CrawlError> {
        for url in self.frontier.other_domains.named_by(by).to_vec() {
            let store = &self.recorder.store;
            let Some(record) = store.host(url.host())? else { continue };
            let is_own = store.held_partitions().contains(&store.partition_of(record.id));
            if is_own && !self.frontier.hosts.contains_key(&record.id) {
                self.admit(&record)?;
                self.frontier.restart(&record)?;
            }
        }
        Ok(())
    }

    /// Returns the sitemaps that robots.txt names: those in scope, and a limited number of those on other domains. If
    /// it names none and a seed is on the host, returns `/sitemap.xml`.
    fn sitemaps(&self, id: HostId, host: &FrontierHost, origin: &Url) -> Vec<CanonicalUrl> {
        let Some(access) = &host.access else { return Vec::new() };
        let in_scope = |url: &CanonicalUrl| self.frontier.scope.contains(url);
        let named: Vec<CanonicalUrl> = CanonicalUrl::parse(origin.as_str())
            .map(|origin| {
                access.sitemaps().iter().filter_map(|text| origin.join_location(text).ok()).collect()
            })
            .unwrap_or_default();
        let elsewhere = self.frontier.other_domains.named_by(id).iter().cloned();
        let named: Vec<CanonicalUrl> = named.into_iter().filter(in_scope).chain(elsewhere).collect();
        let forbids_all = matches!(access, Access::AllDisallowed { .. });
        if !named.is_empty() || forbids_all || !host.is_seed {
            return named;
        }
        parsed_at(origin, "/sitemap.xml").into_iter().filter(in_scope).collect()
    }
}

fn parsed_at(origin: &Url, text: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(origin.join(text).ok()?.as_str()).ok()
}
