//! Tests that pages which give no text for a night are visited again, with a simulated clock.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use crate::site::{Asked, Reply, Site, ending, html, reply};
use gleaner_crawl::Clock;
use gleaner_store::Store;
use jiff::{SignedDuration, Timestamp};

const START: Timestamp = Timestamp::constant(1_795_000_000, 0);
const PAGES: usize = 6;

/// A site whose script knows the number of the night. The first night is 0.
struct Nights {
    site: Site,
    night: Arc<AtomicI64>,
    folder: tempfile::TempDir,
}

impl Nights {
    fn new(script: impl Fn(i64, &Asked) -> Reply + Send + Sync + 'static) -> Self {
        let night = Arc::new(AtomicI64::new(0));
        let now = Arc::clone(&night);
        let site = Site::scripted(move |asked, _| script(now.load(Relaxed), asked));
        Self { site, night, folder: tempfile::tempdir().unwrap() }
    }

    fn crawl(&self, night: i64, sets: &[&str]) -> Store {
        self.night.store(night, Relaxed);
        crawl(&self.site, self.folder.path(), night, sets)
    }

    /// Crawls some nights, and returns the number of requests for `path` in each.
    fn requests(&self, nights: std::ops::Range<i64>, path: &str) -> Vec<usize> {
        let mut requests = Vec::new();
        for night in nights {
            let before = self.site.asked().len();
            drop(self.crawl(night, &["fetch.retries=0"]));
            requests.push(self.site.asked()[before..].iter().filter(|asked| *asked == path).count());
        }
        requests
    }
}

fn crawl(site: &Site, folder: &Path, night: i64, sets: &[&str]) -> Store {
    let (began, start) = (std::time::Instant::now(), START + SignedDuration::from_hours(24 * night));
    let clock = move || start + SignedDuration::try_from(began.elapsed()).unwrap();
    site.crawl_at(folder, sets, Clock::from_fn(clock))
}

fn path(number: usize) -> String {
    format!("/a-story-of-the-village-{}.html", 10_000 + number)
}

fn article(name: &str) -> Reply {
    let line =
        "the council met in the old school once more and spoke for hours about the bridge and the road";
    let body: String =
        (0..8).map(|number| format!("<p>{name}: for the {number}th time, {line}.</p>")).collect();
    html(&format!("<html><title>{name}</title><article><h1>{name}</h1>{body}</article></html>"))
}

fn links(paths: &[String]) -> Reply {
    html(&paths.iter().map(|path| format!("<p><a href=\"{path}\">A story</a></p>")).collect::<String>())
}

fn moved(to: &str) -> Reply {
    reply(302, &format!("Location: http://site.example{to}\r\n"), "")
}

/// A front page that always names all pages. In the first nights, the pages have a bad response.
fn bad_at_first(bad: Reply, nights: i64) -> Nights {
    let paths: Vec<String> = (0..PAGES).map(path).collect();
    Nights::new(move |night, asked| match asked.path.as_str() {
        "/" => links(&paths),
        path if path.ends_with(".html") && night < nights => bad.clone(),
        path if path.ends_with(".html") => article(path),
        _ => reply(404, "", ""),
    })
}

fn challenge() -> Reply {
    html(
        "<title>Just a moment...</title><p>Checking your browser before you go on.</p>\
         <noscript>Enable JavaScript and cookies to continue</noscript>",
    )
}

#[test]
fn articles_of_one_bad_night_are_stored_in_the_next() {
    let maintenance = html("<title>Maintenance</title><h1>We will be back soon</h1><p>Please come back.</p>");
    for (name, bad) in [
        ("500", reply(500, "", "")),
        ("404", reply(404, "", "")),
        ("403", reply(403, "", "")),
        ("empty", html("")),
        ("challenge", challenge()),
        ("maintenance", maintenance),
        ("redirect to the front page", moved("/")),
        ("redirect to a notice", moved("/maintenance")),
        (
            "notice with a menu",
            html(&format!("{}<p>We will be back soon.", "<a href=/menu>Menu</a> ".repeat(12))),
        ),
        ("error in JSON", reply(200, "Content-Type: application/json\r\n", "{}")),
        ("redirect to another site", reply(302, "Location: http://status.example/down\r\n", "")),
    ] {
        let nights = bad_at_first(bad, 1);
        drop(nights.crawl(0, &[]));
        let store = nights.crawl(1, &[]);
        for number in 0..PAGES {
            assert_eq!(ending(&store, &path(number)), "stored", "{name}");
        }
    }
}

