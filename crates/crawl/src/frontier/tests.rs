//! Tests the frontier on a store in a temporary folder.

use gleaner_fetch::RobotsState;
use gleaner_store::Writer;

use super::*;
use crate::clock::Clock;
use crate::frontier::budget::Budget;

fn frontier(sets: &[&str]) -> (tempfile::TempDir, Writer, Frontier, HostId) {
    let folder = tempfile::tempdir().unwrap();
    let (session, writer) = SessionConfig::in_folder(folder.path(), sets);
    let politeness = Politeness::new(session.config.fetch.delay.get());
    let mut frontier = Frontier::new(writer.store(), &session, politeness);
    let record = writer.store().host("a.example").unwrap().unwrap();
    assert!(frontier.admit(&record).unwrap() && !frontier.admit(&record).unwrap());
    (folder, writer, frontier, record.id)
}

fn robots(frontier: &Frontier, text: &str) -> RobotsRecord {
    RobotsRecord {
        at: frontier.session.clock.now(),
        state: RobotsState::Rules { text: text.into() },
        tdmrep: None,
    }
}

#[test]
fn robots_come_first_and_judge_every_url() {
    let (_folder, _writer, mut frontier, host) = frontier(&[]);
    let next = frontier.next_url(host).unwrap();
    assert!(matches!(next, NextUrl::Robots(url) if url.as_str() == "http://a.example/robots.txt"));
    frontier.apply_robots(host, &robots(&frontier, "User-agent: *\nDisallow: /"));
    let next = frontier.next_url(host).unwrap();
    assert!(matches!(next, NextUrl::Refused(_, Outcome::Disallowed { rule }) if rule == "Disallow: /"));
    frontier.apply_robots(host, &robots(&frontier, "User-agent: *\nAllow: /"));
    let next = frontier.next_url(host).unwrap();
    assert!(matches!(next, NextUrl::Allowed(ready) if ready.url.as_str() == "http://a.example/"));
}

#[test]
fn a_site_has_its_own_gap_which_may_be_shorter_but_not_than_its_crawl_delay() {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, writer) = SessionConfig::in_folder(folder.path(), &[]);
    for (delay, text, gap) in [("1s", "", 1), ("30s", "", 30), ("1s", "User-agent: *\nCrawl-delay: 3", 3)] {
        let site = format!("[site.\"a.example\"]\ndelay = \"{delay}\"\n");
        let origin = crate::settings::ConfigFile { file: "x.toml", text: &site };
        session.config = Arc::new(crate::settings::read(Some(origin), &[]).unwrap());
        let politeness = Politeness::new(session.config.fetch.delay.get());
        let mut frontier = Frontier::new(writer.store(), &session, politeness);
        let record = writer.store().host("a.example").unwrap().unwrap();
        frontier.admit(&record).unwrap();
        frontier.apply_robots(record.id, &robots(&frontier, text));
        frontier.politeness.gates.start_delay("a.example");
        let wait = frontier.politeness.gates.ready_in("a.example");
        assert_eq!(wait.as_secs_f64().ceil() as u64, gap, "{delay} {text}");
    }
}

#[test]
fn a_host_on_hold_waits_and_one_at_its_cap_is_done() {
    let (_folder, _writer, mut frontier, host) = frontier(&["crawl.max_pages_per_host=1"]);
    frontier.apply_robots(host, &robots(&frontier, ""));
    frontier.politeness.backoffs.start("a.example", Duration::from_secs(60));
    let NextUrl::Later(pause) = frontier.next_url(host).unwrap() else { panic!("it is on hold") };
    assert!(pause.until > Instant::now() + Duration::from_secs(50) && pause.is_awaited);
    frontier.spend(host);
    assert!(matches!(frontier.next_url(host).unwrap(), NextUrl::Nothing));
}

#[test]
fn the_runs_end_waits_for_one_retry_of_a_seed_whose_robots_cannot_be_read() {
    let (_folder, mut writer, mut frontier, front) = frontier(&[]);
    let mut change = writer.begin();
    let url = CanonicalUrl::parse("http://side.a.example/x").unwrap();
    let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
    change.discover(Some(front), &found, 1, 0, gleaner_store::QueuePosition::default()).unwrap();
    writer.commit(change).unwrap();
    let side = frontier.store.host("side.a.example").unwrap().unwrap();
    frontier.admit(&side).unwrap();
    let failed = RobotsRecord::failed("timeout".into(), None, frontier.session.clock.now());
    for (host, is_seed, failures, is_awaited) in [
        (front, true, 0, true),
        (front, true, 1, true),
        (front, true, 2, false),
        // A seed may redirect to this host.
        (front, false, 1, true),
        (front, false, 2, false),
        (side.id, true, 1, true),
        (side.id, false, 0, false),
        (side.id, false, 1, false),
    ] {
        frontier.apply_robots(host, &failed);
        let known = frontier.hosts.get_mut(&host).unwrap();
        (known.is_seed, known.robots_failures) = (is_seed, failures);
        let NextUrl::Later(pause) = frontier.next_url(host).unwrap() else { panic!("it may be requested") };
        assert_eq!(pause.is_awaited, is_awaited, "{host:?} {is_seed} {failures}");
    }
}

