//! Reads the metadata with which blocks are compared: the page's title, description, and JSON-LD
//! `articleBody`.
//!
//! Limitation: the stated title may be the site's name, and the stated body may belong to another article.
//! Therefore both are only features of the model and not rules.

use gleaner_html::Page;
use gleaner_html::metadata::title_and_description;
use gleaner_html::text::tidy;

use super::block::Block;
use super::hashing::{SortedHashes, trigrams, word_hashes};

#[derive(Debug, Clone, Default)]
pub(super) struct Statements {
    headline: SortedHashes,
    pub(super) title: SortedHashes,
    pub(super) description: SortedHashes,
    pub(super) declared: SortedHashes,
}

impl Statements {
    pub(super) fn from_page(page: &Page) -> Self {
        let (stated_title, description) = title_and_description(page);
        let heading = page.elements("h1").next().map(|h1| tidy(&page.raw_text(h1)));
        let headline: SortedHashes = word_hashes(stated_title.as_deref().unwrap_or_default()).collect();
        let title = headline.iter().chain(heading.iter().flat_map(|text| word_hashes(text))).collect();
        Self {
            headline,
            title,
            description: trigrams_of(description.as_deref().unwrap_or_default()),
            declared: trigrams_of(&declared_body(page)),
        }
    }

    pub(super) fn is_headline(&self, block: &Block) -> bool {
        let size = self.headline.len() as f32;
        let found = || self.headline.iter().filter(|word| block.words.contains(word)).count() as f32;
        !self.headline.is_empty()
            && block.len() <= 1.6 * size + 2.0
            && block.linked < 0.5 * block.len() + 1.0
            && found() >= 0.8 * size
    }
}

fn trigrams_of(text: &str) -> SortedHashes {
    trigrams(&word_hashes(text).collect::<Vec<_>>())
}

/// Returns the `articleBody` in JSON-LD, or an empty string. The rest of the JSON may be invalid.
fn declared_body(page: &Page) -> String {
    const NAME: &str = "\"articleBody\"";
    for script in page.elements("script") {
        if !page.attribute(script, "type").is_some_and(|kind| kind.contains("ld+json")) {
            continue;
        }
        let source = page.raw_text(script);
        let Some(at) = source.find(NAME) else { continue };
        let value = source[at + NAME.len()..].trim_start().trim_start_matches(':');
        if let Some(Ok(body)) = serde_json::Deserializer::from_str(value).into_iter::<String>().next() {
            return body;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_body_is_read_past_faults() {
        let html =
            r#"<script type="application/ld+json">{"x":tru, "articleBody" : "Rain\u0020ended.", }</script>"#;
        assert_eq!(declared_body(&Page::parse(html)), "Rain ended.");
    }
}