#[test]
fn attempts_have_growing_pauses_and_end_after_some_days() {
    for bad in [reply(500, "", ""), reply(404, "", "")] {
        let requests = bad_at_first(bad, 100).requests(0..16, &path(0));
        let nights: Vec<usize> = (0..16).filter(|night| requests[*night] > 0).collect();
        assert_eq!(nights, [0, 1, 2, 3, 6], "{requests:?}");
        assert_eq!(requests.iter().sum::<usize>(), 5);
    }
}

#[test]
fn a_list_that_has_not_changed_still_names_its_pages() {
    for (bad, is_conditional) in [(Some(reply(404, "", "")), false), (None, true)] {
        let nights = Nights::new(move |night, asked| match asked.path.as_str() {
            "/" if asked.is_conditional => reply(304, "", ""),
            "/" => {
                let front = links(&(0..PAGES).map(path).collect::<Vec<_>>());
                Reply { headers: format!("{}ETag: \"1\"\r\n", front.headers), ..front }
            }
            path if path.ends_with(".html") => {
                bad.clone().filter(|_| night == 0).unwrap_or_else(|| article(path))
            }
            _ => reply(404, "", ""),
        });
        drop(nights.crawl(0, &[]));
        let store = nights.crawl(1, &[]);
        assert_eq!(ending(&store, &path(0)), "stored");
        let asked = nights.site.requests();
        let front = asked.iter().rfind(|asked| asked.path == "/").unwrap();
        assert_eq!(front.is_conditional, is_conditional);
    }
}

#[test]
fn a_redirect_to_an_article_is_followed_once() {
    let nights = Nights::new(|_, asked| match asked.path.as_str() {
        "/" => links(&[path(0)]),
        other if other == path(0) => moved("/step"),
        "/step" => moved("/bridge"),
        "/bridge" => article("Bridge"),
        _ => reply(404, "", ""),
    });
    assert_eq!(nights.requests(0..4, &path(0)), [1, 0, 0, 0]);
}

#[test]
fn redirects_without_end_are_followed_once() {
    let nights = Nights::new(|_, asked| match asked.path.as_str() {
        "/" => html("<a href=/loop/a-long-story-12001.html>A</a> <a href=/grow/a-long-story-1>B</a>"),
        "/loop/a-long-story-12001.html" | "/loop/c" => moved("/loop/b"),
        "/loop/b" => moved("/loop/c"),
        path if path.starts_with("/grow/") => moved(&format!("{path}1")),
        _ => reply(404, "", ""),
    });
    assert_eq!(nights.requests(0..3, "/loop/b"), [1, 0, 0]);
    assert_eq!(nights.requests(3..6, "/grow/a-long-story-11"), [0, 0, 0]);
}

#[test]
fn the_target_of_a_redirect_is_visited_again_when_a_list_names_the_source() {
    let paths: Vec<String> = (0..PAGES).map(|number| format!("/s/{number}")).collect();
    let nights = Nights::new(move |night, asked| match asked.path.as_str() {
        "/" => links(&paths),
        short if short.starts_with("/s/") => moved(&path(short[3..].parse().unwrap())),
        path if path.ends_with(".html") && night > 0 => article(path),
        _ => reply(404, "", ""),
    });
    drop(nights.crawl(0, &[]));
    let store = nights.crawl(1, &[]);
    for number in 0..PAGES {
        assert_eq!(ending(&store, &path(number)), "stored");
    }
}

#[test]
fn a_trap_that_a_bad_night_made_ends_by_itself() {
    const STORIES: usize = 90;
    let paths: Vec<String> = (0..STORIES).map(path).collect();
    let nights = Nights::new(move |night, asked| match asked.path.as_str() {
        "/" => links(&paths),
        path if path.ends_with(".html") && night > 0 => article(path),
        path if path.ends_with(".html") => html("<p>Please come back."),
        _ => reply(404, "", ""),
    });
    let store = nights.crawl(0, &[]);
    let counts = store.counts(1).unwrap().remove(0).1;
    assert!(counts.outcomes.keys().any(|reason| reason.contains("crawl.skip_traps")), "{counts:?}");
    drop(store);
    (1..4).for_each(|night| drop(nights.crawl(night, &[])));
    let store = nights.crawl(4, &[]);
    let stored = (0..STORIES).filter(|number| ending(&store, &path(*number)) == "stored").count();
    assert_eq!(stored, STORIES);
}

