//! Measures how fast documents are written as a stream in several formats, in one thread.
//!
//! Run it with `cargo bench -p gleaner-export`. It writes 200 made-up documents of about 3 KB to a sink. On a
//! shared machine, only the ratio of two figures from the same run is meaningful.

use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_corpus::{Document, DocumentId};
use gleaner_export::{Compression, Fields, Filter, Format, RecordContext, StreamExport};
use jiff::Timestamp;

const DOCUMENTS: usize = 200;

const SENTENCE: &str = "The rain that fell on the valley all day ended, and the river rose by two metres, \
    the mayor of the town said on Monday.\n";

fn document(number: usize) -> Document {
    let id = DocumentId(std::array::from_fn(|at| (number >> (8 * (at % 4))) as u8));
    let (url, text) =
        (format!("https://a.example/{number}"), format!("Story {number}\n{}", SENTENCE.repeat(25)));
    Document {
        title: Some(format!("Story {number}")),
        language: "en".into(),
        kinds: "p".repeat(26),
        method: "template".into(),
        template_version: Some(1),
        confidence: Some(99),
        ..Document::with_text(id, &url, "a.example", text, Timestamp::UNIX_EPOCH)
    }
}

fn formats(c: &mut Criterion) {
    let documents: Vec<Document> = (0..DOCUMENTS).map(document).collect();
    let mut group = c.benchmark_group("export");
    group.throughput(Throughput::Elements(DOCUMENTS as u64));
    group.sample_size(20);
    let formats = [
        ("json lines", "jsonl", Compression::None),
        ("json lines, zstd", "jsonl", Compression::Zstd),
        ("vertical", "vertical", Compression::None),
    ];
    for (name, format, compression) in formats {
        let format = Format { compression, ..Format::named(format).expect("a format has this name") };
        group.bench_function(name, |b| {
            b.iter(|| {
                let stream = StreamExport::new(io::sink(), format, &Fields::default(), Filter::default());
                let mut stream = stream.expect("nothing fails on nowhere");
                for document in &documents {
                    let context =
                        RecordContext { urls: vec![document.url.clone()], ..RecordContext::default() };
                    stream.write(black_box(document), &context).expect("nothing fails on nowhere");
                }
                drop(stream.finish().expect("nothing fails on nowhere"));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, formats);
criterion_main!(benches);
