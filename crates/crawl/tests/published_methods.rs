//! Crawls the bundled newspaper by each method of `template.method`.

use gleaner_corpus::{Document, Method};
use gleaner_extract::template::SiteTemplate;
use gleaner_store::Store;
use gleaner_testkit::{Newspaper, NewspaperOptions};
use tempfile::TempDir;

use crate::site::crawl;

fn crawled(method: Method) -> (TempDir, Store, usize) {
    let newspaper =
        Newspaper::start_in_background(NewspaperOptions { faults: false, ..NewspaperOptions::default() })
            .unwrap();
    let folder = TempDir::new().unwrap();
    let sets = [format!("fetch.proxy={}", newspaper.proxy()), format!("template.method={method}")];
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let (summary, store) = crawl(folder.path(), &Newspaper::seeds().join("\n"), &sets);
    assert!(summary.ending.is_over());
    (folder, store, newspaper.expected().len())
}

fn templates(store: &Store) -> Vec<SiteTemplate> {
    let hosts = store.hosts().map(|host| host.unwrap().name);
    let stored = hosts.filter_map(|host| store.template(&host).unwrap());
    stored.map(|json| SiteTemplate::from_json(&json).unwrap()).collect()
}

#[test]
fn a_crawl_by_each_published_method_stores_its_templates_and_texts() {
    for method in [Method::FastContentExtractor, Method::ContentExtractor] {
        let (_folder, store, expected) = crawled(method);
        let templates = templates(&store);
        assert!(templates.len() >= 2 && templates.iter().all(|it| it.method() == method), "{method}");
        let documents: Vec<Document> = store.documents().map(Result::unwrap).collect();
        assert!(documents.len() >= expected, "{method}: {} of {expected}", documents.len());
        for document in &documents {
            assert_eq!(document.method, method.name(), "{}", document.url);
            assert!(
                document.confidence.is_none() && document.template_version == Some(1),
                "{}",
                document.url
            );
        }
    }
}
