//! scratch
use gleaner_eval::Set;
use gleaner_eval::measure::words::Bag;
use gleaner_html::decode::decode;
use gleaner_html::embedded::{complete, is_completed};
use gleaner_html::text::plain;
use std::io::Read;
use std::path::PathBuf;
fn main() {
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    for set in &Set::find(&folders).unwrap() {
        for entry in set.entries.iter().filter(|entry| entry.gold.is_some()) {
            let mut bytes = Vec::new();
            flate2::read::MultiGzDecoder::new(std::fs::File::open(&entry.html).unwrap())
                .read_to_end(&mut bytes)
                .unwrap();
            let html = decode(&bytes, None).text;
            let page = complete(&html);
            if !is_completed(&page) {
                continue;
            }
            let gold = Bag::from_text(&std::fs::read_to_string(entry.gold.as_ref().unwrap()).unwrap());
            let f = |page: &gleaner_html::Page| {
                let lines = gleaner_template::site::extract_alone(page).lines;
                Bag::from_text(&plain(&lines)).against(&gold).ratios().f1
            };
            println!(
                "{}/{} {:.3} -> {:.3}",
                set.name,
                entry.id,
                f(&gleaner_html::Page::parse(&html)),
                f(&page)
            );
        }
    }
}
