//! A small HTTP server on loopback whose responses are scripted byte by byte.
//!
//! Each connection serves one request. The server records the requests and how many were open at the same
//! time.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gleaner_fetch::settings::FetchSettings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// What the server does with one request.
pub(crate) enum Answer {
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Sends these bytes and then nothing, but keeps the connection open.
    Stall(Vec<u8>),
    /// Sends the first bytes once, then the second bytes repeatedly until the client closes the connection.
    Endless(Vec<u8>, Vec<u8>),
}

/// A running server. It ends with the test's runtime.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    most_open: Arc<AtomicUsize>,
}

impl Server {
    /// Starts a server that passes the head of each request to `script` and sends the returned answer.
    pub(crate) async fn start(script: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, most_open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (log, most, script) = (Arc::clone(&seen), Arc::clone(&most_open), Arc::new(script));
        tokio::spawn(async move {
            let open = Arc::new(AtomicUsize::new(0));
            while let Ok((stream, _)) = listener.accept().await {
                let (log, most, open, script) =
                    (Arc::clone(&log), Arc::clone(&most), Arc::clone(&open), Arc::clone(&script));
                tokio::spawn(async move {
                    most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    serve(stream, &*script, &log).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, seen, most_open }
    }

    pub(crate) async fn always(answer: Vec<u8>) -> Self {
        Self::start(move |_| Answer::Bytes(answer.clone())).await
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    /// Returns the heads of all requests so far, in lower case.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn most_open(&self) -> usize {
        self.most_open.load(Ordering::SeqCst)
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &(dyn Fn(&str) -> Answer + Send + Sync),
    log: &Mutex<Vec<String>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    log.lock().unwrap().push(head.to_ascii_lowercase());
    match script(&head) {
        Answer::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Answer::Stall(bytes) => {
            let _ = stream.write_all(&bytes).await;
            // This ends when the client closes the connection.
            let _ = stream.read_u8().await;
        }
        Answer::Endless(head, piece) => {
            let _ = stream.write_all(&head).await;
            while stream.write_all(&piece).await.is_ok() {}
        }
    }
}

/// Builds a response with a `Content-Length`, after which the connection closes. `headers` are whole lines.
pub(crate) fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    [format!("{head}\r\n").as_bytes(), body].concat()
}

pub(crate) fn page(body: &[u8]) -> Vec<u8> {
    answer("200 OK", &["Content-Type: text/html; charset=utf-8"], body)
}

/// Returns settings that allow requests to loopback, without a delay between requests. `sets` override them.
pub(crate) fn settings(sets: &[&str]) -> FetchSettings {
    let all =
        ["fetch.allow_addresses=[\"127.0.0.0/8\"]", "fetch.delay=0s"].into_iter().chain(sets.iter().copied());
    let value = |pair: &str| {
        let (name, text) = pair.strip_prefix("fetch.").and_then(|pair| pair.split_once('=')).unwrap();
        // Lists and numbers are JSON. Other values are texts, as in the option `--set`.
        (name.to_owned(), serde_json::from_str(text).unwrap_or_else(|_| text.into()))
    };
    serde_json::from_value(serde_json::Value::Object(all.map(value).collect())).unwrap()
}
