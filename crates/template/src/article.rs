//! Article or hub: what one page says of itself, before its site is known.
//!
//! Hubs among the pages that a template is learned from spoil it, so this comes
//! first, and it has one page and no knowledge of its site. What tells them apart
//! is less the share of links, which is above a half on many articles with full
//! margins, than how prose stands: an article has one long stretch of sentences
//! that no line of links interrupts ([`Signals::stretch`]), a hub has many short
//! ones. What the page declares of itself (OpenGraph, JSON-LD) is evidence: a list
//! or a product is believed, since no article claims to be one; "article" only
//! lowers the bar, since many systems say it of every page.
//!
//! The awkward truth: an article refused is a document lost, a hub let in is one bad
//! document, so in doubt a page is an article. Measured on recorded pages: of 496
//! articles of 20 sites none refused, of 711 single ones 2 (one holds no text
//! outside scripts, one is a list of links itself), of 123 pages that are no
//! articles 78 refused. What gets through: shop categories with long
//! advice under the goods, galleries of long captions, news lists with whole
//! paragraphs. A refusal is no verdict on a URL for ever: the next visit asks anew.

use std::fmt;

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

mod declared;
mod signals;

pub use declared::Declared;
pub use signals::Signals;

/// What a page is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// An article, or nothing that speaks against it.
    Article,
    /// No article, and why.
    NotArticle(Reason),
}

/// Why a page is no article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Hardly any words outside links.
    TooLittleText,
    /// The page itself says that it is a collection or a product.
    DeclaredListing,
    /// Mostly links, and prose in snippets between them.
    Hub,
}

impl Reason {
    /// All reasons, in the order in which they are looked for.
    pub const ALL: [Self; 3] = [Self::TooLittleText, Self::DeclaredListing, Self::Hub];

    /// The name in records and tables, such as `too_little_text`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::TooLittleText => "too_little_text",
            Self::DeclaredListing => "declared_listing",
            Self::Hub => "hub",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLittleText => "too little text outside links",
            Self::DeclaredListing => "says of itself that it is a collection or a product",
            Self::Hub => "mostly links, with prose only in snippets between them",
        })
    }
}

/// Words outside links that any document needs.
const LEAST_WORDS: f64 = 60.0;
/// A stretch of prose below this is what a teaser has, too.
const TEASER: f64 = 50.0;
/// A stretch below this is two or three teasers.
const FEW_TEASERS: f64 = 100.0;
/// Share of the page's prose in its longest stretch below which it is scattered.
const SCATTERED: f64 = 0.2;
/// Lines of links from which a page has a hub's number of them.
const MANY_LINK_LINES: u32 = 25;
/// Words in the longest stretch for each word in a link, below which links rule.
const LINKS_RULE: f64 = 0.04;

/// Whether the page at this canonical URL is an article. Time linear in the page.
#[must_use]
pub fn judge(page: &Page, url: &str) -> Verdict {
    let signals = Signals::of(page);
    let declared = Declared::of(page);
    if signals.words - signals.linked < LEAST_WORDS {
        Verdict::NotArticle(Reason::TooLittleText)
    } else if declared == Declared::Listing {
        Verdict::NotArticle(Reason::DeclaredListing)
    } else if is_hub(&signals, declared, is_front_page(url)) {
        Verdict::NotArticle(Reason::Hub)
    } else {
        Verdict::Article
    }
}

fn is_hub(signals: &Signals, declared: Declared, front_page: bool) -> bool {
    let stretch = signals.stretch;
    let links = signals.link_share();
    let scattered = stretch < SCATTERED * signals.prose && signals.link_lines >= MANY_LINK_LINES;
    let snippets = stretch < TEASER && (links > 0.4 || (links > 0.2 && declared != Declared::Article));
    snippets
        || stretch < LINKS_RULE * signals.linked
        || (scattered && stretch < FEW_TEASERS && links > 0.2)
        || (scattered && front_page)
}

/// Whether a URL's path is empty or `/` and it has no query.
fn is_front_page(url: &str) -> bool {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = behind_scheme.find(['/', '?']).unwrap_or(behind_scheme.len());
    let path = behind_scheme[end..].split('#').next().unwrap_or_default();
    matches!(path, "" | "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCE: &str =
        "The council agreed on Monday to rebuild the old bridge over the river before winter.";

    fn judged(body: &str) -> Verdict {
        judge(&Page::parse(body), "https://paper.example/a")
    }

    #[test]
    fn prose_is_an_article_and_links_are_a_hub() {
        let link = "<li><a href=/x>Council agrees on a new bridge after years of debate</a>";
        let teaser =
            format!("<h2><a href=/x>Bridge to be built after all this time</a></h2><p>{SENTENCE}</p>");
        let cases = [
            (String::new(), Verdict::NotArticle(Reason::TooLittleText)),
            (link.repeat(80), Verdict::NotArticle(Reason::TooLittleText)),
            (format!("<p>{SENTENCE}</p>").repeat(6), Verdict::Article),
            (teaser.repeat(40), Verdict::NotArticle(Reason::Hub)),
            (format!("{}{}", format!("<p>{SENTENCE}</p>").repeat(5), link.repeat(60)), Verdict::Article),
            ("<p>市議會週一同意重建河上的舊橋。市長說工程將於春天開始。</p>".repeat(8), Verdict::Article),
        ];
        for (body, expected) in cases {
            assert_eq!(judged(&body), expected, "{}", &body[..body.len().min(80)]);
        }
    }

    #[test]
    fn a_collection_is_believed() {
        let body = format!("<p>{SENTENCE}</p>").repeat(10);
        let html = format!(
            "<script type='application/ld+json'>{{\"@type\": [\"WebPage\", \"CollectionPage\"]}}</script>{body}"
        );
        assert_eq!(judged(&html), Verdict::NotArticle(Reason::DeclaredListing));
    }

    #[test]
    fn front_pages_by_their_url() {
        for url in ["https://a.example", "https://a.example/", "https://a.example/#top"] {
            assert!(is_front_page(url), "{url}");
        }
        for url in ["https://a.example/x", "https://a.example/?p=1", "https://a.example?p=1"] {
            assert!(!is_front_page(url), "{url}");
        }
    }

    #[test]
    fn labels_are_what_serde_writes() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::to_string(&reason).unwrap(), format!("\"{}\"", reason.label()));
        }
    }
}
