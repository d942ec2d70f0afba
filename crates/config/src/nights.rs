//! What a user may set of nights: when crawls begin by themselves, and what is said of
//! each.
//!
//! Cron expressions and the zone are checked where they are read, by `gleaner schedule`: a
//! crawl by hand does not want them.

use serde::{Deserialize, Serialize};

use crate::Span;

/// What is said about a run that has ended, and to whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Report {
    /// Reports that are kept; the oldest are removed. 0: all.
    pub keep: usize,
    /// A program and its arguments, run after a crawl. Empty: none.
    pub command: Vec<String>,
    /// After which crawls it is run.
    pub notify: Notify,
}

/// After which crawls the command of the user's choice is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// After each.
    Always,
    /// After those that were unusual or failed.
    Unusual,
    /// After those that failed.
    Failed,
}

/// When `gleaner schedule` crawls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    /// Cron expressions of five fields: minute, hour, day of the month, month, weekday.
    pub times: Vec<String>,
    /// Time zone of these times by its IANA name. Empty: the system's.
    pub zone: String,
    /// Each start is put off by a random time shorter than this.
    pub jitter: Span,
    /// A night's crawl ends after this time. 0s: no limit.
    pub max_time: Span,
    /// A start that was missed by no more than this is made up for.
    pub catch_up: Span,
}

impl Default for Report {
    fn default() -> Self {
        Self { keep: 400, command: Vec::new(), notify: Notify::Unusual }
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            times: vec!["0 2 * * *".into()],
            zone: String::new(),
            jitter: Span::seconds(10 * 60),
            max_time: Span::seconds(6 * 60 * 60),
            catch_up: Span::seconds(12 * 60 * 60),
        }
    }
}
