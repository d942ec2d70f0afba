//! Tests of cookie walls: redirects that set a cookie are followed within one visit.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::site::{Asked, Reply, Site, ending, html, reply};
use gleaner_corpus::DocumentId;
use gleaner_crawl::{Clock, Progress, Purpose, Replay, StopRequest, WarcFile};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{CanonicalUrl, parse_seeds};
use gleaner_store::{Store, StoreOptions};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

/// Returns an article. The texts of the subjects `brook` and `pond` clearly differ.
fn article(subject: &str) -> Reply {
    let sentence = match subject {
        "brook" => "The brook rose by a metre in the night, and nobody had expected it. ",
        _ => {
            "Farmers of the upper valley sold twice as much rice as a year ago, said the ministry on Monday. "
        }
    };
    let story = sentence.repeat(20);
    html(&format!("<title>The {subject}</title><h1>The {subject}</h1><p>{story}</p>"))
}

fn to(location: &str, cookies: &[&str]) -> Reply {
    let cookies: String = cookies.iter().map(|cookie| format!("Set-Cookie: {cookie}\r\n")).collect();
    reply(302, &format!("Location: {location}\r\n{cookies}"), "")
}

/// Crawls `http://site.example/`, with a front page that links to `links`. Every host has a robots.txt.
fn crawl(
    links: &[&str],
    sets: &[&str],
    script: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) -> (Site, Store, TempDir) {
    let front: String = links.iter().map(|link| format!("<a href={link}>{link}</a> ")).collect();
    let site = Site::scripted(move |asked, _| match asked.path.as_str() {
        "/" => html(&front),
        "/robots.txt" => reply(200, "", "User-agent: *\nDisallow: /members/"),
        "/sitemap.xml" => reply(404, "", ""),
        _ => script(asked),
    });
    let folder = TempDir::new().unwrap();
    let (_, store) = site.crawl(folder.path(), sets);
    (site, store, folder)
}

/// Returns the `Cookie` header of each request for a path.
fn cookies(site: &Site, path: &str) -> Vec<String> {
    site.requests().into_iter().filter(|asked| asked.path == path).map(|asked| asked.cookie).collect()
}

fn is_known(store: &Store, url: &str) -> bool {
    store.url(CanonicalUrl::parse(url).unwrap().key()).unwrap().is_some()
}

#[test]
fn a_wall_in_front_of_each_page_is_passed_and_nothing_is_remembered() {
    let (site, store, _folder) = crawl(&["/brook", "/pond"], &[], |asked| match asked.cookie.as_str() {
        "" => {
            to(&asked.path, &["seen=1; Path=/; HttpOnly", "gone=1; Max-Age=0", "other=1; Domain=b.example"])
        }
        _ => article(asked.path.trim_start_matches('/')),
    });
    for path in ["/brook", "/pond"] {
        assert_eq!(ending(&store, path), "stored");
        // The second page is first requested without a cookie, because the cookies of the first visit were
        // dropped.
        assert_eq!(cookies(&site, path), ["", "seen=1"], "{path}");
    }
    let bare = |asked: &Asked| asked.path != "/robots.txt" || asked.cookie.is_empty();
    assert!(site.requests().iter().all(bare));
}

#[test]
fn a_wall_at_an_address_of_its_own_leads_back_to_the_page() {
    let (site, store, _folder) = crawl(&["/brook", "/pond"], &[], |asked| {
        match (asked.path.split_once("?back="), asked.cookie.contains("ok=")) {
            (Some((_, back)), _) if asked.cookie.contains("session=") => to(back, &["ok=1; Path=/"]),
            (Some(_), _) => reply(403, "", ""),
            (None, true) => article(asked.path.trim_start_matches('/')),
            (None, false) => to(&format!("/check?back={}", asked.path), &["session=7; Path=/"]),
        }
    });
    for path in ["/brook", "/pond"] {
        assert_eq!(ending(&store, path), "stored");
        assert_eq!(cookies(&site, path).len(), 2, "{path}");
        assert_eq!(cookies(&site, &format!("/check?back={path}")), ["session=7"]);
        // An intermediate URL does not become a page.
        assert!(!is_known(&store, &format!("http://site.example/check?back={path}")));
    }
}

