//! Computes the start times of scheduled crawls from cron expressions in a time zone.
//!
//! Expressions use local time, and each local time counts once a day. If the clock moves forward over a
//! start, the start is later by the same amount. If a time is repeated in autumn, only its first occurrence
//! counts. The caller passes the current time and random numbers.
//!
//! Limitation: if an hour is repeated, an hourly expression starts only one crawl in the two hours.

use std::time::Duration;

use crate::settings::ScheduleSettings;
use cronexpr::{Crontab, MakeTimestamp, parse_crontab};
use gleaner_store::Run;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

/// A time that is longer than any change of a local clock.
const LEAP: SignedDuration = SignedDuration::from_hours(3);
/// Maximum number of starts per call. An expression for every minute has 1,440 a day.
const STARTS: usize = 20_000;

/// Why a schedule cannot be used.
#[derive(Debug, Error)]
pub enum TimetableError {
    /// The list of expressions is empty.
    #[error("schedule.times: give at least one cron expression, such as \"0 2 * * *\"")]
    NoTimes,
    /// A cron expression is invalid.
    #[error(
        "schedule.times: \"{text}\": {reason}; write minute, hour, day of the month, month, weekday, such as \"0 2 * * *\""
    )]
    NoTime {
        /// The text in the settings.
        text: String,
        /// The error, on one line.
        reason: String,
    },
    /// A cron expression matches no date, such as the 30th of February.
    #[error("schedule.times: \"{text}\" matches no date")]
    Never {
        /// The text in the settings.
        text: String,
    },
    /// The time zone is unknown.
    #[error(
        "schedule.zone: \"{zone}\" is not in this system's time zone database; write it as \"Asia/Ho_Chi_Minh\" (on Debian the zones are in the package tzdata)"
    )]
    NoZone {
        /// The text in the settings.
        zone: String,
    },
}

/// The start times of a schedule.
#[derive(Debug, Clone)]
pub struct Timetable {
    /// The expressions. They are evaluated as if local time were UTC.
    times: Vec<Crontab>,
    zone: TimeZone,
    jitter: Duration,
    catch_up: SignedDuration,
}

impl Timetable {
    /// Reads a schedule.
    ///
    /// # Errors
    /// An expression or the zone cannot be used.
    pub fn from_schedule(schedule: &ScheduleSettings) -> Result<Self, TimetableError> {
        let zone = zone_of(schedule)?;
        if schedule.times.is_empty() {
            return Err(TimetableError::NoTimes);
        }
        Ok(Self {
            times: schedule.times.iter().map(|text| parsed(text)).collect::<Result<_, _>>()?,
            zone,
            jitter: schedule.jitter.get(),
            catch_up: SignedDuration::try_from(schedule.catch_up.get()).unwrap_or(SignedDuration::MAX),
        })
    }

    /// Returns the first start after `time`, or `None` if there is no start within four years.
    #[must_use]
    pub fn after(&self, time: Timestamp) -> Option<Timestamp> {
        self.times.iter().filter_map(|one| self.next_of(one, time)).min()
    }

    fn next_of(&self, one: &Crontab, time: Timestamp) -> Option<Timestamp> {
        let clock = time.to_zoned(self.zone.clone()).datetime().to_zoned(TimeZone::UTC).ok()?.timestamp();
        // If local time skips the start, the start is later than its expression says.
        let mut clock = clock.checked_sub(LEAP).ok()?;
        for _ in 0..STARTS {
            let next = one.find_next(MakeTimestamp(clock)).ok()?;
            clock = next.timestamp();
            let at = next.datetime().to_zoned(self.zone.clone()).ok()?.timestamp();
            if at > time {
                return Some(at);
            }
        }
        None
    }

    /// Returns the missed start for which a crawl should start at `now`: the last start up to `now`, if it is
    /// at most `schedule.catch_up` ago. `last` is the last run of the corpus. Returns `None` if the corpus
    /// has no run, or if the last run began at or after the missed start and has ended.
    #[must_use]
    pub fn missed(&self, now: Timestamp, last: Option<&Run>) -> Option<Timestamp> {
        let start = self.starts(now.checked_sub(self.catch_up).unwrap_or(Timestamp::MIN), now).last()?;
        let last = last?;
        (last.started < start || last.ended.is_none()).then_some(start)
    }

