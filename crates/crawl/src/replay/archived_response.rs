//! Converts a WARC record into a response to a URL.
//!
//! A `response` record becomes its HTTP response. A `resource` record becomes a 200 response with the
//! record's content type. All other records and robots.txt files are skipped, and counted by their kind.
//!
//! The body of an incomplete page is not parsed. A page may be incomplete if its record is marked as truncated,
//! is shorter than its `Content-Length`, ends within compressed or chunked data, its text or a tag, or has status
//! 206. The rules are those of a crawl ([`is_complete`], [`breaks_off`]).

use std::sync::Arc;

use crate::settings::Config;
use gleaner_archive::{Digest, HttpMessage, Payload, Record, Truncation};
use gleaner_fetch::Response;
use gleaner_frontier::{CanonicalUrl, Outcome, Role};
use gleaner_http::coding::{breaks_off, is_complete, is_whole_range};
use jiff::Timestamp;

use crate::archive::{ROBOTS, ROLE, TDMREP};
use crate::usage::SiteUsage;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordPlace {
    pub(crate) file: usize,
    pub(crate) offset: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) page: usize,
    pub(crate) list: usize,
}

impl BodyLimits {
    pub(crate) fn from_config(config: &Config) -> Self {
        let bytes = |limit: crate::settings::ByteSize| usize::try_from(limit.get()).unwrap_or(usize::MAX);
        Self { page: bytes(config.fetch.max_page), list: bytes(config.fetch.max_sitemap) }
    }

    /// Returns the limit for a record. It also contains HTTP headers, and its body may be compressed.
    pub(crate) fn of_record(self) -> usize {
        self.page.max(self.list).saturating_add(1 << 20)
    }
}

#[derive(Debug)]
pub(crate) struct ArchivedResponse {
    pub(crate) url: CanonicalUrl,
    pub(crate) at: Timestamp,
    /// The role of the URL. `None` if another crawler wrote the file.
    pub(crate) role: Option<Role>,
    pub(crate) response: Response,
    /// The record's `WARC-Payload-Digest`, if it is a SHA-1 digest.
    pub(crate) payload: Option<Digest>,
    /// The outcome of the visit if the body is not read. `None` if the body is read.
    pub(crate) unread: Option<Outcome>,
    pub(crate) place: RecordPlace,
    /// What the files of the host that were in force stated about the use of its pages.
    pub(crate) site: Arc<SiteUsage>,
}

impl ArchivedResponse {
    /// Converts a record to a response. Returns `Ok(None)` if another worker processes the URL or its record
    /// is already processed.
    ///
    /// # Errors
    /// The record must be skipped. The error is the label of the reason.
    pub(crate) fn from_record(
        record: &Record,
        place: RecordPlace,
        limits: BodyLimits,
        is_ours: impl Fn(&CanonicalUrl) -> bool,
    ) -> Result<Option<Self>, &'static str> {
        let header = &record.header;
        let kind = kind(record)?;
        let role = header.get(ROLE);
        if matches!(role, Some(ROBOTS | TDMREP)) {
            return Err("robots");
        }
        let target = header.target().ok_or("no_target")?;
        let at = header.date().ok_or("no_date")?;
        let url = CanonicalUrl::parse(target).map_err(|refusal| refusal.code())?;
        if !is_ours(&url) {
            return Ok(None);
        }
        let message = match kind {
            RecordKind::Response => record.http().ok_or("no_http")?,
            RecordKind::Resource => resource(record),
        };
        let role = role.and_then(Role::from_label);
        let is_list = matches!(role, Some(Role::Feed | Role::Sitemap));
        let limit = if is_list { limits.list } else { limits.page };
        let payload = message.payload(limit);
        let unread = unread(record, &message, &payload, limit, is_list);
        let mut response = Response::new(url.url(), message.status, message.headers);
        response.body = payload.body;
        let digest = header.get("WARC-Payload-Digest").and_then(Digest::from_label);
        let site = Arc::default();
        let answer = Self { url, at, role, response, payload: digest, unread, place, site };
        if answer.is_success() && role.is_none() && answer.response.accept_page().is_err() {
            return Err("wrong_type");
        }
        Ok(Some(answer))
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.response.status)
    }

    /// Whether the response ended a visit. `false` for a 304, and for responses after which the crawl waited
    /// or tried again.
    pub(super) fn is_ending(&self) -> bool {
        !matches!(self.response.status, 304 | 408 | 425 | 429 | 500..)
    }
}

