//! Redirects that set a cookie, followed within one visit.
//!
//! A redirect's target is a URL of its own, asked in its turn and without cookies. Behind a
//! cookie wall that leads nowhere: the target redirects again, or is the page itself. So
//! where a redirect within a site (one registrable domain) has left a cookie for its
//! target, the same visit goes on there with the site's cookies:
//!
//! 1. Each hop is judged as any URL is: by scope, by the robots.txt that is known of its
//!    host, by `crawl.max_pages_per_host` and the budgets; it waits a gap at its gate, and
//!    there are `fetch.max_redirects` of them at most.
//! 2. A chain that comes back to its URL ends as any visit of it. One that ends elsewhere
//!    is a redirect to there; the page that came is read as that URL's if it is new, so
//!    that it is not asked for twice.
//! 3. With the visit the cookies are forgotten.
//!
//! What ends a chain as a redirect that is not followed here: a target that the same
//! cookies were sent to before, a page that is known already, a host whose robots.txt is
//! not known, a host on hold, a gate that is shut for longer than a gap.
//!
//! Limitation: a redirect to another address of the site that sets no cookie begins
//! no chain, even if that address sets one and leads back. And a replay of the archive
//! follows nothing: the answers of a chain are in it one by one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_fetch::{Cookies, Response};
use gleaner_frontier::{CanonicalUrl, Found, Outcome, Sight};
use gleaner_store::HostId;
use jiff::Timestamp;
use tracing::debug;

use crate::dispatch::{path_of, span_of};
use crate::error::CrawlError;
use crate::extraction::rank;
use crate::hosts::group_of_url;
use crate::job::{Outgoing, Task, Visit};
use crate::owner::Owner;
use crate::schedule::GroupName;

/// The redirects of one visit that were followed.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    cookies: Option<Cookies>,
    hops: Vec<Hop>,
}

/// One of them.
#[derive(Debug)]
struct Hop {
    url: CanonicalUrl,
    cookie: String,
    group: GroupName,
}

/// How a redirect goes on.
enum Next {
    /// In the same visit, at this host and with this cookie.
    Here(HostId, String),
    /// Not now: the visit begins again later.
    Later,
    /// As a URL of its own.
    Apart,
}

impl Visit {
    fn hop(&self) -> Option<&Hop> {
        self.chain.as_ref()?.hops.last()
    }

    /// The URL that is asked: its own, or where its redirects have led.
    pub(crate) fn asked(&self) -> &CanonicalUrl {
        self.hop().map_or(&self.url, |hop| &hop.url)
    }

    /// Whether redirects have led to another page.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.asked().key() != self.key
    }

    /// Redirects on the way from the URL that was found to the one that is asked.
    pub(crate) fn hops(&self) -> u32 {
        let followed = self.chain.as_ref().map_or(0, |chain| chain.hops.len());
        self.record.hops.saturating_add(u32::try_from(followed).unwrap_or(u32::MAX))
    }

    /// The `Cookie` of the request.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.hop().map(|hop| hop.cookie.clone())
    }

    /// The group at whose gate the request waits.
    pub(crate) fn gate(&self) -> &GroupName {
        self.hop().map_or(&self.group, |hop| &hop.group)
    }

    /// Heeds the cookies of a redirect to `target`, a URL of the same site. Gives those to be
    /// sent there; `None`: there are none, or they were sent there before.
    fn cookie_for(&mut self, target: &CanonicalUrl, response: &Response) -> Option<String> {
        let from = self.asked().url().clone();
        let chain = self.chain.as_mut()?;
        let cookies = chain.cookies.get_or_insert_with(|| Cookies::of_site(target.domain()));
        cookies.store(&from, response);
        let cookie = cookies.header(target.url())?;
        let is_known = |hop: &Hop| hop.url.as_str() == target.as_str() && hop.cookie == cookie;
        (!chain.hops.iter().any(is_known)).then_some(cookie)
    }
}

impl Owner {
    /// Goes on with a visit at the target of its redirect, if a cookie was set for it.
    pub(crate) fn follow(
        &mut self,
        mut visit: Visit,
        response: &Response,
        target: &CanonicalUrl,
    ) -> Result<Followed, CrawlError> {
        Ok(match self.next(&mut visit, response, target)? {
            Next::Apart => Followed::Apart(Box::new(visit)),
            Next::Later => {
                let mut change = self.writer.begin();
                change.keep_ready(visit.key, &visit.record);
                self.commit(change)?;
                Followed::Later(visit.group)
            }
            Next::Here(host, cookie) => {
                self.hop(host, visit, target.clone(), cookie);
                Followed::Here
            }
        })
    }

