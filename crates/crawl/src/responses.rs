//! Handles responses with a status other than 2xx, and failed requests.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gleaner_fetch::{BackoffStart, FetchError, Response};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, TOO_MANY_REDIRECTS, UrlRefusal};
use gleaner_store::UrlRecord;
use tracing::debug;

use crate::error::CrawlError;
use crate::pipeline::Pipeline;
use crate::visit::{Next, Visit};

/// Factor for `fetch.retries` while a host returns only 429 or 503.
const PUSHED_BACK: u32 = 4;
const MAX_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

impl Pipeline {
    /// Ends or postpones a visit after a response other than 2xx. The visit continues if it
    /// follows a redirect.
    pub(crate) fn not_read(&mut self, visit: Visit, response: Response) -> Result<Next, CrawlError> {
        self.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        match response.status {
            301 | 302 | 303 | 307 | 308 => self.redirected(visit, &response),
            _ => self.refused(visit, &response).map(|()| Next::Ended),
        }
    }

    fn refused(&mut self, visit: Visit, response: &Response) -> Result<(), CrawlError> {
        match response.status {
            429 | 503 => self.pushed_back(visit, response),
            408 | 425 | 500.. => {
                let (reason, retries) =
                    (format!("http_{}", response.status), self.session.config.fetch.retries);
                self.retry_or_fail(visit, reason, retries, Duration::ZERO)
            }
            _ if visit.is_elsewhere() => self.ended_elsewhere(visit),
            304 => self.finish(visit, Outcome::Unchanged),
            404 | 410 => {
                let mut change = self.recorder.writer.begin();
                change.mark_gone(visit.key, visit.at)?;
                self.finish_within(change, visit, Outcome::Gone { status: response.status })
            }
            400..=499 => self.finish(visit, Outcome::Rejected { status: response.status }),
            status => self.finish(visit, Outcome::Failed { reason: format!("http_{status}") }),
        }
    }

    /// Handles 429 or 503. The host gets no requests for the time that it requested. The URL is retried after
    /// a further pause, so that other URLs come first. If all responses of the host are 429 or 503, the
    /// maximum number of retries is four times as high.
    fn pushed_back(&mut self, visit: Visit, response: &Response) -> Result<(), CrawlError> {
        let held = response.held.unwrap_or(BackoffStart { time: Duration::ZERO, others_answered: false });
        let reason = format!("http_{}", response.status);
        debug!(url = %visit.url, reason, ?held, "the host asked to wait");
        self.record_backoff(&visit, held.time)?;
        let factor = if held.others_answered { 1 } else { PUSHED_BACK };
        let tries = self.session.config.fetch.retries.saturating_mul(factor);
        self.retry_or_fail(visit, reason, tries, held.time)?;
        self.recorder.flush_rules()
    }

    pub(crate) fn failed(&mut self, visit: Visit, error: &FetchError) -> Result<(), CrawlError> {
        match error {
            permanent if visit.is_elsewhere() && !permanent.is_transient() => self.ended_elsewhere(visit),
            FetchError::TooLarge { limit } => self.finish(visit, Outcome::TooLarge { limit: *limit }),
            // An ordinary link may lead to a feed. Then the URL is requested again as a feed.
            FetchError::WrongType { content_type } if is_feed(content_type) => {
                let mut change = self.recorder.writer.begin();
                change.put_url(visit.key, &UrlRecord { role: Role::Feed, ..visit.record });
                self.commit(change)
            }
            FetchError::WrongType { content_type } => {
                self.finish(visit, Outcome::WrongType { content_type: content_type.clone() })
            }
            FetchError::PrivateAddress { .. } => self.finish(visit, Outcome::PrivateAddress),
            // No request was sent. The URL stays ready, and this does not count as a retry.
            FetchError::NotPermitted => {
                self.give_back(visit.requested());
                Ok(())
            }
            other if other.is_transient() => {
                // Like a 503, a failed connection can cause a back-off.
                let backoff = self.frontier.politeness.backoffs.remaining(visit.requested().host());
                if !backoff.is_zero() {
                    self.record_backoff(&visit, backoff)?;
                }
                self.retry_or_fail(visit, other.label().into(), self.session.config.fetch.retries, backoff)
            }
            other => self.finish(visit, Outcome::Failed { reason: other.label().into() }),
        }
    }

