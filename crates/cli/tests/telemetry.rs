//! Tests the spans that a crawl sends to a local collector. There is one span per visit, and an unreachable
//! collector does not affect the crawl.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// Crawls the bundled newspaper and sends the spans to this port.
fn crawl(port: u16) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .args(["crawl", "--max-pages", "20", "--config"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/demo.toml"))
        .args(["--set", &format!("telemetry.endpoint=http://127.0.0.1:{port}/v1/traces"), "--data"])
        .arg(folder.path())
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap()
}

/// Reads one request after another and stores the bodies.
fn collect(stream: &TcpStream, bodies: &Mutex<Vec<u8>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) && line != "\r\n" {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        if line.is_empty() || reader.read_exact(&mut body).is_err() {
            return;
        }
        bodies.lock().unwrap().extend(body);
        let mut stream = stream;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
    }
}

#[test]
fn a_visit_is_a_span_with_its_url_and_outcome() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&bodies);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let kept = Arc::clone(&kept);
            std::thread::spawn(move || collect(&stream, &kept));
        }
    });
    let output = crawl(port);
    assert!(output.status.success(), "{output:?}");
    let sent = String::from_utf8_lossy(&bodies.lock().unwrap()).into_owned();
    for part in
        ["http://baolang.example/", "villagepost.example", "visit", "request", "read", "outcome", "listing"]
    {
        assert!(sent.contains(part), "{part} is not in what was sent");
    }
}

#[test]
fn a_collector_that_is_away_costs_no_page() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let output = crawl(port);
    assert!(output.status.success(), "{output:?}");
}
