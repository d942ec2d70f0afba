//! Scores the methods on one page.
//!
//! Limitation: the time is wall-clock time, because not every platform provides processor time. Only times of
//! the same run are comparable.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gleaner_corpus::Method;
use gleaner_extract::block_model::Forest;
use gleaner_extract::template::LearnedTemplates;
use gleaner_html::text::{Line, plain};

use crate::dataset::RecordedPage;
use crate::measure::space::{Size, Sizes};
use crate::measure::words::{Overlap, WordBag};
use crate::measure::{Measure, Ratios, blocks, edit_distance, subsequence};
use crate::methods::{self, Input};

/// The score of a method on a page.
#[derive(Debug, Clone)]
pub struct PageScore {
    /// The page's file.
    pub path: PathBuf,
    /// Number of words in each text, and number of words that both texts share.
    pub words: Overlap,
    /// The scores of [`blocks`], if requested.
    pub blocks: Option<Ratios>,
    /// The scores of [`subsequence`], if requested.
    pub subsequence: Option<Ratios>,
    /// The ratio of [`edit_distance`], if requested. `Some(None)` means that computing it exceeded the limit.
    pub edit_distance_ratio: Option<Option<f64>>,
    /// The sizes of [`crate::measure::space`], if requested.
    pub space: Option<Sizes>,
    /// The extraction method that `gleaner` used, and the margin from 0 to 1. `None` for other methods.
    pub estimate: Option<(Method, f32)>,
    /// The time of the extraction. Decoding and parsing are not included.
    pub time: Duration,
}

/// Scores the methods on the page `recorded` from the file `path`. Returns one score per method, in the order
/// of `methods`. If the gold text is missing or has no words, F1 is 0.
#[must_use]
pub fn score_page(
    path: &Path,
    recorded: &RecordedPage,
    methods: &[Method],
    learned: &LearnedTemplates,
    model: &Forest,
    measures: &[Measure],
) -> Vec<PageScore> {
    let gold = recorded.gold.as_deref().unwrap_or_default();
    let bag = WordBag::from_text(gold);
    let input = Input { source: &recorded.source, page: &recorded.page };
    let wants = |measure| measures.contains(&measure);
    let html = wants(Measure::Space).then(|| Size::from_bytes(&recorded.bytes));
    let score = |method: &Method| {
        let start = Instant::now();
        let (lines, estimate) = match method {
            Method::Template => {
                let extracted = learned.extract_by_template(input.page, model);
                let estimate = (extracted.method, extracted.margin);
                (extracted.lines(), Some(estimate))
            }
            method => (lines(*method, input, learned, model), None),
        };
        let time = start.elapsed();
        let text = plain(&lines);
        PageScore {
            path: path.to_owned(),
            words: WordBag::from_text(&text).against(&bag),
            blocks: wants(Measure::Blocks).then(|| blocks::ratios(&text, gold)),
            subsequence: wants(Measure::Subsequence).then(|| subsequence::ratios(&text, gold)),
            edit_distance_ratio: wants(Measure::EditDistance).then(|| edit_distance::ratio(&text, gold)),
            space: html.map(|html| Sizes { html, text: Size::from_bytes(text.as_bytes()) }),
            estimate,
            time,
        }
    };
    methods.iter().map(score).collect()
}

/// Extracts a page with any method. Without a template in `learned`, a method that needs one finds nothing.
fn lines(method: Method, input: Input<'_>, learned: &LearnedTemplates, model: &Forest) -> Vec<Line> {
    methods::extract(method, input).unwrap_or_else(|| learned.extract(method, input.page, model))
}

#[cfg(test)]
mod tests {
    use gleaner_extract::block_model;
    use gleaner_html::Page;

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
            |method, learned: &LearnedTemplates| lines(method, input, learned, block_model::built_in());
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
