//! Defines a visit: a URL in flight, from its dispatch until its outcome is in the store.

use std::sync::Arc;
use std::time::Instant;

use gleaner_extract::template::PreparedTemplate;
use gleaner_fetch::{Cookies, Response, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, ListChange, UrlKey};
use gleaner_store::{HostId, Lease, PartitionId, UrlRecord};
use jiff::Timestamp;
use url::Url;

use crate::frontier::schedule::GroupName;
use crate::page_links::RefusedLinks;
use crate::usage::UsageSource;

#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) key: UrlKey,
    pub(crate) url: CanonicalUrl,
    pub(crate) record: UrlRecord,
    pub(crate) group: GroupName,
    pub(crate) begun: Instant,
    /// The time of the dispatch. In a replay, the time at which the archived response was fetched.
    pub(crate) at: Timestamp,
    pub(crate) lease: Lease,
    pub(crate) template: Option<Arc<PreparedTemplate>>,
    /// What is stated about the use of the page.
    pub(crate) usage: UsageSource,
    /// The redirects of this visit. `None` if the visit cannot follow redirects, as in a replay.
    pub(crate) chain: Option<Chain>,
}

/// What the response of a visit contained. The default is that of a visit without a response that was read.
#[derive(Debug, Default)]
pub(crate) struct ReadSummary {
    /// Bytes of the body that was read. 0 if none was.
    pub(crate) bytes: u64,
    /// Number of links of the page that did not enter the frontier, by reason.
    pub(crate) refused: RefusedLinks,
    pub(crate) list_change: ListChange,
    /// Whether the page led to new URLs that may be articles.
    pub(crate) leads_on: bool,
}

/// What follows an event.
#[derive(Debug)]
pub(crate) enum Next {
    /// The visit has an outcome or is postponed. Its group may be requested again.
    Ended,
    /// The visit continues with this request. Its group stays busy.
    Request(OutgoingRequest),
    /// The response was sent to a worker thread. The group stays busy.
    Processing,
}

#[derive(Debug, Default)]
pub(crate) struct Chain {
    cookies: Option<Cookies>,
    hops: Vec<Hop>,
}

#[derive(Debug)]
pub(crate) struct Hop {
    pub(crate) url: CanonicalUrl,
    /// The address to request, as the redirect states it. Unlike `url`, it may have parameters that
    /// canonicalization removes, such as a session id.
    pub(crate) address: Url,
    pub(crate) cookie: Option<String>,
    pub(crate) group: GroupName,
}

#[derive(Debug)]
pub(crate) struct RobotsVisit {
    /// The URL of a host's own robots.txt, or of a robots.txt to which a host redirects.
    pub(crate) url: Url,
    pub(crate) hops: usize,
    pub(crate) group: GroupName,
    pub(crate) partition: PartitionId,
    pub(crate) lease: Lease,
    pub(crate) previous: Option<RobotsRecord>,
    /// Whether the tdmrep.json of the host is requested afterwards.
    pub(crate) with_tdmrep: bool,
}

#[derive(Debug)]
pub(crate) enum OutgoingRequest {
    Visit(Box<Visit>),
    Robots(HostId, Box<RobotsVisit>),
    RedirectedRobots(Box<RobotsVisit>),
}

impl Visit {
    fn hop(&self) -> Option<&Hop> {
        self.chain.as_ref()?.hops.last()
    }

    pub(crate) fn requested(&self) -> &CanonicalUrl {
        self.hop().map_or(&self.url, |hop| &hop.url)
    }

    pub(crate) fn address(&self) -> &Url {
        self.hop().map_or(self.url.url(), |hop| &hop.address)
    }

    pub(crate) fn is_elsewhere(&self) -> bool {
        self.requested().key() != self.key
    }

    pub(crate) fn hops(&self) -> u32 {
        let followed = self.chain.as_ref().map_or(0, |chain| chain.hops.len());
        self.record.hops.saturating_add(u32::try_from(followed).unwrap_or(u32::MAX))
    }

    pub(crate) fn cookie(&self) -> Option<String> {
        self.hop()?.cookie.clone()
    }

    pub(crate) fn requested_group(&self) -> &GroupName {
        self.hop().map_or(&self.group, |hop| &hop.group)
    }

    pub(crate) fn add_hop(&mut self, hop: Hop) {
        if let Some(chain) = &mut self.chain {
            chain.hops.push(hop);
        }
    }

    /// Stores the cookies that a redirect within the site set. Returns the address and the `Cookie` header
    /// with which this visit continues at `target`, which is the canonical form of the redirect's `Location`.
    /// Returns `None` if the visit does not continue: there are no cookies for `target` and it is not the
    /// visit's URL, or the same request was already sent.
    pub(crate) fn next_request(
        &mut self,
        target: &CanonicalUrl,
        response: &Response,
    ) -> Option<(Url, Option<String>)> {
        let (from, is_itself) = (self.address().clone(), target.key() == self.key);
        let chain = self.chain.as_mut()?;
        let cookies = chain.cookies.get_or_insert_with(|| Cookies::of_site(target.domain()));
        cookies.store(&from, response);
        let (address, cookie) = (stated_address(target, response), cookies.header(target.url()));
        let is_first = cookie.is_none() && address == *self.url.url();
        let is_known = |hop: &Hop| hop.address == address && hop.cookie == cookie;
        let is_sent = is_first || chain.hops.iter().any(is_known);
        (!is_sent && (is_itself || cookie.is_some())).then_some((address, cookie))
    }
}

/// Returns `target` with the path and query of the `Location`, so with the parameters that canonicalization
/// removed.
fn stated_address(target: &CanonicalUrl, response: &Response) -> Url {
    let mut address = target.url().clone();
    if let Some(location) = &response.location {
        address.set_path(location.path());
        address.set_query(location.query());
    }
    address
}

pub(crate) fn robots_path(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}
