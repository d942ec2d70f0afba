//! Measures, on one thread, the work that turns a text into a document: language, hash, words, quality.
//!
//! Run with `cargo bench -p gleaner-corpus --bench texts`. The inputs are a generated text of about 3 KB in
//! English and one in Vietnamese. On a shared machine, only the ratio of two figures from the same run is
//! meaningful.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_corpus::{ContentHash, Quality, language, words};

const ENGLISH: &str = "The rain that fell on the valley all day ended, and the river rose by two metres, \
    the mayor of the town said on Monday.\n";
const VIETNAMESE: &str = "Cơn mưa đổ xuống thung lũng suốt ngày đã tạnh, nước sông dâng thêm hai mét, \
    chủ tịch thị trấn cho biết hôm thứ Hai.\n";

fn texts(c: &mut Criterion) {
    for (code, sentence) in [("en", ENGLISH), ("vi", VIETNAMESE)] {
        let text = sentence.repeat(25);
        let mut group = c.benchmark_group(code);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("language", |b| b.iter(|| language(black_box(&text), None)));
        group.bench_function("content hash", |b| b.iter(|| ContentHash::from_text(black_box(&text))));
        group.bench_function("words", |b| b.iter(|| words(black_box(&text))));
        group.bench_function("quality", |b| b.iter(|| Quality::new(black_box(&text), code)));
        group.finish();
    }
}

criterion_group!(benches, texts);
criterion_main!(benches);
