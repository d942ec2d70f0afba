#![no_main]
//! Fuzzes the punctuation score.

use gleaner_lab_fuzz::single_page;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| single_page(bytes, "punctuation-score"));
