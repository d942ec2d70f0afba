//! What is asked again, and when.
//!
//! | what | is asked again |
//! |---|---|
//! | front page, section, feed, sitemap | in its own rhythm ([`Rhythm`]) |
//! | a sitemap whose index says when it changed | when that is later than the last visit |
//! | a page that looks like a section and leads to new articles | as a section from then on |
//! | the further pages of a list | when half of the articles on the page before are new |
//! | an article | when a feed or sitemap says that it has changed, while it is as young as `crawl.recheck_window`; at each age of `crawl.recheck` |
//!
//! All of it costs a request only where there is a reason for one. What sites say of their
//! articles is not always true: some put today's date on all of them each day. So an
//! article that had not changed is left alone for longer each time, and of a site that is
//! mostly wrong one article in [`SAMPLE`] is looked at.

use gleaner_frontier::{Found, Outcome, Rhythm, Role, Sight, looks_like_section, page_number};
use gleaner_store::{Change, HostRecord, Turn, UrlRecord, UrlState, Wait};
use jiff::{SignedDuration, Timestamp};

use crate::error::CrawlError;
use crate::extraction::{Reading, rank};
use crate::job::Visit;
use crate::owner::Owner;

/// Articles that a site has called changed before it is judged by it.
const ENOUGH: u32 = 20;
/// Of the articles of a site that is mostly wrong, one in that many is looked at.
const SAMPLE: u8 = 10;
/// From this on the count of a site's calls is halved, so that it may better itself.
const REMEMBERED: u32 = 200;
/// Links away from a seed at which a section may stand: what a section of the front page
/// links to.
const DEEPEST_SECTION: u32 = 2;
/// URLs that a page has to lead to, to be taken for a section.
const SECTION_GIVES: u64 = 3;
/// A sitemap that names nothing younger is one of the past.
const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Links of which this share, as one in so many, has to be new in a run, for the next page
/// of a list to be read.
const NEW_ON_LIST: usize = 2;
/// The last page of a list that is read again.
const LAST_PAGE: u32 = 20;
/// A time that lies further ahead than clocks differ is no time of a change.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);

impl Owner {
    /// The rhythm of a URL after a visit.
    pub(crate) fn rhythm_after(&self, visit: &Visit, outcome: &Outcome) -> Rhythm {
        let Visit { record, at, sight, .. } = visit;
        match record.role {
            Role::Page if *outcome == Outcome::Unchanged => record.rhythm.with_false_update().at(*at),
            Role::Page => Rhythm { every: 0, ..record.rhythm }.at(*at),
            // A site that is down for a week has not become a quiet one.
            _ if matches!(outcome, Outcome::Failed { .. } | Outcome::Rejected { .. }) => record.rhythm,
            role => {
                // What robots.txt names, names the others: never longer alone than a feed.
                let role = if is_root(record) { Role::Feed } else { role };
                record.rhythm.after(role, *sight, self.config.crawl.revisit.get(), *at)
            }
        }
    }

    /// When a URL is to be asked again after such an outcome, and with which rank.
    pub(crate) fn again(&self, record: &UrlRecord, outcome: &Outcome) -> Option<(Timestamp, u8)> {
        let rank = match record.role {
            Role::Front | Role::Feed | Role::Sitemap => rank::LISTING,
            Role::Section => rank::SECTION,
            Role::Page => return self.look_again(record, outcome),
        };
        // A section that was only taken for one, or is gone, is not asked again. A front
        // page, feed or sitemap is: one bad answer must not silence a site for good.
        let section = matches!(
            outcome,
            Outcome::Listing | Outcome::Unchanged | Outcome::Failed { .. } | Outcome::Rejected { .. }
        );
        let every = SignedDuration::from_secs(record.rhythm.every.into());
        let least = SignedDuration::try_from(self.config.crawl.revisit.get()).unwrap_or(SignedDuration::MAX);
        let due = self.clock.now().checked_add(every.max(least)).unwrap_or(Timestamp::MAX);
        (record.role != Role::Section || section).then_some((due, rank))
    }

    /// When an article is to be looked at without being told to.
    fn look_again(&self, record: &UrlRecord, outcome: &Outcome) -> Option<(Timestamp, u8)> {
        let ages = self.config.crawl.recheck.iter().map(|age| age.get());
        let due = is_article(outcome).then(|| record.rhythm.next_look(ages))??;
        Some((due, rank::RECHECK))
    }

    /// Asks for a URL that is known if a feed or sitemap says that it has changed since it
    /// was visited. Gives whether it is asked for.
    pub(crate) fn call_back(&self, change: &mut Change, found: &Found) -> Result<bool, CrawlError> {
        let Some(dated) = found.dated else { return Ok(false) };
        let Some(record) = change.url(found.url.key())? else { return Ok(false) };
        let is_due = match (record.role, record.state) {
            (Role::Sitemap, UrlState::Waiting { wait: Wait::Revisit, .. }) => {
                record.rhythm.is_before_day(dated)
            }
            (Role::Page, UrlState::Done) => self.is_believed(change, found, &record, dated)?,
            (Role::Page, UrlState::Ready { .. }) if record.dated.is_none() => {
                change.keep_ready(found.url.key(), &UrlRecord { dated: found.dated, ..record });
                return Ok(false);
            }
            _ => false,
        };
        if !is_due || dated > self.clock.now() + AHEAD {
            return Ok(false);
        }
        let rank = if record.role == Role::Sitemap { rank::LISTING } else { rank::RECHECK };
        // Its own date is that of its publication; a sitemap has no other than this.
        let stated = if record.role == Role::Sitemap { Some(dated) } else { record.dated };
        let record = UrlRecord { dated: stated, ..record };
        change.revive(found.url.key(), record, Turn { rank, fresh: Some(dated) })?;
        Ok(true)
    }

