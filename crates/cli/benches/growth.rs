//! Measures the cost of a page while the corpus grows: `cargo bench -p gleaner --bench growth [DOCUMENTS]`.
//!
//! The bench fills one store through the store's interface, without the network, in three stages: 5,000
//! documents and 100,000 waiting URLs; 500,000 and 100,000; 500,000 and 1,000,000. Without `GLEANER_LOAD`,
//! all numbers are divided by ten. With DOCUMENTS, there are two stages, of 5,000 and DOCUMENTS documents,
//! each with 100,000 waiting URLs. At each stage, the bench stores further documents one by one, as in a
//! crawl, and copies the store to new files, as at the end of a crawl. Then the real binary crawls one page, to measure
//! its start, without and with the file of the index of near-duplicates, and after that 100 pages of each of 40
//! papers in the store. The bench prints the processor time per page, with and without the start, the
//! peak memory, and the size of the store.
//!
//! Limitation: the texts consist of random words, which compress worse than natural language. While the bench
//! fills the store, it commits several changes at once, whereas a crawl commits them one by one.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring"
)]

#[path = "../tests/measured/mod.rs"]
mod measured;
#[path = "../tests/newspaper/mod.rs"]
mod newspaper;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::{Change, DuplicateLevels, PackedDocument, QueuePosition, Writer, open};
use gleaner_testkit::{GeneratedPapers, NewspaperOptions};
use jiff::Timestamp;
use measured::{own_processor, to_end};
use newspaper::Crawl;

/// Number of papers in the store.
const HOSTS: usize = 200;
/// Number of papers that are crawled at each stage. Each stage crawls different papers.
const CRAWLED: usize = 40;
/// Number of pages that are crawled per paper.
const PAGES: usize = 100;
/// Number of documents that are stored one by one.
const SETTLED: usize = 2_000;
/// Number of pages between two flushes, while the store is filled and during the crawl.
const FLUSH: usize = 200;
/// Number of URLs or documents per commit while the store is filled.
const AT_ONCE: usize = 100;

struct Filling {
    papers: Vec<CanonicalUrl>,
    /// Number of URLs added so far, from each paper in turn.
    found: usize,
    /// Number of URLs that have a document. These are the URLs that were added first.
    settled: usize,
}

impl Filling {
    fn url(&self, number: usize) -> CanonicalUrl {
        let path = GeneratedPapers::article_path(number / HOSTS);
        self.papers[number % HOSTS].join(&path).unwrap()
    }