    fn next(
        &self,
        visit: &mut Visit,
        response: &Response,
        target: &CanonicalUrl,
    ) -> Result<Next, CrawlError> {
        if target.domain() != visit.url.domain() {
            return Ok(Next::Apart);
        }
        let Some(cookie) = visit.cookie_for(target, response) else { return Ok(Next::Apart) };
        let Some(host) = self.host_that_admits(visit, target)? else { return Ok(Next::Apart) };
        if target.key() != visit.key && self.is_known_page(target)? {
            return Ok(Next::Apart);
        }
        if self.stop.asked() || self.budget.empty(Instant::now()).is_some() {
            return Ok(Next::Later);
        }
        if !self.may_ask() || self.is_leaving(host) {
            return Ok(Next::Later);
        }
        let cap = self.config.crawl.max_pages_per_host;
        let is_full = cap > 0 && self.hosts.get(host).is_some_and(|host| host.fetched >= cap);
        let group = group_of_url(self.config.fetch.gap_scope, &self.store, target);
        let is_shut = self.politeness.gates.ready_in(&group) > self.hosts.gap(&group);
        let is_held = !self.politeness.holds.remaining(target.host()).is_zero();
        // The schedule waits for what concerns the visit's own host or gate before the visit
        // begins again; for another host it would not, and the visit would come at every gap.
        let is_own_host = target.host() == visit.url.host();
        Ok(match (is_full || is_held, is_shut) {
            (false, false) => Next::Here(host, cookie),
            (true, _) if is_own_host => Next::Later,
            (false, true) if group == visit.group => Next::Later,
            _ => Next::Apart,
        })
    }

    /// The host of a redirect's target, if it can be asked and its robots.txt, as it is
    /// known, allows the target.
    fn host_that_admits(&self, visit: &Visit, target: &CanonicalUrl) -> Result<Option<HostId>, CrawlError> {
        let id = if target.host() == visit.url.host() {
            Some(visit.record.host)
        } else {
            self.store.host(target.host())?.map(|host| host.id)
        };
        let Some((id, host)) = id.and_then(|id| Some((id, self.hosts.get(id)?))) else { return Ok(None) };
        let access = host.access.as_ref().filter(|_| host.robots_due > self.clock.now() && !host.paused);
        Ok(access.filter(|access| access.verdict(&path_of(target)).is_allowed()).map(|_| id))
    }

    /// Whether the frontier has the URL as a page, which is then asked in its own turn. An
    /// address that was seen to redirect is none.
    fn is_known_page(&self, url: &CanonicalUrl) -> Result<bool, CrawlError> {
        let last = self.store.url(url.key())?.map(|record| record.last);
        let redirects = |last: &Option<Outcome>| {
            matches!(last, Some(Outcome::Redirected { .. } | Outcome::RedirectRefused { .. }))
        };
        Ok(last.is_some_and(|last| !redirects(&last)))
    }

    fn hop(&mut self, id: HostId, mut visit: Visit, url: CanonicalUrl, cookie: String) {
        debug!(from = %visit.asked(), to = %url, "follows a redirect with its cookies");
        if let Some(host) = self.hosts.get_mut(id) {
            host.fetched += 1;
            self.progress.live.asks(&host.name);
        }
        self.budget.spend(1);
        let group = group_of_url(self.config.fetch.gap_scope, &self.store, &url);
        // The gap is no time that the visit took.
        visit.begun = Instant::now() + self.politeness.gates.ready_in(&group);
        if let Some(chain) = &mut visit.chain {
            chain.hops.push(Hop { url, cookie, group });
        }
        visit.lease = self.store.lease_of(id);
        self.outgoing.push(Outgoing::Visit(Box::new(visit)));
    }

    /// A redirect to a URL of its own. `hops`: on the way to it.
    pub(crate) fn redirect(
        &mut self,
        visit: Visit,
        url: CanonicalUrl,
        hops: u32,
    ) -> Result<GroupName, CrawlError> {
        let mut change = self.writer.begin();
        let found = Found { url, role: visit.record.role, dated: visit.record.dated, news: false };
        let turn = self.turn_of(&found, rank::LISTING);
        change.discover_at(visit.record.host, &found, visit.record.depth, hops, turn)?;
        let outcome = Outcome::Redirected { to: found.url.as_str().into() };
        self.finish_with(change, visit, outcome, 0, None)
    }

    /// A visit ends at another URL than its own.
    pub(crate) fn ended_elsewhere(&mut self, visit: Visit) -> Result<GroupName, CrawlError> {
        let (url, hops) = (visit.asked().clone(), visit.hops());
        self.redirect(visit, url, hops)
    }

    /// The same with an answer of 2xx, which is read as that URL's unless that is a known page. `None`: it is
    /// being read.
    pub(crate) fn arrived(
        &mut self,
        visit: Visit,
        response: Box<Response>,
        fetched: Timestamp,
    ) -> Result<Option<GroupName>, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        let (url, hops, at) = (visit.asked().clone(), visit.hops(), visit.at);
        // An address that only redirected until now gives its page at last.
        let is_page = self.is_known_page(&url)?;
        let group = self.redirect(visit, url.clone(), hops)?;
        let record = if is_page { None } else { self.store.url(url.key())? };
        let Some(record) = record else { return Ok(Some(group)) };
        let Some(host) = self.hosts.get(record.host) else { return Ok(Some(group)) };
        let visit = Visit {
            key: url.key(),
            span: span_of(&url, record.role),
            group: Arc::clone(&group),
            begun: Instant::now(),
            at,
            lease: self.store.lease_of(record.host),
            sight: Sight::Same,
            template: host.template.clone(),
            chain: None,
            url,
            record,
        };
        // A closed channel means that no worker is left; the URL is in the frontier.
        let sent = self.tasks.send(Task::Answer(Box::new(visit), response, fetched));
        Ok(sent.is_err().then_some(group))
    }
}

/// What became of a redirect.
pub(crate) enum Followed {
    /// The visit goes on.
    Here,
    /// It begins again later; its group may be asked.
    Later(GroupName),
    /// Its target is a URL of its own.
    Apart(Box<Visit>),
}
