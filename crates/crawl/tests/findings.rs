//! Tests the findings of reports on invented runs.

use crate::histories::{counts, gives, run_data};
use gleaner_crawl::TemplateState;
use gleaner_crawl::report::text::{self, sentence};
use gleaner_crawl::report::{DeferredUrls, Disk, Grade, HostData, Report, RunData, RunEnding, RunStatus};
use gleaner_store::Counts;

/// Returns fourteen nights with about `usual` new articles each, followed by a night with the counts `last`.
fn nights(usual: u64, last: Counts) -> Vec<Counts> {
    let shifts = [0_i64, 12, -9, 4, -15, 8, 0, 0, -6, 10, -2, 7, -11, 5];
    let usual_nights = shifts.iter().map(|shift| {
        let share = i64::try_from(usual).unwrap() * shift / 100;
        gives(usual.saturating_add_signed(share))
    });
    usual_nights.chain([last]).collect()
}

fn sentences(report: &Report) -> Vec<String> {
    report.findings.iter().map(sentence).collect()
}

fn report_of(last: Counts) -> Report {
    Report::new(&run_data(&[("vnexpress.net", nights(240, last)), ("tuoitre.vn", nights(100, gives(104)))]))
}

#[test]
fn an_ordinary_night_is_fine_and_says_nothing() {
    for new in [200, 240, 300, 120, 900] {
        let report = report_of(gives(new));
        assert_eq!(
            (report.status, report.findings.len()),
            (RunStatus::Fine, 0),
            "{new} {:?}",
            report.findings
        );
    }
}

#[test]
fn a_consent_wall_is_named_with_its_share() {
    let wall = counts(&[("stored", 3), ("not_article: consent_wall", 97), ("listing", 12)]);
    let report = report_of(wall);
    assert_eq!(report.status, RunStatus::Unusual);
    let said = "vnexpress.net: 3 new, usually 240: 97% of pages: consent dialogs instead of articles (not_article: consent_wall)";
    assert_eq!(sentences(&report), [said]);
}

#[test]
fn a_wall_is_named_on_a_small_host_too() {
    let wall = || counts(&[("not_article: consent_wall", 2), ("listing", 8)]);
    let of = |usual: Counts, nights: usize| {
        let nights = [vec![usual; 8], vec![wall(); nights]].concat();
        Report::new(&run_data(&[("vnexpress.net", nights)]))
    };
    for nights in [1, 5] {
        let report = of(gives(2), nights);
        let said =
            "vnexpress.net: 100% of pages: consent dialogs instead of articles (not_article: consent_wall)";
        assert_eq!((report.status, sentences(&report)), (RunStatus::Unusual, vec![said.to_owned()]));
        assert_eq!(report.findings[0].next.as_deref(), Some("gleaner doctor vnexpress.net --fetch"));
    }
    // A site with walls on many nights, and a single page with a wall.
    let often = counts(&[("stored", 1), ("not_article: consent_wall", 1), ("listing", 8)]);
    assert_eq!(of(often, 1).status, RunStatus::Fine);
    let single = vec![gives(2), gives(2), gives(2), counts(&[("not_article: consent_wall", 1)])];
    assert_eq!(Report::new(&run_data(&[("vnexpress.net", single)])).status, RunStatus::Fine);
}

#[test]
fn a_small_host_that_refuses_everything_is_named() {
    let nights = |last: Counts| [vec![gives(2); 8], vec![last]].concat();
    let report = Report::new(&run_data(&[("vnexpress.net", nights(counts(&[("rejected: http_403", 5)])))]));
    let said = "vnexpress.net: 100% of its URLs fail, usually 0%; most often: the site refuses the crawler (rejected: http_403)";
    assert_eq!((report.status, sentences(&report)), (RunStatus::Unusual, vec![said.to_owned()]));
    let some = counts(&[("rejected: http_403", 5), ("listing", 4), ("stored", 1)]);
    assert_eq!(Report::new(&run_data(&[("vnexpress.net", nights(some))])).status, RunStatus::Fine);
}

