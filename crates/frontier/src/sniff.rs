//! Detects the type of a body from its first bytes.
//!
//! Some servers declare feeds as text/html and pages as text/xml, so the content of the body decides. The
//! check uses the first element after the declaration, comments and doctype. If the body ends before its
//! first tag, or has text before it, the result is [`BodyType::Other`]. Such a body may still be a page.

use crate::body::TextStream;
use crate::host;
use std::io::Read;

/// Number of bytes to examine, after decompression.
const HEAD: u64 = 4 << 10;

/// The detected type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyType {
    /// A sitemap or a sitemap index, in XML or as text with one address per line.
    Sitemap,
    /// An RSS, Atom, RDF or JSON feed.
    Feed,
    /// HTML or XHTML.
    Html,
    /// Another or an unknown type.
    Other,
}

/// Detects the type of a body from `bytes`, the whole body or its beginning. Decompresses gzip.
#[must_use]
pub fn sniff(bytes: &[u8]) -> BodyType {
    let mut head = Vec::new();
    // Reading from memory cannot fail. Damaged data only end the text early.
    let _ = TextStream::new(bytes, HEAD).read_to_end(&mut head);
    let head = String::from_utf8_lossy(&head);
    let text = head.trim_start();
    match text.as_bytes().first() {
        Some(b'<') => by_root(text),
        Some(b'{') if text.contains("jsonfeed.org/version") => BodyType::Feed,
        Some(_) if is_address_list(text) => BodyType::Sitemap,
        _ => BodyType::Other,
    }
}

fn by_root(mut text: &str) -> BodyType {
    loop {
        text = text.trim_start();
        let end = if text.starts_with("<?") {
            "?>"
        } else if text.starts_with("<!--") {
            "-->"
        } else if text.starts_with("<!") {
            if text.get(..14).is_some_and(|doctype| doctype.eq_ignore_ascii_case("<!doctype html")) {
                return BodyType::Html;
            }
            // The internal subset of a doctype is in brackets and contains `>`.
            if text.split('>').next().is_some_and(|head| head.contains('[')) {
                text = text.split_once(']').map_or("", |(_, rest)| rest);
            }
            ">"
        } else {
            return by_name(text);
        };
        match text.split_once(end) {
            Some((_, rest)) => text = rest,
            None => return BodyType::Other,
        }
    }
}

fn by_name(text: &str) -> BodyType {
    let Some(tag) = text.strip_prefix('<') else {
        return BodyType::Other;
    };
    let name = tag.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next().unwrap_or_default();
    let local = name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    match local.as_str() {
        "urlset" | "sitemapindex" => BodyType::Sitemap,
        "rss" | "feed" | "rdf" => BodyType::Feed,
        "html" | "head" | "body" | "meta" | "title" | "script" | "link" | "style" | "div" | "p" | "table" => {
            BodyType::Html
        }
        _ => BodyType::Other,
    }
}

/// Number of lines to check. At least one of them must be an address.
const FIRST_LINES: usize = 8;

/// Whether one of the first lines is an address. A scheme is not required.
pub(crate) fn is_address_list(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(FIRST_LINES).any(|line| {
        let is_one_word = !line.contains(|c: char| c.is_whitespace() || c == '<');
        let is_whole = host::has_scheme(line) && line.contains("://");
        is_one_word && (is_whole || host::forgotten_scheme(line, None).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::{BodyType, sniff};
    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    #[test]
    fn bodies() {
        for (text, expected) in [
            ("<?xml version='1.0'?>\n<!-- by x --><?xml-stylesheet href='a'?><urlset>", BodyType::Sitemap),
            ("\u{feff}  <sitemapindex xmlns='x'>", BodyType::Sitemap),
            ("<sm:urlset>", BodyType::Sitemap),
            ("http://a.vn/\nhttp://a.vn/b", BodyType::Sitemap),
            ("www.a.vn/\nhttp://a.vn/b", BodyType::Sitemap),
            ("# all pages\n\na.vn/b\n", BodyType::Sitemap),
            ("see http://a.vn/ or\na.b", BodyType::Other),
            ("<rss version='2.0'>", BodyType::Feed),
            ("<feed>", BodyType::Feed),
            ("<rdf:RDF>", BodyType::Feed),
            ("{\"version\": \"https://jsonfeed.org/version/1.1\"}", BodyType::Feed),
            ("<!DOCTYPE html>", BodyType::Html),
            ("<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0'><html>", BodyType::Html),
            ("<!-- c --><HTML lang=vi>", BodyType::Html),
            ("<div>", BodyType::Html),
            ("<!doctype rss><rss>", BodyType::Feed),
            ("<!DOCTYPE rss [<!ENTITY nbsp '&#160;'>]>\n<rss>", BodyType::Feed),
            ("<!DOCTYPE rss [<!ENTITY", BodyType::Other),
            ("{\"a\": 1}", BodyType::Other),
            ("https is a scheme", BodyType::Other),
            ("hello", BodyType::Other),
            ("<svg>", BodyType::Other),
            ("<!-- never closed <html>", BodyType::Other),
            ("", BodyType::Other),
        ] {
            assert_eq!(sniff(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn gzip_is_looked_into() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(format!("<urlset>{}", " ".repeat(1 << 20)).as_bytes()).unwrap();
        assert_eq!(sniff(&encoder.finish().unwrap()), BodyType::Sitemap);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64), head in "(<[?!-]{0,3})?(html|ế)?") {
            let _ = sniff(&bytes);
            let _ = sniff(&[head.as_bytes(), &bytes].concat());
        }
    }
}
