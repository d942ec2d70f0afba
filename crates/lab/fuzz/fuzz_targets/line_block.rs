#![no_main]
//! Fuzzes Line-Block, with both kinds of thresholds and both rules.

use gleaner_lab_fuzz::single_page;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| single_page(bytes, "line-block"));
