//! Reads the archive of a crawl with two independent libraries: fastwarc, and warcio, which pywb uses. Both
//! must find the same records as our own reader, with correct digests of block and payload. Each response
//! must be followed by its request.

use std::fs;
use std::time::Duration;

use crate::newspaper::Crawl;
use crate::readers::python;
use gleaner_archive::{ArchiveReader, Item};
use gleaner_testkit::NewspaperOptions;

/// Maximum number of runs until a run finds unchanged pages. Due times are in whole seconds, and a run takes
/// less than a second.
const RUNS: usize = 30;

/// Crawls until front pages and feeds are requested again and archived as revisit records. Returns the crawl
/// and the numbers of records and revisit records.
fn crawled_again() -> (Crawl, usize, usize) {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::ZERO,
    );
    for _ in 0..RUNS {
        let output = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", "crawl.revisit=1ms"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (records, revisits) = write_expected(&crawl);
        if revisits > 0 {
            return (crawl, records, revisits);
        }
    }
    panic!("no page was asked again in {RUNS} runs");
}

/// Writes the records that our own reader finds into `expected.jsonl`, one JSON array per record. Returns the
/// numbers of records and revisit records.
fn write_expected(crawl: &Crawl) -> (usize, usize) {
    let folder = crawl.folder.path().join("data/archive");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut lines = String::new();
    let (mut records, mut revisits) = (0, 0);
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        for item in ArchiveReader::open(file, 0, 1 << 24).unwrap() {
            let Item::Record(record) = item.unwrap() else { panic!("{name} is damaged") };
            let field = |name: &str| record.header.get(name);
            let row = serde_json::json!([
                name,
                record.offset,
                field("WARC-Type"),
                field("WARC-Target-URI"),
                field("WARC-Payload-Digest"),
                field("WARC-Refers-To-Target-URI"),
                field("WARC-Refers-To-Date"),
                field("WARC-Date"),
                field("WARC-Record-ID"),
                field("WARC-Concurrent-To"),
                field("WARC-Block-Digest"),
            ]);
            lines += &format!("{row}\n");
            records += 1;
            revisits += usize::from(field("WARC-Type") == Some("revisit"));
        }
    }
    fs::write(crawl.folder.path().join("expected.jsonl"), lines).unwrap();
    (records, revisits)
}

/// The Python code that compares the expected records with the records that each library reads.
const CHECK: &str = r#"
import glob, json, os
NAMES = ["WARC-Type", "WARC-Target-URI", "WARC-Payload-Digest", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date", "WARC-Date", "WARC-Record-ID", "WARC-Concurrent-To", "WARC-Block-Digest"]
files = sorted(glob.glob("data/archive/*.warc.gz"))
expected = [json.loads(line) for line in open("expected.jsonl", encoding="utf-8")]

def check(rows, bodies, agents):
    assert rows == expected, [pair for pair in zip(rows, expected) if pair[0] != pair[1]][:3]
    # A revisit names the response that has its body, by URI, time and digest.
    responses = {(row[3], row[7]): row[4] for row in rows if row[2] == "response"}
    revisits = [row for row in rows if row[2] == "revisit"]
    assert revisits
    for row in revisits:
        assert responses[(row[5], row[6])] == row[4], row
        assert row[3] == row[5], row
    assert all(row[10] for row in rows)
    # Each answer is followed by its request, and each names the other. A 404 has no request.
    answers = [at for at, row in enumerate(rows) if row[2] in ("response", "revisit")]
    changes = [row for row in rows if row[2] == "metadata"]
    assert changes
    requested = [at for at in answers if rows[at][9]]
    assert 10 < len(requested) < len(answers)
    assert len(rows) == len(answers) + len(requested) + len(changes) + len(files), (len(rows), len(answers), len(changes))
    for at in requested:
        answer, request = rows[at], rows[at + 1]
        assert request[2] == "request" and request[3] == answer[3] and request[7] == answer[7], (answer, request)
        assert answer[9] == request[8] and request[9] == answer[8], (answer, request)
    assert len(agents) == len(requested) and all(agent.startswith("gleaner/") for agent in agents), agents[:3]
    assert any("họp sớm".encode() in body or b"market" in body for body in bodies)
"#;

#[test]
fn warcio_and_fastwarc_read_the_archive() {
    let (crawl, records, revisits) = crawled_again();
    assert!(records > 100 && revisits > 2, "{records} {revisits}");
    let program = format!(
        "{CHECK}
from warcio.archiveiterator import ArchiveIterator
rows, bodies, agents = [], [], []
for path in files:
    with open(path, 'rb') as stream:
        records = ArchiveIterator(stream, check_digests=True)
        for record in records:
            if record.rec_type == 'response':
                bodies.append(record.content_stream().read())
            else:
                # One call returns no more than a buffer of it.
                while record.raw_stream.read():
                    pass
            if record.rec_type == 'request':
                agents.append(record.http_headers.get_header('user-agent'))
                assert record.http_headers.protocol == 'GET', record.http_headers
            header = record.rec_headers.get_header
            rows.append([os.path.basename(path), records.get_record_offset(), *map(header, NAMES)])
            # A revisit has the digest of a body that it does not hold. warcio does not check an empty record.
            if record.rec_type != 'revisit' and header('content-length') != '0':
                assert record.digest_checker.passed is True, record.digest_checker.problems
check(rows, bodies, agents)
"
    );
    python(crawl.folder.path(), &["warcio"], &program);
    let program = format!(
        "{CHECK}
from fastwarc.warc import ArchiveIterator, WarcRecordType
rows, bodies, agents = [], [], []
for path in files:
    with open(path, 'rb') as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.any_type, parse_http=False):
            header = record.headers.get
            rows.append([os.path.basename(path), record.stream_pos, *map(header, NAMES)])
            assert record.verify_block_digest(), rows[-1]
            if record.record_type == WarcRecordType.response:
                record.parse_http()
                assert record.verify_payload_digest(), rows[-1]
                assert record.http_headers.status_code, rows[-1]
            if record.record_type == WarcRecordType.request:
                record.parse_http()
                agents.append(record.http_headers.get('user-agent'))
    with open(path, 'rb') as stream:
        responses = ArchiveIterator(stream, record_types=WarcRecordType.response, auto_decode='content')
        bodies.extend(record.reader.read() for record in responses)
check(rows, bodies, agents)
"
    );
    python(crawl.folder.path(), &["fastwarc"], &program);
}

