//! Tests that back-offs, delays and quotas of one site do not affect other sites, and survive restarts.

use std::time::Duration;

use tempfile::TempDir;

use crate::site::{Asked, Routes, Site, crawl, crawl_until, ending, html, reply};

/// Returns a front page with links to these paths.
fn front(paths: &[String]) -> crate::site::Reply {
    html(&paths.iter().map(|path| format!("<a href={path}>{path}</a> ")).collect::<String>())
}

fn pages(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("/page-{n}")).collect()
}

#[test]
fn a_url_that_is_always_busy_holds_its_site_and_nothing_else() {
    for (status, header) in [(503, "Retry-After: 1\r\n"), (429, "Retry-After: 1\r\n")] {
        let site = Site::serve(Routes::from([
            ("/", vec![front(&pages(12))]),
            ("/page-3", vec![reply(status, header, "")]),
            ("*", vec![html("<p>Fine.</p>")]),
        ]));
        let folder = TempDir::new().unwrap();
        let (_, store) = site.crawl(folder.path(), &["fetch.retry_backoff=300ms"]);
        let asked = site.asked();
        let bad: Vec<usize> = (0..asked.len()).filter(|at| asked[*at] == "/page-3").collect();
        let last = pages(12).iter().map(|page| asked.iter().position(|path| path == page)).max();
        assert!(last.flatten() < Some(bad[1]), "others come first after the hold: {asked:?}");
        assert_eq!(bad.len(), 2, "the first try, and fetch.retries = 1: {asked:?}");
        assert_eq!(ending(&store, "/page-3"), format!("failed: http_{status}"));
        let log = site.requests();
        assert!(log[bad[0] + 1].begun - log[bad[0]].ended >= Duration::from_secs(1), "the site is held");
    }
}

#[test]
fn a_busy_hour_of_a_whole_site_costs_no_article() {
    let busy = || reply(503, "Retry-After: 0\r\n", "");
    let mut routes = Routes::from([("/", vec![busy(), busy(), busy(), front(&pages(3))])]);
    for path in ["/page-0", "/page-1", "/page-2"] {
        routes.insert(path, vec![busy(), busy(), html("<p>Fine.</p>")]);
    }
    let site = Site::serve(routes);
    let folder = TempDir::new().unwrap();
    let (_, store) = site.crawl(folder.path(), &[]);
    for page in pages(3) {
        assert_eq!(ending(&store, &page), "not_article: nearly_empty", "{:?}", site.asked());
    }
}

#[test]
fn the_hold_of_a_subdomain_is_its_own() {
    let shop = "http://shop.site.example/bags".to_owned();
    let site = Site::serve(Routes::from([
        ("/", vec![front(&[&[shop][..], &pages(6)].concat())]),
        ("shop.site.example/robots.txt", vec![reply(503, "Retry-After: 3600\r\n", "")]),
    ]));
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &[]);
    let of_shop: Vec<Asked> =
        site.requests().into_iter().filter(|asked| asked.host == "shop.site.example").collect();
    assert_eq!(of_shop.len(), 1, "{of_shop:?}");
    let asked = site.asked();
    assert!(pages(6).iter().all(|page| asked.contains(page)), "{asked:?}");
    let held = store.host("shop.site.example").unwrap().unwrap().held_until.expect("recorded");
    assert!(held > jiff::Timestamp::now() + jiff::SignedDuration::from_mins(50), "{held}");
    assert_eq!(store.host("site.example").unwrap().unwrap().held_until, None);
    assert_eq!(summary.deferred_urls.len(), 1, "{summary:?}");
}

/// Describes the requests that began less than `gap` after the end of the previous request to any host.
fn strays(log: &[Asked], gap: Duration) -> Vec<String> {
    let too_soon = |pair: &[Asked]| {
        let pause = pair[1].begun.saturating_sub(pair[0].ended);
        (pause < gap).then(|| format!("{} {pause:?} after {}", pair[1].path, pair[0].path))
    };
    log.windows(2).filter_map(too_soon).collect()
}

#[test]
fn a_restart_waits_a_whole_gap_even_if_only_a_retry_is_due() {
    let site =
        Site::serve(Routes::from([("/", vec![front(&pages(1))]), ("/page-0", vec![reply(500, "", "")])]));
    let folder = TempDir::new().unwrap();
    let proxy = format!("fetch.proxy=http://{}", site.address);
    let sets = [proxy.as_str(), "fetch.delay=600ms", "fetch.retry_backoff=1ms", "fetch.retries=50"];
    for _ in 0..4 {
        let before = site.requests().len();
        crawl_until(folder.path(), "http://site.example/", &sets, |_| site.requests().len() > before + 1);
    }
    let log = site.requests();
    assert!(log.len() >= 8, "{log:?}");
    assert_eq!(strays(&log, Duration::from_millis(600)), Vec::<String>::new());
}

