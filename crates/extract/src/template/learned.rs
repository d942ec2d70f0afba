//! Extracts pages with the block model or with a method that learned from other pages of the site.

use gleaner_corpus::Method;
use gleaner_html::Page;
use gleaner_html::text::Line;
use jiff::Timestamp;

use crate::block_model::{self, Forest};
use crate::pins::Pins;
use crate::site_methods::PublishedTemplate;
use crate::template::{Extraction, PreparedTemplate, SiteTemplate};

/// The templates that methods learned from pages of one site. Contains only the templates that are needed.
#[derive(Debug, Clone, Default)]
pub struct LearnedTemplates {
    template: Option<PreparedTemplate>,
    published: Vec<PublishedTemplate>,
}

impl LearnedTemplates {
    /// Learns the templates that `methods` need from the `pages` of the site `host`, each with its URL.
    /// `model` is the block model, which only some methods use. Without pages, the templates are empty.
    #[must_use]
    pub fn from_pages(methods: &[Method], model: &Forest, host: &str, pages: &[(&str, &Page)]) -> Self {
        // `learn` needs a time only for display, and this evaluation does not display it.
        let learn =
            || PreparedTemplate::new(SiteTemplate::learn_with(model, host, 1, Timestamp::UNIX_EPOCH, pages));
        let read: Vec<&Page> = pages.iter().map(|(_, page)| *page).collect();
        Self {
            template: methods.contains(&Method::Template).then(learn),
            published: methods.iter().filter_map(|method| PublishedTemplate::learn(*method, &read)).collect(),
        }
    }

    /// Extracts the text of a page. Returns no lines if the method finds no text, if it needs a template that is
    /// missing, or if it is a method of the laboratory. `model` is the block model.
    #[must_use]
    pub fn extract(&self, method: Method, page: &Page, model: &Forest) -> Vec<Line> {
        match method {
            Method::Template | Method::Detection => self.extract_by_template(page, model).lines(),
            Method::BlockModel => block_model::extract(page, model),
            _ => {
                let published = self.published.iter().find(|template| template.method() == method);
                let found = published.map(|template| template.find(page).content).unwrap_or_default();
                found.into_iter().map(|placed| placed.line).collect()
            }
        }
    }

    /// Extracts the text of a page with [`Method::Template`]. The result also contains the margin. `model` is the
    /// block model.
    #[must_use]
    pub fn extract_by_template(&self, page: &Page, model: &Forest) -> Extraction {
        match &self.template {
            Some(prepared) => prepared.extract_with(model, page, &Pins::default()),
            None => Extraction::cold_with(model, page, &Pins::default()),
        }
    }
}
