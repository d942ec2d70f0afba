//! Tests that ContentExtractor's result does not depend on the search or on the page being part of the site.

use gleaner_extract::site_methods::content_extractor::{ContentExtractorParams, Search, SiteBlocks};
use gleaner_html::Page;
use proptest::prelude::*;

/// Generates a page whose blocks share a few words, so that some blocks are equal and some similar.
fn page() -> impl Strategy<Value = Page> {
    let word =
        proptest::sample::select(&["rain", "wind", "snow", "hail", "sun", "<img>", "<a href=/>fog</a>"]);
    let block = (proptest::sample::select(&["p", "div", "span"]), proptest::collection::vec(word, 0..12))
        .prop_map(|(tag, words)| format!("<{tag}>{}", words.join(" ")));
    proptest::collection::vec(block, 0..8).prop_map(|blocks| Page::parse(&blocks.concat()))
}

fn site(pages: &[Page], search: Search, share: f64) -> SiteBlocks {
    SiteBlocks::new(
        pages,
        &ContentExtractorParams { search, repeated_share: share, ..ContentExtractorParams::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_searches_agree(pages in proptest::collection::vec(page(), 1..6), share in 0.0..1.0) {
        let (exhaustive, indexed) = (site(&pages[1..], Search::Exhaustive, share), site(&pages[1..], Search::Indexed, share));
        let found = exhaustive.find(&pages[0]);
        prop_assert_eq!(&found, &indexed.find(&pages[0]));
        prop_assert!(found.exact && found.placed.len() <= found.blocks);
        for (number, page) in pages[1..].iter().enumerate() {
            prop_assert_eq!(exhaustive.find_without(number, page), indexed.find_without(number, page));
        }
    }

    #[test]
    fn a_page_is_compared_with_the_others_only(pages in proptest::collection::vec(page(), 1..6), share in 0.0..1.0) {
        for search in [Search::Exhaustive, Search::Indexed] {
            let within = site(&pages, search, share).find_without(0, &pages[0]);
            prop_assert_eq!(within, site(&pages[1..], search, share).find(&pages[0]));
        }
    }
}