#[test]
fn a_host_that_only_redirects_is_not_silent() {
    let redirects = || counts(&[("redirected", 6)]);
    let nights = [vec![gives(6); 7], vec![redirects(); 6]].concat();
    let report = Report::new(&run_data(&[("www.vnexpress.net", nights)]));
    assert_eq!(report.status, RunStatus::Fine, "{:?}", report.findings);
}

#[test]
fn a_host_that_gives_nothing_is_explained() {
    for (last, why) in [
        (
            counts(&[("failed: timeout", 4)]),
            "cannot be reached: no response in time (failed: timeout), URLs: 4",
        ),
        (counts(&[("disallowed", 260)]), "robots.txt forbids every URL that was due (URLs: 260)"),
        (
            counts(&[("rejected: http_403", 260)]),
            "0 new, usually 240: 100% of pages: the site refuses the crawler (rejected: http_403)",
        ),
        (
            counts(&[("listing", 12)]),
            "0 new, usually 240: front pages, sections, feeds and sitemaps name nothing new (read: 12; other URLs requested: 0)",
        ),
        (
            counts(&[("duplicate", 230), ("listing", 12)]),
            "0 new, usually 240: 100% of pages: texts that are already in the corpus (duplicate)",
        ),
    ] {
        let report = report_of(last);
        assert_eq!(report.status, RunStatus::Unusual);
        assert_eq!(sentences(&report), [format!("vnexpress.net: {why}")]);
    }
}

#[test]
fn what_holds_a_host_back_is_said() {
    let mut data = run_data(&[
        ("vnexpress.net", nights(240, Counts::default())),
        ("tuoitre.vn", nights(100, gives(104))),
    ]);
    data.hosts[0].held =
        vec![DeferredUrls { urls: 31, why: "robots.txt returned HTTP 502; will retry".into() }];
    let said = "vnexpress.net: not crawled: robots.txt returned HTTP 502; will retry";
    assert_eq!(sentences(&Report::new(&data)), [said]);
    data.hosts[0].paused = true;
    let report = Report::new(&data);
    assert_eq!(report.status, RunStatus::Fine);
    assert_eq!(sentences(&report), ["vnexpress.net: paused by the user; not crawled"]);
}

#[test]
fn a_host_at_which_nothing_was_due_is_fine() {
    assert_eq!(report_of(Counts::default()).status, RunStatus::Fine);
}

#[test]
fn a_crawl_by_hand_an_hour_after_the_nights_is_fine() {
    let mut data = run_data(&[("vnexpress.net", nights(240, gives(9)))]);
    data.run.started = data.past[0].started + jiff::SignedDuration::from_hours(1);
    let report = Report::new(&data);
    assert_eq!(report.status, RunStatus::Fine, "{:?}", report.findings);
}

#[test]
fn a_crawl_by_hand_that_only_tries_again_what_failed_is_fine() {
    let again = || counts(&[("failed: http_500", 1)]);
    let mut data = run_data(&[("vnexpress.net", nights(240, again())), ("tuoitre.vn", nights(100, again()))]);
    assert_eq!(Report::new(&data).status, RunStatus::Failed, "as a night of its own it reached nothing");
    data.run.started = data.past[0].started + jiff::SignedDuration::from_hours(1);
    assert_eq!(Report::new(&data).status, RunStatus::Fine);
    // The result is the same in the second run of a corpus.
    data.past.truncate(1);
    data.run.started = data.past[0].started + jiff::SignedDuration::from_mins(5);
    assert_eq!(Report::new(&data).status, RunStatus::Fine);
    data.run.started = data.past[0].started + jiff::SignedDuration::from_hours(24);
    assert_eq!(Report::new(&data).status, RunStatus::Failed);
}

