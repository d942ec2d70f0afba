//! Defines the template of a site, which is learned from its first articles, stored as JSON, and applied to
//! later pages ([`PreparedTemplate`]).
//!
//! A site has as many layouts as it has. If later pages are unlike the training pages, the next version of the template
//! is learned from those pages and remembers the earlier version ([`SiteTemplate::remember`]). [`Health`] checks on
//! every page whether the template is out of date.

use std::collections::BTreeSet;

use crate::site_methods::PublishedTemplate;
use gleaner_corpus::Method;
use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use crate::block_model::{self, DomPathStats, Forest, LogOddsSum, SiteModel};
use crate::pins::Pins;
use crate::template::{Extraction, Health, PageFit, PreparedTemplate, boilerplate};

const FORMAT: u32 = 4;

/// Maximum number of earlier versions whose training pages later pages are compared with.
const MAX_EARLIER: usize = 8;

/// The template of a host, with data about its learning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteTemplate {
    /// The host of the training pages.
    pub host: String,
    /// The version of the host's template, from 1.
    pub version: u32,
    /// The time at which the template was learned.
    pub learned: jiff::Timestamp,
    /// The canonical URLs of the training pages.
    pub learned_from: Vec<String>,
    /// The values measured on the training pages, with which later pages are compared.
    pub health: Health,
    /// The values measured on the training pages of earlier versions, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Health>,
    /// The DOM paths and the repeated text of the training pages.
    pub site: SiteModel,
    /// The kinds of boilerplate subtrees ([`crate::template::boilerplate`]).
    pub boilerplate: BTreeSet<String>,
    /// The kinds of elements that contain body text.
    #[serde(default)]
    pub with_text: BTreeSet<String>,
    /// The template of a published method, or `None` for gleaner's own method. If present, only the published
    /// method is used, and [`site`](Self::site) contains only the number of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedTemplate>,
}

/// The error for a text that is not a template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The text is not JSON, or lacks fields of a template.
    #[error("not a template file: {0}; make one with `gleaner learn`")]
    Malformed(#[from] serde_json::Error),
    /// Another version of the program wrote the template in another format.
    #[error(
        "template format {found} is not known, only {FORMAT}; learn the template again with `gleaner learn`"
    )]
    Format {
        /// The format in the file.
        found: u64,
    },
    /// A number is outside the range that learning can produce. Contains the name of the number.
    #[error("not a template file: {0} is out of its range; make one with `gleaner learn`")]
    Range(String),
    /// The JSON has no number in `format`.
    #[error("not a template file: it has no \"format\"; make one with `gleaner learn`")]
    NoFormat,
}

#[derive(Serialize)]
struct File<'a> {
    format: u32,
    #[serde(flatten)]
    template: &'a SiteTemplate,
}

impl SiteTemplate {
    /// Learns a host's template from articles, each with its canonical URL. The template stores `version` and
    /// the time `learned`. If there are no articles, every page is judged without the template.
    #[must_use]
    pub fn learn(host: &str, version: u32, learned: jiff::Timestamp, pages: &[(&str, &Page)]) -> Self {
        Self::learn_with(block_model::built_in(), host, version, learned, pages)
    }

    /// Like [`learn`](Self::learn), but with the given model.
    #[must_use]
    pub fn learn_with(
        model: &Forest,
        host: &str,
        version: u32,
        learned: jiff::Timestamp,
        pages: &[(&str, &Page)],
    ) -> Self {
        let read = pages.iter().map(|(_, page)| *page).collect::<Vec<_>>();
        let (site, blocks) = SiteModel::learn(&read, model);
        let kinds = boilerplate::kinds(pages, &blocks);
        let template = Self {
            site,
            boilerplate: kinds.boilerplate,
            with_text: kinds.with_text,
            ..Self::of_pages(host, version, learned, pages)
        };
        let prepared = PreparedTemplate::new(template);
        let extract = |(page, blocks): (&&Page, &Vec<_>)| prepared.extract_classified(page, blocks);
        let extracted: Vec<Extraction> = read.iter().zip(&blocks).map(extract).collect();
        Self { health: Health::from_pages(&extracted), ..prepared.into_template() }
    }

    /// Adds what an earlier version of the template knows, such as the DOM paths of other layouts of the site. Earlier
    /// pages have less weight the more pages there are.
    pub fn remember(&mut self, earlier: &Self) {
        if self.published.is_some() || earlier.published.is_some() {
            return;
        }
        self.site.remember(&earlier.site);
        self.with_text.extend(earlier.with_text.iter().cloned());
        self.boilerplate.extend(earlier.boilerplate.iter().cloned());
        self.boilerplate.retain(|kind| !self.with_text.contains(kind));
        self.earlier = std::iter::once(earlier.health).chain(earlier.earlier.iter().copied()).collect();
        self.earlier.truncate(MAX_EARLIER);
    }

