//! Tests what the status page of the real binary accepts: host names, redirects after signing in, the time
//! for a request and the number of connections.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::newspaper::Crawl;
use crate::status::Served;

/// Maximum time to wait for an event.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that is bound to all addresses, as in docker-compose.yml.
struct Exposed {
    crawl: Crawl,
    served: Served,
    port: u16,
}

impl Exposed {
    /// Serves a corpus of some pages without further options.
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(options: &[&str]) -> Self {
        let crawl = Crawl::new(Duration::ZERO);
        crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "3", "--set", "crawl.linger=0s"]);
        let arguments = [&["serve", "--address", "0.0.0.0:0"], options].concat();
        let served = Served::begin(crawl.command(&arguments));
        let address = served.address("");
        let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
        Self { crawl, served, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends the line and headers of a request. Returns the response.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> String {
        let mut stream = self.connect();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let request = format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        read(&mut stream)
    }

    fn status(&self, line: &str, headers: &[&str]) -> u16 {
        status_of(&self.ask(line, headers, ""))
    }
}

/// Reads until the server closes the connection, possibly by a reset.
fn read(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the server does not close the connection: {error}"),
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn status_of(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer:?}"))
}

#[test]
fn a_server_at_all_addresses_answers_only_known_host_names() {
    let exposed = Exposed::new();
    for host in ["localhost", "127.0.0.1:7700", "192.168.1.5:7700", "[::1]:7700"] {
        assert_eq!(exposed.status("GET /", &[&format!("Host: {host}")]), 200, "{host}");
    }
    for path in ["/", "/search.jsonl", "/metrics", "/page.css", "/healthz"] {
        let answer = exposed.ask(&format!("GET {path}"), &["Host: evil.example:7700"], "");
        assert_eq!(status_of(&answer), 403, "{path}: {answer}");
        assert!(answer.contains("--public-host NAME"), "{answer}");
    }
}

#[test]
fn names_of_public_host_are_answered() {
    let exposed = Exposed::with(&["--public-host", "corpus.example", "--public-host", "status"]);
    for host in ["localhost", "corpus.example", "Corpus.Example:443", "status:7700"] {
        assert_eq!(exposed.status("GET /", &[&format!("Host: {host}")]), 200, "{host}");
    }
    assert_eq!(exposed.status("GET /", &["Host: evil.example"]), 403);
}

#[test]
fn a_request_without_exactly_one_host_is_refused() {
    let exposed = Exposed::new();
    let none: &[&str] = &[];
    assert_eq!(exposed.status("GET /", none), 400);
    assert_eq!(exposed.status("GET /", &["Host: localhost", "Host: evil.example"]), 400);
    assert_eq!(exposed.status("GET /", &["Host: evil.example", "Host: localhost"]), 400);
    assert_eq!(exposed.status("GET http://evil.example/", &["Host: localhost"]), 400);
    assert_eq!(exposed.status("GET http://localhost/", &["Host: localhost"]), 200);
}

#[test]
fn signing_in_leads_only_to_pages_of_this_server() {
    let exposed = Exposed::new();
    let token = fs::read_to_string(exposed.crawl.folder.path().join("data/status.token")).unwrap();
    for (back, expected) in [
        ("/hosts", "/hosts"),
        ("/%09/evil.example", "/"),
        ("/%0a/evil.example", "/"),
        ("//evil.example", "/"),
        ("/%5cevil.example", "/"),
        ("https://evil.example/", "/"),
    ] {
        let form = format!("token={}&back={back}", token.trim());
        let length = format!("Content-Length: {}", form.len());
        let kind = "Content-Type: application/x-www-form-urlencoded";
        let answer = exposed.ask("POST /token", &["Host: localhost", kind, &length], &form);
        assert_eq!(status_of(&answer), 303, "{back}: {answer}");
        let location = answer.lines().find_map(|line| line.strip_prefix("location: "));
        assert_eq!(location, Some(expected), "{back}: {answer}");
    }
}

#[test]
fn a_large_form_is_refused() {
    let form = "x".repeat(20_000);
    let length = format!("Content-Length: {}", form.len());
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let answer = Exposed::new().ask("POST /token", &["Host: localhost", kind, &length], &form);
    assert_eq!(status_of(&answer), 413, "{answer}");
}

/// Half requests take a few places for a few seconds. Then the page answers again, and so does a client that
/// came before.
#[test]
fn half_requests_are_closed_and_take_few_open_files() {
    let exposed = Exposed::new();
    let files = || fs::read_dir(format!("/proc/{}/fd", exposed.served.id())).map(Iterator::count).ok();
    let before = files();
    let half: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = exposed.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").unwrap();
            stream
        })
        .collect();
    // The first connection is closed without a response, or with an error.
    let begun = Instant::now();
    let mut half = half.into_iter();
    let answer = read(&mut half.next().unwrap());
    assert!(!answer.contains(" 200 "), "{answer}");
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(1) && took < PATIENCE / 2, "{took:?}");
    // Those that still wait in the queue of the operating system are as many as before.
    if let (Some(before), Some(now)) = (before, files()) {
        assert!(now <= before + 40, "{before} open files, then {now}");
    }
    drop(half);
    assert_eq!(exposed.status("GET /healthz", &["Host: localhost"]), 200);
}

#[test]
fn an_idle_connection_is_closed() {
    let exposed = Exposed::new();
    let mut stream = exposed.connect();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let begun = Instant::now();
    let answer = read(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
    assert!(begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
}
