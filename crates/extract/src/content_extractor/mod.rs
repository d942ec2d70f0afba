//! ContentExtractor: compares every block of a page with all blocks of the site's pages.
//!
//! S. Debnath, P. Mitra, N. Pal, C. L. Giles: Automatic Identification of Informative Sections of Web Pages,
//! TKDE 2005, as Nguyen et al. describe it (FastContentExtractor, KSE 2009, section II) and measure its time
//! (section IV).
//! 1. Each page is cut into atomic blocks, which are blocks without their sub-blocks. Sub-blocks come before
//!    the block that contains them (figure 3).
//! 2. A block is a feature vector: its images, scripts, hyperlinks and terms. Two blocks are similar when the
//!    cosine of their vectors is greater than 0.9.
//! 3. For each block B, the pages with a block similar to B are counted. For this, B is compared with all
//!    blocks of all input pages.
//! 4. If B occurs on many pages, it is non-content; otherwise it is content.
//!
//! Where the papers leave details open: [`ContentExtractorParams`] defines "many" and the block tags. The
//! page is one of the input pages, so its own occurrence counts as one page, whether the site was built with
//! the page ([`Site::find_without`]) or without it ([`Site::find`]). Blocks without words are neither
//! compared nor counted. [`Site::num_block_temp`] explains NumBlockTemp of table II.
//!
//! Cost: as published ([`Search::Exhaustive`]), proportional to the page's blocks times the site's blocks,
//! limited by [`ContentExtractorParams::max_work`]. [`Search::Indexed`] has the same result and compares only
//! blocks that share a rare feature.
//!
//! Known failures: a phrase that spans an inline block is split, which FastContentExtractor was designed to
//! avoid. Text that differs from page to page, such as comments and related links, counts as content.
//!
//! ```
//! use gleaner_extract::content_extractor::{ContentExtractorParams, Site};
//! use gleaner_html::Page;
//! let page = |text: &str| Page::parse(&format!("<div>Home News</div><p>{text}</p><p>Write to us.</p>"));
//! let site = Site::new(&[page("Rain is on its way."), page("Two more trains a day.")], &ContentExtractorParams::default());
//! let lines = site.extract(&page("The <span>bridge</span> opens today."));
//! assert_eq!(lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), ["bridge", "The opens today."]);
//! assert_eq!(site.num_block_temp(), 2); // "Home News" and "Write to us."
//! ```

mod own_text;
mod params;
mod site;

pub use params::{ContentExtractorParams, Search};
pub use site::{Extraction, Site};
