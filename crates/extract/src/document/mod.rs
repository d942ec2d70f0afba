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

use gleaner_corpus::{Extras, document_fields, words};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use draft::document_of;
use page::NOWHERE;

use crate::article::{NotArticleReason, PageClass};

/// A probability from 0 to 1.
type Share = f64;

macro_rules! document {
    ($($(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, library, $position:tt;)*) => {
        /// A page's text and metadata. docs/corpus.md describes the fields. `None` means that the page does not
        /// state the value. The fields are serialized under their names, in this order.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct Document {
            /// The canonical form of the page's address.
            pub url: Option<String>,
            /// The reason why a crawl would reject the page, such as `login_wall`. `None` for an article.
            pub not_article: Option<NotArticleReason>,
            $($(#[doc = $meaning])* pub $name: $type,)*
        }

        impl Document {
            fn new(url: Option<String>, class: PageClass, document: gleaner_corpus::Document) -> Self {
                let not_article = match class {
                    PageClass::NotArticle(reason) => Some(reason),
                    PageClass::Article => None,
                };
                Self { url, not_article, $($name: value!($name, $from, document),)* }
            }
        }
    };
}

/// Converts a field of a document of the corpus.
#[rustfmt::skip]
macro_rules! value {
    (words, $from:ident, $document:ident) => { words(&$document.text) };
    (confidence, $from:ident, $document:ident) => { $document.confidence.map(|it| Share::from(it) / 100.0) };
    (language_probability, $from:ident, $document:ident) => { $document.language_probability.map(|it| Share::from(it) / 100.0) };
    ($name:ident, extra, $document:ident) => { $document.extras.$name };
    ($name:ident, $from:ident, $document:ident) => { $document.$name };
}

document_fields!(library document);

impl Document {
    /// Returns a document with the page's metadata and an empty text. `method` is the method that found no
    /// text.
    #[must_use]
    pub fn without_text(page: &Page, method: &str) -> Self {
        Self::from_corpus(page, document_of(page.tree(), &page.origin(), &[], method, None))
    }

    /// Converts a document that [`crate::draft`] built from `page` without a template of its site.
    #[must_use]
    pub fn from_corpus(page: &Page, document: gleaner_corpus::Document) -> Self {
        Self::with_class(page, document, page.verdict())
    }

    /// Converts a document that [`crate::draft`] built from `page`, which has this class.
    pub(crate) fn with_class(page: &Page, document: gleaner_corpus::Document, class: PageClass) -> Self {
        let mut document = document;
        // If the page's address is unknown, relative addresses cannot be resolved.
        let is_somewhere = |address: &String| !address.starts_with(NOWHERE);
        document.image = document.image.filter(is_somewhere);
        document.canonical = document.canonical.filter(is_somewhere);
        let Extras { links, link_texts, .. } = &mut document.extras;
        let known = links.drain(..).zip(link_texts.drain(..)).filter(|(link, _)| is_somewhere(link));
        (document.extras.links, document.extras.link_texts) = known.unzip();
        Self::new(page.url().map(str::to_owned), class, document)
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
