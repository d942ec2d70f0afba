//! Tests the client against a server with arbitrary responses: limits, types, codings, proxies.

use std::time::Duration;

use crate::server::{Answer, Server, answer, page, settings};
use gleaner_fetch::settings::FetchSettings;
use gleaner_fetch::{Client, FetchError, ROBOTS_LIMIT, Request, RequestKind, RequestLease, Response};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use url::Url;

async fn send(settings: &FetchSettings, url: Url, want: RequestKind) -> Result<Response, FetchError> {
    Client::new(settings).unwrap().get(&Request::new(url, want), &RequestLease::unlimited()).await
}

async fn ask_page(server: &Server) -> Result<Response, FetchError> {
    send(&settings(&[]), server.url("/"), RequestKind::Page).await
}

#[tokio::test]
async fn a_page_is_fetched_with_its_headers() {
    let headers = ["Content-Type: text/html", "ETag: \"v1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"];
    let server = Server::always(answer("200 OK", &headers, b"<p>hi")).await;
    let got = ask_page(&server).await.unwrap();
    assert_eq!((got.status, got.body.as_slice()), (200, b"<p>hi".as_slice()));
    assert_eq!(got.content_type.as_deref(), Some("text/html"));
    assert_eq!(got.etag.as_deref(), Some("\"v1\""));
    assert_eq!(got.last_modified.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    assert_eq!((got.location, got.retry_after, got.held), (None, None, None));
}

#[tokio::test]
async fn the_request_says_who_asks_and_nothing_else() {
    let server = Server::always(page(b"<p>")).await;
    let settings = settings(&["fetch.user_agent=gleaner/9", "fetch.contact=mailto:a@b.example"]);
    send(&settings, server.url("/x?y"), RequestKind::Page).await.unwrap();
    let head = server.seen().remove(0);
    assert!(head.starts_with("get /x?y http/1.1\r\n"), "{head}");
    for line in ["user-agent: gleaner/9 (+mailto:a@b.example)", "accept-language: vi,en;q=0.8,*;q=0.5"] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line} in {head}");
    }
    assert!(head.contains("\r\naccept: text/html"), "{head}");
    for coding in ["gzip", "br", "zstd", "deflate"] {
        let codings = head.lines().find(|line| line.starts_with("accept-encoding: ")).unwrap();
        assert!(codings.contains(coding), "{codings}");
    }
    assert!(!head.contains("cookie:") && !head.contains("referer:"), "{head}");
}

#[tokio::test]
async fn the_next_request_of_a_host_takes_the_same_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // From here on, a second connection fails.
        drop(listener);
        let mut stream = BufReader::new(stream);
        for number in 0..3 {
            let mut line = String::new();
            while stream.read_line(&mut line).await.unwrap() > 2 {
                line.clear();
            }
            let page =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>{number}");
            stream.write_all(page.as_bytes()).await.unwrap();
        }
    });
    let client = Client::new(&settings(&[])).unwrap();
    for expected in ["<p>0", "<p>1", "<p>2"] {
        let got = client
            .get(&Request::new(url.clone(), RequestKind::Page), &RequestLease::unlimited())
            .await
            .unwrap();
        assert_eq!(got.body, expected.as_bytes());
    }
}

#[tokio::test]
async fn cookies_are_sent_when_handed_in() {
    let server = Server::always(page(b"<p>")).await;
    let mut request = Request::new(server.url("/"), RequestKind::Page);
    request.cookie = Some("k=v; l=w".into());
    let client = Client::new(&settings(&[])).unwrap();
    client.get(&request, &RequestLease::unlimited()).await.unwrap();
    client.get(&Request::new(server.url("/"), RequestKind::Page), &RequestLease::unlimited()).await.unwrap();
    let seen = server.seen();
    assert!(seen[0].contains("\r\ncookie: k=v; l=w\r\n") && !seen[1].contains("cookie"), "{seen:?}");
}

#[tokio::test]
async fn cookies_are_not_sent_back() {
    let server =
        Server::always(answer("200 OK", &["Content-Type: text/html", "Set-Cookie: a=b"], b"<p>")).await;
    let client = Client::new(&settings(&[])).unwrap();
    for _ in 0..2 {
        client
            .get(&Request::new(server.url("/"), RequestKind::Page), &RequestLease::unlimited())
            .await
            .unwrap();
    }
    assert!(!server.seen()[1].contains("cookie"));
}

