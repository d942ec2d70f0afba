//! Extracts pages with any method, also with those that learn from the other pages of a site.

use gleaner_corpus::Method;
use gleaner_extract::Pins;
use gleaner_extract::block_model::{self, Forest};
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::Page;
use gleaner_html::text::Line;
use gleaner_methods::{Input, PublishedTemplate};
use jiff::Timestamp;

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

    /// Extracts the text of the page `input`. Returns no lines if the method finds no text, or if it needs a
    /// template that is missing. `model` is the block model.
    #[must_use]
    pub fn extract(&self, method: Method, input: Input<'_>, model: &Forest) -> Vec<Line> {
        let published = self.published.iter().find(|template| template.method() == method);
        match (method, published) {
            (Method::Template | Method::Detection, _) => self.extract_by_template(input.page, model).lines(),
            (Method::BlockModel, _) => block_model::extract(input.page, model),
            (_, Some(published)) => {
                published.find(input.page).content.into_iter().map(|placed| placed.line).collect()
            }
            (_, None) => gleaner_methods::extract(method, input).unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;

    #[test]
    fn only_site_methods_heed_what_was_learned() {
        // Line-Block needs words of the title.
        let source =
            |text: &str| format!("<title>Schools</title><div>Home News</div><div><p>{text}</p></div>");
        let pages = ["Rain is on its way.", "The bridge opens today.", "Two more trains."].map(source);
        let pages = pages.map(|source| Page::parse(&source));
        let learned = LearnedTemplates::from_pages(
            &Method::ALL,
            block_model::built_in(),
            "a.example",
            &pages.each_ref().map(|page| ("", page)),
        );
        let source = source(&"Schools close early, the council said. ".repeat(9));
        let page = Page::parse(&source);
        let input = Input { source: &source, page: &page };
        let extract =
            |method, learned: &LearnedTemplates| learned.extract(method, input, block_model::built_in());
        for method in Method::choices() {
            let (cold, warm) = (extract(method, &LearnedTemplates::default()), extract(method, &learned));
            assert_eq!(cold.is_empty(), method.needs_site(), "{method}");
            assert!(plain(&warm).contains("Schools close early"), "{method}");
            if !method.uses_site() {
                assert_eq!(cold, warm, "{method}");
            }
        }
    }
}
