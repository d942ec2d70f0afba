//! Tests which URLs are requested again, with a simulated clock.

use std::path::Path;

use crate::site::{Reply, Routes, Site, html, reply};
use gleaner_corpus::DocumentId;
use gleaner_crawl::Clock;
use gleaner_frontier::{CanonicalUrl, Outcome};
use gleaner_store::Store;
use jiff::{SignedDuration, Timestamp};

const START: Timestamp = Timestamp::constant(1_795_000_000, 0);

fn after_hours(hours: i64) -> Timestamp {
    START + SignedDuration::from_hours(hours)
}

/// Crawls `site` with a clock that starts `hours` after [`START`].
fn crawl(site: &Site, folder: &Path, hours: i64, sets: &[&str]) -> Store {
    let began = std::time::Instant::now();
    let clock = move || after_hours(hours) + SignedDuration::try_from(began.elapsed()).unwrap();
    site.crawl_at(folder, sets, Clock::from_fn(clock))
}

fn article(text: &str) -> Reply {
    html(&format!(
        "<html><title>{text}</title><article><h1>{text}</h1>{}</article></html>",
        (0..8)
            .map(|number| format!("<p>{text}: the council met in the old school for the {number}th time and spoke for hours about the bridge, the water and the road behind the mill.</p>"))
            .collect::<String>()
    ))
}

fn xml(body: &str) -> Reply {
    reply(200, "Content-Type: application/xml\r\n", body)
}

fn sitemap(entries: &[(String, Timestamp)]) -> Reply {
    let entry = |(path, at): &(String, Timestamp)| {
        format!("<url><loc>http://site.example{path}</loc><lastmod>{at}</lastmod></url>")
    };
    xml(&format!("<urlset>{}</urlset>", entries.iter().map(entry).collect::<String>()))
}

