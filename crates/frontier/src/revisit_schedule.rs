//! Computes how often a URL is revisited.
//!
//! The interval of a list (front page, section, feed, sitemap) halves when a visit finds something new.
//! Otherwise it grows. A list whose entries change is visited at least daily. This applies even if its
//! articles always appeared on other lists first, because a later article may appear only on this list. A
//! list that does not change is visited less and less often. Its new entries are found late, but they are
//! found, because such a list also removes entries slowly.
//!
//! A sitemap of past months is visited again only weeks after its first visit. The sitemap index states when
//! the sitemap changes.
//!
//! Limitation: an article may be missed if it is linked for only one day, from a single list that had not
//! changed for weeks.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Role;

const HOUR: u32 = 3_600;
const DAYS: u32 = 24 * HOUR;
/// A little less than a day, because the start times of nightly runs differ. A list with this interval is due
/// in every nightly run.
const NIGHTLY: u32 = 20 * HOUR;
/// Each pause before another attempt to get a page is 7/2 times as long as the pause before. The third pause is
/// then a little less than a day, for the same reason as [`NIGHTLY`].
const RETRY_FACTOR: (u32, u32) = (7, 2);
/// A page gets no further attempt if the pause before it would be longer than this.
const MAX_RETRY_PAUSE: u32 = 7 * DAYS;

/// The times of a URL's visits, and the interval between visits. All fields are 0 before the first visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RevisitSchedule {
    /// The first visit, in seconds since 1970. For a page, the first visit with a usable response.
    pub first: u64,
    /// The last visit, in seconds since 1970.
    pub last: u64,
    /// Seconds from the last visit to the next one. For an article, the minimum number of seconds from the
    /// last visit to the next check. For a page without a usable response, the minimum number of seconds to
    /// the next attempt.
    pub every: u32,
    /// The [`digest_of`] of the URLs that the last visit found.
    pub digest: u64,
}

/// How a list has changed since its previous visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListChange {
    /// The list contained a new or changed URL.
    News,
    /// The list contained other URLs than at the last visit, but all of them were already known.
    Changed,
    /// The list is a sitemap of past months, without entries of the last days.
    Still,
    /// The list has not changed, or it was empty.
    #[default]
    Same,
}

impl RevisitSchedule {
    /// Returns the schedule after a visit to a list at `now`. `least` is the shortest interval.
    ///
    /// ```
    /// use gleaner_frontier::{RevisitSchedule, Role, ListChange};
    /// use jiff::Timestamp;
    /// use std::time::Duration;
    /// let (least, now) = (Duration::from_secs(5_400), Timestamp::from_second(1_795_000_000)?);
    /// let first = RevisitSchedule::default().after(Role::Section, ListChange::News, least, now);
    /// assert_eq!(first.every, 5_400);
    /// assert_eq!(first.after(Role::Section, ListChange::Same, least, now).every, 10_800);
    /// # Ok::<(), jiff::Error>(())
    /// ```
    #[must_use]
    pub fn after(self, role: Role, list_change: ListChange, least: Duration, now: Timestamp) -> Self {
        let least = u32::try_from(least.as_secs()).unwrap_or(u32::MAX);
        let every = match (self.every, list_change) {
            (every, ListChange::Still) => {
                every.saturating_mul(2).clamp(7 * DAYS, longest(role).max(7 * DAYS))
            }
            (0, _) => least,
            (every, ListChange::News) => (every / 2).min(NIGHTLY),
            (every, ListChange::Changed) => every.saturating_add(every / 2).min(NIGHTLY),
            (every, ListChange::Same) => every.saturating_mul(2).min(longest(role)),
        };
        Self { every: every.max(least), ..self.at(now) }
    }

