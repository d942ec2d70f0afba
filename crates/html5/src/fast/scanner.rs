//! Finds the ends of text, comments, tags and raw text. Offsets are in bytes, and may equal the length of the
//! source. The functions allocate no memory, and use memchr for long distances. The source must not contain
//! NUL or carriage return. The end of an unclosed construct is the length of the source or, for a tag,
//! `None`.

use memchr::memmem;

use crate::tag_state::State;

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b' ')
}

/// Returns the end of the text, which is the next `<` of a tag or comment, and whether the text has a `&`.
pub(super) fn text_end(bytes: &[u8], at: usize) -> (usize, bool) {
    let (mut from, mut has_reference) = (at, false);
    while let Some(found) = memchr::memchr2(b'<', b'&', &bytes[from..]) {
        let end = from + found;
        match bytes.get(end + 1) {
            _ if bytes[end] == b'&' => {
                has_reference = true;
                from = end + 1;
            }
            Some(b) if b.is_ascii_alphabetic() || matches!(b, b'/' | b'!' | b'?') => {
                return (end, has_reference);
            }
            _ => from = end + 1,
        }
    }
    (bytes.len(), has_reference)
}

pub(super) fn bogus_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'>', &bytes[at..]).map_or(bytes.len(), |found| at + found + 1)
}

pub(super) fn comment_end(bytes: &[u8], at: usize) -> usize {
    match &bytes[at..] {
        [b'>', ..] => return at + 1,
        [b'-', b'>', ..] => return at + 2,
        _ => {}
    }
    let mut from = at;
    while let Some(found) = memmem::find(&bytes[from..], b"--") {
        let end = from + found + 2;
        match &bytes[end..] {
            [b'>', ..] => return end + 1,
            [b'!', b'>', ..] => return end + 2,
            _ => from = end - 1,
        }
    }
    bytes.len()
}

/// Returns the offset after a tag. Returns `None` if the source ends in the tag.
pub(super) fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&b'>') {
        return Some(at + 1);
    }
    tag_end_from(bytes, at, State::TagName)
}

fn tag_end_from(bytes: &[u8], at: usize, mut state: State) -> Option<usize> {
    for (offset, byte) in bytes[at..].iter().enumerate() {
        match state.after(*byte) {
            Some(next) => state = next,
            None => return Some(at + offset + 1),
        }
    }
    None
}

/// Like [`tag_end`], but faster for tags whose values are in quotes.
pub(super) fn quick_tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut from = at;
    loop {
        let found = from + memchr::memchr3(b'>', b'"', b'\'', &bytes[from..])?;
        let quote = bytes[found];
        if quote == b'>' {
            return Some(found + 1);
        }
        // A quote after the first `name=` begins a value. Other quotes may be part of names or values.
        let before = &bytes[from..found];
        let is_value = before.len() >= 3 && memchr::memchr(b'=', before) == Some(before.len() - 1);
        if !is_value || !before[before.len() - 2].is_ascii_alphanumeric() {
            return tag_end_from(bytes, from, State::BeforeName);
        }
        from = found + 2 + memchr::memchr(quote, &bytes[found + 1..])?;
    }
}

/// Returns the end of the raw text, and the end of the name in its end tag.
pub(super) fn raw_text_end(bytes: &[u8], at: usize, name: &str) -> (usize, usize) {
    let mut from = at;
    while let Some(found) = memchr::memchr(b'<', &bytes[from..]) {
        let open = from + found;
        if let Some(end) = closes(bytes, open, name) {
            return (open, end);
        }
        from = open + 1;
    }
    (bytes.len(), bytes.len())
}

fn closes(bytes: &[u8], open: usize, name: &str) -> Option<usize> {
    let end = open + 2 + name.len();
    (bytes.get(open + 1) == Some(&b'/') && is_word(bytes, open + 2, name)).then_some(end)
}

fn is_word(bytes: &[u8], at: usize, word: &str) -> bool {
    let end = at + word.len();
    let is_it = bytes.get(at..end).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()));
    is_it && bytes.get(end).is_some_and(|b| is_space(*b) || matches!(b, b'/' | b'>'))
}

/// Like [`raw_text_end`], for scripts. A comment in a script may contain an inner script, whose end tag does
/// not end the outer one ("script data double escaped").
pub(super) fn script_end(bytes: &[u8], at: usize) -> (usize, usize) {
    let (mut from, mut comment_until, mut is_inner) = (at, at, false);
    while let Some(found) = memchr::memchr(b'<', &bytes[from..]) {
        let open = from + found;
        is_inner &= open < comment_until;
        if let Some(end) = closes(bytes, open, "script") {
            if !is_inner {
                return (open, end);
            }
            is_inner = false;
        } else if open < comment_until {
            is_inner |= is_word(bytes, open + 1, "script");
        } else if bytes[open..].starts_with(b"<!--") {
            let close = memmem::find(&bytes[open + 2..], b"-->");
            comment_until = close.map_or(bytes.len(), |close| open + close + 5);
        }
        from = open + 1;
    }
    (bytes.len(), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments() {
        for (text, end) in [("a-->b", 4), (">b", 1), ("->b", 2), ("-->b", 3), ("a--!>b", 5), ("--->b", 4)] {
            assert_eq!(comment_end(text.as_bytes(), 0), end, "{text}");
        }
        assert_eq!(comment_end(b"a->--b", 0), 6);
    }

    #[test]
    fn tags_end_quickly_where_they_end() {
        let parts = ["a", "=", "'", "\"", " ", "b=\"c>\"", "d='>'", ">", "/", "x=y"];
        for number in 0..100_000_usize {
            let digits = (0..5).map(|at| parts[number / 10_usize.pow(at) % 10]);
            let tag = format!("<p {}>", digits.collect::<String>());
            assert_eq!(quick_tag_end(tag.as_bytes(), 2), tag_end(tag.as_bytes(), 2), "{tag}");
        }
    }

    #[test]
    fn text_goes_on_at_a_lone_less_than() {
        assert_eq!(text_end(b"a < b <3 <b>", 0), (9, false));
        assert_eq!(text_end(b"a & <", 0), (5, true));
    }

    #[test]
    fn scripts() {
        let end = |text: &str| script_end(text.as_bytes(), 0);
        assert_eq!(end("a</scripts></SCRIPT >b"), (11, 19));
        assert_eq!(end("<!-- </script>"), (5, 13));
        assert_eq!(end("<!-- <script> </script> --></script>"), (27, 35));
        assert_eq!(end("<!-- <script> --></script>"), (17, 25));
        assert_eq!(end("<!--> <script></script>"), (14, 22));
        assert_eq!(end("a</script"), (9, 9));
    }
}