/// Rebuilds the store from the archive in `folder`.
fn rebuilt(folder: &Path) -> (Store, TempDir) {
    let new = TempDir::new().unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("archive")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let writer = gleaner_store::open(new.path(), &StoreOptions { cache: 16 << 20, create: true }).unwrap();
    let store = writer.store();
    let replay = Replay {
        purpose: Purpose::Rebuild,
        config: gleaner_crawl::settings::read(None, &[]).unwrap(),
        seeds: parse_seeds("http://site.example/", "seeds").unwrap(),
        pins: HostPins::default(),
        admission: gleaner_corpus::Admission::default(),
        writer,
        sources: files.into_iter().map(WarcFile::file).collect(),
        stop: StopRequest::default(),
        progress: Arc::new(Progress::default()),
    };
    gleaner_crawl::replay(replay).unwrap();
    (store, new)
}

#[test]
fn what_was_behind_a_wall_comes_back_out_of_the_archive() {
    let (_site, store, folder) =
        crawl(&["/brook", "/old"], &[], |asked| match (asked.path.as_str(), asked.cookie.as_str()) {
            ("/brook", "") => to("/check", &["k=1; Path=/"]),
            ("/check", _) => to("/brook", &["k=2; Path=/"]),
            ("/old", _) => to("/new", &["k=3; Path=/"]),
            ("/brook", "k=2") | ("/new", _) => article(&asked.path[1..]),
            _ => reply(404, "", ""),
        });
    let (anew, _folder) = rebuilt(folder.path());
    for (path, expected) in [("/brook", "stored"), ("/new", "stored"), ("/old", "redirected")] {
        assert_eq!(
            (ending(&store, path).as_str(), ending(&anew, path).as_str()),
            (expected, expected),
            "{path}"
        );
        let id =
            DocumentId(*CanonicalUrl::parse(&format!("http://site.example{path}")).unwrap().key().as_bytes());
        assert_eq!(store.document(id).unwrap(), anew.document(id).unwrap(), "{path}");
    }
}

#[test]
fn a_wall_that_lets_nobody_through_ends_with_an_outcome() {
    let (site, store, _folder) = crawl(&["/same", "/other"], &["fetch.max_redirects=3"], |asked| {
        match asked.path.as_str() {
            "/same" => to("/same", &["k=v"]),
            // Sets a different cookie each time.
            _ => to("/other", &[&format!("k={}x", asked.cookie.trim_start_matches("k="))]),
        }
    });
    assert_eq!(ending(&store, "/same"), "redirect_refused: redirect_to_itself");
    assert_eq!(cookies(&site, "/same"), ["", "k=v"]);
    assert_eq!(ending(&store, "/other"), "redirect_refused: too_many_redirects");
    assert_eq!(cookies(&site, "/other"), ["", "k=x", "k=xx", "k=xxx"]);
}

#[test]
fn a_chain_that_ends_elsewhere_is_a_redirect_to_there() {
    let (site, store, _folder) =
        crawl(&["/old", "/lost", "/early", "/late"], &[], |asked| match asked.path.as_str() {
            "/old" => to("/new", &["k=v; Path=/"]),
            "/lost" => to("/nothing", &["k=v; Path=/"]),
            // The target `/late` is already in the queue, so it gets its own visit.
            "/early" => to("/late", &["k=v; Path=/"]),
            "/new" => article("brook"),
            "/late" => article("pond"),
            _ => reply(404, "", ""),
        });
    assert_eq!(ending(&store, "/old"), "redirected");
    assert_eq!(ending(&store, "/new"), "stored");
    assert_eq!(cookies(&site, "/new"), ["k=v"], "it is asked once");
    assert_eq!(
        (ending(&store, "/lost").as_str(), ending(&store, "/nothing").as_str()),
        ("redirected", "gone: http_404")
    );
    assert_eq!(
        (ending(&store, "/early").as_str(), ending(&store, "/late").as_str()),
        ("redirected", "stored")
    );
    assert_eq!(cookies(&site, "/late"), [""]);
}