    /// Like [`remember`](Self::remember), for a template of pages of further layouts: what is usual on the site stays what
    /// the earlier version found.
    pub fn extend(&mut self, earlier: &Self) {
        self.remember(earlier);
        if self.published.is_none() && earlier.published.is_none() {
            self.health = earlier.health;
            self.earlier.clone_from(&earlier.earlier);
        }
    }

    /// Compares a page with the training pages of this and of earlier versions. The page is unlike the training pages
    /// if it is unlike those of each version.
    #[must_use]
    pub fn compare(&self, page: &Extraction) -> PageFit {
        PageFit { unlike: self.is_unlike(page), ..self.health.compare(page) }
    }

    pub(crate) fn is_unlike(&self, page: &Extraction) -> bool {
        std::iter::once(&self.health).chain(&self.earlier).all(|health| health.is_unlike(page))
    }

    /// Like [`learn`](Self::learn), but with the given method, if it is a published one that learns from a site.
    #[must_use]
    pub fn learn_by(
        method: Method,
        host: &str,
        version: u32,
        learned: jiff::Timestamp,
        pages: &[(&str, &Page)],
    ) -> Self {
        let read = pages.iter().map(|(_, page)| *page).collect::<Vec<_>>();
        let Some(published) = PublishedTemplate::learn(method, &read) else {
            return Self::learn(host, version, learned, pages);
        };
        let template = Self {
            site: SiteModel { pages: pages.len() as u32, ..SiteModel::default() },
            published: Some(published),
            ..Self::of_pages(host, version, learned, pages)
        };
        let prepared = PreparedTemplate::new(template);
        let extract = |page: &&Page| prepared.extract(page, &Pins::default());
        let extracted: Vec<Extraction> = read.iter().map(extract).collect();
        Self { health: Health::from_pages(&extracted), ..prepared.into_template() }
    }

    fn of_pages(host: &str, version: u32, learned: jiff::Timestamp, pages: &[(&str, &Page)]) -> Self {
        let learned_from = pages.iter().map(|(url, _)| (*url).to_owned()).collect();
        Self { host: host.to_owned(), version, learned, learned_from, ..Self::default() }
    }

    /// Returns the method with which the template was learned and is applied.
    #[must_use]
    pub fn method(&self) -> Method {
        self.published.as_ref().map_or(Method::Template, PublishedTemplate::method)
    }

    /// Returns the template as JSON with a final line break.
    ///
    /// # Panics
    /// Never, because the keys of all maps in a template are strings.
    #[must_use]
    pub fn to_json(&self) -> String {
        let file = File { format: FORMAT, template: self };
        let mut json = serde_json::to_string_pretty(&file).expect("maps of a template have text keys");
        json.push('\n');
        json
    }

    /// Parses the output of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// [`TemplateError`] if the text is not a template, or if the template has another format.
    pub fn from_json(json: &str) -> Result<Self, TemplateError> {
        let value: serde_json::Value = serde_json::from_str(json)?;
        let format =
            value.get("format").and_then(serde_json::Value::as_u64).ok_or(TemplateError::NoFormat)?;
        if format != u64::from(FORMAT) {
            return Err(TemplateError::Format { found: format });
        }
        let template: Self = serde_json::from_value(value)?;
        match template.out_of_range() {
            Some(name) => Err(TemplateError::Range(name)),
            None => Ok(template),
        }
    }

