//! The papers' methods that compare the pages of a site, exactly as published (docs/papers.md).
//!
//! | folder | content |
//! |---|---|
//! | [`fast_content_extractor`] | Nguyen et al. 2009: learns a site's template by comparing blocks of some 25 pages |
//! | [`content_extractor`] | Debnath et al. 2005: compares the blocks of all pages |
//! | `blocks` | the blocks of a page, and how similar they are |
//!
//! A crawl can use them instead of gleaner's method (`template.method`). They have no confidence and no fallback: if a
//! method finds nothing on a page, the page has no text. The methods that read one page are in the laboratory.
//! They never fail, and each documents its limits of time and memory.

mod blocks;
pub mod content_extractor;
pub mod fast_content_extractor;

use gleaner_corpus::Method;
use gleaner_html::text::PlacedLine;
use gleaner_html::{NodeId, Page};
use serde::{Deserialize, Serialize};

use content_extractor::ContentExtractorParams;
use fast_content_extractor::FastContentExtractorParams;

/// The result of training a published method on a site's pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedTemplate {
    /// FastContentExtractor's template.
    FastContentExtractor(Box<fast_content_extractor::Template>),
    /// The blocks of the site. ContentExtractor compares a page with them.
    ContentExtractor(Box<content_extractor::SiteBlocks>),
}

/// The lines that a published method finds on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLines {
    /// The content, in the order of the method.
    pub content: Vec<PlacedLine>,
    /// The text nodes of the content, in document order.
    pub text_nodes: Vec<NodeId>,
    /// The text nodes of blocks that are similar to a non-content block, in document order. `None` if all other text
    /// nodes are.
    pub non_content: Option<Vec<NodeId>>,
}

impl PublishedTemplate {
    /// Learns from a site's pages with the parameters of `method`. Returns `None` if the method is not a published one
    /// that learns from a site.
    #[must_use]
    pub fn learn(method: Method, pages: &[&Page]) -> Option<Self> {
        match method {
            Method::FastContentExtractor => {
                let template = fast_content_extractor::prepare(pages, &FastContentExtractorParams::default());
                Some(Self::FastContentExtractor(Box::new(template)))
            }
            Method::ContentExtractor => {
                let site = content_extractor::SiteBlocks::new(pages, &ContentExtractorParams::default());
                Some(Self::ContentExtractor(Box::new(site)))
            }
            _ => None,
        }
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::FastContentExtractor(_) => Method::FastContentExtractor,
            Self::ContentExtractor(_) => Method::ContentExtractor,
        }
    }

    /// Returns the content of a page of the site.
    #[must_use]
    pub fn find(&self, page: &Page) -> FoundLines {
        match self {
            Self::FastContentExtractor(template) => {
                let found = template.find(page);
                FoundLines {
                    content: found.lines(page),
                    text_nodes: found.text_nodes,
                    non_content: Some(found.non_content_nodes),
                }
            }
            Self::ContentExtractor(site) => {
                let found = site.find(page);
                FoundLines { content: found.placed, text_nodes: found.text_nodes, non_content: None }
            }
        }
    }
}
