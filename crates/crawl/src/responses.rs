//! Answers that are no page to be read: statuses, redirects, failures.

use std::sync::atomic::Ordering;
use std::time::Duration;

use gleaner_fetch::{FetchError, Held, Response};
use gleaner_frontier::{CanonicalUrl, Outcome, Role};
use gleaner_store::UrlRecord;
use tracing::debug;

use crate::chain::Followed;
use crate::error::CrawlError;
use crate::job::Visit;
use crate::owner::Owner;
use crate::schedule::GroupName;

/// While a host answers nothing but 429 or 503, a URL of it may fail this many times as often.
const PUSHED_BACK: u32 = 4;
/// A failed URL is tried again after at most this time.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

impl Owner {
    /// Ends the visit of a URL that was answered with another status than 2xx, or puts it off.
    /// `None`: it goes on where it was redirected to.
    pub(crate) fn answered(
        &mut self,
        visit: Visit,
        response: Response,
    ) -> Result<Option<GroupName>, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        match response.status {
            301 | 302 | 303 | 307 | 308 => self.redirected(visit, &response),
            _ => self.refused(visit, &response).map(Some),
        }
    }

    fn refused(&mut self, visit: Visit, response: &Response) -> Result<GroupName, CrawlError> {
        match response.status {
            429 | 503 => self.pushed_back(visit, response),
            408 | 425 | 500.. => self.failed_for(visit, format!("http_{}", response.status)),
            _ if visit.is_elsewhere() => self.ended_elsewhere(visit),
            304 => self.finish(visit, Outcome::Unchanged),
            404 | 410 => {
                let mut change = self.writer.begin();
                change.mark_gone(visit.key, visit.at)?;
                self.finish_with(change, visit, Outcome::Gone { status: response.status }, 0, None)
            }
            400..=499 => self.finish(visit, Outcome::Rejected { status: response.status }),
            status => self.finish(visit, Outcome::Failed { reason: format!("http_{status}") }),
        }
    }

    /// 429 or 503: the host is left alone for as long as it asks. The URL is asked again after
    /// the hold and a pause of its own, so that other URLs come first. While those are
    /// answered, it may fail as often as for any other reason; while none is, the trouble is
    /// the host's, and it may fail four times as often.
    fn pushed_back(&mut self, visit: Visit, response: &Response) -> Result<GroupName, CrawlError> {
        let held = response.held.unwrap_or(Held { time: Duration::ZERO, others_answered: false });
        let reason = format!("http_{}", response.status);
        debug!(url = %visit.url, reason, ?held, "pushed back");
        self.record_hold(&visit, held.time)?;
        let factor = if held.others_answered { 1 } else { PUSHED_BACK };
        let tries = self.config.fetch.retries.saturating_mul(factor);
        let group = self.again_or_failed(visit, reason, tries, held.time)?;
        self.flush_rules()?;
        Ok(group)
    }

    /// The same of one that was not answered usably.
    pub(crate) fn failed(&mut self, visit: Visit, error: &FetchError) -> Result<GroupName, CrawlError> {
        match error {
            permanent if visit.is_elsewhere() && !permanent.is_transient() => self.ended_elsewhere(visit),
            FetchError::TooLarge { limit } => self.finish(visit, Outcome::TooLarge { limit: *limit }),
            // A feed that a page links to like any other page: asked again as what it is.
            FetchError::WrongType { content_type } if is_feed(content_type) => {
                let mut change = self.writer.begin();
                change.keep_ready(visit.key, &UrlRecord { role: Role::Feed, ..visit.record });
                self.commit(change)?;
                Ok(visit.group)
            }
            FetchError::WrongType { content_type } => {
                self.finish(visit, Outcome::WrongType { content_type: content_type.clone() })
            }
            FetchError::PrivateAddress { .. } => self.finish(visit, Outcome::PrivateAddress),
            // It says nothing of the page, which stays as it was: ready, with all its tries.
            FetchError::NotPermitted => {
                if let Some(host) = self.hosts.get_mut(visit.record.host) {
                    host.fetched = host.fetched.saturating_sub(1);
                }
                Ok(visit.group)
            }
            other if other.is_transient() => {
                // A connection that fails holds the host as a 503 does.
                let hold = self.politeness.holds.remaining(visit.asked().host());
                if !hold.is_zero() {
                    self.record_hold(&visit, hold)?;
                }
                self.again_or_failed(visit, other.label().into(), self.config.fetch.retries, hold)
            }
            other => self.finish(visit, Outcome::Failed { reason: other.label().into() }),
        }
    }

    fn failed_for(&mut self, visit: Visit, reason: String) -> Result<GroupName, CrawlError> {
        self.again_or_failed(visit, reason, self.config.fetch.retries, Duration::ZERO)
    }

    /// Notes in the store that the host that was asked is left alone for `hold`.
    fn record_hold(&mut self, visit: &Visit, hold: Duration) -> Result<(), CrawlError> {
        let mut change = self.writer.begin();
        let mut host = change.host(visit.asked().host(), visit.asked().domain())?;
        host.held_until = Some(self.clock.after(hold));
        change.put_host(&host);
        self.commit(change)
    }

    /// Another try after `hold` and a pause that doubles, or the end of `most` tries.
    fn again_or_failed(
        &mut self,
        mut visit: Visit,
        reason: String,
        most: u32,
        hold: Duration,
    ) -> Result<GroupName, CrawlError> {
        let tries = visit.record.tries;
        if tries >= most {
            return self.finish(visit, Outcome::Failed { reason });
        }
        let doubled = self.config.fetch.retry_backoff.get().saturating_mul(1 << tries.min(20));
        let pause = hold.saturating_add(doubled.min(LONGEST_PAUSE));
        debug!(url = %visit.url, reason, ?pause, "will be tried again");
        self.progress.live.waits(visit.url.host(), &reason);
        visit.record.tries += 1;
        let mut change = self.writer.begin();
        change.retry(visit.key, visit.record, self.clock.after(pause))?;
        self.commit(change)?;
        Ok(visit.group)
    }

    /// A hop of a redirect is a URL of its own, judged like any other; but where a cookie was
    /// set for it, the visit goes on there.
    fn redirected(&mut self, visit: Visit, response: &Response) -> Result<Option<GroupName>, CrawlError> {
        let Some(location) = &response.location else {
            let outcome = Outcome::Failed { reason: "redirect_without_location".into() };
            return self.finish(visit, outcome).map(Some);
        };
        let refuse =
            |reason: &str| Outcome::RedirectRefused { to: location.to_string(), reason: reason.into() };
        let target = match CanonicalUrl::parse(location.as_str()) {
            Ok(target) => target,
            Err(refusal) => return self.finish(visit, refuse(refusal.label())).map(Some),
        };
        if visit.hops() >= self.config.fetch.max_redirects {
            return self.finish(visit, refuse("too_many_redirects")).map(Some);
        }
        if !self.scope.contains(&target) {
            return self.finish(visit, refuse("out_of_scope")).map(Some);
        }
        let is_itself = target.key() == visit.key;
        if is_itself && visit.hops() == visit.record.hops && target.as_str() != visit.record.url {
            let mut change = self.writer.begin();
            change.rename(visit.key, visit.record, &target)?;
            self.commit(change)?;
            return Ok(Some(visit.group));
        }
        let visit = match self.follow(visit, response, &target)? {
            Followed::Here => return Ok(None),
            Followed::Later(group) => return Ok(Some(group)),
            Followed::Apart(visit) => *visit,
        };
        if is_itself {
            return self.finish(visit, refuse("redirect_to_itself")).map(Some);
        }
        let hops = visit.hops() + 1;
        self.redirect(visit, target, hops).map(Some)
    }
}

/// Media types of feeds.
fn is_feed(content_type: &str) -> bool {
    ["rss+xml", "atom+xml", "rdf+xml", "feed+json"].iter().any(|feed| content_type.contains(feed))
}
