//! Builds responses from a status, a content type and a body, and adds compression and validators (RFC 9110,
//! 8.4 and 13).

use crate::markup::digest;
use flate2::{Compression, write::GzEncoder};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER, VARY,
};
use hyper::{Response, StatusCode};
use jiff::Timestamp;
use std::io::Write;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageResponse {
    pub status: StatusCode,
    pub content_type: &'static str,
    pub body: Vec<u8>,
    /// The time of the page's last change. If it is present, the response has validators.
    pub modified: Option<Timestamp>,
    pub header: Option<(HeaderName, String)>,
}

impl PageResponse {
    pub(crate) fn ok(content_type: &'static str, body: Vec<u8>, modified: Timestamp) -> Self {
        Self { modified: Some(modified), ..Self::plain(StatusCode::OK, content_type, body) }
    }

    pub(crate) fn plain(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Self {
        Self { status, content_type, body, modified: None, header: None }
    }

    pub(crate) fn text(status: StatusCode, text: &str) -> Self {
        Self::plain(status, "text/plain; charset=utf-8", text.as_bytes().to_vec())
    }

    pub(crate) fn redirect(status: StatusCode, to: String) -> Self {
        Self { header: Some((LOCATION, to)), ..Self::text(status, "") }
    }

    pub(crate) fn unavailable(seconds: u32) -> Self {
        Self {
            header: Some((RETRY_AFTER, seconds.to_string())),
            ..Self::text(StatusCode::SERVICE_UNAVAILABLE, "Try again in a moment.\n")
        }
    }

    #[cfg(feature = "tls")]
    pub(crate) fn too_many(seconds: u32) -> Self {
        Self { status: StatusCode::TOO_MANY_REQUESTS, ..Self::unavailable(seconds) }
    }

    /// Returns the status for a request with `headers`: 304 if the client's copy is current.
    pub(crate) fn status_for(&self, headers: &HeaderMap) -> StatusCode {
        if self.is_current(headers) { StatusCode::NOT_MODIFIED } else { self.status }
    }

    pub(crate) fn into_response(self, headers: &HeaderMap) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::default());
        *response.status_mut() = self.status_for(headers);
        let out = response.headers_mut();
        out.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        out.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        put(out, self.header.as_ref().map(|(name, value)| (name, value.as_str())));
        if let Some(modified) = self.modified {
            put(out, Some((&LAST_MODIFIED, &http_date(modified))));
            put(out, Some((&ETAG, &self.tag())));
        }
        if response.status() == StatusCode::NOT_MODIFIED {
            return response;
        }
        let body = if self.content_type.starts_with("text/") && accepts_gzip(headers) {
            let gzip = HeaderValue::from_static("gzip");
            response.headers_mut().insert(CONTENT_ENCODING, gzip);
            gzip_of(&self.body)
        } else {
            self.body
        };
        *response.body_mut() = Full::from(body);
        response
    }

    /// Returns an entity tag. It is weak, because the compressed and the plain body have the same tag.
    fn tag(&self) -> String {
        format!("W/\"{:016x}\"", digest(&self.body))
    }

    /// Whether the client's copy is current. `If-None-Match` takes precedence (RFC 9110, 13.2.2).
    fn is_current(&self, headers: &HeaderMap) -> bool {
        let Some(modified) = self.modified.filter(|_| self.status == StatusCode::OK) else {
            return false;
        };
        let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
        if let Some(tags) = text(IF_NONE_MATCH) {
            return tags.split(',').any(|tag| matches!(tag.trim(), t if t == self.tag() || t == "*"));
        }
        text(IF_MODIFIED_SINCE)
            .and_then(|date| jiff::fmt::rfc2822::parse(date).ok())
            .is_some_and(|since| modified.as_second() <= since.timestamp().as_second())
    }
}

pub(crate) fn gzip_of(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

fn http_date(moment: Timestamp) -> String {
    moment.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Inserts a header if its value is visible ASCII.
fn put(headers: &mut HeaderMap, header: Option<(&HeaderName, &str)>) {
    let valid = header.and_then(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?)));
    if let Some((name, value)) = valid {
        headers.insert(name, value);
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    values.filter_map(|v| v.to_str().ok()).any(|value| {
        value.split(',').any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
            let weight = weight.trim().trim_start_matches("q=");
            name.trim() == "gzip" && weight.parse::<f32>().is_ok_and(|q| q > 0.0)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::CONTENT_LENGTH;

    fn page() -> PageResponse {
        let moment = "2026-11-20T02:30:00Z".parse().unwrap();
        PageResponse::ok("text/html; charset=utf-8", b"<p>news</p>".to_vec(), moment)
    }

    fn asking(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn a_current_copy_is_not_sent_again() {
        let tag = page().tag();
        let cases = [
            (IF_NONE_MATCH, tag.as_str(), 304),
            (IF_NONE_MATCH, "\"other\"", 200),
            (IF_MODIFIED_SINCE, "Fri, 20 Nov 2026 02:30:00 GMT", 304),
            (IF_MODIFIED_SINCE, "Fri, 20 Nov 2026 02:29:59 GMT", 200),
            (IF_MODIFIED_SINCE, "yesterday", 200),
            (CONTENT_LENGTH, "0", 200),
        ];
        for (name, value, status) in cases {
            let response = page().into_response(&asking(name.clone(), value));
            assert_eq!(response.status(), status, "{name}: {value}");
            assert_eq!(response.headers()[ETAG], tag.as_str());
            let date = &response.headers()[LAST_MODIFIED];
            assert_eq!(date, "Fri, 20 Nov 2026 02:30:00 GMT");
        }
    }

    #[test]
    fn gzip_is_sent_to_those_who_ask() {
        let cases = [("gzip", true), ("br, gzip;q=0.5", true), ("gzip;q=0", false), ("br", false)];
        for (value, compressed) in cases {
            let response = page().into_response(&asking(ACCEPT_ENCODING, value));
            assert_eq!(response.headers().contains_key(CONTENT_ENCODING), compressed, "{value}");
        }
    }
}
