//! Tests the outcome of each kind of response.

use std::fmt::Write;

use crate::site::{Reply, Routes, Site, ending, html, reply};
use tempfile::TempDir;

fn to(location: &str) -> Reply {
    reply(302, &format!("Location: {location}\r\n"), "")
}

/// Returns paths with their responses and their expected outcomes.
fn cases() -> Vec<(&'static str, Vec<Reply>, &'static str)> {
    let story = "The brook rose by a metre in the night, and nobody had expected it. ".repeat(20);
    let article = html(&format!("<title>The brook</title><h1>The brook</h1><p>{story}</p>"));
    vec![
        ("/story", vec![article.clone()], "stored"),
        ("/same-story", vec![article.clone()], "duplicate"),
        ("/a-thin-page-12345.html", vec![html("<p>Nothing to see.</p>")], "not_article: nearly_empty"),
        ("/gone", vec![reply(410, "", "")], "gone: http_410"),
        ("/refused", vec![reply(403, "", "")], "rejected: http_403"),
        ("/error", vec![reply(500, "", "")], "failed: http_500"),
        (
            "/an-error-once-12345.html",
            vec![reply(500, "", ""), html("<p>Fine.</p>")],
            "not_article: nearly_empty",
        ),
        (
            "/a-busy-once-12345.html",
            vec![reply(503, "Retry-After: 1\r\n", ""), html("<p>Fine.</p>")],
            "not_article: nearly_empty",
        ),
        ("/huge", vec![html(&"<p>again and again</p>".repeat(40_000))], "too_large"),
        ("/song", vec![reply(200, "Content-Type: audio/ogg\r\n", "")], "wrong_type"),
        ("/moved", vec![to("/story")], "redirected"),
        ("/self", vec![to("/self")], "redirect_refused: redirect_to_itself"),
        ("/hop0", vec![to("/hop1")], "redirected"),
        ("/hop1", vec![to("/hop2")], "redirected"),
        ("/hop2", vec![to("/hop3")], "redirect_refused: too_many_redirects"),
        ("/away", vec![to("http://elsewhere.example/")], "redirect_refused: out_of_scope"),
        ("/odd", vec![to("mailto:a@site.example")], "redirect_refused: not_http"),
        ("/no-host", vec![to("http://www..site.example/")], "redirect_refused: bad_host"),
        ("/nowhere", vec![reply(302, "", "")], "failed: redirect_without_location"),
        ("/members/1", vec![html("<p>not for robots</p>")], "disallowed"),
    ]
}

#[test]
fn every_answer_has_its_outcome() {
    let mut routes = Routes::new();
    let mut front = String::new();
    for (path, replies, _) in cases() {
        if !["/hop1", "/hop2"].contains(&path) {
            write!(front, "<a href={path}>{path}</a> ").unwrap();
        }
        routes.insert(path, replies);
    }
    routes.insert("/", vec![html(&front)]);
    routes.insert(
        "/robots.txt",
        vec![reply(200, "", "User-agent: *\nDisallow: /members/\nSitemap: http://site.example/map.xml")],
    );
    routes.insert("/map.xml", vec![reply(200, "", "neither this nor that")]);
    let site = Site::serve(routes);
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &["fetch.max_page=200KiB", "fetch.max_redirects=2"]);

    for (path, _, expected) in cases() {
        assert_eq!(ending(&store, path), expected, "{path}");
    }
    assert_eq!(ending(&store, "/map.xml"), "unreadable");
    assert_eq!(ending(&store, "/"), "listing");
    assert!(
        summary.ending == gleaner_crawl::Ending::Quiet && summary.deferred_urls.is_empty(),
        "{summary:?}"
    );
    assert_eq!(summary.documents, 1);
    assert!(!site.asked().iter().any(|path| path.starts_with("/members")));
    let (_, counts) = &summary.hosts[0];
    let ended: u64 = counts.outcomes.values().sum();
    assert_eq!(ended as usize, cases().len() + 2, "each URL is counted once: {counts:?}");
}

