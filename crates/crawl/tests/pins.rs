//! Tests that pins apply to all documents of a crawl, including the training pages of a template.

use crate::site::{Routes, Site, html};
use gleaner_corpus::{Document, Extra, Extras, Insert};
use gleaner_extract::Pins;
use gleaner_extract::pins::HostPins;
use tempfile::TempDir;

const PATHS: [&str; 6] = ["/story-1", "/story-2", "/story-3", "/story-4", "/story-5", "/story-6"];

const WORDS: [&str; 6] = ["rain", "wind", "snow", "hail", "frost", "mist"];

fn serve() -> Site {
    let links = PATHS.map(|path| format!("<a href={path}>{path}</a> ")).concat();
    let story = |word: &str| {
        let said =
            format!("The {word} came in the night, said the {word} watch, and nobody had expected it. ");
        html(&format!(
            "<title>The {word}</title><h1>The {word}</h1><p class=byline>By {word} Weaver</p><div class=story><p>{}</p></div><p class=plea>{}</p>\
             <div class=comments><p>I like {word}.</p></div>",
            said.repeat(12),
            format!("Whoever reads of the {word} should, we think, pay for the pleasure. ").repeat(8)
        ))
    };
    let mut routes = Routes::from([("/", vec![html(&links)])]);
    routes.extend(PATHS.iter().zip(WORDS).map(|(path, word)| (*path, vec![story(word)])));
    Site::serve(routes)
}

/// Crawls with pins that drop these selectors, and returns the texts.
fn texts(drop: &[(usize, &str)]) -> Vec<String> {
    let pins = Pins::new("site.example.toml", &[], drop).unwrap();
    texts_by(HostPins::from_iter([("site.example".to_owned(), pins)]))
}

fn texts_by(pins: HostPins) -> Vec<String> {
    documents(pins).into_iter().map(|document| document.text).collect()
}

fn documents(pins: HostPins) -> Vec<Document> {
    let site = serve();
    let folder = TempDir::new().unwrap();
    let proxy = format!("fetch.proxy=http://{}", site.address);
    let sets = [proxy.as_str(), "template.min_pages=5", "template.prepare_pages=5"];
    let (_, store) = crate::site::crawl_pinned(folder.path(), "http://site.example/", &sets, pins);
    store.documents().map(|document| document.unwrap()).collect()
}

#[test]
fn what_is_dropped_is_in_no_document() {
    let has_plea = |text: &String| text.contains("pay for the pleasure");
    let without_pins = texts(&[]);
    assert!(without_pins.len() == PATHS.len() && without_pins.iter().any(has_plea), "{without_pins:?}");
    let pinned = texts(&[(1, ".plea")]);
    assert!(pinned.len() == PATHS.len() && !pinned.iter().any(has_plea), "{pinned:?}");
    assert!(pinned.iter().all(|text| text.contains("in the night")), "{pinned:?}");
}

#[test]
fn what_is_kept_is_in_every_document() {
    let by_lines = [Insert::ByLines];
    let kept = texts_by(HostPins::default().or_inserts(&by_lines, "text.keep"));
    assert!(kept.len() == PATHS.len() && kept.iter().all(|text| text.contains(" Weaver\n")), "{kept:?}");
    assert!(texts(&[]).iter().all(|text| !text.contains("Weaver")));
}

#[test]
fn comments_are_kept_beside_the_text_on_request() {
    let kept = documents(HostPins::default().with_extras(&[Extra::Comments]));
    let is_kept = |document: &Document| {
        matches!(&*document.extras.comments, [comment] if comment.starts_with("I like "))
            && document.extras.captions.is_empty()
            && !document.text.contains("I like ")
    };
    assert!(kept.len() == PATHS.len() && kept.iter().all(is_kept), "{kept:?}");
    let without = documents(HostPins::default());
    assert!(without.iter().all(|document| document.extras == Extras::default()), "{without:?}");
}

#[test]
fn a_pin_that_selects_nothing_changes_no_document() {
    let by_url = |pins: HostPins| {
        let mut documents: Vec<_> =
            documents(pins).into_iter().map(|it| (it.url, it.method, it.text)).collect();
        documents.sort();
        documents
    };
    let without = by_url(HostPins::default());
    assert!(without.iter().any(|(_, method, _)| method == "detection"), "{without:?}");
    let pins = Pins::new("site.example.toml", &[], &[(1, ".nothing-here")]).unwrap();
    assert_eq!(by_url(HostPins::from_iter([("site.example".to_owned(), pins)])), without);
}
