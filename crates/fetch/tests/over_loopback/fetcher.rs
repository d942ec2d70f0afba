//! Tests the fetcher against servers on loopback: robots.txt responses, gates, back-offs.

use std::sync::Arc;
use std::time::Duration;

use crate::server::{Answer, Server, answer, page, settings};
use gleaner_fetch::{
    Access, FetchError, Fetcher, Request, RequestKind, RequestLease, RobotsAnswer, RobotsRecord,
    RobotsRequest, RobotsState, SiteFile,
};
use jiff::Timestamp;
use url::Url;

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Returns the host and port as the group. Hosts on loopback differ only in their port.
fn group_of(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or_default())
}

fn fetcher(sets: &[&str]) -> Fetcher {
    Fetcher::new(&settings(sets)).unwrap()
}

async fn robots(server: &Server, previous: Option<&RobotsRecord>) -> RobotsRecord {
    record(asked(&fetcher(&[]), server, previous).await)
}

async fn asked(fetcher: &Fetcher, server: &Server, previous: Option<&RobotsRecord>) -> RobotsAnswer {
    let (group_of, lease) = (|url: &Url| Some(group_of(url)), RequestLease::unlimited());
    let request = RobotsRequest::new(&server.url("/some/page?x"), &group_of, &lease, now());
    fetcher.robots(RobotsRequest { previous, ..request }, &mut |_, _| {}).await
}

fn record(answer: RobotsAnswer) -> RobotsRecord {
    let RobotsAnswer::Record(record) = answer else { panic!("{answer:?}") };
    record
}

#[tokio::test]
async fn rules_are_fetched_and_obeyed() {
    let server =
        Server::always(answer("200 OK", &[], b"User-agent: gleaner\nDisallow: /private/\nCrawl-delay: 2"))
            .await;
    let record = robots(&server, None).await;
    let access = record.rules("gleaner");
    assert!(access.verdict("/x").is_allowed() && !access.verdict("/private/x").is_allowed());
    assert_eq!(access.crawl_delay(), Some(Duration::from_secs(2)));
    assert_eq!(record.at, now());
    assert!(server.seen()[0].starts_with("get /robots.txt http/1.1\r\n"), "{}", server.seen()[0]);
}

#[tokio::test]
async fn the_status_decides() {
    for (status, expected) in [
        ("400 Bad Request", "all"),
        ("401 Unauthorized", "all"),
        ("403 Forbidden", "all"),
        ("404 Not Found", "all"),
        ("410 Gone", "all"),
        ("429 Too Many Requests", "none"),
        ("500 Internal Server Error", "none"),
        ("503 Service Unavailable", "none"),
        ("301 Moved Permanently", "all"),
    ] {
        let server = Server::always(answer(status, &[], b"User-agent: *\nDisallow: /x")).await;
        let access = robots(&server, None).await.rules("gleaner");
        let got = match access {
            Access::Rules(_) => "rules",
            Access::AllAllowed => "all",
            Access::AllDisallowed { .. } => "none",
        };
        assert_eq!(got, expected, "{status}");
    }
}

#[tokio::test]
async fn a_page_of_html_holds_no_rules() {
    let server = Server::always(page(b"<!doctype html>\n<title>Not found</title>\n<p>Disallow: /")).await;
    assert_eq!(robots(&server, None).await.state, RobotsState::NoRules { status: 200 });
}

#[tokio::test]
async fn rules_behind_markup_are_followed() {
    let server = Server::always(page(b"<br />\n<b>Warning</b>: x\nUser-agent: *\nDisallow: /x")).await;
    let access = robots(&server, None).await.rules("gleaner");
    assert!(!access.verdict("/x").is_allowed() && access.verdict("/y").is_allowed());
}

#[tokio::test]
async fn no_answer_closes_the_host_and_keeps_the_last_rules() {
    let server = Server::always(answer("200 OK", &[], b"User-agent: *\nDisallow: /x")).await;
    let known = robots(&server, None).await;
    let broken = Server::always(Vec::new()).await;
    let failed = robots(&broken, Some(&known)).await;
    let RobotsState::Unreachable { failures, last_known, reason, .. } = &failed.state else {
        panic!("{failed:?}")
    };
    assert_eq!((*failures, last_known.as_deref()), (1, Some("User-agent: *\nDisallow: /x")));
    assert!(reason.starts_with("broken answer"), "{reason}");
    let again = robots(&broken, Some(&failed)).await;
    assert!(matches!(again.state, RobotsState::Unreachable { failures: 2, .. }));
}

