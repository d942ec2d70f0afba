//! What a document costs the store, one thread: packed, placed with its URL and outcome,
//! committed; and flushed, a hundred at a time.
//!
//! `cargo bench -p gleaner-store`. Made-up documents of some 3 KB, in a store that grows as
//! long as it runs; how the cost grows with the store is measured by `cargo bench -p gleaner
//! --bench growth`. On a shared machine only the ratio of two figures from one run means
//! anything.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_corpus::{ContentHash, Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, Found, Outcome, Role};
use gleaner_store::{Options, PackedDocument, Placement, Writer, open};
use jiff::Timestamp;

/// Documents between two flushes.
const FLUSHED: usize = 100;

const SENTENCE: &str = "The rain that fell on the valley all day ended, and the river rose by two metres, \
    the mayor of the town said on Monday.\n";

fn url(number: usize) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example/{number}")).expect("a web address")
}

fn document(number: usize) -> Document {
    let (url, text) = (url(number), format!("Story {number}\n{}", SENTENCE.repeat(25)));
    Document {
        id: DocumentId(*url.key().as_bytes()),
        url: url.as_str().into(),
        host: url.host().into(),
        title: None,
        language: "en".into(),
        fetched: Timestamp::UNIX_EPOCH,
        published: None,
        modified: None,
        kinds: String::new(),
        authors: Vec::new(),
        section: None,
        canonical: None,
        content_hash: ContentHash::of(&text),
        method: "template".into(),
        template_version: None,
        confidence: None,
        text,
    }
}

/// Finds a page and stores what it gave, as a crawl does it.
fn settle(writer: &mut Writer, number: usize) {
    const SOUND: &str = "the store is new and nobody else's";
    let (url, mut change) = (url(number), writer.begin());
    let found = Found { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(&found, 0, 0, 3).expect(SOUND);
    let packed = PackedDocument::of(document(number));
    let placement = change.place(url.key(), packed).expect(SOUND);
    let outcome = match placement {
        Placement::Stored => Outcome::Stored,
        Placement::Duplicate { of } => Outcome::Duplicate { of },
    };
    let record = change.url(url.key()).expect(SOUND).expect("it was found a moment ago");
    change.end(url.key(), record, outcome, None).expect(SOUND);
    writer.commit(change).expect(SOUND);
}

fn documents(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder for what goes away");
    let options = Options { cache: 64 << 20, create: true };
    let mut writer = open(folder.path(), &options).expect("a new folder");
    let mut group = c.benchmark_group("store");
    group.throughput(Throughput::Elements(FLUSHED as u64));
    group.sample_size(10);
    group.bench_function("pack", |b| {
        b.iter(|| (0..FLUSHED).for_each(|number| drop(black_box(PackedDocument::of(document(number))))));
    });
    let mut number = 0;
    group.bench_function("pack, settle, flush", |b| {
        b.iter(|| {
            for _ in 0..FLUSHED {
                settle(&mut writer, number);
                number += 1;
            }
            writer.flush().expect("room on the disk");
        });
    });
    group.finish();
}

criterion_group!(benches, documents);
criterion_main!(benches);
