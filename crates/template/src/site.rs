//! A site's template: learned from its first articles, kept as JSON, applied.
//!
//! A page of which the template finds nothing, or next to nothing, is extracted as
//! a single page by improved BTE instead, and the method is recorded with the text.
//! That happens to kinds of page that were not among those learned from, and after
//! a redesign; a rising share of [`Method::ImprovedBte`] says that a template is
//! out of date.

use std::fmt;

use gleaner_extract::{bte, fast_content_extractor, words};
use gleaner_html::Page;
use gleaner_html::text::Line;
use serde::{Deserialize, Serialize};

/// Version of the template's JSON.
const FORMAT: u32 = 1;

/// With fewer words found than this the single-page method is asked too.
const FEW_WORDS: usize = 30;

/// The template of a host, with where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteTemplate {
    /// The host it was learned for.
    pub host: String,
    /// Counts the templates of a host, from 1.
    pub version: u32,
    /// When it was learned.
    pub learned: jiff::Timestamp,
    /// Canonical URLs of the pages that it was learned from.
    pub learned_from: Vec<String>,
    /// What was learned.
    pub method: fast_content_extractor::Template,
}

/// How a text was extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// By the site's template.
    FastContentExtractor,
    /// From the page alone.
    ImprovedBte,
}

impl Method {
    /// The name in records and on the command line, such as `improved-bte`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::FastContentExtractor => "fast-content-extractor",
            Self::ImprovedBte => "improved-bte",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// A page's text and the method that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The text in page order; none where no method found any.
    pub lines: Vec<Line>,
    /// What found it.
    pub method: Method,
}

/// Why a text is no template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// No JSON, or not of the shape of a template.
    #[error("not a template file: {0}; make one with `gleaner learn`")]
    Malformed(#[from] serde_json::Error),
    /// Written by another version of the program.
    #[error(
        "template format {found} is not known, only {FORMAT}; learn the template again with `gleaner learn`"
    )]
    Format {
        /// The format that the file names.
        found: u64,
    },
    /// JSON, but without a number in `format`.
    #[error("not a template file: it has no \"format\"; make one with `gleaner learn`")]
    NoFormat,
}

/// The file: the template behind its format.
#[derive(Serialize)]
struct File<'a> {
    format: u32,
    #[serde(flatten)]
    template: &'a SiteTemplate,
}

impl SiteTemplate {
    /// Learns a host's template from article pages with their canonical URLs. With
    /// no page the template finds nothing, and every page falls to the single-page
    /// method.
    #[must_use]
    pub fn learn(host: &str, version: u32, learned: jiff::Timestamp, pages: &[(&str, &Page)]) -> Self {
        let (learned_from, pages): (Vec<String>, Vec<&Page>) =
            pages.iter().map(|(url, page)| ((*url).to_owned(), *page)).unzip();
        let method = fast_content_extractor::prepare(&pages, &fast_content_extractor::Params::default());
        Self { host: host.to_owned(), version, learned, learned_from, method }
    }

    /// The page's text by this template or, where that finds too little, alone.
    #[must_use]
    pub fn extract(&self, page: &Page) -> Extracted {
        let lines = self.method.detect(page);
        let found = word_count(&lines);
        if found >= FEW_WORDS {
            return Extracted { lines, method: Method::FastContentExtractor };
        }
        let alone = extract_alone(page);
        if word_count(&alone.lines) > found {
            alone
        } else {
            Extracted { lines, method: Method::FastContentExtractor }
        }
    }

    /// The template as JSON, ending in a line break.
    ///
    /// # Panics
    /// Never: a template has only maps with text keys.
    #[must_use]
    pub fn to_json(&self) -> String {
        let file = File { format: FORMAT, template: self };
        let mut json = serde_json::to_string_pretty(&file).expect("maps of a template have text keys");
        json.push('\n');
        json
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`TemplateError`]: no template, or one of another format.
    pub fn from_json(json: &str) -> Result<Self, TemplateError> {
        let value: serde_json::Value = serde_json::from_str(json)?;
        let format =
            value.get("format").and_then(serde_json::Value::as_u64).ok_or(TemplateError::NoFormat)?;
        if format != u64::from(FORMAT) {
            return Err(TemplateError::Format { found: format });
        }
        Ok(serde_json::from_value(value)?)
    }
}

