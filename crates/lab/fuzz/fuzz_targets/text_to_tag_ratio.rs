#![no_main]
//! Fuzzes Text-To-Tag Ratio, with all five ways of selection.

use gleaner_lab_fuzz::single_page;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| single_page(bytes, "ttr-"));