    /// Returns at most 20,000 starts after `from`, up to and including `to`, in ascending order.
    pub fn starts(&self, from: Timestamp, to: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        let next = move |time: &Timestamp| self.after(*time).filter(|start| *start <= to);
        std::iter::successors(next(&from), next).take(STARTS)
    }

    /// Whether a crawl that should have begun at `start` is no longer started at `now`: `start` is more than
    /// `schedule.catch_up` and more than a minute ago.
    #[must_use]
    pub fn is_past(&self, start: Timestamp, now: Timestamp) -> bool {
        // Up to a minute late is tolerated, because the machine may be busy.
        now.duration_since(start) > self.catch_up.max(SignedDuration::from_mins(1))
    }

    /// Returns the delay of a start, computed from the number `random`. The delay is less than
    /// `schedule.jitter`.
    #[must_use]
    pub fn delay(&self, random: u64) -> Duration {
        let millis = u64::try_from(self.jitter.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(random.checked_rem(millis).unwrap_or(0))
    }

    /// Formats a time in the schedule's zone for people.
    #[must_use]
    pub fn format_time(&self, time: Timestamp) -> String {
        let zoned = time.to_zoned(self.zone.clone());
        let name = self.zone.iana_name().unwrap_or("local time");
        format!("{} {name}", zoned.strftime("%Y-%m-%d %H:%M:%S"))
    }
}

/// Returns the time zone of the schedule: `schedule.zone` or, if this is empty, the system's.
///
/// # Errors
/// The zone is unknown.
pub fn zone_of(schedule: &ScheduleSettings) -> Result<TimeZone, TimetableError> {
    if schedule.zone.is_empty() {
        return Ok(TimeZone::system());
    }
    TimeZone::get(&schedule.zone).map_err(|_| TimetableError::NoZone { zone: schedule.zone.clone() })
}

fn parsed(text: &str) -> Result<Crontab, TimetableError> {
    let wrong = |reason: String| TimetableError::NoTime { text: text.into(), reason };
    if text.split_whitespace().count() != 5 {
        return Err(wrong("it does not have five fields".into()));
    }
    let reason = |error: cronexpr::Error| {
        let said = error.to_string();
        wrong(said.lines().last().unwrap_or_default().trim_matches([' ', '^']).to_owned())
    };
    let crontab = parse_crontab(&format!("{text} UTC")).map_err(reason)?;
    match crontab.find_next(MakeTimestamp(Timestamp::UNIX_EPOCH)) {
        Ok(_) => Ok(crontab),
        Err(_) => Err(TimetableError::Never { text: text.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nights(times: &[&str], zone: &str) -> Timetable {
        let times = times.iter().map(ToString::to_string).collect();
        Timetable::from_schedule(&ScheduleSettings {
            times,
            zone: zone.into(),
            ..ScheduleSettings::default()
        })
        .unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_night_begins_by_the_clock_of_its_zone() {
        let hanoi = nights(&["0 2 * * *"], "Asia/Ho_Chi_Minh");
        assert_eq!(hanoi.after(at("2026-11-22T03:00:00Z")), Some(at("2026-11-22T19:00:00Z")));
        assert_eq!(hanoi.after(at("2026-11-22T19:00:00Z")), Some(at("2026-11-23T19:00:00Z")));
        assert_eq!(hanoi.format_time(at("2026-11-22T19:00:00Z")), "2026-11-23 02:00:00 Asia/Ho_Chi_Minh");
        let both = nights(&["0 14 * * 1-5", "30 2 * * *"], "UTC");
        let starts: Vec<_> = both.starts(at("2026-11-20T00:00:00Z"), at("2026-11-21T23:00:00Z")).collect();
        // The 20th is a Friday.
        assert_eq!(starts, ["2026-11-20T02:30:00Z", "2026-11-20T14:00:00Z", "2026-11-21T02:30:00Z"].map(at));
    }

    #[test]
    fn each_night_comes_once_when_clocks_are_changed() {
        let berlin = nights(&["30 2 * * *"], "Europe/Berlin");
        let of = |from, to| berlin.starts(at(from), at(to)).collect::<Vec<_>>();
        // 02:30 is skipped on 29 March. The start is at 03:30 summer time instead.
        let spring = of("2026-03-28T00:00:00Z", "2026-03-31T00:00:00Z");
        assert_eq!(spring, ["2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"].map(at));
        // The start is the same when computed from a time after the clock change.
        assert_eq!(berlin.after(at("2026-03-29T01:10:00Z")), Some(at("2026-03-29T01:30:00Z")));
        // On 25 October, 02:30 occurs twice.
        let autumn = of("2026-10-24T12:00:00Z", "2026-10-27T00:00:00Z");
        assert_eq!(autumn, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"].map(at));
    }

    fn run(started: &str, ended: Option<&str>) -> Run {
        Run { number: 7, started: at(started), ended: ended.map(at), replayed: false }
    }

    #[test]
    fn a_start_that_was_missed_is_made_up_for_once() {
        let nights = nights(&["0 2 * * *"], "UTC");
        let now = at("2026-11-22T09:00:00Z");
        let before = run("2026-11-19T02:01:00Z", Some("2026-11-19T05:00:00Z"));
        assert_eq!(nights.missed(now, Some(&before)), Some(at("2026-11-22T02:00:00Z")));
        let this_night = run("2026-11-22T02:01:00Z", Some("2026-11-22T05:00:00Z"));
        assert_eq!(nights.missed(now, Some(&this_night)), None);
        let interrupted = run("2026-11-22T02:01:00Z", None);
        assert_eq!(nights.missed(now, Some(&interrupted)), Some(at("2026-11-22T02:00:00Z")));
        assert_eq!(nights.missed(at("2026-11-22T14:30:00Z"), Some(&before)), None, "more than 12 hours ago");
        assert_eq!(nights.missed(now, None), None, "nothing was crawled yet");
    }

    #[test]
    fn a_start_is_past_when_it_is_not_made_up_for() {
        let mut nights = nights(&["0 2 * * *"], "UTC");
        let start = at("2026-11-22T02:00:00Z");
        assert!(!nights.is_past(start, at("2026-11-22T13:00:00Z")));
        assert!(nights.is_past(start, at("2026-11-22T15:00:00Z")));
        nights.catch_up = SignedDuration::ZERO;
        assert!(!nights.is_past(start, at("2026-11-22T02:00:30Z")));
        assert!(nights.is_past(start, at("2026-11-22T02:02:00Z")));
    }

    #[test]
    fn the_delay_is_less_than_the_jitter() {
        let mut nights = nights(&["0 2 * * *"], "UTC");
        for random in [0, 1, 599_999, 600_000, u64::MAX] {
            assert!(nights.delay(random) < Duration::from_secs(600));
        }
        assert_eq!(nights.delay(1_234), Duration::from_millis(1_234));
        nights.jitter = Duration::ZERO;
        assert_eq!(nights.delay(77), Duration::ZERO);
    }

    #[test]
    fn what_is_wrong_is_said_on_one_line() {
        for (time, zone, partition) in [
            ("0 2 * *", "UTC", "\"0 2 * *\": it does not have five fields; write minute, hour"),
            ("0 25 * * *", "UTC", "\"0 25 * * *\""),
            ("@daily", "UTC", "\"@daily\""),
            ("0 0 30 2 *", "UTC", "\"0 0 30 2 *\" matches no date"),
            ("0 2 * * *", "Asia/Hanoi", "schedule.zone: \"Asia/Hanoi\" is not in this system's"),
        ] {
            let schedule = ScheduleSettings {
                times: vec![time.into()],
                zone: zone.into(),
                ..ScheduleSettings::default()
            };
            let said = Timetable::from_schedule(&schedule).unwrap_err().to_string();
            assert!(said.contains(partition) && !said.contains('\n'), "{said}");
        }
        let none = ScheduleSettings { times: Vec::new(), ..ScheduleSettings::default() };
        assert!(matches!(Timetable::from_schedule(&none), Err(TimetableError::NoTimes)));
    }
}
