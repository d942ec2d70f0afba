//! Tests sitemaps in unusual forms, at unusual places, and without end.

use gleaner_testkit::postgres::Postgres;

use crate::raw_sites::{RawSites, article, html, links, not_found, text, xml};

fn urlset(addresses: &[&str]) -> String {
    let urls: String = addresses.iter().map(|url| format!("<url><loc>\n{url}\n</loc></url>\n")).collect();
    format!("<urlset>\n{urls}</urlset>")
}

fn index(addresses: &[&str]) -> String {
    let urls: String = addresses.iter().map(|url| format!("<sitemap><loc>{url}</loc></sitemap>")).collect();
    format!("<sitemapindex>{urls}</sitemapindex>")
}

fn page(url: &str) -> Vec<u8> {
    match url.split_once("/deep/") {
        Some((_, key)) => html("", &article(key, "")),
        None => not_found(),
    }
}

#[test]
fn addresses_on_lines_of_their_own_are_read() {
    let sites = RawSites::start(|asked| match asked.url.as_str() {
        "a.example/robots.txt" => text("User-agent: *\nSitemap: http://a.example/map.xml\n"),
        "a.example/" => html("", &links(&[])),
        "a.example/map.xml" => xml(&urlset(&["http://a.example/deep/one", "http://a.example/deep/two"])),
        url => page(url),
    });
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert_eq!(sites.stored().into_iter().collect::<Vec<_>>(), ["a.example/deep/one", "a.example/deep/two"]);
    assert_eq!(sites.asked("%3C"), [], "markup was read as an address");
}

/// The robots.txt of `a.example` names an index at a CDN. `b.example` names the same CDN.
fn with_cdn() -> RawSites {
    RawSites::start(|asked| match asked.url.as_str() {
        "a.example/robots.txt" => text(
            "User-agent: *\nSitemap: https://cdn.invalid/unreachable.xml\nSitemap: http://cdn.example/a/index.xml\n\
             Sitemap: http://cdn.example/secret/map.xml\n",
        ),
        "b.example/robots.txt" => text("User-agent: *\nSitemap: http://cdn.example/b.xml\n"),
        "cdn.example/robots.txt" => {
            text("User-agent: *\nDisallow: /secret/\nSitemap: http://further.example/map.xml\n")
        }
        "cdn.example/a/index.xml" => xml(&index(&[
            "http://cdn.example/a/1.xml",
            "http://cdn.example/a/moved.xml",
            "http://cdn.example/a/deep/page",
            "http://further.example/child.xml",
        ])),
        "cdn.example/a/1.xml" => {
            xml(&urlset(&["http://a.example/deep/one", "http://cdn.example/deep/foreign"]))
        }
        "cdn.example/a/moved.xml" => b"HTTP/1.1 301 Moved\r\nLocation: /a/2.xml\r\nContent-Length: 0\r\n\
            Connection: close\r\n\r\n"
            .to_vec(),
        "cdn.example/a/2.xml" => {
            xml(&urlset(&["http://a.example/deep/two", "http://further.example/deep/x"]))
        }
        "cdn.example/b.xml" => xml(&urlset(&["http://b.example/deep/three"])),
        "a.example/" | "b.example/" => html("", &links(&["http://cdn.example/deep/linked"])),
        url => page(url),
    })
}

#[test]
fn sitemaps_on_another_domain_are_read_and_nothing_else_there() {
    let sites = with_cdn();
    let crawl = ["crawl", "http://a.example/", "http://b.example/"];
    sites.gleaner(&crawl);
    let expected = ["a.example/deep/one", "a.example/deep/two", "b.example/deep/three"];
    assert_eq!(sites.stored().into_iter().collect::<Vec<_>>(), expected);
    let mut asked: Vec<String> = sites.asked("cdn.example").into_iter().map(|asked| asked.url).collect();
    assert_eq!(asked.remove(0), "cdn.example/robots.txt", "its robots.txt comes first");
    asked.sort();
    let at = |path: &str| format!("cdn.example/{path}");
    let allowed = ["a/1.xml", "a/2.xml", "a/deep/page", "a/index.xml", "a/moved.xml", "b.xml"].map(at);
    assert_eq!(asked, allowed);
    assert_eq!(sites.asked("further.example"), [], "a CDN cannot name sitemaps on further domains");
    let doctor = sites.gleaner(&["doctor", "cdn.example"]);
    assert!(doctor.contains("at most sitemaps that the robots.txt of a seed site names"), "{doctor}");

    // The next run knows the sitemaps from the store. Without the seed, the CDN gets no more requests for it.
    sites.gleaner(&["crawl", "http://b.example/", "--set", "crawl.revisit=0s"]);
    let later: Vec<String> = sites.asked("cdn.example").into_iter().skip(7).map(|asked| asked.url).collect();
    assert!(later.iter().all(|url| url == "cdn.example/b.xml"), "{later:?}");
    assert!(sites.run(&["verify"]).status.success());
}

