//! Classifies elements by name: whether they form separate lines, and whether they may contain visible text.
//!
//! Limitation: style sheets are ignored, and an unknown name is inline, as in a browser.

/// Whether an element of this name starts and ends a line, such as a block, a list item or a table part.
#[must_use]
pub fn is_block(tag: &str) -> bool {
    let prose =
        matches!(tag, "p" | "div" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "center");
    let list = || matches!(tag, "li" | "ul" | "ol" | "dl" | "dt" | "dd" | "dir" | "menu");
    let table = || matches!(tag, "td" | "th" | "tr" | "table" | "tbody" | "thead" | "tfoot" | "caption");
    let section = || matches!(tag, "section" | "article" | "aside" | "main" | "header" | "footer" | "nav");
    let part = || matches!(tag, "figure" | "figcaption" | "hr" | "address" | "hgroup" | "search" | "details");
    let form =
        || matches!(tag, "summary" | "dialog" | "form" | "fieldset" | "legend" | "option" | "optgroup");
    let page = || matches!(tag, "html" | "head" | "body" | "frameset" | "marquee");
    prose || list() || table() || section() || part() || form() || page() || is_preformatted(tag)
}

pub(crate) fn is_preformatted(tag: &str) -> bool {
    matches!(tag, "pre" | "listing" | "xmp" | "plaintext")
}

/// Whether an element of this name never yields text. These elements are:
///
/// * `script`, `style`, `template`, `head`, `title`: code and metadata;
/// * `noscript`: browsers with scripts do not show it, and newspapers put a second copy of lazy images and
///   "enable JavaScript" in it;
/// * `svg`, `math` annotations: labels of drawings, TeX next to the formula;
/// * `iframe`, `object`, `video`, `audio`, `canvas`, `noframes`, `noembed`, `progress`, `meter`: their
///   content is a message for browsers that cannot show them;
/// * `button`, `select`, `option`, `datalist`, `textarea`: controls, not prose;
/// * `rt`, `rp`: ruby annotations repeat the word next to them.
#[must_use]
pub fn never_text(tag: &str) -> bool {
    let embedded = || matches!(tag, "svg" | "iframe" | "object" | "video" | "audio" | "canvas");
    let gauge = || matches!(tag, "progress" | "meter");
    let control = || matches!(tag, "button" | "select" | "option" | "optgroup" | "textarea");
    invisible(tag) || embedded() || gauge() || control()
}

/// Whether an element takes no space on the page. If so, no space separates the words before and after it.
pub(crate) fn invisible(tag: &str) -> bool {
    let code = || matches!(tag, "script" | "style" | "template" | "head" | "title");
    let substitute = || matches!(tag, "noscript" | "noframes" | "noembed" | "datalist");
    let repeated = || matches!(tag, "annotation" | "annotation-xml" | "rt" | "rp");
    code() || substitute() || repeated()
}

/// Whether a name contains one of these lower-case words, ignoring case.
pub(crate) fn holds_one(name: &str, words: &[&str]) -> bool {
    let bit = |byte: u8| 1u32.checked_shl(u32::from((byte | 0x20).wrapping_sub(b'a'))).unwrap_or(0);
    let firsts = words.iter().filter_map(|word| word.bytes().next()).fold(0, |all, byte| all | bit(byte));
    let begins = |(at, byte): (usize, u8)| {
        let holds = |word: &&str| {
            let here = name.as_bytes().get(at..at + word.len());
            here.is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
        };
        firsts & bit(byte) != 0 && words.iter().any(holds)
    };
    name.bytes().enumerate().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for tag in ["p", "td", "li", "pre", "body", "option"] {
            assert!(is_block(tag), "{tag}");
        }
        for tag in ["a", "b", "span", "br", "img", "x-story", "", "P"] {
            assert!(!is_block(tag) && !never_text(tag), "{tag}");
        }
    }

    #[test]
    fn words_are_found_in_names() {
        for (name, expected) in [
            ("post-Date_x", true),
            ("TIME", true),
            ("tim", false),
            ("", false),
            ("éate dat", false),
            ("[ime", false),
        ] {
            assert_eq!(holds_one(name, &["date", "time"]), expected, "{name}");
        }
    }
}
