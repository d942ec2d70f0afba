//! Distinguishes articles from other pages. Learns, stores and applies the template of a site.
//!
//! | file | content |
//! |---|---|
//! | [`article`] | whether a page is an article, judged from this page alone |
//! | [`site`] | a site's template: learned, written, applied |
//! | [`boilerplate`] | the parts of a site's pages that never contain body text |
//! | `decide` | what a template decides about the lines of a page |
//! | [`extraction`] | the text of a page, with or without the template of its site |
//! | [`health`] | whether a template still fits its site |
//! | [`published`] | the papers' methods as templates of a host |
//! | [`pins`] | a user's corrections for a host's pages |
//! | [`class`] | the class of each line: body text, caption, comment |
//! | [`inserts`] | captions, credits, by-lines and "read more" lines that are included on request |
//! | `extras` | comments, captions and links, kept in addition to the text |
//!
//! The crate does no I/O and reads no clock: the caller passes pages and times. Only the functions that parse
//! template files and selectors can fail.

pub mod article;
pub mod boilerplate;
pub mod class;
mod decide;
pub mod extraction;
mod extras;
pub mod health;
pub mod inserts;
mod own_words;
pub mod pins;
pub mod published;
pub mod site;

pub use article::{NotArticleReason, PageClass, article_blocks, judge};
pub use extraction::{Extraction, PreparedTemplate, is_cut};
pub use gleaner_extract::block_model::ClassifiedBlock;
pub use health::{Health, PageFit, Window};
pub use inserts::Inserts;
pub use pins::{HostPins, Pin, Pins, PinsError, SelectorError};
pub use published::PublishedTemplate;
pub use site::{ExtractionMethod, SiteTemplate, TemplateError};
