//! Defines the settings for scheduled crawls and reports.
//!
//! Only `gleaner schedule` checks the cron expressions and the zone, because other commands do not need them.

use serde::{Deserialize, Serialize};

use crate::Span;

/// Reports of ended runs, and notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Report {
    /// Number of reports to keep; older ones are removed. 0: all are kept.
    pub keep: usize,
    /// A program and its arguments to run after a crawl. Empty: none.
    pub command: Vec<String>,
    /// The crawls after which the command runs.
    pub notify: Notify,
}

/// The crawls after which the user's command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// After every crawl.
    Always,
    /// After unusual and failed crawls.
    Unusual,
    /// After failed crawls.
    Failed,
}

/// When `gleaner schedule` starts crawls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schedule {
    /// Cron expressions of five fields: minute, hour, day of the month, month, weekday.
    pub times: Vec<String>,
    /// IANA name of the time zone of these times. Empty: the system's zone.
    pub zone: String,
    /// Upper bound of the random delay of each start.
    pub jitter: Span,
    /// Maximum duration of a scheduled crawl. 0s: no limit.
    pub max_time: Span,
    /// Maximum delay of a missed start that is caught up on.
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
