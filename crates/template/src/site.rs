//! Defines the template of a site, which is learned from its first articles, stored as JSON, and applied to
//! later pages.
//!
//! The main part of a template is a [`block_model::SiteModel`]: the text that the pages repeat, and the share
//! of body text at each DOM path. These shares are the votes of the template. If they leave the
//! classification of a page uncertain (a low margin), or if the template finds almost no text (because of a
//! new kind of page or a redesign), the page is classified again without the votes. The result with the
//! higher margin is used ([`LineClassification`]), and the method that yielded it is recorded. [`Health`]
//! checks on every page whether the template is out of date.

use std::collections::BTreeSet;
use std::fmt;

use gleaner_corpus::{Extras, TemplateMethod};
use gleaner_extract::block_model::{self, DomPathStats, Forest, PageBlocks, SiteModel};
use gleaner_extract::count_words;
use gleaner_html::Page;
use gleaner_html::text::Line;
use serde::{Deserialize, Serialize};

use crate::{Health, LineClassification, Pins, PublishedTemplate, boilerplate};

const FORMAT: u32 = 3;

/// The template of a host, with data about its learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// The DOM paths and the repeated text of the training pages.
    pub site: SiteModel,
    /// The kinds of boilerplate subtrees ([`crate::boilerplate`]). Old templates have none.
    #[serde(default, rename = "barren")]
    pub boilerplate: BTreeSet<String>,
    /// The template of a published method, or `None` for gleaner's own method. If present, only the published
    /// method is used, and [`site`](Self::site) contains only the number of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedTemplate>,
}

/// The method that extracted a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtractionMethod {
    /// The block model and the site's template.
    Template,
    /// Only the DOM paths of the site's template ([`crate::Detector`]).
    Detection,
    /// The block model without the votes of a template.
    BlockModel,
    /// FastContentExtractor as published.
    FastContentExtractor,
    /// ContentExtractor as published.
    ContentExtractor,
}

impl ExtractionMethod {
    /// Returns the name in records and on the command line, such as `block-model`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Detection => "detection",
            Self::BlockModel => "block-model",
            Self::FastContentExtractor => "fast-content-extractor",
            Self::ContentExtractor => "content-extractor",
        }
    }
}

impl ExtractionMethod {
    /// Returns the confidence of a text: the probability, 0 to 1, that its word F1 is at least 0.9. `margin`
    /// is the extraction's margin, 0 to 1. The confidence is 0 if nothing was extracted. Returns `None` for
    /// the published methods, which have no confidence.
    ///
    /// The logistic functions were fitted to cross-validated extractions of recorded pages
    /// (docs/evaluation.md, "Confidence").
    #[must_use]
    pub fn confidence(self, margin: f32) -> Option<f32> {
        let (slope, intercept) = match self {
            Self::Template | Self::BlockModel => (1.44, -0.98),
            Self::Detection => (0.21, 1.55),
            Self::FastContentExtractor | Self::ContentExtractor => return None,
        };
        if margin <= 0.0 {
            return Some(0.0);
        }
        let margin = margin.clamp(0.01, 0.995);
        let log_odds = slope * (margin / (1.0 - margin)).ln() + intercept;
        Some(1.0 / (1.0 + (-log_odds).exp()))
    }
}

