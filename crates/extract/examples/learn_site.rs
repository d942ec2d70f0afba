//! Extracts a page without a template, and again with a template learned from pages of its site.
//!
//! `cargo run -p gleaner-extract --example learn_site`

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_extract::Pins;
use gleaner_extract::article::judge;
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::{Page, decode};
use gleaner_testkit::bench_pages::news_page;
use jiff::Timestamp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parse = |number| Page::parse(&decode::decode(&news_page(number), Some("text/html")).text);
    let url = |number| format!("https://paper.example/rain-{number}.html");
    let page = parse(20);
    println!("verdict: {:?}", judge(&page, &url(20)));
    show("alone", &Extraction::cold(&page, &Pins::default()));

    let pages: Vec<(String, Page)> = (0..12).map(|number| (url(number), parse(number))).collect();
    let pages: Vec<(&str, &Page)> = pages.iter().map(|(url, page)| (url.as_str(), page)).collect();
    let template = SiteTemplate::learn("paper.example", 1, Timestamp::UNIX_EPOCH, &pages);
    // A template is stored as JSON.
    let json = template.to_json();
    println!("the template has {} bytes", json.len());
    let prepared = PreparedTemplate::new(SiteTemplate::from_json(&json)?);
    show("with the template", &prepared.extract(&page, &Pins::default()));
    Ok(())
}

fn show(name: &str, extracted: &Extraction) {
    println!(
        "{name}: {} lines, {} words, margin {:.2}, method {}",
        extracted.lines().len(),
        extracted.words(),
        extracted.margin,
        extracted.method.name()
    );
}
