//! Interprets a host's response to the request for its robots.txt, and decides how long the result is valid.
//!
//! | response | meaning (RFC 9309, 2.3.1) |
//! |---|---|
//! | 2xx | the rules in the body; no rules if the body is an HTML page without any line for crawlers |
//! | 4xx except 429, or too many redirects | no rules: everything is allowed |
//! | 5xx, 429, no response | everything is disallowed; after 30 days, the last known rules or no rules apply |
//!
//! A response of the first two kinds is valid for 20 hours. This is a little less than a day, so that each nightly
//! run requests the file, although the start times of the runs differ. The third kind is a failure. The robots.txt is
//! requested again 10 s after the first failure, and 60 s after the second. This pause doubles with each
//! further failure, up to 20 hours. So the robots.txt of a host that has failed for 30 days is still requested
//! every night.

use std::sync::Arc;
use std::time::Duration;

use crate::settings::{DurationSetting, FetchSettings};
use gleaner_http::retry::Backoff;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::robots::{ROBOTS_LIMIT, RobotsDecision, RobotsRules, has_robots_lines, names, whole_lines};
use crate::sniff::looks_like_html;

const GOOD_FOR: Duration = Duration::from_secs(20 * 60 * 60);
/// The pause after the first failure. It is as short as the first back-off of a host (`backoff.rs`).
const FIRST_PAUSE: Duration = Duration::from_secs(10);
const PAUSES: Backoff = Backoff::exact(Duration::from_secs(60), GOOD_FOR);
/// If all requests fail for this time, the last known rules apply. If no rules are known, everything is allowed.
const GIVE_UP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The result of the last request for a host's robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// When the robots.txt was requested.
    pub at: Timestamp,
    /// The meaning of the response.
    pub state: RobotsState,
    /// The host's last `tdmrep.json`, which is requested after the robots.txt. `None` if the host has none.
    #[serde(default)]
    pub tdmrep: Option<SiteFile>,
}

/// A file of a host about all its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFile {
    /// When the file was requested.
    pub at: Timestamp,
    /// The text, at most 500 KiB. U+FFFD replaces invalid UTF-8.
    pub text: String,
}

/// The meaning of a host's response to the request for its robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsState {
    /// The host has a robots.txt.
    Rules {
        /// The text, at most 500 KiB. U+FFFD replaces invalid UTF-8.
        text: String,
    },
    /// The host has no robots.txt, so everything is allowed.
    NoRules {
        /// The status of the response, for example 404, 301 after too many redirects, or 200 for an HTML
        /// page. 0 if no request was sent because the host's address is refused.
        status: u16,
    },
    /// The request failed.
    Unreachable {
        /// The status or error, in words for users.
        reason: String,
        /// Number of consecutive failures, including this one.
        failures: u32,
        /// When the first of these failures happened.
        since: Timestamp,
        /// The rules that were known before the failures. `None` if there were no rules or they are unknown.
        last_known: Option<String>,
    },
}

/// The URLs that may be requested from a host.
#[derive(Debug, Clone, PartialEq)]
pub enum Access {
    /// The paths that these rules allow may be requested.
    Rules(RobotsRules),
    /// Everything may be requested.
    AllAllowed,
    /// Nothing may be requested for now.
    AllDisallowed {
        /// The reason, in words for users.
        reason: String,
    },
}

impl Access {
    /// Whether `path_and_query` may be requested.
    #[must_use]
    pub fn verdict(&self, path_and_query: &str) -> RobotsDecision {
        match self {
            Self::Rules(rules) => rules.verdict(path_and_query),
            Self::AllAllowed => RobotsDecision::Allowed { rule: None },
            Self::AllDisallowed { reason } => RobotsDecision::Disallowed { rule: reason.clone() },
        }
    }