#[derive(Debug, Clone, Copy)]
enum RecordKind {
    Response,
    Resource,
}

fn kind(record: &Record) -> Result<RecordKind, &'static str> {
    match record.header.kind().as_deref() {
        Some("response") => Ok(RecordKind::Response),
        Some("resource") => Ok(RecordKind::Resource),
        Some("revisit") => Err("revisit"),
        Some("request") => Err("request"),
        Some("warcinfo") => Err("warcinfo"),
        Some("metadata") => Err("metadata"),
        Some("conversion") => Err("conversion"),
        Some("continuation") => Err("continuation"),
        _ => Err("no_response"),
    }
}

fn resource(record: &Record) -> HttpMessage<'_> {
    let content_type = record.header.get("Content-Type");
    let headers = content_type.map(|value| ("Content-Type".to_owned(), value.to_owned()));
    HttpMessage { status: 200, headers: headers.into_iter().collect(), coded: &record.block }
}

/// Returns the outcome for an incomplete page or list, or for one above `limit` bytes. Returns `None` for others.
fn unread(
    record: &Record,
    message: &HttpMessage<'_>,
    payload: &Payload,
    limit: usize,
    is_list: bool,
) -> Option<Outcome> {
    if !(200..300).contains(&message.status) {
        return None;
    }
    if record.is_cut || payload.cut == Some(Truncation::Limit) {
        return Some(Outcome::TooLarge { limit: limit as u64 });
    }
    if message.status == 206 && !is_whole_range(&message.headers) {
        return Some(truncated("partial_content"));
    }
    if payload.cut == Some(Truncation::Coding) {
        return Some(truncated("coding"));
    }
    let broken_off = record
        .truncated()
        .or_else(|| message.is_short().then_some("content_length"))
        .or_else(|| payload.cut.map(|_| "coding"));
    if !is_complete(broken_off.is_none(), payload.end, &payload.body) {
        return Some(truncated(broken_off.unwrap_or("coding")));
    }
    (!is_list && breaks_off(&message.headers, &payload.body)).then(|| truncated("html"))
}

