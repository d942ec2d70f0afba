//! Normalizes line breaks as in the standard: every CR LF and every lone CR becomes LF.

use std::borrow::Cow;

pub(super) fn normalise(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let mut returns = memchr::memchr_iter(b'\r', bytes).peekable();
    if returns.peek().is_none() {
        return Cow::Borrowed(html);
    }
    // The builder appends the texts that are not in the source.
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut from = 0;
    for at in returns {
        out.push_str(&html[from..at]);
        if bytes.get(at + 1) != Some(&b'\n') {
            out.push('\n');
        }
        from = at + 1;
    }
    out.push_str(&html[from..]);
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
