//! Writes a response and its request to a WARC file, and reads the file again.
//!
//! `cargo run -p gleaner-archive --example warc_file`

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_archive::files::{self, ArchiveOptions};
use gleaner_archive::{Archive, ArchiveReader, Capture, Item};
use jiff::Timestamp;

const LIMIT: usize = 16 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let info = vec![("software".into(), "an example".into())];
    let options = ArchiveOptions { rotate: 1 << 30, level: 6, info, of_changes: Vec::new() };
    let mut archive = Archive::open(folder.path(), options, None)?;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let capture = Capture {
        url: "https://paper.example/rain.html",
        at: Timestamp::now(),
        status: 200,
        headers: &[pair("content-type", "text/html; charset=utf-8")],
        body: b"<h1>Rain ends</h1>",
        coded: None,
        is_cut: false,
        request: &[pair("user-agent", "gleaner/0.1.0")],
        fields: &[],
    };
    let place = archive.append(&capture.response(capture.digests().payload, 6), capture.at)?;
    archive.sync()?;
    println!("the response is in {} at offset {}", place.file, place.offset);

    for name in files::names(folder.path())? {
        for item in ArchiveReader::open(&folder.path().join(name), 0, LIMIT)? {
            match item? {
                Item::Record(record) => {
                    record.check()?;
                    let status = record.http().map(|http| http.status);
                    println!("{:?} {:?}, status {status:?}", record.header.kind(), record.header.target());
                }
                Item::Damage(damage) => println!("damaged at {}: {}", damage.offset, damage.reason),
            }
        }
    }
    Ok(())
}
