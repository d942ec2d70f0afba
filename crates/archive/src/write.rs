//! Encodes one response as records that can be appended to a file.
//!
//! 1. The response becomes a `response` record, or a `revisit` record that refers to an archived response.
//! 2. The `request` record follows. The two records name each other in `WARC-Concurrent-To`. Heritrix and
//!    warcio use the same order.
//! 3. Each record has a digest of its block and is compressed separately.
//!
//! The thread that processes the response encodes the records. The writing thread only appends them.
//!
//! Limitation: the status line and the request line are always written as in HTTP/1.1 without a proxy.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use libdeflater::{CompressionLvl, Compressor};
use uuid::Uuid;

use crate::{Digest, Header};

/// A response to be archived.
#[derive(Debug, Clone, Copy)]
pub struct Capture<'a> {
    /// The requested URL.
    pub url: &'a str,
    /// The time of the response, which becomes the `WARC-Date`.
    pub at: Timestamp,
    /// The HTTP status.
    pub status: u16,
    /// The headers of the response, in order.
    pub headers: &'a [(String, String)],
    /// The decoded body.
    pub body: &'a [u8],
    /// The body in the codings of its `Content-Encoding`. If it is present, it is archived instead of `body`.
    pub coded: Option<&'a [u8]>,
    /// Whether the body was cut at a limit.
    pub is_cut: bool,
    /// The headers of the request, in order. Without headers, no `request` record is written.
    pub request: &'a [(String, String)],
    /// Additional named fields of the `response` or `revisit` record.
    pub fields: &'a [(&'a str, &'a str)],
}

/// The digests of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digests {
    /// The digest of the decoded body, which does not depend on the codings.
    pub content: Digest,
    /// The digest of the bytes in the archive, as in `WARC-Payload-Digest`.
    pub payload: Digest,
}

/// The archived response to which a `revisit` refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revisit {
    /// The [`Capture::at`] of the archived response.
    pub at: Timestamp,
    /// The [`Digests::payload`] of the archived response.
    pub payload: Digest,
}

/// Headers that describe the transfer and not the stored body. `Content-Encoding` is another such header if
/// the decoded body is stored.
const OF_THE_LINE: [&str; 3] = ["content-length", "transfer-encoding", "connection"];

/// The compression level for a record whose body is already compressed.
const NOT_COMPRESSED: u32 = 0;

const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