#[tokio::test]
async fn a_copy_at_hand_makes_the_request_conditional() {
    let server = Server::always(b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n".to_vec()).await;
    let mut request = Request::new(server.url("/"), RequestKind::Page);
    request.etag = Some("\"v1\"".into());
    request.last_modified = Some("Sun, 06 Nov 1994 08:49:37 GMT".into());
    let got = Client::new(&settings(&[])).unwrap().get(&request, &RequestLease::unlimited()).await.unwrap();
    assert_eq!((got.status, got.body.len()), (304, 0));
    let head = server.seen().remove(0);
    assert!(head.contains("\r\nif-none-match: \"v1\"\r\n"), "{head}");
    assert!(head.contains("\r\nif-modified-since: sun, 06 nov 1994 08:49:37 gmt\r\n"), "{head}");
}

#[tokio::test]
async fn redirects_are_answers() {
    for (location, target) in [
        ("/new", Some("/new")),
        ("other?x=1", Some("/a/other?x=1")),
        ("http://elsewhere.example/y", Some("http://elsewhere.example/y")),
        ("/\u{1ebf}", Some("/%E1%BA%BF")),
        ("http://", None),
    ] {
        let server =
            Server::always(answer("301 Moved Permanently", &[&format!("Location: {location}")], b"")).await;
        let got = send(&settings(&[]), server.url("/a/b"), RequestKind::Page).await.unwrap();
        assert_eq!(got.status, 301);
        assert_eq!(got.location, target.map(|target| server.url("/").join(target).unwrap()), "{location}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_raw_byte_in_location_is_percent_encoded() {
    let head =
        b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nX-Name: caf\xe9\r\nLocation: /caf\xe9?\xc3\xa9\r\n\r\n";
    let server = Server::always(head.to_vec()).await;
    let got = send(&settings(&[]), server.url("/a"), RequestKind::Page).await.unwrap();
    assert_eq!(got.location, Some(server.url("/caf%E9?%C3%A9")));
    let name = got.headers.iter().find(|(name, _)| name == "x-name").unwrap();
    assert_eq!(name.1, "caf\u{FFFD}");
}

#[tokio::test]
async fn retry_after_is_read_in_both_forms() {
    for (value, least, most) in [
        ("120", 120, 120),
        ("Fri, 31 Dec 2199 23:59:59 GMT", 86_400, 86_400),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0, 0),
    ] {
        let server =
            Server::always(answer("503 Service Unavailable", &[&format!("Retry-After: {value}")], b"later"))
                .await;
        let got = ask_page(&server).await.unwrap();
        let seconds = got.retry_after.unwrap().as_secs();
        assert!((least..=most).contains(&seconds), "{value}: {seconds}");
        assert_eq!((got.status, got.body.as_slice()), (503, b"later".as_slice()));
    }
    let server = Server::always(answer("429 Too Many Requests", &["Retry-After: -3"], b"")).await;
    assert_eq!(ask_page(&server).await.unwrap().retry_after, None);
}

#[tokio::test]
async fn an_endless_body_is_cut_off_at_the_limit() {
    let limits = settings(&["fetch.max_page=64KiB", "fetch.max_sitemap=96KiB"]);
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_vec();
    let server = Server::start(move |_| Answer::Endless(head.clone(), vec![b'a'; 4096])).await;
    for (want, limit) in [(RequestKind::Page, 64 << 10), (RequestKind::List, 96 << 10)] {
        let error = send(&limits, server.url("/"), want).await.unwrap_err();
        assert_eq!(error, FetchError::TooLarge { limit });
    }
    let robots = send(&limits, server.url("/"), RequestKind::Robots).await.unwrap();
    assert_eq!(robots.body.len(), ROBOTS_LIMIT);
}

#[tokio::test]
async fn a_body_of_just_the_limit_passes() {
    let limits = settings(&["fetch.max_page=1000B"]);
    let fits = Server::always(page(&[b'a'; 1000])).await;
    assert_eq!(send(&limits, fits.url("/"), RequestKind::Page).await.unwrap().body.len(), 1000);
    let over = Server::always(page(&[b'a'; 1001])).await;
    let error = send(&limits, over.url("/"), RequestKind::Page).await.unwrap_err();
    assert_eq!(error, FetchError::TooLarge { limit: 1000 });
}

#[tokio::test]
async fn a_stated_length_over_the_limit_is_not_read() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999999\r\n\r\n".to_vec();
    let server = Server::start(move |_| Answer::Stall(head.clone())).await;
    let error = ask_page(&server).await.unwrap_err();
    assert_eq!(error, FetchError::TooLarge { limit: 5 << 20 });
}

#[tokio::test]
async fn the_body_of_a_refusal_is_kept_in_part() {
    let head = b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec();
    let server = Server::start(move |_| Answer::Endless(head.clone(), vec![b'a'; 4096])).await;
    let got = ask_page(&server).await.unwrap();
    assert_eq!((got.status, got.body.len(), got.is_cut), (404, 64 << 10, true));
}

#[tokio::test]
async fn a_slow_answer_hits_the_total_limit() {
    let limits = settings(&["fetch.timeout=60ms"]);
    let limit = Duration::from_millis(60);
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>".to_vec();
    for sent in [Vec::new(), b"HTTP/1.1 200".to_vec(), head] {
        let server = Server::start(move |_| Answer::Stall(sent.clone())).await;
        let error = send(&limits, server.url("/"), RequestKind::Page).await.unwrap_err();
        assert_eq!(error, FetchError::Timeout { limit });
        assert!(error.is_transient());
    }
}

#[tokio::test]
async fn only_html_is_a_page() {
    for (headers, body, accepted) in [
        (&["Content-Type: text/html"][..], &b"anything"[..], true),
        (&["Content-Type: Application/XHTML+XML; charset=utf-8"], b"<html/>", true),
        (&["Content-Type: application/pdf"], b"%PDF", false),
        (&["Content-Type: application/rss+xml"], b"<rss/>", false),
        (&["Content-Type: application/json"], b"<html>", false),
        (&[], b"<!DOCTYPE html><p>", true),
        (&["Content-Type:"], b"<html><p>", true),
        (&[], b"%PDF-1.4", false),
    ] {
        let server = Server::always(answer("200 OK", headers, body)).await;
        let got = ask_page(&server).await;
        let wrong = matches!(got, Err(FetchError::WrongType { .. }));
        assert_eq!((got.is_ok(), wrong), (accepted, !accepted), "{headers:?} {got:?}");
        assert!(send(&settings(&[]), server.url("/"), RequestKind::List).await.is_ok());
    }
}

#[tokio::test]
async fn a_wrong_type_is_told_before_the_body() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n".to_vec();
    let server = Server::start(move |_| Answer::Stall(head.clone())).await;
    let error = ask_page(&server).await.unwrap_err();
    assert_eq!(error, FetchError::WrongType { content_type: "video/mp4".into() });
}