/// The text of a page of a site without a template.
#[must_use]
pub fn extract_alone(page: &Page) -> Extracted {
    Extracted { lines: bte::extract(page, &bte::Params::default()), method: Method::ImprovedBte }
}

fn word_count(lines: &[Line]) -> usize {
    lines.iter().map(|line| words(&line.text).count()).sum()
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;

    fn page(text: &str) -> Page {
        Page::parse(&format!(
            "<div><a href=/>Home</a> <a href=/n>News</a></div><p>{text}</p><p>All rights reserved.</p>"
        ))
    }

    fn learned() -> SiteTemplate {
        let pages = ["One story of rain.", "Two words on wind.", "Three trains a day."];
        let pages = pages.map(page);
        let urls = ["https://a.example/0", "https://a.example/1", "https://a.example/2"];
        let pages: Vec<_> = urls.into_iter().zip(&pages).collect();
        SiteTemplate::learn("a.example", 2, jiff::Timestamp::UNIX_EPOCH, &pages)
    }

    #[test]
    fn a_page_of_the_site_is_extracted_by_template() {
        let story = "The bridge opens today, the council said, and all were there. ".repeat(4);
        let extracted = learned().extract(&page(&story));
        assert_eq!(extracted.method, Method::FastContentExtractor);
        assert_eq!(plain(&extracted.lines), story.trim());
    }

    #[test]
    fn a_page_of_another_kind_is_extracted_alone() {
        let story = "The bridge opens today, the council said, and all were there. ".repeat(4);
        let redesigned = Page::parse(&format!("<section><article><div>{story}</div></article></section>"));
        let extracted = learned().extract(&redesigned);
        assert_eq!((extracted.method, plain(&extracted.lines).as_str()), (Method::ImprovedBte, story.trim()));
        assert_eq!(extracted, extract_alone(&redesigned));
    }

    #[test]
    fn a_short_text_of_the_template_is_kept() {
        let extracted = learned().extract(&Page::parse("<p>Only four words here."));
        assert_eq!((extracted.method, extracted.lines.len()), (Method::FastContentExtractor, 1));
        let nothing = learned().extract(&Page::parse(""));
        assert_eq!((nothing.method, nothing.lines.len()), (Method::FastContentExtractor, 0));
    }

    #[test]
    fn a_template_without_pages_leaves_all_to_the_single_page_method() {
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        assert_eq!(empty.extract(&page("One story of rain.")).method, Method::ImprovedBte);
    }

    #[test]
    fn json_gives_the_same_template() {
        let template = learned();
        let json = template.to_json();
        assert!(json.starts_with("{\n  \"format\": 1,\n  \"host\": \"a.example\""), "{json}");
        assert_eq!(SiteTemplate::from_json(&json).unwrap(), template);
    }

    #[test]
    fn what_is_no_template_says_so() {
        let newer = learned().to_json().replacen("\"format\": 1", "\"format\": 9", 1);
        let cases = [
            ("", "not a template file: EOF"),
            ("<html>", "not a template file: expected value"),
            ("{}", "it has no \"format\""),
            ("{\"format\": 1}", "missing field `host`"),
            (&newer, "template format 9 is not known"),
        ];
        for (json, expected) in cases {
            let error = SiteTemplate::from_json(json).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("gleaner learn"), "{error}");
        }
    }

    #[test]
    fn labels_are_what_serde_writes() {
        for method in [Method::FastContentExtractor, Method::ImprovedBte] {
            assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{method}\""));
        }
    }
}