#[test]
fn what_a_site_says_in_bad_form_is_obeyed() {
    let forbidden: String = (0..250).map(|n| format!("<a href=/forbidden/{n}>{n}</a> ")).collect();
    let robots = "<br />\n<b>Warning</b>: x in <b>/robots.php</b> on line <b>3</b><br />\n\
                  User-agent: *\nDisallow: /forbidden/\nSitemap: site.example/map.txt\n";
    let map = "site.example/a-page-12345.html\nhttp://www..site.example/b\n";
    let site = Site::serve(Routes::from([
        ("/robots.txt", vec![reply(200, "Content-Type: text/html\r\n", robots)]),
        ("/", vec![html(&forbidden)]),
        ("/map.txt", vec![reply(200, "Content-Type: text/plain\r\n", map)]),
        ("/a-page-12345.html", vec![html("<p>Nothing to see.</p>")]),
    ]));
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &[]);
    assert_eq!(ending(&store, "/a-page-12345.html"), "not_article: nearly_empty");
    let (_, counts) = &summary.hosts[0];
    assert_eq!((counts.outcomes["disallowed"], counts.refused["bad_host"]), (250, 1), "{counts:?}");
    assert!(!site.asked().iter().any(|path| path.starts_with("/forbidden")));
}

#[test]
fn a_host_whose_robots_txt_fails_is_not_asked_for_anything_else() {
    let routes =
        Routes::from([("/robots.txt", vec![reply(500, "", "")]), ("/", vec![html("<a href=/a>a</a>")])]);
    let site = Site::serve(routes);
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &[]);
    assert_eq!(site.asked(), ["/robots.txt"]);
    assert_eq!(ending(&store, "/"), "", "it still waits");
    assert_eq!(summary.deferred_urls.len(), 1);
    assert!(summary.deferred_urls[0].why.contains("robots.txt"), "{summary:?}");
}

#[test]
fn a_front_page_that_only_a_browser_can_read_is_named_as_such() {
    let shell = html("<title>News</title><div id=root></div><script src=/app.js></script>");
    // An application answers every path, also that of its sitemap.
    let site = Site::serve(Routes::from([("/robots.txt", vec![reply(403, "", "")]), ("*", vec![shell])]));
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &[]);
    assert_eq!(ending(&store, "/"), "not_article: needs_browser");
    assert_eq!(ending(&store, "/sitemap.xml"), "unreadable");
    let config = gleaner_crawl::settings::read(None, &[]).unwrap();
    let built = gleaner_crawl::report::build(&store, &config, &Ok(summary), jiff::Timestamp::now());
    let report = built.unwrap().unwrap();
    let said: Vec<String> = report.findings.iter().map(gleaner_crawl::report::text::sentence).collect();
    let browser =
        "site.example: no documents so far: pages that need a browser (not_article: needs_browser), URLs: 1";
    assert!(said.iter().any(|said| said == browser), "{said:#?}");
}

#[test]
fn a_page_cap_leaves_the_rest_to_the_next_run() {
    let links: String = (0..9).map(|n| format!("<a href=/page-{n}>{n}</a> ")).collect();
    let site = Site::serve(Routes::from([("/", vec![html(&links)])]));
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &["crawl.max_pages_per_host=4"]);
    assert_eq!(summary.deferred_urls[0].urls, 7, "{summary:?}");
    assert!(summary.deferred_urls[0].why.contains("crawl.max_pages_per_host = 4"));
    drop(store);
    let (summary, _store) = site.crawl(folder.path(), &[]);
    assert!(summary.deferred_urls.is_empty() && !summary.resumed && summary.run.number == 2, "{summary:?}");
    let pages = site.asked().iter().filter(|path| path.starts_with("/page-")).count();
    assert_eq!(pages, 9, "{:?}", site.asked());
}

#[test]
fn listings_are_asked_again_only_if_they_have_changed() {
    let front = reply(200, "Content-Type: text/html\r\nETag: \"1\"\r\n", "<a href=/a>a</a>");
    let site = Site::serve(Routes::from([("/", vec![front, reply(304, "", "")])]));
    let folder = TempDir::new().unwrap();
    // The page is not due again before the next second. Until then a run requests nothing.
    let again = (0..200).map(|_| site.crawl(folder.path(), &["crawl.revisit=0s"]).1);
    let ended = again.map(|store| ending(&store, "/")).find(|ending| ending != "listing");
    assert_eq!(ended.as_deref(), Some("unchanged"), "{:?}", site.asked());
}