    fn out_of_range(&self) -> Option<String> {
        let Health { words: _, margin, known, repeated, alone } = self.health;
        let shares = [("margin", margin), ("known", known), ("repeated", repeated), ("alone", alone)];
        let share = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share));
        let is_possible = |dom_path: &DomPathStats| {
            dom_path.pages <= self.site.pages && dom_path.lengths.iter().all(LogOddsSum::is_possible)
        };
        let dom_path = self.site.dom_paths.iter().find(|(_, dom_path)| !is_possible(dom_path));
        share
            .map(|(name, _)| format!("health.{name}"))
            .or(dom_path.map(|(name, _)| format!("the place {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;

    fn page(story: &str) -> Page {
        let related = "<li><a href=/x>Council agrees on a new bridge after years of debate</a>".repeat(4);
        Page::parse(&format!(
            "<title>A story</title><ul class=menu><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
             <h1>A story</h1><div class=story-body>{story}</div><ul class=related>{related}</ul>\
             <div class=footer><p>All rights in these pages are reserved by the publisher.</p></div>"
        ))
    }

    const SENTENCES: [&str; 3] = [
        "Rain fell on the valley for the third day in a row, and the river rose above the old bridge.",
        "Nobody had expected the choir to win, least of all its conductor, who was asleep at the time.",
        "Three lambs were found in the church this morning, warm, dry and without any harm at all.",
    ];

    fn story(number: usize) -> String {
        let paragraph = |at: usize| {
            let sentence = SENTENCES[(number + at) % 3];
            format!("<p>{sentence} It was number {number}{at}, said the council. {sentence}</p>")
        };
        (0..3).map(paragraph).collect()
    }

    fn learned() -> SiteTemplate {
        let pages: Vec<Page> = (0..6).map(|number| page(&story(number))).collect();
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        SiteTemplate::learn("a.example", 2, jiff::Timestamp::UNIX_EPOCH, &pages)
    }

    fn extract(template: &SiteTemplate, page: &Page) -> Extraction {
        PreparedTemplate::new(template.clone()).extract(page, &Pins::default())
    }

    fn text_of(page: &Page) -> String {
        plain(&gleaner_html::text::lines(page, 0, |_| true))
    }

    #[test]
    fn a_page_of_the_site_is_extracted_by_template() {
        let extracted = extract(&learned(), &page(&story(7)));
        assert_eq!(extracted.method, Method::Detection);
        assert_eq!(plain(&extracted.lines()), text_of(&Page::parse(&story(7))));
        assert!(extracted.margin > 0.5 && extracted.margin <= 1.0, "{extracted:?}");
    }

    #[test]
    fn a_page_of_another_kind_is_extracted_all_the_same() {
        let redesigned = Page::parse(&format!(
            "<title>A story</title><main><article><h1>A story</h1><section>{}</section></article></main>",
            story(8)
        ));
        let extracted = extract(&learned(), &redesigned);
        assert!(plain(&extracted.lines()).contains("number 81"), "{extracted:?}");
    }

    #[test]
    fn where_nothing_is_there_is_no_confidence() {
        let nothing = extract(&learned(), &Page::parse(""));
        assert_eq!((nothing.lines().len(), nothing.margin), (0, 0.0));
    }

    #[test]
    fn a_template_without_pages_leaves_all_to_the_single_page_method() {
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        let alone = Extraction::cold(&page(&story(1)), &Pins::default());
        assert_eq!(extract(&empty, &page(&story(1))).lines(), alone.lines());
        assert_eq!(alone.method, Method::BlockModel);
    }

    #[test]
    fn json_gives_the_same_template() {
        let template = learned();
        let json = template.to_json();
        assert!(json.starts_with("{\n  \"format\": 4,\n  \"host\": \"a.example\""), "{json}");
        assert_eq!(SiteTemplate::from_json(&json).unwrap(), template);
    }

    #[test]
    fn what_is_no_template_says_so() {
        let newer = learned().to_json().replacen("\"format\": 4", "\"format\": 9", 1);
        let cases = [
            ("", "not a template file: EOF"),
            ("<html>", "not a template file: expected value"),
            ("{}", "it has no \"format\""),
            ("{\"format\": 4}", "missing field `host`"),
            (&newer, "template format 9 is not known"),
        ];
        for (json, expected) in cases {
            let error = SiteTemplate::from_json(json).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("gleaner learn"), "{error}");
        }
    }

    #[test]
    fn numbers_that_no_learning_gives_are_refused() {
        let changed = |change: &dyn Fn(&mut SiteTemplate)| {
            let mut template = learned();
            change(&mut template);
            SiteTemplate::from_json(&template.to_json()).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(changed(&|_| {}), Ok(()));
        let wrong = changed(&|template| template.health.known = 1.5).unwrap_err();
        assert!(wrong.contains("health.known is out of its range"), "{wrong}");
        let dom_path = |pages: u32, lines: u32, sum: f64| {
            changed(&|template| {
                let sum = LogOddsSum { pages, lines, sum, squares: sum * sum };
                let lengths = [sum; 5];
                template.site.dom_paths.insert("p.x".into(), DomPathStats { pages, lengths });
            })
        };
        assert_eq!(dom_path(1, 1, 3.0), Ok(()));
        for (pages, lines, sum) in [(1, 0, 0.0), (1, 1, 7.0), (1, 1, -7.0), (99, 99, 1.0)] {
            let wrong = dom_path(pages, lines, sum).unwrap_err();
            assert!(wrong.contains("the place \"p.x\" is out of its range"), "{wrong}");
        }
    }

    #[test]
    fn a_template_that_learned_further_layouts_forgets_nothing() {
        let first = learned();
        let further = |number: usize| {
            Page::parse(&format!("<title>Walk</title><div class=gallery>{}</div>", story(number)))
        };
        let pages: Vec<Page> = (0..6).map(further).collect();
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        let mut second = SiteTemplate::learn("a.example", 3, jiff::Timestamp::UNIX_EPOCH, &pages);
        let own = second.health;
        second.extend(&first);
        assert!(own != first.health && second.health == first.health && second.earlier == first.earlier);
        assert_eq!(second.site.pages, first.site.pages + 6);
        for page in [page(&story(7)), further(7)] {
            assert_eq!(extract(&second, &page).method, Method::Detection);
            assert!(!second.compare(&extract(&second, &page)).unlike);
        }
        assert_ne!(extract(&first, &further(7)).method, Method::Detection);
    }
}