#[tokio::test]
async fn what_is_no_http_is_a_broken_answer() {
    for sent in
        [&b"SSH-2.0-OpenSSH_9\r\n"[..], b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", b"HTTP/9"]
    {
        let server = Server::always(sent.to_vec()).await;
        let got = send(&settings(&[]), server.url("/"), RequestKind::List).await;
        assert!(matches!(got, Err(FetchError::Broken(_))), "{got:?}");
    }
}

#[tokio::test]
async fn a_closed_port_refuses() {
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = Url::parse(&format!("http://{address}/")).unwrap();
    let error = send(&settings(&[]), url, RequestKind::Page).await.unwrap_err();
    assert!(matches!(error, FetchError::Connect(_)), "{error:?}");
    assert_eq!((error.label(), error.is_transient()), ("connect", true));
}

#[tokio::test]
async fn tls_with_a_server_that_has_none_fails() {
    let server = Server::start(|_| Answer::Bytes(Vec::new())).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ =
                tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let url = Url::parse(&format!("https://{address}/")).unwrap();
    let error = send(&settings(&[]), url, RequestKind::Page).await.unwrap_err();
    assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn private_addresses_are_refused() {
    let server = Server::always(page(b"<p>")).await;
    let port = server.address.port();
    for host in ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"] {
        let url = Url::parse(&format!("http://{host}:{port}/")).unwrap();
        let error = send(&FetchSettings::default(), url, RequestKind::Page).await.unwrap_err();
        assert!(matches!(error, FetchError::PrivateAddress { .. }), "{host}: {error:?}");
        assert!(!error.is_transient());
    }
    assert!(server.seen().is_empty());
    let allowed = Url::parse(&format!("http://localhost:{port}/")).unwrap();
    assert_eq!(send(&settings(&[]), allowed, RequestKind::Page).await.unwrap().status, 200);
}

#[tokio::test]
async fn what_is_no_web_address_is_refused() {
    for url in ["ftp://a.example/", "mailto:a@b.example", "file:///etc/passwd", "data:text/html,x"] {
        let error = send(&settings(&[]), Url::parse(url).unwrap(), RequestKind::Page).await.unwrap_err();
        assert_eq!(error, FetchError::BadUrl, "{url}");
    }
}

#[tokio::test]
async fn a_configured_proxy_gets_every_request() {
    let proxy = Server::always(page(b"<p>by proxy")).await;
    // A proxy on loopback is allowed, also with a host name, although `fetch.allow_addresses` is empty.
    for host in ["127.0.0.1", "localhost"] {
        let named = format!("fetch.proxy=http://{host}:{}", proxy.address.port());
        let settings = settings(&["fetch.allow_addresses=[]", &named]);
        let url = Url::parse("http://no-such-host.invalid/x").unwrap();
        assert_eq!(send(&settings, url, RequestKind::Page).await.unwrap().body, b"<p>by proxy");
    }
    let seen = proxy.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen[0].starts_with("get http://no-such-host.invalid/x http/1.1\r\n"), "{}", seen[0]);
    let settings = settings(&[&format!("fetch.proxy=http://{}", proxy.address)]);
    send(&settings, Url::parse("http://127.0.0.1:1/").unwrap(), RequestKind::Page).await.unwrap();
    assert!(proxy.seen()[2].starts_with("get http://127.0.0.1:1/ "));
}

