//! Normalizes percent-encoding (RFC 3986, sections 6.2.2.1 and 6.2.2.2).
//!
//! Hex digits become upper-case, and characters that need no encoding are decoded. A `%` that does not start
//! an escape stays unchanged, because servers interpret it in different ways (old pages contain `%u0103`). An
//! escape also stays if its decoded character would form a new escape with a preceding `%`, as in `%%34%31`.
//! Otherwise a second normalization would change the text.

/// Normalizes a path or a query. A second normalization does not change the result.
pub(crate) fn normalise(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    // Length of the beginning of `out` in which no `%` can become part of a new escape.
    let mut settled = 0;
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let start = bytes.len() - rest.len() + at;
        let Some(byte) = escape(&bytes[start..]) else {
            out.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if unreserved && !(byte.is_ascii_hexdigit() && stray_percent(&out[settled..])) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&text[start + 1..start + 3].to_ascii_uppercase());
            settled = out.len();
        }
        rest = &rest[at + 3..];
    }
    out.push_str(rest);
    out
}

fn escape(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(1)? * 16 + digit(2)?).ok()
}

/// Whether `done` ends with a `%` that is not an escape but could become one with further hex digits.
fn stray_percent(done: &str) -> bool {
    let bytes = done.as_bytes();
    match *bytes {
        [.., b'%'] => true,
        [.., b'%', digit] => digit.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;
    use proptest::prelude::*;

    #[test]
    fn one_spelling() {
        for (written, expected) in [
            ("", ""),
            ("/a%7eb", "/a~b"),
            ("/%41%2d%5F", "/A-_"),
            ("/%c4%83", "/%C4%83"),
            ("/a%2fb", "/a%2Fb"),
            ("/100%", "/100%"),
            ("/%u0103", "/%u0103"),
            ("/%%34%31", "/%%341"),
            ("/%a%34", "/%a%34"),
            ("/%25%34%31", "/%2541"),
            ("/ă%", "/ă%"),
        ] {
            assert_eq!(normalise(written), expected, "{written}");
        }
    }

    proptest! {
        #[test]
        fn twice_is_once(text in "[%0-9a-fxă/]{0,24}") {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once.clone());
        }
    }
}
