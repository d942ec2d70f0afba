//! Tests reports of twelve nights on which something goes wrong. The first ten lines of each report must name
//! the cause and the command to run next.

use gleaner_corpus::DocumentId;
use gleaner_crawl::TemplateState;
use gleaner_crawl::integrity::{Damage, DamagedPart, IntegrityReport};
use gleaner_crawl::report::text::short;
use gleaner_crawl::report::{DeferredUrls, Disk, Grade, Report, RunData, RunEnding, RunStatus};
use gleaner_store::{Counts, DamagedRecord};
use jiff::SignedDuration;

use crate::histories::{counts, gives, run_data};

const HOSTS: usize = 24;

/// Returns ten usual nights of 24 hosts, followed by one more. Hosts are in descending order of their
/// articles.
fn usual() -> RunData {
    let names: Vec<String> = (0..HOSTS).map(|number| format!("paper-{number:02}.example")).collect();
    let nights = |number: usize| (0..11).map(|night| gives(usual_of(number) + night % 3)).collect::<Vec<_>>();
    let hosts: Vec<(&str, Vec<Counts>)> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), nights(number))).collect();
    run_data(&hosts)
}

fn usual_of(number: usize) -> u64 {
    240 - 8 * number as u64
}

fn first(data: &mut RunData, hosts: usize, last: &Counts) {
    data.hosts.iter_mut().take(hosts).for_each(|host| host.counts = last.clone());
}

/// Makes robots.txt of the first hosts unavailable, so none of their URLs is requested.
fn hold(data: &mut RunData, hosts: usize, why: &str) {
    first(data, hosts, &Counts::default());
    let held = DeferredUrls { urls: 40, why: format!("robots.txt is unavailable: {why}") };
    data.hosts.iter_mut().take(hosts).for_each(|host| host.held = vec![held.clone()]);
}

/// Checks that the first ten lines of the report contain all parts.
fn named(night: &str, data: &RunData, status: RunStatus, parts: &[&str]) {
    let report = Report::new(data);
    let text = short(&report);
    let lines = text.lines().take(10).collect::<Vec<_>>().join("\n");
    assert_eq!(report.status, status, "{night}: {text}");
    for part in parts {
        assert!(lines.contains(part), "{night}: {part} is missing in\n{lines}");
    }
    for finding in &report.findings {
        let (text, cause) = (&finding.vietnamese.text, &finding.vietnamese.cause);
        let is_translated = !text.is_empty() && *text != finding.text && *cause != finding.cause;
        assert!(is_translated, "{night}: {finding:?}");
    }
}

#[test]
fn a_usual_night_has_no_findings() {
    let report = Report::new(&usual());
    assert_eq!((report.status, report.findings.len()), (RunStatus::Fine, 0), "{:?}", report.findings);
}

#[test]
fn nights_without_a_network_are_named() {
    let mut data = usual();
    hold(&mut data, HOSTS, "the host's name could not be resolved: Temporary failure in name resolution");
    let next = "next: gleaner doctor paper-00.example --fetch";
    let parts = ["no page of any seed could be fetched (24 hosts)", "name could not be resolved", next];
    named("DNS is away", &data, RunStatus::Failed, &parts);

    let mut data = usual();
    hold(&mut data, HOSTS, "the proxy failed: Connection refused (os error 111)");
    let parts =
        ["no page of any seed could be fetched (24 hosts)", "the proxy failed: Connection refused", next];
    named("the proxy is dead", &data, RunStatus::Failed, &parts);

    let mut data = usual();
    hold(&mut data, HOSTS, "TLS failed: the certificate has expired (details of this host)");
    named(
        "the clock is ahead",
        &data,
        RunStatus::Failed,
        &["clock of this machine is probably wrong", "next: date -u"],
    );

    let mut data = usual();
    data.run.started -= SignedDuration::from_hours(24 * 400);
    named(
        "the clock went back",
        &data,
        RunStatus::Unusual,
        &["the clock of this machine went back", "next: date -u"],
    );
}

#[test]
fn nights_of_this_machine_are_named() {
    let mut data = usual();
    data.disk = Some(Disk { free: 100 << 20, floor: 20 << 20 });
    named(
        "the disk is nearly full",
        &data,
        RunStatus::Unusual,
        &["the disk is getting full: 100.0 MiB free", "next: df -h"],
    );
    data.ending =
        RunEnding::Failed { error: "the disk has 10.0 MiB free, less than store.min_free_disk".into() };
    named("the disk is full", &data, RunStatus::Failed, &["the crawl failed: the disk has 10.0 MiB free"]);
}

