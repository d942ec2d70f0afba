//! Writes a corpus of generated documents, for measuring code that reads a corpus:
//! `cargo run --release --example generated_corpus -- DIR 20000`.

#[path = "../tests/generated/mod.rs"]
mod generated;

fn main() {
    let mut words = std::env::args().skip(1);
    let (Some(folder), Some(Ok(count))) = (words.next(), words.next().map(|count| count.parse())) else {
        panic!("name a folder and a number of documents");
    };
    generated::corpus(std::path::Path::new(&folder), count);
}
