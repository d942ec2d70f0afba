//! ContentExtractor: compares every block of a page with all blocks of the site's pages.
//!
//! S. Debnath, P. Mitra, N. Pal, C. L. Giles: Automatic Identification of Informative Sections of Web Pages,
//! TKDE 2005, as described and timed by Nguyen et al. (FastContentExtractor, KSE 2009, sections II and IV).
//! 1. Each page is cut into atomic blocks, which are blocks without their sub-blocks. Sub-blocks come before
//!    the block that contains them (figure 3).
//! 2. A block's feature vector counts its images, scripts, hyperlinks and terms. Two blocks are similar if
//!    the cosine of their vectors is greater than 0.9.
//! 3. Each block is compared with all blocks of all input pages. Pages with a similar block are counted.
//! 4. A block with a similar block on many pages is non-content. All other blocks are content.
//!
//! The papers leave details open. [`ContentExtractorParams`] defines "many" and the block tags. In
//! [`SiteBlocks::find`] and [`SiteBlocks::find_without`], the page itself is also an input page. Blocks
//! without words are neither compared nor counted. [`SiteBlocks::num_block_temp`] explains NumBlockTemp of
//! table II.
//!
//! The cost as published ([`Search::Exhaustive`]) is proportional to the blocks of the page times the blocks
//! of the site. [`ContentExtractorParams::max_work`] limits it. [`Search::Indexed`] gives the same result,
//! but compares only blocks that share a rare feature.
//!
//! Known failures: an inline block splits a phrase, which FastContentExtractor avoids. Text that differs from
//! page to page, such as comments and related links, counts as content.
//!
//! ```
//! use gleaner_extract::site_methods::content_extractor::{ContentExtractorParams, SiteBlocks};
//! use gleaner_html::Page;
//! let page = |text: &str| Page::parse(&format!("<div>Home News</div><p>{text}</p><p>Write to us.</p>"));
//! let site = SiteBlocks::new(&[page("Rain is on its way."), page("Two more trains a day.")], &ContentExtractorParams::default());
//! let lines = site.extract(&page("The <span>bridge</span> opens today."));
//! assert_eq!(lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), ["bridge", "The opens today."]);
//! assert_eq!(site.num_block_temp(), 2); // "Home News" and "Write to us."
//! ```

mod own_text;
mod params;
mod site;

pub use params::{ContentExtractorParams, Search};
pub use site::{Extraction, SiteBlocks};