/// Six papers, each with a sitemap on a CDN of its own. The partitions of the hosts are spread over two workers.
#[test]
fn workers_read_the_sitemaps_that_hosts_of_other_workers_name() {
    let Some(postgres) = Postgres::start(&["fsync=off"]) else { return };
    let sites = RawSites::start(|asked| {
        let (host, path) = asked.url.split_once('/').unwrap();
        let name = host.split('.').next().unwrap();
        match path {
            "robots.txt" if name.starts_with("paper") => {
                text(&format!("User-agent: *\nSitemap: http://{name}-cdn.example/map.xml\n"))
            }
            "map.xml" => {
                let paper = name.trim_end_matches("-cdn");
                xml(&urlset(&[&format!("http://{paper}.example/deep/{paper}")]))
            }
            "" => html("", &links(&[])),
            _ => page(&asked.url),
        }
    });
    let (address, objects) = (postgres.database(), sites.folder.path().join("objects"));
    let shared = ["--store", address.as_str(), "--objects", objects.to_str().unwrap()];
    let papers: Vec<String> = (1..=6).map(|number| format!("http://paper{number}.example/")).collect();
    let crawl = |worker: &str| {
        let (data, name) = (format!("data-{worker}"), format!("workers.name={worker}"));
        let more = ["--data", &data, "--set", &name, "--set", "workers.lease=3s"];
        let seeds = papers.iter().map(String::as_str);
        sites.gleaner(&["crawl"].into_iter().chain(seeds).chain(shared).chain(more).collect::<Vec<_>>())
    };
    std::thread::scope(|scope| {
        scope.spawn(|| crawl("one"));
        scope.spawn(|| crawl("two"));
    });
    let exported = sites.gleaner(&[&["export", "--members", "--confidence", "0"], &shared[..]].concat());
    assert_eq!(exported.lines().count(), 6, "{exported}");
    assert_eq!(sites.asked("/map.xml").len(), 6);
}

#[test]
fn nested_sitemaps_end() {
    let sites = RawSites::start(|asked| match asked.url.as_str() {
        "a.example/robots.txt" => text("User-agent: *\nSitemap: http://a.example/s/1.xml\n"),
        "a.example/" => html("", &links(&["/deep/one"])),
        url => match url
            .strip_prefix("a.example/s/")
            .and_then(|rest| rest.strip_suffix(".xml")?.parse::<u64>().ok())
        {
            Some(number) => {
                let child = |by: u64| format!("http://a.example/s/{}.xml", 2 * number + by);
                xml(&index(&[&child(0), &child(1)]))
            }
            None => page(url),
        },
    });
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert_eq!(sites.asked("/s/").len(), 1 + 2 + 4 + 8);
    assert_eq!(sites.stored().len(), 1);
}

#[test]
fn articles_in_a_sitemap_index_are_stored() {
    let sites = RawSites::start(|asked| match asked.url.as_str() {
        "a.example/robots.txt" => text("User-agent: *\nSitemap: http://a.example/index.xml\n"),
        "a.example/" => html("", &links(&["/deep/two"])),
        "a.example/index.xml" => xml(&index(&[
            "http://a.example/deep/one",
            "http://a.example/deep/two",
            "http://a.example/sitemap-that-is-gone.xml",
        ])),
        "a.example/sitemap-that-is-gone.xml" => {
            html("", "<title>Not found</title><p>We cannot find this page.</p>")
        }
        url => page(url),
    });
    sites.gleaner(&["crawl", "http://a.example/"]);
    let expected = ["a.example/deep/one", "a.example/deep/two"];
    assert_eq!(sites.stored().into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(sites.asked("/deep/one").len(), 1);
    let doctor = sites.gleaner(&["doctor", "http://a.example/sitemap-that-is-gone.xml"]);
    assert!(doctor.contains("an HTML page where a feed or sitemap was expected"), "{doctor}");
    for again in [&["reextract"][..], &["rebuild", "--relearn", "--force"]] {
        sites.gleaner(again);
        assert_eq!(sites.stored().into_iter().collect::<Vec<_>>(), expected, "{again:?}");
    }
}

#[test]
fn a_sitemap_with_an_error_in_the_middle_is_read_to_its_end() {
    let sites = RawSites::start(|asked| match asked.url.as_str() {
        "a.example/robots.txt" => text("User-agent: *\nSitemap: http://a.example/map.xml\n"),
        "a.example/" => html("", &links(&[])),
        "a.example/map.xml" => xml(
            "<urlset><url><loc>http://a.example/deep/one</loc></url><url><loc>http://x</lo<c></url>< bad <<>\
             <url><loc>http://a.example/deep/two</loc></url></urlset>",
        ),
        url => page(url),
    });
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert_eq!(sites.stored().into_iter().collect::<Vec<_>>(), ["a.example/deep/one", "a.example/deep/two"]);
}
