//! A scripted site behind a proxy on loopback, and functions that crawl it in this process.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gleaner_crawl::settings::Config;
use gleaner_crawl::{Clock, CrawlInput, Progress, ProgressSnapshot, StopRequest, Summary};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{CanonicalUrl, parse_seeds};
use gleaner_store::{Store, StoreOptions, open};

/// The replies by path. Request n to a path gets reply n, and later requests get the last reply. A key such
/// as `shop.site.example/path` applies only to that host. The key `*` applies to all other paths.
pub type Routes = BTreeMap<&'static str, Vec<Reply>>;

/// A response of the site.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

pub fn reply(status: u16, headers: &str, body: &str) -> Reply {
    Reply { status, headers: headers.into(), body: body.into() }
}

/// Returns an HTML page.
pub fn html(body: &str) -> Reply {
    reply(200, "Content-Type: text/html\r\n", body)
}

/// A request that the site received.
#[derive(Debug, Clone)]
pub struct Asked {
    pub host: String,
    /// The path with its query.
    pub path: String,
    /// The value of the `Cookie` header. Empty if there is none.
    pub cookie: String,
    /// Whether the request was conditional.
    pub is_conditional: bool,
    /// When the request arrived, counted from the start of the site.
    pub begun: Duration,
    /// When the request was read completely, just before the response, counted from the start of the site.
    pub ended: Duration,
}

type Script = dyn Fn(&Asked, usize) -> Reply + Send + Sync;

/// A running site that serves every host name.
pub struct Site {
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    pub fn serve(routes: Routes) -> Self {
        Self::scripted(move |asked, earlier| {
            let own = format!("{}{}", asked.host, asked.path);
            let replies = [own.as_str(), &asked.path, "*"].into_iter().find_map(|key| routes.get(key));
            replies
                .map_or_else(|| reply(404, "", ""), |replies| replies[earlier.min(replies.len() - 1)].clone())
        })
    }

    /// Serves the replies of `script`, which gets each request and the number of earlier requests for the
    /// same URL.
    pub fn scripted(script: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, script, begun) = (Arc::clone(&asked), Arc::new(script), Instant::now());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || answer(&stream, &*script, &log, begun));
            }
        });
        Self { address, asked }
    }

    /// Returns the requested paths, in order.
    pub fn asked(&self) -> Vec<String> {
        self.requests().into_iter().map(|asked| asked.path).collect()
    }

    /// Returns all requests, in order.
    pub fn requests(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Crawls `http://site.example/` until nothing is due.
    pub fn crawl(&self, folder: &Path, sets: &[&str]) -> (Summary, Store) {
        let proxy = format!("fetch.proxy=http://{}", self.address);
        crawl(folder, "http://site.example/", &[&[proxy.as_str()], sets].concat())
    }

    /// Crawls `http://site.example/` with this clock, without lingering. Returns the store.
    pub fn crawl_at(&self, folder: &Path, sets: &[&str], clock: Clock) -> Store {
        let proxy = format!("fetch.proxy=http://{}", self.address);
        let sets = [&[proxy.as_str(), "crawl.linger=0s"], sets].concat();
        crawl_with(folder, "http://site.example/", &sets, HostPins::default(), clock, |_| false).1
    }

    /// Crawls `http://site.example/` until nothing is due. Returns the last progress.
    pub fn crawl_counted(&self, folder: &Path) -> ProgressSnapshot {
        let proxy = format!("fetch.proxy=http://{}", self.address);
        let (seeds, pins, clock) = ("http://site.example/", HostPins::default(), Clock::default());
        crawl_with(folder, seeds, &[&proxy], pins, clock, |_| false).2
    }
}

/// Crawls `seeds` with short delays. The settings in `sets` take precedence.
pub fn crawl(folder: &Path, seeds: &str, sets: &[&str]) -> (Summary, Store) {
    crawl_pinned(folder, seeds, sets, HostPins::default())
}

