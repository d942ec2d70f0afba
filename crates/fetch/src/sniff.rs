//! Detects whether the body of a response without a `Content-Type` begins like an HTML page.
//!
//! The tags are from WHATWG MIME Sniffing, 7.1. As in that standard, a space or `>` must follow the tag.
//! UTF-16 is read by dropping its zero bytes. This works because the first tags of a page are ASCII.

const WINDOW: usize = 1024;

const OPENINGS: [&str; 16] = [
    "<!doctype html",
    "<html",
    "<head",
    "<script",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a",
    "<style",
    "<title",
    "<b",
    "<body",
    "<br",
    "<p",
];

pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    let head: Vec<u8> = bytes.iter().take(WINDOW).copied().filter(|b| *b != 0).collect();
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    // Lossy decoding turns a UTF-16 BOM into U+FFFD.
    let mut head = head.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\u{fffd}');
    let xml = head.starts_with("<?xml");
    for (opening, end) in [("<?xml", "?>"), ("<!--", "-->")] {
        while let Some(rest) = head.strip_prefix(opening) {
            // The declaration or comment does not end, so the first tag is unknown. A body that begins with a
            // comment is HTML, and one that begins with a declaration may be any XML.
            let Some((_, rest)) = rest.split_once(end) else { return !xml };
            head = rest.trim_start();
        }
    }
    OPENINGS.iter().any(|tag| {
        let rest = head.strip_prefix(tag);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c == '>' || c.is_whitespace()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_from_the_rest() {
        for page in [
            "<!DOCTYPE html><html>",
            "\u{feff}\r\n <HTML lang=vi>",
            "<html>",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\">",
            "<!-- a comment --><html>",
            "<p>text",
        ] {
            assert!(looks_like_html(page.as_bytes()), "{page}");
        }
        for other in [
            "",
            "User-agent: *\nDisallow: /",
            "<?xml version=\"1.0\"?><rss>",
            "<?xml?><!-- feed --><rss>",
            "<rss>",
            "%PDF-1.4",
            "{}",
            "<pre-x",
        ] {
            assert!(!looks_like_html(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn utf_16_is_read() {
        let le: Vec<u8> = [0xff, 0xfe].into_iter().chain("<html>".bytes().flat_map(|b| [b, 0])).collect();
        assert!(looks_like_html(&le));
    }
}
