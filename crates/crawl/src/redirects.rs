//! Follows redirects that set cookies, or that lead to another form of the same URL, within one visit.
//!
//! Normally the target of a redirect becomes a separate URL in the frontier, and is requested later in its
//! canonical form and without cookies. At a cookie wall, a request without the cookie is redirected again. The
//! same happens if a page redirects to itself with a parameter that canonicalization removes, such as a session
//! id. Therefore a visit continues at the address in `Location`, with the site's cookies, if the redirect stays
//! on the registrable domain, and sets a cookie for the target or leads to another form of the visit's URL:
//!
//! 1. Each redirect passes the same checks as any URL: scope, rules, robots.txt, limits of host and site,
//!    budgets. The request waits for the delay between requests. A visit follows at most
//!    `fetch.max_redirects` redirects.
//! 2. If the redirects lead back to the visit's URL, the visit ends like any other. If they end at another
//!    URL, the visit's URL gets the outcome of a redirect, and the response is processed as the page at the
//!    other URL.
//! 3. The cookies are dropped when the visit ends.
//!
//! The visit does not continue in any of these cases:
//!
//! * The visit already requested this address with the same cookies.
//! * The target is not the visit's URL, is already in the frontier, and its last visit gave a page.
//! * The target's host is in a back-off, or its robots.txt is not known.
//! * The target would have to wait longer than one delay.
//!
//! The request for a robots.txt follows its redirects with the site's cookies too ([`gleaner_fetch::Fetcher`]).
//!
//! Limitation: a redirect to another URL without a cookie is not followed within the visit, even if its target
//! sets a cookie and redirects back. A replay follows no redirects, because the archive contains every response after a
//! redirect.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_fetch::Response;
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome};
use gleaner_store::HostId;
use jiff::Timestamp;
use tracing::debug;
use url::Url;

use crate::error::CrawlError;
use crate::event::Task;
use crate::frontier::schedule::group_of_url;
use crate::pipeline::Pipeline;
use crate::rank;
use crate::recorder::revisit::is_retried;
use crate::visit::{Hop, Next, OutgoingRequest, ReadSummary, Visit, robots_path};

enum Target {
    /// The visit continues with a request for this address of the target, on this host and with this cookie.
    Here(HostId, Url, Option<String>),
    Later,
    /// The target becomes a separate URL in the frontier.
    Apart,
}

impl Pipeline {
    /// Continues a visit at the target of its redirect, if a cookie was set for it or it is another form of the
    /// visit's URL. Returns the visit if the target becomes a separate URL in the frontier.
    pub(crate) fn follow(
        &mut self,
        mut visit: Visit,
        response: &Response,
        target: &CanonicalUrl,
    ) -> Result<ControlFlow<Next, Visit>, CrawlError> {
        Ok(match self.target(&mut visit, response, target)? {
            Target::Apart => ControlFlow::Continue(visit),
            Target::Later => {
                let mut change = self.recorder.writer.begin();
                change.put_url(visit.key, &visit.record);
                self.commit(change)?;
                ControlFlow::Break(Next::Ended)
            }
            Target::Here(host, address, cookie) => {
                let request = self.hop(host, visit, target.clone(), address, cookie);
                ControlFlow::Break(Next::Request(request))
            }
        })
    }

    fn target(
        &self,
        visit: &mut Visit,
        response: &Response,
        target: &CanonicalUrl,
    ) -> Result<Target, CrawlError> {
        if target.domain() != visit.url.domain() {
            return Ok(Target::Apart);
        }
        let Some((address, cookie)) = visit.next_request(target, response) else { return Ok(Target::Apart) };
        let Some(host) = self.host_that_admits(visit, target, &address)? else { return Ok(Target::Apart) };
        if target.key() != visit.key && self.is_known_page(target)? {
            return Ok(Target::Apart);
        }
        if self.session.stop.is_requested() || self.frontier.budget.exhausted(Instant::now()).is_some() {
            return Ok(Target::Later);
        }
        if !self.membership.may_request() || self.membership.is_leaving(host) {
            return Ok(Target::Later);
        }
        let is_full = self.frontier.hosts.get(&host).is_some_and(|host| self.frontier.is_used_up(host));
        let group = group_of_url(self.session.config.fetch.gap_scope, &self.recorder.store, target);
        let is_shut =
            self.frontier.politeness.gates.ready_in(&group) > self.frontier.politeness.gates.delay(&group);
        let is_held = !self.frontier.politeness.backoffs.remaining(target.host()).is_zero();
        // The schedule can delay a visit only because of its own host or group. If another host were the
        // reason, the visit would be dispatched again after every delay between requests.
        let is_own_host = target.host() == visit.url.host();
        Ok(match (is_full || is_held, is_shut) {
            (false, false) => Target::Here(host, address, cookie),
            (true, _) if is_own_host => Target::Later,
            (false, true) if group == visit.group => Target::Later,
            _ => Target::Apart,
        })
    }

