//! Checks that the metadata of pages that were built to be expensive are found in a short time.

use gleaner_html::Page;
use gleaner_html::metadata::{Metadata, metadata_at};

fn of(html: &str) -> Metadata {
    metadata_at(&Page::parse(html), "https://a.vn/2026/11/20/rain-ends")
}

#[test]
fn five_megabytes_of_json() {
    let article = r#"{"@type":"NewsArticle","headline":"Rain ends","author":{"@id":"p"}}"#;
    let others = r#"{"@type":"Thing","@id":"x","name":"y"},"#.repeat(130_000);
    let html =
        format!("<script type=application/ld+json>[{others}{article}]</script><h1>Rain ends in the town");
    assert_eq!(of(&html).title.as_deref(), Some("Rain ends in the town"));
    let nested = format!("{}{article}{}", r#"{"@graph":["#.repeat(50_000), "]}".repeat(50_000));
    let html = format!("<script type=application/ld+json>{nested}</script><h1>Rain ends in the town");
    assert_eq!(of(&html).title.as_deref(), Some("Rain ends in the town"));
}

#[test]
fn a_flood_of_dates_and_by_lines() {
    let deep = "<div class=comment>".repeat(2_000);
    for flood in [
        "<time>1.1.2026</time>",
        "<time datetime=2026-01-01 class=author>",
        "<p class=author>An Example</p>",
        "<a rel=author>An Example</a>",
        "<p align=right>An Example</p>",
        "<h1>Rain</h1>",
        "<h2>Rain ends in the town</h2>",
        "<p>By An Example</p>",
        "<meta name=author content='An Example'>",
    ] {
        let flood = flood.repeat(20_000);
        for html in [format!("{deep}{flood}"), format!("<title>Rain ends in the town - A</title>{flood}")] {
            let found = of(&html);
            assert!(found.authors.len() <= 20, "{:?}", found.authors.len());
            assert!(found.published.is_some_and(|date| date.starts_with("2026-")));
        }
    }
}

#[test]
fn long_names_and_titles() {
    let long = "An Example, ".repeat(100_000);
    let html = format!(
        "<title>{long}</title><meta name=author content='{long}'><meta property=og:title content='{long}'>\
         <meta property=article:section content='{long}'><link rel=canonical href='/{long}'><h1>{long}</h1>"
    );
    let found = of(&html);
    assert_eq!((found.authors.len(), found.section, found.canonical), (0, None, None));
}

#[test]
fn lines_that_might_be_dates_without_a_headline() {
    for line in ["<p>a b c d e f 12345", "<p class=date>a b c d e f 12345", "<br>1 2 3 4 5 6 7 8"] {
        let html = format!("<p class=date>20.11.2026</p>{}", line.repeat(100_000));
        let found = metadata_at(&Page::parse(&html), "");
        assert_eq!(found.published.as_deref(), Some("2026-11-20"), "{line}");
    }
}