    /// Returns the `Crawl-delay` as stated, however long it is, or `None` if robots.txt does not set it.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        match self {
            Self::Rules(rules) => rules.crawl_delay(),
            Self::AllAllowed | Self::AllDisallowed { .. } => None,
        }
    }

    /// Returns the delay between requests to the host's group. The result is the longer of two delays:
    /// `delay`, which the user sets for the site, and the `Crawl-delay`, which is capped at
    /// `fetch.max_crawl_delay`.
    #[must_use]
    pub fn effective_delay(&self, delay: DurationSetting, fetch: &FetchSettings) -> Duration {
        let asked = self.crawl_delay().unwrap_or_default();
        delay.get().max(asked.min(fetch.max_crawl_delay.get()))
    }

    /// Returns the addresses of sitemaps as written in the robots.txt.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        match self {
            Self::Rules(rules) => rules.sitemaps(),
            Self::AllAllowed | Self::AllDisallowed { .. } => &[],
        }
    }
}

impl RobotsRecord {
    /// Creates the record of a response that is no redirect. `previous` is the record before the response.
    #[must_use]
    pub fn from_response(status: u16, body: &[u8], previous: Option<&Self>, now: Timestamp) -> Self {
        let record = match status {
            200..300 => Self::answered(status, body, now),
            300..=428 | 430..500 => Self::none(status, now),
            _ => return Self::failed(format!("status {status}"), previous, now),
        };
        Self { tdmrep: previous.and_then(|previous| previous.tdmrep.clone()), ..record }
    }

    fn answered(status: u16, body: &[u8], now: Timestamp) -> Self {
        if looks_like_html(body) && !has_robots_lines(body) {
            return Self::none(status, now);
        }
        let mut text = String::from_utf8_lossy(whole_lines(body)).into_owned();
        // The replaced bytes make the text longer, so it is cut again. U+FFFD has three bytes.
        text.truncate(whole_lines(text.as_bytes()).len());
        Self { at: now, state: RobotsState::Rules { text }, tdmrep: None }
    }

    pub(crate) fn none(status: u16, now: Timestamp) -> Self {
        Self { at: now, state: RobotsState::NoRules { status }, tdmrep: None }
    }

    /// Creates the record of a failure at `now`. `previous` is the record before the failure. `reason` is in
    /// words for users.
    #[must_use]
    pub fn failed(reason: String, previous: Option<&Self>, now: Timestamp) -> Self {
        let (failures, since, last_known) = match previous.map(|record| &record.state) {
            Some(RobotsState::Unreachable { failures, since, last_known, .. }) => {
                (failures.saturating_add(1), *since, last_known.clone())
            }
            Some(RobotsState::Rules { text }) => (1, now, Some(text.clone())),
            Some(RobotsState::NoRules { .. }) | None => (1, now, None),
        };
        let state = RobotsState::Unreachable { reason, failures, since, last_known };
        Self { at: now, state, tdmrep: previous.and_then(|previous| previous.tdmrep.clone()) }
    }

    /// Applies the response to the request for the host's `tdmrep.json`. After a failure (429, 5xx), the last known
    /// file stays.
    pub fn apply_tdmrep(&mut self, status: u16, body: &[u8], now: Timestamp) {
        match status {
            200..300 if looks_like_html(body) => self.tdmrep = None,
            200..300 => {
                let body = &body[..body.len().min(ROBOTS_LIMIT)];
                self.tdmrep = Some(SiteFile { at: now, text: String::from_utf8_lossy(body).into_owned() });
            }
            300..=428 | 430..500 => self.tdmrep = None,
            _ => {}
        }
    }