    /// Returns the target's host if it is not paused and its current robots.txt allows the address.
    fn host_that_admits(
        &self,
        visit: &Visit,
        target: &CanonicalUrl,
        address: &Url,
    ) -> Result<Option<HostId>, CrawlError> {
        let id = if target.host() == visit.url.host() {
            Some(visit.record.host)
        } else {
            self.recorder.store.host(target.host())?.map(|host| host.id)
        };
        let Some((id, host)) = id.and_then(|id| Some((id, self.frontier.hosts.get(&id)?))) else {
            return Ok(None);
        };
        let access =
            host.access.as_ref().filter(|_| host.robots_due > self.session.clock.now() && !host.paused);
        Ok(access.filter(|access| access.verdict(&robots_path(address)).is_allowed()).map(|_| id))
    }

    fn is_known_page(&self, url: &CanonicalUrl) -> Result<bool, CrawlError> {
        Ok(self.recorder.store.url(url.key())?.is_some_and(|record| !is_retried(&record)))
    }

    fn hop(
        &mut self,
        id: HostId,
        mut visit: Visit,
        url: CanonicalUrl,
        address: Url,
        cookie: Option<String>,
    ) -> OutgoingRequest {
        debug!(from = %visit.address(), to = %address, "following a redirect within the visit");
        self.spend(id, &url);
        let group = group_of_url(self.session.config.fetch.gap_scope, &self.recorder.store, &url);
        // The recorded duration of the visit does not include the wait before the request.
        visit.begun = Instant::now() + self.frontier.politeness.gates.ready_in(&group);
        visit.add_hop(Hop { url, address, cookie, group });
        visit.lease = self.recorder.store.lease_of(id);
        OutgoingRequest::Visit(Box::new(visit))
    }

    /// Whether the visit is that of a sitemap on a host out of scope.
    pub(crate) fn is_on_other_domain(&self, visit: &Visit) -> bool {
        self.frontier.hosts.get(&visit.record.host).is_some_and(|host| host.only_sitemaps)
    }

    pub(crate) fn redirect(&mut self, visit: Visit, url: CanonicalUrl, hops: u32) -> Result<(), CrawlError> {
        let mut change = self.recorder.writer.begin();
        let found = FoundUrl { url, role: visit.record.role, dated: visit.record.dated, news: false };
        let turn = self.recorder.queue_position(&found, rank::LISTING);
        // On another domain, only sitemaps that robots.txt or another sitemap names are requested.
        let depth = visit.record.depth + u32::from(self.is_on_other_domain(&visit));
        let mut leads_on = change.discover(Some(visit.record.host), &found, depth, hops, turn)?;
        // A list that names the source names the target too.
        if let Some(known) = change.url(found.url.key())?.filter(|_| !leads_on)
            && self.frontier.is_allowed(&found.url, &known)
        {
            leads_on = self.recorder.revive(&mut change, &found, known, turn, true)?;
        }
        let outcome = Outcome::Redirected { to: found.url.as_str().into() };
        self.end_visit(change, &visit, &ReadSummary { leads_on, ..ReadSummary::default() }, outcome)
    }

    pub(crate) fn ended_elsewhere(&mut self, visit: Visit) -> Result<(), CrawlError> {
        let (url, hops) = (visit.requested().clone(), visit.hops());
        self.redirect(visit, url, hops)
    }

    /// Ends a visit whose redirects led to a 2xx response at another URL. Sends the response to a worker
    /// thread as a page of the other URL, unless that URL is a known page. The visit continues if the response
    /// was sent.
    pub(crate) fn read_elsewhere(
        &mut self,
        visit: Visit,
        response: Box<Response>,
        fetched: Timestamp,
    ) -> Result<Next, CrawlError> {
        let (url, hops, at) = (visit.requested().clone(), visit.hops(), visit.at);
        let group = visit.group.clone();
        // A URL that always redirected before may be a page now.
        let is_page = self.is_known_page(&url)?;
        self.redirect(visit, url.clone(), hops)?;
        let record = if is_page { None } else { self.recorder.store.url(url.key())? };
        let Some(record) = record.filter(|record| self.frontier.hosts.contains_key(&record.host)) else {
            // The response is counted here, because no worker thread gets it.
            self.session.progress.responses.fetch_add(1, Ordering::Relaxed);
            return Ok(Next::Ended);
        };
        let visit = Visit {
            key: url.key(),
            group,
            begun: Instant::now(),
            at,
            lease: self.recorder.store.lease_of(record.host),
            template: self.learner.template(record.host),
            usage: self.frontier.usage_of(record.host),
            chain: None,
            url,
            record,
        };
        // The send fails if all worker threads have ended. The frontier then still has the URL.
        let sent = self.tasks.send(Task::Process(Box::new(visit), response, fetched));
        Ok(if sent.is_ok() { Next::Processing } else { Next::Ended })
    }
}
