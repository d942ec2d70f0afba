//! Decides which URLs are visited again, and when.
//!
//! * A front page, section, feed or sitemap has its own interval between visits ([`RevisitSchedule`]).
//! * A sitemap is also visited when its sitemap index states that it has changed since the last visit.
//! * A page that looks like a section and leads to new URLs becomes a section.
//! * The next page of a list is visited when half of the articles on the previous page are new.
//! * An article is visited when a feed or sitemap announces a change within `crawl.recheck_window`, and at
//!   each age in `crawl.recheck`.
//! * A page that gave no text is visited again in later runs, as its [`RetryRule`] and
//!   [`RevisitSchedule::next_retry`] say. The first attempt comes after new articles, and later ones after
//!   all other URLs, so attempts cannot use up the budget of a site.
//!
//! Some sites announce a change of all articles every day. Therefore an article's interval grows each time
//! the article turns out to be unchanged. If most announcements of a site are wrong, only one of every
//! [`SAMPLE`] announced articles is revisited.

use std::time::Duration;

use gleaner_frontier::{
    CanonicalUrl, FoundUrl, ListChange, Outcome, RetryRule, RevisitSchedule, Role, TOO_MANY_REDIRECTS,
    UrlKey, looks_like_section, page_number,
};
use gleaner_store::{Change, HostRecord, QueuePosition, StoreError, UrlRecord, UrlState, WaitReason};
use jiff::{SignedDuration, Timestamp};

use super::Recorder;
use crate::error::CrawlError;
use crate::page_links::FoundLinks;
use crate::rank;
use crate::report::cause::is_wall;
use crate::visit::Visit;

/// Number of revisited articles after which a site's announcements are rated.
const ENOUGH: u32 = 20;
/// On a site with unreliable announcements, one in this number of announced articles is revisited.
const SAMPLE: u8 = 10;
/// When a site's counters reach this number of announcements, they are halved. So later announcements can
/// change the rating.
const REMEMBERED: u32 = 200;
/// Maximum depth of a section. Seeds have depth 0.
const MAX_SECTION: u32 = 2;
/// A page becomes a section only if it has at least this number of new URLs.
const SECTION_GIVES: u64 = 3;
/// A sitemap lists only old pages if its newest entry is older than this.
const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The next page of a list is read if at least one in `NEW_ON_LIST` articles on the previous page is new in
/// this run.
const NEW_ON_LIST: usize = 2;
/// Maximum page number of a list page that is read again.
const LAST_PAGE: u32 = 20;
/// An announced change is ignored if it is further in the future than this. Clocks of sites are rarely that
/// wrong.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);
/// Maximum number of stored redirects that are followed to find out where a URL leads. More have no end.
const MAX_REDIRECTS: usize = 10;

impl Recorder {
    pub(crate) fn schedule_after(
        &self,
        visit: &Visit,
        list_change: ListChange,
        outcome: &Outcome,
    ) -> RevisitSchedule {
        let Visit { record, at, .. } = visit;
        let least = self.session.config.crawl.revisit.get();
        match record.role {
            Role::Page if outcome.retry_rule() != RetryRule::Never => {
                record.revisits.after_failure(!is_retried(record), least, *at)
            }
            Role::Page if *outcome == Outcome::Unchanged => record.revisits.with_false_update().at(*at),
            Role::Page => RevisitSchedule { every: 0, ..record.revisits }.at(*at),
            // After a week in which a site was unreachable or had a wall, its URLs must not have longer intervals.
            _ if matches!(outcome, Outcome::Failed { .. } | Outcome::Rejected { .. }) => record.revisits,
            _ if is_wall(&outcome.reason()) => record.revisits,
            role => {
                // A sitemap that robots.txt names leads to all others, so its interval is at most that of a
                // feed.
                let role = if is_root(record) { Role::Feed } else { role };
                record.revisits.after(role, list_change, least, *at)
            }
        }
    }

