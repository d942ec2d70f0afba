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

fn is_preformatted(tag: &str) -> bool {
    matches!(tag, "pre" | "listing" | "xmp" | "plaintext")
}

/// Whether an element of this name never yields text. These elements are:
///
/// * `script`, `style`, `template`, `head`, `title`: code and metadata;
/// * `noscript`: browsers that run scripts do not show it. On news pages, it contains second copies of
///   images, or "enable JavaScript";
/// * `svg`: labels of drawings;
/// * `annotation`, `annotation-xml`: the source of a formula in `math`, such as TeX, which repeats the
///   formula;
/// * `iframe`, `object`, `video`, `audio`, `canvas`, `noframes`, `noembed`, `progress`, `meter`: their
///   content is a message for browsers that do not support the element;
/// * `button`, `select`, `option`, `optgroup`, `datalist`, `textarea`: controls, not prose;
/// * `rt`, `rp`: ruby annotations repeat the word next to them.
#[must_use]
pub fn never_text(tag: &str) -> bool {
    let embedded = || matches!(tag, "svg" | "iframe" | "object" | "video" | "audio" | "canvas");
    let gauge = || matches!(tag, "progress" | "meter");
    let control = || matches!(tag, "button" | "select" | "option" | "optgroup" | "textarea");
    invisible(tag) || embedded() || gauge() || control()
}

/// Whether an element takes no space on the page, so that no space separates the words before and after it.
fn invisible(tag: &str) -> bool {
    let code = || matches!(tag, "script" | "style" | "template" | "head" | "title");
    let substitute = || matches!(tag, "noscript" | "noframes" | "noembed" | "datalist");
    let repeated = || matches!(tag, "annotation" | "annotation-xml" | "rt" | "rp");
    code() || substitute() || repeated()
}

/// The results of the functions above for a name. The page stores them in each node, because the functions
/// compare a name with dozens of others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Display(u8);

impl Display {
    const BLOCK: u8 = 1;
    const NEVER_TEXT: u8 = 1 << 1;
    const INVISIBLE: u8 = 1 << 2;
    const CUSTOM: u8 = 1 << 3;

    /// Classifies the name of an element.
    #[must_use]
    pub fn from_name(tag: &str) -> Self {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        Self(
            bit(is_block(tag), Self::BLOCK)
                | bit(never_text(tag), Self::NEVER_TEXT)
                | bit(invisible(tag), Self::INVISIBLE)
                | bit(tag.contains('-') && tag != "annotation-xml", Self::CUSTOM),
        )
    }

    /// Whether the element starts and ends a line ([`is_block`]).
    #[must_use]
    #[inline]
    pub fn is_block(self) -> bool {
        self.0 & Self::BLOCK != 0
    }

    /// Whether the element never yields text ([`never_text`]).
    #[must_use]
    #[inline]
    pub fn is_never_text(self) -> bool {
        self.0 & Self::NEVER_TEXT != 0
    }

    /// Whether the element is a custom element, whose name contains a hyphen.
    #[must_use]
    #[inline]
    pub fn is_custom(self) -> bool {
        self.0 & Self::CUSTOM != 0
    }

    /// Whether the element takes no space on the page.
    #[must_use]
    #[inline]
    pub fn is_invisible(self) -> bool {
        self.0 & Self::INVISIBLE != 0
    }
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
    fn the_display_of_a_name_is_what_its_functions_say() {
        for tag in ["p", "td", "option", "script", "svg", "title", "pre", "a", "x-story", ""] {
            let display = Display::from_name(tag);
            let of_name = (is_block(tag), never_text(tag), invisible(tag));
            assert_eq!(
                (display.is_block(), display.is_never_text(), display.is_invisible()),
                of_name,
                "{tag}"
            );
        }
        assert_eq!(Display::default(), Display::from_name("a"));
    }
}
