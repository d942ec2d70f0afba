//! Tests crawler traps and moved sites with the real binary, over several nights.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

/// The response to a path: a status, a `Location` and a body.
struct Answer(u16, Option<String>, String);

fn page(body: String) -> Answer {
    Answer(200, None, body)
}

fn missing() -> Answer {
    Answer(404, None, "<html><body>There is no such page.</body></html>".into())
}

type Script = dyn Fn(&str, &str) -> Answer + Send + Sync;

/// A proxy on loopback that serves every host by a script, and a folder for the corpus.
struct Web {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    folder: TempDir,
}

impl Web {
    /// `script` gets the host and the path with its query.
    fn start(script: impl Fn(&str, &str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (asked, script) = (Arc::new(Mutex::new(Vec::new())), Arc::new(script));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || serve(&stream, &*script, &log));
            }
        });
        Self { address, asked, folder: TempDir::new().unwrap() }
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        let output =
            command.current_dir(self.folder.path()).args(arguments).args(["--data", "data"]).output();
        let output = output.unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Crawls a night. Returns the paths that were requested, without robots.txt and missing lists.
    fn night(&self, sets: &[&str]) -> Vec<String> {
        fs::write(self.folder.path().join("seeds.txt"), "http://paper.example/\n").unwrap();
        self.asked.lock().unwrap().clear();
        let proxy = format!("fetch.proxy=http://{}", self.address);
        let own = [&proxy, "fetch.delay=0s", "fetch.contact=test@gleaner.invalid", "crawl.linger=0s"];
        let own = own.into_iter().chain(["crawl.revisit=1ms", "crawl.max_pages_per_host=260"]);
        let sets: Vec<&str> = own.chain(sets.iter().copied()).flat_map(|set| ["--set", set]).collect();
        // Due times have whole seconds, so a run that follows at once may begin before the front page is due.
        while !self.asked.lock().unwrap().iter().any(|path| path == "/") {
            let said = self.run(&[&["crawl", "--seeds", "seeds.txt"], sets.as_slice()].concat());
            assert!(said.contains("Documents in the corpus") || said.contains("documents"), "{said}");
        }
        self.asked.lock().unwrap().clone()
    }

    /// Returns how often each title is in the corpus.
    fn titles(&self) -> BTreeMap<String, usize> {
        let mut titles = BTreeMap::new();
        let exported = self.run(&["export", "--members", "--confidence", "0"]);
        for line in exported.lines().filter(|line| line.starts_with('{')) {
            let document: serde_json::Value = serde_json::from_str(line).unwrap();
            *titles.entry(document["title"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        titles
    }
}

fn serve(stream: &TcpStream, script: &Script, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        let mut header = String::new();
        while reader.read_line(&mut header).unwrap_or_default() > 2 {
            header.clear();
        }
        let target = line.split(' ').nth(1).unwrap_or_default();
        let target = target.strip_prefix("http://").unwrap_or(target);
        let (host, path) = target.split_once('/').unwrap_or((target, ""));
        let path = format!("/{path}");
        log.lock().unwrap().push(path.clone());
        let Answer(status, location, body) =
            if path == "/robots.txt" { missing() } else { script(host, &path) };
        let location = location.map(|to| format!("Location: {to}\r\n")).unwrap_or_default();
        let answer = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: text/html; charset=utf-8\r\n{location}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = stream;
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

const WORDS: [&str; 40] = [
    "bridge",
    "harbour",
    "council",
    "orchard",
    "market",
    "railway",
    "chapel",
    "meadow",
    "cellar",
    "lantern",
    "weather",
    "village",
    "teacher",
    "garden",
    "library",
    "ferry",
    "quarry",
    "kitchen",
    "painter",
    "winter",
    "river",
    "tower",
    "baker",
    "forest",
    "island",
    "carriage",
    "museum",
    "valley",
    "doctor",
    "fountain",
    "signal",
    "butcher",
    "castle",
    "student",
    "barrel",
    "window",
    "castaway",
    "minister",
    "orchestra",
    "sailor",
];

/// Returns different words for each seed and position.
fn word(seed: usize, at: usize) -> &'static str {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9).wrapping_add(at.wrapping_mul(0x85EB_CA6B)) ^ (seed * at);
    WORDS[(mixed >> 7) % WORDS.len()]
}

fn title(story: usize) -> String {
    format!("The {} of the {} number {story} is open", word(story, 1), word(story, 2))
}

/// Returns an article with links to these addresses.
fn article(story: usize, links: &[String]) -> Answer {
    let mut paragraphs = String::new();
    for paragraph in 0..6 {
        paragraphs.push_str("<p>");
        for sentence in 0..4 {
            let w = |at: usize| word(story, 100 * paragraph + 10 * sentence + at);
            paragraphs.push_str(&format!(
                "On that morning the {} of the {} met a {} near the old {}, and nobody in the {} had expected the {} to stay. ",
                w(1), w(2), w(3), w(4), w(5), w(6)
            ));
        }
        paragraphs.push_str("</p>");
    }
    page(format!(
        "<html lang=en><head><title>{0}</title><meta property=og:type content=article></head><body>\
        <article><h1>{0}</h1>{paragraphs}</article><ul>{1}</ul></body></html>",
        title(story),
        list(links)
    ))
}

fn list(links: &[String]) -> String {
    links.iter().map(|link| format!("<li><a href=\"{link}\">About {link}</a></li>")).collect()
}

fn front(links: &[String]) -> Answer {
    page(format!(
        "<html lang=en><head><title>The paper</title></head><body><ul>{}</ul></body></html>",
        list(links)
    ))
}

fn story_path(story: usize) -> String {
    format!("/news/a-story-of-the-town-{}.html", 10_000 + story)
}

fn story_of(path: &str) -> Option<usize> {
    let number = path.split('?').next()?.strip_prefix("/news/a-story-of-the-town-")?.strip_suffix(".html")?;
    number.parse::<usize>().ok()?.checked_sub(10_000)
}

#[test]
fn a_session_id_in_an_unknown_parameter_is_noticed() {
    let (stories, sessions) = (Arc::new(AtomicUsize::new(8)), AtomicUsize::new(0));
    let published = Arc::clone(&stories);
    let web = Web::start(move |_, path| {
        let published = published.load(Ordering::SeqCst);
        let link = |story| {
            let session = sessions.fetch_add(1, Ordering::SeqCst);
            format!("{}?visitor={session:08x}", story_path(story))
        };
        let links: Vec<String> = (0..published).map(link).collect();
        match story_of(path) {
            _ if path == "/" || path.starts_with("/?") => front(&links),
            Some(story) if story < published => article(story, &links),
            _ => missing(),
        }
    });
    let asked = web.night(&[]).iter().filter(|path| story_of(path).is_some()).count();
    assert!((8..=60).contains(&asked), "{asked} requests for 8 stories");
    let expected =
        |stories: usize| -> BTreeMap<String, usize> { (0..stories).map(|it| (title(it), 1)).collect() };
    assert_eq!(web.titles(), expected(8));
    let said = web.run(&["report"]);
    assert!(said.contains("the parameter visitor is a session id"), "{said}");
    let said = web.run(&["doctor", "paper.example"]);
    assert!(said.contains("session parameter visitor"), "{said}");

    stories.store(11, Ordering::SeqCst);
    let asked = web.night(&[]).iter().filter(|path| story_of(path).is_some()).count();
    assert!((3..=6).contains(&asked), "{asked} requests for 3 new stories");
    assert_eq!(web.titles(), expected(11));
    let said = web.run(&["doctor", "paper.example"]);
    assert!(said.contains("the parameter visitor is a session id"), "{said}");
}

/// Serves 14 stories, some more in later nights, and an endless calendar without articles.
fn calendar(published: Arc<AtomicUsize>) -> Web {
    Web::start(move |_, path| {
        let published = published.load(Ordering::SeqCst);
        let mut links: Vec<String> = (0..published).map(story_path).collect();
        links.push(format!("/calendar/{}/11", 2000 + published));
        let date: Vec<u32> = path.split('/').skip(2).filter_map(|part| part.parse().ok()).collect();
        match (story_of(path), date.as_slice()) {
            _ if path == "/" => front(&links),
            (Some(story), _) if story < published => article(story, &[]),
            (None, [year, month]) if path.starts_with("/calendar/") => {
                let next = format!("/calendar/{}/{}", year + month / 12, month % 12 + 1);
                let days = (1..29).map(|day| format!("/calendar/{year}/{month}/{day}"));
                front(&days.chain([next]).collect::<Vec<_>>())
            }
            (None, [year, month, _]) => front(&[format!("/calendar/{year}/{month}")]),
            _ => missing(),
        }
    })
}

#[test]
fn an_endless_calendar_takes_only_a_small_part_of_the_budget() {
    let published = Arc::new(AtomicUsize::new(14));
    let web = calendar(Arc::clone(&published));
    let of_calendar = |asked: &[String]| asked.iter().filter(|path| path.starts_with("/calendar/")).count();
    let asked = of_calendar(&web.night(&[]));
    assert!((60..=170).contains(&asked), "{asked} requests for the calendar");
    assert_eq!(web.titles().len(), 14);
    let said = web.run(&["report"]);
    assert!(said.contains("a crawler trap: URLs such as /calendar/#/#/# gave nothing new"), "{said}");
    let said = web.run(&["doctor", "http://paper.example/calendar/2031/1/1"]);
    assert!(said.contains("crawl.skip_traps: nothing new at /calendar/#/#/#"), "{said}");

    published.store(20, Ordering::SeqCst);
    let asked = of_calendar(&web.night(&[]));
    assert!((1..=25).contains(&asked), "{asked} requests for the calendar in the second night");
    assert_eq!(web.titles().len(), 20);
    let said = web.run(&["doctor", "paper.example"]);
    assert!(said.contains("URLs such as /calendar/#/#/# gave nothing new"), "{said}");
    let asked = of_calendar(&web.night(&[]));
    assert!(asked <= 25, "{asked} requests for the calendar in the third night");
}

#[test]
fn without_the_setting_a_trap_takes_the_whole_budget() {
    let web = calendar(Arc::new(AtomicUsize::new(14)));
    let asked = web.night(&["crawl.skip_traps=false"]);
    assert!(asked.len() >= 260, "{} requests", asked.len());
    let said = web.run(&["report"]);
    assert!(!said.contains("trap"), "{said}");
}

#[test]
fn a_list_on_many_pages_is_read_to_its_end() {
    let web = Web::start(|_, path| {
        let page = path.strip_prefix("/list?page=").and_then(|page| page.parse::<usize>().ok());
        match (story_of(path), page) {
            _ if path == "/" => front(&["/list?page=1".to_owned()]),
            (Some(story), _) if story < 100 => article(story, &[]),
            (_, Some(page)) if page <= 100 => {
                front(&[story_path(page - 1), format!("/list?page={}", page + 1)])
            }
            _ => missing(),
        }
    });
    web.night(&["crawl.max_depth=200"]);
    assert_eq!(web.titles().len(), 100);
}

#[test]
fn the_new_address_of_a_moved_site_is_named() {
    let web = Web::start(|host, path| match host {
        "paper.example" => Answer(301, Some(format!("https://www.new-paper.example{path}")), String::new()),
        _ => missing(),
    });
    web.night(&[]);
    let said = web.run(&["report"]);
    assert!(said.contains("its front page redirects to https://www.new-paper.example/"), "{said}");
    assert!(said.contains("next: gleaner seeds check https://www.new-paper.example/"), "{said}");
    let said = web.run(&["doctor", "paper.example"]);
    for part in ["the site has moved, or new-paper.example needs a seed", "seeds.txt line 1"] {
        assert!(said.contains(part), "{said} lacks {part}");
    }
}
