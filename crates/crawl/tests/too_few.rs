//! Tests a site with too few articles for a template. At the end of the run, its pages are extracted one by
//! one. Once the site has a template, they are extracted again.

use std::collections::BTreeSet;

use crate::site::crawl;
use gleaner_corpus::Document;
use gleaner_store::Store;
use gleaner_testkit::{Newspaper, NewspaperOptions};
use tempfile::TempDir;

fn methods(store: &Store) -> BTreeSet<String> {
    documents(store).into_iter().map(|document| document.method).collect()
}

fn documents(store: &Store) -> Vec<Document> {
    store.documents().collect::<Result<_, _>>().unwrap()
}

#[test]
fn pages_extracted_alone_are_extracted_again_by_the_template() {
    let folder = TempDir::new().unwrap();
    let seeds = Newspaper::seeds().join("\n");
    let visit = |articles| {
        let options = NewspaperOptions { articles, faults: false, ..NewspaperOptions::default() };
        let newspaper = Newspaper::start_in_background(options).unwrap();
        let proxy = format!("fetch.proxy={}", newspaper.proxy());
        let (summary, store) = crawl(
            folder.path(),
            &seeds,
            &[&proxy, "crawl.revisit=0s", "fetch.concurrency=1", "template.min_pages=20"],
        );
        assert!(summary.ending.is_over());
        (newspaper.expected().len() + newspaper.wire_copies().len(), store)
    };
    let (few, store) = visit(8);
    // The single-page method includes some boilerplate, so the second copy of an article may differ from the
    // first.
    assert!((few..=few + 2).contains(&documents(&store).len()), "{}", documents(&store).len());
    assert_eq!(methods(&store), BTreeSet::from(["block-model".to_owned()]));
    assert!(documents(&store).iter().all(|document| document.template_version.is_none()));
    drop(store);

    // A listing is not due again before the next second. Until then a run requests nothing.
    let grown = (0..200).map(|_| visit(usize::MAX)).find(|(all, store)| documents(store).len() >= *all);
    let (all, store) = grown.expect("the second visit finds the new articles");
    assert_eq!(documents(&store).len(), all);
    assert!(!methods(&store).contains("block-model"), "{:?}", methods(&store));
    assert!(documents(&store).iter().all(|document| document.template_version.is_some()));
    let buffered: u32 = store.hosts().map(|host| host.unwrap().buffered).sum();
    assert_eq!(buffered, 0, "no raw page is kept once its host has a template");
}
