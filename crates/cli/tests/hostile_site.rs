//! Crawls a site whose texts contain escape sequences for terminals, and tries all commands on the corpus. No
//! control character may reach standard output, standard error, the log, a report, a notification or a page
//! of the status page. Only exported data keeps them, unless it goes to a terminal.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::status::{Served, document_of};

/// Clears the screen, sets the window's title, changes the color by a C1 character, and reverses the line.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{8}\u{7f}\u{9b}31m\u{85}\u{202e}gpj";

/// The part of [`EVIL`] that a header and an XML document may contain.
const EVIL_HEADER: &str = "\u{9b}31m\u{85}\u{202e}gpj";

/// [`EVIL`] in HTML. A page with the bytes themselves would count as binary data.
const EVIL_HTML: &str = "&#27;[2J&#27;]0;owned&#7;&#8;&#127;\u{9b}31m\u{85}\u{202e}gpj";

const SENTENCE: &str = "The council of the old town said on Monday that the harbour would be closed for three weeks, \
    because the water had risen above the wall and nobody could reach the market by the road";

/// A server that clients use as an HTTP proxy. It serves `evil.example` and runs until the test ends.
struct HostileSite(String);

impl HostileSite {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || answer(&stream));
            }
        });
        Self(proxy)
    }
}

fn answer(mut stream: &TcpStream) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let url = first.split(' ').nth(1).unwrap_or_default();
    let path = url.strip_prefix("http://evil.example").unwrap_or_default();
    // The client may have closed the connection.
    let _ = stream.write_all(&response(path));
}

fn response(path: &str) -> Vec<u8> {
    let (status, header, body) = match path {
        "/robots.txt" => ("200 OK", "Content-Type: text/plain".to_owned(), robots()),
        "/" => ("200 OK", html(), front()),
        "/feed.xml" => ("200 OK", "Content-Type: application/rss+xml".into(), feed()),
        "/map.xml" => ("200 OK", "Content-Type: application/xml".into(), map()),
        "/picture" => ("200 OK", format!("Content-Type: image/x{EVIL_HEADER}"), "x".into()),
        "/coded" => {
            ("200 OK", format!("Content-Type: text/html\r\nContent-Encoding: x{EVIL_HEADER}"), "x".into())
        }
        "/moved" => ("302 Found", format!("Location: http://evil.example/to{EVIL_HEADER}"), String::new()),
        "/away" => ("302 Found", format!("Location: http://evil{EVIL_HEADER}.invalid/"), String::new()),
        "/inside" => ("302 Found", "Location: http://169.254.169.254/latest".into(), String::new()),
        "/garbage" => return format!("{EVIL} not HTTP at all\r\n\r\n").into_bytes(),
        "/header" => return format!("HTTP/1.1 200 {EVIL}\r\nX-{EVIL}: {EVIL}\r\n\r\n").into_bytes(),
        path => match path.strip_prefix("/story-").and_then(|rest| rest.strip_suffix(".html")) {
            Some(number) => ("200 OK", html(), story(number)),
            None => ("404 Not Found", html(), EVIL.to_owned()),
        },
    };
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
        .into_bytes()
}

fn html() -> String {
    "Content-Type: text/html; charset=utf-8".into()
}

fn robots() -> String {
    format!(
        "User-agent: *\nDisallow: /private{EVIL}\nDisallow: /*{EVIL}\nDisallow: /closed*\u{202e}*\u{9b}*\u{1b}*\nDisallow: /closed # {EVIL}\n\
         Sitemap: http://evil.example/map.xml\nSitemap: http://evil.example/{EVIL}.xml\nCrawl-delay: {EVIL}\n"
    )
}

fn front() -> String {
    let mut links = String::new();
    for number in 1..=16 {
        let _ = write!(
            links,
            "<li><a href=\"/story-{number}.html\">{EVIL_HTML} story {number} of the harbour</a></li>"
        );
    }
    for path in ["private", "closed", "picture", "coded", "moved", "away", "inside", "garbage", "header"] {
        let _ = write!(links, "<li><a href=\"/{path}\">{path}</a></li>");
    }
    for (number, path) in ["private", "closed", "x"].iter().enumerate() {
        let _ = write!(links, "<li><a href=\"/{path}{EVIL_HTML}\">{number}</a></li>");
    }
    format!(
        "<html lang=\"en\"><head><title>{EVIL_HTML}</title><link rel=alternate type=application/rss+xml \
         title=\"{EVIL_HTML}\" href=/feed.xml></head><body><h1>Harbour news</h1><ul>{links}</ul></body></html>"
    )
}