    /// Returns the time and rank of a URL's next visit after this outcome, or `None` if no visit is planned.
    /// A front page, section, feed or sitemap always gets another visit, because one bad response must not
    /// hide its later articles.
    pub(crate) fn next_visit(&self, record: &UrlRecord, outcome: &Outcome) -> Option<(Timestamp, u8)> {
        let least = self.session.config.crawl.revisit.get();
        let rank = match record.role {
            Role::Front | Role::Feed | Role::Sitemap => rank::LISTING,
            Role::Section => rank::SECTION,
            // An article is also revisited without an announcement (`crawl.recheck`).
            Role::Page if is_article(outcome) => return Some((self.next_look(record)?, rank::RECHECK)),
            Role::Page if outcome.retry_rule() == RetryRule::AfterPause => {
                return Some((record.revisits.next_retry(least)?, retry_rank(record, least)));
            }
            Role::Page => return None,
        };
        let every = Duration::from_secs(record.revisits.every.into()).max(least);
        Some((self.session.clock.after(every), rank))
    }

    fn next_look(&self, record: &UrlRecord) -> Option<Timestamp> {
        record.revisits.next_look(self.session.config.crawl.recheck.iter().map(|age| age.get()))
    }

    /// Makes a known URL ready that another page, or a list, names again: if the rules no longer exclude it, if
    /// another attempt to get it is due, or if a change was announced since its last visit. Returns whether
    /// the URL became ready.
    pub(crate) fn revive(
        &self,
        change: &mut Change,
        found: &FoundUrl,
        record: UrlRecord,
        position: QueuePosition,
        by_list: bool,
    ) -> Result<bool, CrawlError> {
        if is_newly_allowed(&record) {
            change.revive(found.url.key(), record, position)?;
            return Ok(true);
        }
        if by_list && self.is_retry_due(change, &record)? {
            let rank = position.rank.max(retry_rank(&record, self.session.config.crawl.revisit.get()));
            let position = QueuePosition { rank, fresh: record.dated };
            change.revive(found.url.key(), record, position)?;
            return Ok(true);
        }
        self.revive_if_updated(change, found, record)
    }

    /// Whether a page that a list names gets another attempt in this run.
    fn is_retry_due(&self, change: &Change, record: &UrlRecord) -> Result<bool, CrawlError> {
        let now = self.session.clock.now();
        let next = || record.revisits.next_retry(self.session.config.crawl.revisit.get());
        let is_due = record.role == Role::Page
            && record.state == UrlState::Done
            && is_retried(record)
            && record.revisits.is_before(self.session.run.started)
            && next().is_some_and(|next| next <= now);
        Ok(is_due && !is_final_redirect(record, |url| change.url(url))?)
    }

    fn revive_if_updated(
        &self,
        change: &mut Change,
        found: &FoundUrl,
        record: UrlRecord,
    ) -> Result<bool, CrawlError> {
        let Some(dated) = found.dated else { return Ok(false) };
        let is_due = match (record.role, record.state) {
            (Role::Sitemap, UrlState::Waiting { wait: WaitReason::Revisit, .. }) => {
                record.revisits.is_before_day(dated)
            }
            (Role::Page, UrlState::Done) => self.is_update_credible(change, found, &record, dated)?,
            (Role::Page, UrlState::Ready { .. }) if record.dated.is_none() => {
                change.put_url(found.url.key(), &UrlRecord { dated: found.dated, ..record });
                return Ok(false);
            }
            _ => false,
        };
        if !is_due || dated > self.session.clock.now() + AHEAD {
            return Ok(false);
        }
        let rank = if record.role == Role::Sitemap { rank::LISTING } else { rank::RECHECK };
        // A page keeps its publication date. A sitemap gets the announced date of its last change.
        let stated = if record.role == Role::Sitemap { Some(dated) } else { record.dated };
        let record = UrlRecord { dated: stated, ..record };
        change.revive(found.url.key(), record, QueuePosition { rank, fresh: Some(dated) })?;
        Ok(true)
    }