/// Crawls like [`crawl`], with pins.
pub fn crawl_pinned(folder: &Path, seeds: &str, sets: &[&str], pins: HostPins) -> (Summary, Store) {
    let (summary, store, _) = crawl_with(folder, seeds, sets, pins, Clock::default(), |_| false);
    (summary, store)
}

/// Crawls like [`crawl`], and stops as soon as `enough` returns true.
pub fn crawl_until(
    folder: &Path,
    seeds: &str,
    sets: &[&str],
    enough: impl Fn(&Store) -> bool + Sync,
) -> (Summary, Store) {
    let (summary, store, _) = crawl_with(folder, seeds, sets, HostPins::default(), Clock::default(), enough);
    (summary, store)
}

fn crawl_with(
    folder: &Path,
    seeds: &str,
    sets: &[&str],
    pins: HostPins,
    clock: Clock,
    enough: impl Fn(&Store) -> bool + Sync,
) -> (Summary, Store, ProgressSnapshot) {
    // The tests count requests, and the sites have no tdmrep.json.
    let short = [
        "fetch.delay=1ms",
        "fetch.retries=1",
        "fetch.retry_backoff=10ms",
        "crawl.linger=3s",
        "crawl.tdmrep=false",
    ];
    let sets: Vec<String> = short.iter().chain(sets).map(ToString::to_string).collect();
    let config: Config = gleaner_crawl::settings::read(None, &sets).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let writer = open(folder, &StoreOptions { cache: 16 << 20, create: true }).unwrap();
    let store = writer.store();
    let (stop, progress) = (StopRequest::default(), Arc::new(Progress::default()));
    let start = CrawlInput {
        pins,
        stop: stop.clone(),
        progress: Arc::clone(&progress),
        clock,
        ..CrawlInput::new(config, parse_seeds(seeds, "seeds").unwrap(), writer, runtime.handle().clone())
    };
    let ended = AtomicBool::new(false);
    let summary = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Relaxed) {
                if enough(&store) {
                    stop.request();
                }
                std::thread::park_timeout(Duration::from_millis(1));
            }
        });
        let summary = gleaner_crawl::run(start);
        ended.store(true, Relaxed);
        summary
    });
    (summary.unwrap(), store, progress.snapshot())
}

/// Returns the reason of the outcome of a URL of `site.example`. Empty if no visit has ended.
pub fn ending(store: &Store, path: &str) -> String {
    let url = CanonicalUrl::parse(&format!("http://site.example{path}")).unwrap();
    let record = store.url(url.key()).unwrap();
    let record = record.unwrap_or_else(|| panic!("{path} is not known to the crawl"));
    record.last.map(|outcome| outcome.reason()).unwrap_or_default()
}

fn answer(stream: &TcpStream, script: &Script, log: &Mutex<Vec<Asked>>, begun: Instant) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while let Some(request) = lines.next() {
        let target = request.split(' ').nth(1).unwrap_or_default();
        let (host, path) = match target.split_once("://") {
            Some((_, rest)) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", target),
        };
        let (host, path, at) = (host.to_owned(), path.to_owned(), begun.elapsed());
        let mut asked =
            Asked { host, path, cookie: String::new(), is_conditional: false, begun: at, ended: at };
        for header in lines.by_ref() {
            match header.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value)) {
                Some((name, value)) if name == "cookie" => value.clone_into(&mut asked.cookie),
                Some((name, _)) => asked.is_conditional |= name.starts_with("if-"),
                None => {}
            }
            if header.is_empty() {
                break;
            }
        }
        let earlier = {
            let mut log = log.lock().unwrap();
            asked.ended = begun.elapsed();
            log.push(asked.clone());
            log.iter().filter(|other| other.path == asked.path && other.host == asked.host).count() - 1
        };
        let Reply { status, headers, body } = script(&asked, earlier);
        let answer = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = stream;
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
