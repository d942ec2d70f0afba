//! Tests that a Vietnamese page has no English sentence, for hosts and runs with every kind of reason.

use gleaner_crawl::report::{DeferredUrls, HostData, RunEnding};
use gleaner_extract::NotArticleReason;
use gleaner_extract::template::SiteTemplate;
use gleaner_html::Page;
use gleaner_store::Counts;
use serde_json::json;

use super::*;

/// Frequent English words. None of them is also a Vietnamese word without marks.
const ENGLISH: [&str; 40] = [
    "the",
    "is",
    "are",
    "was",
    "of",
    "and",
    "with",
    "without",
    "not",
    "has",
    "have",
    "by",
    "from",
    "for",
    "its",
    "that",
    "which",
    "be",
    "could",
    "cannot",
    "will",
    "this",
    "page",
    "pages",
    "host",
    "hosts",
    "waits",
    "waiting",
    "until",
    "asked",
    "reached",
    "unavailable",
    "before",
    "after",
    "outside",
    "matches",
    "lines",
    "words",
    "place",
    "places",
];

/// Returns the texts and labels of a page that a person reads or hears, without commands, code, quotations
/// and the name of the other language.
fn spoken(page: &str) -> String {
    let mut text = page.split("<main").nth(1).unwrap().to_owned();
    for (from, to) in [("<code", "</code>"), ("<pre tabindex=\"0\">gleaner", "</pre>"), ("“", "”")] {
        while let Some(begin) = text.find(from) {
            let end = text[begin..].find(to).map_or(text.len(), |end| begin + end + to.len());
            text.replace_range(begin..end, " ");
        }
    }
    for label in ["aria-label=\"", "data-label=\"", "title=\"", "placeholder=\""] {
        text = text.replace(label, "> ");
    }
    let mut spoken = String::new();
    let parts = text.split('<').map(|part| part.split_once('>').map_or("", |(_, after)| after));
    parts.for_each(|part| spoken = format!("{spoken} {part}"));
    // The text of a document of the fixture, and the name of a format.
    spoken.replace("Rain fell on the village of Hoa", "").replace("JSON Lines", "")
}

fn assert_vietnamese(path: &str, page: &str) {
    let spoken = spoken(page);
    for sentence in spoken.split('\n') {
        let words = sentence.split(|c: char| !c.is_alphanumeric() && !"_-.&;".contains(c));
        let english: Vec<&str> =
            words.filter(|word| ENGLISH.contains(&word.to_lowercase().as_str())).collect();
        assert!(english.is_empty(), "{path}: {english:?} in {sentence}");
    }
}

/// Every reason with which a visit can end, except the reasons for links.
fn reasons() -> Vec<String> {
    let failed = "dns connect timeout bad_proxy bad_url no_file headers_too_large broken unknown_coding \
                  redirect_without_location http_503 certificate_expired certificate_not_valid_yet \
                  certificate_wrong_name certificate_unknown_issuer certificate_self_signed certificate_bad \
                  tls_no_common_cipher tls";
    let plain = "stored revised duplicate near_duplicate listing unchanged redirected disallowed too_large \
                 wrong_type private_address unreadable";
    let rules = ["outside sections", "no include matches", "exclude /tag/", "published before 2026-01-01"];
    let pages = NotArticleReason::ALL.map(|reason| format!("not_article: {}", reason.label()));
    let mut all: Vec<String> = failed.split_whitespace().map(|label| format!("failed: {label}")).collect();
    all.extend(plain.split_whitespace().map(str::to_owned));
    all.extend(rules.map(|rule| format!("excluded: {rule}")));
    all.extend(links().iter().map(|label| format!("redirect_refused: {label}")));
    all.extend(["length", "disconnect", "coding"].map(|why| format!("truncated: {why}")));
    all.extend(["gone: http_404", "rejected: http_403", "other_language: en"].map(str::to_owned));
    all.extend(pages);
    all
}

/// Every label of links that are not followed.
fn links() -> Vec<String> {
    let labels = "not_http unparsable bad_host too_long repeated_segment too_deep out_of_scope not_a_page \
                  user_info nofollow beyond_the_limit_of_a_page beyond_the_limit_of_a_list feed_of_a_page \
                  too_many_redirects redirect_to_itself";
    let rule = "excluded: published before 2026-01-01";
    labels.split_whitespace().chain([rule]).map(str::to_owned).collect()
}

/// Every reason for which the URLs of a host wait.
const WAITS: [&str; 14] = [
    "the host is paused",
    "the run was interrupted",
    "the host asked to wait",
    "waiting for a retry",
    "fetched; waiting for a template",
    "crawl.max_pages_per_host = 4 reached",
    "robots.txt is unavailable: status 503",
    "robots.txt is unavailable: no connection: Connection refused (os error 111)",
    "robots.txt is unavailable: the host's name could not be resolved: failed to lookup address information",
    "robots.txt is unavailable: no complete answer within 30s",
    "robots.txt is unavailable: TLS failed: the certificate has expired (invalid peer certificate: Expired)",
    "robots.txt is unavailable: its redirects form a loop",
    "robots.txt is unavailable: it redirects to https://b.example/robots.txt; waiting for that robots.txt",
    "robots.txt is unavailable: the proxy failed: http://127.0.0.1:1: tcp connect error",
];

