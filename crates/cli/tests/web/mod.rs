//! Serves scripted sites to the real binary, through a proxy on loopback.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;

pub const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

/// A request: the URL without its scheme, and the `Cookie` header.
pub struct Asked {
    pub url: String,
    pub cookie: String,
}

/// A web behind a proxy on loopback. Each connection gets one response, byte by byte as scripted, and is closed.
pub struct Web {
    proxy: String,
    asked: Arc<Mutex<Vec<String>>>,
    pub folder: TempDir,
}

impl Web {
    pub fn start(script: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("fetch.proxy=http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, script) = (Arc::clone(&asked), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &*script, &log));
            }
        });
        Self { proxy, asked, folder: TempDir::new().unwrap() }
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let sets = ["fetch.delay=10ms", "fetch.retries=1", "fetch.retry_backoff=20ms", "crawl.linger=5s"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(self.folder.path()).args(arguments).args(["--data", "data"]);
        command.args(["--set", &self.proxy, "--set", "fetch.contact=test@gleaner.invalid"]);
        command.args(sets.iter().flat_map(|set| ["--set", set]));
        command
    }

    /// Runs a command that must succeed. Returns its output, followed by its messages.
    pub fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        assert!(output.status.success(), "{arguments:?}\n{said}");
        said
    }

    /// Returns the texts of the corpus by URL. An export without documents has exit code 1.
    pub fn corpus(&self) -> BTreeMap<String, String> {
        let output = self.run(&["export", "--members", "--confidence", "0"]);
        let exported = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() || exported.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let documents = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        documents.map(|document| (text(&document["url"]), text(&document["text"]))).collect()
    }

    /// Returns the number of requests for a URL, which has no scheme.
    pub fn asked(&self, url: &str) -> usize {
        self.all_asked().iter().filter(|known| *known == url).count()
    }

    /// Returns the URLs of all requests, without their schemes.
    pub fn all_asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, script: &dyn Fn(&Asked) -> Vec<u8>, log: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let url = first.split(' ').nth(1).unwrap_or_default().trim_start_matches("http://").to_owned();
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let cookie = head.iter().find_map(|line| line.strip_prefix("cookie: ")).unwrap_or_default().to_owned();
    log.lock().unwrap().push(url.clone());
    // The client may have closed the connection.
    let _ = stream.write_all(&script(&Asked { url, cookie }));
}

pub fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status}\r\n{headers}Connection: close\r\n\r\n").as_bytes(), body].concat()
}

/// Returns a response with this `Content-Length`, whether it is right or not.
pub fn measured(headers: &str, length: usize, body: &[u8]) -> Vec<u8> {
    response("200 OK", &format!("{headers}Content-Length: {length}\r\n"), body)
}

/// Returns an article. Articles with different seeds have different texts.
pub fn article(seed: usize) -> String {
    let words = "council bridge harbour market ferry orchard teacher river budget road engineer school farmer \
        library concert railway garden hospital theatre museum festival workshop reservoir lighthouse";
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut state = seed * 7_919 + 17;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[(state >> 33) % words.len()]
    };
    let mut body = String::new();
    for _ in 0..12 {
        body.push_str("<p>");
        for _ in 0..3 {
            let [a, b, c, d] = [(); 4].map(|()| word());
            write!(body, "The {a} near the {b} was opened on Monday, and the {c} will pay for the {d}. ")
                .unwrap();
        }
        body.push_str("</p>");
    }
    let title = format!("{} and {} in the {} of {seed}", word(), word(), word());
    format!(
        "<!DOCTYPE html><html><head><title>{title}</title></head><body><article><h1>{title}</h1>{body}\
         <p>This is the end of article {seed}.</p></article></body></html>\n"
    )
}

pub fn front(paths: &[&str]) -> Vec<u8> {
    let links: String =
        paths.iter().map(|path| format!("<li><a href={path}>A story: {path}</a></li>")).collect();
    let body = format!("<html><body><ul>{links}</ul></body></html>");
    measured(HTML, body.len(), body.as_bytes())
}
