//! One answer as a record: the bytes that are appended to a file.
//!
//! A record is made where the answer is at hand and compressed there, so that the one who
//! writes the file has only to append.

use std::cell::RefCell;
use std::fmt::Write as _;

use jiff::Timestamp;
use libdeflater::{CompressionLvl, Compressor};
use uuid::Uuid;

use crate::Digest;

/// An answer to be kept.
#[derive(Debug, Clone, Copy)]
pub struct Capture<'a> {
    /// The URL that was asked for.
    pub url: &'a str,
    /// When.
    pub at: Timestamp,
    /// The HTTP status.
    pub status: u16,
    /// The headers of the answer, in order.
    pub headers: &'a [(String, String)],
    /// The body, without its codings.
    pub body: &'a [u8],
    /// Whether the body was cut off at a limit.
    pub is_cut: bool,
    /// Further named fields of the record, of the crawler's own.
    pub fields: &'a [(&'a str, &'a str)],
}

/// What an answer is not kept for a second time for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revisit {
    /// When the record was written that holds the payload.
    pub at: Timestamp,
    /// Of its payload.
    pub payload: Digest,
}

/// Headers that say how the body came, which is not how it is kept.
const OF_THE_LINE: [&str; 4] = ["content-encoding", "content-length", "transfer-encoding", "connection"];

const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

impl Capture<'_> {
    /// The digest of the body.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.body)
    }

    /// A `response` record, as a gzip member. `payload`: the digest of the body; `level`:
    /// 1 (fast) to 9 (small).
    ///
    /// It has no digest of the whole block: that would be a second pass over the body, and
    /// the member has a checksum of all of it.
    #[must_use]
    pub fn response(&self, payload: Digest, level: u32) -> Vec<u8> {
        let mut fields = self.named("response", payload);
        if self.is_cut {
            fields.push(("WARC-Truncated", "length".into()));
        }
        self.member(&fields, &[&self.head(self.body.len()), self.body], level)
    }

    /// A `revisit` record: of a 304, or of a body that is the one known already.
    #[must_use]
    pub fn revisit(&self, of: Revisit, level: u32) -> Vec<u8> {
        let mut fields = self.named("revisit", of.payload);
        fields.push(("WARC-Profile", if self.status == 304 { NOT_MODIFIED } else { SAME_PAYLOAD }.into()));
        fields.push(("WARC-Refers-To-Target-URI", self.url.into()));
        fields.push(("WARC-Refers-To-Date", date(of.at)));
        self.member(&fields, &[&self.head(0)], level)
    }

    fn named(&self, kind: &str, payload: Digest) -> Vec<(&'static str, String)> {
        vec![
            ("WARC-Type", kind.into()),
            ("WARC-Target-URI", self.url.into()),
            ("WARC-Date", date(self.at)),
            ("WARC-Payload-Digest", payload.to_string()),
            ("Content-Type", "application/http;msgtype=response".into()),
        ]
    }

    fn member(&self, fields: &[(&str, String)], block: &[&[u8]], level: u32) -> Vec<u8> {
        let known = fields.iter().map(|(name, value)| (*name, value.as_str()));
        record(known.chain(self.fields.iter().copied()), block, level)
    }

    /// Status line and headers, with the length of the body as it is kept.
    fn head(&self, length: usize) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in self.headers {
            let is_of_the_line = OF_THE_LINE.iter().any(|known| name.eq_ignore_ascii_case(known));
            let prefix = if is_of_the_line { "X-Crawler-" } else { "" };
            put(&mut head, &format!("{prefix}{name}"), value);
        }
        put(&mut head, "Content-Length", &length.to_string());
        head.push_str("\r\n");
        head.into_bytes()
    }
}

/// The `warcinfo` record at the head of a file. `fields`: what it says, such as
/// `software`, `operator` and `robots`.
#[must_use]
pub fn warcinfo(name: &str, at: Timestamp, fields: &[(&str, &str)], level: u32) -> Vec<u8> {
    let mut block = String::new();
    for (name, value) in fields {
        put(&mut block, name, value);
    }
    let at = date(at);
    let head = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Date", at.as_str()),
        ("WARC-Filename", name),
        ("Content-Type", "application/warc-fields"),
    ];
    record(head.into_iter(), &[block.as_bytes()], level)
}