    /// Returns the schedule after a visit to an article at `now`.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        let now = seconds(now);
        let first = if self.first == 0 { now } else { self.first };
        Self { first, last: now, ..self }
    }

    /// Returns the schedule after an announced change of the article turned out to be false. The next check
    /// is at least six hours later. This time doubles with each false announcement, up to 90 days.
    #[must_use]
    pub fn with_false_update(self) -> Self {
        Self { every: self.every.saturating_mul(2).clamp(6 * HOUR, 90 * DAYS), ..self }
    }

    /// Returns the schedule after a visit to a page at `now` that gave no usable response. The first pause is
    /// `least`, and each further pause 3.5 times as long as the last one. `is_first` means that the visit
    /// before was not such a visit.
    ///
    /// ```
    /// use gleaner_frontier::RevisitSchedule;
    /// use jiff::Timestamp;
    /// use std::time::Duration;
    /// let (least, hour) = (Duration::from_secs(5_400), 3_600);
    /// let mut schedule = RevisitSchedule::default().after_failure(true, least, Timestamp::UNIX_EPOCH);
    /// let mut pauses = Vec::new();
    /// while let Some(due) = schedule.next_retry(least) {
    ///     pauses.push((due.as_second() - schedule.last as i64) as f64 / f64::from(hour));
    ///     schedule = schedule.after_failure(false, least, due);
    /// }
    /// assert_eq!(pauses, [1.5, 5.25, 18.375, 64.3125]);
    /// ```
    #[must_use]
    pub fn after_failure(self, is_first: bool, least: Duration, now: Timestamp) -> Self {
        let least = u32::try_from(least.as_secs()).unwrap_or(u32::MAX).max(1);
        let (times, parts) = RETRY_FACTOR;
        let every = if is_first { least } else { (self.every.saturating_mul(times) / parts).max(least) };
        Self { every, last: seconds(now), ..self }
    }

    /// Returns the earliest time of the next attempt after [`after_failure`](Self::after_failure), or `None` if
    /// the page gets no further attempt, because the pause would be longer than a week. `least` is the
    /// shortest pause, which is never too long.
    #[must_use]
    pub fn next_retry(&self, least: Duration) -> Option<Timestamp> {
        let longest = u64::from(MAX_RETRY_PAUSE).max(least.as_secs());
        let pause = Some(u64::from(self.every)).filter(|pause| *pause <= longest)?;
        Timestamp::from_second(i64::try_from(self.last.saturating_add(pause)).ok()?).ok()
    }

    /// Whether the URL was visited.
    #[must_use]
    pub const fn visited(&self) -> bool {
        self.last > 0
    }

    /// Whether the last visit was before `time`.
    #[must_use]
    pub fn is_before(&self, time: Timestamp) -> bool {
        self.last < seconds(time)
    }

    /// Whether the first visit was at or after `time`. Also `true` if the URL was not visited yet.
    #[must_use]
    pub fn is_since(&self, time: Timestamp) -> bool {
        !self.visited() || self.first >= seconds(time)
    }

    /// Whether the last visit was before `time`, the time of change that a sitemap states. If `time` is
    /// midnight UTC, the end of that day is used instead, because most sitemaps state only the day.
    #[must_use]
    pub fn is_before_day(&self, time: Timestamp) -> bool {
        let time = seconds(time);
        let end = if time.is_multiple_of(u64::from(DAYS)) { time + u64::from(DAYS) } else { time };
        self.last < end
    }

    /// Whether an article may be checked for a later version at `now`. Its first visit must be at most
    /// `window` ago, and its last visit at least `every` seconds ago.
    #[must_use]
    pub fn is_open(&self, window: Duration, now: Timestamp) -> bool {
        let now = seconds(now);
        self.visited()
            && now <= self.first.saturating_add(window.as_secs())
            && now >= self.last.saturating_add(u64::from(self.every))
    }

    /// Returns when the next check of an article is due, or `None` if no check remains. `ages` has the time
    /// from the first visit to each check.
    #[must_use]
    pub fn next_look(&self, ages: impl IntoIterator<Item = Duration>) -> Option<Timestamp> {
        let due = ages.into_iter().map(|age| self.first.saturating_add(age.as_secs()));
        let due = due.filter(|due| *due > self.last).min()?;
        Timestamp::from_second(i64::try_from(due).ok()?).ok()
    }
}

const fn longest(role: Role) -> u32 {
    match role {
        Role::Front => NIGHTLY,
        Role::Feed => 7 * DAYS,
        Role::Section | Role::Page => 30 * DAYS,
        Role::Sitemap => 90 * DAYS,
    }
}

fn seconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_second()).unwrap_or(0)
}

