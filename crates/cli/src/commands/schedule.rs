//! Runs `gleaner schedule`: crawls at the times in the settings.
//!
//! The store stays open between runs. A failed run is reported, and the next run starts as scheduled. Errors
//! that would affect every run end the program before the first run. These are an invalid command line,
//! invalid settings or seeds, or an unusable data folder.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::Duration;

use gleaner_crawl::report::text;
use gleaner_crawl::settings::{Config, DurationSetting};
use gleaner_crawl::{Timetable, repair, snapshot};
use gleaner_store::Run;
use jiff::Timestamp;

use crate::args::{Budgets, Common, Schedule};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::scheduled::daemon::{Daemon, UNATTENDED};
use crate::scheduled::run_report;
use crate::{CommandResult, opening, run_tables};

/// Interval between checks of the clock and the stop flag. One long sleep would end at the wrong time after
/// the machine was suspended or its clock was changed.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

pub(crate) fn run(common: &Common, args: &Schedule) -> CommandResult {
    let mut timetable = None;
    let check = |config: &mut Config| {
        timetable = Some(Timetable::from_schedule(&config.schedule).map_err(Failure::usage)?);
        config.crawl.max_time = shorter(config.crawl.max_time, config.schedule.max_time);
        // Later, the process has the store open until it ends.
        opening::shrink_store(config);
        Ok(())
    };
    let mut daemon = Daemon::open(common, &args.seeds, &[], &Budgets::default(), check)?;
    daemon.patience = UNATTENDED;
    let timetable = timetable.expect("the daemon checks the schedule before it opens");
    daemon.serve(args.status.status, &args.status.access, daemon.schedule_hooks())?;
    let kept = run_schedule(&daemon, &timetable, args.once_now);
    daemon.close();
    kept
}

fn shorter(one: DurationSetting, other: DurationSetting) -> DurationSetting {
    match (one.get().is_zero(), other.get().is_zero()) {
        (true, _) => other,
        (_, true) => one,
        (false, false) => one.min(other),
    }
}

fn run_schedule(daemon: &Daemon, timetable: &Timetable, once_now: bool) -> CommandResult {
    let last = daemon.store.last_run().map_err(Failure::work)?;
    if once_now {
        scheduled_run(daemon, timetable, "requested with --once-now");
    } else if let Some(start) = timetable.missed(Timestamp::now(), last.as_ref()) {
        scheduled_run(
            daemon,
            timetable,
            &format!("the start of {} was missed", timetable.format_time(start)),
        );
    }
    let mut after = Timestamp::now();
    while !daemon.stop.is_requested() {
        let start =
            timetable.after(after).ok_or_else(|| Failure::Work("the schedule has no next start".into()))?;
        after = start;
        let delay = timetable.delay(random());
        let at = start.checked_add(delay).unwrap_or(start);
        print_message(format_args!("gleaner: the next crawl starts at {}", timetable.format_time(at)));
        daemon.set_next_start(at);
        match wait_until(daemon, at) {
            WakeReason::Time => {}
            WakeReason::CrawlRequest => {
                scheduled_run(daemon, timetable, "requested on the status page");
                after = Timestamp::now();
                continue;
            }
            WakeReason::Stop => break,
        }
        if timetable.is_past(start, Timestamp::now()) {
            print_message(format_args!(
                "gleaner: the start of {} was missed too long ago and is skipped",
                timetable.format_time(start)
            ));
            after = Timestamp::now();
            continue;
        }
        if let Some(run) = started_by_another_worker(daemon, start) {
            print_message(format_args!(
                "gleaner: other workers completed run {run}, scheduled for {}",
                timetable.format_time(start)
            ));
            continue;
        }
        scheduled_run(daemon, timetable, "scheduled");
        let now = Timestamp::now();
        let passed_over = timetable.starts(after, now).count();
        if passed_over > 0 {
            print_message(format_args!("gleaner: scheduled starts skipped during this crawl: {passed_over}"));
            after = now;
        }
    }
    Err(Failure::Interrupted)
}

/// Returns the number of the last run if other workers started it at or after `start` and have finished it.
/// Workers delay their starts by random times, so other workers may already have finished when this worker
/// starts.
fn started_by_another_worker(daemon: &Daemon, start: Timestamp) -> Option<u32> {
    // If the store is unreadable, the crawl starts and reports the error.
    let last = daemon.store.last_run().ok().flatten().filter(|_| daemon.store.is_shared())?;
    is_done(&last, start).then_some(last.number)
}

fn is_done(run: &Run, start: Timestamp) -> bool {
    !run.replayed && run.started >= start && run.ended.is_some()
}

fn random() -> u64 {
    RandomState::new().hash_one(0)
}

enum WakeReason {
    Time,
    CrawlRequest,
    Stop,
}

fn wait_until(daemon: &Daemon, at: Timestamp) -> WakeReason {
    loop {
        if daemon.stop.is_requested() {
            return WakeReason::Stop;
        }
        if daemon.is_crawl_requested() {
            return WakeReason::CrawlRequest;
        }
        if Timestamp::now() >= at {
            return WakeReason::Time;
        }
        snapshot::follow(&daemon.config, &daemon.store);
        repair::follow(daemon.repair_rules(), &daemon.store);
        thread::sleep(CHECK_INTERVAL);
    }
}

fn scheduled_run(daemon: &Daemon, timetable: &Timetable, why: &str) {
    print_message(format_args!(
        "gleaner: starting a crawl at {} ({why})",
        timetable.format_time(Timestamp::now())
    ));
    let crawled = daemon.crawl();
    match (run_report::report(daemon, &crawled), crawled) {
        (Some(report), _) => print_message(text::short(&report).trim_end()),
        (None, Err(error)) => print_message(format_args!("gleaner: the crawl failed: {error}")),
        (None, Ok(summary)) if !summary.ending.is_over() => {
            let by = if daemon.stop.is_requested() { "interrupted" } else { "stopped on the status page" };
            let stopped = run_tables::stopped(&summary, by);
            print_message(format_args!("gleaner: {stopped}; the next crawl continues it"));
        }
        // The log says why there is no report.
        (None, Ok(_)) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_is_done_when_its_own_crawl_has_ended() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (started, ended, replayed, done) in [
            (100, Some(200), false, true),
            (130, Some(131), false, true),
            (99, Some(200), false, false),
            (130, None, false, false),
            (130, Some(131), true, false),
        ] {
            let run = Run { number: 7, started: at(started), ended: ended.map(at), replayed };
            assert_eq!(is_done(&run, at(100)), done, "{run:?}");
        }
    }
}