#[test]
fn a_removed_page_and_a_hub_get_no_further_attempt() {
    let hub = links(&(100..160).map(path).collect::<Vec<_>>());
    for last in [reply(410, "", ""), hub] {
        assert_eq!(bad_at_first(last, 100).requests(0..4, &path(0)), [1, 0, 0, 0]);
    }
}

#[test]
fn a_missing_page_that_no_list_names_is_not_requested_again() {
    let nights = Nights::new(|night, asked| match (night, asked.path.as_str()) {
        (0, "/") => links(&[path(0)]),
        (_, "/") => links(&[path(1)]),
        (_, other) if other == path(1) => article(other),
        _ => reply(404, "", ""),
    });
    assert_eq!(nights.requests(0..4, &path(0)), [1, 0, 0, 0]);
}

#[test]
fn a_section_that_is_away_for_a_night_is_visited_again() {
    for away in [reply(404, "", ""), moved("/"), reply(500, "", ""), article("No section")] {
        let first: Vec<String> = (0..4).map(path).collect();
        let nights = Nights::new(move |night, asked| match (night, asked.path.as_str()) {
            (_, "/") => html("<p><a href=/economy>Economy</a>"),
            (1, "/economy") => away.clone(),
            (0, "/economy") => links(&first),
            (_, "/economy") => links(&[path(9)]),
            (_, other) if other.ends_with(".html") => article(other),
            _ => reply(404, "", ""),
        });
        (0..3).for_each(|night| drop(nights.crawl(night, &[])));
        assert_eq!(ending(&nights.crawl(3, &[]), &path(9)), "stored");
    }
}

#[test]
fn new_articles_come_before_further_attempts() {
    let old: Vec<String> = (0..20).map(path).collect();
    let new: Vec<String> = (100..110).map(path).collect();
    let known = old.clone();
    let nights = Nights::new(move |night, asked| match asked.path.as_str() {
        "/" if night == 0 => links(&old),
        "/" => links(&[&old[..], &new].concat()),
        "/robots.txt" => reply(404, "", ""),
        path if night == 0 || known.iter().any(|known| known == path) => reply(500, "", ""),
        path => article(path),
    });
    let sets = ["fetch.retries=0", "crawl.max_pages_per_host=25"];
    drop(nights.crawl(0, &sets));
    let before = nights.site.asked().len();
    let store = nights.crawl(1, &sets);
    let asked: Vec<String> =
        nights.site.asked()[before..].iter().filter(|path| path.ends_with("html")).cloned().collect();
    let first_attempt = asked.iter().position(|path| path < &self::path(100)).unwrap();
    assert!(first_attempt >= 10, "{asked:?}");
    for number in 100..110 {
        assert_ne!(ending(&store, &path(number)), "", "{number}");
    }
}

#[test]
fn pages_that_robots_txt_allows_again_are_requested_while_a_list_names_them() {
    let nights = Nights::new(|night, asked| match asked.path.as_str() {
        "/" => links(&[path(0)]),
        "/robots.txt" if night < 2 => reply(200, "", "User-agent: *\nDisallow: /a-story\n"),
        "/robots.txt" => reply(200, "", ""),
        path => article(path),
    });
    let requests = nights.requests(0..5, &path(0));
    assert_eq!((requests[..2].iter().sum::<usize>(), requests.iter().sum::<usize>()), (0, 1), "{requests:?}");
    let counts = nights.crawl(6, &[]).counts(2).unwrap().remove(0).1;
    assert_eq!(counts.ended("disallowed"), 0, "it is counted once: {counts:?}");
}

#[test]
fn a_bad_response_to_a_revisit_does_not_end_the_revisits_of_an_article() {
    let nights = Nights::new(move |night, asked| match (night, asked.path.as_str()) {
        (_, "/") => links(&(0..PAGES).map(path).collect::<Vec<_>>()),
        (1, other) if other == path(0) => reply(500, "", ""),
        (2, other) if other == path(0) => article("Corrected"),
        (_, other) if other.ends_with(".html") => article(other),
        _ => reply(404, "", ""),
    });
    let sets = ["crawl.recheck=[\"1d\"]", "fetch.retries=0"];
    drop(nights.crawl(0, &sets));
    drop(nights.crawl(1, &sets));
    assert_eq!(ending(&nights.crawl(2, &sets), &path(0)), "revised");
}
