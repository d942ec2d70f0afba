//! Tests scheduled crawls with the real binary: the report of a crawl, and a schedule that starts on time,
//! catches up on a missed start, and ends on request.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::newspaper::Crawl;
use crate::status::Served;
use gleaner_store::{Change, Writer, open};
use gleaner_testkit::NewspaperOptions;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// A schedule that starts a crawl every minute.
const EACH_MINUTE: [&str; 4] = ["--set", "schedule.times=[\"* * * * *\"]", "--set", "schedule.jitter=0s"];

fn quiet() -> Crawl {
    Crawl::with_options(NewspaperOptions { faults: false, ..NewspaperOptions::default() }, Duration::ZERO)
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Reads the reports in a crawl's folder, oldest first.
fn reports(crawl: &Crawl) -> Vec<Value> {
    let Ok(entries) = fs::read_dir(crawl.folder.path().join("data/reports")) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    paths.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

/// Fills a new store with completed nightly runs. The last run began `ago` hours before now.
fn with_history(crawl: &Crawl, nights: i64, ago: i64, write: impl Fn(&mut Change, u32)) {
    let options = gleaner_store::StoreOptions { cache: 16 << 20, create: true };
    let mut writer: Writer = open(&crawl.folder.path().join("data"), &options).unwrap();
    for night in (0..nights).rev() {
        let began = Timestamp::now() - SignedDuration::from_hours(24 * night + ago);
        let (run, _) = writer.begin_run(began, false).unwrap();
        let mut change = writer.begin();
        write(&mut change, run.number);
        writer.commit(change).unwrap();
        writer.end_run(&run, began + SignedDuration::from_hours(1)).unwrap();
    }
    writer.flush().unwrap();
}

/// A process of `gleaner schedule`. Dropping it kills the process.
struct Scheduled(Child);

impl Scheduled {
    fn start(crawl: &Crawl, arguments: &[&str]) -> Self {
        let log = fs::File::create(crawl.folder.path().join("log")).unwrap();
        let arguments = [&["schedule", "--seeds", "seeds.txt"], &EACH_MINUTE[..], arguments].concat();
        let mut command = crawl.command(&arguments);
        Self(command.stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }

    /// Sends SIGTERM, as systemd does. Returns the exit code.
    fn terminate(&mut self) -> Option<i32> {
        let kill = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap();
        assert!(kill.success());
        self.0.wait().unwrap().code()
    }
}

impl Drop for Scheduled {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn log(crawl: &Crawl) -> String {
    fs::read_to_string(crawl.folder.path().join("log")).unwrap()
}

/// Waits until a condition is true. Fails after `limit`.
fn until(limit: Duration, what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

const A_CRAWL: Duration = Duration::from_secs(60);

#[test]
fn nights_follow_each_other_in_one_process_until_it_is_told_to_end() {
    let crawl = quiet();
    let mut scheduled = Scheduled::start(&crawl, &["--once-now"]);
    until(A_CRAWL, "the crawl that was asked for", || reports(&crawl).len() == 1);
    until(A_CRAWL, "the next start is told", || log(&crawl).contains("the next crawl starts at"));
    until(2 * A_CRAWL, "the crawl of the next minute", || reports(&crawl).len() == 2);
    assert_eq!(scheduled.terminate(), Some(130), "{}", log(&crawl));
    let told = reports(&crawl);
    assert_eq!((&told[0]["run"], &told[1]["run"]), (&Value::from(1), &Value::from(2)));
    assert!(told[0]["totals"]["new"].as_u64() > Some(60), "{}", told[0]);
    assert_eq!(told[1]["status"], "fine");
    assert!(
        log(&crawl).contains("(requested with --once-now)") && log(&crawl).contains("(scheduled)"),
        "{}",
        log(&crawl)
    );
}

#[test]
fn a_start_that_was_missed_is_made_up_for_and_an_interrupted_run_goes_on() {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::from_millis(20),
    );
    with_history(&crawl, 1, 72, |_, _| {});
    let mut scheduled = Scheduled::start(&crawl, &[]);
    assert!(crawl.newspaper.wait_for_requests(20, A_CRAWL), "{}", log(&crawl));
    assert!(log(&crawl).contains("was missed)"), "{}", log(&crawl));
    assert_eq!(scheduled.terminate(), Some(130));
    assert!(reports(&crawl).is_empty(), "a run that was interrupted is not over");
    let log_of_stop = log(&crawl);
    let line = log_of_stop.lines().find(|line| line.contains("run 2 was interrupted: ")).expect(&log_of_stop);
    assert!(line.contains(" from ") && line.ends_with("; the next crawl continues it"), "{line}");

    let mut scheduled = Scheduled::start(&crawl, &[]);
    until(A_CRAWL, "the run that goes on", || reports(&crawl).len() == 1);
    assert_eq!(scheduled.terminate(), Some(130));
    let told = &reports(&crawl)[0];
    assert_eq!((&told["run"], &told["resumed"]), (&Value::from(2), &Value::from(true)));
}

#[test]
fn a_new_corpus_waits_for_its_first_start() {
    let crawl = quiet();
    let far = ["--set", "schedule.times=[\"0 0 1 1 *\"]"];
    let mut scheduled = Scheduled::start(&crawl, &far);
    until(A_CRAWL, "the start is told", || log(&crawl).contains("the next crawl starts at"));
    assert_eq!(scheduled.terminate(), Some(130));
    assert_eq!(crawl.newspaper.request_count(), 0);
}

/// Commands that read a corpus, with options that give the same output each time.
const READING: [&[&str]; 10] = [
    &["stats"],
    &["hosts"],
    &["doctor", "baolang.example"],
    &["export", "--members"],
    &["duplicates"],
    &["search", "the", "--sort", "left"],
    &["report"],
    &["template", "list"],
    &["template", "show", "baolang.example"],
    &["verify"],
];

/// Returns what the commands of [`READING`] print.
fn read(crawl: &Crawl) -> [String; READING.len()] {
    READING.map(|arguments| {
        let output = crawl.run(arguments);
        assert!(output.status.success(), "{arguments:?} {}", said(&output));
        assert!(!output.stdout.is_empty(), "{arguments:?}");
        // The search writes its index.
        out(&output).lines().filter(|line| !line.starts_with("Disk: ")).collect::<Vec<_>>().join("\n")
    })
}

#[test]
fn the_corpus_can_be_read_while_it_is_served() {
    let crawl = quiet();
    crawl.to_its_end();
    let before = read(&crawl);
    let serve = ["serve", "--address", "127.0.0.1:0", "--seeds", "seeds.txt"];
    let served = Served::begin(crawl.command(&serve));
    assert!(served.page("/hosts").contains("baolang.example"));
    for (arguments, (now, before)) in READING.iter().zip(read(&crawl).iter().zip(&before)) {
        assert_eq!(now, before, "{arguments:?}");
    }
    let refused = crawl.run(&["crawl", "--seeds", "seeds.txt"]);
    assert_eq!(refused.status.code(), Some(1), "the folder is in use");
    assert!(said(&refused).contains("in use by `gleaner serve "), "{}", said(&refused));
}

#[test]
fn the_corpus_can_be_read_and_copied_while_a_schedule_waits() {
    let crawl = quiet();
    crawl.to_its_end();
    let before = read(&crawl);
    let far = ["--set", "schedule.times=[\"0 0 1 1 *\"]"];
    let mut scheduled = Scheduled::start(&crawl, &far);
    until(A_CRAWL, "the start is told", || log(&crawl).contains("the next crawl starts at"));
    for (arguments, (now, before)) in READING.iter().zip(read(&crawl).iter().zip(&before)) {
        assert_eq!(now, before, "{arguments:?}");
    }
    assert!(!crawl.folder.path().join("data/verify-copy").exists());
    let copied = crawl.run(&["snapshot", "copy"]);
    assert!(copied.status.success(), "{}", said(&copied));
    let refused = crawl.run(&["rebuild", "--seeds", "seeds.txt"]);
    assert_eq!(refused.status.code(), Some(1), "the folder is in use");
    assert!(said(&refused).contains("in use by `gleaner schedule "), "{}", said(&refused));
    assert_eq!(scheduled.terminate(), Some(130));
    let copy = Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .current_dir(crawl.folder.path())
        .args(["hosts", "--data", "copy"])
        .output()
        .unwrap();
    assert!(out(&copy).contains("baolang.example"), "{}", said(&copy));
}

#[test]
fn a_night_that_fails_is_reported_and_the_next_is_waited_for() {
    let crawl = quiet();
    let mut scheduled = Scheduled::start(&crawl, &["--once-now", "--set", "store.min_free_disk=900000GiB"]);
    until(A_CRAWL, "the next start is told", || log(&crawl).contains("the next crawl starts at"));
    assert_eq!(scheduled.terminate(), Some(130));
    let told = &reports(&crawl)[0];
    assert_eq!((&told["status"], &told["ending"]["how"]), (&Value::from("failed"), &Value::from("failed")));
    assert!(log(&crawl).contains("!! the crawl failed: the disk has"), "{}", log(&crawl));
}

#[test]
fn a_schedule_that_makes_no_sense_is_refused_before_anything_is_made() {
    let crawl = quiet();
    for (set, part) in [
        ("schedule.times=[\"0 25 * * *\"]", "schedule.times: \"0 25 * * *\""),
        ("schedule.times=[]", "schedule.times: give at least one cron expression"),
        ("schedule.zone=Asia/Hanoi", "schedule.zone: \"Asia/Hanoi\" is not in this system's"),
    ] {
        let refused = crawl.run(&["schedule", "--seeds", "seeds.txt", "--set", set]);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains(part), "{}", said(&refused));
    }
    assert!(!crawl.folder.path().join("data").exists());
}

#[test]
fn a_crawl_that_fails_leaves_a_report_too() {
    let crawl = quiet();
    let failed = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", "store.min_free_disk=900000GiB"]);
    assert_eq!(failed.status.code(), Some(1), "{}", said(&failed));
    let told = &reports(&crawl)[0];
    assert_eq!((&told["status"], &told["run"]), (&Value::from("failed"), &Value::from(1)));
    let text = told["findings"][0]["text"].as_str().unwrap();
    assert!(text.contains("the crawl failed: the disk has"), "{text}");
    // The run is resumed, and its report covers the whole run.
    crawl.to_its_end();
    let told = &reports(&crawl)[1];
    assert_eq!((&told["run"], &told["resumed"]), (&Value::from(1), &Value::from(true)));
}

#[cfg(unix)]
#[test]
fn an_unusual_night_has_its_own_exit_code_and_is_told_to_the_command() {
    let crawl = quiet();
    with_history(&crawl, 5, 24, |change, run| {
        for (host, new) in [("baolang.example", 1000), ("villagepost.example", 30)] {
            let count = |counts: &mut gleaner_store::Counts| {
                *counts.outcomes.entry("stored".into()).or_default() += new
            };
            change.count(run, host, count).unwrap();
        }
    });
    let command = "report.command=[\"sh\", \"-c\", \"env > env.txt; cat > said.txt\"]";
    let done = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", command]);
    assert_eq!(done.status.code(), Some(3), "{}{}", out(&done), said(&done));
    let sentence = "! baolang.example: 36 new, usually 1000:";
    assert!(out(&done).contains(sentence), "{}", out(&done));
    let read = |name: &str| fs::read_to_string(crawl.folder.path().join(name)).unwrap();
    assert!(
        read("said.txt").contains(sentence) && read("said.txt").contains("UNUSUAL"),
        "{}",
        read("said.txt")
    );
    let environment = read("env.txt");
    assert!(environment.contains("GLEANER_STATUS=unusual\n"), "{environment}");
    for (name, begin) in [("GLEANER_REPORT=", "{"), ("GLEANER_REPORT_HTML=", "<!DOCTYPE html>")] {
        let path = environment.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        assert!(path.starts_with('/') && fs::read_to_string(path).unwrap().starts_with(begin), "{path}");
    }

    // Other commands show the findings too.
    let shown = out(&crawl.run(&["report"]));
    assert!(shown.contains(sentence) && shown.contains("villagepost.example"), "{shown}");
    assert!(out(&crawl.run(&["report", "--list"])).contains("unusual"));
    let json = out(&crawl.run(&["report", "--json"]));
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["status"], "unusual");
    let doctor = out(&crawl.run(&["doctor", "baolang.example", "--seeds", "seeds.txt"]));
    for part in ["36 new, usually 1000", "in scope: baolang.example is a site of seeds.txt line", "has rules"]
    {
        assert!(doctor.contains(part), "{doctor}");
    }
    let hosts = out(&crawl.run(&["hosts", "--sort", "new"]));
    assert!(hosts.contains("baolang.example") && hosts.contains("1000"), "{hosts}");
    let line = out(&crawl.run(&["hosts", "--filter", "village", "--json"]));
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&line["host"], &line["state"]), (&Value::from("villagepost.example"), &Value::from("open")));
}

