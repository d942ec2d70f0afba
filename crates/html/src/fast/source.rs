//! Normalizes line breaks as in the standard: every CR LF and every lone CR becomes LF.

use std::borrow::Cow;

pub(super) fn normalise(html: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\r', html.as_bytes()) else {
        return Cow::Borrowed(html);
    };
    let mut out = String::with_capacity(html.len());
    out.push_str(&html[..first]);
    let mut rest = &html[first..];
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = rest[at + 1..].strip_prefix('\n').unwrap_or(&rest[at + 1..]);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn line_breaks() {
        for (html, expected) in [("a\r\nb\rc\r\r\n", "a\nb\nc\n\n"), ("\r", "\n"), ("é\n", "é\n")] {
            assert_eq!(super::normalise(html), expected);
        }
    }
}