#[test]
fn the_first_nights_are_fine_whatever_they_give() {
    for count in 0..3 {
        let mut nights: Vec<Counts> = (0..count).map(|_| gives(400)).collect();
        nights.push(counts(&[("listing", 3), ("not_article: consent_wall", 40)]));
        let report = Report::new(&run_data(&[("vnexpress.net", nights)]));
        assert_eq!(report.status, RunStatus::Fine, "after {count} nights: {:?}", report.findings);
        assert_eq!(report.hosts[0].usual, None);
    }
    let unreachable = vec![counts(&[("failed: dns", 1)])];
    let report = Report::new(&run_data(&[("vnexpress.net", unreachable)]));
    assert_eq!(report.status, RunStatus::Failed);
    let said = "no page of any seed could be fetched (1 host): cannot be reached: the host's name cannot be resolved (failed: dns), URLs: 1";
    assert_eq!(sentences(&report), [said], "the cause is said once");
    assert_eq!(report.findings[0].next.as_deref(), Some("gleaner doctor vnexpress.net --fetch"));
}

#[test]
fn a_seed_without_documents_is_named_from_the_first_night_on() {
    let refused = || counts(&[("rejected: http_403", 9)]);
    let with_seeds = |seeds: [&str; 2], others: Counts| {
        let nights =
            [("a.example", vec![refused(), refused()]), ("www.a.example", vec![others.clone(), others])];
        let mut data = run_data(&nights);
        for (host, seed) in data.hosts.iter_mut().zip(seeds) {
            host.seed = Some(seed.to_owned());
        }
        data
    };
    let named = |data: &RunData| {
        let report = Report::new(data);
        let said = sentences(&report)
            .into_iter()
            .filter(|said| said.contains("no documents so far"))
            .collect::<Vec<_>>();
        assert_eq!(report.status, RunStatus::Fine, "{:?}", report.findings);
        said
    };
    let said =
        "a.example: no documents so far: 100% of pages: the site refuses the crawler (rejected: http_403)";
    assert_eq!(named(&with_seeds(["line 1", "line 2"], gives(3))), [said]);
    // Another host of the same seed has documents, or pages are buffered for a template.
    assert_eq!(named(&with_seeds(["line 1", "line 1"], gives(3))), [""; 0]);
    let mut waits = with_seeds(["line 1", "line 2"], gives(3));
    waits.hosts[0].template.buffered = 4;
    assert_eq!(named(&waits), [""; 0]);
    waits.hosts[0].template.buffered = 0;
    waits.hosts[0].seed = None;
    assert_eq!(named(&waits), [""; 0]);
}

#[test]
fn a_corpus_that_stays_empty_is_unusual() {
    let mut data = run_data(&[("a.example", vec![counts(&[("not_article: hub", 9)])])]);
    data.documents = 0;
    let said = "the corpus has no documents: no page of any host gave one";
    let is_said = |data: &RunData| sentences(&Report::new(data)).iter().any(|text| text == said);
    assert!(is_said(&data));
    assert_eq!(Report::new(&data).status, RunStatus::Unusual);
    data.ending = RunEnding::Budget { key: "crawl.max_pages".into() };
    assert!(!is_said(&data));
    data.ending = RunEnding::Budget { key: "crawl.max_time".into() };
    assert!(is_said(&data));
    data.ending = RunEnding::Quiet;
    data.hosts[0].template.buffered = 9;
    assert!(!is_said(&data));
    data.hosts[0].template.buffered = 0;
    data.documents = 1;
    assert!(!is_said(&data));
}

#[test]
fn a_new_host_that_does_not_answer_is_a_note_beside_others() {
    let mut data = run_data(&[("tuoitre.vn", nights(100, gives(104)))]);
    let counts = counts(&[("failed: dns", 1)]);
    data.hosts.push(HostData { name: "wrong.example".into(), counts, ..HostData::default() });
    let report = Report::new(&data);
    assert_eq!(report.status, RunStatus::Fine);
    assert_eq!(
        sentences(&report),
        ["wrong.example: cannot be reached: the host's name cannot be resolved (failed: dns), URLs: 1"]
    );
}

