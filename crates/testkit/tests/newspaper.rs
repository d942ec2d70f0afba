//! Tests the server over loopback. Like a crawler, the tests use it as a proxy and as an origin server.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

use encoding_rs::Encoding;
use flate2::read::GzDecoder;
use gleaner_testkit::{Expected, Newspaper, NewspaperOptions};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use unicode_normalization::UnicodeNormalization;

struct PageResponse {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl PageResponse {
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("the page is UTF-8")
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

fn send(paper: &Newspaper, request: &str) -> PageResponse {
    let mut stream = TcpStream::connect(paper.address()).unwrap();
    let request = format!("{request}User-Agent: reader/1\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("a head ends");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    PageResponse {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head,
        body: bytes[end + 4..].to_vec(),
    }
}

fn get(paper: &Newspaper, url: &str) -> PageResponse {
    let host = url.split('/').nth(2).unwrap();
    send(paper, &format!("GET {url} HTTP/1.1\r\nHost: {host}\r\n"))
}

fn newspaper(faults: bool) -> Newspaper {
    let options = NewspaperOptions { faults, ..NewspaperOptions::default() };
    Newspaper::start_in_background(options).unwrap()
}

/// Returns the text that a reader sees: without tags, and with character references resolved.
fn visible(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    pairs.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

#[test]
fn it_is_a_proxy_and_an_origin() {
    let paper = newspaper(false);
    for seed in Newspaper::seeds() {
        let host = seed.split('/').nth(2).unwrap();
        let through = get(&paper, seed);
        let direct = send(&paper, &format!("GET / HTTP/1.1\r\nHost: {host}:80\r\n"));
        assert_eq!((through.status, direct.status), (200, 200));
        assert_eq!(through.body, direct.body);
        assert!(through.header("content-type").unwrap().starts_with("text/html"));
    }
    let cases = [
        ("CONNECT baolang.example:443 HTTP/1.1\r\nHost: baolang.example\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: baolang.example\r\n", 405),
        ("HEAD / HTTP/1.1\r\nHost: baolang.example\r\n", 200),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", 404),
        ("GET http://elsewhere.example/ HTTP/1.1\r\nHost: elsewhere.example\r\n", 404),
    ];
    for (request, status) in cases {
        assert_eq!(send(&paper, request).status, status, "{request}");
    }
}

#[test]
fn every_expected_paragraph_stands_at_every_expected_address() {
    let paper = newspaper(false);
    let all = paper.expected();
    assert_eq!(all.len(), 72);
    let mut old_encodings = 0;
    for expected in &all {
        for url in expected.urls.iter().chain(&expected.redirects) {
            let mut page = get(&paper, url);
            if expected.redirects.contains(url) {
                assert_eq!(page.status, 301);
                let to = page.header("location").unwrap().to_owned();
                assert_eq!(to, expected.urls[0]);
                page = get(&paper, &to);
            }
            assert_eq!(page.status, 200, "{url}");
            if let Some(label) = page.header("content-type").unwrap().split("charset=windows-").nth(1) {
                old_encodings += 1;
                let encoding = Encoding::for_label(format!("windows-{label}").as_bytes()).unwrap();
                let (html, _, broken) = encoding.decode(&page.body);
                assert!(!broken && String::from_utf8(page.body.clone()).is_err(), "{url}");
                holds(&html.nfc().collect::<String>(), expected);
                continue;
            }
            holds(&page.text(), expected);
        }
    }
    assert_eq!(old_encodings, 2);
}

fn holds(html: &str, expected: &Expected) {
    let text = visible(html);
    let mut at = 0;
    for paragraph in &expected.paragraphs {
        // Each search starts after the previous match, which checks the order of paragraphs.
        let found = text[at..].find(paragraph.as_str());
        at += found.unwrap_or_else(|| panic!("{}: {paragraph}", expected.path)) + paragraph.len();
    }
    for whole in expected.subheadings.iter().chain([&expected.title, &expected.caption]) {
        assert!(text.contains(whole.as_str()), "{}: {whole}", expected.path);
    }
    assert!(html.contains(&expected.published), "{}", expected.path);
    assert!(html.contains(&expected.author), "{}", expected.path);
}

#[test]
fn each_paper_states_its_metadata_in_its_own_way() {
    let paper = newspaper(false);
    for expected in paper.expected() {
        if expected.host == "villagepost.example" {
            let html = get(&paper, &expected.urls[0]).body;
            let html = String::from_utf8_lossy(&html);
            let json = html.split("ld+json\">").nth(1).unwrap().split("</script>").next().unwrap();
            let data: serde_json::Value = serde_json::from_str(json).unwrap();
            if !html.contains("windows-1252") {
                assert_eq!(data["headline"], expected.title.as_str());
            }
            assert_eq!(data["datePublished"], expected.published.as_str());
            assert_eq!(data["author"][0]["name"], expected.author.as_str());
            assert!(!html.contains("og:title"));
        }
    }
    let vi = &paper.expected()[0];
    let html = get(&paper, &vi.urls[0]).text();
    assert!(html.contains("Thứ sáu, 20/11/2026, 09:30 (GMT+7)"));
    assert!(html.contains(r#"<meta property="article:published_time" content="2026-11-20T09:30:00+07:00">"#));
    assert!(!html.contains("ld+json"));
}

#[test]
fn every_page_tempts_to_what_robots_forbids() {
    let paper = newspaper(false);
    for seed in Newspaper::seeds() {
        let rules = get(&paper, &format!("{seed}robots.txt")).text();
        assert!(rules.contains("Disallow: /private/\nDisallow: /search\n"));
        assert!(get(&paper, seed).text().contains("href=\"/private/members\""));
        assert_eq!(get(&paper, &format!("{seed}private/members")).status, 200);
    }
    for expected in paper.expected() {
        let page = get(&paper, &expected.urls[0]);
        assert!(String::from_utf8_lossy(&page.body).contains("href=\"/private/members\""));
    }
}

#[test]
fn pages_are_compressed_and_validated_on_request() {
    let paper = newspaper(false);
    let url = &paper.expected()[0].urls[0];
    let send =
        |header: &str| send(&paper, &format!("GET {url} HTTP/1.1\r\nHost: baolang.example\r\n{header}\r\n"));
    let plain = send("Accept: */*");
    let packed = send("Accept-Encoding: gzip, br");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let mut html = Vec::new();
    GzDecoder::new(packed.body.as_slice()).read_to_end(&mut html).unwrap();
    assert_eq!(html, plain.body);

    let tag = format!("If-None-Match: {}", plain.header("etag").unwrap());
    let date = format!("If-Modified-Since: {}", plain.header("last-modified").unwrap());
    for header in [tag, date] {
        let answer = send(&header);
        assert_eq!((answer.status, answer.body.len()), (304, 0), "{header}");
    }
    assert_eq!(paper.requests().last().unwrap().status, 304);
}

#[test]
fn errors_come_once_and_say_when_to_come_back() {
    let paper = newspaper(true);
    let all = paper.expected();
    for host in ["baolang.example", "villagepost.example"] {
        let own: Vec<_> = all.iter().filter(|e| e.host == host).collect();
        let first = get(&paper, &own[0].urls[0]);
        assert_eq!((first.status, first.header("retry-after")), (503, Some("1")));
        assert_eq!(get(&paper, &own[1].urls[0]).status, 500);
        for expected in own {
            assert_eq!(get(&paper, &expected.urls[0]).status, 200);
        }
    }
}

#[test]
fn comments_and_advertisements_are_not_the_same_everywhere() {
    let paper = newspaper(false);
    let marks = [
        ("baolang.example", "id=\"y-kien\"", "class=\"viet\""),
        ("villagepost.example", "id=\"comments\"", "class=\"rules\""),
    ];
    for (host, from, to) in marks {
        let mut threads = HashSet::new();
        let mut pages = 0;
        for expected in paper.expected().iter().filter(|e| e.host == host) {
            let page = get(&paper, &expected.urls[0]);
            let html = String::from_utf8_lossy(&page.body).into_owned();
            let thread = html.split(from).nth(1).unwrap().split(to).next().unwrap();
            threads.insert(thread.to_owned());
            pages += 1;
        }
        assert_eq!(threads.len(), pages);
    }
}

#[test]
fn the_access_log_tells_who_asked_for_what_and_when() {
    let options = NewspaperOptions { latency: Duration::from_millis(20), ..NewspaperOptions::default() };
    let paper = Newspaper::start_in_background(options).unwrap();
    get(&paper, "http://villagepost.example/sport?page=2");
    get(&paper, "http://Elsewhere.example/x");
    assert!(paper.wait_for_requests(2, Duration::from_secs(10)));
    assert!(!paper.wait_for_requests(3, Duration::ZERO));
    let log = paper.requests();
    assert_eq!(log.len(), paper.request_count());
    assert_eq!((log[0].host.as_str(), log[0].path.as_str()), ("villagepost.example", "/sport?page=2"));
    assert_eq!((log[0].status, log[0].user_agent.as_str()), (200, "reader/1"));
    assert_eq!((log[1].host.as_str(), log[1].status), ("elsewhere.example", 404));
    let finished = log[0].finished.expect("the answer was read");
    assert!(finished >= log[0].time + Duration::from_millis(20));
    assert!(log[1].time >= finished);
}

#[test]
fn the_number_of_articles_can_be_chosen() {
    let options = NewspaperOptions { articles: 3, faults: false, ..NewspaperOptions::default() };
    let paper = Newspaper::start_in_background(options).unwrap();
    let all = paper.expected();
    assert_eq!(all.len(), 6);
    for expected in &all {
        assert_eq!(get(&paper, &expected.urls[0]).status, 200);
    }
}

#[test]
fn a_dropped_server_has_let_go_of_its_port() {
    let paper = newspaper(false);
    let address = paper.address();
    get(&paper, Newspaper::seeds()[0]);
    paper.shutdown();
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test]
async fn it_runs_on_the_current_runtime_too() {
    let paper = Newspaper::start(NewspaperOptions::default()).await.unwrap();
    let address = paper.address();
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.0\r\nHost: baolang.example\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    });
    paper.requests_reached(1).await;
    assert_eq!(paper.request_count(), 1);
    assert!(asked.await.unwrap().contains("Báo Làng"));
}

#[tokio::test]
async fn it_can_be_put_in_the_background_from_async_code() {
    let paper = newspaper(false);
    let mut stream = tokio::net::TcpStream::connect(paper.address()).await.unwrap();
    let request = b"GET / HTTP/1.0\r\nHost: baolang.example\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut stream, request).await.unwrap();
    paper.requests_reached(1).await;
    assert_eq!(paper.requests()[0].status, 200);
}
