//! Uses the papers' methods, exactly as published, as templates of a host.
//!
//! | method | preparation | applied to a page |
//! |---|---|---|
//! | FastContentExtractor | [`fast_content_extractor::prepare`] | [`fast_content_extractor::Template::find`] |
//! | ContentExtractor | [`content_extractor::SiteBlocks::new`] | [`content_extractor::SiteBlocks::find`] |
//!
//! These methods have no confidence, no votes and no fallback: if a method finds nothing on a page, the page
//! has no text. The user's pins and inserts apply to their results.

use crate::block_model::{ClassifiedBlock, RemovalReason};
use gleaner_corpus::TemplateMethod;
use gleaner_html::text::{PlacedLine, placed_lines};
use gleaner_html::words::{count_words, has_word};
use gleaner_html::{NodeId, Page};
use gleaner_methods::content_extractor::{self, ContentExtractorParams};
use gleaner_methods::fast_content_extractor::{self, FastContentExtractorParams};
use serde::{Deserialize, Serialize};

use crate::template::ExtractionMethod;

/// The result of training a published method on a host's pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedTemplate {
    /// FastContentExtractor's template.
    FastContentExtractor(Box<fast_content_extractor::Template>),
    /// The blocks of the site. ContentExtractor compares a page with them.
    ContentExtractor(Box<content_extractor::SiteBlocks>),
}

/// The log-odds of extracted lines. Other lines have the same value with a minus sign.
const CERTAIN: f32 = 6.0;

impl PublishedTemplate {
    /// Learns from a host's pages with default parameters. Returns `None` for [`TemplateMethod::Gleaner`].
    #[must_use]
    pub fn learn(method: TemplateMethod, pages: &[&Page]) -> Option<Self> {
        match method {
            TemplateMethod::Gleaner => None,
            TemplateMethod::FastContentExtractor => {
                let template = fast_content_extractor::prepare(pages, &FastContentExtractorParams::default());
                Some(Self::FastContentExtractor(Box::new(template)))
            }
            TemplateMethod::ContentExtractor => {
                let site = content_extractor::SiteBlocks::new(pages, &ContentExtractorParams::default());
                Some(Self::ContentExtractor(Box::new(site)))
            }
        }
    }

    /// Returns the extraction method that is recorded in documents.
    #[must_use]
    pub fn method(&self) -> ExtractionMethod {
        match self {
            Self::FastContentExtractor(_) => ExtractionMethod::FastContentExtractor,
            Self::ContentExtractor(_) => ExtractionMethod::ContentExtractor,
        }
    }

    /// Returns the number of training pages.
    #[must_use]
    pub fn pages(&self) -> usize {
        match self {
            Self::FastContentExtractor(template) => template.pages(),
            Self::ContentExtractor(site) => site.pages(),
        }
    }

    /// Returns every line of a page: first the extracted lines in the method's order, then the other lines in
    /// page order. [`ClassifiedBlock::removed`] marks the lines of blocks that are similar to a non-content
    /// block. With ContentExtractor, these are all lines that are not extracted.
    #[must_use]
    pub fn classify(&self, page: &Page) -> Vec<ClassifiedBlock> {
        let (content, nodes, repeated) = match self {
            Self::FastContentExtractor(template) => {
                let found = template.find(page);
                (found.lines(page), found.text_nodes, Some(found.non_content_nodes))
            }
            Self::ContentExtractor(site) => {
                let found = site.find(page);
                (found.placed, found.text_nodes, None)
            }
        };
        let dropped =
            placed_lines(page, 0, |id| page.text(id).is_none() || nodes.binary_search(&id).is_err());
        let is_repeated =
            |placed: &PlacedLine| repeated.as_ref().is_none_or(|repeated| is_any_in(repeated, &placed.nodes));
        let dropped = dropped.into_iter().filter(|placed| has_word(&placed.line.text));
        let dropped = dropped.map(|placed| {
            let is_repeated = is_repeated(&placed);
            judged(placed, -CERTAIN, is_repeated)
        });
        content.into_iter().map(|placed| judged(placed, CERTAIN, false)).chain(dropped).collect()
    }
}