#[test]
fn a_hold_outlasts_a_restart_without_anything_ready() {
    let site = Site::serve(Routes::from([("/", vec![reply(503, "Retry-After: 2\r\n", ""), html("<p>")])]));
    let folder = TempDir::new().unwrap();
    let proxy = format!("fetch.proxy=http://{}", site.address);
    let is_held = |store: &gleaner_store::Store| {
        store.host("site.example").unwrap().is_some_and(|host| host.held_until.is_some())
    };
    crawl_until(folder.path(), "http://site.example/", &[&proxy], is_held);
    crawl(folder.path(), "http://site.example/", &[&proxy]);
    let log: Vec<Asked> = site.requests().into_iter().filter(|asked| asked.path == "/").collect();
    assert!(log.len() == 2 && log[1].begun - log[0].ended >= Duration::from_millis(1_900), "{log:?}");
}

/// Returns a sitemap that names `count` pages.
fn sitemap(number: usize, count: usize) -> crate::site::Reply {
    let urls = (0..count).map(|n| format!("<url><loc>http://site.example/{number}/{n}</loc></url>"));
    reply(200, "ETag: \"1\"\r\n", &format!("<urlset>{}</urlset>", urls.collect::<String>()))
}

#[test]
fn a_flood_of_urls_is_bounded_and_read_again_in_full() {
    let index: String =
        (0..4).map(|n| format!("<sitemap><loc>http://site.example/{n}.xml</loc></sitemap>")).collect();
    let mut routes = Routes::from([
        ("/robots.txt", vec![reply(200, "", "Sitemap: http://site.example/index.xml")]),
        ("/index.xml", vec![reply(200, "", &format!("<sitemapindex>{index}</sitemapindex>"))]),
        ("/", vec![front(&pages(5))]),
    ]);
    for (number, path) in ["/0.xml", "/1.xml", "/2.xml", "/3.xml"].into_iter().enumerate() {
        routes.insert(path, vec![sitemap(number, 3_000)]);
    }
    let site = Site::serve(routes);
    let folder = TempDir::new().unwrap();
    let sets = ["crawl.max_queued_per_site=1000", "crawl.max_pages_per_host=11"];
    let (summary, store) = site.crawl(folder.path(), &sets);
    let host = store.host("site.example").unwrap().unwrap();
    assert!(host.queued <= 500 + 2_000, "half of the quota, and the URLs of one commit: {}", host.queued);
    let refused = summary.hosts[0].1.refused["queue_full"];
    // `others` counts the front page and its five links, the sitemap index and the four sitemaps.
    let others = 11;
    assert_eq!(refused + host.sequence - others, 12_000, "each URL is taken in or counted: {host:?}");
    let asked = site.asked();
    assert!(pages(5).iter().all(|page| asked.contains(page)), "what is new comes in: {asked:?}");
    let last = store.url(gleaner_frontier::CanonicalUrl::parse("http://site.example/3.xml").unwrap().key());
    assert_eq!(last.unwrap().unwrap().etag, None, "it is read in full the next time");
}

#[test]
fn a_site_that_has_used_up_its_bytes_waits_for_the_next_run() {
    let text = "again and again ".repeat(1_000);
    let mut routes = Routes::from([("/", vec![front(&pages(9))])]);
    for path in ["/page-0", "/page-1", "/page-2", "/page-3", "/page-4", "/page-5", "/page-6", "/page-7"] {
        routes.insert(path, vec![html(&text)]);
    }
    let site = Site::serve(routes);
    let folder = TempDir::new().unwrap();
    let (summary, store) = site.crawl(folder.path(), &["crawl.max_bytes_per_site=40KiB"]);
    let bytes = summary.hosts[0].1.bytes;
    assert!((40 << 10..56 << 10).contains(&bytes), "{bytes}");
    assert!(summary.deferred_urls[0].why.contains("crawl.max_bytes_per_site"), "{summary:?}");
    drop(store);
    let (summary, _store) = site.crawl(folder.path(), &[]);
    assert!(summary.deferred_urls.is_empty(), "{summary:?}");
}
