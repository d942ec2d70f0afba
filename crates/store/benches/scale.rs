//! Measures the cost of many URLs in PostgreSQL: `cargo bench -p gleaner-store --bench scale [URLS]`.
//!
//! The bench starts a PostgreSQL server on loopback. One worker has all partitions. It adds URLs of 2,000
//! hosts, 50 URLs per change, and flushes the store after every 200 changes. Whenever the number of URLs has
//! grown tenfold, the bench measures the size of the table `urls` with its indexes, after a VACUUM. It then
//! chooses hosts in a scattered order. For each host, it looks up the next URL to request, and ends the visit
//! of this URL, as a crawl does. Between these visits, it times two look-ups of URLs that do not exist. Most
//! of that time is the round trip to the server, which varies from minute to minute but does not depend on
//! the number of URLs.
//!
//! Without an argument, the bench adds 100,000 URLs, as `.ci/run` does. docs/scale.md has results for
//! 10,000,000.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::objects::{Objects, StorageOptions};
use gleaner_store::{QueuePosition, WorkerParams, Writer, join};
use gleaner_testkit::postgres::Postgres;

/// Number of hosts. Each host has its own domain.
const HOSTS: usize = 2_000;
const FOUND: usize = 50;
/// Number of changes between two flushes, as in the default of `store.flush_pages`.
const FLUSH: usize = 200;
const HANDED: usize = 2_000;

fn main() {
    let urls = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(100_000);
    let Some(server) = Postgres::start(&["fsync=off", "max_wal_size=8GB", "shared_buffers=512MB"]) else {
        return;
    };
    let address = server.database();
    let folder = tempfile::TempDir::new().unwrap();
    let mut writer = worker(&folder, &address);
    println!(
        "{:>10} {:>10} {:>13} {:>14} {:>22} {:>12}",
        "URLs", "found/s", "hand out, us", "90% below, us", "two empty answers, us", "bytes a URL"
    );
    let (mut found, mut next, mut begun) = (0, urls.min(10_000), Instant::now());
    while found < urls {
        let loaded = found;
        while found < next {
            for _ in 0..FLUSH {
                discover(&mut writer, found);
                found += FOUND;
            }
            writer.flush().unwrap();
        }
        let rate = (found - loaded) as f64 / begun.elapsed().as_secs_f64();
        let _ = server.query(&address, "VACUUM ANALYZE urls");
        let size = "SELECT pg_total_relation_size('urls')";
        let bytes: f64 = server.query(&address, size).parse().unwrap();
        let (handing, empty) = hand_out(&mut writer, found);
        let (median, most, least) = (share(&handing, 5), share(&handing, 9), share(&empty, 5));
        let each = bytes / found as f64;
        println!("{found:>10} {rate:>10.0} {median:>13.0} {most:>14.0} {least:>22.0} {each:>12.0}");
        next = (10 * next).min(urls.max(1));
        begun = Instant::now();
    }
}

fn worker(folder: &tempfile::TempDir, address: &str) -> Writer {
    let objects = folder.path().join("objects");
    let membership = WorkerParams {
        address: address.to_owned(),
        objects: Objects::open(objects.to_str().unwrap(), StorageOptions::default()).unwrap(),
        name: "scale".into(),
        lease: Duration::from_secs(600),
        patience: Duration::from_secs(60),
        should_stop: Arc::new(|| false),
        settings: std::collections::BTreeMap::new(),
        waits: false,
    };
    let writer = join(&folder.path().join("data"), &membership).unwrap();
    let _told = writer.store().leases().unwrap().gained();
    writer
}

/// Returns a URL of about 80 bytes, like the URLs of a news site.
fn url(number: usize) -> CanonicalUrl {
    let (host, page) = (number % HOSTS, number / HOSTS);
    let text =
        format!("https://www.paper-{host}.example/society/a-story-of-some-length-about-things-{page}.html");
    CanonicalUrl::parse(&text).unwrap()
}

fn discover(writer: &mut Writer, first: usize) {
    let mut change = writer.begin();
    let urls: Vec<CanonicalUrl> = (first..first + FOUND).map(url).collect();
    change.read_urls_ahead(urls.iter().map(CanonicalUrl::key)).unwrap();
    for url in urls {
        let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
        change.discover(None, &found, 1, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
    }
    writer.commit(change).unwrap();
}

/// Returns the times to look up a host's next URL, and the times to look up two URLs that do not exist. The
/// times are in microseconds and sorted. Ends the visit of each URL, so that the next look-up of its host
/// finds a different URL.
fn hand_out(writer: &mut Writer, found: usize) -> (Vec<f64>, Vec<f64>) {
    let store = writer.store();
    let (mut handing, mut empty) = (Vec::new(), Vec::new());
    for draw in 0..HANDED.min(found / 2) {
        let name = format!("www.paper-{}.example", draw * 7_919 % HOSTS);
        let Some(host) = store.host(&name).unwrap() else { continue };
        let begun = Instant::now();
        let Some((key, record)) = store.next_ready(host.id).unwrap() else { continue };
        handing.push(begun.elapsed().as_secs_f64() * 1e6);
        let begun = Instant::now();
        for page in [draw, draw + 1] {
            assert!(store.url(url(usize::MAX - page).key()).unwrap().is_none());
        }
        empty.push(begun.elapsed().as_secs_f64() * 1e6);
        let mut change = writer.begin();
        change.end(key, record, Outcome::Stored, None).unwrap();
        writer.commit(change).unwrap();
        if draw % FLUSH == 0 {
            writer.flush().unwrap();
        }
    }
    writer.flush().unwrap();
    handing.sort_by(f64::total_cmp);
    empty.sort_by(f64::total_cmp);
    (handing, empty)
}

fn share(sorted: &[f64], tenths: usize) -> f64 {
    sorted[sorted.len() * tenths / 10]
}