#[tokio::test]
async fn literal_private_addresses_are_refused_behind_a_proxy_too() {
    let proxy = Server::always(page(b"<p>")).await;
    let settings = settings(&["fetch.allow_addresses=[]", &format!("fetch.proxy=http://{}", proxy.address)]);
    let url = Url::parse("http://169.254.169.254/latest/meta-data").unwrap();
    let error = send(&settings, url, RequestKind::Page).await.unwrap_err();
    assert!(matches!(error, FetchError::PrivateAddress { .. }), "{error:?}");
    assert!(proxy.seen().is_empty());
}

#[tokio::test]
async fn https_goes_through_the_proxys_tunnel() {
    let proxy = Server::always(answer("502 Bad Gateway", &[], b"")).await;
    let settings = settings(&[&format!("fetch.proxy=http://{}", proxy.address)]);
    let error =
        send(&settings, Url::parse("https://a.invalid/").unwrap(), RequestKind::Page).await.unwrap_err();
    assert!(matches!(error, FetchError::Connect(_)), "{error:?}");
    assert!(proxy.seen()[0].starts_with("connect a.invalid:443 "), "{}", proxy.seen()[0]);
}

#[tokio::test]
async fn a_proxy_that_fails_is_named_as_such() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let asks = ["Proxy-Authenticate: Basic realm=\"x\""];
    let refusing = Server::always(answer("407 Proxy Authentication Required", &asks, b"")).await;
    let refusing = refusing.address.to_string();
    for proxy in [gone.as_str(), refusing.as_str(), "no-such-proxy.invalid:1"] {
        let settings = settings(&[&format!("fetch.proxy=http://user:secret@{proxy}")]);
        for url in ["http://a.example/", "https://a.example/"] {
            let error = send(&settings, Url::parse(url).unwrap(), RequestKind::Page).await.unwrap_err();
            assert!(matches!(error, FetchError::BadProxy(_)), "{proxy} {url}: {error:?}");
            let named = format!("the proxy failed: http://{proxy}, set by fetch.proxy: ");
            assert!(error.to_string().starts_with(&named), "{error}");
        }
    }
}

#[tokio::test]
async fn an_origins_407_is_an_answer() {
    let asks = ["Proxy-Authenticate: Basic realm=\"x\""];
    for headers in [&asks[..], &[]] {
        let origin = Server::always(answer("407 Proxy Authentication Required", headers, b"who?")).await;
        let got = ask_page(&origin).await.unwrap();
        assert_eq!((got.status, got.body.as_slice()), (407, b"who?".as_slice()), "{headers:?}");
    }
    // Through a proxy, a 407 without `Proxy-Authenticate` comes from the origin server.
    let proxy = Server::always(answer("407 Proxy Authentication Required", &[], b"")).await;
    let settings = settings(&[&format!("fetch.proxy=http://{}", proxy.address)]);
    let url = Url::parse("http://a.example/").unwrap();
    assert_eq!(send(&settings, url, RequestKind::Page).await.unwrap().status, 407);
}