/// Returns the seconds at which a run with this patience requests the robots.txt of a silent seed.
fn robots_retries(patience: Duration) -> Vec<i64> {
    let (_folder, _writer, mut frontier, seed) = frontier(&["crawl.linger=60s"]);
    let began = frontier.session.clock.now();
    frontier.session.awaits_until = frontier.session.clock.after(patience);
    let (mut record, mut retries) = (RobotsRecord::failed("dns".into(), None, began), Vec::new());
    loop {
        let at = record.at;
        frontier.session.clock = Clock::from_fn(move || at);
        frontier.apply_robots(seed, &record);
        let host = frontier.hosts.get_mut(&seed).unwrap();
        (host.is_seed, host.robots_failures) = (true, record.failures());
        frontier.schedule = Schedule::default();
        frontier.wake(seed);
        frontier.schedule.pop(Instant::now() + Duration::from_secs(60)).unwrap();
        let NextUrl::Later(pause) = frontier.next_url(seed).unwrap() else { panic!("it has no robots.txt") };
        frontier.schedule.put_off(
            &GroupName::from("a.example"),
            pause.until,
            pause.is_awaited.then_some(pause.until),
        );
        if frontier.is_idle(None).unwrap() {
            return retries;
        }
        retries.push(record.next_ask().as_second() - began.as_second());
        record = RobotsRecord::failed("dns".into(), Some(&record), record.next_ask());
    }
}

#[test]
fn an_unattended_run_survives_an_outage_of_some_minutes_at_its_start() {
    assert_eq!(robots_retries(Duration::ZERO), [10], "a person waits for one retry");
    assert_eq!(
        robots_retries(Duration::from_secs(600)),
        [10, 70, 190, 430],
        "a scheduled run waits for ten minutes"
    );
}

#[test]
fn a_group_is_not_due_within_its_gap_nor_beyond_the_limit_in_flight() {
    let (_folder, _writer, mut frontier, host) =
        frontier(&["fetch.delay=5s", "fetch.concurrency=1", "crawl.linger=0s"]);
    let record = frontier.store.host("a.example").unwrap().unwrap();
    assert!(frontier.is_idle(None).unwrap());
    frontier.resume(&record).unwrap();
    assert_eq!(frontier.next_group(Instant::now()), None, "its gap has just begun");
    assert!(!frontier.is_idle(None).unwrap(), "the end of a gap is waited for");
    frontier.politeness = Politeness::new(Duration::ZERO);
    frontier.schedule = Schedule::default();
    frontier.wake(host);
    frontier.in_flight = 1;
    assert_eq!(frontier.next_group(Instant::now()), None, "one URL is in flight");
    frontier.in_flight = 0;
    assert_eq!(frontier.next_group(Instant::now()).as_deref(), Some("a.example"));
    assert_eq!(frontier.next_group(Instant::now()), None);
}

#[test]
fn released_hosts_are_forgotten() {
    let (_folder, _writer, mut frontier, host) = frontier(&["crawl.max_pages=1"]);
    frontier.apply_robots(host, &robots(&frontier, ""));
    let read = |frontier: &Frontier| {
        let progress = &frontier.session.progress;
        (progress.queue.load(Ordering::Relaxed), progress.hosts.load(Ordering::Relaxed))
    };
    let record = frontier.store.host("a.example").unwrap().unwrap();
    frontier.resume(&record).unwrap();
    frontier.spend(host);
    assert_eq!(read(&frontier), (record.queued, 1));
    assert_eq!(frontier.budget.exhausted(Instant::now()), Some(Budget::Pages));
    frontier.release(|_| false);
    assert_eq!(read(&frontier), (0, 0));
    assert_eq!(frontier.budget.exhausted(Instant::now()), None, "the next worker counts these pages");
    assert!(matches!(frontier.next_url(host).unwrap(), NextUrl::Nothing));
    assert!(!frontier.hosts.contains_key(&host));
}
