//! Collects the data about a host that reports, commands and the status page show.
//!
//! Limitation: while a crawl runs, the view shows the state at the last flush.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use crate::render::language::Bilingual;
use crate::render::text::{count, minute};
use crate::settings::Config;
use gleaner_extract::Window;
use gleaner_fetch::{Access, RobotsDecision, RobotsRecord, RobotsState};
use gleaner_frontier::{RemovedUrls, Seed, UrlKey};
use gleaner_store::{Counts, HostRecord, Run, Store, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::moved::MovedSite;
use crate::report::{GroupedCounts, RunIntervals, UsualCount};

/// The last runs with the counts of each host, and the seeds.
#[derive(Debug, Default)]
pub struct RunHistory {
    /// The runs, newest first, each with the sum of the counts of all hosts.
    pub runs: Vec<(Run, Counts)>,
    hosts: HashMap<String, HostHistory>,
    /// The first seed of each site. `None` if no seeds are recorded.
    seeds: Option<HashMap<String, Seed>>,
    removed_hosts: RemovedUrls,
}

#[derive(Debug, Default)]
struct HostHistory {
    counts: Vec<Option<Counts>>,
    last_new: Option<Timestamp>,
}

impl RunHistory {
    /// Number of runs for which the counts of each host are kept: the newest run, and the earlier runs with
    /// which it is compared.
    pub const KEPT: usize = 15;

    /// Reads the newest `limit` runs.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(store: &Store, limit: usize) -> Result<Self, StoreError> {
        let (seeds, removed_hosts) = (store.seeds()?.map(first_seeds), store.removed_hosts()?);
        let mut history = Self { seeds, removed_hosts, ..Self::default() };
        for (age, run) in store.runs(limit)?.into_iter().enumerate() {
            let mut all = Counts::default();
            for (name, counts) in store.counts(run.number)? {
                all.add(&counts);
                let host = history.hosts.entry(name).or_default();
                if host.last_new.is_none() && counts.ended("stored") > 0 {
                    host.last_new = Some(run.started);
                }
                if age < Self::KEPT {
                    host.counts.resize(age, None);
                    host.counts.push(Some(counts));
                }
            }
            history.runs.push((run, all));
        }
        Ok(history)
    }

    fn seed_state(&self, site: &str) -> SeedState {
        match self.seeds.as_ref().map(|seeds| seeds.get(site)) {
            None => SeedState::Unknown,
            Some(None) => SeedState::OutOfScope,
            Some(Some(seed)) => SeedState::Seed(seed.origin()),
        }
    }

    fn moved(&self, store: &Store, site: &str) -> Result<Option<MovedSite>, StoreError> {
        let seed = self.seeds.as_ref().and_then(|seeds| seeds.get(site));
        seed.map_or(Ok(None), |seed| MovedSite::of_seed(store, seed))
    }

    /// Computes the usual number of new documents of a host. `counts` has its counts, newest run first.
    fn usual(&self, counts: &[Option<Counts>]) -> Option<f64> {
        let ((newest, _), past) = self.runs.split_first()?;
        let counts = counts.iter().skip(1).map(Option::as_ref).chain(std::iter::repeat(None));
        let past: Vec<_> = past
            .iter()
            .zip(counts)
            .filter(|((run, _), _)| run.ended.is_some())
            .map(|((run, _), counts)| (run.started, counts))
            .collect();
        let intervals = RunIntervals::new(newest.started, past.iter().map(|(started, _)| *started));
        UsualCount::new(newest.started, past.into_iter(), &intervals).map(|usual| usual.new)
    }
}

fn first_seeds(seeds: Vec<Seed>) -> HashMap<String, Seed> {
    let mut first = HashMap::new();
    for seed in seeds {
        first.entry(seed.url.domain().to_owned()).or_insert(seed);
    }
    first
}

/// Whether the site of a host is among the seeds of the last crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeedState {
    /// No crawl has recorded its seeds.
    Unknown,
    /// The seeds of the last crawl do not include the site.
    OutOfScope,
    /// The site has a seed. The string names the origin of the seed, such as `seeds.txt line 3`.
    Seed(String),
}

impl SeedState {
    /// Returns the origin of the seed. Returns `None` if the site has no seed or the seeds are unknown.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        match self {
            Self::Seed(origin) => Some(origin),
            Self::Unknown | Self::OutOfScope => None,
        }
    }
}