/// Stores a host for each reason to wait, whose robots.txt cannot be read, and a host with a template.
fn store_hosts(writer: &mut Writer) {
    let mut change = writer.begin();
    for (number, why) in WAITS.iter().enumerate() {
        let name = format!("w{number}.example");
        let host = change.host(&name, &name).unwrap();
        change.put_host(&host);
        if let Some(reason) = why.strip_prefix("robots.txt is unavailable: ") {
            let at = Timestamp::now();
            let state = json!({ "reason": reason, "failures": 1, "since": at, "last_known": null });
            change.put_robots(&name, &json!({ "at": at, "state": { "Unreachable": state } }));
        }
    }
    let page = Page::parse("<p>Mưa lớn ở Hòa Bình.</p><p>Bản quyền thuộc về Báo.</p>");
    let template =
        SiteTemplate::learn("bao.example", 1, Timestamp::UNIX_EPOCH, &[("https://bao.example/", &page)]);
    change.put_template("bao.example", 1, &template.to_json());
    let host = change.host("bao.example", "bao.example").unwrap();
    change.put_host(&HostRecord { template: 1, ..host });
    writer.commit(change).unwrap();
}

/// Stores a run for each reason. In each run, `bao.example` and a host of the run's own have this reason.
fn store_counts(writer: &mut Writer) {
    for (night, reason) in reasons().into_iter().enumerate() {
        let at = Timestamp::from_second(1_797_000_000 + 86_400 * night as i64).unwrap();
        let (run, _) = writer.begin_run(at, false).unwrap();
        let mut change = writer.begin();
        let count = |counts: &mut Counts| {
            counts.outcomes.insert(reason.clone(), 9);
            counts.refused = links().into_iter().map(|label| (label, 2)).collect();
            counts.broken_lists.insert("sitemap is not readable: gone: http_404".into(), 1);
        };
        for name in ["bao.example".to_owned(), format!("r{night}.example")] {
            let host = change.host(&name, &name).unwrap();
            change.put_host(&host);
            change.count(run.number, &name, count).unwrap();
        }
        writer.commit(change).unwrap();
        writer.end_run(&run, at).unwrap();
    }
}

/// Writes the report of the last run: a host for each reason of outcomes and waits.
fn write_full_report(fixture: &Fixture, ending: RunEnding) -> String {
    let run = fixture.store.last_run().unwrap().unwrap();
    let waiting = WAITS.iter().enumerate().map(|(number, why)| HostData {
        name: format!("w{number}.example"),
        held: vec![DeferredUrls { urls: 3, why: (*why).to_owned() }],
        ..HostData::default()
    });
    let ended = reasons().into_iter().enumerate().map(|(number, reason)| HostData {
        name: format!("r{number}.example"),
        seed: Some(format!("r{number}.example")),
        counts: Counts {
            outcomes: [(reason, 9), ("listing".to_owned(), 1)].into(),
            refused: links().into_iter().map(|label| (label, 2)).collect(),
            ..Counts::default()
        },
        ..HostData::default()
    });
    let data = RunData {
        ended: run.ended.unwrap(),
        run,
        resumed: true,
        ending,
        hosts: waiting.chain(ended).collect(),
        last_findings: Vec::new(),
        past: Vec::new(),
        documents: 3,
        next_due: Some(Timestamp::UNIX_EPOCH),
        disk: None,
        integrity: gleaner_crawl::integrity::IntegrityReport::default(),
    };
    fixture.write_report(&data)
}

#[tokio::test]
async fn a_vietnamese_page_has_no_english_sentence() {
    let fixture = Fixture::new();
    {
        let mut writer = fixture.store.writer().unwrap().unwrap();
        store_hosts(&mut writer);
        store_counts(&mut writer);
        writer.flush().unwrap();
    }
    fixture.app.invalidate_view();
    let mut paths: Vec<String> = [
        "/",
        "/hosts",
        "/hosts/bao.example",
        "/reports",
        "/search",
        "/search?q=zzz",
        "/search?q=binh&view=concordance",
        "/search?q=hoa&view=frequency",
        "/search?view=frequency&by=host",
        "/search?view=words&host=bao.example",
        "/duplicates",
        "/token",
    ]
    .map(str::to_owned)
    .into();
    paths.extend((0..WAITS.len()).map(|number| format!("/hosts/w{number}.example")));
    paths.extend((0..reasons().len()).map(|number| format!("/hosts/r{number}.example")));
    paths.extend(fixture.ids.iter().map(|id| format!("/documents/{id}")));
    for ending in [
        RunEnding::Quiet,
        RunEnding::Budget { key: "crawl.max_time".into() },
        RunEnding::Failed { error: "the disk has 9 bytes free, less than store.min_free_disk = 1MiB".into() },
    ] {
        let report = format!("/reports/{}", write_full_report(&fixture, ending));
        for path in paths.iter().chain([&report]) {
            let query = if path.contains('?') { "&lang=vi" } else { "?lang=vi" };
            assert_vietnamese(path, &fixture.page(&format!("{path}{query}")).await);
        }
    }
    for path in
        ["/nothing", "/hosts/none.example", "/search?from=x", "/search?q=title:x", "/search?q=-from:2026"]
    {
        let query = if path.contains('?') { "&lang=vi" } else { "?lang=vi" };
        assert_vietnamese(path, &fixture.get(&format!("{path}{query}")).await.1);
    }
}

#[tokio::test]
async fn an_english_sentence_would_be_found() {
    let fixture = Fixture::new();
    for path in ["/", "/hosts", "/reports", "/search?q=zzz", "/token"] {
        let query = if path.contains('?') { "&lang=en" } else { "?lang=en" };
        let spoken = spoken(&fixture.page(&format!("{path}{query}")).await);
        let found = |word: &&str| spoken.split_whitespace().any(|spoken| spoken.to_lowercase() == **word);
        assert!(ENGLISH.iter().any(found), "{path}: {spoken}");
    }
}