    /// Returns the text of the host's robots.txt, or the last known text if the last request failed. Returns `None` if
    /// the host has none.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.state {
            RobotsState::Rules { text } => Some(text),
            RobotsState::NoRules { .. } => None,
            RobotsState::Unreachable { last_known, .. } => last_known.as_deref(),
        }
    }

    /// Returns when to request the robots.txt again.
    #[must_use]
    pub fn next_ask(&self) -> Timestamp {
        let pause = match &self.state {
            RobotsState::Rules { .. } | RobotsState::NoRules { .. } => GOOD_FOR,
            RobotsState::Unreachable { failures: 0 | 1, .. } => FIRST_PAUSE,
            RobotsState::Unreachable { failures, .. } => PAUSES.pause(failures - 1),
        };
        self.at.checked_add(pause).unwrap_or(Timestamp::MAX)
    }

    /// Returns which URLs each of these crawlers may request, as far as the text says. Crawlers that no group names
    /// share the rules for `*`.
    #[must_use]
    pub fn rules_of(&self, products: &[&str]) -> Vec<Arc<RobotsRules>> {
        let text = self.text().unwrap_or_default().as_bytes();
        // No group names this crawler.
        let others = Arc::new(RobotsRules::parse(text, ""));
        let rules = |product: &&str| match names(text, product) {
            true => Arc::new(RobotsRules::parse(text, product)),
            false => Arc::clone(&others),
        };
        products.iter().map(rules).collect()
    }

    /// Returns the number of consecutive failures, or 0 if the last request did not fail.
    #[must_use]
    pub fn failures(&self) -> u32 {
        match &self.state {
            RobotsState::Rules { .. } | RobotsState::NoRules { .. } => 0,
            RobotsState::Unreachable { failures, .. } => *failures,
        }
    }

    /// Whether the robots.txt must be requested before any other URL of the host. Also true if the record is
    /// dated more than a day in the future. This happens if the clock was set back.
    #[must_use]
    pub fn stale(&self, now: Timestamp) -> bool {
        let ahead = Duration::try_from(self.at.duration_since(now)).unwrap_or_default();
        now >= self.next_ask() || ahead > GOOD_FOR
    }

    /// Returns which URLs the crawler with the product token `product` may request. The caller should keep
    /// the result, because each call parses the text.
    #[must_use]
    pub fn rules(&self, product: &str) -> Access {
        match &self.state {
            RobotsState::Rules { text } => Access::Rules(RobotsRules::parse(text.as_bytes(), product)),
            RobotsState::NoRules { .. } => Access::AllAllowed,
            RobotsState::Unreachable { reason, since, last_known, .. } => {
                let lasted = Duration::try_from(self.at.duration_since(*since)).unwrap_or_default();
                match last_known {
                    _ if lasted < GIVE_UP => {
                        Access::AllDisallowed { reason: format!("robots.txt is unavailable: {reason}") }
                    }
                    Some(text) => Access::Rules(RobotsRules::parse(text.as_bytes(), product)),
                    None => Access::AllAllowed,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::ROBOTS_LIMIT;

    const DAY: u64 = 24 * 60 * 60;

    fn at(seconds: u64) -> Timestamp {
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        start.checked_add(Duration::from_secs(seconds)).unwrap()
    }

    fn may(record: &RobotsRecord, path: &str) -> bool {
        record.rules("gleaner").verdict(path).is_allowed()
    }

    #[test]
    fn the_effective_delay_is_the_longer_one_up_to_the_cap() {
        let fetch = FetchSettings {
            delay: DurationSetting::seconds(5),
            max_crawl_delay: DurationSetting::seconds(120),
            ..FetchSettings::default()
        };
        let access = |delay: &str| {
            let text = format!("User-agent: *\nCrawl-delay: {delay}");
            RobotsRecord::answered(200, text.as_bytes(), at(0)).rules("gleaner")
        };
        let cases = [
            (Access::AllAllowed, 5),
            (Access::AllDisallowed { reason: "status 503".into() }, 5),
            (access("3"), 5),
            (access("30"), 30),
            (access("1000"), 120),
        ];
        for (access, seconds) in cases {
            assert_eq!(
                access.effective_delay(fetch.delay, &fetch),
                Duration::from_secs(seconds),
                "{access:?}"
            );
        }
        // The configured delay is not capped.
        assert_eq!(
            access("1000").effective_delay(DurationSetting::seconds(300), &fetch),
            Duration::from_secs(300)
        );
        assert_eq!(access("3").effective_delay(DurationSetting::seconds(1), &fetch), Duration::from_secs(3));
    }

    #[test]
    fn an_answer_is_requested_again_in_the_next_nightly_run() {
        let good_for = GOOD_FOR.as_secs();
        assert!(good_for < DAY - 3_600, "the next run may begin an hour early");
        for record in [
            RobotsRecord::answered(200, b"User-agent: *\nDisallow: /x", at(0)),
            RobotsRecord::none(404, at(0)),
        ] {
            assert!(!record.stale(at(0)) && !record.stale(at(good_for - 1)));
            assert!(record.stale(at(good_for)));
            assert_eq!(record.next_ask(), at(good_for));
        }
    }

    #[test]
    fn a_record_from_the_far_future_is_stale() {
        let record = RobotsRecord::none(404, at(3 * DAY));
        assert!(record.stale(at(0)));
        // The clocks of two threads may differ slightly.
        assert!(!record.stale(at(3 * DAY - 5)));
    }

    #[test]
    fn a_page_of_html_holds_no_rules() {
        let record = RobotsRecord::answered(200, b"<!doctype html><p>Disallow: /", at(0));
        assert_eq!(record.state, RobotsState::NoRules { status: 200 });
        assert!(may(&record, "/"));
    }

    #[test]
    fn rules_behind_markup_are_kept_and_followed() {
        let body =
            b"<br />\n<b>Warning</b>: x in <b>y.php</b> on line <b>3</b><br />\nUser-agent: *\nDisallow: /x";
        let record = RobotsRecord::answered(200, body, at(0));
        assert!(matches!(record.state, RobotsState::Rules { .. }), "{record:?}");
        assert!(!may(&record, "/x") && may(&record, "/y"));
    }

    #[test]
    fn the_kept_text_is_bounded_and_ends_with_a_whole_line() {
        let mut body = b"User-agent: *\nDisallow: /x\nDisallow: /\n".to_vec();
        body.extend([0xff; ROBOTS_LIMIT / 2]);
        let RobotsState::Rules { text } = RobotsRecord::answered(200, &body, at(0)).state else { panic!() };
        assert_eq!(text, "User-agent: *\nDisallow: /x\nDisallow: /");
    }

    #[test]
    fn failures_close_the_host_and_are_asked_again_ever_later() {
        let mut record = RobotsRecord::answered(200, b"User-agent: *\nDisallow: /x", at(0));
        let mut now = at(DAY);
        let mut pauses = Vec::new();
        for failures in 1..=14 {
            record = RobotsRecord::failed("status 503".into(), Some(&record), now);
            assert!(!may(&record, "/"), "{failures}");
            assert!(!record.stale(now));
            pauses.push(record.next_ask().duration_since(now).as_secs());
            now = record.next_ask();
            assert!(record.stale(now));
        }
        assert_eq!(pauses[..5], [10, 60, 120, 240, 480]);
        assert_eq!(pauses[11], 61_440);
        assert!(pauses[12..].iter().all(|pause| pause.unsigned_abs() == GOOD_FOR.as_secs()), "{pauses:?}");
        let Access::AllDisallowed { reason } = record.rules("gleaner") else { panic!("{record:?}") };
        assert!(reason.contains("status 503"), "{reason}");
    }

    #[test]
    fn after_thirty_days_the_last_known_rules_hold_or_none() {
        let known = RobotsRecord::answered(200, b"User-agent: *\nDisallow: /x", at(0));
        for (previous, x_allowed) in [(Some(&known), false), (None, true)] {
            let first = RobotsRecord::failed("timeout".into(), previous, at(0));
            let before = RobotsRecord::failed("timeout".into(), Some(&first), at(30 * DAY - 1));
            assert!(!may(&before, "/y"));
            let after = RobotsRecord::failed("timeout".into(), Some(&before), at(30 * DAY));
            assert!(may(&after, "/y"));
            assert_eq!(may(&after, "/x"), x_allowed);
        }
    }

    #[test]
    fn an_answer_ends_the_failures() {
        let failed = RobotsRecord::failed("timeout".into(), None, at(0));
        let none = RobotsRecord::none(404, at(60));
        let again = RobotsRecord::failed("timeout".into(), Some(&none), at(DAY));
        assert!(matches!(again.state, RobotsState::Unreachable { failures: 1, .. }));
        assert!(
            matches!(failed.state, RobotsState::Unreachable { failures: 1, since, .. } if since == at(0))
        );
    }

    #[test]
    fn records_survive_being_written() {
        let known = RobotsRecord::answered(200, b"User-agent: *\n", at(0));
        let failed = RobotsRecord::failed("timeout".into(), Some(&known), at(1));
        for record in [known, failed, RobotsRecord::none(403, at(2))] {
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<RobotsRecord>(&text).unwrap(), record);
        }
    }
}