#[test]
fn weekends_are_held_against_weekends() {
    // Night 0 is a Monday. Nights 5 and 6 of a week have a sixth of the usual articles.
    let week = |number: usize| if number % 7 >= 5 { gives(40) } else { gives(240) };
    for last in 8..35 {
        let nights: Vec<Counts> = (last.max(14) - 14..=last.max(14)).map(week).collect();
        let mut data = run_data(&[("weekly.example", nights)]);
        let shift = jiff::SignedDuration::from_hours(24 * (i64::try_from(last).unwrap() % 7));
        data.run.started += shift;
        data.past.iter_mut().for_each(|night| night.started += shift);
        let report = Report::new(&data);
        assert_eq!(report.status, RunStatus::Fine, "night {last}: {:?}", report.findings);
    }
}

#[test]
fn a_small_host_is_silent_only_after_some_nights() {
    let few = [4, 2, 3, 5, 1, 3, 4, 2, 6, 3];
    for (empty, status) in [(1, RunStatus::Fine), (2, RunStatus::Fine), (5, RunStatus::Unusual)] {
        let nights: Vec<Counts> =
            few.iter().copied().chain(std::iter::repeat_n(0, empty)).map(gives).collect();
        let report = Report::new(&run_data(&[("village.example", nights)]));
        assert_eq!(report.status, status, "{empty}: {:?}", report.findings);
    }
}

#[test]
fn failures_are_told_when_there_are_many_more() {
    let last = counts(&[("stored", 150), ("failed: http_500", 90), ("listing", 12)]);
    let said = "vnexpress.net: 36% of its URLs fail, usually 0%; most often: the server has an error (failed: http_500)";
    assert_eq!(sentences(&report_of(last)), [said]);
    let few = counts(&[("stored", 230), ("failed: http_500", 9), ("listing", 12)]);
    assert_eq!(report_of(few).status, RunStatus::Fine);
}

#[test]
fn the_gravest_comes_first_then_the_largest_host() {
    let mut data = run_data(&[
        ("small.example", nights(40, counts(&[("failed: timeout", 4)]))),
        ("large.example", nights(400, counts(&[("failed: timeout", 4)]))),
        ("other.example", nights(40, gives(40))),
    ]);
    data.hosts[2].template =
        TemplateState { version: 2, outdated: true, buffered: 12, ..TemplateState::default() };
    data.ending = RunEnding::Failed { error: "the disk is full".into() };
    let report = Report::new(&data);
    let hosts: Vec<Option<&str>> = report.findings.iter().map(|finding| finding.host.as_deref()).collect();
    assert_eq!(hosts[..2], [None, Some("large.example")]);
    assert_eq!(report.findings[0].grade, Grade::Failed);
    assert!(
        report.findings.iter().any(|finding| finding.text.contains("(version 2) is out of date, probably"))
    );
}

#[test]
fn a_budget_is_a_note_and_excuses_what_it_left() {
    let mut data = run_data(&[("vnexpress.net", nights(240, gives(10)))]);
    data.ending = RunEnding::Budget { key: "crawl.max_time".into() };
    data.hosts[0].held = vec![DeferredUrls { urls: 700, why: "crawl.max_time reached".into() }];
    let report = Report::new(&data);
    assert_eq!(report.status, RunStatus::Fine);
    assert_eq!(report.findings[0].text, "crawl.max_time reached; URLs left for the next run: 700");
    assert!(report.findings[1].text.starts_with("10 new, usually 240"), "{:?}", report.findings);
}

fn put_off(data: &mut RunData, days: i64) {
    data.run.started += jiff::SignedDuration::from_hours(24 * days);
}

