//! Tests a newspaper that changes its design during a crawl. The crawl must notice the change, learn a new
//! template, and extract the pages in between again, even after an interruption.

use std::collections::BTreeMap;

use crate::site::{crawl, crawl_until};
use gleaner_corpus::Document;
use gleaner_extract::Window;
use gleaner_extract::template::SiteTemplate;
use gleaner_store::Store;
use gleaner_testkit::{Expected, Newspaper, NewspaperOptions};
use tempfile::TempDir;

/// Number of article pages in the old design: the training pages of the first template, and two more.
const OLD: usize = PREPARE + 2;
const PREPARE: usize = 10;

fn newspaper() -> Newspaper {
    let options =
        NewspaperOptions { faults: false, redesigned_after: Some(OLD), ..NewspaperOptions::default() };
    Newspaper::start_in_background(options).unwrap()
}

fn settings(newspaper: &Newspaper) -> [String; 4] {
    [
        format!("fetch.proxy={}", newspaper.proxy()),
        format!("template.prepare_pages={PREPARE}"),
        format!("template.min_pages={PREPARE}"),
        "store.flush_pages=5".into(),
    ]
}

/// Returns the documents by URL.
fn documents(store: &Store) -> BTreeMap<String, Document> {
    store
        .documents()
        .map(|document| document.unwrap())
        .map(|document| (document.url.clone(), document))
        .collect()
}

/// Checks that a text has all paragraphs of the article. Only subheadings, caption and title may be added.
fn check_text(document: &Document, article: &Expected) {
    let optional = |line: &&str| {
        article.subheadings.iter().any(|text| text == line)
            || *line == article.caption
            || *line == article.title
    };
    let lines: Vec<&str> = document.text.lines().filter(|line| !optional(line)).collect();
    assert_eq!(lines, article.paragraphs, "{} by template {:?}", document.url, document.template_version);
}

/// Numbers the article pages of each host in the order in which it served them, from 1. Returns the number of
/// each URL.
fn order(newspaper: &Newspaper) -> BTreeMap<String, usize> {
    let articles: Vec<String> = newspaper.expected().into_iter().flat_map(|article| article.urls).collect();
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    let mut order = BTreeMap::new();
    for request in newspaper.requests().into_iter().filter(|request| request.status == 200) {
        let url = format!("http://{}{}", request.host, request.path);
        if articles.contains(&url) {
            let count = answered.entry(request.host).or_default();
            *count += 1;
            order.insert(url, *count);
        }
    }
    order
}

/// Checks that every text is right, and that the second template extracted the pages in the new design.
fn check_corpus(newspaper: &Newspaper, store: &Store) {
    let (documents, order) = (documents(store), order(newspaper));
    let expected = newspaper.expected();
    let mut checked = 0;
    for article in &expected {
        // If only one design includes the caption, two copies of an article are separate documents.
        let copies: Vec<&Document> = article.urls.iter().filter_map(|url| documents.get(url)).collect();
        assert!(!copies.is_empty(), "{} is lost", article.path);
        for document in &copies {
            check_text(document, article);
            let version = if order[&document.url] > OLD { 2 } else { 1 };
            assert_eq!(document.template_version, Some(version), "{}", document.url);
        }
        checked += copies.len();
    }
    let copies = newspaper.wire_copies();
    let copies = copies.iter().filter(|(copy, _)| documents.contains_key(copy));
    assert_eq!(checked + copies.count(), documents.len(), "documents that are no articles");
    for host in store.hosts().map(|host| host.unwrap()) {
        assert_eq!((host.template, host.outdated, host.buffered), (2, false, 0), "{host:?}");
        let template = SiteTemplate::from_json(&store.template(&host.name).unwrap().unwrap()).unwrap();
        assert_eq!(template.version, 2);
        let new = template.learned_from.iter().filter(|url| order[*url] > OLD).count();
        assert_eq!(new, template.learned_from.len(), "learned from old pages, too");
        let last = template.learned_from.iter().map(|url| order[url]).max().unwrap();
        assert!(last <= OLD + 20, "{}: noticed at its page {last}", host.name);
        let window: Window<gleaner_frontier::UrlKey> = store.health(&host.name).unwrap().unwrap();
        assert!(window.len() > 5 && window.unlike_pages().count() == 0, "{window:?}");
    }
}

#[test]
fn a_redesign_is_noticed_learned_and_mended() {
    let (newspaper, folder) = (newspaper(), TempDir::new().unwrap());
    let sets = settings(&newspaper);
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let (summary, store) = crawl(folder.path(), &Newspaper::seeds().join("\n"), &sets);
    assert!(summary.ending.is_over());
    check_corpus(&newspaper, &store);
}

#[test]
fn stopped_again_and_again_around_the_redesign_it_ends_the_same() {
    let (newspaper, folder) = (newspaper(), TempDir::new().unwrap());
    let sets = settings(&newspaper);
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let seeds = Newspaper::seeds().join("\n");
    let mut stops = 0;
    for requests in (20..).step_by(9) {
        let reached = |_: &Store| newspaper.request_count() >= requests;
        let (summary, store) = crawl_until(folder.path(), &seeds, &sets, reached);
        if summary.ending.is_over() {
            check_corpus(&newspaper, &store);
            break;
        }
        stops += 1;
    }
    assert!(stops > 10, "stopped {stops} times only");
}

#[test]
fn a_layout_of_every_second_page_is_learned_without_forgetting_the_other() {
    let options = NewspaperOptions {
        faults: false,
        redesigned_after: Some(PREPARE),
        redesigned_every: 2,
        ..NewspaperOptions::default()
    };
    let (newspaper, folder) = (Newspaper::start_in_background(options).unwrap(), TempDir::new().unwrap());
    let sets = settings(&newspaper);
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let (_, store) = crawl(folder.path(), &Newspaper::seeds().join("\n"), &sets);
    let documents = documents(&store);
    for article in newspaper.expected() {
        let copies: Vec<&Document> = article.urls.iter().filter_map(|url| documents.get(url)).collect();
        assert!(!copies.is_empty(), "{} is lost", article.path);
        copies.iter().for_each(|document| check_text(document, &article));
    }
    for host in store.hosts().map(|host| host.unwrap()) {
        let template = SiteTemplate::from_json(&store.template(&host.name).unwrap().unwrap()).unwrap();
        assert!(template.version > 1, "{}: the other layout was not learned", host.name);
        assert!(template.earlier.is_empty(), "{}: the template was out of date", host.name);
    }
}
