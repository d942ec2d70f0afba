#![no_main]
//! Runs ContentExtractor on each page of a generated site, with both searches.

use gleaner_extract::site_methods::content_extractor::{ContentExtractorParams, Search, SiteBlocks};
use gleaner_lab_fuzz::sites::{lines_are_of_page, site};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let pages = site(bytes);
    let others = &pages[..pages.len() - 1];
    let indexed = SiteBlocks::new(others, &ContentExtractorParams::default());
    let exhaustive = SiteBlocks::new(others, &ContentExtractorParams { search: Search::Exhaustive, ..ContentExtractorParams::default() });
    for page in &pages {
        let found = indexed.find(page);
        lines_are_of_page(&found.lines(), page);
        let all_pairs = exhaustive.find(page);
        assert!(!(found.exact && all_pairs.exact) || found.placed == all_pairs.placed);
    }
});