/// The data about a host that reports, commands and the status page show.
#[derive(Debug, Clone)]
pub struct HostView {
    /// The host's record in the store.
    pub record: HostRecord,
    /// Whether the host's site is among the seeds.
    pub seeding: SeedState,
    /// The site to which a seed of the host's site redirects.
    pub moved: Option<MovedSite>,
    /// Whether the user removed the host from the corpus.
    pub is_removed: bool,
    /// The host's robots.txt. `None` if it was not fetched yet.
    pub robots: Option<RobotsView>,
    /// The minimum delay between two requests, from the settings and, if known, robots.txt.
    pub delay: Duration,
    /// The state of the host's template.
    pub template: TemplateState,
    /// The host's counts in the last runs, newest first, at most [`RunHistory::KEPT`] entries. An entry is
    /// `None` if the run did not include the host. The list ends with the oldest run that included the host.
    pub counts: Vec<Option<Counts>>,
    /// The host's usual number of new documents in a run. `None` if unknown.
    pub usual: Option<f64>,
    /// The start of the newest known run that stored a new document of the host. `None` if no known run did.
    pub last_new: Option<Timestamp>,
}

impl HostView {
    /// Builds the view of a host. Moves the host's counts out of `history`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn new(
        store: &Store,
        config: &Config,
        record: HostRecord,
        history: &mut RunHistory,
    ) -> Result<Self, StoreError> {
        let HostHistory { counts, last_new } = history.hosts.remove(&record.name).unwrap_or_default();
        let robots = store.robots::<RobotsRecord>(&record.name)?;
        let access = robots.as_ref().map(|robots| robots.rules(config.fetch.product()));
        Ok(Self {
            seeding: history.seed_state(&record.domain),
            moved: history.moved(store, &record.domain)?,
            is_removed: history.removed_hosts.contains_host(&record.name),
            delay: delay(config, &record.domain, access.as_ref()),
            robots: robots.zip(access).map(|(robots, access)| RobotsView::new(&robots, &access)),
            template: TemplateState::read(store, &record)?,
            usual: history.usual(&counts),
            counts,
            last_new,
            record,
        })
    }

    /// Builds the views of all hosts, in the order of [`Store::hosts`].
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn all(store: &Store, config: &Config, history: &mut RunHistory) -> Result<Vec<Self>, StoreError> {
        store.hosts().map(|record| Self::new(store, config, record?, history)).collect()
    }

    /// Returns the host's counts in the newest run. All counts are zero if that run did not include the host.
    #[must_use]
    pub fn newest(&self) -> GroupedCounts {
        self.counts.first().and_then(Option::as_ref).map(GroupedCounts::from_counts).unwrap_or_default()
    }

    /// Returns whether the host may be requested at `now` and, if not, the reason.
    #[must_use]
    pub fn request_state(&self, now: Timestamp) -> RequestState {
        match (&self.robots, self.record.held_until) {
            _ if self.is_removed => RequestState::Removed,
            _ if self.record.paused => RequestState::Paused,
            _ if self.seeding == SeedState::OutOfScope => RequestState::OutOfScope,
            (Some(RobotsView { forbidden: Some(_), .. }), _) => RequestState::RobotsUnreachable,
            (Some(RobotsView { front_page_rule: Some(_), .. }), _) => RequestState::Disallowed,
            (_, Some(until)) if until > now => RequestState::Held(until),
            (None, _) => RequestState::NotRequested,
            _ if self.has_failed() => RequestState::Failing,
            _ => RequestState::Open,
        }
    }

    /// Whether all visits of the host failed in the newest run that visited it.
    fn has_failed(&self) -> bool {
        let mut counts = self.counts.iter().flatten().map(GroupedCounts::from_counts);
        let newest = counts.find(|counts| counts.visits() > 0);
        newest.is_some_and(|newest| newest.failed() == newest.visits())
    }
}

/// Returns the delay for this host alone. Another host of its group may cause a longer delay.
fn delay(config: &Config, site: &str, access: Option<&Access>) -> Duration {
    access.unwrap_or(&Access::AllAllowed).effective_delay(config.delay_of(site), &config.fetch)
}

/// Whether a host may be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestState {
    /// The user removed the host from the corpus.
    Removed,
    /// The user paused the host.
    Paused,
    /// The host's site was not among the seeds of the last crawl.
    OutOfScope,
    /// The host's robots.txt cannot be read, so nothing may be requested.
    RobotsUnreachable,
    /// The host's robots.txt disallows the front page, and perhaps everything.
    Disallowed,
    /// The host gets no requests until this time, because of a `Retry-After` or after failures.
    Held(Timestamp),
    /// The host's robots.txt was not fetched yet.
    NotRequested,
    /// The host may be requested, but all its visits failed in the newest run that visited it.
    Failing,
    /// The host may be requested.
    Open,
}

