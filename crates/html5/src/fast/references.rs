//! Resolves character references like html5ever: the standard's names with and without a semicolon, numeric
//! references, and the exceptions in attribute values.
//!
//! Limitation: a name without a semicolon is looked up character by character in html5ever's table of names
//! and prefixes, which takes about 20 ns per character. The five most common names are resolved without the
//! table.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Maximum length in bytes of a name with its semicolon.
const LONGEST: usize = 32;

pub(super) fn resolve(text: &str, in_attribute: bool, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let length = match rest.as_bytes().first() {
            Some(b'#') => number(rest, out),
            Some(b) if b.is_ascii_alphanumeric() => {
                common(rest, out).or_else(|| name(rest, in_attribute, out))
            }
            _ => None,
        };
        match length {
            Some(length) => rest = &rest[length..],
            None => out.push('&'),
        }
    }
    out.push_str(rest);
}

fn common(rest: &str, out: &mut String) -> Option<usize> {
    let end = memchr::memchr(b';', &rest.as_bytes()[..rest.len().min(5)])?;
    out.push(match &rest[..end] {
        "amp" => '&',
        "quot" => '"',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => '\u{a0}',
        _ => return None,
    });
    Some(end + 1)
}

/// Resolves the longest name in the table. Returns the number of bytes read. In the value of an attribute, a
/// name without a semicolon is not a reference if a letter, a digit or `=` follows.
fn name(rest: &str, in_attribute: bool, out: &mut String) -> Option<usize> {
    let (end, (first, second)) = with_semicolon(rest).or_else(|| longest(rest))?;
    let next = rest.as_bytes().get(end);
    let goes_on = next.is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric());
    if in_attribute && goes_on && !rest[..end].ends_with(';') {
        return None;
    }
    out.extend(char::from_u32(first));
    if second != 0 {
        out.extend(char::from_u32(second));
    }
    Some(end)
}

/// Looks up the whole name up to the next semicolon. It is the longest possible name.
fn with_semicolon(rest: &str) -> Option<(usize, (u32, u32))> {
    let end = memchr::memchr(b';', &rest.as_bytes()[..rest.len().min(LONGEST)])? + 1;
    NAMED_ENTITIES.get(&rest[..end]).map(|characters| (end, *characters))
}

fn longest(rest: &str) -> Option<(usize, (u32, u32))> {
    let mut found = None;
    for (at, c) in rest.char_indices() {
        let end = at + c.len_utf8();
        match NAMED_ENTITIES.get(&rest[..end]) {
            None => break,
            Some((0, _)) => {}
            Some(characters) => found = Some((end, *characters)),
        }
    }
    found
}

fn number(rest: &str, out: &mut String) -> Option<usize> {
    let (base, from) = match rest.as_bytes().get(1) {
        Some(b'x' | b'X') => (16, 2),
        _ => (10, 1),
    };
    let digits = rest[from..].bytes().take_while(|b| char::from(*b).is_digit(base)).count();
    if digits == 0 {
        return None;
    }
    let mut code = 0u32;
    for digit in rest[from..from + digits].chars().filter_map(|c| c.to_digit(base)) {
        code = code.saturating_mul(base).saturating_add(digit);
    }
    out.push(character(code));
    let end = from + digits;
    Some(end + usize::from(rest.as_bytes().get(end) == Some(&b';')))
}

fn character(code: u32) -> char {
    let replaced = match code {
        0 => None,
        0x80..=0x9F => C1_REPLACEMENTS[(code - 0x80) as usize].or_else(|| char::from_u32(code)),
        _ => char::from_u32(code),
    };
    replaced.unwrap_or('\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, in_text: &str, in_attribute: &str) {
        for (is_attribute, expected) in [(false, in_text), (true, in_attribute)] {
            let mut out = String::new();
            resolve(text, is_attribute, &mut out);
            assert_eq!(out, expected, "{text}");
        }
    }

    #[test]
    fn names() {
        check("a &amp; b &lt;&nbsp;&eacute;", "a & b <\u{a0}é", "a & b <\u{a0}é");
        check("?a=1&copy=2&reg", "?a=1©=2®", "?a=1&copy=2®");
        check("&notit; &notin; &not", "¬it; ∉ ¬", "&notit; ∉ ¬");
        check("&; & &nothing; &ampx &&amp;", "&; & ¬hing; &x &&", "&; & &nothing; &ampx &&");
        check("&nGt;&zzz", "≫⃒&zzz", "≫⃒&zzz");
    }

    #[test]
    fn numbers() {
        let expected = "'’’\u{FFFD}\u{FFFD}\u{FFFD}a";
        check("&#39;&#x2019;&#146;&#0;&#xD800;&#x110000;&#97", expected, expected);
        check("&# &#; &#x; &#xg", "&# &#; &#x; &#xg", "&# &#; &#x; &#xg");
        check("&#99999999999999999999;", "\u{FFFD}", "\u{FFFD}");
    }
}
