//! What a host's answer for its robots.txt means, and for how long.
//!
//! | answer | meaning (RFC 9309, 2.3.1) |
//! |---|---|
//! | 2xx | its rules; none if it is a page of HTML |
//! | 4xx but 429, or too many redirects | no rules: all is allowed |
//! | 5xx, 429, no answer | nothing may be asked; after 30 days of it the last known rules hold, or none |
//!
//! An answer is good for a day. After a failure the host is asked again in 60 s,
//! doubling up to a day; a failure that has lasted 30 days is thus still checked daily.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::robots::{ROBOTS_LIMIT, Rules, Verdict};
use crate::sniff::looks_like_html;

/// An answer is asked for again after this time.
const GOOD_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Pause after the first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// After this time of failures the last known copy is used.
const GIVE_UP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What was learned when a host was last asked for its robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// When it was asked.
    pub at: Timestamp,
    /// What it answered.
    pub state: RobotsState,
}

/// A host's answer for its robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsState {
    /// There is one.
    Rules {
        /// Its text, at most 500 KiB; what is not UTF-8 is U+FFFD.
        text: String,
    },
    /// There is none.
    NoRules {
        /// The status that said so: 404, 301 after too many redirects, 200 of a page.
        status: u16,
    },
    /// It could not be had.
    Unreachable {
        /// The status or error, for people.
        reason: String,
        /// Failures in a row, this one included.
        failures: u32,
        /// When the first of them happened.
        since: Timestamp,
        /// The rules from before the failures. None: there were none, or none known.
        last_known: Option<String>,
    },
}

/// What may be asked of a host.
#[derive(Debug, Clone, PartialEq)]
pub enum Access {
    /// What these rules allow.
    Rules(Rules),
    /// Everything.
    AllAllowed,
    /// Nothing, for now.
    AllDisallowed {
        /// Why, for people.
        reason: String,
    },
}

impl Access {
    /// Whether `path_and_query` may be asked for.
    #[must_use]
    pub fn verdict(&self, path_and_query: &str) -> Verdict {
        match self {
            Self::Rules(rules) => rules.verdict(path_and_query),
            Self::AllAllowed => Verdict::Allowed { rule: None },
            Self::AllDisallowed { reason } => Verdict::Disallowed { rule: reason.clone() },
        }
    }

    /// The `Crawl-delay`, not capped. None: not stated.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        match self {
            Self::Rules(rules) => rules.crawl_delay(),
            Self::AllAllowed | Self::AllDisallowed { .. } => None,
        }
    }

    /// The addresses of sitemaps, as written.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        match self {
            Self::Rules(rules) => rules.sitemaps(),
            Self::AllAllowed | Self::AllDisallowed { .. } => &[],
        }
    }
}

impl RobotsRecord {
    /// The record of a 2xx answer.
    pub(crate) fn answered(status: u16, body: &[u8], now: Timestamp) -> Self {
        if looks_like_html(body) {
            return Self::none(status, now);
        }
        let mut text = String::from_utf8_lossy(body).into_owned();
        // U+FFFD is longer than the byte it stands for.
        text.truncate(text.floor_char_boundary(ROBOTS_LIMIT));
        Self { at: now, state: RobotsState::Rules { text } }
    }

    /// The record of an answer that says that there is no robots.txt.
    pub(crate) fn none(status: u16, now: Timestamp) -> Self {
        Self { at: now, state: RobotsState::NoRules { status } }
    }

    /// The record of a failure after `previous`.
    pub(crate) fn failed(reason: String, previous: Option<&Self>, now: Timestamp) -> Self {
        let (failures, since, last_known) = match previous.map(|record| &record.state) {
            Some(RobotsState::Unreachable { failures, since, last_known, .. }) => {
                (failures.saturating_add(1), *since, last_known.clone())
            }
            Some(RobotsState::Rules { text }) => (1, now, Some(text.clone())),
            Some(RobotsState::NoRules { .. }) | None => (1, now, None),
        };
        Self { at: now, state: RobotsState::Unreachable { reason, failures, since, last_known } }
    }

    /// When the host is to be asked again.
    #[must_use]
    pub fn next_ask(&self) -> Timestamp {
        let pause = match &self.state {
            RobotsState::Rules { .. } | RobotsState::NoRules { .. } => GOOD_FOR,
            // 2^11 minutes are more than a day.
            RobotsState::Unreachable { failures, .. } => {
                (FIRST_PAUSE * (1 << failures.saturating_sub(1).min(11))).min(GOOD_FOR)
            }
        };
        self.at.checked_add(pause).unwrap_or(Timestamp::MAX)
    }

    /// Whether the host is to be asked again before anything else is asked of it. A
    /// record from more than a day in the future, as a clock set back leaves it, is.
    #[must_use]
    pub fn stale(&self, now: Timestamp) -> bool {
        let ahead = Duration::try_from(self.at.duration_since(now)).unwrap_or_default();
        now >= self.next_ask() || ahead > GOOD_FOR
    }

    /// What the crawler with this product token may ask for. Parses the text anew:
    /// keep the result with the host.
    #[must_use]
    pub fn rules(&self, product: &str) -> Access {
        match &self.state {
            RobotsState::Rules { text } => Access::Rules(Rules::parse(text.as_bytes(), product)),
            RobotsState::NoRules { .. } => Access::AllAllowed,
            RobotsState::Unreachable { reason, since, last_known, .. } => {
                let lasted = Duration::try_from(self.at.duration_since(*since)).unwrap_or_default();
                match last_known {
                    _ if lasted < GIVE_UP => {
                        Access::AllDisallowed { reason: format!("robots.txt could not be had: {reason}") }
                    }
                    Some(text) => Access::Rules(Rules::parse(text.as_bytes(), product)),
                    None => Access::AllAllowed,
                }
            }
        }
    }
}
