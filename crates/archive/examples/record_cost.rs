//! What a record costs, part by part: `cargo run -p gleaner-archive --example record_cost -- PAGE...`
//! with files of HTML. Prints the mean of the pages, in bytes and in microseconds of the
//! fastest of five rounds.

#![allow(clippy::allow_attributes, clippy::print_stdout, clippy::unwrap_used, reason = "an example prints")]

use std::time::{Duration, Instant};

use gleaner_archive::{Capture, Digest};
use jiff::Timestamp;

const ROUNDS: usize = 5;

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
    let capture = |body, request| Capture {
        url: "https://news.example/world/2026/11/21/a-page-with-a-slug-of-the-usual-length-4711.html",
        at: Timestamp::UNIX_EPOCH,
        status: 200,
        headers: &answer,
        body,
        is_cut: false,
        request,
        fields: &[("Gleaner-Role", "page")],
    };
    let plain: u64 = pages.iter().map(|page| page.len() as u64).sum();
    show("page", plain, Duration::ZERO, pages.len());
    let part = |name: &str, work: &dyn Fn(&[u8]) -> usize| {
        let (mut bytes, mut least) = (0, Duration::MAX);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            bytes = pages.iter().map(|page| work(page) as u64).sum();
            least = least.min(begun.elapsed());
        }
        show(name, bytes, least, pages.len());
    };
    part("one digest", &|page| usize::from(Digest::of(page).as_bytes()[0] == 0));
    let payload = Digest::of(b"");
    part("response", &|page| capture(page, &[]).response(payload, 1).len());
    part("response and request", &|page| capture(page, &request).response(payload, 1).len());
}

fn show(name: &str, bytes: u64, time: Duration, pages: usize) {
    let mean = |all: f64| all / pages as f64;
    println!("{name}: {:.0} bytes, {:.0} microseconds", mean(bytes as f64), mean(time.as_secs_f64() * 1e6));
}
