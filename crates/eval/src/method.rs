//! The methods that can be compared, by the names that are typed.
//!
//! Those that read one page come from [`SinglePage`]; the others need a site. A new
//! site method adds a variant here, its part to [`Learned`], and nothing else.

use std::fmt;

use gleaner_extract::{Input, SinglePage, content_extractor};
use gleaner_html::Page;
use gleaner_html::text::Line;
use gleaner_template::{SiteTemplate, site};
use jiff::Timestamp;

/// What extracts the text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// From the page alone.
    SinglePage(SinglePage),
    /// Compared with the pages of its site, as published.
    ContentExtractor,
    /// By the template of the page's site, as published.
    FastContentExtractor,
    /// What the crawl does: by the template and, where that finds next to nothing or
    /// there is none, from the page alone.
    Gleaner,
}

/// What methods have learned from pages of one site: of each kind of template what
/// some method asked for.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    template: Option<SiteTemplate>,
    site: Option<content_extractor::Site>,
}

impl Learned {
    /// Learns from pages with their URLs what `methods` need; no pages, no content.
    #[must_use]
    pub fn from_pages(methods: &[Method], host: &str, pages: &[(&str, &Page)]) -> Self {
        let by_template = |method: &Method| matches!(method, Method::FastContentExtractor | Method::Gleaner);
        // When a template was learned is kept for people; here nobody sees it.
        let learn = || SiteTemplate::learn(host, 1, Timestamp::UNIX_EPOCH, pages);
        let pages = || pages.iter().map(|(_, page)| *page).collect::<Vec<_>>();
        let site = || content_extractor::Site::of(&pages(), &content_extractor::Params::default());
        Self {
            template: methods.iter().any(by_template).then(learn),
            site: methods.contains(&Method::ContentExtractor).then(site),
        }
    }

    /// What a template says that was learned elsewhere.
    #[must_use]
    pub fn from_template(template: SiteTemplate) -> Self {
        Self { template: Some(template), site: None }
    }
}

impl Method {
    /// All of them: those that read one page, then those that learn a site.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_sites = [Self::ContentExtractor, Self::FastContentExtractor, Self::Gleaner];
        SinglePage::ALL.into_iter().map(Self::SinglePage).chain(of_sites)
    }

    /// The name that is typed and printed, such as `bte-linear`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SinglePage(method) => method.name(),
            Self::ContentExtractor => "content-extractor",
            Self::FastContentExtractor => "fast-content-extractor",
            Self::Gleaner => "gleaner",
        }
    }

    /// The method of this name, or `None`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|method| method.name() == name)
    }

    /// Whether it extracts nothing without a template.
    #[must_use]
    pub fn needs_site(self) -> bool {
        matches!(self, Self::ContentExtractor | Self::FastContentExtractor)
    }

    /// Whether it makes use of a template.
    #[must_use]
    pub fn uses_site(self) -> bool {
        !matches!(self, Self::SinglePage(_))
    }

    /// The page's text; no line where there is none, or where the method needs a site
    /// and has learned nothing.
    #[must_use]
    pub fn extract(self, input: Input<'_>, learned: &Learned) -> Vec<Line> {
        match (self, &learned.template) {
            (Self::SinglePage(method), _) => method.extract(input),
            (Self::ContentExtractor, _) => {
                learned.site.as_ref().map(|site| site.extract(input.page)).unwrap_or_default()
            }
            (Self::FastContentExtractor, None) => Vec::new(),
            (Self::FastContentExtractor, Some(template)) => template.method.detect(input.page),
            (Self::Gleaner, None) => site::extract_alone(input.page).lines,
            (Self::Gleaner, Some(template)) => template.extract(input.page).lines,
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
            assert_eq!(Method::named(method.name()), Some(method));
        }
        assert_eq!(Method::named("nonsense"), None);
    }

    #[test]
    fn only_site_methods_heed_what_was_learned() {
        let source = |text: &str| format!("<div>Home News</div><div><p>{text}</p></div>");
        let pages = ["Rain is on its way.", "The bridge opens today.", "Two more trains."].map(source);
        let pages = pages.map(|source| Page::parse(&source));
        let methods: Vec<Method> = Method::all().collect();
        let learned = Learned::from_pages(&methods, "a.example", &pages.each_ref().map(|page| ("", page)));
        let source = source(&"Schools close early, the council said. ".repeat(9));
        let page = Page::parse(&source);
        let input = Input { source: &source, page: &page };
        for method in methods {
            let (cold, warm) = (method.extract(input, &Learned::default()), method.extract(input, &learned));
            assert_eq!(cold.is_empty(), method.needs_site(), "{method}");
            assert!(plain(&warm).contains("Schools close early"), "{method}");
            if !method.uses_site() {
                assert_eq!(cold, warm, "{method}");
            }
        }
    }
}
