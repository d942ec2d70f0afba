//! Answers that are no page to be read: statuses, redirects, failures.

use std::sync::atomic::Ordering;

use gleaner_fetch::{FetchError, Response};
use gleaner_frontier::{CanonicalUrl, Found, Outcome, Role};
use gleaner_store::UrlRecord;
use tracing::debug;
use url::Url;

use crate::job::Visit;
use crate::owner::Owner;
use crate::pipeline::CrawlError;
use crate::reading::rank;
use crate::schedule::GroupName;

/// A URL may be answered with 429 or 503 this many times as often as it may fail.
const PUSHED_BACK: u32 = 4;

impl Owner {
    /// Ends the visit of a URL that was answered with another status than 2xx, or puts it off.
    pub(crate) fn answered(&mut self, visit: Visit, response: Response) -> Result<GroupName, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        match response.status {
            304 => self.finish(visit, Outcome::Unchanged),
            301 | 302 | 303 | 307 | 308 => self.redirected(visit, response.location),
            404 | 410 => {
                let mut change = self.writer.begin();
                change.mark_gone(visit.key, visit.at)?;
                self.finish_with(change, visit, Outcome::Gone { status: response.status }, 0, None)
            }
            429 | 503 => self.pushed_back(visit, &response),
            408 | 425 | 500.. => self.again_or_failed(visit, format!("http_{}", response.status)),
            400..=499 => self.finish(visit, Outcome::Rejected { status: response.status }),
            status => self.finish(visit, Outcome::Failed { reason: format!("http_{status}") }),
        }
    }

    /// 429 or 503: the whole group is left alone for as long as it asks. The URL keeps
    /// its place in the queue, so that a busy hour does not cost an article.
    fn pushed_back(&mut self, visit: Visit, response: &Response) -> Result<GroupName, CrawlError> {
        let hold = response.hold.unwrap_or_default();
        debug!(url = %visit.url, status = response.status, ?hold, "asked to wait");
        self.progress.live.waits(visit.url.host(), &format!("http_{}", response.status));
        let mut change = self.writer.begin();
        let mut host = change.host(visit.url.host(), visit.url.domain())?;
        host.held_until = Some(self.clock.after(hold));
        change.put_host(&host);
        let tries = visit.record.tries;
        if tries >= self.config.fetch.retries.saturating_mul(PUSHED_BACK) {
            self.commit(change)?;
            return self.finish(visit, Outcome::Failed { reason: format!("http_{}", response.status) });
        }
        change.keep_ready(visit.key, &UrlRecord { tries: tries + 1, ..visit.record });
        self.commit(change)?;
        self.flush_rules()?;
        Ok(visit.group)
    }

    /// The same of one that was not answered usably.
    pub(crate) fn failed(&mut self, visit: Visit, error: &FetchError) -> Result<GroupName, CrawlError> {
        match error {
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
            // The host, or our own way to the network: other URLs would fail as well.
            FetchError::Dns(_) | FetchError::Connect(_) | FetchError::BadProxy(_) => {
                self.fetching.fetcher.gates().back_off(&visit.group, None);
                self.again_or_failed(visit, error.label().into())
            }
            other if other.is_transient() => self.again_or_failed(visit, other.label().into()),
            other => self.finish(visit, Outcome::Failed { reason: other.label().into() }),
        }
    }

    /// Another try after a pause that doubles, or the end of the tries.
    fn again_or_failed(&mut self, mut visit: Visit, reason: String) -> Result<GroupName, CrawlError> {
        let tries = visit.record.tries;
        if tries >= self.config.fetch.retries {
            return self.finish(visit, Outcome::Failed { reason });
        }
        let pause = self.config.fetch.retry_backoff.get().saturating_mul(1 << tries.min(20));
        debug!(url = %visit.url, reason, ?pause, "will be tried again");
        self.progress.live.waits(visit.url.host(), &reason);
        visit.record.tries += 1;
        let mut change = self.writer.begin();
        change.retry(visit.key, visit.record, self.clock.after(pause))?;
        self.commit(change)?;
        Ok(visit.group)
    }

    /// A hop of a redirect is a URL of its own, judged like any other.
    fn redirected(&mut self, visit: Visit, location: Option<Url>) -> Result<GroupName, CrawlError> {
        let Some(location) = location else {
            return self.finish(visit, Outcome::Failed { reason: "redirect_without_location".into() });
        };
        let refuse =
            |reason: &str| Outcome::RedirectRefused { to: location.to_string(), reason: reason.into() };
        let target = match CanonicalUrl::parse(location.as_str()) {
            Ok(target) => target,
            Err(refusal) => return self.finish(visit, refuse(refusal.label())),
        };
        if visit.record.hops >= self.config.fetch.max_redirects {
            return self.finish(visit, refuse("too_many_redirects"));
        }
        if !self.scope.contains(&target) {
            return self.finish(visit, refuse("out_of_scope"));
        }
        if target.key() == visit.key {
            if target.as_str() == visit.record.url {
                return self.finish(visit, refuse("redirect_to_itself"));
            }
            let mut change = self.writer.begin();
            change.rename(visit.key, visit.record, &target)?;
            self.commit(change)?;
            return Ok(visit.group);
        }
        let mut change = self.writer.begin();
        let found = Found { url: target, role: visit.record.role, dated: visit.record.dated, news: false };
        let turn = self.turn_of(&found, rank::LISTING);
        change.discover_at(visit.record.host, &found, visit.record.depth, visit.record.hops + 1, turn)?;
        let outcome = Outcome::Redirected { to: found.url.as_str().into() };
        self.finish_with(change, visit, outcome, 0, None)
    }
}

/// Media types of feeds.
fn is_feed(content_type: &str) -> bool {
    ["rss+xml", "atom+xml", "rdf+xml", "feed+json"].iter().any(|feed| content_type.contains(feed))
}
