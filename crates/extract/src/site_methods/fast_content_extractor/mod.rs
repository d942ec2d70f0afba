//! FastContentExtractor: learns a site's template and uses it to extract the content of the site's pages.
//!
//! Dat Quoc Nguyen, Dai Quoc Nguyen, Son Bao Pham, The Duy Bui: A Fast Template-based Approach to
//! Automatically Identify Primary Text Content of a Web Page, KSE 2009.
//! * Preparation ([`prepare`]) cuts some 25 pages of a site into blocks. An atomic block is a block without
//!   its sub-blocks. Its feature vector counts images, scripts, hyperlinks and terms. Two blocks are similar
//!   if the cosine of their vectors is above 0.9.
//! * A block is non-content if many pages have a similar block. All other blocks are content.
//! * The [`Template`] keeps the traversal paths P of the content blocks (`HTML.BODY.TABLE.TR.P`), and the
//!   non-content blocks with a path in P.
//! * Detection ([`Template::detect`]) extracts from a new page, by two rules, the blocks with a path in P.
//!   Then it drops the blocks that are similar to a stored non-content block.
//!
//! The paper leaves details open. [`FastContentExtractorParams`] defines the block tags and "many pages".
//! `detection.rs` has the rules ([`Template::find`]), `comparison.rs` the comparison, and `blocks/mod.rs` the
//! atomic blocks. The head and blocks without words are always skipped.
//!
//! The cost is linear in the pages, except for the comparison. Only blocks that share a rare feature are
//! compared, and [`FastContentExtractorParams::max_work`] limits the work per preparation and per page. A
//! template has at most [`FastContentExtractorParams::max_bytes`].
//!
//! Known failures: text that differs from page to page, such as comments and related links, counts as
//! content. A path consists only of tags, so a paragraph of the article and a paragraph beside the article
//! may have the same path.
//!
//! ```
//! use gleaner_extract::site_methods::fast_content_extractor::{FastContentExtractorParams, prepare};
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
