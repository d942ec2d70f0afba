//! Applies the papers' methods, exactly as published, as templates of a host ([`PublishedTemplate`]).
//!
//! The user's pins and inserts apply to their results, and there is no confidence.

use crate::site_methods::PublishedTemplate;
use gleaner_html::text::{PlacedLine, placed_lines};
use gleaner_html::words::{count_words, has_word};
use gleaner_html::{NodeId, Page};

use crate::block_model::{ClassifiedBlock, RemovalReason};

/// The log-odds of extracted lines. Other lines have the same value with a minus sign.
const CERTAIN: f32 = 6.0;

/// Returns every line of a page: first the extracted lines in the method's order, then the other lines in page order.
/// [`ClassifiedBlock::removed`] marks the lines of blocks that are similar to a non-content block. With
/// ContentExtractor, these are all lines that are not extracted.
pub(super) fn classify(published: &PublishedTemplate, page: &Page) -> Vec<ClassifiedBlock> {
    let found = published.find(page);
    let is_dropped = |id| page.text(id).is_none() || found.text_nodes.binary_search(&id).is_err();
    let is_repeated =
        |placed: &PlacedLine| found.non_content.as_ref().is_none_or(|nodes| is_any_in(nodes, &placed.nodes));
    let dropped = placed_lines(page, 0, is_dropped).into_iter().filter(|placed| has_word(&placed.line.text));
    let dropped = dropped.map(|placed| {
        let is_repeated = is_repeated(&placed);
        judged(placed, -CERTAIN, is_repeated)
    });
    found.content.into_iter().map(|placed| judged(placed, CERTAIN, false)).chain(dropped).collect()
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
    use gleaner_corpus::Method;
    use gleaner_html::text::{lines, plain};
    use jiff::Timestamp;

    use super::*;
    use crate::pins::Pins;
    use crate::template::{Extraction, PreparedTemplate, SiteTemplate};

    const METHODS: [Method; 2] = [Method::FastContentExtractor, Method::ContentExtractor];

    fn page(story: &str) -> Page {
        Page::parse(&format!(
            "<div>Home News Sport</div><p>{story}</p><p>Write to us, whatever it is about.</p><h2>More</h2>"
        ))
    }

    fn learned(method: Method) -> SiteTemplate {
        let pages = ["The bridge opens today.", "Rain is on its way.", "Two more trains a day."].map(page);
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        SiteTemplate::learn_by(method, "a.example", 1, Timestamp::UNIX_EPOCH, &pages)
    }

    fn extract(template: &SiteTemplate, page: &Page) -> Extraction {
        PreparedTemplate::new(template.clone()).extract(page, &Pins::default())
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
            assert_eq!(extracted.method, method);
            assert_eq!(template.method(), method);
        }
    }

    #[test]
    fn every_line_is_judged_once() {
        let page = page("Schools close early.");
        for method in METHODS {
            let judged = classify(&learned(method).published.unwrap(), &page);
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
            let text = plain(&PreparedTemplate::new(read.clone()).extract(&page, &pins).lines());
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