impl fmt::Display for RequestState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed => f.write_str("removed"),
            Self::Paused => f.write_str("paused"),
            Self::OutOfScope => f.write_str("not among the seeds"),
            Self::RobotsUnreachable => f.write_str("robots.txt unreachable"),
            Self::Disallowed => f.write_str("disallowed by robots.txt"),
            Self::Held(until) => write!(f, "held until {}", minute(*until)),
            Self::NotRequested => f.write_str("not requested yet"),
            Self::Failing => f.write_str("every request failed"),
            Self::Open => f.write_str("open"),
        }
    }
}

/// A summary of the robots.txt rules for this crawler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsView {
    /// When the robots.txt was fetched.
    pub at: Timestamp,
    /// The earliest time at which the robots.txt is fetched again.
    pub next: Timestamp,
    /// Why everything is disallowed while the robots.txt is unavailable. `None` in all other cases.
    pub forbidden: Option<String>,
    /// The rule that disallows the front page. `None` if the front page is allowed.
    pub front_page_rule: Option<String>,
    /// Why everything is allowed, in words for users. `None` if the robots.txt has rules or cannot be read.
    pub missing: Option<String>,
    /// Number of sitemaps named in the robots.txt.
    pub sitemaps: usize,
}

impl RobotsView {
    fn new(robots: &RobotsRecord, access: &Access) -> Self {
        let forbidden = match access {
            Access::AllDisallowed { reason } => Some(reason.clone()),
            Access::AllAllowed | Access::Rules(_) => None,
        };
        let front_page_rule = match access.verdict("/") {
            RobotsDecision::Disallowed { rule } => Some(rule),
            RobotsDecision::Allowed { .. } => None,
        };
        let missing = match robots.state {
            RobotsState::NoRules { status } => Some(missing(status)),
            RobotsState::Rules { .. } | RobotsState::Unreachable { .. } => None,
        };
        let next = robots.next_ask();
        Self { at: robots.at, next, forbidden, front_page_rule, missing, sitemaps: access.sitemaps().len() }
    }
}

/// Describes a robots.txt response that contains no rules. After a 4xx, everything is allowed (RFC 9309,
/// 2.3.1.3).
fn missing(status: u16) -> String {
    match status {
        0 => "not requested, because the host's address is not public".into(),
        200..300 => "a web page instead of rules".into(),
        300..400 => "too many redirects".into(),
        404 | 410 => format!("not found (HTTP {status})"),
        status => format!("refused with HTTP {status}, which counts as no rules"),
    }
}

impl fmt::Display for RobotsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.forbidden, &self.front_page_rule, &self.missing) {
            (Some(reason), ..) => write!(f, "nothing is allowed: {reason}"),
            (None, Some(rule), _) => write!(f, "disallows the front page by `{rule}`"),
            (None, None, Some(missing)) => write!(f, "{missing}: everything is allowed"),
            (None, None, None) => f.write_str("has rules; the front page is allowed"),
        }
    }
}

/// The state of a host's template, and how well the template fits the last pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateState {
    /// The newest version. 0 if there is no template yet.
    pub version: u32,
    /// Whether the template was learned in the reported run. Always `false` outside reports.
    pub learned: bool,
    /// Whether the template is out of date and pages are buffered for the next version.
    pub outdated: bool,
    /// Number of recently extracted pages that are unlike the training pages.
    pub unlike: usize,
    /// Number of recently extracted pages that were compared with the training pages.
    pub watched: usize,
    /// Number of pages buffered for the next version.
    pub buffered: u32,
}

impl TemplateState {
    fn read(store: &Store, host: &HostRecord) -> Result<Self, StoreError> {
        let window: Window<UrlKey> = store.health(&host.name)?.unwrap_or_default();
        Ok(Self {
            version: host.template,
            learned: false,
            outdated: host.outdated,
            unlike: window.unlike_pages().count(),
            watched: window.len(),
            buffered: host.buffered,
        })
    }

    /// Whether the template needs attention: it is out of date, or at least a third of the recent pages are
    /// unlike the training pages.
    #[must_use]
    pub fn needs_attention(&self) -> bool {
        self.outdated || self.unlike * 3 >= self.watched.max(1)
    }
}

impl TemplateState {
    /// Describes the state in words.
    #[must_use]
    pub fn describe(&self) -> Bilingual {
        let Self { version, learned, outdated, unlike, watched, buffered } = self;
        let mut parts = vec![match version {
            0 => Bilingual::new("none yet", "chưa có"),
            version => Bilingual::new(format!("version {version}"), format!("phiên bản {version}")),
        }];
        if *learned {
            parts.push(Bilingual::new("learned in this run", "học trong lượt này"));
        }
        if *outdated {
            parts.push(Bilingual::new("out of date", "lỗi thời"));
        } else if *version > 0 && *unlike > 0 {
            parts.push(Bilingual::new(
                format!("{unlike} of the last {} differ from it", count(*watched as u64, "page")),
                format!("{unlike} trong {watched} trang gần nhất không giống mẫu"),
            ));
        }
        if *buffered > 0 {
            parts.push(Bilingual::new(
                format!("{} kept to learn it", count(u64::from(*buffered), "page")),
                format!("đã gom {buffered} trang"),
            ));
        }
        let joined = |part: fn(&Bilingual) -> &str| parts.iter().map(part).collect::<Vec<_>>().join(", ");
        Bilingual::new(joined(|part| &part.english), joined(|part| &part.vietnamese))
    }
}

