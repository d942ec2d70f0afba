//! Crawls two sites for several nights with a simulated clock. Then one site fails, and the first finding in
//! the report of that night must name this site.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gleaner_crawl::report::text::sentence;
use gleaner_crawl::report::{Grade, Report, RunStatus, folder};
use gleaner_crawl::{Clock, CrawlInput, Summary, report};
use gleaner_frontier::parse_seeds;
use gleaner_store::{Store, StoreOptions, open};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

/// Number of new articles on each site's front page every night.
const A_NIGHT: i64 = 12;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mood {
    Publishes,
    /// Every article is behind a consent wall. The front page still links to the articles.
    Wall,
    /// The front page is a consent wall, too. Only its menu is left.
    WallEverywhere,
    /// The site closes every connection.
    Dead,
    /// The front page no longer changes.
    Stopped,
}

/// Two sites behind a proxy on loopback. Their content depends on the night.
struct Press {
    address: String,
    night: Arc<AtomicI64>,
    mood: Arc<Mutex<Mood>>,
}

impl Press {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (night, mood) = (Arc::new(AtomicI64::new(0)), Arc::new(Mutex::new(Mood::Publishes)));
        let shared = (Arc::clone(&night), Arc::clone(&mood));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (night, mood) = shared.clone();
                std::thread::spawn(move || serve(&stream, &night, &mood));
            }
        });
        Self { address, night, mood }
    }
}