#[test]
fn a_night_that_did_not_happen_is_said_where_nights_are_steady() {
    let mut data = run_data(&[("vnexpress.net", nights(240, gives(240)))]);
    // One night was missed, and this run began a few minutes early.
    put_off(&mut data, 1);
    data.run.started -= jiff::SignedDuration::from_mins(9);
    assert_eq!(Report::new(&data).status, RunStatus::Unusual);
    data.run.started += jiff::SignedDuration::from_mins(9);
    put_off(&mut data, 1);
    let report = Report::new(&data);
    assert_eq!(report.status, RunStatus::Unusual);
    assert_eq!(sentences(&report), ["runs were missed: the previous run began 3 days earlier, usually 24 h"]);
    // One run by hand, or another missed night, leaves the nights steady.
    data.past[3].started += jiff::SignedDuration::from_hours(9);
    assert_eq!(Report::new(&data).status, RunStatus::Unusual);
    data.past[6].started += jiff::SignedDuration::from_hours(9);
    assert_eq!(Report::new(&data).status, RunStatus::Fine);
}

#[test]
fn runs_by_hand_a_few_minutes_apart_are_no_schedule() {
    let mut data = run_data(&[("vnexpress.net", vec![gives(9); 5])]);
    for (run, minutes) in data.past.iter_mut().zip([0, 4, 8, 12]) {
        run.started = data.run.started - jiff::SignedDuration::from_mins(24 * 60 + minutes);
    }
    assert_eq!(sentences(&Report::new(&data)), [""; 0]);
}

#[test]
fn a_host_whose_urls_no_longer_exist_is_unusual_for_a_week() {
    let missing = || counts(&[("stored", 2), ("gone: http_404", 94), ("listing", 4)]);
    let said = "vnexpress.net: 94% of its URLs do not exist: 94 of 100 (gone)";
    let of_nights = |usual: usize, dead: usize| {
        let nights = [vec![gives(9); usual], vec![missing(); dead]].concat();
        Report::new(&run_data(&[("vnexpress.net", nights)]))
    };
    for (usual, dead, status) in [
        (0, 1, RunStatus::Fine),
        (0, 5, RunStatus::Fine),
        (2, 1, RunStatus::Unusual),
        (2, 7, RunStatus::Unusual),
        (2, 8, RunStatus::Fine),
    ] {
        let report = of_nights(usual, dead);
        assert!(sentences(&report).contains(&said.to_owned()), "{usual} {dead}: {:?}", sentences(&report));
        assert_eq!(report.status, status, "{usual} {dead}");
        let next = report.findings[0].next.as_deref();
        assert_eq!(next, Some("gleaner urls --host vnexpress.net --outcome gone"));
    }
    let mut by_hand = run_data(&[("vnexpress.net", vec![gives(9), missing()])]);
    by_hand.run.started = by_hand.past[0].started + jiff::SignedDuration::from_mins(5);
    assert_eq!(Report::new(&by_hand).status, RunStatus::Fine);
    for few in [counts(&[("gone: http_404", 9)]), counts(&[("stored", 20), ("gone: http_404", 20)])] {
        assert_eq!(report_of_first(few).status, RunStatus::Fine);
    }
    let report = report_of_first(missing());
    assert!(
        text::headline(&report).contains("94 not found, 0 failed of 100 URLs"),
        "{}",
        text::headline(&report)
    );
}

fn report_of_first(counts: Counts) -> Report {
    Report::new(&run_data(&[("vnexpress.net", vec![counts])]))
}

#[test]
fn a_note_that_the_last_report_had_is_folded() {
    let with_dead_host = |last: Option<&Report>| {
        let mut data = run_data(&[("tuoitre.vn", nights(100, gives(104)))]);
        let counts = counts(&[("failed: dns", 1)]);
        data.hosts.push(HostData { name: "wrong.example".into(), counts, ..HostData::default() });
        data.last_findings = last.map(|report| report.findings.clone()).unwrap_or_default();
        Report::new(&data)
    };
    let first = with_dead_host(None);
    assert!(text::sentences(&first, "").starts_with("- wrong.example: cannot be reached: "));
    assert!(text::first_finding(&first).starts_with("wrong.example: cannot be reached: "));
    let second = with_dead_host(Some(&first));
    assert_eq!(
        text::sentences(&second, ""),
        "- 1 note (as in the last run): wrong.example; `gleaner doctor HOST` shows it\n"
    );
    assert_eq!(text::first_finding(&second), "1 note (as in the last run): wrong.example");
    let third = with_dead_host(Some(&second));
    assert_eq!(
        text::sentences(&third, ""),
        "- 1 note (as in the last 2 runs): wrong.example; `gleaner doctor HOST` shows it\n"
    );
    let page = gleaner_crawl::report::page::page(&third);
    assert!(page.contains("1 note that the last report had too") && page.contains("cannot be reached"));
}

