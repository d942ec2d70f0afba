//! Normalizes robots.txt patterns and URL paths, so that they can be compared octet by octet (RFC 9309,
//! 2.2.2).
//!
//! | octet | normal form |
//! |---|---|
//! | encoded, and unreserved or one of `:@!'(),;` | decoded, because both spellings mean the same |
//! | encoded `/` or `?`, in a query | decoded: in the RFC, `baz=https://` and `baz=https%3A%2F%2F` match |
//! | any other encoded octet | encoded, in upper case: in a path, `%2F` is not a slash |
//! | not encoded, but RFC 3986 requires encoding (`{`, `[`, space, bytes above 127) | encoded |
//! | a literal `*` or `$` | encoded, because a pattern must encode it |
//! | a `%` that begins no escape | unchanged, so that `/*%` matches octets that remain encoded |
//!
//! A part of a pattern after a `*` may match in the path or in the query. Such a part has two normal forms
//! ([`Part`]), and the matcher uses the one for the position of the match.

/// Whether an octet is in the path or in the query of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UrlPart {
    Path,
    Query,
}

#[derive(Debug)]
pub(crate) struct Text {
    pub(super) octets: String,
    /// The position of the `?`. If there is none, the length of `octets`.
    pub(super) query_at: usize,
}

impl Text {
    /// `path_and_query` must begin with `/`.
    pub(crate) fn new(path_and_query: &[u8]) -> Self {
        let (path, query) = match path_and_query.iter().position(|byte| *byte == b'?') {
            Some(at) => path_and_query.split_at(at),
            None => (path_and_query, &[][..]),
        };
        let mut octets = normal_form(path, UrlPart::Path, true).0;
        let query_at = octets.len();
        octets.push_str(&normal_form(query, UrlPart::Path, true).0);
        Self { octets, query_at }
    }
}

/// The text between two stars of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    in_path: String,
    /// The normal form in the query. `None` if it is the same as in the path.
    in_query: Option<String>,
}

impl Part {
    /// Parses `bytes`, which begin in `within`. Also returns whether they end in the query. If they do not,
    /// the part after them may be in the path or in the query.
    fn parse(bytes: &[u8], within: UrlPart) -> (Self, UrlPart) {
        let (in_path, after) = normal_form(bytes, within, false);
        let has_escape = within == UrlPart::Path && bytes.contains(&b'%');
        let in_query = has_escape.then(|| normal_form(bytes, UrlPart::Query, false).0);
        let in_query = in_query.filter(|in_query| *in_query != in_path);
        (Self { in_path, in_query }, after)
    }

    pub(super) fn in_path(&self) -> &str {
        &self.in_path
    }

    pub(super) fn in_query(&self) -> &str {
        self.in_query.as_ref().unwrap_or(&self.in_path)
    }

    pub(super) fn is_the_same(&self) -> bool {
        self.in_query.is_none()
    }
}

#[derive(Debug)]
pub(crate) struct Pattern {
    pub(super) head: String,
    /// The parts after the head, in this order. None of them is empty.
    pub(super) parts: Vec<Part>,
    /// Whether the path must end with the last part, or with the head if there is no part.
    pub(super) anchored: bool,
    /// The length of the pattern in octets. It determines the rank of the rule.
    pub(crate) octets: usize,
}

impl Pattern {
    pub(crate) fn parse(value: &[u8]) -> Self {
        let (body, anchored) = match value.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (value, false),
        };
        let mut written = body.split(|byte| *byte == b'*');
        let (head, mut within) = normal_form(written.next().unwrap_or_default(), UrlPart::Path, false);
        let mut octets = head.len() + usize::from(anchored);
        let mut parts = Vec::new();
        let mut open_end = false;
        for written in written {
            let (part, after) = Part::parse(written, within);
            octets += 1 + part.in_path.len();
            within = after;
            open_end = written.is_empty();
            if !open_end {
                parts.push(part);
            }
        }
        // In `/a*$`, the star matches up to any end, so the pattern is not anchored.
        Self { head, parts, anchored: anchored && !open_end, octets }
    }
}

/// Returns the normal form of `bytes`, which begin in `within`, and whether they end in the path or the
/// query. `literal` says whether `*` is a literal octet.
fn normal_form(bytes: &[u8], mut within: UrlPart, literal: bool) -> (String, UrlPart) {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        let (byte, encoded) = match (byte, hex_pair(tail)) {
            (b'%', Some(decoded)) => {
                rest = &tail[2..];
                (decoded, true)
            }
            (byte, _) => (*byte, false),
        };
        if byte == b'?' && !encoded {
            within = UrlPart::Query;
        }
        let plain = match (byte, encoded) {
            (b'*', false) => !literal,
            (b'$', false) => false,
            (b'/' | b'?', true) => within == UrlPart::Query,
            (_, true) => is_unreserved(byte) || b":@!'(),;".contains(&byte),
            (_, false) => is_unreserved(byte) || b":@!'(),;&=+/?%".contains(&byte),
        };
        if plain {
            out.push(char::from(byte));
        } else {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    (out, within)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Pattern, Text};

    #[test]
    fn one_form() {
        for (written, expected) in [
            ("/a%7Eb%2d", "/a~b-"),
            ("/{k}[0]|\\^\"<>` ", "/%7Bk%7D%5B0%5D%7C%5C%5E%22%3C%3E%60%20"),
            ("/%7bk%7D%5b0%5D", "/%7Bk%7D%5B0%5D"),
            ("/a%2fb%3fc", "/a%2Fb%3Fc"),
            ("/a?b=%2f%3f%3a%40/?:@", "/a?b=/?:@/?:@"),
            ("/%3a%40%21%27%28%29%2c%3b", "/:@!'(),;"),
            ("/?a=1%26b%3D2%2B3&c", "/?a=1%26b%3D2%2B3&c"),
            ("/*$%2a%24", "/%2A%24%2A%24"),
            ("/100%/%zz%4", "/100%/%zz%4"),
            ("/tin-tức/\u{1}", "/tin-t%E1%BB%A9c/%01"),
        ] {
            assert_eq!(Text::new(written.as_bytes()).octets, expected, "{written}");
        }
    }

    #[test]
    fn parts_behind_a_star_have_two_readings_until_the_query_begins() {
        let pattern = Pattern::parse(b"/a%2Fb*c%2Fd*?e%2Ff*g%2Fh$");
        assert_eq!(pattern.head, "/a%2Fb");
        let parts: Vec<_> = pattern.parts.iter().map(|part| (part.in_path(), part.in_query())).collect();
        assert_eq!(parts, [("c%2Fd", "c/d"), ("?e/f", "?e/f"), ("g/h", "g/h")]);
        assert!(pattern.anchored);
    }

    proptest! {
        #[test]
        fn the_normal_form_is_stable(text in "/[ -~]{0,40}") {
            let once = Text::new(text.as_bytes());
            let twice = Text::new(once.octets.as_bytes());
            prop_assert_eq!((&twice.octets, twice.query_at), (&once.octets, once.query_at));
        }
    }
}