/// Returns a digest of the URLs on a list and their dates: an XOR of hashes, which does not depend on their
/// order.
#[must_use]
pub fn digest_of<'a>(found: impl IntoIterator<Item = &'a crate::FoundUrl>) -> u64 {
    let one = |found: &crate::FoundUrl| {
        let key = found.url.key();
        let (head, _) = key.as_bytes().split_first_chunk().expect("a key has 16 bytes");
        let dated = found.dated.map_or(0, seconds);
        u64::from_be_bytes(*head) ^ dated.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    found.into_iter().map(one).fold(0, |all, one| all ^ one)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{CanonicalUrl, FoundUrl};

    const MIN: Duration = Duration::from_secs(5_400);
    const NOW: Timestamp = Timestamp::constant(1_795_000_000, 0);

    fn after(changes: &[ListChange], role: Role) -> u32 {
        changes
            .iter()
            .fold(RevisitSchedule::default(), |revisits, list_change| {
                revisits.after(role, *list_change, MIN, NOW)
            })
            .every
    }

    #[test]
    fn what_gives_is_asked_often_and_what_does_not_seldom() {
        use ListChange::{Changed, News, Same};
        let role = Role::Section;
        assert_eq!(after(&[News; 9], role), 5_400);
        assert_eq!(after(&[Changed; 20], role), NIGHTLY);
        assert_eq!(after(&[Same; 20], role), 30 * DAYS);
        assert_eq!(after(&[Same; 20], Role::Front), NIGHTLY);
        let slept = [Same; 20].into_iter().chain([Changed]).collect::<Vec<_>>();
        assert_eq!(after(&slept, role), NIGHTLY);
        let woken = [Same; 20].into_iter().chain([News]).collect::<Vec<_>>();
        assert_eq!(after(&woken, role), NIGHTLY);
    }

    #[test]
    fn an_article_is_open_while_it_is_young_and_not_called_in_vain() {
        let window = Duration::from_secs(3 * 86_400);
        let later = |hours: i64| NOW + jiff::SignedDuration::from_hours(hours);
        let revisits = RevisitSchedule::default().at(NOW);
        assert!(revisits.is_open(window, later(1)));
        assert!(revisits.is_open(window, later(72)));
        assert!(!revisits.is_open(window, later(73)));
        let again = revisits.at(later(1)).with_false_update();
        assert!(!again.is_open(window, later(6)));
        assert!(again.is_open(window, later(7)));
        assert_eq!(again.first, revisits.first);
        assert!(!RevisitSchedule::default().is_open(window, NOW));
    }

    #[test]
    fn an_article_is_looked_at_once_at_each_age() {
        let ages = [6, 24].map(|hours| Duration::from_secs(hours * 3_600));
        let mut revisits = RevisitSchedule::default().at(NOW);
        let mut looks = Vec::new();
        while let Some(at) = revisits.next_look(ages) {
            looks.push(at.duration_since(NOW).as_hours());
            revisits = revisits.at(at);
        }
        assert_eq!(looks, [6, 24]);
    }

    #[test]
    fn a_day_stands_for_all_of_it() {
        let day: Timestamp = "2026-11-20T00:00:00Z".parse().unwrap();
        let revisits = RevisitSchedule::default().at("2026-11-20T10:00:00Z".parse().unwrap());
        assert!(revisits.is_before_day(day) && !revisits.is_before(day));
        assert!(!RevisitSchedule::default().at("2026-11-21T00:00:00Z".parse().unwrap()).is_before_day(day));
    }

    proptest! {
        #[test]
        fn a_rhythm_stays_within_its_bounds(
            changes in prop::collection::vec(prop::sample::select(vec![ListChange::News, ListChange::Changed, ListChange::Still, ListChange::Same]), 1..60),
            role in prop::sample::select(Role::ALL.to_vec()),
            least in 0_u64..200_000,
        ) {
            let mut revisits = RevisitSchedule::default();
            for list_change in changes {
                revisits = revisits.after(role, list_change, Duration::from_secs(least), NOW);
                prop_assert!(u64::from(revisits.every) >= least);
                prop_assert!(u64::from(revisits.every) <= least.max(u64::from(longest(role).max(7 * DAYS))));
            }
        }

        #[test]
        fn a_digest_does_not_depend_on_the_order(numbers in prop::collection::hash_set(0_u32..1_000, 0..20)) {
            let found = |number: u32| FoundUrl {
                url: CanonicalUrl::parse(&format!("https://a.vn/{number}")).expect("a plain address"),
                role: Role::Page,
                dated: number.is_multiple_of(3).then_some(NOW),
                news: false,
            };
            let mut all: Vec<FoundUrl> = numbers.into_iter().map(found).collect();
            let digest = digest_of(&all);
            all.reverse();
            prop_assert_eq!(digest_of(&all), digest);
            if let Some(one) = all.first_mut() {
                one.dated = Some(Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(77));
                prop_assert_ne!(digest_of(&all), digest);
            }
        }
    }
}
