//! Controls a real browser, if one is installed: Chromium in headless mode, over its DevTools protocol. The
//! connection is a WebSocket (RFC 6455), of which this client implements only the parts that it needs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Browser {
    path: PathBuf,
}

/// One open page, controlled over DevTools.
pub struct Tab {
    browser: Child,
    socket: TcpStream,
    asked: u64,
    /// The errors that the browser reported: errors of scripts, violations of the security policy, missing
    /// files.
    pub errors: Vec<String>,
    // This folder is removed after `drop` has ended the browser.
    _profile: TempDir,
}

impl Browser {
    pub fn find() -> Option<Self> {
        let folders = std::env::var_os("PATH")?;
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut paths =
            std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name)));
        let path = paths.find(|path| path.is_file())?;
        Some(Self { path })
    }

    fn command(&self, profile: &TempDir) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-proxy-server"])
            .arg("--hide-scrollbars")
            .arg(format!("--user-data-dir={}", profile.path().display()));
        command
    }

    /// Opens a page that stays open until the [`Tab`] is dropped.
    pub fn tab(&self, address: &str) -> Tab {
        let profile = tempfile::tempdir().unwrap();
        let mut command = self.command(&profile);
        command
            .args(["--remote-debugging-port=0", "about:blank"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut browser = command.spawn().unwrap();
        let mut lines = BufReader::new(browser.stderr.take().unwrap()).lines().map_while(Result::ok);
        let host = lines.find_map(|line| {
            let (_, rest) = line.split_once("listening on ws://")?;
            Some(rest.split('/').next()?.to_owned())
        });
        std::thread::spawn(move || lines.for_each(drop));
        let host = host.expect("the browser says where it listens");
        let listed = http(&host, "/json/list");
        let pages: Value = serde_json::from_str(&listed).unwrap();
        let page = pages.as_array().unwrap().iter().find(|page| page["type"] == "page").unwrap();
        let socket = page["webSocketDebuggerUrl"].as_str().unwrap().to_owned();
        let path = socket.split_once(&host).unwrap().1;
        let mut tab =
            Tab { browser, socket: connect(&host, path), asked: 0, errors: Vec::new(), _profile: profile };
        for domain in ["Page.enable", "Log.enable", "Runtime.enable"] {
            tab.call(domain, &json!({}));
        }
        tab.go(address);
        tab
    }
}

impl Tab {
    /// Evaluates a script in the page. Returns its result as text.
    pub fn evaluate(&mut self, script: &str) -> String {
        // The script is a separate block, so that several scripts can use the same names.
        let expression = format!("{{ {script} }}");
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["result"]["exceptionDetails"].is_null(), "{script}: {answer}");
        match &answer["result"]["result"]["value"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Sets the width of the screen in pixels, and the color scheme.
    pub fn look(&mut self, width: u32, is_dark: bool) {
        let screen = json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &screen);
        let scheme = if is_dark { "dark" } else { "light" };
        // Without transitions, colors are final at once.
        let features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
        let features = features.map(|(name, value)| json!({ "name": name, "value": value }));
        self.call("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    pub fn go(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
        self.hear(|message| (message["method"] == "Page.loadEventFired").then_some(()));
    }

    /// Returns a picture of the whole page as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let parameters = json!({ "format": "png", "captureBeyondViewport": true });
        let answer = self.call("Page.captureScreenshot", &parameters);
        data_encoding::BASE64.decode(answer["result"]["data"].as_str().unwrap().as_bytes()).unwrap()
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let text = json!({ "id": id, "method": method, "params": parameters }).to_string();
        let mut frame = vec![0x81];
        match text.len() {
            length @ ..126 => frame.push(0x80 | length as u8),
            length => {
                // A length of 64 bits follows (RFC 6455, 5.2).
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        // A client must mask its frames (RFC 6455, 5.3). A mask of zeros changes nothing.
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.socket.write_all(&frame).unwrap();
        self.hear(|message| (message["id"] == id).then(|| message.clone()))
    }

    /// Reads messages until `is_it` accepts one, and returns its result.
    fn hear<T>(&mut self, is_it: impl Fn(&Value) -> Option<T>) -> T {
        loop {
            let message: Value = serde_json::from_slice(&self.message()).unwrap_or_default();
            let is_error = message["method"] == "Runtime.exceptionThrown"
                || (message["method"] == "Log.entryAdded" && message["params"]["entry"]["level"] == "error");
            if is_error {
                self.errors.push(message["params"].to_string());
            }
            if let Some(found) = is_it(&message) {
                return found;
            }
        }
    }

    /// Reads one message, which may consist of several frames.
    fn message(&mut self) -> Vec<u8> {
        let mut message = Vec::new();
        loop {
            let [kind, length] = self.bytes(2)[..] else { unreachable!("two bytes were asked for") };
            let length = match length {
                126 => u64::from(u16::from_be_bytes(self.bytes(2).try_into().unwrap())),
                127 => u64::from_be_bytes(self.bytes(8).try_into().unwrap()),
                length => length.into(),
            };
            message.extend(self.bytes(length as usize));
            if kind & 0x80 != 0 {
                return message;
            }
        }
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.socket.read_exact(&mut bytes).unwrap();
        bytes
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

fn stream(host: &str) -> TcpStream {
    let stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

fn http(host: &str, path: &str) -> String {
    let mut stream = stream(host);
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    // The connection may stay open despite `Connection: close`, so exactly `Content-Length` bytes are read.
    let mut reader = BufReader::new(stream);
    let length = head(&mut reader).expect("the answer says how long it is");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

/// Reads the headers of a response. Returns the `Content-Length`, or `None` if it is missing.
fn head(reader: &mut impl BufRead) -> Option<usize> {
    let mut length = None;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            return length;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok();
        }
    }
}

/// Performs the opening handshake (RFC 6455, 4.1).
fn connect(host: &str, path: &str) -> TcpStream {
    let mut stream = stream(host);
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    .unwrap();
    // Reads byte by byte, so that no bytes after the headers are consumed.
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.extend(byte);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
    stream
}
