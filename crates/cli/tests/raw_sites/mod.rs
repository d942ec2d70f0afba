//! Serves scripted responses byte by byte for all host names, as a proxy on loopback, and runs the real binary on them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

/// A request: `host/path?query`, and the value of `Cookie`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub url: String,
    pub cookie: String,
}

type Script = dyn Fn(&Asked) -> Vec<u8> + Send + Sync;

/// A running server with a folder for one corpus.
pub struct RawSites {
    pub folder: TempDir,
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl RawSites {
    /// Serves the response that `script` returns for each request.
    pub fn start(script: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, script) = (Arc::clone(&asked), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || serve(&stream, &*script, &log));
            }
        });
        Self { folder: TempDir::new().unwrap(), address, asked }
    }

    /// Returns the requests for URLs that contain `part`, in order.
    pub fn asked(&self, part: &str) -> Vec<Asked> {
        self.asked.lock().unwrap().iter().filter(|asked| asked.url.contains(part)).cloned().collect()
    }

    /// Runs gleaner on the folder.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let proxy = format!("fetch.proxy=http://{}", self.address);
        let sets = ["fetch.delay=1ms", "fetch.retries=0", "fetch.contact=a@b.example", "crawl.linger=2s"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(self.folder.path()).args(arguments).args(["--set", &proxy]);
        command.args(sets.iter().flat_map(|set| ["--set", set])).output().unwrap()
    }

    /// Runs gleaner on the folder, and returns the standard output of a run that succeeded.
    pub fn gleaner(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?}\n{out}\n{err}");
        out.into_owned()
    }

    /// Returns the URLs of all documents, without their scheme.
    pub fn stored(&self) -> BTreeSet<String> {
        let exported = self.gleaner(&["export", "--members", "--confidence", "0"]);
        let documents = exported.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let urls = documents.flat_map(|document| document["urls"].as_array().unwrap().clone());
        urls.map(|url| url.as_str().unwrap().split_once("://").unwrap().1.to_owned()).collect()
    }
}

fn serve(stream: &TcpStream, script: &Script, log: &Mutex<Vec<Asked>>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    let target = request.split(' ').nth(1).unwrap_or_default();
    let url = target.split_once("://").map_or(target, |(_, url)| url).to_owned();
    let mut asked = Asked { url, cookie: String::new() };
    for header in lines.take_while(|header| !header.is_empty()) {
        if let Some((name, value)) = header.split_once(": ")
            && name.eq_ignore_ascii_case("cookie")
        {
            value.clone_into(&mut asked.cookie);
        }
    }
    log.lock().unwrap().push(asked.clone());
    let response = script(&asked);
    let mut stream = stream;
    // The client may have closed the connection.
    let _ = stream.write_all(&response);
}

/// Returns a response with these header lines, each with its line end.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
        .into()
}

pub fn html(headers: &str, body: &str) -> Vec<u8> {
    response("200 OK", &format!("Content-Type: text/html; charset=utf-8\r\n{headers}"), body)
}

pub fn text(body: &str) -> Vec<u8> {
    response("200 OK", "Content-Type: text/plain\r\n", body)
}

pub fn xml(body: &str) -> Vec<u8> {
    response("200 OK", "Content-Type: application/xml\r\n", body)
}

pub fn not_found() -> Vec<u8> {
    response("404 Not Found", "", "")
}

/// Returns the HTML of an article. `head` is added to its head. Each `key` gives another text.
pub fn article(key: &str, head: &str) -> String {
    const PLACES: [&str; 8] =
        ["harbour", "valley", "mill", "market", "bridge", "forest", "school", "station"];
    const EVENTS: [&str; 7] = [
        "was closed after the storm of last night",
        "will get a new roof before the winter",
        "has been sold to a company from the capital",
        "welcomed more visitors than in any year before",
        "is to be rebuilt by the people of the village",
        "burned for three hours until the rain came",
        "celebrates its hundredth birthday on Sunday",
    ];
    let seed: usize = key.bytes().fold(7, |sum, byte| sum * 31 % 1_009 + usize::from(byte));
    let mut story = String::new();
    for number in 0..12 {
        let at = seed + number * number + 3 * number;
        let (place, event) = (PLACES[at % PLACES.len()], EVENTS[at / 3 % EVENTS.len()]);
        write!(story, "<p>The {place} of {key} {event}, as the mayor told our paper on day {at}.</p>")
            .unwrap();
    }
    format!(
        "<!DOCTYPE html><html lang=en><head><title>The story of {key}</title>{head}</head>\
         <body><article><h1>The story of {key}</h1>{story}</article></body></html>"
    )
}

/// Returns a page with links to these addresses.
pub fn links(addresses: &[&str]) -> String {
    let links: String = addresses.iter().map(|to| format!("<li><a href=\"{to}\">A story</a></li>")).collect();
    format!("<!DOCTYPE html><html lang=en><title>News</title><ul>{links}</ul></html>")
}
