//! Defines the methods that can be compared, and their names on the command line.
//!
//! The methods of [`SinglePage`] need only one page. All other methods need several pages of a site. To add a
//! method that learns from a site, add a variant here and a field to [`LearnedTemplates`].

use std::fmt;

use gleaner_extract::Pins;
use gleaner_extract::block_model::{self, Forest};
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::Page;
use gleaner_html::text::Line;
use gleaner_methods::{Input, SinglePage, content_extractor, fast_content_extractor};
use jiff::Timestamp;

/// An extraction method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// A method that uses only the page itself.
    SinglePage(SinglePage),
    /// gleaner's block model alone.
    BlockModel,
    /// ContentExtractor as published. It compares the page with other pages of its site.
    ContentExtractor,
    /// FastContentExtractor as published. It uses a template of the page's site.
    FastContentExtractor,
    /// The method of the crawl: the block model and, if there are other pages, the site's template.
    Gleaner,
}

/// The templates that methods learned from pages of one site. Contains only the templates that are needed.
#[derive(Debug, Clone, Default)]
pub struct LearnedTemplates {
    template: Option<PreparedTemplate>,
    fast: Option<fast_content_extractor::Template>,
    site: Option<content_extractor::SiteBlocks>,
}

impl LearnedTemplates {
    /// Learns the templates that `methods` need from the `pages` of the site `host`, each with its URL.
    /// `model` is the block model, which only some methods use. Without pages, the templates are empty.
    #[must_use]
    pub fn from_pages(methods: &[Method], model: &Forest, host: &str, pages: &[(&str, &Page)]) -> Self {
        // `learn` needs a time only for display, and this evaluation does not display it.
        let learn =
            || PreparedTemplate::new(SiteTemplate::learn_with(model, host, 1, Timestamp::UNIX_EPOCH, pages));
        let pages = || pages.iter().map(|(_, page)| *page).collect::<Vec<_>>();
        let prepare = || {
            fast_content_extractor::prepare(
                &pages(),
                &fast_content_extractor::FastContentExtractorParams::default(),
            )
        };
        let compare = || {
            content_extractor::SiteBlocks::new(
                &pages(),
                &content_extractor::ContentExtractorParams::default(),
            )
        };
        Self {
            template: methods.contains(&Method::Gleaner).then(learn),
            fast: methods.contains(&Method::FastContentExtractor).then(prepare),
            site: methods.contains(&Method::ContentExtractor).then(compare),
        }
    }
}

impl Method {
    /// Returns all methods: the single-page methods first, then the methods that learn from a site.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [Self::BlockModel, Self::ContentExtractor, Self::FastContentExtractor, Self::Gleaner];
        SinglePage::ALL.into_iter().map(Self::SinglePage).chain(others)
    }

    /// Returns the method's name on the command line and in tables, such as `bte-linear`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SinglePage(method) => method.name(),
            Self::BlockModel => "block-model",
            Self::ContentExtractor => "content-extractor",
            Self::FastContentExtractor => "fast-content-extractor",
            Self::Gleaner => "gleaner",
        }
    }

    /// Returns the method with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|method| method.name() == name)
    }

    /// Whether the method needs other pages of the site. Without them, it extracts nothing.
    #[must_use]
    pub fn needs_site(self) -> bool {
        matches!(self, Self::ContentExtractor | Self::FastContentExtractor)
    }

    /// Whether the method uses other pages of the site if there are any.
    #[must_use]
    pub fn uses_site(self) -> bool {
        !matches!(self, Self::SinglePage(_) | Self::BlockModel)
    }

    /// Extracts the text of the page `input`. Returns no lines if the method finds no text, or if it needs a
    /// template that `learned` does not contain. `model` is the block model.
    #[must_use]
    pub fn extract(self, input: Input<'_>, learned: &LearnedTemplates, model: &Forest) -> Vec<Line> {
        let page = input.page;
        match self {
            Self::Gleaner => Self::gleaner(page, learned, model).lines(),
            Self::BlockModel => block_model::extract(page, model),
            Self::SinglePage(method) => method.extract(input),
            Self::ContentExtractor => {
                learned.site.as_ref().map(|site| site.extract(page)).unwrap_or_default()
            }
            Self::FastContentExtractor => {
                learned.fast.as_ref().map(|template| template.detect(page)).unwrap_or_default()
            }
        }
    }

    /// Extracts the text of `page` with [`Method::Gleaner`]. The result also contains the margin. `model` is
    /// the block model.
    #[must_use]
    pub fn gleaner(page: &Page, learned: &LearnedTemplates, model: &Forest) -> Extraction {
        match &learned.template {
            Some(prepared) => prepared.extract_with(model, page, &Pins::default()),
            None => Extraction::cold_with(model, page, &Pins::default()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;

    #[test]
    fn names_lead_back_to_methods() {
        for method in Method::all() {
            assert_eq!(Method::from_name(method.name()), Some(method));
        }
        assert_eq!(Method::from_name("nonsense"), None);
    }

    #[test]
    fn only_site_methods_heed_what_was_learned() {
        // Line-Block needs words of the title.
        let source =
            |text: &str| format!("<title>Schools</title><div>Home News</div><div><p>{text}</p></div>");
        let pages = ["Rain is on its way.", "The bridge opens today.", "Two more trains."].map(source);
        let pages = pages.map(|source| Page::parse(&source));
        let methods: Vec<Method> = Method::all().collect();
        let learned = LearnedTemplates::from_pages(
            &methods,
            block_model::built_in(),
            "a.example",
            &pages.each_ref().map(|page| ("", page)),
        );
        let source = source(&"Schools close early, the council said. ".repeat(9));
        let page = Page::parse(&source);
        let input = Input { source: &source, page: &page };
        let extract = |method: Method, learned: &LearnedTemplates| {
            method.extract(input, learned, block_model::built_in())
        };
        for method in methods {
            let (cold, warm) = (extract(method, &LearnedTemplates::default()), extract(method, &learned));
            assert_eq!(cold.is_empty(), method.needs_site(), "{method}");
            assert!(plain(&warm).contains("Schools close early"), "{method}");
            if !method.uses_site() {
                assert_eq!(cold, warm, "{method}");
            }
        }
    }
}