fn story(number: &str) -> String {
    let paragraphs: String = (1..=4)
        .map(|part| format!("<p>{SENTENCE}, as story {number} told in part {part} {EVIL_HTML}.</p>"))
        .collect();
    format!(
        "<html lang=\"en\"><head><title>{EVIL_HTML} story {number}</title><meta property=og:type content=article>\
         <meta name=author content=\"Ann {EVIL_HTML} Lee\"><meta property=article:section content=\"{EVIL_HTML} Town\">\
         <meta name=description content='=HYPERLINK(\"http://evil.example\")'>\
         <meta name=keywords content=\"{EVIL_HTML}, harbour\"><meta property=article:published_time \
         content=\"2026-11-2{EVIL_HTML}\"></head><body><nav>Harbour news {EVIL_HTML}</nav><article>\
         <h1>{EVIL_HTML} story {number}</h1><div class=byline>By Ann {EVIL_HTML} Lee</div>{paragraphs}</article>\
         <footer>All rights of the harbour news {EVIL_HTML}</footer></body></html>"
    )
}

fn feed() -> String {
    let item = |number: u32| {
        format!(
            "<item><title>{EVIL_HEADER} {number}</title><author>{EVIL_HEADER}</author>\
             <link>http://evil.example/story-{number}.html</link><pubDate>{EVIL_HEADER}</pubDate></item>"
        )
    };
    let items: String = (1..=3).map(item).collect();
    format!("<rss version=\"2.0\"><channel><title>{EVIL_HEADER}</title>{items}</channel></rss{EVIL}>")
}

fn map() -> String {
    format!(
        "<urlset><url><loc>http://evil.example/story-4.html{EVIL_HEADER}</loc></url>\
         <url><loc{EVIL_HEADER}>http://evil.example/\n{EVIL}</wrong\n{EVIL}></url></urlset{EVIL}"
    )
}

struct Tried {
    folder: TempDir,
    site: HostileSite,
    /// How many escaped control characters were printed.
    escaped: usize,
}

impl Tried {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("seeds.txt"), "http://evil.example/\n").unwrap();
        Self { folder, site: HostileSite::start(), escaped: 0 }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(self.folder.path()).args(arguments).args(self.settings());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn settings(&self) -> Vec<String> {
        let sets = [
            format!("fetch.proxy={}", self.site.0),
            "fetch.delay=0s".into(),
            "fetch.retries=0".into(),
            "fetch.contact=test@gleaner.invalid".into(),
            "crawl.linger=1s".into(),
            "log.level=gleaner=trace,gleaner_crawl=trace,gleaner_fetch=trace,gleaner_frontier=trace,warn"
                .into(),
            "report.notify=always".into(),
            "report.command=[\"sh\", \"-c\", \"cat >> told.txt\"]".into(),
        ];
        let sets = sets.into_iter().flat_map(|set| ["--set".to_owned(), set]);
        ["--data".to_owned(), "data".into()].into_iter().chain(sets).collect()
    }

    /// Runs a command and checks what it prints. Data on standard output may have control characters.
    fn run(&mut self, arguments: &[&str], prints_data: bool) -> String {
        let Output { stdout, stderr, status } = self.command(arguments).output().unwrap();
        assert!(status.code().is_some_and(|code| code < 100), "{arguments:?}: {status}");
        let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        self.check(&err, &format!("{arguments:?} on standard error"));
        if !prints_data {
            self.check(&out, &format!("{arguments:?} on standard output"));
        }
        out.into_owned() + &err
    }

    fn check(&mut self, text: &str, what: &str) {
        if let Some(at) = text.find(is_evil) {
            let before: String =
                text[..at].chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect();
            panic!("{what} has {:?} after {before:?}", text[at..].chars().next());
        }
        self.escaped += text.matches("\\u001b").count() + text.matches("\\u009b").count();
    }

    fn check_files(&mut self) {
        let reports: Vec<_> = fs::read_dir(self.folder.path().join("data/reports")).unwrap().collect();
        assert!(reports.len() >= 2);
        let mut files: Vec<_> = reports.into_iter().map(|entry| entry.unwrap().path()).collect();
        files.extend(["told.txt", "explained.html"].map(|name| self.folder.path().join(name)));
        for file in files {
            self.check(&fs::read_to_string(&file).unwrap(), &file.display().to_string());
        }
    }
}