impl Capture<'_> {
    /// Returns the digests of the body.
    #[must_use]
    pub fn digests(&self) -> Digests {
        let content = Digest::from_content(self.body);
        Digests { content, payload: self.coded.map_or(content, Digest::from_content) }
    }

    /// Returns the number of records in the result of [`response`](Self::response) or
    /// [`revisit`](Self::revisit): 2 with a `request` record, otherwise 1.
    #[must_use]
    pub const fn records(&self) -> u64 {
        if self.request.is_empty() { 1 } else { 2 }
    }

    /// Returns a `response` record and its `request` record as gzip members. `payload` is
    /// [`Digests::payload`]. `level` is the compression level, 1 (fast) to 9 (small). A body that is already
    /// compressed is not compressed again.
    #[must_use]
    pub fn response(&self, payload: Digest, level: u32) -> Vec<u8> {
        let mut fields = vec![("WARC-Payload-Digest", payload.to_string())];
        if self.is_cut {
            fields.push(("WARC-Truncated", "length".into()));
        }
        let (body, own_level) = self.coded.map_or((self.body, level), |coded| (coded, NOT_COMPRESSED));
        let head = self.head(body.len(), self.coded.is_some());
        self.exchange("response", fields, &[&head, body], [own_level, level])
    }

    /// Returns a `revisit` record and its `request` record as gzip members. Use it if the status is 304 or
    /// the body has not changed. `of` is the archived response with the same body. `level` is the compression
    /// level, 1 (fast) to 9 (small).
    #[must_use]
    pub fn revisit(&self, of: Revisit, level: u32) -> Vec<u8> {
        let fields = vec![
            ("WARC-Payload-Digest", of.payload.to_string()),
            ("WARC-Profile", if self.status == 304 { NOT_MODIFIED } else { SAME_PAYLOAD }.into()),
            ("WARC-Refers-To-Target-URI", self.url.into()),
            ("WARC-Refers-To-Date", date(of.at)),
        ];
        self.exchange("revisit", fields, &[&self.head(0, false)], [level; 2])
    }

    fn exchange(
        &self,
        kind: &str,
        fields: Vec<(&str, String)>,
        block: &[&[u8]],
        levels: [u32; 2],
    ) -> Vec<u8> {
        let [answer, request] = [(); 2].map(|()| record_id());
        let has_request = !self.request.is_empty();
        let concurrent = has_request.then(|| ("WARC-Concurrent-To", request.clone()));
        let common = self.common(kind, "response");
        let all: Vec<(&str, String)> = common.into_iter().chain(fields).chain(concurrent).collect();
        let known = all.iter().map(|(name, value)| (*name, value.as_str()));
        let mut records = record(&answer, known.chain(self.fields.iter().copied()), block, levels[0]);
        if has_request {
            let mut fields = self.common("request", "request").to_vec();
            fields.push(("WARC-Concurrent-To", answer));
            let known = fields.iter().map(|(name, value)| (*name, value.as_str()));
            records.extend(record(&request, known, &[&self.request_head()], levels[1]));
        }
        records
    }

    fn common(&self, kind: &str, message: &str) -> [(&'static str, String); 4] {
        [
            ("WARC-Type", kind.into()),
            ("WARC-Target-URI", self.url.into()),
            ("WARC-Date", date(self.at)),
            ("Content-Type", format!("application/http;msgtype={message}")),
        ]
    }

    fn request_head(&self) -> Vec<u8> {
        let mut head = format!("GET {} HTTP/1.1\r\n", one_line(&target_of(self.url)));
        for (name, value) in self.request {
            put(&mut head, name, value);
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn head(&self, length: usize, is_coded: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in self.headers {
            let is_of_the_line = OF_THE_LINE.iter().any(|known| name.eq_ignore_ascii_case(known))
                || (!is_coded && name.eq_ignore_ascii_case("content-encoding"));
            let prefix = if is_of_the_line { "X-Crawler-" } else { "" };
            put(&mut head, &format!("{prefix}{name}"), value);
        }
        put(&mut head, "Content-Length", &length.to_string());
        head.push_str("\r\n");
        head.into_bytes()
    }
}

/// Builds the compressed `warcinfo` record with which a file begins. `name` is the file name, if it is known, and `at`
/// is the time of the record. `fields` is the content of the record, such as `software`, `operator` and `robots`.
/// `level` is the compression level, 1 (fast) to 9 (small).
#[must_use]
pub fn warcinfo(name: Option<&str>, at: Timestamp, fields: &[(&str, &str)], level: u32) -> Vec<u8> {
    let mut block = String::new();
    for (name, value) in fields {
        put(&mut block, name, value);
    }
    let at = date(at);
    let head =
        [("WARC-Type", "warcinfo"), ("WARC-Date", at.as_str()), ("Content-Type", "application/warc-fields")];
    let name = name.map(|name| ("WARC-Filename", name));
    record(&record_id(), head.into_iter().chain(name), &[block.as_bytes()], level)
}

/// A `metadata` record of this program (WARC 1.1, 6.6). Other programs skip it.
#[derive(Debug, Clone, Copy)]
pub struct Metadata<'a> {
    /// The time of the record.
    pub at: Timestamp,
    /// The `Content-Type` of the block.
    pub content_type: &'a str,
    /// Additional named fields.
    pub fields: &'a [(&'a str, &'a str)],
    /// The content.
    pub block: &'a [u8],
}

impl Metadata<'_> {
    /// Returns the record as a gzip member. `level` is the compression level, 1 (fast) to 9 (small).
    #[must_use]
    pub fn record(&self, level: u32) -> Vec<u8> {
        let at = date(self.at);
        let head =
            [("WARC-Type", "metadata"), ("WARC-Date", at.as_str()), ("Content-Type", self.content_type)];
        record(&record_id(), head.into_iter().chain(self.fields.iter().copied()), &[self.block], level)
    }
}

/// Builds a compressed record with the fields of another record and this block. The length and the digest of the
/// block are those of the new block.
pub(crate) fn with_block(header: &Header, block: &[u8], level: u32) -> Vec<u8> {
    let is_own = |name: &str| {
        ["WARC-Record-ID", "WARC-Block-Digest", "Content-Length"]
            .iter()
            .any(|own| name.eq_ignore_ascii_case(own))
    };
    let id = header.get("WARC-Record-ID").map_or_else(record_id, str::to_owned);
    let fields = header.fields.iter().filter(|(name, _)| !is_own(name));
    record(&id, fields.map(|(name, value)| (name.as_str(), value.as_str())), &[block], level)
}

fn record_id() -> String {
    format!("<urn:uuid:{}>", Uuid::new_v4())
}