#[test]
fn a_hop_is_judged_like_any_url() {
    let (site, store, _folder) =
        crawl(&["/to-members", "/abroad", "/to-www"], &[], |asked| match asked.path.as_str() {
            "/to-members" => to("/members/1", &["k=v; Path=/"]),
            "/abroad" => to("http://b.example/", &["k=v; Path=/", "l=w; Domain=b.example"]),
            // The robots.txt of the target's host is not known yet, so the target gets its own visit.
            "/to-www" => to("http://www.site.example/page", &["k=v; Path=/; Domain=site.example"]),
            _ => article("brook"),
        });
    assert_eq!(
        (ending(&store, "/to-members").as_str(), ending(&store, "/members/1").as_str()),
        ("redirected", "disallowed")
    );
    assert_eq!(ending(&store, "/abroad"), "redirect_refused: out_of_scope");
    assert_eq!(ending(&store, "/to-www"), "redirected");
    let asked = site.requests();
    assert!(
        !asked.iter().any(|asked| asked.path.starts_with("/members") || asked.host == "b.example"),
        "{asked:?}"
    );
    let www: Vec<_> = asked.iter().filter(|asked| asked.host == "www.site.example").collect();
    assert_eq!(www.iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(), ["/robots.txt", "/page"]);
    assert!(www.iter().all(|asked| asked.cookie.is_empty()), "{www:?}");
}

#[test]
fn each_response_of_a_chain_is_counted_once() {
    let site = Site::scripted(|asked, _| match (asked.path.as_str(), asked.cookie.as_str()) {
        ("/", _) => html("<a href=/brook>a</a>"),
        ("/brook", _) => to("/page", &["k=v"]),
        ("/page", _) => article("brook"),
        _ => reply(404, "", ""),
    });
    let counted = site.crawl_counted(TempDir::new().unwrap().path());
    let responses = site.asked().iter().filter(|path| *path != "/robots.txt").count();
    assert_eq!((counted.responses, counted.stored), (responses as u64, 1), "{:?}", site.asked());
}

#[test]
fn a_hop_waits_for_the_gap() {
    let gap = Duration::from_millis(60);
    let (site, store, _folder) =
        crawl(&["/brook"], &["fetch.delay=60ms"], |asked| match asked.cookie.as_str() {
            "" => to("/brook", &["k=v"]),
            _ => article("brook"),
        });
    assert_eq!(ending(&store, "/brook"), "stored");
    let times: Vec<Duration> = site.requests().iter().map(|asked| asked.begun).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= gap), "{times:?}");
}

#[test]
fn a_copy_at_hand_is_told_to_its_own_page_alone() {
    let folder = TempDir::new().unwrap();
    let site = Site::scripted(|asked, earlier| match (asked.path.as_str(), asked.cookie.as_str()) {
        ("/", "") if earlier == 0 => {
            reply(200, "Content-Type: text/html\r\nETag: \"1\"\r\n", "<a href=/a>a</a>")
        }
        ("/", "") => to("/wall", &["k=v"]),
        ("/wall", _) => to("/", &[]),
        ("/", _) => reply(304, "", ""),
        ("/a", _) => reply(410, "", ""),
        _ => reply(404, "", ""),
    });
    for days in [0, 2] {
        let clock = Clock::from_fn(move || Timestamp::now() + SignedDuration::from_hours(24 * days));
        drop(site.crawl_at(folder.path(), &[], clock));
    }
    let seen: Vec<_> =
        site.requests().into_iter().filter(|asked| ["/", "/wall"].contains(&asked.path.as_str())).collect();
    let seen: Vec<_> = seen.iter().map(|asked| (asked.path.as_str(), asked.is_conditional)).collect();
    assert_eq!(seen, [("/", false), ("/", true), ("/wall", false), ("/", true)]);
}

#[test]
fn a_wall_at_a_host_on_hold_does_not_keep_its_site() {
    let links = ["http://id.site.example/sso", "/brook", "/pond"];
    let (site, store, _folder) = crawl(&links, &[], |asked| match asked.path.as_str() {
        "/brook" => to("http://id.site.example/login", &["k=1; Domain=site.example"]),
        "/pond" => article("pond"),
        _ => reply(503, "Retry-After: 3600\r\n", ""),
    });
    assert_eq!(ending(&store, "/pond"), "stored");
    assert!(cookies(&site, "/brook").len() <= 2, "{:?}", site.asked());
}
