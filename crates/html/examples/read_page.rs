//! Reads one page: its encoding, metadata, links and lines of text.
//!
//! Run with `cargo run -p gleaner-html --example read_page`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_html::{Page, decode, links, metadata, text};

const HTML: &str = "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Rain ends - Village Post</title>\
    <meta property='article:published_time' content='2026-11-20T09:00:00+07:00'><meta name=author content='An Le'>\
    <link rel=alternate type='application/rss+xml' href='/feed.xml'></head>\
    <body><ul><li><a href='/world'>World</a></ul><article><h1>Rain ends</h1>\
    <p>The <b>rain</b> that fell all day ended.</p><blockquote>We are glad, the mayor said.</blockquote>\
    </article></body></html>";

fn main() {
    // The charset in the response's Content-Type helps to find the encoding.
    let decoded = decode::decode(HTML.as_bytes(), Some("text/html"));
    let page = Page::parse(&decoded.text);

    let metadata = metadata::metadata(&page);
    println!("title: {:?}", metadata.title);
    println!("published: {:?}", metadata.published);
    println!("authors: {:?}", metadata.authors);

    let links = links::links(&page);
    for anchor in &links.anchors {
        println!("link: {} ({})", anchor.href, links::anchor_text(&page, anchor.node));
    }
    println!("feeds: {:?}", links.feeds);

    // Node 0 is the whole page; the closure chooses the nodes to keep.
    for line in text::lines(&page, 0, |_| true) {
        println!("{:?}: {}", line.kind, line.text);
    }
}