fn record<'a>(
    id: &str,
    fields: impl Iterator<Item = (&'a str, &'a str)>,
    block: &[&[u8]],
    level: u32,
) -> Vec<u8> {
    let mut head = String::from("WARC/1.1\r\n");
    put(&mut head, "WARC-Record-ID", id);
    for (name, value) in fields {
        put(&mut head, name, value);
    }
    put(&mut head, "WARC-Block-Digest", &Digest::from_parts(block).to_string());
    let length: usize = block.iter().map(|part| part.len()).sum();
    put(&mut head, "Content-Length", &length.to_string());
    head.push_str("\r\n");
    let mut record = head.into_bytes();
    record.reserve_exact(length + 4);
    block.iter().for_each(|part| record.extend_from_slice(part));
    record.extend_from_slice(b"\r\n\r\n");
    packed(&record, level)
}

thread_local! {
    /// The compressors of this thread by level. They are reused, because creating a compressor takes longer than
    /// compressing a small record.
    static COMPRESSORS: RefCell<BTreeMap<u32, Compressor>> = const { RefCell::new(BTreeMap::new()) };
}

fn packed(bytes: &[u8], level: u32) -> Vec<u8> {
    COMPRESSORS.with_borrow_mut(|kept| {
        let compressor = kept.entry(level).or_insert_with(|| Compressor::new(level_of(level)));
        let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
        let written = compressor.gzip_compress(bytes, &mut out).expect("the bound is libdeflate's own");
        out.truncate(written);
        out.shrink_to_fit();
        out
    })
}

fn level_of(level: u32) -> CompressionLvl {
    let level = i32::try_from(level.min(9)).unwrap_or(1);
    CompressionLvl::new(level).unwrap_or_default()
}

fn put(out: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{}: {}\r\n", one_line(name).replace(':', "-"), one_line(value));
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

fn target_of(url: &str) -> Cow<'_, str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let target = rest.find(['/', '?', '#']).map_or("", |at| &rest[at..]);
    let target = target.split('#').next().unwrap_or_default();
    if target.starts_with('/') { target.into() } else { format!("/{target}").into() }
}