#[test]
fn pages_of_a_selection_are_exported_as_warc_and_cdxj() {
    let (crawl, ..) = crawled_again();
    let export = |words: &[&str]| {
        let output = crawl.run(&[&["export", "--language", "vi"], words].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), told)
    };
    let (_, selected, _) = export(&["--fields", "url"]);
    let mut expected: Vec<String> = selected
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["url"].as_str().unwrap().to_owned()
        })
        .collect();
    expected.sort();
    assert!(expected.len() > 10, "{}", expected.len());

    let (code, _, told) = export(&["--out", "pages.warc.gz"]);
    assert_eq!(code, Some(0), "{told}");
    let archive = crawl.folder.path().join("data/archive");
    let mut urls = Vec::new();
    for item in ArchiveReader::open(&crawl.folder.path().join("pages.warc.gz"), 0, 1 << 24).unwrap() {
        let Item::Record(record) = item.unwrap() else { panic!("damaged") };
        record.check().unwrap();
        match record.header.kind().as_deref() {
            Some("response") => urls.push(record.header.target().unwrap().to_owned()),
            Some("request") => assert_eq!(record.header.target(), urls.last().map(String::as_str)),
            kind => assert!(kind == Some("warcinfo") && urls.is_empty(), "{kind:?}"),
        }
    }
    urls.sort();
    assert_eq!(urls, expected);

    let (_, index, _) = export(&["--format", "cdxj"]);
    let mut urls = Vec::new();
    for line in index.lines() {
        let [key, time, place] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let place: serde_json::Value = serde_json::from_str(place).unwrap();
        let text = |name: &str| place[name].as_str().unwrap().to_owned();
        let offset = text("offset").parse().unwrap();
        let next = ArchiveReader::open(&archive.join(text("filename")), offset, 1 << 24).unwrap().next();
        let Some(Ok(Item::Record(record))) = next else { panic!("{line}: {next:?}") };
        assert_eq!(record.header.target(), Some(text("url").as_str()));
        assert_eq!(record.header.get("WARC-Payload-Digest"), Some(text("digest").as_str()));
        assert!(time.len() == 14 && key.contains(")/") && text("mime") == "text/html", "{line}");
        urls.push(text("url"));
    }
    urls.sort();
    assert_eq!(urls, expected);

    for (words, message) in [
        (&["--out", "pages.warc"][..], "choose a name that ends in .warc.gz"),
        (&["--format", "warc", "--out", "pages.zst"], "choose a name that ends in .warc.gz"),
        (&["--format", "cdxj", "--revisions"], "--revisions changes texts"),
        (&["--format", "warc", "--tones", "new", "--into", "x"], "--tones changes texts"),
        (&["--format", "warc", "--compress", "none", "--into", "x"], "always compresses with gzip"),
        (&["--out", "x.docx"], ".md, .warc.gz or .cdxj"),
    ] {
        let (code, _, told) = export(words);
        assert!(code == Some(2) && told.contains(message), "{words:?}: {told}");
    }
    let file = std::fs::read_dir(&archive).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(file).unwrap();
    let (code, _, told) = export(&["--out", "pages.warc.gz"]);
    assert!(code == Some(1) && told.contains("is missing") && told.contains("gleaner verify"), "{told}");
    let (code, _, told) = export(&["--format", "warc", "--into", "pages"]);
    assert_eq!(code, Some(1), "{told}");
    let manifest = std::fs::read(crawl.folder.path().join("pages/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["held_back"]["no_page"], expected.len());
}

#[test]
fn warcio_reads_an_exported_selection() {
    let (crawl, ..) = crawled_again();
    assert!(crawl.run(&["export", "--out", "pages.warc.gz"]).status.success());
    assert!(crawl.run(&["export", "--format", "cdxj", "--out", "pages.cdxj"]).status.success());
    let program = r#"
import io
import json
from warcio.archiveiterator import ArchiveIterator
pages = {}
with open("pages.warc.gz", "rb") as stream:
    for record in ArchiveIterator(stream, check_digests=True):
        if record.rec_type == "response":
            pages[record.rec_headers["WARC-Target-URI"]] = record.content_stream().read()
            assert record.digest_checker.passed is True, record.digest_checker.problems
rows = [json.loads(line.split(" ", 2)[2]) for line in open("pages.cdxj", encoding="utf-8")]
assert len(rows) == len(pages) > 30, (len(rows), len(pages))
for row in rows:
    with open("data/archive/" + row["filename"], "rb") as stream:
        stream.seek(int(row["offset"]))
        member = stream.read(int(row["length"]))
    record = next(iter(ArchiveIterator(io.BytesIO(member))))
    assert record.content_stream().read() == pages[row["url"]]
    assert record.http_headers.get_statuscode() == row["status"] == "200"
"#;
    python(crawl.folder.path(), &["warcio"], program);
}
