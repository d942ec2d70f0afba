//! Tests WARC files of other programs: in different formats, and with incomplete pages. The pages are those
//! of the bundled newspaper, so the expected corpus is known.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::Output;
use std::time::Duration;

use crate::newspaper::Crawl;
use crate::readers::python;
use gleaner_archive::{ArchiveReader, Item, Record};
use gleaner_testkit::NewspaperOptions;

/// Returns the records of a crawl's archive, and the crawl without its corpus.
fn crawled() -> (Crawl, Vec<Record>) {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::ZERO,
    );
    crawl.to_its_end();
    let folder = crawl.folder.path().join("data/archive");
    let mut records = Vec::new();
    for file in gleaner_archive::files::names(&folder).unwrap() {
        let items = ArchiveReader::open(&folder.join(file), 0, 1 << 24).unwrap();
        records.extend(items.map(|item| match item.unwrap() {
            Item::Record(record) => record,
            Item::Damage(damage) => panic!("{damage:?}"),
        }));
    }
    (crawl, records)
}

fn is_page(record: &Record) -> bool {
    record.header.get("Gleaner-Role") == Some("page") && record.http().is_some_and(|http| http.status == 200)
}

/// Formats an uncompressed record.
fn plain(fields: &[(String, String)], block: &[u8]) -> Vec<u8> {
    let mut record = b"WARC/1.1\r\n".to_vec();
    for (name, value) in fields.iter().filter(|(name, _)| name != "Content-Length") {
        write!(record, "{name}: {value}\r\n").unwrap();
    }
    write!(record, "Content-Length: {}\r\n\r\n", block.len()).unwrap();
    [&record, block, b"\r\n\r\n"].concat()
}

fn as_it_is(record: &Record) -> Vec<u8> {
    plain(&record.header.fields, &record.block)
}

/// Converts a page to a `resource` record, which has no HTTP headers.
fn resource(record: &Record) -> Vec<u8> {
    if !is_page(record) {
        return as_it_is(record);
    }
    let http = record.http().unwrap();
    let mut fields: Vec<(String, String)> = ["WARC-Record-ID", "WARC-Target-URI", "WARC-Date"]
        .map(|name| (name.to_owned(), record.header.get(name).unwrap().to_owned()))
        .to_vec();
    fields.push(("WARC-Type".into(), "resource".into()));
    fields.push(("Content-Type".into(), http.header("content-type").unwrap_or("text/html").into()));
    plain(&fields, &http.payload(1 << 20).body)
}

fn frame(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Builds a `.warc.zst` file with a dictionary and one frame per record.
fn with_dictionary(records: &[Vec<u8>]) -> Vec<u8> {
    let dictionary = zstd::dict::from_samples(records, 32 << 10).unwrap();
    let stored = frame(&dictionary, &[]);
    let head = [&[0x5d, 0x2a, 0x4d, 0x18], &u32::try_from(stored.len()).unwrap().to_le_bytes()[..]].concat();
    let frames = records.iter().flat_map(|record| frame(record, &dictionary));
    [head, stored].concat().into_iter().chain(frames).collect()
}

fn ingest(crawl: &Crawl, name: &str, content: &[u8]) -> Output {
    drop(fs::remove_dir_all(crawl.folder.path().join("data")));
    fs::write(crawl.folder.path().join(name), content).unwrap();
    crawl.run(&["ingest", name])
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[test]
fn a_corpus_is_the_same_in_whatever_form_its_pages_come() {
    let (crawl, records) = crawled();
    let before = crawl.corpus();
    let plain: Vec<Vec<u8>> = records.iter().map(as_it_is).collect();
    let frames: Vec<Vec<u8>> = plain.iter().map(|record| frame(record, &[])).collect();
    let resources: Vec<Vec<u8>> = records.iter().map(resource).collect();
    let forms = [
        ("plain.warc", plain.concat()),
        ("records.warc.zst", frames.concat()),
        ("dictionary.warc.zst", with_dictionary(&plain)),
        ("whole.warc.zst", frame(&plain.concat(), &[])),
        ("resources.warc", resources.concat()),
    ];
    for (name, content) in forms {
        let output = ingest(&crawl, name, &content);
        assert!(output.status.success(), "{name}: {}", said(&output));
        assert_eq!(crawl.corpus(), before, "{name}");
    }
}

/// A function that makes a record incomplete, and the expected outcome of its page.
type Halving = (fn(&Record) -> Vec<u8>, &'static str);

#[test]
fn half_a_page_is_no_document() {
    let (crawl, records) = crawled();
    let before = crawl.corpus();
    let only: BTreeSet<&String> = before.values().filter(|urls| urls.len() == 1).flatten().collect();
    let halvings: [Halving; 3] = [
        (
            |record| {
                let truncated = ("WARC-Truncated".to_owned(), "disconnect".to_owned());
                let fields: Vec<_> = record.header.fields.iter().cloned().chain([truncated]).collect();
                plain(&fields, &record.block[..record.block.len() / 2])
            },
            "truncated: disconnect",
        ),
        (
            |record| plain(&record.header.fields, &record.block[..record.block.len() * 3 / 4]),
            "truncated: coding",
        ),
        (
            |record| {
                let truncated = ("WARC-Truncated".to_owned(), "length".to_owned());
                let fields: Vec<_> = record.header.fields.iter().cloned().chain([truncated]).collect();
                plain(&fields, &record.block[..record.block.len() / 2])
            },
            "truncated: length",
        ),
    ];
    let target = |record: &Record| record.header.target().unwrap_or_default().to_owned();
    let halved: BTreeSet<String> =
        records.iter().filter(|it| is_page(it) && only.contains(&target(it))).map(target).take(3).collect();
    assert_eq!(halved.len(), 3);
    for (halve, outcome) in halvings {
        let record = |record: &Record| {
            if is_page(record) && halved.contains(&target(record)) { halve(record) } else { as_it_is(record) }
        };
        let output = ingest(&crawl, "half.warc", &records.iter().flat_map(record).collect::<Vec<u8>>());
        assert!(output.status.success(), "{}", said(&output));
        let row = |line: &str| line.contains(outcome) && line.split_whitespace().any(|word| word == "3");
        assert!(said(&output).lines().any(row), "{outcome}: {}", said(&output));
        let after = crawl.corpus();
        let urls: BTreeSet<&String> = after.values().flatten().collect();
        assert!(halved.iter().all(|url| !urls.contains(url)), "{outcome}");
        assert_eq!(after.len(), before.len() - 3, "{outcome}");
        // If a file has a complete and an incomplete copy of a page, the complete copy is stored.
        fs::write(
            crawl.folder.path().join("whole.warc"),
            records.iter().flat_map(as_it_is).collect::<Vec<u8>>(),
        )
        .unwrap();
        assert!(crawl.run(&["ingest", "whole.warc"]).status.success());
        assert_eq!(crawl.corpus().len(), before.len(), "{outcome}");
    }
}

/// The Python code with which warcio rewrites the responses of an archive in several formats.
const REWRITE: &str = r#"
import glob, gzip, io, os
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

os.makedirs("warcio", exist_ok=True)
out = {name: open(f"warcio/{name}", "wb") for name in ("a.warc.gz", "b.warc")}
writers = {name: WARCWriter(file, gzip=name.endswith(".gz"), warc_version="1.0" if name == "b.warc" else "1.1") for name, file in out.items()}
for writer in writers.values():
    writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "a test"}))

