//! Parses the HTTP response in the block of a `response` record.
//!
//! The parser is lenient, because archives contain whatever servers sent. It ignores a header without a
//! colon, and accepts lines that end without `\r`.
//!
//! U+FFFD replaces invalid UTF-8 in names and values. In a `Location`, it is percent-encoded
//! ([`gleaner_http::coding::header_text`]).

use crate::payload::{self, Payload};

/// Maximum number of header lines of a response. Later lines are ignored.
const MAX_HEADERS: usize = 1_000;

/// An archived response: its status and headers, and its body as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpMessage<'a> {
    /// The HTTP status, such as 200.
    pub status: u16,
    /// Names and values of the headers in order. The values are trimmed.
    pub headers: Vec<(String, String)>,
    /// The bytes after the headers. They may have transfer and content codings.
    pub coded: &'a [u8],
}

impl<'a> HttpMessage<'a> {
    /// Parses a block. Returns `None` if the block does not begin with a status line.
    #[must_use]
    pub fn parse(block: &'a [u8]) -> Option<Self> {
        let (head, coded) = split_head(block);
        let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end());
        let status = status(lines.next()?)?;
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in lines.take(MAX_HEADERS) {
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            let name = std::str::from_utf8(name).unwrap_or_default();
            let text = gleaner_http::coding::header_text(name.trim_end(), line);
            if text.starts_with([' ', '\t']) {
                if let Some((_, value)) = headers.last_mut() {
                    value.push(' ');
                    value.push_str(text.trim());
                }
            } else if let Some((name, value)) = text.split_once(':') {
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        Some(Self { status, headers, coded })
    }

    /// Returns the value of the first header with this name, compared without case. Returns `None` if no
    /// header has this name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().find(is_it).map(|(_, value)| value.as_str())
    }

    /// Returns the first `limit` bytes of the decoded body.
    #[must_use]
    pub fn payload(&self, limit: usize) -> Payload {
        let (transfer, content) = (self.listed("Transfer-Encoding"), self.listed("Content-Encoding"));
        payload::decode(self.coded, &transfer, &content, limit)
    }

    /// Whether the body has fewer bytes than its `Content-Length`. Always `false` for a body with a coding: a
    /// transfer coding overrides `Content-Length` (RFC 9112, 6.3), and crawlers that decode a content coding
    /// may leave `Content-Length` unchanged.
    #[must_use]
    pub fn is_short(&self) -> bool {
        let is_coded = ["Transfer-Encoding", "Content-Encoding"]
            .iter()
            .any(|name| self.listed(name).iter().any(|coding| coding != "identity"));
        let stated = self.header("Content-Length").and_then(|length| length.parse::<u64>().ok());
        !is_coded && stated.is_some_and(|stated| stated > self.coded.len() as u64)
    }

    fn listed(&self, name: &str) -> Vec<String> {
        gleaner_http::coding::listed(&self.headers, name)
    }
}

fn split_head(block: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(length) = block[at..].iter().position(|byte| *byte == b'\n') {
        let next = at + length + 1;
        let rest = &block[next..];
        if rest.starts_with(b"\r\n") {
            return (&block[..next], &rest[2..]);
        }
        if rest.starts_with(b"\n") {
            return (&block[..next], &rest[1..]);
        }
        at = next;
    }
    (block, &[])
}

fn status(line: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(line).ok()?;
    let (protocol, rest) = line.split_once(' ')?;
    let is_http = protocol.len() >= 5 && protocol[..5].eq_ignore_ascii_case("HTTP/");
    let status = rest.trim_start().split(' ').next()?.parse().ok()?;
    (is_http && (100..1000).contains(&status)).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Folded: a\r\n b\r\n\r\n<p>rain";
        let message = HttpMessage::parse(block).unwrap();
        assert_eq!((message.status, message.header("content-type")), (200, Some("text/html")));
        assert_eq!(message.header("x-folded"), Some("a b"));
        assert_eq!(message.coded, b"<p>rain");
        assert_eq!(message.payload(100).body, b"<p>rain");
    }

    #[test]
    fn what_servers_send_is_read_all_the_same() {
        let cases = [
            (b"HTTP/1.0 404\n\nx".as_slice(), Some((404, b"x".as_slice()))),
            (b"HTTP/2 200 \r\nno colon\r\n\r\n", Some((200, b""))),
            (b"http/1.1 200 OK", Some((200, b""))),
            (b"HTTP/1.1 200 OK\r\nA: b", Some((200, b""))),
            (b"HTTP/1.1 200 OK\n\r\nx", Some((200, b"x"))),
            (b"HTTP/1.1 20 OK\r\n\r\n", None),
            (b"HTTP/1.1 OK\r\n\r\n", None),
            (b"<html>", None),
            (b"", None),
        ];
        for (block, expected) in cases {
            let message = HttpMessage::parse(block);
            assert_eq!(message.map(|message| (message.status, message.coded)), expected, "{block:?}");
        }
    }

    #[test]
    fn a_location_keeps_the_bytes_of_an_old_encoding() {
        let block = b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nX-Name: caf\xe9\r\n\r\n";
        let message = HttpMessage::parse(block).unwrap();
        assert_eq!(message.header("location"), Some("/caf%E9"));
        assert_eq!(message.header("x-name"), Some("caf\u{FFFD}"));
    }

    #[test]
    fn a_body_is_short_by_its_length() {
        let cases = [
            ("Content-Length: 4", false),
            ("Content-Length: 3", false),
            ("Content-Length: 5", true),
            ("Content-Length: 5, 5", false),
            ("Content-Length: -5", false),
            ("Content-Length: 5\r\nContent-Encoding: identity", true),
            ("Content-Length: 5\r\nContent-Encoding: gzip", false),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", false),
            ("X: y", false),
        ];
        for (headers, is_short) in cases {
            let block = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\nrain");
            assert_eq!(HttpMessage::parse(block.as_bytes()).unwrap().is_short(), is_short, "{headers}");
        }
    }

    #[test]
    fn no_end_of_headers() {
        let block = [b"HTTP/1.1 200 OK\r\n".as_slice(), "a: b\r\n".repeat(5_000).as_bytes()].concat();
        assert_eq!(HttpMessage::parse(&block).unwrap().headers.len(), MAX_HEADERS);
    }
}