impl fmt::Display for TemplateState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe().english)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_fetch::RobotsRules;
    use gleaner_store::HostId;

    use super::*;

    fn host() -> HostView {
        let record = HostRecord::new(HostId(1), "a.example", "a.example");
        HostView {
            record,
            seeding: SeedState::Unknown,
            moved: None,
            is_removed: false,
            robots: Some(RobotsView::new(&no_rules(404), &Access::AllAllowed)),
            delay: Duration::from_secs(5),
            template: TemplateState::default(),
            counts: Vec::new(),
            usual: None,
            last_new: None,
        }
    }

    fn no_rules(status: u16) -> RobotsRecord {
        RobotsRecord { at: Timestamp::UNIX_EPOCH, state: RobotsState::NoRules { status }, tdmrep: None }
    }

    fn with_robots(access: &Access) -> HostView {
        HostView { robots: Some(RobotsView::new(&no_rules(404), access)), ..host() }
    }

    #[test]
    fn a_missing_robots_txt_is_described_by_its_response() {
        for (status, said) in [
            (404, "not found (HTTP 404): everything is allowed"),
            (403, "refused with HTTP 403, which counts as no rules: everything is allowed"),
            (200, "a web page instead of rules: everything is allowed"),
            (301, "too many redirects: everything is allowed"),
            (0, "not requested, because the host's address is not public: everything is allowed"),
        ] {
            assert_eq!(RobotsView::new(&no_rules(status), &Access::AllAllowed).to_string(), said);
        }
    }

    fn with_counts(runs: &[&[(&str, u64)]]) -> HostView {
        let counts = |run: &&[(&str, u64)]| {
            let outcomes = run.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect();
            Some(Counts { outcomes, ..Counts::default() })
        };
        HostView { counts: runs.iter().map(counts).collect(), ..host() }
    }

    #[test]
    fn the_state_of_requests_has_its_first_reason() {
        let unreachable = Access::AllDisallowed { reason: "HTTP 502".into() };
        let disallowed = Access::Rules(RobotsRules::parse(b"User-agent: *\nDisallow: /", "gleaner"));
        let mut paused = with_robots(&unreachable);
        paused.record.paused = true;
        let refused: &[(&str, u64)] = &[("rejected: http_403", 2)];
        let cases = [
            (host(), "open"),
            (paused, "paused"),
            (HostView { seeding: SeedState::OutOfScope, ..host() }, "not among the seeds"),
            (HostView { robots: None, ..host() }, "not requested yet"),
            (HostView { is_removed: true, robots: None, ..host() }, "removed"),
            (with_robots(&unreachable), "robots.txt unreachable"),
            (with_robots(&disallowed), "disallowed by robots.txt"),
            (with_counts(&[refused]), "every request failed"),
            (with_counts(&[&[], refused]), "every request failed"),
            (with_counts(&[&[("listing", 1), ("rejected: http_403", 9)]]), "open"),
            (with_counts(&[&[("stored", 1)], refused]), "open"),
        ];
        for (host, state) in cases {
            assert_eq!(host.request_state(Timestamp::UNIX_EPOCH).to_string(), state, "{host:?}");
        }
    }

    #[test]
    fn templates_are_described() {
        let fits = TemplateState { version: 3, watched: 20, ..TemplateState::default() };
        let cases = [
            (TemplateState::default(), "none yet", true),
            (
                TemplateState { buffered: 1, ..TemplateState::default() },
                "none yet, 1 page kept to learn it",
                true,
            ),
            (fits.clone(), "version 3", false),
            (TemplateState { learned: true, ..fits.clone() }, "version 3, learned in this run", false),
            (
                TemplateState { unlike: 7, ..fits.clone() },
                "version 3, 7 of the last 20 pages differ from it",
                true,
            ),
            (
                TemplateState { outdated: true, buffered: 9, unlike: 12, ..fits },
                "version 3, out of date, 9 pages kept to learn it",
                true,
            ),
        ];
        for (state, text, is_unwell) in cases {
            assert_eq!(state.to_string(), text);
            assert_eq!(state.needs_attention() || state.version == 0, is_unwell, "{text}");
        }
    }
}
