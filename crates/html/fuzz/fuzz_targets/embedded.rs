#![no_main]
//! Reads embedded texts from scripts of arbitrary bytes.

use gleaner_html::embedded::{complete, is_completed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let script = String::from_utf8_lossy(bytes);
    let filler = "\"Rain fell, and the river rose above the bridge of the valley on that day.\",".repeat(9);
    let html = format!("<title>Rain and river</title><script>{{\"body\":[{filler}{script}</script>");
    let page = complete(&html);
    assert!(!is_completed(&page) || page.raw_text(0).contains("Rain fell"));
});