impl fmt::Display for ExtractionMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// A page's text and the method that found it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedText {
    /// The lines of the text in page order. May be empty.
    pub lines: Vec<Line>,
    /// The method that found the text.
    pub method: ExtractionMethod,
    /// The margin of the extraction, 0 to 1: [`block_model::margin`] or, after detection, a mean of the
    /// votes.
    pub margin: f32,
    /// The share of the page's lines, 0 to 1, that the site repeats or that are at known DOM paths. A DOM
    /// path is known if at least two training pages have a line there.
    pub known: f32,
    /// The share of the page's lines, 0 to 1, that the site repeats.
    pub repeated: f32,
    /// The parts of the page that are stored in addition to its text ([`LineClassification::extras`]).
    pub extras: Extras,
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
        let learned_from = pages.iter().map(|(url, _)| (*url).to_owned()).collect();
        let read = pages.iter().map(|(_, page)| *page).collect::<Vec<_>>();
        let (site, blocks) = SiteModel::learn_and_judge(&read, model);
        let pins = Pins::default();
        let judge = |(page, blocks)| LineClassification::of_judged(blocks, page, &site, &pins);
        let judged: Vec<LineClassification> = read.iter().copied().zip(blocks).map(judge).collect();
        let kinds = boilerplate::kinds(pages, &judged);
        let mut site = site;
        judged.iter().for_each(|judged| site.add_final_labels(&judged.blocks));
        let extracted: Vec<ExtractedText> = judged.into_iter().map(LineClassification::extracted).collect();
        let health = Health::from_pages(&extracted);
        let (host, boilerplate, published) = (host.to_owned(), kinds, None);
        Self { host, version, learned, learned_from, health, site, boilerplate, published }
    }

    /// Like [`learn`](Self::learn), but with the given method, which may be a published one.
    #[must_use]
    pub fn learn_by(
        method: TemplateMethod,
        host: &str,
        version: u32,
        learned: jiff::Timestamp,
        pages: &[(&str, &Page)],
    ) -> Self {
        let read = pages.iter().map(|(_, page)| *page).collect::<Vec<_>>();
        let Some(published) = PublishedTemplate::learn(method, &read) else {
            return Self::learn(host, version, learned, pages);
        };
        let mut template = Self {
            host: host.to_owned(),
            version,
            learned,
            learned_from: pages.iter().map(|(url, _)| (*url).to_owned()).collect(),
            health: Health::default(),
            site: SiteModel { pages: pages.len() as u32, ..SiteModel::default() },
            boilerplate: BTreeSet::new(),
            published: Some(published),
        };
        let extracted: Vec<ExtractedText> = read.iter().map(|page| template.extract(page)).collect();
        template.health = Health::from_pages(&extracted);
        template
    }

    /// Returns the method with which the template was learned and is applied.
    #[must_use]
    pub fn method(&self) -> TemplateMethod {
        match self.published {
            None => TemplateMethod::Gleaner,
            Some(PublishedTemplate::FastContentExtractor(_)) => TemplateMethod::FastContentExtractor,
            Some(PublishedTemplate::ContentExtractor(_)) => TemplateMethod::ContentExtractor,
        }
    }

    /// Extracts a page's text with this template. If the margin is low, or if there is almost no text, also
    /// tries the model alone, and returns the result with the higher margin.
    #[must_use]
    pub fn extract(&self, page: &Page) -> ExtractedText {
        self.extract_with(block_model::built_in(), page)
    }

    /// Like [`extract`](Self::extract), for a page whose blocks were read before.
    #[must_use]
    pub fn extract_blocks(&self, blocks: PageBlocks) -> ExtractedText {
        LineClassification::of_blocks(block_model::built_in(), blocks, Some(self), &Pins::default())
            .extracted()
    }

    /// Like [`extract`](Self::extract), but with the given model.
    #[must_use]
    pub fn extract_with(&self, model: &Forest, page: &Page) -> ExtractedText {
        LineClassification::of_with(model, page, Some(self), &Pins::default()).extracted()
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
            dom_path.words.is_finite()
                && dom_path.pages <= self.site.pages
                && (0.0..=dom_path.words).contains(&dom_path.content)
                && dom_path
                    .verdicts
                    .iter()
                    .all(|it| it.words.is_finite() && (0.0..=it.words).contains(&it.kept))
        };
        let dom_path = self.site.dom_paths.iter().find(|(_, dom_path)| !is_possible(dom_path));
        share
            .map(|(name, _)| format!("health.{name}"))
            .or(dom_path.map(|(name, _)| format!("the place {name:?}")))
    }
}

impl ExtractedText {
    /// Returns the number of words in the text.
    #[must_use]
    pub fn words(&self) -> usize {
        self.lines.iter().map(|line| count_words(&line.text)).sum()
    }
}