#[test]
fn the_doctor_explains_a_url_from_what_is_known() {
    let crawl = quiet();
    crawl.to_its_end();
    let requests = crawl.newspaper.request_count();
    let doctor = |what: &str| {
        let answer = crawl.run(&["doctor", what, "--seeds", "seeds.txt"]);
        assert!(answer.status.success(), "{}", said(&answer));
        out(&answer)
    };
    let article = crawl.newspaper.expected().remove(0);
    let stored = doctor(&article.urls[0]);
    for part in [
        "its text is in the corpus",
        "in scope",
        "allowed: no rule matches",
        "archive/gleaner-",
        "an article:",
    ] {
        assert!(stored.contains(part), "{stored}");
    }
    let explain = ["template", "explain", &article.urls[0], "--archived", "--out", "explained.html"];
    let explained = crawl.run(&explain);
    assert!(explained.status.success(), "{}", said(&explained));
    let html = std::fs::read_to_string(crawl.folder.path().join("explained.html")).unwrap();
    assert!(html.contains(&article.title) && !html.contains("without a template"), "{html}");
    let extracted = out(&crawl.run(&["extract", &article.urls[0], "--archived"]));
    for paragraph in &article.paragraphs {
        assert!(extracted.contains(paragraph.as_str()), "{paragraph}");
    }
    let unknown = crawl.run(&["extract", "http://a.example/1", "--archived"]);
    let expected =
        "the corpus has no page of http://a.example/1; `gleaner doctor http://a.example/1` says why";
    assert!(said(&unknown).contains(expected), "{}", said(&unknown));

    let host = article.host;
    for (path, parts) in [
        (
            "/private/x",
            ["it would not be fetched: robots.txt forbids it", "disallowed by `Disallow: /private/`"],
        ),
        (
            "/nobody-links-here",
            ["no page, feed or sitemap has named it yet", "unknown: no page, feed or sitemap"],
        ),
    ] {
        let explained = doctor(&format!("http://{host}{path}"));
        assert!(parts.iter().all(|part| explained.contains(part)), "{explained}");
    }
    assert!(
        doctor("https://elsewhere.example/a")
            .contains("out of scope: elsewhere.example is not among the seed sites (2)")
    );
    assert!(doctor("vilagepost.example").contains("did you mean villagepost.example?"));
    let front = doctor(&format!("http://{host}/"));
    assert!(front.contains("visited; due again at") && front.contains("read for its links"), "{front}");
    assert_eq!(crawl.newspaper.request_count(), requests, "nothing is asked of anyone");

    let fetched =
        crawl.run(&["doctor", &format!("http://{host}/private/x"), "--fetch", "--seeds", "seeds.txt"]);
    assert!(
        out(&fetched).contains("fetched now") && out(&fetched).contains("is disallowed by robots.txt"),
        "{}",
        out(&fetched)
    );
    let front = out(&crawl.run(&["doctor", host, "--fetch", "--seeds", "seeds.txt"]));
    assert!(front.contains("fetched now"), "{front}");

    std::fs::remove_dir_all(crawl.folder.path().join("data/archive")).unwrap();
    let missing = "with the page is missing; `gleaner verify` lists all faults";
    assert!(doctor(&article.urls[0]).contains(missing));
    let extracted = crawl.run(&["extract", &article.urls[0], "--archived"]);
    assert!(said(&extracted).contains(missing) && !extracted.status.success(), "{}", said(&extracted));
}
