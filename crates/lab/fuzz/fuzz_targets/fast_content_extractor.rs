#![no_main]
//! Runs FastContentExtractor: prepares with all pages of a generated site except the last, and detects on
//! every page.

use gleaner_extract::site_methods::fast_content_extractor::{FastContentExtractorParams, prepare};
use gleaner_lab_fuzz::sites::{lines_are_of_page, site};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let pages = site(bytes);
    let template = prepare(&pages[..pages.len() - 1], &FastContentExtractorParams::default());
    for page in &pages {
        lines_are_of_page(&template.detect(page), page);
    }
});