fn truncated(reason: &str) -> Outcome {
    Outcome::Truncated { reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use gleaner_archive::Header;

    use super::*;

    const PAGE: &str = "<html><p>Rain fell on the valley.</p>";

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn limits() -> BodyLimits {
        BodyLimits { page: 1000, list: 2000 }
    }

    fn of(fields: &str, block: &[u8], is_cut: bool) -> Result<Option<ArchivedResponse>, &'static str> {
        let common = "WARC-Target-URI: http://a.example/x\nWARC-Date: 2026-11-21T02:00:00Z\n";
        let header = Header::parse(format!("{common}{fields}").as_bytes());
        let record = Record { offset: 0, header, block: block.to_vec(), is_cut };
        ArchivedResponse::from_record(&record, RecordPlace { file: 0, offset: 0 }, limits(), |_| true)
    }

    fn response(fields: &str, head: &str, body: &[u8], is_cut: bool) -> Option<Outcome> {
        let fields = format!("WARC-Type: response\nContent-Type: application/http\n{fields}");
        let head = format!("HTTP/1.1 {head}\r\nContent-Type: text/html\r\n\r\n");
        of(&fields, &[head.as_bytes(), body].concat(), is_cut).unwrap().unwrap().unread
    }

    fn truncated(reason: &str) -> Option<Outcome> {
        Some(super::truncated(reason))
    }

    #[test]
    fn half_a_page_is_not_read() {
        let chunked = format!("{:x}\r\n{PAGE}\r\n0\r\n\r\n", PAGE.len());
        let page = PAGE.as_bytes();
        let (whole, more) = (format!("200 OK\r\nContent-Length: {}", page.len()), page.repeat(99));
        let too_large = || Some(Outcome::TooLarge { limit: 1000 });
        let cases = [
            ("", whole.as_str(), page, false, None),
            ("WARC-Truncated: length", &whole, page, false, truncated("length")),
            ("WARC-Truncated: disconnect", "200 OK", page, false, truncated("disconnect")),
            ("WARC-Segment-Number: 1", "200 OK", page, false, truncated("segmented")),
            ("", "200 OK\r\nContent-Length: 99", page, false, truncated("content_length")),
            ("", "206 Partial Content", page, false, truncated("partial_content")),
            ("", "206 Partial Content\r\nContent-Range: bytes 0-36/37", page, false, None),
            (
                "",
                "206 Partial Content\r\nContent-Range: bytes 0-36/38",
                page,
                false,
                truncated("partial_content"),
            ),
            ("", "200 OK\r\nTransfer-Encoding: chunked", chunked.as_bytes(), false, None),
            (
                "",
                "200 OK\r\nTransfer-Encoding: chunked",
                &chunked.as_bytes()[..30],
                false,
                truncated("coding"),
            ),
            ("", "200 OK\r\nContent-Length: 20", &page[..20], false, truncated("html")),
            ("", "200 OK", &page[..20], false, None),
            ("", "200 OK", more.as_slice(), false, too_large()),
            ("", "200 OK\r\nContent-Length: 99", page, true, too_large()),
            // For other statuses the body does not matter.
            ("WARC-Truncated: length", "404 Not Found", page, false, None),
        ];
        for (fields, head, body, is_cut, expected) in cases {
            assert_eq!(response(fields, head, body, is_cut), expected, "{fields} {head}");
        }
    }

    #[test]
    fn the_end_tag_of_a_page_shows_that_it_is_whole() {
        let page = format!("{PAGE}</html>\n");
        let (chunked, coded) = (format!("{:x}\r\n{page}", page.len()), gzip(page.as_bytes()));
        let gzip = "200 OK\r\nContent-Encoding: gzip";
        for (fields, head, body) in [
            ("WARC-Truncated: disconnect", "200 OK", page.as_bytes()),
            ("", "200 OK\r\nContent-Length: 99", page.as_bytes()),
            ("", "200 OK\r\nTransfer-Encoding: chunked", chunked.as_bytes()),
            ("", gzip, &coded[..coded.len() - 8]),
            ("WARC-Truncated: disconnect", gzip, &coded),
        ] {
            assert_eq!(response(fields, head, body, false), None, "{fields} {head}");
        }
        let mut damaged = coded.clone();
        damaged[coded.len() - 8] ^= 1;
        for half in [&coded[..coded.len() - 15], &damaged] {
            assert_eq!(response("", gzip, half, false), truncated("coding"));
        }
    }

    #[test]
    fn a_resource_is_a_page_by_its_content_type() {
        let resource = |fields: &str| of(&format!("WARC-Type: resource\n{fields}"), PAGE.as_bytes(), false);
        let answer = resource("Content-Type: text/html; charset=utf-8").unwrap().unwrap();
        assert_eq!((answer.response.status, answer.response.body.as_slice()), (200, PAGE.as_bytes()));
        assert_eq!(answer.response.content_type.as_deref(), Some("text/html; charset=utf-8"));
        assert_eq!(answer.unread, None);
        assert!(resource("").unwrap().is_some(), "it begins like HTML");
        assert_eq!(resource("Content-Type: text/dns").unwrap_err(), "wrong_type");
        let cut = resource("Content-Type: text/html\nWARC-Truncated: time").unwrap().unwrap();
        assert_eq!(cut.unread, truncated("time"));
    }

    #[test]
    fn other_records_are_passed_over_by_their_kind() {
        let kinds = ["request", "revisit", "warcinfo", "metadata", "conversion", "continuation"];
        for kind in kinds {
            let head = b"HTTP/1.1 200 OK\r\n\r\n<html>";
            let fields = format!("WARC-Type: {kind}\nContent-Type: application/http");
            assert_eq!(of(&fields, head, false).unwrap_err(), kind);
        }
        assert_eq!(of("WARC-Type: x", b"", false).unwrap_err(), "no_response");
    }
}