fn is_any_in(nodes: &[NodeId], range: &std::ops::Range<NodeId>) -> bool {
    nodes.get(nodes.partition_point(|node| *node < range.start)).is_some_and(|node| *node < range.end)
}

fn judged(placed: PlacedLine, log_odds: f32, is_repeated: bool) -> ClassifiedBlock {
    ClassifiedBlock {
        words: count_words(&placed.line.text) as u32,
        log_odds,
        model: log_odds,
        removed: is_repeated.then_some(RemovalReason::RepeatedBySite),
        ..ClassifiedBlock::new(placed)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::{lines, plain};
    use jiff::Timestamp;

    use super::*;
    use crate::pins::Pins;
    use crate::template::SiteTemplate;

    const METHODS: [TemplateMethod; 2] =
        [TemplateMethod::FastContentExtractor, TemplateMethod::ContentExtractor];

    fn page(story: &str) -> Page {
        Page::parse(&format!(
            "<div>Home News Sport</div><p>{story}</p><p>Write to us, whatever it is about.</p><h2>More</h2>"
        ))
    }

    fn learned(method: TemplateMethod) -> SiteTemplate {
        let pages = ["The bridge opens today.", "Rain is on its way.", "Two more trains a day."].map(page);
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        SiteTemplate::learn_by(method, "a.example", 1, Timestamp::UNIX_EPOCH, &pages)
    }

    fn extract(template: &SiteTemplate, page: &Page) -> crate::template::Extraction {
        crate::template::PreparedTemplate::new(template.clone()).extract(page, &Pins::default())
    }

    #[test]
    fn the_text_is_the_published_methods() {
        let page = page("Schools close early.");
        for method in METHODS {
            let template = learned(method);
            let extracted = extract(&template, &page);
            let published = match template.published.as_ref().unwrap() {
                PublishedTemplate::FastContentExtractor(template) => template.detect(&page),
                PublishedTemplate::ContentExtractor(site) => site.extract(&page),
            };
            assert_eq!(extracted.lines(), published);
            assert_eq!(plain(&extracted.lines()), "Schools close early.");
            assert_eq!(extracted.method.label(), method.label());
            assert_eq!(template.method(), method);
        }
    }

    #[test]
    fn every_line_is_judged_once() {
        let page = page("Schools close early.");
        for method in METHODS {
            let judged = learned(method).published.unwrap().classify(&page);
            let mut texts: Vec<String> = judged.iter().map(|it| it.placed.line.text.clone()).collect();
            let mut all: Vec<String> = lines(&page, 0, |_| true).into_iter().map(|line| line.text).collect();
            texts.sort();
            all.sort();
            assert_eq!(texts, all, "{method}");
            let repeated: Vec<&str> = judged
                .iter()
                .filter(|it| it.removed.is_some())
                .map(|it| it.placed.line.text.as_str())
                .collect();
            assert!(repeated.contains(&"Write to us, whatever it is about."), "{repeated:?}");
        }
    }

    #[test]
    fn json_gives_the_same_template_and_pins_apply() {
        let page = page("Schools close early.");
        let pins = Pins::new("x.toml", &[(1, "div")], &[]).unwrap();
        for method in METHODS {
            let template = learned(method);
            let read = SiteTemplate::from_json(&template.to_json()).unwrap();
            assert_eq!(read.to_json(), template.to_json());
            assert_eq!(extract(&read, &page), extract(&template, &page));
            let text =
                plain(&crate::template::PreparedTemplate::new(read.clone()).extract(&page, &pins).lines());
            assert!(text.contains("Home News Sport") && text.contains("Schools close early."), "{text}");
        }
    }

    #[test]
    fn a_page_without_content_has_no_text() {
        for method in METHODS {
            let extracted = extract(&learned(method), &Page::parse("<div>Home News Sport</div>"));
            assert!(extracted.lines().is_empty(), "{extracted:?}");
        }
    }
}