/// A record of these fields and a block of these parts, compressed by itself.
fn record<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>, block: &[&[u8]], level: u32) -> Vec<u8> {
    let mut head = String::from("WARC/1.1\r\n");
    put(&mut head, "WARC-Record-ID", &format!("<urn:uuid:{}>", Uuid::new_v4()));
    for (name, value) in fields {
        put(&mut head, name, value);
    }
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
    /// A thread's compressor, with the level that it was made for.
    static COMPRESSOR: RefCell<Option<(u32, Compressor)>> = const { RefCell::new(None) };
}

/// A gzip member.
fn packed(bytes: &[u8], level: u32) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let (_, compressor) = match kept {
            Some(kept) if kept.0 == level => kept,
            _ => kept.insert((level, Compressor::new(level_of(level)))),
        };
        let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
        let written = compressor.gzip_compress(bytes, &mut out).expect("the bound is libdeflate's own");
        out.truncate(written);
        out.shrink_to_fit();
        out
    })
}

fn level_of(level: u32) -> CompressionLvl {
    let level = i32::try_from(level.clamp(1, 9)).unwrap_or(1);
    CompressionLvl::new(level).unwrap_or_default()
}

/// A line `name: value`; line breaks in either would begin another.
fn put(out: &mut String, name: &str, value: &str) {
    let one_line = |text: &str| text.replace(['\r', '\n'], " ");
    // Writing to a string does not fail.
    let _ = write!(out, "{}: {}\r\n", one_line(name).replace(':', "-"), one_line(value));
}

/// As WARC 1.1 has it, to the microsecond, which every reader takes.
fn date(at: Timestamp) -> String {
    format!("{at:.6}")
}

/// The usual words behind a status.
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
    use crate::{Item, Reader, Record};

    fn read(bytes: Vec<u8>) -> Record {
        let mut items = Reader::new(Cursor::new(bytes), 1 << 20).unwrap();
        let Some(Ok(Item::Record(record))) = items.next() else { panic!("no record") };
        assert!(items.next().is_none());
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
            is_cut: true,
            fields: &[("Gleaner-Role", "page")],
        };
        let record = read(capture.response(capture.digest(), 6));
        assert_eq!(record.header.kind().as_deref(), Some("response"));
        assert_eq!(record.header.target(), Some("http://a.example/mưa"));
        assert_eq!(record.header.get("WARC-Date"), Some("2026-11-21T02:00:00.123456Z"));
        assert_eq!(record.header.get("WARC-Truncated"), Some("length"));
        assert_eq!(record.header.get("gleaner-role"), Some("page"));
        assert_eq!(record.check(), Ok(()));
        let message = record.http().unwrap();
        assert_eq!((message.status, message.header("x-crawler-content-encoding")), (200, Some("gzip")));
        assert_eq!((message.header("content-length"), message.header("x-odd")), (Some("7"), Some("a  b: c")));
        assert_eq!(message.payload(100).body, capture.body);
    }

    #[test]
    fn a_revisit_says_of_what() {
        let at: Timestamp = "2026-11-20T02:00:00Z".parse().unwrap();
        let payload = Digest::of(b"rain");
        for (status, profile) in [(304, NOT_MODIFIED), (200, SAME_PAYLOAD)] {
            let capture = Capture {
                url: "http://a.example/",
                at: "2026-11-21T02:00:00Z".parse().unwrap(),
                status,
                headers: &[],
                body: b"rain",
                is_cut: false,
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
    fn a_file_says_who_wrote_it() {
        let record = read(warcinfo("a.warc.gz", Timestamp::UNIX_EPOCH, &[("software", "gleaner/0.1")], 6));
        assert_eq!(record.header.kind().as_deref(), Some("warcinfo"));
        assert_eq!(record.block, b"software: gleaner/0.1\r\n");
        assert!(record.http().is_none());
    }
}
