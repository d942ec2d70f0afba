//! The fast builder against html5ever: whatever it is sure of is the same page.
//!
//! The dictionary beside has the tags that the rules of tree construction treat each in its
//! own way.

#![no_main]

use gleaner_html::Page;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    if Page::left_to_reference(html).is_none() {
        assert!(Page::parse(html) == Page::parse_reference(html));
    }
});
