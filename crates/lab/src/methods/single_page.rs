//! Extracts a page by one of the methods that need no other page of its site.

use gleaner_corpus::Method;
use gleaner_html::Page;
use gleaner_html::text::Line;

use crate::methods::text_to_tag_ratio::Clustering;
use crate::methods::{bte, comma_score, line_block, text_to_tag_ratio};

/// A page in both forms: source and parsed.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The decoded source. Some methods read its lines and tags.
    pub source: &'a str,
    /// The page parsed from the source.
    pub page: &'a Page,
}

/// Returns the text of a page by a method of a paper that reads one page, with the parameters of its paper. If the method
/// finds no text, there are no lines. Returns `None` for all other methods.
#[must_use]
pub fn extract(method: Method, input: Input<'_>) -> Option<Vec<Line>> {
    let by_ratio = |clustering| {
        text_to_tag_ratio::extract(input.source, &text_to_tag_ratio::TextToTagRatioParams::with(clustering))
    };
    let by_block = |params| line_block::extract(input.source, &params);
    Some(match method {
        Method::BteOriginal => bte::original::extract(input.source, &bte::BteParams::default()),
        Method::BteImproved => bte::improved::extract(input.page, &bte::BteParams::default()),
        Method::BteLinear => bte::linear::extract(input.page, &bte::BteParams::default()),
        Method::TtrThreshold => by_ratio(Clustering::Threshold),
        Method::TtrPrediction => by_ratio(Clustering::Prediction),
        Method::TtrKMeans => by_ratio(Clustering::KMeans),
        Method::TtrExpectationMaximization => by_ratio(Clustering::ExpectationMaximization),
        Method::TtrFarthestFirst => by_ratio(Clustering::FarthestFirst),
        Method::LineBlock => by_block(line_block::LineBlockParams::default()),
        Method::LineBlockAsPrinted => by_block(line_block::LineBlockParams::as_printed()),
        Method::LineBlockLambdaSigma => by_block(line_block::LineBlockParams::lambda_sigma(1.0)),
        Method::CommaScore => comma_score::extract(input.page, &comma_score::CommaScoreParams::default()),
        Method::PunctuationScore => comma_score::punctuation::extract(
            input.page,
            &comma_score::punctuation::PunctuationScoreParams::default(),
        ),
        Method::BlockModel
        | Method::ContentExtractor
        | Method::FastContentExtractor
        | Method::Template
        | Method::Detection => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_block_as_printed_asks_for_words_of_the_title() {
        let text = "Many words of a text that is long enough to stand above thirty a tag.";
        let source =
            format!("<title>The old bridge</title><p>{text}</p><hr><p>Of the old bridge: {text}</p>");
        let page = Page::parse(&source);
        let lines = |method| extract(method, Input { source: &source, page: &page }).unwrap().len();
        assert_eq!((lines(Method::LineBlock), lines(Method::LineBlockAsPrinted)), (2, 1));
    }
}