async fn redirecting(hops: usize) -> Server {
    Server::start(move |head| {
        let path = head.split(' ').nth(1).unwrap();
        let hop: usize = path.strip_prefix("/hop/").map_or(0, |n| n.parse().unwrap());
        let location = format!("Location: /hop/{}", hop + 1);
        Answer::Bytes(if hop == hops {
            answer("200 OK", &[], b"User-agent: *\nDisallow: /x")
        } else {
            answer("302 Found", &[&location], b"")
        })
    })
    .await
}

#[tokio::test]
async fn five_redirects_are_followed_and_six_are_not() {
    let five = redirecting(5).await;
    assert!(!robots(&five, None).await.rules("gleaner").verdict("/x").is_allowed());
    assert_eq!(five.seen().len(), 6);
    let six = redirecting(6).await;
    assert_eq!(robots(&six, None).await.state, RobotsState::NoRules { status: 302 });
    assert_eq!(six.seen().len(), 6);
}

/// Requests the tdmrep.json of a server with this robots.txt. Returns the text in the record, which was `before`.
async fn tdmrep(server: &Server, rules: &str, before: Option<&str>) -> Option<String> {
    let state = RobotsState::Rules { text: rules.into() };
    let tdmrep = before.map(|text| SiteFile { at: now(), text: text.into() });
    let mut record = RobotsRecord { at: now(), state, tdmrep };
    let (group_of, lease) = (|url: &Url| Some(group_of(url)), RequestLease::unlimited());
    let request = RobotsRequest::new(&server.url("/robots.txt"), &group_of, &lease, now());
    fetcher(&[]).tdmrep(request, "gleaner", &mut record, &mut |_, _| now()).await;
    record.tdmrep.map(|file| file.text)
}

#[tokio::test]
async fn tdmrep_json_is_requested_if_robots_txt_allows_it() {
    let server = Server::always(answer("200 OK", &[], b"[]")).await;
    assert_eq!(tdmrep(&server, "User-agent: *\nDisallow: /.well-known/", None).await, None);
    assert_eq!(server.seen().len(), 0);
    assert_eq!(tdmrep(&server, "User-agent: *\nDisallow: /x", None).await.as_deref(), Some("[]"));
    assert!(
        server.seen()[0].starts_with("get /.well-known/tdmrep.json http/1.1\r\n"),
        "{}",
        server.seen()[0]
    );
}

#[tokio::test]
async fn tdmrep_json_is_replaced_by_an_answer_and_kept_after_a_failure() {
    for (bytes, expected) in [
        (answer("200 OK", &[], b"[1]"), Some("[1]")),
        (page(b"<!doctype html>\n<title>Not found</title>"), None),
        (answer("404 Not Found", &[], b""), None),
        (answer("403 Forbidden", &[], b""), None),
        (answer("302 Found", &["Location: http://b.example/.well-known/tdmrep.json"], b""), None),
        (answer("500 Internal Server Error", &[], b""), Some("[]")),
        (answer("429 Too Many Requests", &[], b""), Some("[]")),
        (Vec::new(), Some("[]")),
    ] {
        let server = Server::always(bytes.clone()).await;
        let found = tdmrep(&server, "", Some("[]")).await;
        assert_eq!(found.as_deref(), expected, "{}", String::from_utf8_lossy(&bytes));
    }
}