    fn is_update_credible(
        &self,
        change: &mut Change,
        found: &FoundUrl,
        record: &UrlRecord,
        dated: Timestamp,
    ) -> Result<bool, CrawlError> {
        let window = self.session.config.crawl.recheck_window.get();
        let is_open =
            record.revisits.is_before(dated) && record.revisits.is_open(window, self.session.clock.now());
        if !is_open || !record.last.as_ref().is_some_and(is_article) {
            return Ok(false);
        }
        let host = change.host(found.url.host(), found.url.domain())?;
        let is_mostly_wrong =
            host.announced_updates >= ENOUGH && host.confirmed_updates * 10 < host.announced_updates;
        let [first, ..] = *found.url.key().as_bytes();
        Ok(!is_mostly_wrong || first % SAMPLE == 0)
    }

    /// Counts a visit after an announced change as a confirmed or a false announcement.
    pub(crate) fn count_update(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: &Outcome,
    ) -> Result<(), CrawlError> {
        let is_update = visit.record.role == Role::Page && visit.record.last.as_ref().is_some_and(is_article);
        let is_scheduled = self.next_look(&visit.record).is_some_and(|due| due <= visit.at);
        if !is_update || is_scheduled || self.session.only.is_some() || !is_article(outcome) {
            return Ok(());
        }
        let host = change.host(visit.url.host(), visit.url.domain())?;
        let confirmed = host.confirmed_updates + u32::from(*outcome != Outcome::Unchanged);
        let by = if host.announced_updates + 1 >= REMEMBERED { 2 } else { 1 };
        change.put_host(&HostRecord {
            announced_updates: (host.announced_updates + 1) / by,
            confirmed_updates: confirmed / by,
            ..host
        });
        Ok(())
    }

    /// Makes the next page of a list ready if an earlier run read it and half of this page's articles are
    /// new. An article is new if it was not visited before this run. The next page is not read if feeds and
    /// sitemaps named all new articles.
    pub(crate) fn revive_next_page(&self, change: &mut Change, links: &FoundLinks) -> Result<(), CrawlError> {
        let Some(next) = links.next.as_ref().filter(|next| page_number(next) <= LAST_PAGE) else {
            return Ok(());
        };
        let Some(record) = change.url(next.key())? else { return Ok(()) };
        let is_list = matches!(record.last, Some(Outcome::NotArticle { .. }));
        let is_open = record.role == Role::Page && record.state == UrlState::Done;
        if !is_list || !is_open || !record.revisits.is_before(self.session.run.started) {
            return Ok(());
        }
        // A record of an older version does not contain the time of the visit.
        let is_new = |record: &UrlRecord| match record.revisits.visited() {
            true => record.revisits.is_since(self.session.run.started),
            false => record.last.is_none(),
        };
        let (mut articles, mut new, mut unnamed) = (0, 0, 0);
        for (found, _) in links.found.iter().filter(|(_, rank)| *rank <= rank::ARTICLE) {
            articles += 1;
            if let Some(record) = change.url(found.url.key())?.filter(is_new) {
                new += 1;
                unnamed += usize::from(record.dated.is_none());
            }
        }
        if new * NEW_ON_LIST >= articles && unnamed > 0 {
            change.revive(next.key(), record, QueuePosition { rank: rank::SECTION, fresh: None })?;
        }
        Ok(())
    }
}

/// Whether a visit ended with an article whose text is in the corpus, or with an unchanged page.
pub(crate) const fn is_article(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Stored
        | Outcome::Duplicate { .. }
        | Outcome::NearDuplicate { .. }
        | Outcome::Revised
        | Outcome::Unchanged => true,
        Outcome::NotArticle { .. }
        | Outcome::Listing
        | Outcome::Redirected { .. }
        | Outcome::RedirectRefused { .. }
        | Outcome::Disallowed { .. }
        | Outcome::Gone { .. }
        | Outcome::Rejected { .. }
        | Outcome::TooLarge { .. }
        | Outcome::Truncated { .. }
        | Outcome::WrongType { .. }
        | Outcome::PrivateAddress
        | Outcome::Unreadable { .. }
        | Outcome::Failed { .. }
        | Outcome::OtherLanguage { .. }
        | Outcome::Filtered { .. }
        | Outcome::Excluded { .. } => false,
    }
}

