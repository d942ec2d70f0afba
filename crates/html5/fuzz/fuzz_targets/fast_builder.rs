//! Compares the fast builder with html5ever: if the fast builder is sure, the pages must be equal.
//!
//! The dictionary `html.dict` lists the tags with special rules in tree construction.

#![no_main]

use gleaner_html5::Tree;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    if Tree::left_to_reference(html).is_none() {
        assert!(Tree::parse(html) == Tree::parse_reference(html));
    }
});