fn path(number: usize) -> String {
    format!("/a-story-of-the-village-{}.html", 10_000 + number)
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn id(path: &str) -> DocumentId {
    let url = CanonicalUrl::parse(&format!("http://site.example{path}")).unwrap();
    DocumentId(*url.key().as_bytes())
}

fn front(paths: &[String]) -> Reply {
    html(&paths.iter().map(|path| format!("<p><a href=\"{path}\">x</a></p>")).collect::<String>())
}

#[test]
fn an_article_is_looked_at_again_at_the_ages_that_are_set_and_one_that_is_gone_is_marked() {
    let missing = reply(404, "", "");
    let paths: Vec<String> = (0..6).map(path).collect();
    let mut routes = Routes::from([
        ("/", vec![front(&paths)]),
        (leaked(path(0)), vec![article("Rain"), article("Rain, corrected"), article("Rain, corrected")]),
        (leaked(path(1)), vec![article("Snow"), missing]),
    ]);
    // These pages suffice for a template. Without one, the pages would stay buffered.
    for path in &paths[2..] {
        routes.insert(leaked(path.clone()), vec![article(path)]);
    }
    let site = Site::serve(routes);
    let folder = tempfile::tempdir().unwrap();
    let sets = ["crawl.recheck=[\"6h\", \"1d\"]"];
    for hours in [0, 3, 7, 8, 26, 50] {
        drop(crawl(&site, folder.path(), hours, &sets));
    }
    let asked = |number| site.asked().iter().filter(|asked| **asked == path(number)).count();
    // The front page still names the missing page, so it is requested after 19 and 24 more hours.
    assert_eq!((asked(0), asked(1)), (3, 4));
    let store = crawl(&site, folder.path(), 51, &sets);
    let history = store.history(id(&path(0))).unwrap();
    assert_eq!((history.revision(), history.gone), (2, None));
    assert!(store.document(id(&path(0))).unwrap().unwrap().text.contains("corrected"));
    assert!(!store.revisions(id(&path(0))).unwrap()[0].text.contains("corrected"));
    let gone = store.history(id(&path(1))).unwrap().gone.unwrap();
    assert!(gone >= after_hours(7) && gone < after_hours(8), "{gone}");
    assert!(store.document(id(&path(1))).unwrap().is_some());
    let counts = |run| store.counts(run).unwrap()[0].1.clone();
    assert_eq!(counts(3).ended("revised"), 1);
    assert_eq!(crate::site::ending(&store, &path(1)), "gone: http_404");
    assert_eq!(counts(3).ended("unchanged"), 4);
    assert_eq!(counts(5).ended("unchanged"), 5);
    let host = store.host("site.example").unwrap().unwrap();
    assert_eq!(host.announced_updates, 0, "the site announced nothing");
}

#[test]
fn a_sitemap_that_calls_everything_changed_is_not_believed_for_long() {
    let paths: Vec<String> = (0..40).map(path).collect();
    let dated = |hours| paths.iter().map(|path| (path.clone(), after_hours(hours))).collect::<Vec<_>>();
    let nights: Vec<i64> = (0..5).map(|night| night * 24).collect();
    let mut routes = Routes::from([
        ("/", vec![front(&paths[..1])]),
        ("/robots.txt", vec![reply(200, "", "Sitemap: http://site.example/sitemap.xml\n")]),
        ("/sitemap.xml", nights.iter().map(|hours| sitemap(&dated(*hours))).collect()),
    ]);
    for path in &paths {
        routes.insert(leaked(path.clone()), vec![article(path)]);
    }
    let site = Site::serve(routes);
    let folder = tempfile::tempdir().unwrap();
    let mut articles = Vec::new();
    for hours in &nights {
        let before = site.asked().len();
        drop(crawl(&site, folder.path(), *hours, &[]));
        articles.push(site.asked()[before..].iter().filter(|path| path.ends_with(".html")).count());
    }
    assert_eq!(articles[0], 40);
    assert!(articles[1] <= 40 && articles[1] > 0, "{articles:?}");
    assert!(articles[2] < 15, "{articles:?}");
    assert!(articles[4] == 0, "past the window: {articles:?}");
}

#[test]
fn what_is_new_comes_before_what_is_left_of_an_archive() {
    let old: Vec<(String, Timestamp)> =
        (0..60).map(|n| (path(n), after_hours(-24 * (60 - n as i64)))).collect();
    let fresh: Vec<String> = (100..105).map(path).collect();
    let mut routes = Routes::from([
        ("/", vec![front(&[]), front(&fresh)]),
        ("/robots.txt", vec![reply(200, "", "Sitemap: http://site.example/sitemap.xml\n")]),
        ("/sitemap.xml", vec![sitemap(&old)]),
    ]);
    for path in old.iter().map(|(path, _)| path).chain(&fresh) {
        routes.insert(leaked(path.clone()), vec![article(path)]);
    }
    let site = Site::serve(routes);
    let folder = tempfile::tempdir().unwrap();
    let sets = ["crawl.max_pages_per_host=20"];
    drop(crawl(&site, folder.path(), 0, &sets));
    let first: Vec<String> = site.asked().into_iter().filter(|path| path.ends_with(".html")).collect();
    let newest_first: Vec<String> = (0..60).rev().take(first.len()).map(path).collect();
    assert_eq!(first, newest_first, "the newest of the archive come first");
    let before = site.asked().len();
    drop(crawl(&site, folder.path(), 24, &sets));
    let second: Vec<String> =
        site.asked().split_off(before).into_iter().filter(|path| path.ends_with(".html")).collect();
    assert_eq!(second[..5], fresh[..], "what a list names for the first time comes before the archive");
}

#[test]
fn a_site_without_anything_new_is_asked_less_and_less() {
    let routes = Routes::from([
        ("/", vec![html("<a href=\"/sport\">s</a><a href=\"/culture\">c</a>")]),
        ("/sport", vec![front(&[path(0)])]),
        ("/culture", vec![front(&[path(1)])]),
        (leaked(path(0)), vec![article("Rain")]),
        (leaked(path(1)), vec![article("Snow")]),
    ]);
    let site = Site::serve(routes);
    let folder = tempfile::tempdir().unwrap();
    let mut visits = Vec::new();
    for night in 0..40 {
        let before = site.asked().len();
        drop(crawl(&site, folder.path(), night * 24, &[]));
        visits.push(site.asked()[before..].iter().filter(|path| **path == "/sport").count());
    }
    assert_eq!(visits[0], 1);
    let in_all: usize = visits.iter().sum();
    assert!((5..=12).contains(&in_all), "{visits:?}");
    assert_eq!(
        site.asked().iter().filter(|path| **path == "/").count(),
        40,
        "the front page is asked each night"
    );
    let store = crawl(&site, folder.path(), 40 * 24, &[]);
    let url = CanonicalUrl::parse("http://site.example/sport").unwrap();
    let record = store.url(url.key()).unwrap().unwrap();
    assert!(matches!(record.last, Some(Outcome::Listing | Outcome::Unchanged)), "{record:?}");
}

#[test]
fn a_section_that_fails_keeps_its_rhythm() {
    let down = reply(403, "", "");
    let sections: Vec<Reply> =
        (0..3).map(|n| front(&[path(n)])).chain([down.clone(), down.clone(), down]).collect();
    let mut routes = Routes::from([("/", vec![html("<a href=\"/sport\">s</a>")]), ("/sport", sections)]);
    for number in 0..3 {
        routes.insert(leaked(path(number)), vec![article(&path(number))]);
    }
    let site = Site::serve(routes);
    let folder = tempfile::tempdir().unwrap();
    for night in 0..6 {
        drop(crawl(&site, folder.path(), night * 24, &[]));
    }
    assert_eq!(site.asked().iter().filter(|path| **path == "/sport").count(), 6);
}

#[test]
fn an_article_that_changes_after_all_is_looked_at_as_soon_as_it_is_called() {
    let hours = [0, 1, 8, 9];
    let called: Vec<Reply> = hours.iter().map(|hour| sitemap(&[(path(0), after_hours(*hour))])).collect();
    let texts = ["Rain", "Rain", "Rain and wind", "Rain, wind and snow"];
    let paths: Vec<String> = (0..6).map(path).collect();
    let mut routes = Routes::from([
        ("/", vec![front(&paths)]),
        ("/robots.txt", vec![reply(200, "", "Sitemap: http://site.example/sitemap.xml\n")]),
        ("/sitemap.xml", called),
        (leaked(path(0)), texts.map(article).to_vec()),
    ]);
    for path in &paths[1..] {
        routes.insert(leaked(path.clone()), vec![article(path)]);
    }
    let site = Site::serve(routes);
    let folder = tempfile::tempdir().unwrap();
    for hours in hours {
        drop(crawl(&site, folder.path(), hours, &["crawl.revisit=0s"]));
    }
    assert_eq!(site.asked().iter().filter(|asked| **asked == path(0)).count(), texts.len());
    let store = crawl(&site, folder.path(), 10, &[]);
    assert_eq!(store.history(id(&path(0))).unwrap().revision(), 3);
}
