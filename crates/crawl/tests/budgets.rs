//! Tests that a run ends when it reaches its budget, and that the next run continues.

use crate::site::{Routes, Site, crawl, crawl_until, html};
use gleaner_crawl::{Budget, Ending};
use gleaner_store::{HostId, Store};
use tempfile::TempDir;

/// A front page that links to ten pages.
fn site() -> Site {
    let paths = ["/a1", "/a2", "/a3", "/a4", "/a5", "/a6", "/a7", "/a8", "/a9", "/a10"];
    let links: String = paths.iter().map(|path| format!("<a href='{path}'>{path}</a> ")).collect();
    let mut routes = Routes::from([("/", vec![html(&format!("<body>{links}</body>"))])]);
    routes.extend(paths.map(|path| (path, vec![html("<body><p>A short page.</p></body>")])));
    Site::serve(routes)
}

fn ready(store: &Store) -> u64 {
    store.count_ready(HostId(0), 100).unwrap()
}

#[test]
fn pages_beyond_the_budget_are_left_to_the_next_run() {
    let (folder, site) = (TempDir::new().unwrap(), site());
    let (summary, store) = site.crawl(folder.path(), &["crawl.max_pages=5", "crawl.linger=0s"]);
    assert_eq!(summary.ending, Ending::Budget(Budget::Pages));
    assert!(summary.run.number == 1 && store.last_run().unwrap().unwrap().ended.is_some());
    let pages = |site: &Site| site.asked().iter().filter(|path| *path != "/robots.txt").count();
    assert_eq!(pages(&site), 5);
    let held = &summary.deferred_urls[0];
    assert_eq!((held.urls, held.why.as_str()), (ready(&store), "crawl.max_pages reached"));
    drop((summary, store));

    let (summary, store) = site.crawl(folder.path(), &["crawl.linger=0s"]);
    assert_eq!((summary.ending, summary.run.number), (Ending::Quiet, 2));
    assert_eq!(ready(&store), 0);
    let mut asked = site.asked();
    asked.retain(|path| path.starts_with("/a"));
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 10);
}

#[test]
fn a_run_whose_time_is_over_ends_without_asking_on() {
    let (folder, site) = (TempDir::new().unwrap(), site());
    let sets = ["crawl.max_time=1ms", "fetch.delay=200ms", "crawl.linger=0s"];
    let (summary, store) = site.crawl(folder.path(), &sets);
    assert_eq!(summary.ending, Ending::Budget(Budget::Time));
    assert!(site.asked().len() <= 1, "{:?}", site.asked());
    assert!(ready(&store) > 0);
    // A host without any visit also has an entry in the counts.
    assert_eq!(store.counts(1).unwrap()[0].0, "site.example");
}

#[test]
fn requests_before_an_interruption_count_towards_the_budget() {
    let links: String = (0..40).map(|n| format!("<a href=/missing-{n}>{n}</a> ")).collect();
    let (folder, site) = (TempDir::new().unwrap(), Site::serve(Routes::from([("/", vec![html(&links)])])));
    let proxy = format!("fetch.proxy=http://{}", site.address);
    let sets = [proxy.as_str(), "crawl.max_pages=35", "fetch.delay=20ms", "crawl.linger=0s"];
    let has_begun = |_: &Store| site.asked().len() > 4;
    let (summary, store) = crawl_until(folder.path(), "http://site.example/", &sets, has_begun);
    assert_eq!(summary.ending, Ending::Stopped);
    drop((summary, store));
    let (summary, _store) = crawl(folder.path(), "http://site.example/", &sets);
    assert!(summary.resumed && summary.ending == Ending::Budget(Budget::Pages), "{summary:?}");
    let pages = site.asked().iter().filter(|path| *path != "/robots.txt").count();
    assert_eq!(pages, 35);
}
