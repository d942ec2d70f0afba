//! The interface for programs: from a page to its [`Document`], and from pages of a site to a [`Template`].
//!
//! A document has the fields of an exported document, except the fields whose values come from a corpus.

pub mod draft;
mod error;
mod extraction;
mod input;
mod learning;
mod page;
mod template;

pub use error::Error;
pub use extraction::{extract, extract_with, judge, metadata};
pub use input::{NotHtml, decode};
pub use learning::{Added, LearnError, Training, learn};
pub use page::Page;
pub use template::Template;

use gleaner_corpus::{Method, words};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use draft::document_of;
use page::NOWHERE;

use crate::article::{NotArticleReason, PageClass};

/// A page's text and metadata. docs/corpus.md describes the fields. `None` means that the page does not state
/// the value. The fields are serialized under their names, in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The canonical form of the page's address.
    pub url: Option<String>,
    /// The reason why a crawl would reject the page, such as `login_wall`. `None` for an article.
    pub not_article: Option<NotArticleReason>,
    /// The headline.
    pub title: Option<String>,
    /// Language of the text as a BCP 47 primary tag such as `vi`; `und` if unknown.
    pub language: String,
    /// Probability of the language, 0 to 1. `None` if it was not measured.
    pub language_probability: Option<f64>,
    /// The publication time: RFC 3339 with the page's zone, or only a day.
    pub published: Option<String>,
    /// The publication time in UTC. An unknown zone counts as UTC, and an unknown time as midnight.
    pub published_utc: Option<Timestamp>,
    /// The time of the last change, in the same form as [`Self::published`].
    pub modified: Option<String>,
    /// The authors' names, in the order of the page, or [`Self::credits`] if no person is named.
    pub authors: Vec<String>,
    /// The newspaper, agency or desk that is named in place of a person, such as "Reuters". Empty if the authors are
    /// persons.
    pub credits: Vec<String>,
    /// The section, such as "World".
    pub section: Option<String>,
    /// The keywords or tags, at most 50.
    pub keywords: Vec<String>,
    /// The short description.
    pub description: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// The address of the lead image.
    pub image: Option<String>,
    /// The type of the article: `news`, `opinion`, `live`, `video`, `gallery` or `sponsored`.
    pub article_type: Option<String>,
    /// Whether only subscribers may read the article.
    pub paywalled: Option<bool>,
    /// Whether the text is the whole article. `None` if the page's declarations and the end of the text do
    /// not show this.
    pub complete: Option<bool>,
    /// The canonical address, as the page states it.
    pub canonical: Option<String>,
    /// The number of words in the text. In Vietnamese, each syllable is a word.
    pub words: u64,
    /// The extraction method, such as `template` or `block-model`.
    pub method: String,
    /// The version of the template, if one was used.
    pub template_version: Option<u32>,
    /// Estimated probability, 0 to 1, that the word F1 of the text is at least 0.9. `None` if unknown.
    pub confidence: Option<f64>,
    /// Lines of readers' comments. Empty unless requested ([`Extra`](crate::Extra)).
    pub comments: Vec<String>,
    /// Captions. Empty unless requested.
    pub captions: Vec<String>,
    /// Absolute addresses of the links in the text. Empty unless requested.
    pub links: Vec<String>,
    /// The linked text of each address in [`Self::links`].
    pub link_texts: Vec<String>,
    /// The kind of each line of the text, one letter per line: `p` paragraph, `h` heading, `i` list item, `q`
    /// quotation, `c` table cell, `f` caption, `x` preformatted.
    pub kinds: String,
    /// Body text in NFC: one paragraph, heading or list item per line.
    pub text: String,
}

/// Returns why the page is not an article, or `None` if it is one. As in a crawl, a page that detection
/// extracted counts as an article without a check.
fn not_article(page: &Page, method: &str) -> Option<NotArticleReason> {
    let is_detected = method == Method::Detection.name();
    match (!is_detected).then(|| page.verdict())? {
        PageClass::NotArticle(reason) => Some(reason),
        PageClass::Article => None,
    }
}

impl Document {
    /// Returns a document with the page's metadata and an empty text. `method` is the method that found no
    /// text.
    #[must_use]
    pub fn without_text(page: &Page, method: &str) -> Self {
        Self::from_corpus(page, document_of(page.tree(), &page.origin(), &[], method, None))
    }

    /// Converts a document that [`crate::draft`] built from `page`.
    #[must_use]
    pub fn from_corpus(page: &Page, document: gleaner_corpus::Document) -> Self {
        // If the page's address is unknown, relative addresses cannot be resolved.
        let is_somewhere = |address: &String| !address.starts_with(NOWHERE);
        let share = |hundredths: u8| f64::from(hundredths) / 100.0;
        let extras = document.extras;
        let links = extras.links.into_iter().zip(extras.link_texts);
        let (links, link_texts) = links.filter(|(link, _)| is_somewhere(link)).unzip();
        Self {
            url: page.url().map(str::to_owned),
            not_article: not_article(page, &document.method),
            title: document.title,
            language: document.language,
            language_probability: document.language_probability.map(share),
            published: document.published,
            published_utc: document.published_utc,
            modified: document.modified,
            authors: document.authors,
            credits: document.credits,
            section: document.section,
            keywords: document.keywords,
            description: document.description,
            site_name: document.site_name,
            image: document.image.filter(is_somewhere),
            article_type: document.article_type,
            paywalled: document.paywalled,
            complete: document.complete,
            canonical: document.canonical.filter(is_somewhere),
            words: words(&document.text),
            method: document.method,
            template_version: document.template_version,
            confidence: document.confidence.map(share),
            comments: extras.comments,
            captions: extras.captions,
            links,
            link_texts,
            kinds: document.kinds,
            text: document.text,
        }
    }

    /// Returns the lines of the text, each with the letter of its kind ([`Self::kinds`]).
    ///
    /// ```
    /// use gleaner_extract::{Page, extract};
    ///
    /// let html = "<h1>Rain</h1><h2>In the north</h2><p>The rain that fell on the valley for three days ended on \
    ///             Monday, and the river, which had risen above the old bridge, went back to its bed.</p>";
    /// let document = extract(&Page::parse(html, None)?).unwrap();
    /// let (kind, text) = document.paragraphs().last().unwrap();
    /// assert!(kind == 'p' && text.starts_with("The rain"));
    /// # Ok::<(), gleaner_extract::Error>(())
    /// ```
    pub fn paragraphs(&self) -> impl Iterator<Item = (char, &str)> {
        self.kinds.chars().zip(self.text.split('\n'))
    }

    /// Returns the document as JSON on one line, without a final line break.
    ///
    /// # Panics
    /// Never, because JSON can represent all values of the fields.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }
}