    /// Whether an article is looked at since its site says that it changed.
    fn is_believed(
        &self,
        change: &mut Change,
        found: &Found,
        record: &UrlRecord,
        dated: Timestamp,
    ) -> Result<bool, CrawlError> {
        let window = self.config.crawl.recheck_window.get();
        let is_open = record.rhythm.is_before(dated) && record.rhythm.is_open(window, self.clock.now());
        if !is_open || !record.last.as_ref().is_some_and(is_article) {
            return Ok(false);
        }
        let host = change.host(found.url.host(), found.url.domain())?;
        let is_mostly_wrong =
            host.announced_updates >= ENOUGH && host.confirmed_updates * 10 < host.announced_updates;
        let [first, ..] = *found.url.key().as_bytes();
        Ok(!is_mostly_wrong || first % SAMPLE == 0)
    }

    /// Counts whether an article that was asked again had changed.
    pub(crate) fn count_call(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: &Outcome,
    ) -> Result<(), CrawlError> {
        let is_call = visit.record.role == Role::Page && visit.record.last.as_ref().is_some_and(is_article);
        if !is_call || !is_article(outcome) {
            return Ok(());
        }
        let host = change.host(visit.url.host(), visit.url.domain())?;
        let rightly = host.confirmed_updates + u32::from(*outcome != Outcome::Unchanged);
        let by = if host.announced_updates + 1 >= REMEMBERED { 2 } else { 1 };
        change.put_host(&HostRecord {
            announced_updates: (host.announced_updates + 1) / by,
            confirmed_updates: rightly / by,
            ..host
        });
        Ok(())
    }

    /// Goes on to the next page of a list that was read in an earlier run, if half of the
    /// articles on this page are new in this run: what is new there may reach further.
    ///
    /// New is what was not visited before this run, whoever named it first: where the front
    /// page has named all of a section's first page, what is missing stands on its second.
    /// But where feeds and sitemaps have named all of it, too, they name what follows.
    pub(crate) fn read_on(&self, change: &mut Change, reading: &Reading) -> Result<(), CrawlError> {
        let Some(next) = reading.next.as_ref().filter(|next| page_number(next) <= LAST_PAGE) else {
            return Ok(());
        };
        let Some(record) = change.url(next.key())? else { return Ok(()) };
        let is_list = matches!(record.last, Some(Outcome::NotArticle { .. }));
        let is_open = record.role == Role::Page && record.state == UrlState::Done;
        if !is_list || !is_open || !record.rhythm.is_before(self.run.started) {
            return Ok(());
        }
        // A record of an older store does not say when it was visited, only that it was.
        let is_new = |record: &UrlRecord| match record.rhythm.visited() {
            true => record.rhythm.is_since(self.run.started),
            false => record.last.is_none(),
        };
        let (mut articles, mut new, mut unnamed) = (0, 0, 0);
        for (found, _) in reading.found.iter().filter(|(_, rank)| *rank <= rank::ARTICLE) {
            articles += 1;
            if let Some(record) = change.url(found.url.key())?.filter(is_new) {
                new += 1;
                unnamed += usize::from(record.dated.is_none());
            }
        }
        if new * NEW_ON_LIST >= articles && unnamed > 0 {
            change.revive(next.key(), record, Turn { rank: rank::SECTION, fresh: None })?;
        }
        Ok(())
    }
}

/// Whether a visit ended with an article that is in the corpus.
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
        | Outcome::Filtered { .. } => false,
    }
}

/// Whether a page that is no article is a section from now on: it looks like one, stands
/// near the front page, and has led to what nothing else had named.
pub(crate) fn is_section(visit: &Visit, news: u64) -> bool {
    visit.record.role == Role::Page
        && visit.record.depth <= DEEPEST_SECTION
        && news >= SECTION_GIVES
        && looks_like_section(&visit.url)
}

/// Whether it is a sitemap that no other names.
fn is_root(record: &UrlRecord) -> bool {
    record.role == Role::Sitemap && record.depth == 0
}

/// What a visit of a list showed, by how many URLs it led to that are new or have changed.
pub(crate) fn sight(visit: &Visit, reading: &Reading, news: u64, digest: u64) -> Sight {
    let record = &visit.record;
    let newest = reading.found.iter().filter_map(|(found, _)| found.dated).max();
    // What names something young is asked for in its own rhythm, whatever its index says: many
    // indexes never change what they say of the sitemap of the day.
    let is_old = newest.map_or(record.dated.is_some(), |newest| newest < visit.at - RECENT);
    if record.role == Role::Sitemap && is_old && !is_root(record) {
        return Sight::Still;
    }
    match (news, digest == record.rhythm.digest) {
        (0, true) => Sight::Same,
        (0, false) => Sight::Changed,
        _ => Sight::News,
    }
}