    fn find(&mut self, change: &mut Change) {
        let found = FoundUrl { url: self.url(self.found), role: Role::Page, dated: None, news: false };
        change.discover(None, &found, 1, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
        self.found += 1;
    }

    fn settle(&mut self, change: &mut Change, writer: &mut Writer) {
        let url = self.url(self.settled);
        let record = change.url(url.key()).unwrap().unwrap();
        let document = document(&url, self.settled);
        change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
        // These requests count for run 0, so that they do not use up the page limit of a host in a real run.
        change.count(0, url.host(), |counts| counts.fetched += 1).unwrap();
        change.end(url.key(), record, Outcome::Stored, None).unwrap();
        self.settled += 1;
    }

    /// Adds URLs up to a total of `documents + waiting`, and documents up to a total of `documents -
    /// SETTLED`.
    fn to(&mut self, writer: &mut Writer, documents: usize, waiting: usize) {
        while self.found < documents + waiting {
            let mut change = writer.begin();
            (0..AT_ONCE).for_each(|_| self.find(&mut change));
            writer.commit(change).unwrap();
        }
        while self.settled + SETTLED < documents {
            let mut change = writer.begin();
            (0..AT_ONCE).for_each(|_| self.settle(&mut change, writer));
            writer.commit(change).unwrap();
            if self.settled.is_multiple_of(10 * AT_ONCE) {
                writer.flush().unwrap();
            }
        }
        writer.flush().unwrap();
    }

    /// Stores further documents one by one, and prints the cost of a document.
    fn one_by_one(&mut self, writer: &mut Writer) {
        let (wall, processor, before) = (Instant::now(), own_processor(), self.settled);
        while self.settled < before + SETTLED {
            let mut change = writer.begin();
            self.settle(&mut change, writer);
            writer.commit(change).unwrap();
            if self.settled.is_multiple_of(FLUSH) {
                writer.flush().unwrap();
            }
        }
        let count = (self.settled - before) as f64;
        let wall = 1e6 * wall.elapsed().as_secs_f64() / count;
        let processor = own_processor().zip(processor).map(|(after, before)| 1e6 * (after - before) / count);
        println!(
            "  settling: {:.0} us of processor time per document, {wall:.0} us wall",
            processor.unwrap_or(f64::NAN)
        );
    }
}

fn document(url: &CanonicalUrl, number: usize) -> Document {
    let id = DocumentId(*url.key().as_bytes());
    Document {
        title: Some(format!("The title of story {number}")),
        language: "en".into(),
        published: Some("2026-11-20T08:00:00Z".into()),
        kinds: "p".into(),
        authors: vec!["A. Writer".into()],
        method: "detection".into(),
        template_version: Some(1),
        confidence: Some(90),
        ..Document::with_text(
            id,
            url.as_str(),
            url.host(),
            GeneratedPapers::text(number),
            Timestamp::UNIX_EPOCH,
        )
    }
}

/// Crawls some papers of the store with the real binary, and prints the cost of a page.
fn crawl(crawl: &Crawl, generated: &GeneratedPapers, stage: usize) {
    let seeds = generated.seeds()[stage * CRAWLED..][..CRAWLED].join("\n");
    fs::write(crawl.folder.path().join("seeds.txt"), seeds).unwrap();
    let run = |pages: usize| {
        let mut command = crawl.command(&["crawl", "--seeds", "seeds.txt"]);
        command.args(["--set", &format!("crawl.max_pages={pages}")]);
        command.args(["--set", &format!("crawl.max_pages_per_host={PAGES}")]);
        command.args(["--set", "crawl.linger=0s", "--set", &format!("store.flush_pages={FLUSH}")]);
        let before = crawl.newspaper.request_count();
        let measured = to_end(command);
        (measured, crawl.newspaper.request_count() - before)
    };
    let _ = fs::remove_dir_all(crawl.folder.path().join("data/sled/near"));
    let (without, _) = run(1);
    println!("  starting without the file of the index: {}", without.a_page(1));
    let (mut start, _) = run(1);
    println!("  starting: {}", start.a_page(1));
    let (mut measured, requests) = run(0);
    println!("  crawling: {}", measured.a_page(requests));
    if let (Some(all), Some(start)) = (&mut measured.processor, &mut start.processor) {
        *all -= *start;
    }
    println!("  without the start: {}", measured.a_page(requests));
}

fn opened(folder: &Path) -> Writer {
    let start = Instant::now();
    let writer =
        open(&folder.join("data"), &gleaner_store::StoreOptions { cache: 64 << 20, create: true }).unwrap();
    println!("  opened in {:.1} s", start.elapsed().as_secs_f64());
    writer
}

/// Copies the store to new files, and prints its size.
fn copy(folder: &Path, documents: usize) {
    let start = Instant::now();
    let copied = gleaner_store::shrink(&folder.join("data"), 64 << 20, 0, &|_| ()).unwrap();
    let each = |bytes: u64| bytes / documents as u64;
    match copied {
        Some(copied) => println!(
            "  copied in {:.1} s: {} bytes for each document, before {}",
            start.elapsed().as_secs_f64(),
            each(copied.after),
            each(copied.before)
        ),
        None => println!("  not copied"),
    }
}

fn main() {
    let scale = if std::env::var_os("GLEANER_LOAD").is_some() { 1 } else { 10 };
    let asked: Option<usize> = std::env::args().nth(1).and_then(|number| number.parse().ok());
    let stages = match asked {
        Some(documents) => vec![(5_000, 100_000), (documents, 100_000)],
        None => [(5_000, 100_000), (500_000, 100_000), (500_000, 1_000_000)]
            .map(|(documents, waiting)| (documents / scale, waiting / scale))
            .to_vec(),
    };
    let articles =
        stages.iter().map(|(documents, waiting)| documents + waiting).max().unwrap() / HOSTS + PAGES;
    let generated = GeneratedPapers { hosts: HOSTS, articles, listed: 0, wire: 0, redirected: 0 };
    let server = Crawl::with_options(
        NewspaperOptions { generated: Some(generated), ..NewspaperOptions::default() },
        Duration::ZERO,
    );
    let papers = generated.seeds().iter().map(|seed| CanonicalUrl::parse(seed).unwrap()).collect();
    let mut filling = Filling { papers, found: 0, settled: 0 };
    for (stage, (documents, waiting)) in stages.into_iter().enumerate() {
        println!("{documents} documents, {waiting} URLs waiting");
        let mut writer = opened(server.folder.path());
        writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
        filling.to(&mut writer, documents, waiting);
        filling.one_by_one(&mut writer);
        drop(writer);
        copy(server.folder.path(), documents);
        crawl(&server, &generated, stage);
    }
}