fn is_evil(c: char) -> bool {
    let is_allowed = matches!(c, '\n' | '\t');
    (c.is_control() && !is_allowed) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn no_command_prints_control_characters_of_a_site() {
    let mut tried = Tried::new();
    let crawled = tried.run(&["crawl", "--seeds", "seeds.txt"], false);
    assert!(crawled.contains("16 documents in the corpus"), "{crawled}");
    tried.run(&["crawl", "--seeds", "seeds.txt", "--set", "log.json=true"], false);
    for arguments in [
        &["hosts"][..],
        &["hosts", "--json"],
        &["urls", "--limit", "0"],
        &["urls", "--format", "jsonl"],
        &["report"],
        &["report", "--json"],
        &["report", "--list"],
        &["stats"],
        &["stats", "--json"],
        &["duplicates"],
        &["search", "story", "--limit", "0"],
        &["search", "story", "--by", "section"],
        &["duplicates", "--related", "--json"],
        &["template", "list"],
        &["template", "show", "evil.example"],
        &["template", "show", "evil.example", "--json"],
        &["template", "explain", "http://evil.example/story-1.html", "--archived", "--out", "explained.html"],
        &["verify"],
        &["seeds", "check", "--seeds", "seeds.txt"],
        &["seeds", "check", "--seeds", "seeds.txt", "--json"],
        &["reextract"],
        &["doctor", "evil.example"],
        &["doctor", "evil.example", "--json"],
        &["doctor", "evil.example", "--fetch"],
    ] {
        tried.run(arguments, false);
    }
    for path in [
        "story-1.html",
        "private",
        "closed",
        "picture",
        "coded",
        "moved",
        "away",
        "garbage",
        "header",
        "map.xml",
        "feed.xml",
    ] {
        let url = format!("http://evil.example/{path}");
        tried.run(&["doctor", &url], false);
        tried.run(&["doctor", &url, "--json", "--fetch"], false);
        tried.run(&["extract", &url], true);
    }
    tried.run(&["doctor", &format!("http://evil.example/private{EVIL}")], false);
    tried.check_files();
    assert!(tried.escaped > 10, "only {} control characters were replaced", tried.escaped);
}

#[test]
fn doctor_shows_the_rule_of_robots_txt_without_control_characters() {
    let mut tried = Tried::new();
    tried.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "1"], false);
    let told = tried.run(&["doctor", &format!("http://evil.example/private{EVIL}")], false);
    assert!(told.contains("disallowed by `") && told.contains("\\u001b[2J"), "{told}");
}

#[test]
fn the_status_page_shows_no_control_characters_of_a_site() {
    let mut tried = Tried::new();
    tried.run(&["crawl", "--seeds", "seeds.txt"], false);
    let served = Served::begin(tried.command(&["serve", "--address", "127.0.0.1:0"]));
    let found = served.page_with("/search?q=harbour", |page| page.contains("/documents/"));
    let document = document_of(&found);
    for path in
        ["/", "/hosts", "/hosts/evil.example", "/reports", "/search?q=harbour", "/duplicates", &document]
    {
        let page = served.page(path);
        tried.check(&page, path);
    }
}

#[test]
fn exported_data_is_unchanged_in_a_pipe_and_harmless_on_a_terminal() {
    let mut tried = Tried::new();
    tried.run(&["crawl", "--seeds", "seeds.txt"], false);
    let export = ["export", "--format", "csv", "--fields", "title", "--confidence", "0"];
    let piped = tried.run(&export, true);
    // The extraction already removes control characters, so the line ends of CSV show that nothing is replaced.
    assert!(piped.starts_with("title\r\n"), "{piped:?}");
    // `script` of util-linux runs a command on a terminal of its own.
    if Command::new("script").arg("--version").output().is_err() {
        println!("skipped: no script");
        return;
    }
    let mut line = format!("'{}'", env!("CARGO_BIN_EXE_gleaner"));
    for argument in export.iter().map(ToString::to_string).chain(tried.settings()) {
        let _ = write!(line, " '{argument}'");
    }
    let mut command = Command::new("script");
    command.current_dir(tried.folder.path()).args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
    let shown = String::from_utf8_lossy(&command.output().unwrap().stdout).replace('\r', "");
    tried.check(&shown, "an export on a terminal");
    assert!(shown.starts_with("title\n") && shown.contains(" story 1\n"), "{shown:?}");
}

#[test]
fn formulas_in_csv_are_guarded_where_the_option_asks_for_it() {
    let mut tried = Tried::new();
    tried.run(&["crawl", "--seeds", "seeds.txt"], false);
    let export = ["export", "--format", "csv", "--fields", "description", "--confidence", "0"];
    let unchanged = tried.run(&export, true);
    assert!(unchanged.contains("\r\n\"=HYPERLINK(\"\"http://evil.example"), "{unchanged}");
    let guarded = tried.run(&[&export[..], &["--guard-formulas"]].concat(), true);
    assert!(guarded.contains("\r\n\"'=HYPERLINK(\"\"http://evil.example"), "{guarded}");
    let refused = tried.command(&["export", "--guard-formulas"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("--guard-formulas requires --format csv"), "{said}");
}

#[test]
fn doctor_does_not_suggest_to_allow_an_address_that_a_site_named() {
    let mut tried = Tried::new();
    tried.run(&["crawl", "--seeds", "seeds.txt"], false);
    for arguments in [
        &["doctor", "http://evil.example/inside", "--fetch"][..],
        &["doctor", "http://evil.example/inside"],
        &["extract", "http://evil.example/inside"],
    ] {
        let told = tried.run(arguments, false);
        assert!(!told.contains("allow_addresses"), "{arguments:?}: {told}");
    }
    let told = tried.run(&["doctor", "http://evil.example/inside", "--fetch"], false);
    assert!(
        told.contains("it redirects to http://169.254.169.254/latest, which was not requested"),
        "{told}"
    );
    let told = tried.run(&["doctor", "http://169.254.169.254/latest", "--fetch"], false);
    assert!(told.contains("add it to fetch.allow_addresses in the settings"), "{told}");
}
