//! Extracts a page without a template, and again with a template learned from pages of its site.
//!
//! `cargo run -p gleaner-template --example learn_site`

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_html::{Page, decode};
use gleaner_template::site::extract_alone;
use gleaner_template::{Detector, ExtractedText, SiteTemplate, judge};
use gleaner_testkit::bench_pages::news_page;
use jiff::Timestamp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parse = |number| Page::parse(&decode::decode(&news_page(number), Some("text/html")).text);
    let url = |number| format!("https://paper.example/rain-{number}.html");
    let page = parse(20);
    println!("verdict: {:?}", judge(&page, &url(20)));
    show("alone", &extract_alone(&page));

    let pages: Vec<(String, Page)> = (0..12).map(|number| (url(number), parse(number))).collect();
    let pages: Vec<(&str, &Page)> = pages.iter().map(|(url, page)| (url.as_str(), page)).collect();
    let template = SiteTemplate::learn("paper.example", 1, Timestamp::UNIX_EPOCH, &pages);
    show("with the template", &template.extract(&page));

    // A template is stored as JSON. Detection needs only the template's places, which makes it faster.
    let json = template.to_json();
    let detector = Detector::from_template(&SiteTemplate::from_json(&json)?);
    println!("the template has {} bytes", json.len());
    match detector.detect(&page) {
        Some(extracted) => show("detection", &extracted),
        None => println!("detection: the places cannot decide"),
    }
    Ok(())
}

fn show(name: &str, extracted: &ExtractedText) {
    println!(
        "{name}: {} lines, {} words, margin {:.2}, method {}",
        extracted.lines.len(),
        extracted.words(),
        extracted.margin,
        extracted.method.label()
    );
}