fn serve(stream: &TcpStream, night: &AtomicI64, mood: &Mutex<Mood>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while let Some(request) = lines.next() {
        while lines.next().is_some_and(|header| !header.is_empty()) {}
        let url = request.split(' ').nth(1).unwrap_or_default().trim_start_matches("http://").to_owned();
        let (host, path) = url.split_once('/').unwrap_or((&url, ""));
        let mood = if host == "b.example" { *mood.lock().unwrap() } else { Mood::Publishes };
        if mood == Mood::Dead {
            return;
        }
        let today = if mood == Mood::Stopped { 0 } else { night.load(Relaxed) };
        let (status, body) = match path {
            "" if mood == Mood::WallEverywhere => (200, format!("{WALL}<a href='/about'>About</a>")),
            "" => (200, front(today)),
            _ if !path.starts_with("night") => (404, String::new()),
            _ if mood == Mood::Wall => (200, WALL.to_owned()),
            _ => (200, article(&url)),
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = stream;
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

const WALL: &str = "<html><head><title>We value your privacy</title></head><body><h1>We value your privacy</h1>\
    <p>We and our partners use personal data. Manage consent or withdraw your consent at any time.</p>\
    <button>Accept all</button><button>Privacy settings</button></body></html>";

fn front(night: i64) -> String {
    let mut html = String::from("<html><head><title>News</title></head><body><ul>");
    for number in 0..A_NIGHT {
        let _ = write!(
            html,
            "<li><a href='/night{night}/story-number-{number}-of-the-night'>Story {number}</a></li>"
        );
    }
    html + "</ul></body></html>"
}

const WORDS: [&str; 40] = [
    "river",
    "council",
    "market",
    "bridge",
    "teacher",
    "garden",
    "harbour",
    "winter",
    "railway",
    "village",
    "doctor",
    "library",
    "mountain",
    "station",
    "festival",
    "factory",
    "forest",
    "museum",
    "hospital",
    "island",
    "captain",
    "theatre",
    "village",
    "painter",
    "storm",
    "farmer",
    "school",
    "window",
    "letter",
    "summer",
    "orchestra",
    "minister",
    "valley",
    "kitchen",
    "lantern",
    "ferry",
    "engine",
    "harvest",
    "bakery",
    "tunnel",
];

/// Returns an article whose words depend only on its URL.
fn article(url: &str) -> String {
    let mut seed = url.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[(seed >> 33) as usize % WORDS.len()]
    };
    let mut paragraphs = String::new();
    for _ in 0..6 {
        let sentences: Vec<String> = (0..3)
            .map(|_| {
                let (a, b, c, d, e) = (word(), word(), word(), word(), word());
                format!("The {a} near the {b} was seen by the {c}, who said that the {d} had been closed since the {e} was built.")
            })
            .collect();
        let _ = write!(paragraphs, "<p>{}</p>", sentences.join(" "));
    }
    let title = format!("The {} and the {}", word(), word());
    format!(
        "<html><head><title>{title}</title><meta property='og:type' content='article'>\
         <meta property='article:published_time' content='2026-11-10T08:00:00Z'></head><body>\
         <nav><a href='/'>Front page</a></nav><article><h1>{title}</h1>{paragraphs}</article>\
         <footer><p>All rights reserved.</p></footer></body></html>"
    )
}

/// A corpus that is crawled every night.
struct Timetable {
    press: Press,
    folder: TempDir,
    store: Store,
    runtime: tokio::runtime::Runtime,
    config: gleaner_crawl::settings::Config,
}

impl Timetable {
    fn begin() -> Self {
        let (press, folder) = (Press::start(), TempDir::new().unwrap());
        let proxy = format!("fetch.proxy=http://{}", press.address);
        let sets = [
            proxy.as_str(),
            "fetch.delay=0ms",
            "fetch.retries=0",
            "crawl.linger=0s",
            "template.prepare_pages=10",
            // The stories consist of similar sentences, so they would count as near-duplicates.
            "corpus.duplicates=[\"exact\"]",
            "store.min_free_disk=1MiB",
        ];
        let config = gleaner_crawl::settings::read(None, &sets.map(String::from)).unwrap();
        let store = open(folder.path(), &StoreOptions { cache: 16 << 20, create: true }).unwrap().store();
        Self { press, folder, store, runtime: tokio::runtime::Runtime::new().unwrap(), config }
    }

    /// Crawls one night with a new writer. The store stays open between nights.
    fn night(&self, number: i64) -> (Summary, Report) {
        self.press.night.store(number, Relaxed);
        let begun = Instant::now();
        let first: Timestamp = "2026-11-02T19:00:00Z".parse().unwrap();
        let clock = Clock::from_fn(move || {
            let passed = SignedDuration::try_from(begun.elapsed()).unwrap();
            first + SignedDuration::from_hours(24 * number) + passed
        });
        let crawled = gleaner_crawl::run(CrawlInput {
            clock: clock.clone(),
            ..CrawlInput::new(
                self.config.clone(),
                parse_seeds("http://a.example/\nhttp://b.example/", "seeds").unwrap(),
                self.store.writer().unwrap().unwrap(),
                self.runtime.handle().clone(),
            )
        });
        let report = report::build(&self.store, &self.config, &crawled, clock.now()).unwrap().unwrap();
        (crawled.unwrap(), report)
    }

    /// Crawls five ordinary nights, then a night in which the second site behaves as `mood`. Returns the last
    /// report.
    fn format_time(&self, mood: Mood) -> Report {
        for number in 0..5 {
            let (_, report) = self.night(number);
            assert_eq!(report.status, RunStatus::Fine, "night {number}: {:?}", report.findings);
            let new: Vec<u64> = report.hosts.iter().map(|host| host.figures.new).collect();
            assert_eq!(new, [A_NIGHT.unsigned_abs(); 2], "night {number}: {:?}", report.hosts);
        }
        *self.press.mood.lock().unwrap() = mood;
        self.night(5).1
    }
}

fn first(report: &Report) -> String {
    assert_eq!(report.status, RunStatus::Unusual, "{:?}", report.findings);
    assert_eq!(report.findings[0].grade, Grade::Unusual);
    assert!(report.findings.iter().all(|finding| finding.host.as_deref() == Some("b.example")));
    sentence(&report.findings[0])
}

#[test]
fn a_site_behind_a_wall_is_reported_the_same_night() {
    let nights = Timetable::begin();
    let report = nights.format_time(Mood::Wall);
    assert_eq!(
        first(&report),
        "b.example: 0 new, usually 12: 100% of pages: consent dialogs instead of articles (not_article: consent_wall)"
    );
    let written = folder::write(&folder::reports_folder(nights.folder.path()), &report, 400).unwrap();
    assert_eq!(folder::read(&written.json).unwrap(), report);
    let page = std::fs::read_to_string(written.html).unwrap();
    assert!(page.contains("b.example: 0 new, usually 12"), "{page}");
}

#[test]
fn a_wall_in_place_of_the_front_page_is_reported_the_same_night_and_read_again_in_the_next() {
    let nights = Timetable::begin();
    let said = first(&nights.format_time(Mood::WallEverywhere));
    assert_eq!(
        said,
        "b.example: 0 new, usually 12: consent dialogs instead of articles (not_article: consent_wall), URLs: 1"
    );
    *nights.press.mood.lock().unwrap() = Mood::Publishes;
    let (_, report) = nights.night(6);
    assert_eq!(report.status, RunStatus::Fine, "{:?}", report.findings);
}

#[test]
fn a_site_that_is_gone_is_reported_the_same_night_and_no_more_when_it_is_back() {
    let nights = Timetable::begin();
    let report = nights.format_time(Mood::Dead);
    let said = first(&report);
    // If the robots.txt is more than a day old, its failure is reported, otherwise that of the front page.
    let is_said =
        ["not crawled: robots.txt", "cannot be reached: "].iter().any(|partition| said.contains(partition));
    assert!(is_said, "{said}");
    *nights.press.mood.lock().unwrap() = Mood::Publishes;
    let (_, report) = nights.night(6);
    assert_eq!(report.status, RunStatus::Fine, "{:?}", report.findings);
}

#[test]
fn a_site_that_stands_still_is_reported_the_same_night() {
    let report = Timetable::begin().format_time(Mood::Stopped);
    let said = "b.example: 0 new, usually 12: front pages, sections, feeds and sitemaps name nothing new (read: 1; other URLs requested: 0)";
    assert_eq!(first(&report), said);
}
