//! Runs a newspaper as a separate process that several crawlers can use: `newspaper HOSTS ARTICLES`. In
//! addition to the two papers, it serves HOSTS generated papers with ARTICLES articles each, so that every
//! worker has hosts to crawl.
//!
//! The process prints three blocks, each followed by an empty line. The first block is its address, which
//! clients use as HTTP proxy. The second contains the seeds. The third has one line for each document that a
//! correct crawl stores. The line contains all addresses of the document. Then the process serves until it is
//! killed.

use std::io::{self, Write};
use std::time::Duration;

use gleaner_testkit::{GeneratedPapers, Newspaper, NewspaperOptions};

/// The delay between a request and its response.
const LATENCY: Duration = Duration::from_millis(5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(hosts), Some(articles)) = (words.next(), words.next()) else {
        return Err("newspaper HOSTS ARTICLES".into());
    };
    let articles = articles.parse()?;
    let generated =
        GeneratedPapers { hosts: hosts.parse()?, articles, listed: articles, wire: 0, redirected: 0 };
    let options = NewspaperOptions {
        faults: false,
        latency: LATENCY,
        generated: Some(generated),
        ..NewspaperOptions::default()
    };
    let newspaper = Newspaper::start_in_background(options)?;
    let mut seeds = generated.seeds();
    let documents = documents(&newspaper, &generated);
    seeds.extend(Newspaper::seeds().map(str::to_owned));
    let mut out = io::stdout().lock();
    for block in [vec![newspaper.proxy()], seeds, documents] {
        writeln!(out, "{}\n", block.join("\n"))?;
    }
    out.flush()?;
    loop {
        std::thread::park();
    }
}

fn documents(newspaper: &Newspaper, generated: &GeneratedPapers) -> Vec<String> {
    let of_paper = |seed: String| {
        let front = seed.trim_end_matches('/').to_owned();
        generated.article_paths().map(move |path| format!("{front}{path}"))
    };
    let generated = generated.seeds().into_iter().flat_map(of_paper);
    let written = newspaper.expected().into_iter().map(|article| article.urls.join(" "));
    let copied = newspaper.wire_copies().into_iter().map(|(copy, _)| copy);
    generated.chain(written).chain(copied).collect()
}