#[test]
fn another_note_about_the_same_host_is_told() {
    let of = |outcome: (&str, u64), last: Option<&Report>| {
        let mut data = run_data(&[("tuoitre.vn", nights(100, gives(104)))]);
        let counts = counts(&[outcome]);
        data.hosts.push(HostData { name: "wrong.example".into(), counts, ..HostData::default() });
        data.last_findings = last.map(|report| report.findings.clone()).unwrap_or_default();
        Report::new(&data)
    };
    let first = of(("failed: dns", 1), None);
    assert_eq!(of(("failed: dns", 1_200), Some(&first)).findings[0].repeated, 1, "only the number differs");
    assert_eq!(of(("failed: timeout", 1), Some(&first)).findings[0].repeated, 0);
}

#[test]
fn an_unusual_finding_that_lasts_is_not_folded() {
    let night = |last: Option<&Report>| {
        let wall = counts(&[("stored", 3), ("not_article: consent_wall", 97), ("listing", 12)]);
        let mut data = run_data(&[("vnexpress.net", nights(240, wall))]);
        data.last_findings = last.map(|report| report.findings.clone()).unwrap_or_default();
        Report::new(&data)
    };
    let second = night(Some(&night(None)));
    let said = text::sentences(&second, "");
    assert!(said.starts_with("! vnexpress.net: 3 new, usually 240: 97% of pages: "), "{said}");
    assert!(said.contains("(not_article: consent_wall) (as in the last run)\n    next: "), "{said}");
}

#[test]
fn a_run_that_a_budget_ended_before_its_first_page_names_the_budget() {
    let mut data =
        run_data(&[("a.example", vec![Counts::default()]), ("b.example", vec![Counts::default()])]);
    data.documents = 0;
    data.ending = RunEnding::Budget { key: "crawl.max_time".into() };
    let no_page = |data: &RunData| sentences(&Report::new(data))[0].clone();
    for host in &mut data.hosts {
        host.held = vec![DeferredUrls { urls: 1, why: "crawl.max_time reached".into() }];
    }
    assert_eq!(no_page(&data), "no page of any seed could be fetched (2 hosts): crawl.max_time reached");
}

#[test]
fn a_disk_that_fills_up_is_said_in_runs() {
    let mut data = run_data(&[("vnexpress.net", nights(240, gives(240)))]);
    // A night stores about 14 MB.
    data.disk = Some(Disk { free: 140 << 20, floor: 20 << 20 });
    assert_eq!(Report::new(&data).status, RunStatus::Fine);
    data.disk = Some(Disk { free: 100 << 20, floor: 20 << 20 });
    let report = Report::new(&data);
    assert_eq!(
        sentences(&report),
        ["the disk is getting full: 100.0 MiB free; estimated runs until store.min_free_disk: 6"]
    );
    assert_eq!(report.status, RunStatus::Unusual);
    data.disk = None;
    assert_eq!(Report::new(&data).status, RunStatus::Fine);
}

#[test]
fn a_fault_that_lasts_becomes_the_state_of_things() {
    let mut nights = nights(240, gives(230));
    let mut alarms = 0;
    for _ in 0..30 {
        nights.push(counts(&[("failed: timeout", 4)]));
        let report = Report::new(&run_data(&[
            ("vnexpress.net", nights.clone()),
            ("tuoitre.vn", vec![gives(90); nights.len()]),
        ]));
        alarms += u32::from(report.status != RunStatus::Fine);
        assert_eq!(report.findings.len(), 1, "it is named every night");
    }
    assert_eq!(alarms, 7);
}