/// Extracts the text of a page without a template.
#[must_use]
pub fn extract_alone(page: &Page) -> ExtractedText {
    extract_alone_with(block_model::built_in(), page)
}

/// Like [`extract_alone`], but with the given model.
#[must_use]
pub fn extract_alone_with(model: &Forest, page: &Page) -> ExtractedText {
    LineClassification::of_with(model, page, None, &Pins::default()).extracted()
}

#[cfg(test)]
mod tests {
    use gleaner_extract::block_model::FinalLabels;
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

    fn text_of(page: &Page) -> String {
        plain(&gleaner_html::text::lines(page, 0, |_| true))
    }

    #[test]
    fn a_page_of_the_site_is_extracted_by_template() {
        let extracted = learned().extract(&page(&story(7)));
        assert_eq!(extracted.method, ExtractionMethod::Template);
        assert_eq!(plain(&extracted.lines), text_of(&Page::parse(&story(7))));
        assert!(extracted.margin > 0.5 && extracted.margin <= 1.0, "{extracted:?}");
    }

    #[test]
    fn a_page_of_another_kind_is_extracted_all_the_same() {
        let redesigned = Page::parse(&format!(
            "<title>A story</title><main><article><h1>A story</h1><section>{}</section></article></main>",
            story(8)
        ));
        let extracted = learned().extract(&redesigned);
        assert!(plain(&extracted.lines).contains("number 81"), "{extracted:?}");
    }

    #[test]
    fn where_nothing_is_there_is_no_confidence() {
        let nothing = learned().extract(&Page::parse(""));
        assert_eq!((nothing.lines.len(), nothing.margin), (0, 0.0));
    }

    #[test]
    fn a_template_without_pages_leaves_all_to_the_single_page_method() {
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        let alone = extract_alone(&page(&story(1)));
        assert_eq!(empty.extract(&page(&story(1))), alone);
        assert_eq!(alone.method, ExtractionMethod::BlockModel);
    }

    #[test]
    fn json_gives_the_same_template() {
        let template = learned();
        let json = template.to_json();
        assert!(json.starts_with("{\n  \"format\": 3,\n  \"host\": \"a.example\""), "{json}");
        assert_eq!(SiteTemplate::from_json(&json).unwrap(), template);
    }

    #[test]
    fn what_is_no_template_says_so() {
        let newer = learned().to_json().replacen("\"format\": 3", "\"format\": 9", 1);
        let cases = [
            ("", "not a template file: EOF"),
            ("<html>", "not a template file: expected value"),
            ("{}", "it has no \"format\""),
            ("{\"format\": 3}", "missing field `host`"),
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
        let dom_path = |content: f64, words: f64| {
            changed(&|template| {
                let dom_path =
                    DomPathStats { pages: 1, blocks: 1, words, content, ..DomPathStats::default() };
                template.site.dom_paths.insert("p.x".into(), dom_path);
            })
        };
        assert_eq!(dom_path(3.0, 4.0), Ok(()));
        let kept = |kept: f64| {
            changed(&|template| {
                let verdicts = [FinalLabels { words: 1.0, kept }; 4];
                template
                    .site
                    .dom_paths
                    .insert("p.x".into(), DomPathStats { verdicts, ..DomPathStats::default() });
            })
        };
        assert_eq!((kept(1.0), kept(1.5).is_err()), (Ok(()), true));
        for (content, words) in [(5.0, 4.0), (-1.0, 4.0), (-2.0, -1.0)] {
            let wrong = dom_path(content, words).unwrap_err();
            assert!(wrong.contains("the place \"p.x\" is out of its range"), "{wrong}");
        }
    }

    #[test]
    fn labels_are_what_serde_writes() {
        let published = [ExtractionMethod::FastContentExtractor, ExtractionMethod::ContentExtractor];
        for method in [ExtractionMethod::Template, ExtractionMethod::Detection, ExtractionMethod::BlockModel]
            .into_iter()
            .chain(published)
        {
            assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{method}\""));
        }
    }
}
