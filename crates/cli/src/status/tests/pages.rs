//! Tests what the pages show: last run, report, verdict on a host, facets and download of a search.

use std::sync::atomic::{AtomicBool, Ordering};

use gleaner_crawl::report::{DeferredUrls, HostData, RunEnding};
use gleaner_store::Counts;

use super::*;

/// Writes the report of the last run. Two hosts could not be crawled, for the same reason.
fn write_report(fixture: &Fixture) -> String {
    let run = fixture.store.last_run().unwrap().unwrap();
    let host = |name: &str, urls: u64| HostData {
        name: name.into(),
        held: vec![DeferredUrls { urls, why: "robots.txt is unavailable: status 503".into() }],
        counts: Counts::default(),
        ..HostData::default()
    };
    let ended = run.ended.unwrap();
    let data = RunData {
        run,
        ended,
        resumed: false,
        ending: RunEnding::Failed { error: format!("the disk is full {EVIL}") },
        hosts: vec![host("bao.example", 3), host("www.tin.example", 7)],
        last_findings: Vec::new(),
        past: Vec::new(),
        documents: 3,
        next_due: None,
        disk: None,
        integrity: gleaner_crawl::integrity::IntegrityReport::default(),
    };
    fixture.write_report(&data)
}

#[tokio::test]
async fn the_overview_begins_with_the_last_run() {
    let fixture = Fixture::new();
    let page = fixture.page("/?lang=en").await;
    assert!(page.contains("There is no report of it here") && page.contains("no report"), "{page}");
    assert!(!page.contains("Next crawl"), "{page}");
    let name = write_report(&fixture);
    let page = fixture.page("/?lang=en").await;
    let band = page.split("</section>").next().unwrap();
    for part in [
        "<section class=\"band failed\" id=\"last\"",
        "<span class=\"status failed\">failed</span>",
        &format!("href=\"/reports/{name}\""),
        "The crawl failed: the disk is full &lt;script&gt;",
        "2 hosts: not crawled: robots.txt is unavailable: status 503",
        "href=\"/hosts/bao.example\"",
    ] {
        assert!(band.to_lowercase().contains(&part.to_lowercase()), "{part}: {band}");
    }
    assert!(!page.contains("Needs attention"), "{page}");
    let page = fixture.page("/?lang=vi").await;
    for part in [
        "<b>thất bại</b>",
        "<summary>Từng trang báo</summary>",
        "lượt thu thập thất bại (“the disk is full",
        "2 trang báo: không thu thập: không đọc được robots.txt: HTTP 503",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let report = fixture.page(&format!("/reports/{name}?lang=vi")).await;
    for part in ["Điều nhận thấy", "Mẫu trang</th>", "Kết quả và địa chỉ còn lại"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(!report.contains("lang=\"en\">Findings") && !report.contains("Left"), "{report}");
}

#[tokio::test]
async fn runs_link_to_their_reports() {
    let fixture = Fixture::new();
    let name = write_report(&fixture);
    let page = fixture.page("/reports?lang=en").await;
    assert_eq!((page.matches("no report").count(), page.matches("status failed").count()), (15, 1), "{page}");
    assert!(page.contains(&format!("href=\"/reports/{name}\">#16</a>")), "{page}");
    let report = fixture.page(&format!("/reports/{name}?lang=en")).await;
    assert!(report.contains("Run 16") && report.contains("href=\"/hosts/www.tin.example\""), "{report}");
    assert_eq!(report.matches("<script").count(), 1, "{report}");
    let json = fixture.page(&format!("/reports/{name}/report.json")).await;
    assert!(serde_json::from_str::<Report>(&json).is_ok(), "{json}");
    for path in ["/reports/..%2F..%2Fstatus", "/reports/none/report.json"] {
        assert_eq!(fixture.get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn the_next_start_is_told_when_it_is_known() {
    let is_planned = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_planned);
    let next = Timestamp::now() + jiff::SignedDuration::from_hours(72);
    let next_start = Box::new(move || seen.load(Ordering::Relaxed).then_some(next));
    let fixture =
        Fixture::with(Hooks { next_start: Some(next_start), ..Hooks::default() }, AllowedHosts::default());
    assert!(!fixture.page("/?lang=en").await.contains("Next crawl"));
    is_planned.store(true, Ordering::Relaxed);
    let page = fixture.page("/?lang=en").await;
    assert!(page.contains("Next crawl:") && page.contains("(in 2 days 23 h)"), "{page}");
}

#[tokio::test]
async fn a_host_begins_with_its_verdict() {
    let fixture = Fixture::new();
    let page = fixture.page("/hosts/bao.example?lang=en").await;
    assert!(
        (page.contains("in the newest run,") || page.contains("in the last run"))
            && page.contains("class=\"chart\""),
        "{page}"
    );
    for outcome in ["new or changed", "failed"] {
        assert!(page.contains(&format!("</span>{outcome}</span>")), "{outcome}: {page}");
    }
    let never = fixture.page("/hosts/x%3Cscript%3E.example?lang=en").await;
    assert!(never.contains("it was not crawled in the last runs") && !never.contains("<svg"), "{never}");
    write_report(&fixture);
    let page = fixture.page("/hosts/bao.example?lang=en").await;
    assert!(page.contains("not crawled: robots.txt is unavailable: status 503"), "{page}");
    let paused = fixture.page("/hosts/old.example?lang=en").await;
    assert!(paused.contains("paused by the user; not crawled"), "{paused}");
}

#[tokio::test]
async fn a_host_with_one_run_has_no_chart_and_each_number_once() {
    let fixture = Fixture::of_nights(1, Hooks::default(), AllowedHosts::default());
    let page = fixture.page("/hosts/old.example?lang=en").await;
    assert!(page.contains("data-label=\"Last run\">13</td>"), "{page}");
    assert!(!page.contains("class=\"chart\"") && !page.contains("1 run"), "{page}");
    let several = Fixture::new().page("/hosts/old.example?lang=en").await;
    assert!(several.contains("class=\"chart\"") && several.contains("data-label=\"14 runs\""), "{several}");
}

#[tokio::test]
async fn a_host_is_described_in_vietnamese() {
    let fixture = Fixture::new();
    for (host, part) in [
        ("bao.example", "văn bản mới trong lượt cuối"),
        ("old.example", "người dùng đã tạm dừng; không thu thập"),
        ("x%3Cscript%3E.example", "không được thu thập trong các lượt gần đây"),
    ] {
        let page = fixture.page(&format!("/hosts/{host}?lang=vi")).await;
        let band = page.split("<section class=\"band").nth(1).unwrap().split("</section>").next().unwrap();
        assert!(band.contains(part) && !band.contains("lang=\"en\""), "{part}: {band}");
    }
}

#[tokio::test]
async fn a_template_is_described_in_the_same_words_everywhere() {
    let fixture = Fixture::new();
    let resume = request(Method::POST, "/actions", "what=resume&host=old.example");
    assert_eq!(fixture.send(with_cookie(resume)).await.status(), StatusCode::SEE_OTHER);
    // Without a report, the overview names the hosts that need attention.
    for path in ["/", "/hosts", "/hosts/old.example"] {
        let page = fixture.page(&format!("{path}?lang=en")).await;
        assert!(page.contains("<span class=\"health sick\">out of date</span>"), "{path}: {page}");
    }
}

#[tokio::test]
async fn the_running_crawl_is_stopped_by_its_button() {
    let fixture = Fixture::new();
    let wish = || with_cookie(request(Method::POST, "/actions", "what=stop"));
    assert_eq!(fixture.send(wish()).await.status(), StatusCode::CONFLICT);
    let running = running();
    fixture.app.monitor.set_crawl(Some(running.clone()));
    let page = text(fixture.send(with_cookie(request(Method::GET, "/?lang=en", ""))).await).await;
    assert!(page.contains("value=\"stop\"") && page.contains("The same command continues it"), "{page}");
    assert!(fixture.page("/?lang=en").await.contains("Stop (needs the token)"));
    assert_eq!(fixture.send(wish()).await.status(), StatusCode::SEE_OTHER);
    assert!(running.stop.is_requested());
    assert!(fixture.page("/?lang=en").await.contains("stopping: finishing the requests in flight"));
}

#[tokio::test]
async fn a_result_is_narrowed_by_its_facets() {
    let fixture = Fixture::new();
    let page = fixture.page("/search?lang=en").await;
    for part in [
        "href=\"/search?language=vi\">vi</a> <span class=\"faint\">3</span>",
        "href=\"/search?host=bao.example\">bao.example</a> <span class=\"faint\">2</span>",
        "href=\"/search?from=2026-11-01&amp;to=2026-11-30\">2026-11</a> <span class=\"faint\">3</span>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let narrowed = fixture.page("/search?lang=en&host=bao.example&language=vi&q=mua").await;
    assert!(narrowed.contains("<strong>1</strong> documents"), "{narrowed}");
    assert!(narrowed.contains("href=\"/search?host=bao.example&amp;q=mua\">vi ×"), "{narrowed}");
    let none = fixture.page("/search?lang=en&language=en").await;
    assert!(none.contains("<strong>0</strong> documents") && !none.contains("/search.jsonl"), "{none}");
}

#[tokio::test]
async fn an_empty_result_is_explained() {
    let fixture = Fixture::new();
    let running_crawl = "Documents of a running crawl can be found after it ends.";
    let page = fixture.page("/search?lang=en&host=none.example").await;
    assert!(page.contains("Nothing found.") && !page.contains(running_crawl), "{page}");
    fixture.app.monitor.set_crawl(Some(running()));
    let page = fixture.page("/search?lang=en&host=none.example").await;
    assert!(page.contains(running_crawl), "{page}");
    let page = fixture.page("/search?lang=en&from=2026-11-12&to=2026-11-05").await;
    assert!(page.contains("is after “to”") && page.contains("value=\"2026-11-12\""), "{page}");
}

#[tokio::test]
async fn a_result_is_exported_with_the_records_of_an_export() {
    let fixture = Fixture::new();
    let page = fixture.page("/search?lang=en&host=bao.example").await;
    assert!(page.contains("href=\"/search.jsonl?host=bao.example\""), "{page}");
    let response = fixture.send(request(Method::GET, "/search.jsonl?host=bao.example", "")).await;
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let lines = text(response).await;
    let records: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = gleaner_export::record::FIELDS.iter().map(|field| field.name).collect();
    for record in &records {
        let fields: std::collections::BTreeSet<&str> =
            record.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, names.iter().copied().collect());
    }
    let mut ids: Vec<String> =
        records.iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect();
    let mut expected: Vec<String> = fixture.ids[..2].iter().map(ToString::to_string).collect();
    ids.sort();
    expected.sort();
    assert_eq!(ids, expected);
    let one = fixture.page(&format!("/documents/{}/record.json", fixture.ids[0])).await;
    assert!(lines.contains(&one), "{one}");
    assert_eq!(fixture.get("/search.jsonl?from=rubbish").await.0, StatusCode::BAD_REQUEST);
    let permits = Arc::clone(&fixture.app.download_permits).acquire_many_owned(2).await.unwrap();
    assert_eq!(fixture.get("/search.jsonl").await.0, StatusCode::SERVICE_UNAVAILABLE);
    drop(permits);
    assert_eq!(fixture.get("/search.jsonl").await.0, StatusCode::OK);
}

#[tokio::test]
async fn an_archived_page_is_plain_text() {
    let fixture = Fixture::new();
    let path = format!("/documents/{}/page.txt", fixture.ids[0]);
    let response = fixture.send(request(Method::GET, &path, "")).await;
    assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8");
    assert!(text(response).await.starts_with("<p>Người dân lo lắng.</p>"));
    assert_eq!(
        fixture.get(&format!("/documents/{}/page.txt", fixture.ids[1])).await.0,
        StatusCode::NOT_FOUND
    );
}