/// Whether a page becomes a section. This depends on its URL, its depth, and `news`, the number of new URLs
/// on it.
pub(crate) fn is_section(visit: &Visit, news: u64) -> bool {
    visit.record.role == Role::Page
        && visit.record.depth <= MAX_SECTION
        && news >= SECTION_GIVES
        && looks_like_section(&visit.url)
}

/// Whether the last visit of a page gave no text, and a later visit may.
pub(crate) fn is_retried(record: &UrlRecord) -> bool {
    record.last.as_ref().is_some_and(|last| last.retry_rule() != RetryRule::Never)
}

/// Whether the redirect of a URL needs no other attempt: it leads to a page that is in the corpus or whose first
/// visit has not ended, or the redirects have no end. `read` returns the record of a URL. Returns `false` if the last
/// visit was not redirected.
///
/// # Errors
/// A record cannot be read.
pub fn is_final_redirect(
    record: &UrlRecord,
    read: impl Fn(UrlKey) -> Result<Option<UrlRecord>, StoreError>,
) -> Result<bool, StoreError> {
    let mut last = record.last.clone();
    for _ in 0..MAX_REDIRECTS {
        let Some(Outcome::Redirected { to }) = &last else { return Ok(false) };
        let Ok(target) = CanonicalUrl::parse(to) else { return Ok(false) };
        let Some(record) = read(target.key())? else { return Ok(true) };
        match record.last {
            None => return Ok(true),
            Some(outcome) if is_article(&outcome) => return Ok(true),
            Some(Outcome::RedirectRefused { reason, .. }) if reason == TOO_MANY_REDIRECTS => return Ok(true),
            outcome => last = outcome,
        }
    }
    Ok(true)
}

/// Whether a rule excluded the URL before its first visit. Only URLs that the rules allow are found again.
fn is_newly_allowed(record: &UrlRecord) -> bool {
    matches!(record.last, Some(Outcome::Excluded { .. }))
        && record.state == UrlState::Done
        && !record.revisits.visited()
}

/// Returns the rank of another attempt. The first comes after new articles, later ones after all other URLs.
fn retry_rank(record: &UrlRecord, least: Duration) -> u8 {
    let is_first = Duration::from_secs(record.revisits.every.into()) <= least;
    let before = match record.state {
        UrlState::Ready { rank, .. } => rank,
        UrlState::Waiting { .. } | UrlState::Buffered { .. } | UrlState::Done | UrlState::Kept => 0,
    };
    before.max(if is_first { rank::RECHECK } else { rank::ARCHIVE })
}

fn is_root(record: &UrlRecord) -> bool {
    record.role == Role::Sitemap && record.depth == 0
}

/// Returns how a list has changed. `news` is the number of new or changed URLs on the list.
pub(crate) fn list_change(visit: &Visit, links: &FoundLinks, news: u64, digest: u64) -> ListChange {
    let record = &visit.record;
    let newest = links.found.iter().filter_map(|(found, _)| found.dated).max();
    // A sitemap with recent entries counts as recent even if its change date is old, because many indexes
    // never update that date.
    let is_old = newest.map_or(record.dated.is_some(), |newest| newest < visit.at - RECENT);
    if record.role == Role::Sitemap && is_old && !is_root(record) {
        return ListChange::Still;
    }
    match (news, digest == record.revisits.digest) {
        (0, true) => ListChange::Same,
        (0, false) => ListChange::Changed,
        _ => ListChange::News,
    }
}
