//! Resolves character references that are left in declarations. JSON-LD is not HTML but often has
//! `Tom &amp; Jerry`, and some sites escape the content of `<meta>` twice.
//!
//! Limitation: only numeric references and the names common in headlines are resolved. A headline
//! about `&amp;` itself is read wrongly.

/// Resolves numeric references and the most common names, and leaves other references unchanged.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest
            .find(';')
            .filter(|end| *end <= 10)
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
    Some(match entity {
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        "rsquo" => '’',
        "lsquo" => '‘',
        "ldquo" => '“',
        "rdquo" => '”',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "bull" => '•',
        "middot" => '·',
        "laquo" => '«',
        "raquo" => '»',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_resolved() {
        assert_eq!(unescape("a&amp;b &#8217;&#x2026;&bull;"), "a&b ’…•");
        assert_eq!(unescape("a & b; &unknown; &#xD800; &#; &é; &"), "a & b; &unknown; &#xD800; &#; &é; &");
    }
}
