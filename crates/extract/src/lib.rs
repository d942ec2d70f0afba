//! Extracts body text and metadata from news pages, and learns templates of sites.
//!
//! ```
//! use gleaner_extract::{Page, extract};
//!
//! let html = "<title>Rain ends</title><h1>Rain ends</h1><p>The rain that fell on the valley for three days \
//!             ended on Monday, and the river went back to its bed, the weather office said.</p>";
//! let page = Page::parse(html, Some("https://paper.example/2026/11/20/rain-ends"))?;
//! let document = extract(&page).ok_or("no text")?;
//! assert_eq!(document.title.as_deref(), Some("Rain ends"));
//! assert_eq!(document.published.as_deref(), Some("2026-11-20"));
//! assert!(document.text.starts_with("The rain that fell"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | task | item |
//! |---|---|
//! | read a page | [`Page::parse`], [`Page::from_bytes`] |
//! | text and metadata | [`extract`], [`extract_with`]; [`metadata`] without text |
//! | article or not | [`Page::verdict`], [`judge`] |
//! | learn a site | [`learn`], [`Training`]; [`Template`] |
//! | language of a text | [`language()`] |
//! | near-duplicates | [`near_duplicates`], [`near`] |
//!
//! `gleaner extract` and `gleaner learn` are built on this crate, and a crawl builds its documents with
//! [`draft`].
//!
//! These modules are for the other crates of gleaner. They are not part of the interface for programs:
//!
//! | module | content |
//! |---|---|
//! | [`block_model`] | which lines of a page are body text, from the page alone |
//! | [`template`] | a site's template, and the text of a page with or without it |
//! | [`site_methods`] | the papers' methods that learn from a site |
//! | [`article`] | whether a page is an article |
//! | [`lines`] | lines that are not body text: captions, credits, comments |
//! | [`pins`] | a user's corrections for a host's pages |
//!
//! The crate does no I/O. It reads the clock only if the caller passes no time of fetching or learning. Only
//! functions that decode pages, or parse addresses, template files and selectors, can fail.

#[doc(hidden)]
pub mod article;
#[doc(hidden)]
pub mod block_model;
mod document;
#[doc(hidden)]
pub mod lines;
#[doc(hidden)]
pub mod pins;
#[doc(hidden)]
pub mod site_methods;
#[doc(hidden)]
pub mod template;

pub use article::{NotArticleReason, PageClass};
pub use document::{
    Added, Document, Error, LearnError, NotHtml, Page, Template, Training, decode, draft, extract,
    extract_with, judge, learn, metadata,
};
pub use gleaner_corpus::near::near_duplicates;
pub use gleaner_corpus::{Extra, Insert, Language, Method, language, near};
pub use gleaner_html::metadata::Metadata;
pub use jiff::Timestamp;
pub use pins::Pins;
pub use template::{Health, PageFit, Window};
