//! Resolves character references that remain in declarations after parsing. JSON-LD is not HTML but often
//! contains `Tom &amp; Jerry`, and some sites escape the content of `<meta>` twice.
//!
//! Limitation: a headline about `&amp;` itself is changed too.

use html5ever::data::NAMED_ENTITIES;

/// Maximum length of a name in bytes.
const LONGEST: usize = 32;

/// Resolves numeric references and the named references of HTML. Other references stay unchanged.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest
            .bytes()
            .take(LONGEST)
            .position(|byte| byte == b';')
            .and_then(|end| Some((character(&rest[1..end])?, end + 1)));
        let (c, length) = entity.unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

fn character(entity: &str) -> Option<char> {
    if let Some(number) = entity.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    if entity == "nbsp" {
        return Some(' ');
    }
    let (first, _) = NAMED_ENTITIES.get(format!("{entity};").as_str())?;
    char::from_u32(*first).filter(|c| *c != '\0')
}

pub(crate) fn without_tags(text: &str) -> String {
    const INLINE: [&str; 9] = ["a", "b", "i", "u", "em", "strong", "span", "sup", "sub"];
    let mut out = String::with_capacity(text.len());
    // After the last `>`, there can be no tags.
    let (mut rest, end) = text.split_at(text.rfind('>').map_or(0, |at| at + 1));
    while let Some(at) = rest.find('<') {
        let behind = &rest[at + 1..];
        let name = behind.strip_prefix('/').unwrap_or(behind);
        let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
        let end = behind.find('>').filter(|_| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        out.push_str(&rest[..at]);
        let Some(end) = end else {
            out.push('<');
            rest = behind;
            continue;
        };
        if !INLINE.contains(&name.to_ascii_lowercase().as_str()) {
            out.push(' ');
        }
        rest = &behind[end + 1..];
    }
    out.push_str(rest);
    out.push_str(end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_resolved() {
        assert_eq!(unescape("a&amp;b &#8217;&#x2026;&bull;"), "a&b ’…•");
        assert_eq!(unescape("a & b; &unknown; &#xD800; &#; &é; &"), "a & b; &unknown; &#xD800; &#; &é; &");
        assert_eq!(
            unescape("Caf&eacute; &notanentity; &LongestNameThatIsNoEntityAtAllOfHTML;"),
            "Café &notanentity; &LongestNameThatIsNoEntityAtAllOfHTML;"
        );
    }

    #[test]
    fn tags_are_removed() {
        let cases = [
            ("a < b > c", "a < b > c"),
            ("<b>An</b> Doe", "An Doe"),
            ("<p>One.</p><p>Two.</p>", " One.  Two. "),
            ("An<br/>Doe", "An Doe"),
            ("1 <2 and <", "1 <2 and <"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_tags(text), expected, "{text}");
        }
        assert_eq!(without_tags(&"<a".repeat(100_000)), "<a".repeat(100_000));
    }
}
