//! Tests that the settings exclude URLs that are already known, and that a later run can include them again.

use crate::site::{Routes, Site, ending, html, reply};
use gleaner_crawl::Clock;
use gleaner_store::Store;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

const OLD: &str = "/2025/12/31/the-old-story";
const NEW: &str = "/2026/01/02/the-new-story";
const MOVED: &str = "/moved-story-of-many-words";
const DAY: &str = "crawl.published_after=2026-01-01";

fn site() -> Site {
    let links = [OLD, NEW, MOVED].map(|path| format!("<a href={path}>{path}</a> ")).concat();
    let page = |body: &str| vec![html(&format!("<title>x</title><p>{body}</p>"))];
    let to_old = reply(301, "Location: http://site.example/2025/12/30/another-old-story\r\n", "");
    Site::serve(Routes::from([
        ("/", vec![html(&links)]),
        (OLD, page("An old page.")),
        (NEW, page("A new page.")),
        (MOVED, vec![to_old]),
        ("/2025/12/30/another-old-story", page("Another old page.")),
    ]))
}

/// Crawls `day` days after 2026-02-01.
fn crawl(site: &Site, folder: &TempDir, day: i64, sets: &[&str]) -> Store {
    let begun: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
    let (begun, since) = (begun + SignedDuration::from_hours(24 * day), std::time::Instant::now());
    let clock = move || begun + SignedDuration::try_from(since.elapsed()).unwrap();
    site.crawl_at(folder.path(), sets, Clock::from_fn(clock))
}

#[test]
fn a_known_url_is_excluded_and_fetched_when_the_day_is_taken_back() {
    let (folder, site) = (TempDir::new().unwrap(), site());
    let asks = |path: &str| site.asked().iter().filter(|asked| *asked == path).count();
    crawl(&site, &folder, 0, &["crawl.max_pages=1"]);
    let rule = "excluded: published before 2026-01-01";
    let store = crawl(&site, &folder, 2, &[DAY]);
    assert_eq!((asks(OLD), asks(NEW)), (0, 1));
    assert_eq!(ending(&store, OLD), rule);
    assert_eq!(ending(&store, MOVED), format!("redirect_refused: {rule}"));
    let counts = store.counts(2).unwrap().remove(0).1;
    assert_eq!(counts.outcomes.get(rule), Some(&1), "{counts:?}");
    drop(store);
    let store = crawl(&site, &folder, 4, &[]);
    // The front page still names the new page, which had too little text.
    assert_eq!((asks(OLD), asks(NEW)), (1, 2));
    assert!(ending(&store, OLD).starts_with("not_article"), "{}", ending(&store, OLD));
}

#[test]
fn an_excluded_link_is_counted_and_does_not_enter_the_frontier() {
    let (folder, site) = (TempDir::new().unwrap(), site());
    let (summary, store) = site.crawl(folder.path(), &[DAY, "crawl.linger=0s"]);
    let counts = &summary.hosts[0].1;
    assert_eq!(counts.refused.get("excluded: published before 2026-01-01"), Some(&1), "{counts:?}");
    let old = gleaner_frontier::CanonicalUrl::parse(&format!("http://site.example{OLD}")).unwrap();
    assert!(store.url(old.key()).unwrap().is_none());
}
