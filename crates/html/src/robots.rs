//! Reads what a page asks of crawlers: not to store it (`noindex`), not to follow its links (`nofollow`).
//!
//! A page says so in `<meta name=robots>`, in a `<meta>` with the name of a crawler, or in the HTTP header
//! `X-Robots-Tag`, which may also name a crawler (`otherbot: noindex`). If several of them concern a crawler, the
//! strictest counts, as for Google. `none` means both. All other directives, such as `noarchive` and
//! `max-snippet`, concern search results and are ignored.

use std::ops::BitOrAssign;

/// What a page asks of a crawler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RobotsDirectives {
    /// Whether the page asks not to be stored.
    pub noindex: bool,
    /// Whether the page asks not to follow its links.
    pub nofollow: bool,
}

/// A `<meta>` element that contains `noindex`, `nofollow` or `none`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsMeta {
    /// The value of `name`, trimmed: `robots` or, possibly, the name of a crawler.
    pub name: String,
    /// The directives in `content`.
    pub directives: RobotsDirectives,
}

impl RobotsDirectives {
    /// Reads the `content` of a `<meta>` element.
    ///
    /// ```
    /// use gleaner_html::robots::RobotsDirectives;
    /// let directives = RobotsDirectives::from_content("NOINDEX, follow");
    /// assert_eq!(directives, RobotsDirectives { noindex: true, nofollow: false });
    /// ```
    #[must_use]
    pub fn from_content(content: &str) -> Self {
        let mut found = Self::default();
        for word in content.split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';')) {
            let is = |name: &str| word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case("none");
            found |= Self { noindex: is("noindex"), nofollow: is("nofollow") };
        }
        found
    }

    /// Reads the value of an `X-Robots-Tag` header. Directives after the name of a crawler count only for this
    /// crawler. `agent` is our name.
    ///
    /// ```
    /// use gleaner_html::robots::RobotsDirectives;
    /// let read = |value| RobotsDirectives::from_header(value, "gleaner");
    /// assert!(read("noindex, nofollow").nofollow);
    /// assert!(read("Gleaner: noindex").noindex && !read("otherbot: noindex, nofollow").nofollow);
    /// ```
    #[must_use]
    pub fn from_header(value: &str, agent: &str) -> Self {
        let mut found = Self::default();
        directives_for(value, agent).for_each(|directives| found |= Self::from_content(directives));
        found
    }
}

/// Returns the directives in an `X-Robots-Tag` header that concern the crawler `agent`.
pub fn directives_for<'a>(value: &'a str, agent: &str) -> impl Iterator<Item = &'a str> {
    let mut is_for_us = true;
    value.split(',').filter_map(move |part| {
        let directives = match part.split_once(':') {
            Some((name, rest)) if is_crawler(name.trim()) => {
                is_for_us = name.trim() == "*" || name.trim().eq_ignore_ascii_case(agent);
                rest
            }
            _ => part,
        };
        is_for_us.then_some(directives)
    })
}

/// Whether the text before a colon is the name of a crawler, and not a directive with a value, such as
/// `max-snippet: 20` or `unavailable_after: 25 Jun 2026 15:00:00 GMT`.
fn is_crawler(name: &str) -> bool {
    let has_value = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    !name.is_empty()
        && !name.contains(|c: char| c.is_whitespace())
        && !has_value.iter().any(|directive| name.eq_ignore_ascii_case(directive))
}

impl BitOrAssign for RobotsDirectives {
    fn bitor_assign(&mut self, other: Self) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: RobotsDirectives = RobotsDirectives { noindex: false, nofollow: false };
    const NOINDEX: RobotsDirectives = RobotsDirectives { noindex: true, nofollow: false };
    const NOFOLLOW: RobotsDirectives = RobotsDirectives { noindex: false, nofollow: true };
    const BOTH: RobotsDirectives = RobotsDirectives { noindex: true, nofollow: true };

    #[test]
    fn content_of_a_meta_element() {
        for (content, expected) in [
            ("index,follow", NOTHING),
            ("", NOTHING),
            ("all", NOTHING),
            ("noindexing", NOTHING),
            ("NOINDEX, follow", NOINDEX),
            ("max-snippet:-1,nofollow", NOFOLLOW),
            ("noindex nofollow", BOTH),
            ("noindex;\nnofollow", BOTH),
            ("None", BOTH),
        ] {
            assert_eq!(RobotsDirectives::from_content(content), expected, "{content}");
        }
    }

    #[test]
    fn a_header_may_name_crawlers() {
        for (value, expected) in [
            ("noindex", NOINDEX),
            ("NoIndex, NoFollow", BOTH),
            ("none", BOTH),
            ("noarchive, max-snippet: 20, nofollow", NOFOLLOW),
            ("unavailable_after: 25 Jun 2026 15:00:00 GMT, noindex", NOINDEX),
            ("unavailable_after: Thursday, 25-Jun-26 15:00:00 GMT, noindex", NOINDEX),
            ("gleaner: noindex", NOINDEX),
            ("GLEANER:noindex,nofollow", BOTH),
            ("*: noindex", NOINDEX),
            ("otherbot: noindex, nofollow", NOTHING),
            ("gleanerbot: none", NOTHING),
            ("nofollow, otherbot: noindex", NOFOLLOW),
            ("otherbot: nofollow, gleaner: noindex", NOINDEX),
            (": noindex", NOINDEX),
            ("", NOTHING),
        ] {
            assert_eq!(RobotsDirectives::from_header(value, "gleaner"), expected, "{value}");
        }
    }
}