#[test]
fn nights_of_one_site_are_named() {
    let mut data = usual();
    data.hosts[2].template =
        TemplateState { version: 2, outdated: true, buffered: 12, ..TemplateState::default() };
    let next = "next: gleaner doctor paper-02.example";
    let parts = ["paper-02.example: its template (version 2) is out of date", "redesigned", next];
    named("a redesign", &data, RunStatus::Unusual, &parts);

    let mut data = usual();
    data.hosts[1].counts = counts(&[("stored", 2), ("not_article: consent_wall", 200), ("listing", 12)]);
    let next = "next: gleaner doctor paper-01.example --fetch";
    let parts = ["paper-01.example: 2 new, usually 233: 99% of pages: consent dialogs", next];
    named("a consent wall", &data, RunStatus::Unusual, &parts);

    let mut data = usual();
    data.hosts[3].counts = counts(&[("disallowed", 260)]);
    let next = "next: gleaner doctor paper-03.example";
    let parts = ["paper-03.example: robots.txt forbids every URL", next];
    named("robots.txt forbids all", &data, RunStatus::Unusual, &parts);

    let mut data = usual();
    data.hosts[4].counts = counts(&[("listing", 2)]);
    data.hosts[4].counts.broken_lists = [("sitemap is not readable: gone: http_404".to_owned(), 1)].into();
    let next = "next: gleaner doctor paper-04.example";
    let parts = ["paper-04.example: 0 new, usually 209: a sitemap is not readable: gone: http_404", next];
    named("a sitemap is gone", &data, RunStatus::Unusual, &parts);
    assert_eq!(Report::new(&data).findings.len(), 1, "the sitemap is named once");

    let mut data = usual();
    data.hosts[5].counts = gives(2_400);
    let next = "next: gleaner duplicates --host paper-05.example";
    let parts = ["paper-05.example: 2400 new, usually 201: many times the usual number", next];
    named("a site is ten times larger", &data, RunStatus::Unusual, &parts);

    let mut data = usual();
    hold(&mut data, 1, "TLS failed: the certificate has expired (details)");
    let next = "next: gleaner doctor paper-00.example --fetch";
    let parts = [
        "paper-00.example: not crawled: robots.txt is unavailable: TLS failed: the certificate has expired",
        next,
    ];
    named("a certificate expired", &data, RunStatus::Unusual, &parts);
}

#[test]
fn nights_of_many_sites_are_named_by_cause() {
    let mut data = usual();
    first(&mut data, HOSTS / 2, &counts(&[("rejected: http_403", 260)]));
    hold_one(&mut data, 20, "HTTP 502");
    hold_one(&mut data, 21, "HTTP 502");
    let parts = [
        "12 hosts: few new documents: the site refuses the crawler (rejected: http_403): paper-00.example,",
        "and 7 more",
        "next: gleaner doctor paper-00.example --fetch",
        "2 hosts: not crawled: robots.txt is unavailable: HTTP 502: paper-20.example, paper-21.example",
    ];
    named("half of the hosts refuse", &data, RunStatus::Unusual, &parts);

    let mut data = usual();
    first(&mut data, HOSTS, &counts(&[("listing", 12)]));
    let parts = ["nothing new on any of 24 hosts", "next: gleaner doctor paper-"];
    named("nothing is new anywhere", &data, RunStatus::Unusual, &parts);
}

fn hold_one(data: &mut RunData, number: usize, why: &str) {
    data.hosts[number].counts = Counts::default();
    data.hosts[number].held =
        vec![DeferredUrls { urls: 40, why: format!("robots.txt is unavailable: {why}") }];
}

#[test]
fn damage_is_unusual_for_a_week_and_then_a_note() {
    let mut data = usual();
    let part = |file: &str| DamagedPart::Archive { file: file.into(), offset: 7, reason: "it is cut".into() };
    let record = DamagedPart::Record(DamagedRecord::Text(DocumentId([7; 16])));
    let at = |days: i64| data.ended - SignedDuration::from_hours(24 * days);
    let damages = vec![
        Damage { found: at(9), part: part("a.warc.gz") },
        Damage { found: at(8), part: part("b.warc.gz") },
        Damage { found: at(1), part: record },
    ];
    data.integrity = IntegrityReport { damages, is_late: true };
    let report = Report::new(&data);
    let found: Vec<(Grade, &str, Option<&str>)> = report
        .findings
        .iter()
        .filter(|finding| finding.host.is_none())
        .map(|finding| (finding.grade, finding.text.as_str(), finding.next.as_deref()))
        .collect();
    let expected = [
        (
            Grade::Unusual,
            "the store is damaged: texts or signatures that cannot be read: 1",
            Some("gleaner verify --repair"),
        ),
        (
            Grade::Note,
            "the archive is damaged at 2 places; the first is in file a.warc.gz, byte 7",
            Some("gleaner verify"),
        ),
        (
            Grade::Note,
            "the check of store and archive takes longer than a month; raise store.check_time",
            None,
        ),
    ];
    assert_eq!(found, expected);
}
