#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "each test uses a part of it"
)]
//! Generates a corpus for tests and measurements of code that reads a corpus. The documents are the same in
//! each run.

use std::path::Path;

use gleaner_corpus::{Document, DocumentId, language};
use gleaner_frontier::UrlKey;
use gleaner_store::{DuplicateLevels, PackedDocument, StoreOptions, open};

const VIETNAMESE: &str = "chợ quê họp sớm hơn thường lệ vì bà con muốn bán hết rau trước khi trời mưa người mua đến \
    từ các xã bên cạnh ai cũng mang theo giỏ tre và nói chuyện về giá lúa năm nay đã được mùa nhưng không cao";
const ENGLISH: &str = "the market opened earlier than usual this morning because growers wanted to sell their \
    vegetables before rain came and buyers from villages nearby walked along a road which was not yet dry";

/// A random number generator without a library: Knuth's linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Generates document `number`, of about 300 words. Every tenth document has a low confidence.
pub fn document(number: u64) -> Document {
    let mut numbers = Numbers(number ^ 0x5eed);
    let is_vietnamese = number.is_multiple_of(2);
    let words: Vec<&str> = if is_vietnamese { VIETNAMESE } else { ENGLISH }.split_whitespace().collect();
    let mut sentence = |length: usize| {
        let chosen: Vec<&str> = (0..length).map(|_| words[numbers.below(words.len())]).collect();
        let text = chosen.join(" ");
        let mut chars = text.chars();
        chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect::<String>()
    };
    let paragraphs: Vec<String> = (0..10)
        .map(|at| format!("{}. \"{}\" <{at}> & {}.", sentence(14), sentence(8), sentence(8)))
        .collect();
    let text = format!("{}\nSố {number}.", paragraphs.join("\n"));
    let mut id = [0; 16];
    id[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    let host = format!("site{}.example", number % 20);
    let url = format!("https://{host}/{number}?a=1&b=2");
    let fetched = format!("2026-11-{:02}T02:30:00.123456789Z", 1 + number % 20).parse().unwrap();
    Document {
        title: (!number.is_multiple_of(7)).then(|| format!("Bài \"{number}\" <thứ hai> & nữa")),
        kinds: "p".repeat(text.lines().count()),
        language_probability: Some(language(&text, None).hundredths()),
        language: language(&text, None).tag,
        published: Some("2026-11-20T09:00:00+07:00".into()),
        published_utc: Some("2026-11-20T02:00:00Z".parse().unwrap()),
        keywords: (0..number % 3).map(|n| format!("từ khóa {n}")).collect(),
        article_type: (number.is_multiple_of(4)).then(|| "opinion".to_owned()),
        paywalled: (number.is_multiple_of(2)).then_some(number.is_multiple_of(4)),
        authors: (0..number % 3).map(|n| format!("Tác giả {n}")).collect(),
        section: Some("Kinh tế".into()),
        method: "block-model".into(),
        template_version: (number.is_multiple_of(5)).then_some(3),
        confidence: Some(if number.is_multiple_of(10) { 5 } else { 95 }),
        ..Document::with_text(DocumentId(id), &url, &host, text, fetched)
    }
}

pub fn corpus(folder: &Path, documents: u64) {
    let mut writer = open(folder, &StoreOptions { cache: 64 << 20, create: true }).unwrap();
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    for begin in (0..documents).step_by(1000) {
        let mut change = writer.begin();
        for number in begin..documents.min(begin + 1000) {
            let document = document(number);
            let key = UrlKey::from_bytes(document.id.0);
            change.place(key, PackedDocument::from_document(document), &mut writer).unwrap();
        }
        writer.commit(change).unwrap();
    }
    writer.flush().unwrap();
}
