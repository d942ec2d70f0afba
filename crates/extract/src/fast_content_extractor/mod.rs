//! FastContentExtractor: learns a site's template and extracts each of its pages by it.
//!
//! Dat Quoc Nguyen, Dai Quoc Nguyen, Son Bao Pham, The Duy Bui: A Fast Template-based Approach to
//! Automatically Identify Primary Text Content of a Web Page, KSE 2009.
//! * Preparation ([`prepare`]) cuts some 25 pages of a site into blocks; each block without its sub-blocks is
//!   an atomic block. A feature vector counts its images, scripts, hyperlinks and terms; cosine above 0.9 is
//!   "similar".
//! * A block with a similar one on many pages is non-content, any other is content.
//! * The [`Template`] keeps the traversal paths P of the content blocks (`HTML.BODY.TABLE.TR.P`), and the
//!   non-content blocks with a path in P.
//! * Detection ([`Template::detect`]) extracts the blocks of a new page with a path in P by two rules, and
//!   drops those similar to a stored non-content block.
//!
//! Readings: block tags and "many pages" in [`FastContentExtractorParams`], the rules in the file of [`Template::find`], the
//! comparison in `comparison.rs`, atomic blocks in `blocks/mod.rs`. Text and scripts of the head, and blocks
//! without a word, are left out throughout.
//!
//! Cost: preparation and detection are linear in the pages, except for the comparison. It covers only blocks
//! that share a rare feature, within [`FastContentExtractorParams::max_work`] for a preparation and for each page; a template
//! holds [`FastContentExtractorParams::max_bytes`]. Known failure: text that differs from page to page counts as content
//! (comments, related links), and a path of tags alone does not distinguish a paragraph of the article from
//! one beside it.
//!
//! ```
//! use gleaner_extract::fast_content_extractor::{FastContentExtractorParams, prepare};
//! use gleaner_html::Page;
//! let page = |text: &str| Page::parse(&format!("<div>Home News Sport</div><p>{text}</p><p>Write to us.</p>"));
//! let pages = [page("The bridge opens today."), page("Rain is on its way."), page("Two more trains a day.")];
//! let template = prepare(&pages, &FastContentExtractorParams::default());
//! assert_eq!(template.content_paths().keys().collect::<Vec<_>>(), ["HTML.BODY.P"]);
//! assert_eq!(template.num_block_temp(), 1); // "Write to us."; the <div> has no content path
//! let lines = template.detect(&page("Schools close early."));
//! assert_eq!(lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), ["Schools close early."]);
//! ```

mod comparison;
mod detection;
mod params;
mod paths;
mod preparation;
mod template;

pub use detection::Detection;
pub use params::FastContentExtractorParams;
pub use preparation::prepare;
pub use template::{NonContent, Template};