/// Formats a time in microseconds, which WARC 1.1 allows and every reader accepts.
fn date(at: Timestamp) -> String {
    format!("{at:.6}")
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{ArchiveReader, Item, Record};

    fn records(bytes: Vec<u8>) -> Vec<Record> {
        let sound = |item: std::io::Result<Item>| match item.unwrap() {
            Item::Record(record) => record,
            Item::Damage(damage) => panic!("{damage:?}"),
        };
        let records: Vec<Record> =
            ArchiveReader::new(Cursor::new(bytes), 1 << 20).unwrap().map(sound).collect();
        for record in &records {
            assert!(record.header.get("WARC-Block-Digest").is_some());
            assert_eq!(record.check(), Ok(()));
        }
        records
    }

    fn read(bytes: Vec<u8>) -> Record {
        let [record] = records(bytes).try_into().unwrap();
        record
    }

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    #[test]
    fn a_response_is_read_as_it_was_written() {
        let headers = headers(&[
            ("content-type", "text/html; charset=utf-8"),
            ("Content-Encoding", "gzip"),
            ("x-odd", "a\r\nb: c"),
        ]);
        let at: Timestamp = "2026-11-21T02:00:00.123456789Z".parse().unwrap();
        let capture = Capture {
            url: "http://a.example/mưa",
            at,
            status: 200,
            headers: &headers,
            body: b"<p>M\xc6\xb0a",
            coded: None,
            is_cut: true,
            request: &[],
            fields: &[("Gleaner-Role", "page")],
        };
        assert_eq!(capture.records(), 1);
        let record = read(capture.response(capture.digests().payload, 6));
        assert_eq!(record.header.kind().as_deref(), Some("response"));
        assert_eq!(record.header.target(), Some("http://a.example/mưa"));
        assert_eq!(record.header.get("WARC-Date"), Some("2026-11-21T02:00:00.123456Z"));
        assert_eq!(record.header.get("WARC-Truncated"), Some("length"));
        assert_eq!(record.header.get("gleaner-role"), Some("page"));
        assert_eq!(record.header.get("WARC-Concurrent-To"), None);
        let message = record.http().unwrap();
        assert_eq!((message.status, message.header("x-crawler-content-encoding")), (200, Some("gzip")));
        assert_eq!((message.header("content-length"), message.header("x-odd")), (Some("7"), Some("a  b: c")));
        assert_eq!(message.payload(100).body, capture.body);
    }

    #[test]
    fn a_compressed_body_is_archived_as_it_came() {
        let headers = headers(&[("Content-Encoding", "zstd"), ("Content-Length", "9"), ("Via", "a")]);
        let body = b"<p>Rain".repeat(99);
        let coded = zstd::encode_all(&body[..], 1).unwrap();
        let capture = Capture {
            url: "http://a.example/",
            at: Timestamp::UNIX_EPOCH,
            status: 200,
            headers: &headers,
            body: &body,
            coded: Some(&coded),
            is_cut: false,
            request: &[],
            fields: &[],
        };
        let digests = capture.digests();
        assert_eq!(digests.content, Digest::from_content(&body));
        let record = read(capture.response(digests.payload, 6));
        let payload = Digest::from_content(&coded).to_string();
        assert_eq!(record.header.get("WARC-Payload-Digest"), Some(payload.as_str()));
        let message = record.http().unwrap();
        assert_eq!(message.header("content-encoding"), Some("zstd"));
        assert_eq!(message.header("content-length"), Some(coded.len().to_string().as_str()));
        assert_eq!(message.header("x-crawler-content-length"), Some("9"));
        assert!(message.coded == coded && message.payload(1 << 20).body == body);
        let revisit = Revisit { at: Timestamp::UNIX_EPOCH, payload: digests.payload };
        let record = read(capture.revisit(revisit, 6));
        assert_eq!(record.http().unwrap().header("content-encoding"), None);
    }

    #[test]
    fn a_revisit_says_of_what() {
        let at: Timestamp = "2026-11-20T02:00:00Z".parse().unwrap();
        let payload = Digest::from_content(b"rain");
        for (status, profile) in [(304, NOT_MODIFIED), (200, SAME_PAYLOAD)] {
            let capture = Capture {
                url: "http://a.example/",
                at: "2026-11-21T02:00:00Z".parse().unwrap(),
                status,
                headers: &[],
                body: b"rain",
                coded: None,
                is_cut: false,
                request: &[],
                fields: &[],
            };
            let record = read(capture.revisit(Revisit { at, payload }, 1));
            assert_eq!(record.header.get("WARC-Profile"), Some(profile));
            assert_eq!(record.header.get("WARC-Refers-To-Date"), Some("2026-11-20T02:00:00.000000Z"));
            assert_eq!(record.header.get("WARC-Payload-Digest"), Some(payload.to_string().as_str()));
            assert_eq!(record.http().unwrap().coded, b"");
        }
    }

    #[test]
    fn an_answer_and_its_request_name_each_other() {
        let request = headers(&[("host", "a.example"), ("accept", "text/html\r\nx: y")]);
        let capture = Capture {
            url: "http://a.example/x?y=z",
            at: "2026-11-21T02:00:00Z".parse().unwrap(),
            status: 200,
            headers: &[],
            body: b"rain",
            coded: None,
            is_cut: false,
            request: &request,
            fields: &[("Gleaner-Role", "page")],
        };
        let of = Revisit { at: Timestamp::UNIX_EPOCH, payload: capture.digests().payload };
        for (kind, bytes) in [
            ("response", capture.response(capture.digests().payload, 1)),
            ("revisit", capture.revisit(of, 1)),
        ] {
            let [answer, request] = records(bytes).try_into().unwrap();
            let field = |record: &Record, name| record.header.get(name).map(str::to_owned);
            assert_eq!((answer.header.kind().as_deref(), answer.offset), (Some(kind), 0));
            assert_eq!(request.header.kind().as_deref(), Some("request"));
            assert_eq!(field(&answer, "WARC-Concurrent-To"), field(&request, "WARC-Record-ID"));
            assert_eq!(field(&request, "WARC-Concurrent-To"), field(&answer, "WARC-Record-ID"));
            for common in ["WARC-Target-URI", "WARC-Date"] {
                assert_eq!(field(&answer, common), field(&request, common));
            }
            assert_eq!(field(&request, "Content-Type").as_deref(), Some("application/http;msgtype=request"));
            let block = b"GET /x?y=z HTTP/1.1\r\nhost: a.example\r\naccept: text/html  x: y\r\n\r\n";
            assert_eq!(request.block, block);
            assert!(request.http().is_none());
        }
        assert_eq!(capture.records(), 2);
    }

    #[test]
    fn a_request_line_has_path_and_query() {
        let cases = [
            ("http://a.example", "/"),
            ("http://a.example/", "/"),
            ("http://a.example:8080/x/y?z=http://b/#c", "/x/y?z=http://b/"),
            ("https://a.example?x=y", "/?x=y"),
            ("http://a.example#/x", "/"),
        ];
        for (url, target) in cases {
            assert_eq!(target_of(url), target, "{url}");
        }
    }

    #[test]
    fn a_file_says_who_wrote_it() {
        let record =
            read(warcinfo(Some("a.warc.gz"), Timestamp::UNIX_EPOCH, &[("software", "gleaner/0.1")], 6));
        assert_eq!(record.header.kind().as_deref(), Some("warcinfo"));
        assert_eq!(record.block, b"software: gleaner/0.1\r\n");
        assert!(record.http().is_none());
    }
}
