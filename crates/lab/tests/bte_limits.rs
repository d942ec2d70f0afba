//! Tests edge cases: empty pages, deep pages, and input that is not HTML.

use gleaner_html::Page;
use gleaner_html::text::plain;
use gleaner_html::words::words;
use gleaner_lab::methods::bte;
use proptest::prelude::*;

fn extracted(html: &str) -> String {
    plain(&bte::extract(&Page::parse(html), &bte::BteParams::default()))
}

#[test]
fn empty_pages_give_nothing() {
    assert!(bte::extract(&Page::default(), &bte::BteParams::default()).is_empty());
    assert_eq!(extracted(""), "");
    assert_eq!(extracted("<p> | </p>"), "");
}

#[test]
fn ten_thousand_nested_elements() {
    for tag in ["div", "b", "span"] {
        let html = format!("{}some words", format!("<{tag}>").repeat(10_000));
        assert_eq!(extracted(&html), "some words", "{tag}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_is_a_page(html in "(<(p|div|span|/p|/div|table|td|a href=x|script|b)>|[a-z]{1,5} |[<>&\"\\x00. ]|更){0,60}") {
        let all = plain(&gleaner_html::text::lines(&Page::parse(&html), 0, |_| true));
        let all_words: Vec<&str> = words(&all).collect();
        let text = extracted(&html);
        prop_assert!(words(&text).all(|word| all_words.contains(&word)), "{text:?} of {all:?}");
    }
}
