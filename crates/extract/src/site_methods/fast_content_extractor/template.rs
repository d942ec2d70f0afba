//! Defines the template of a site. Preparation writes it, and detection reads it.
//!
//! A template file stores paths as in the paper and feature vectors as words, so that people can read it.
//! Reading a template rebuilds the structures for fast detection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::FastContentExtractorParams;
use super::detection::Matcher;

/// A non-content block whose path is a content path. The template stores it, so that similar blocks are not
/// extracted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NonContent {
    /// The block's traversal path, such as `HTML.BODY.TABLE.TR.P`.
    pub path: String,
    /// The number of images in the block's own content.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub images: u32,
    /// The number of scripts in the block's own content.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scripts: u32,
    /// The number of hyperlinks in the block's own content.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub links: u32,
    /// The lower-case terms of the block's own content, with counts.
    pub terms: BTreeMap<String, u32>,
    /// The number of prepared pages with a similar block, including the block's own page.
    pub pages: u32,
    /// The beginning of the block's own text, for people who read the template.
    pub beginning: String,
}

/// The template of a site: its content paths, and the non-content blocks whose path is a content path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Template {
    stored: Stored,
    pub(super) matcher: Matcher,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stored {
    params: FastContentExtractorParams,
    pages: usize,
    content_paths: BTreeMap<String, u32>,
    non_content: Vec<NonContent>,
}

impl Template {
    pub(super) fn new(
        params: FastContentExtractorParams,
        pages: usize,
        content_paths: BTreeMap<String, u32>,
        non_content: Vec<NonContent>,
    ) -> Self {
        Stored { params, pages, content_paths, non_content }.into()
    }

    /// Returns the settings of the preparation. Detection uses them too.
    #[must_use]
    pub fn params(&self) -> &FastContentExtractorParams {
        &self.stored.params
    }

    /// Returns the number of prepared pages.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.stored.pages
    }

    /// Returns the content paths, each with its number of content blocks.
    #[must_use]
    pub fn content_paths(&self) -> &BTreeMap<String, u32> {
        &self.stored.content_paths
    }

    /// Returns the stored non-content blocks, in the order of the prepared pages.
    #[must_use]
    pub fn non_content(&self) -> &[NonContent] {
        &self.stored.non_content
    }

    /// Returns NumBlockTemp of the paper's table II: the number of stored non-content blocks.
    #[must_use]
    pub fn num_block_temp(&self) -> usize {
        self.stored.non_content.len()
    }
}

impl From<Stored> for Template {
    fn from(stored: Stored) -> Self {
        let matcher = Matcher::new(&stored.params, stored.content_paths.keys(), &stored.non_content);
        Self { stored, matcher }
    }
}

impl From<Template> for Stored {
    fn from(template: Template) -> Self {
        template.stored
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::super::prepare;
    use super::*;

    #[test]
    fn a_template_survives_json() {
        let page = |text: &str| Page::parse(&format!("<p><a href=/>Home</a> page</p><p>{text}</p>"));
        let template = prepare(
            &["one story", "two tales", "three news"].map(page),
            &FastContentExtractorParams::default(),
        );
        assert_eq!(template.num_block_temp(), 1);
        let stored = &template.non_content()[0];
        assert_eq!((stored.path.as_str(), stored.links, stored.pages), ("HTML.BODY.P", 1, 3));
        assert_eq!(stored.beginning, "Home page");
        let json = serde_json::to_string(&template).unwrap();
        let read: Template = serde_json::from_str(&json).unwrap();
        assert_eq!(read, template);
        assert_eq!(read.find(&page("four")), template.find(&page("four")));
    }
}
