//! Extracts body text and metadata from news pages, and learns templates of sites.
//!
//! ```
//! use gleaner_text::{Page, extract};
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
//! [`draft`]. The crate does no I/O. It reads the clock only if the caller passes no time of fetching or
//! learning.

mod document;
pub mod draft;
mod error;
mod extraction;
mod input;
mod learning;
pub mod near;
mod page;
mod template;

pub use document::Document;
pub use error::Error;
pub use extraction::{extract, extract_with, judge, metadata};
pub use gleaner_corpus::{Extra, Insert, Language, TemplateMethod, language};
pub use gleaner_html::metadata::Metadata;
pub use gleaner_template::{Health, NotArticleReason, PageClass, PageFit, Pins, Window};
pub use input::{NotHtml, decode};
pub use jiff::Timestamp;
pub use learning::{Added, LearnError, Training, learn};
pub use near::near_duplicates;
pub use page::Page;
pub use template::Template;
