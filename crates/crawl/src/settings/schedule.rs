//! Defines the settings for scheduled crawls and reports.
//!
//! Only `gleaner schedule` checks the cron expressions and the time zone, because no other command uses them.

use serde::{Deserialize, Serialize};

use crate::settings::DurationSetting;

/// Settings for reports of ended runs, and for notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSettings {
    /// Number of reports to keep. Older reports are removed. 0 keeps all reports.
    pub keep: usize,
    /// A program with its arguments to run after a crawl. If empty, no program is run.
    pub command: Vec<String>,
    /// After which crawls the command runs.
    pub notify: Notify,
}

/// The crawls after which the user's command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// The command runs after every crawl.
    Always,
    /// The command runs after unusual and failed crawls.
    Unusual,
    /// The command runs after failed crawls.
    Failed,
}

/// Settings for the start times of `gleaner schedule`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScheduleSettings {
    /// Cron expressions of five fields: minute, hour, day of the month, month, weekday.
    pub times: Vec<String>,
    /// IANA name of the time zone for `times`. If empty, the system's time zone is used.
    pub zone: String,
    /// Each start is delayed by a random time that is shorter than this value.
    pub jitter: DurationSetting,
    /// Maximum duration of a scheduled crawl. 0s means no limit.
    pub max_time: DurationSetting,
    /// If a crawl could not begin at its start time, it still begins later, up to this long after the start
    /// time.
    pub catch_up: DurationSetting,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { keep: 400, command: Vec::new(), notify: Notify::Unusual }
    }
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self {
            times: vec!["0 2 * * *".into()],
            zone: String::new(),
            jitter: DurationSetting::seconds(10 * 60),
            max_time: DurationSetting::seconds(6 * 60 * 60),
            catch_up: DurationSetting::seconds(12 * 60 * 60),
        }
    }
}