#[tokio::test]
async fn redirects_of_tdmrep_json_are_followed_within_the_host() {
    let server = redirecting(5).await;
    assert_eq!(tdmrep(&server, "", None).await.as_deref(), Some("User-agent: *\nDisallow: /x"));
    let server = redirecting(6).await;
    assert_eq!(tdmrep(&server, "", None).await, None);
    assert_eq!(server.seen().len(), 6);
    let server = redirecting(2).await;
    assert_eq!(tdmrep(&server, "User-agent: *\nDisallow: /hop/2", None).await, None);
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_robots_txt_behind_a_cookie_wall_is_read() {
    let server = Server::start(|head| {
        Answer::Bytes(match head {
            head if head.contains("cookie: seen=1\r\n") => {
                answer("200 OK", &[], b"User-agent: *\nDisallow: /x")
            }
            _ => answer("302 Found", &["Location: /robots.txt", "Set-Cookie: seen=1; Path=/"], b""),
        })
    })
    .await;
    assert!(!robots(&server, None).await.rules("gleaner").verdict("/x").is_allowed());
    assert_eq!(server.seen().len(), 2);
    // No cookie leaves the site.
    let location = format!("Location: {}", server.url("/robots.txt"));
    let cookie = format!("Set-Cookie: seen=1; Path=/; Domain={}", server.address.ip());
    let source = Server::always(answer("302 Found", &[&location, &cookie], b"")).await;
    let (group_of, lease) = (|url: &Url| Some(group_of(url)), RequestLease::unlimited());
    let request = RobotsRequest::new(&source.url("/"), &group_of, &lease, now());
    let request = RobotsRequest { site: "other.example".into(), ..request };
    record(fetcher(&[]).robots(request, &mut |_, _| {}).await);
    assert!(server.seen().iter().skip(2).all(|head| !head.contains("cookie:")), "{:?}", server.seen());
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_not_followed() {
    let server =
        Server::always(answer("301 Moved", &["Location: http://169.254.169.254/robots.txt"], b"")).await;
    let record = robots(&server, None).await;
    let RobotsState::Unreachable { reason, .. } = &record.state else { panic!("{record:?}") };
    assert!(reason.contains("169.254.169.254"), "{reason}");
    let other = Server::always(answer("301 Moved", &["Location: ftp://a.example/robots.txt"], b"")).await;
    assert_eq!(robots(&other, None).await.state, RobotsState::NoRules { status: 301 });
}

#[tokio::test]
async fn each_hop_waits_at_its_own_gate() {
    let target = Server::always(answer("200 OK", &[], b"User-agent: *\nDisallow: /x")).await;
    let location = format!("Location: {}", target.url("/robots.txt"));
    let source = Server::always(answer("301 Moved", &[&location], b"")).await;
    let fetcher = fetcher(&["fetch.delay=1h"]);
    record(asked(&fetcher, &source, None).await);
    for server in [&source, &target] {
        assert!(!fetcher.gates().ready_in(&group_of(&server.url("/"))).is_zero());
    }
    assert_eq!(fetcher.gates().remembered(), 2);
}

#[tokio::test]
async fn a_redirect_to_a_host_that_is_not_the_callers_is_handed_back() {
    let target = Server::always(answer("200 OK", &[], b"User-agent: *\nDisallow: /x")).await;
    let location = format!("Location: {}", target.url("/rules"));
    let source = Server::always(answer("301 Moved", &[&location], b"")).await;
    let (fetcher, lease, ours) = (fetcher(&[]), RequestLease::unlimited(), group_of(&source.url("/")));
    let group_of = |url: &Url| Some(group_of(url)).filter(|group| *group == ours);
    let request = RobotsRequest::new(&source.url("/"), &group_of, &lease, now());
    let got = fetcher.robots(request, &mut |_, _| {}).await;
    assert_eq!(got, RobotsAnswer::Elsewhere { url: target.url("/rules"), hops: 1 });
    assert_eq!(target.seen().len(), 0);
}

#[tokio::test]
async fn without_the_right_nothing_is_sent_and_nothing_is_recorded() {
    let server = Server::always(page(b"<p>")).await;
    let (fetcher, ended) = (fetcher(&[]), RequestLease::new(|| Duration::ZERO));
    let got = fetcher.page(&Request::new(server.url("/"), RequestKind::Page), "g", &ended).await;
    assert_eq!(got.unwrap_err(), FetchError::NotPermitted);
    let group_of = |url: &Url| Some(group_of(url));
    let request = RobotsRequest::new(&server.url("/"), &group_of, &ended, now());
    assert_eq!(fetcher.robots(request, &mut |_, _| {}).await, RobotsAnswer::NotPermitted);
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn the_right_is_judged_after_the_gate() {
    let server = Server::always(page(b"<p>")).await;
    let fetcher = fetcher(&["fetch.delay=20ms"]);
    let pass = fetcher.gates().enter("g").await;
    let held = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let known = Arc::clone(&held);
    let lease = RequestLease::new(move || match known.load(std::sync::atomic::Ordering::SeqCst) {
        true => Duration::from_secs(60),
        false => Duration::ZERO,
    });
    let request = Request::new(server.url("/"), RequestKind::Page);
    let ends = async {
        held.store(false, std::sync::atomic::Ordering::SeqCst);
        drop(pass);
    };
    let (got, ()) = tokio::join!(fetcher.page(&request, "g", &lease), ends);
    assert_eq!(got.unwrap_err(), FetchError::NotPermitted);
    fetcher.in_flight_ended().await;
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn a_host_that_asks_for_a_pause_is_on_hold() {
    let server = Server::start(|head| {
        Answer::Bytes(match head.split(' ').nth(1).unwrap() {
            "/429" => answer("429 Too Many Requests", &["Retry-After: 500"], b""),
            "/503" => answer("503 Service Unavailable", &[], b""),
            _ => page(b"<p>"),
        })
    })
    .await;
    let host = group_of(&server.url("/"));
    for (path, least, most) in [("/429", 500, 500), ("/503", 10, 11)] {
        let fetcher = fetcher(&[]);
        let got = fetcher
            .page(&Request::new(server.url(path), RequestKind::Page), "g", &RequestLease::unlimited())
            .await
            .unwrap();
        let hold = got.held.unwrap().time;
        assert!((least..=most).contains(&hold.as_secs()), "{path}: {hold:?}");
        let left = fetcher.backoffs().remaining(&host);
        assert!(left <= hold && left > hold / 2, "{left:?}");
        assert!(fetcher.gates().ready_in("g").is_zero(), "other hosts of the group may be asked");
    }
    let fetcher = fetcher(&[]);
    let got = fetcher
        .page(&Request::new(server.url("/"), RequestKind::Page), "g", &RequestLease::unlimited())
        .await
        .unwrap();
    assert_eq!((got.held, fetcher.backoffs().remaining(&host)), (None, Duration::ZERO));
}

#[tokio::test]
async fn a_failed_request_starts_the_gap_too() {
    let server = Server::always(Vec::new()).await;
    let fetcher = fetcher(&["fetch.delay=1h"]);
    let got = fetcher
        .page(&Request::new(server.url("/"), RequestKind::Page), "g", &RequestLease::unlimited())
        .await;
    assert!(matches!(got, Err(FetchError::Broken(_))), "{got:?}");
    assert!(!fetcher.gates().ready_in("g").is_zero());
}

#[tokio::test]
async fn a_private_address_starts_no_gap() {
    let fetcher = fetcher(&["fetch.allow_addresses=[]", "fetch.delay=1h"]);
    let request = Request::new(Url::parse("http://127.0.0.1:9/x").unwrap(), RequestKind::Page);
    let error = fetcher.page(&request, "a", &RequestLease::unlimited()).await.unwrap_err();
    assert!(matches!(error, FetchError::PrivateAddress { .. }), "{error:?}");
    assert!(fetcher.gates().ready_in("a").is_zero(), "nothing was sent");
}

#[tokio::test]
async fn requests_in_flight_are_bounded_over_all_groups() {
    let server = Server::always(page(b"<p>")).await;
    let fetcher = Arc::new(fetcher(&["fetch.concurrency=2"]));
    let tasks: Vec<_> = (0..12)
        .map(|n| {
            let (fetcher, url) = (Arc::clone(&fetcher), server.url("/"));
            tokio::spawn(async move {
                fetcher
                    .page(&Request::new(url, RequestKind::Page), &n.to_string(), &RequestLease::unlimited())
                    .await
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap().status, 200);
    }
    assert_eq!(server.seen().len(), 12);
    // The server notices the end of a request a little later than the client does.
    assert!(server.most_open() <= 3, "{}", server.most_open());
}

#[tokio::test]
async fn a_request_that_waits_takes_no_place_and_no_gate() {
    let (server, held) = (Server::always(page(b"<p>")).await, Server::always(page(b"<p>")).await);
    let fetcher = Arc::new(fetcher(&["fetch.concurrency=1"]));
    fetcher.gates().raise_delay("slow", Duration::from_secs(3600));
    fetcher.gates().start_delay("slow");
    fetcher.backoffs().start(&group_of(&held.url("/")), Duration::from_secs(3600));
    let waiters = [(&server, "slow"), (&held, "quick")].map(|(server, group)| {
        let (fetcher, url) = (Arc::clone(&fetcher), server.url("/"));
        tokio::spawn(async move {
            fetcher.page(&Request::new(url, RequestKind::Page), group, &RequestLease::unlimited()).await
        })
    });
    tokio::task::yield_now().await;
    let request = Request::new(server.url("/"), RequestKind::Page);
    let lease = RequestLease::unlimited();
    let quick = fetcher.page(&request, "quick", &lease);
    // With the timeout the test fails instead of hanging for an hour.
    let got = tokio::time::timeout(Duration::from_secs(30), quick).await.expect("the only place is taken");
    assert_eq!(got.unwrap().status, 200);
    for waiter in waiters {
        assert!(!waiter.is_finished());
        waiter.abort();
    }
}