    fn record_backoff(&mut self, visit: &Visit, backoff: Duration) -> Result<(), CrawlError> {
        let mut change = self.recorder.writer.begin();
        let mut host = change.host(visit.requested().host(), visit.requested().domain())?;
        host.hold_until(self.session.clock.after(backoff));
        change.put_host(&host);
        self.commit(change)
    }

    /// Schedules a retry after `backoff` plus a pause that doubles with each retry. After `most` retries, the
    /// visit fails.
    fn retry_or_fail(
        &mut self,
        mut visit: Visit,
        reason: String,
        most: u32,
        backoff: Duration,
    ) -> Result<(), CrawlError> {
        let tries = visit.record.tries;
        if tries >= most {
            return self.finish(visit, Outcome::Failed { reason });
        }
        let doubled = self.session.config.fetch.retry_backoff.get().saturating_mul(1 << tries.min(20));
        let pause = backoff.saturating_add(doubled.min(MAX_PAUSE));
        debug!(url = %visit.url, reason, ?pause, "will be retried");
        self.session.progress.activity.waits(visit.url.host(), &reason);
        visit.record.tries += 1;
        visit.record.failure = Some(reason);
        let mut change = self.recorder.writer.begin();
        change.retry(visit.key, visit.record, self.session.clock.after(pause))?;
        self.commit(change)
    }

    /// Continues the visit at the target if a cookie was set for it, or if it is another form of the visit's URL.
    /// Otherwise queues the target.
    fn redirected(&mut self, visit: Visit, response: &Response) -> Result<Next, CrawlError> {
        let target = match self.redirect_target(&visit, response) {
            Ok(target) => target,
            Err(outcome) => return self.finish(visit, outcome).map(|()| Next::Ended),
        };
        let is_itself = target.key() == visit.key;
        if is_itself && visit.hops() == visit.record.hops && target.as_str() != visit.record.url {
            let mut change = self.recorder.writer.begin();
            change.rename(visit.key, visit.record, &target)?;
            return self.commit(change).map(|()| Next::Ended);
        }
        let visit = match self.follow(visit, response, &target)? {
            ControlFlow::Continue(visit) => visit,
            ControlFlow::Break(progress) => return Ok(progress),
        };
        if is_itself {
            self.finish(visit, refused_redirect(target.as_str(), "redirect_to_itself"))?;
        } else {
            let hops = visit.hops() + 1;
            self.redirect(visit, target, hops)?;
        }
        Ok(Next::Ended)
    }

    /// Returns the target of a redirect, or the outcome of the visit if the target may not be requested.
    fn redirect_target(&self, visit: &Visit, response: &Response) -> Result<CanonicalUrl, Outcome> {
        let Some(location) = &response.location else {
            return Err(Outcome::Failed { reason: "redirect_without_location".into() });
        };
        let refuse = |reason: &str| refused_redirect(location.as_str(), reason);
        let target = CanonicalUrl::parse(location.as_str()).map_err(|refusal| refuse(&refusal.label()))?;
        if visit.hops() >= self.session.config.fetch.max_redirects {
            return Err(refuse(TOO_MANY_REDIRECTS));
        }
        let found = FoundUrl { url: target.clone(), role: visit.record.role, dated: None, news: false };
        match self.frontier.scope.refusal(&found) {
            // A sitemap on another domain may move within its host.
            Some(UrlRefusal::OutOfScope)
                if self.is_on_other_domain(visit) && target.host() == visit.url.host() =>
            {
                Ok(target)
            }
            Some(refusal) => Err(refuse(&refusal.label())),
            None => Ok(target),
        }
    }
}

fn refused_redirect(to: &str, reason: &str) -> Outcome {
    Outcome::RedirectRefused { to: to.into(), reason: reason.into() }
}

fn is_feed(content_type: &str) -> bool {
    ["rss+xml", "atom+xml", "rdf+xml", "feed+json"].iter().any(|feed| content_type.contains(feed))
}
