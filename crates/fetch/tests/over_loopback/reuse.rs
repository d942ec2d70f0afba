//! Tests the reuse of connections, and requests on reused connections that the server closes.

use std::sync::{Arc, Mutex};

use gleaner_fetch::{Client, FetchError, Request, RequestKind, RequestLease, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::server::settings;

/// What the server does with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Responds and keeps the connection open.
    Answer,
    /// Responds, and then closes the connection without an announcement.
    AnswerAndClose,
    /// Reads the request and closes.
    Close,
    /// Closes without reading the request, which resets the connection.
    Reset,
}
use Does::{Answer, AnswerAndClose, Close, Reset};

/// A server in which each connection follows its own script. A connection without a script is closed at once.
struct Scripted {
    url: Url,
    /// The connection number of each request.
    seen: Arc<Mutex<Vec<usize>>>,
}

impl Scripted {
    async fn start(scripts: &[&[Does]]) -> Self {
        let scripts: Vec<Vec<Does>> = scripts.iter().map(|script| script.to_vec()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let script = scripts.get(number).cloned().unwrap_or_default();
                tokio::spawn(follow(stream, script, number, Arc::clone(&log)));
            }
        });
        Self { url, seen }
    }

    async fn send(&self, client: &Client) -> Result<Response, FetchError> {
        client.get(&Request::new(self.url.clone(), RequestKind::Page), &RequestLease::unlimited()).await
    }

    fn seen(&self) -> Vec<usize> {
        self.seen.lock().unwrap().clone()
    }
}

async fn follow(mut stream: TcpStream, script: Vec<Does>, number: usize, log: Arc<Mutex<Vec<usize>>>) {
    for does in script {
        if stream.peek(&mut [0]).await.unwrap_or(0) == 0 {
            return;
        }
        log.lock().unwrap().push(number);
        if does == Reset {
            return;
        }
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        if does == Close {
            return;
        }
        let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>a";
        stream.write_all(answer).await.unwrap();
        if does == AnswerAndClose {
            return;
        }
    }
    // Keeps the connection open until the client closes it.
    let _ = stream.read_u8().await;
}

/// Sends two requests. Returns which of them got a response, and the connection of each request.
async fn asked_twice(scripts: &[&[Does]], sets: &[&str]) -> ([bool; 2], Vec<usize>) {
    let server = Scripted::start(scripts).await;
    let client = Client::new(&settings(sets)).unwrap();
    let first = server.send(&client).await;
    let second = server.send(&client).await;
    for answer in [&first, &second] {
        let is_told = matches!(answer, Ok(_) | Err(FetchError::Broken(_) | FetchError::Connect(_)));
        assert!(is_told, "{answer:?}");
    }
    ([first.is_ok(), second.is_ok()], server.seen())
}

#[tokio::test]
async fn a_request_on_a_used_connection_that_closes_is_sent_again_once() {
    for (scripts, answered, connections) in [
        (&[&[Answer, Answer][..]][..], [true, true], &[0, 0][..]),
        (&[&[Answer, Close], &[Answer]], [true, true], &[0, 0, 1]),
        (&[&[Answer, Reset], &[Answer]], [true, true], &[0, 0, 1]),
        // The result on the new connection is final.
        (&[&[Answer, Close], &[Close], &[Answer]], [true, false], &[0, 0, 1]),
        (&[&[Answer, Close], &[Reset], &[Answer]], [true, false], &[0, 0, 1]),
    ] {
        assert_eq!(asked_twice(scripts, &[]).await, (answered, connections.to_vec()), "{scripts:?}");
    }
}

#[tokio::test]
async fn a_request_on_a_new_connection_that_closes_is_not_sent_again() {
    for (scripts, answered) in [
        (&[&[Close][..], &[Answer]][..], [false, true]),
        (&[&[Reset], &[Answer]], [false, true]),
        (&[&[Close], &[Close]], [false, false]),
    ] {
        assert_eq!(asked_twice(scripts, &[]).await, (answered, vec![0, 1]), "{scripts:?}");
    }
}

#[tokio::test]
async fn a_connection_that_was_closed_behind_its_answer_costs_nothing() {
    let (answered, connections) = asked_twice(&[&[AnswerAndClose], &[Answer]], &[]).await;
    // The client may notice the close before or after it sends the request. The server has closed the
    // connection in both cases, so it receives one request per connection.
    assert_eq!((answered, connections), ([true, true], vec![0, 1]));
}

#[tokio::test]
async fn at_a_gap_of_seconds_no_connection_is_used_again() {
    for (delay, connections) in [("3s", [0, 0]), ("4s", [0, 1]), ("5s", [0, 1])] {
        let scripts = &[&[Answer, Answer][..], &[Answer]];
        let (answered, seen) = asked_twice(scripts, &[&format!("fetch.delay={delay}")]).await;
        assert_eq!((answered, seen), ([true, true], connections.to_vec()), "{delay}");
    }
}
