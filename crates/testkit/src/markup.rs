//! Renders the common parts of both papers' pages (escaping, inline marks, teasers), and computes digests.

use crate::article::Span;
use crate::site::Site;

pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Returns `text` as a JSON string with quotes. The string may be used inside `<script>`.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' || c == '<' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(crate) fn inline(site: &Site, spans: &[Span]) -> String {
    let html = spans.iter().map(|span| match span {
        Span::Text(text) => escape(text),
        Span::Italic(text) => format!("<em>{}</em>", escape(text)),
        Span::Bold(text) => format!("<strong>{}</strong>", escape(text)),
        Span::Link { text, target } => match link(site, target) {
            Some(href) => format!(r#"<a href="{}">{}</a>"#, escape(&href), escape(text)),
            None => escape(text),
        },
    });
    html.collect()
}

fn link(site: &Site, target: &str) -> Option<String> {
    match target.parse::<u32>() {
        Ok(number) => site.numbered(number).map(|article| site.path(article)),
        Err(_) => Some(target.to_owned()),
    }
}

pub(crate) fn teaser(text: &str) -> String {
    const WORDS: usize = 14;
    let words: Vec<_> = text.split_whitespace().collect();
    if words.len() <= WORDS {
        return text.to_owned();
    }
    format!("{} …", words[..WORDS].join(" "))
}

/// Computes the 64-bit FNV-1a hash (draft-eastlake-fnv), which is not cryptographic. The hash is the same on
/// every machine, so pages are reproducible.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_opens_no_tag_and_closes_no_attribute() {
        assert_eq!(escape(r#"<a & "b">"#), "&lt;a &amp; &quot;b&quot;&gt;");
        assert_eq!(json("\"\\</script>\n"), r#""\"\\\u003c/script>\u000a""#);
    }

    #[test]
    fn the_digest_is_the_published_one() {
        // The FNV draft contains these test vectors.
        assert_eq!(digest(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(digest(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_teaser_is_short() {
        assert_eq!(teaser("short"), "short");
        let long = "w ".repeat(40);
        assert_eq!(teaser(&long).split(' ').count(), 15);
    }
}