def chunked(body):
    parts = [body[at:at + 1000] for at in range(0, len(body), 1000)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"

def write(writer, url, fields, status, headers, body, as_resource):
    if as_resource:
        writer.write_record(writer.create_warc_record(url, "resource", io.BytesIO(body),
            warc_content_type=headers[0][1], warc_headers_dict=fields))
        return
    response = writer.create_warc_record(url, "response", io.BytesIO(body), warc_headers_dict=fields,
        http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"))
    asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "a.example")], is_http_request=True)
    request = writer.create_warc_record(url, "request", http_headers=asked, warc_headers_dict=fields)
    writer.write_request_response_pair(request, response)
    writer.write_record(writer.create_warc_record(url, "metadata", io.BytesIO(b"via: x"),
        warc_content_type="application/warc-fields", warc_headers_dict=fields))
    writer.write_record(writer.create_revisit_record(url, response.rec_headers.get_header("WARC-Payload-Digest"),
        url, fields["WARC-Date"], http_headers=response.http_headers))

count = 0
for path in sorted(glob.glob("archive/*.warc.gz")):
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response" or record.rec_headers.get_header("Gleaner-Role") != "page":
                continue
            url = record.rec_headers.get_header("WARC-Target-URI")
            fields = {"WARC-Date": record.rec_headers.get_header("WARC-Date")}
            status, body = record.http_headers.statusline, record.content_stream().read()
            headers = [("Content-Type", record.http_headers.get_header("content-type"))]
            if record.http_headers.get_header("location"):
                headers.append(("Location", record.http_headers.get_header("location")))
            count += 1
            way = count % 4
            if way == 1:
                headers, body = headers + [("Content-Encoding", "gzip")], gzip.compress(body)
            if way in (1, 2):
                headers, body = headers + [("Transfer-Encoding", "chunked")], chunked(body)
            if way == 3:
                headers = headers + [("Content-Length", str(len(body)))]
            for writer in writers.values():
                write(writer, url, fields, status, headers, body, way == 0 and status.startswith("200"))
for file in out.values():
    file.close()
assert count > 50, count
"#;

#[test]
fn what_warcio_writes_is_taken_in() {
    let (crawl, _) = crawled();
    let before = crawl.corpus();
    let at = |name: &str| crawl.folder.path().join(name);
    fs::rename(at("data/archive"), at("archive")).unwrap();
    fs::remove_dir_all(at("data")).unwrap();
    if !python(crawl.folder.path(), &["warcio"], REWRITE) {
        return;
    }
    for name in ["a.warc.gz", "b.warc"] {
        drop(fs::remove_dir_all(at("data")));
        let output = crawl.run(&["ingest", &format!("warcio/{name}")]);
        assert!(output.status.success(), "{name}: {}", said(&output));
        assert_eq!(crawl.corpus(), before, "{name}: {}", said(&output));
    }
}
