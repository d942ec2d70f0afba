//! Measures the cost of each part of a record: `cargo run -p gleaner-archive --example record_cost --
//! PAGE...`. Each PAGE is an HTML file. Prints the means over the pages in bytes and in microseconds. The
//! time of a page is the shortest time of nine rounds.

#![allow(clippy::allow_attributes, clippy::print_stdout, clippy::unwrap_used, reason = "an example prints")]

use std::time::{Duration, Instant};

use gleaner_archive::{Capture, Digest};
use jiff::Timestamp;

const ROUNDS: usize = 9;

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

fn main() {
    let pages: Vec<Vec<u8>> = std::env::args().skip(1).map(|path| std::fs::read(path).unwrap()).collect();
    let answer = headers(&[
        ("date", "Sat, 21 Nov 2026 02:00:00 GMT"),
        ("content-type", "text/html; charset=utf-8"),
        ("content-encoding", "gzip"),
        ("cache-control", "max-age=60"),
        ("server", "nginx"),
        ("vary", "Accept-Encoding"),
    ]);
    let request = headers(&[
        ("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"),
        ("accept-language", "vi,en;q=0.8,*;q=0.5"),
        ("user-agent", "gleaner/0.1.0 (+https://example.org/crawler)"),
        ("accept-encoding", "zstd,gzip,deflate,br"),
        ("host", "news.example"),
    ]);
    let plain: u64 = pages.iter().map(|page| page.len() as u64).sum();
    show("page", plain, Duration::ZERO, pages.len());
    let part = |name: &str, work: &dyn Fn(&[u8]) -> usize| {
        let (mut bytes, mut time) = (0, Duration::ZERO);
        for page in &pages {
            let rounds = (0..ROUNDS).map(|_| {
                let begun = Instant::now();
                (work(page) as u64, begun.elapsed())
            });
            let (length, least) = rounds.min_by_key(|(_, time)| *time).unwrap();
            (bytes, time) = (bytes + length, time + least);
        }
        show(name, bytes, time, pages.len());
    };
    part("one digest", &|page| Digest::from_content(page).as_bytes().len());
    let payload = Digest::from_content(b"");
    part("response", &|page| capture(page, &answer, &[]).response(payload, 1).len());
    part("response and request", &|page| capture(page, &answer, &request).response(payload, 1).len());
}

fn capture<'a>(
    body: &'a [u8],
    headers: &'a [(String, String)],
    request: &'a [(String, String)],
) -> Capture<'a> {
    Capture {
        url: "https://news.example/world/2026/11/21/a-page-with-a-slug-of-the-usual-length-4711.html",
        at: Timestamp::UNIX_EPOCH,
        status: 200,
        headers,
        body,
        coded: None,
        is_cut: false,
        request,
        fields: &[("Gleaner-Role", "page")],
    }
}

fn show(name: &str, bytes: u64, time: Duration, pages: usize) {
    let mean = |all: f64| all / pages as f64;
    println!("{name}: {:.0} bytes, {:.0} microseconds", mean(bytes as f64), mean(time.as_secs_f64() * 1e6));
}
