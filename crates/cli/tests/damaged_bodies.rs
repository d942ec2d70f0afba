//! Tests responses whose transfer or coding is damaged, with the real binary: whole pages are stored and come back
//! from the archive, half pages are not stored, and a damaged robots.txt does not open or lose a host.

use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::{DeflateEncoder, GzEncoder};
use gleaner_archive::{ArchiveReader, Item};

use crate::web::{Asked, HTML, Web, article, front, measured, response};

const GZIP: &str = "Content-Encoding: gzip\r\n";

/// Returns a response in one chunk, without the last one.
fn without_last_chunk(body: &[u8]) -> Vec<u8> {
    let chunk = [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat();
    response("200 OK", &format!("{HTML}Transfer-Encoding: chunked\r\n"), &chunk)
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// The paths of whole pages in damaged transfers or codings.
const WHOLE: [&str; 10] = [
    "/news/an-ordinary-page-101.html",
    "/news/gzip-without-its-trailer-102.html",
    "/news/the-length-of-the-text-103.html",
    "/news/a-length-too-large-104.html",
    "/news/no-last-chunk-105.html",
    "/news/text-labelled-as-gzip-106.html",
    "/news/a-whole-range-107.html",
    "/news/deflate-without-its-end-108.html",
    "/news/gzip-with-a-length-too-large-109.html",
    "/news/a-length-that-cuts-the-trailer-110.html",
];

/// The paths of pages of which only a part is sent.
const HALF: [&str; 7] = [
    "/news/half-of-a-page-201.html",
    "/news/half-of-the-chunks-202.html",
    "/news/half-of-gzip-203.html",
    "/news/a-part-of-a-range-204.html",
    "/news/a-length-that-cuts-gzip-205.html",
    "/news/damaged-gzip-206.html",
    "/news/a-length-too-small-207.html",
];

fn damaged(path: &str) -> Vec<u8> {
    let seed = path.len() * 1_000 + path.bytes().map(usize::from).sum::<usize>();
    let page = article(seed).into_bytes();
    let (coded, half, length) = (gzip(&page), &page[..page.len() / 2], page.len());
    let range = |last: usize| format!("{HTML}Content-Range: bytes 0-{last}/{length}\r\n");
    let with_gzip = format!("{HTML}{GZIP}");
    match path {
        "/news/gzip-without-its-trailer-102.html" => {
            measured(&with_gzip, coded.len() - 8, &coded[..coded.len() - 8])
        }
        "/news/the-length-of-the-text-103.html" => measured(&with_gzip, length, &coded),
        "/news/a-length-too-large-104.html" => measured(HTML, length + 10, &page),
        "/news/no-last-chunk-105.html" => without_last_chunk(&page),
        "/news/text-labelled-as-gzip-106.html" => measured(&with_gzip, length, &page),
        "/news/a-whole-range-107.html" => response("206 Partial Content", &range(length - 1), &page),
        "/news/deflate-without-its-end-108.html" => {
            let coded = deflate(&page);
            response("200 OK", &format!("{HTML}Content-Encoding: deflate\r\n"), &coded[..coded.len() - 1])
        }
        "/news/gzip-with-a-length-too-large-109.html" => measured(&with_gzip, coded.len() + 1, &coded),
        "/news/a-length-that-cuts-the-trailer-110.html" => measured(&with_gzip, coded.len() - 3, &coded),
        "/news/half-of-a-page-201.html" => measured(HTML, length, half),
        "/news/half-of-the-chunks-202.html" => without_last_chunk(half),
        "/news/half-of-gzip-203.html" => measured(&with_gzip, coded.len() / 2, &coded[..coded.len() / 2]),
        "/news/a-part-of-a-range-204.html" => response("206 Partial Content", &range(half.len() - 1), half),
        "/news/a-length-that-cuts-gzip-205.html" => measured(&with_gzip, coded.len() / 2, &coded),
        "/news/damaged-gzip-206.html" => {
            let mut coded = coded;
            let checksum = coded.len() - 8;
            coded[checksum] ^= 1;
            measured(&with_gzip, coded.len(), &coded)
        }
        // The library ends the body at its length.
        "/news/a-length-too-small-207.html" => measured(HTML, length / 2, &page),
        _ => measured(HTML, length, &page),
    }
}

/// Checks that other readers can read all bodies of the archive, because each is whole in its coding.
fn check_archive(web: &Web) {
    let mut pages = 0;
    for file in fs::read_dir(web.folder.path().join("data/archive")).unwrap() {
        let file = fs::File::open(file.unwrap().path()).unwrap();
        for item in ArchiveReader::new(file, 1 << 20).unwrap() {
            let Item::Record(record) = item.unwrap() else { panic!("damage") };
            let target = record.header.target().unwrap_or_default().to_owned();
            let Some(http) = record.http().filter(|_| WHOLE.iter().any(|path| target.ends_with(path))) else {
                continue;
            };
            assert_eq!(record.truncated(), None, "{target}");
            assert_eq!(
                http.header("content-length"),
                Some(http.coded.len().to_string().as_str()),
                "{target}"
            );
            let mut body = Vec::new();
            match http.header("content-encoding") {
                Some("gzip") => drop(MultiGzDecoder::new(http.coded).read_to_end(&mut body).unwrap()),
                Some(other) => panic!("{target}: {other}"),
                None => body.extend_from_slice(http.coded),
            }
            assert!(body.ends_with(b"</html>\n"), "{target}");
            pages += 1;
        }
    }
    assert_eq!(pages, WHOLE.len());
}

#[test]
fn whole_pages_of_damaged_transfers_are_stored_and_rebuilt_and_half_pages_are_not() {
    let web = Web::start(|asked| match asked.url.split_once('/') {
        Some((_, "")) => front(&[&WHOLE[..], &HALF].concat()),
        Some((_, "robots.txt" | "sitemap.xml" | ".well-known/tdmrep.json")) => {
            response("404 Not Found", "Content-Length: 0\r\n", b"")
        }
        Some((_, path)) => damaged(&format!("/{path}")),
        None => Vec::new(),
    });
    let url = |path: &&str| format!("http://paper.example{path}");
    web.succeeds(&["crawl", "http://paper.example/"]);
    let corpus = web.corpus();
    assert_eq!(corpus.keys().cloned().collect::<Vec<_>>(), {
        let mut urls: Vec<String> = WHOLE.iter().map(url).collect();
        urls.sort();
        urls
    });
    assert!(corpus.values().all(|text| text.contains("This is the end of article")), "{corpus:#?}");
    for path in HALF {
        // The first request, and fetch.retries = 1.
        assert_eq!(web.asked(&format!("paper.example{path}")), 2, "{path}");
        let why = web.succeeds(&["doctor", &url(&path)]);
        assert!(why.contains("broken"), "{path}: {why}");
    }
    check_archive(&web);
    web.succeeds(&["verify"]);
    fs::write(web.folder.path().join("seeds.txt"), "http://paper.example/\n").unwrap();
    web.succeeds(&["rebuild", "--relearn", "--seeds", "seeds.txt"]);
    assert_eq!(web.corpus(), corpus);
}

#[test]
fn sitemaps_and_feeds_with_wrong_lengths_are_read_to_their_end() {
    const PATHS: [&str; 2] = ["/news/from-the-sitemap-301.html", "/news/from-the-feed-302.html"];
    let web = Web::start(|asked| {
        let list = |kind: &str, body: String| {
            measured(&format!("Content-Type: {kind}\r\n"), body.len() + 10, body.as_bytes())
        };
        let url = |path: &str| format!("http://paper.example{path}");
        match asked.url.split_once('/') {
            Some((_, "")) => {
                let body =
                    "<html><head><link rel=alternate type=application/rss+xml href=/feed.xml></head></html>";
                measured(HTML, body.len(), body.as_bytes())
            }
            Some((_, "robots.txt")) => response("404 Not Found", "Content-Length: 0\r\n", b""),
            Some((_, "sitemap.xml")) => {
                list("text/xml", format!("<urlset><url><loc>{}</loc></url></urlset>\n", url(PATHS[0])))
            }
            Some((_, "feed.xml")) => {
                let item = format!("<item><title>A</title><link>{}</link></item>", url(PATHS[1]));
                list("text/xml", format!("<rss version=\"2.0\"><channel>{item}</channel></rss>"))
            }
            Some((_, path)) => damaged(&format!("/{path}")),
            None => Vec::new(),
        }
    });
    web.succeeds(&["crawl", "http://paper.example/"]);
    for path in PATHS {
        assert_eq!(web.asked(&format!("paper.example{path}")), 1, "{path}");
    }
    for list in ["sitemap.xml", "feed.xml"] {
        assert_eq!(web.asked(&format!("paper.example/{list}")), 1, "{list}");
    }
}

const RULES: &[u8] = b"User-agent: *\nDisallow: /secret/\n";

/// A host whose robots.txt is damaged or behind a cookie wall, and its response to a request for it.
fn damaged_robots(asked: &Asked) -> Vec<u8> {
    let coded = gzip(RULES);
    match asked.url.split_once('/').map_or("", |(host, _)| host) {
        "plain.example" => measured(GZIP, RULES.len(), RULES),
        "trailer.example" => measured(GZIP, coded.len() - 8, &coded[..coded.len() - 8]),
        "wall.example" | "www.wall.example" if asked.cookie.contains("seen=1") => {
            measured("", RULES.len(), RULES)
        }
        "wall.example" => {
            let headers = "Location: /robots.txt\r\nSet-Cookie: seen=1; Path=/\r\nContent-Length: 0\r\n";
            response("302 Found", headers, b"")
        }
        // The first half of the rules forbids nothing.
        _ => measured("", RULES.len(), &RULES[..14]),
    }
}

#[test]
fn the_rules_of_a_damaged_robots_txt_hold_and_half_of_them_open_nothing() {
    const HOSTS: [&str; 3] = ["plain.example", "trailer.example", "wall.example"];
    let web = Web::start(|asked| match asked.url.split_once('/') {
        Some((_, "")) => {
            front(&["/news/a-story-that-is-allowed-501.html", "/secret/a-story-that-is-not-502.html"])
        }
        Some((_, "robots.txt")) => damaged_robots(asked),
        Some((_, "sitemap.xml")) => response("404 Not Found", "Content-Length: 0\r\n", b""),
        _ => measured(HTML, article(501).len(), article(501).as_bytes()),
    });
    let seeds: Vec<String> =
        HOSTS.iter().chain(&["half.example"]).map(|host| format!("http://{host}/")).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    web.succeeds(&[&["crawl"], &seeds[..]].concat());
    for host in HOSTS {
        assert_eq!(web.asked(&format!("{host}/news/a-story-that-is-allowed-501.html")), 1, "{host}");
        assert_eq!(web.asked(&format!("{host}/secret/a-story-that-is-not-502.html")), 0, "{host}");
    }
    assert_eq!(web.asked("wall.example/robots.txt"), 2);
    assert_eq!(web.asked("half.example/"), 0, "RFC 9309, 2.3.1.4");
}

#[test]
fn a_long_back_off_outlasts_the_next_run() {
    let web = Web::start(|asked| match asked.url.split_once('/') {
        Some((_, "robots.txt" | "sitemap.xml" | ".well-known/tdmrep.json")) => {
            response("404 Not Found", "Content-Length: 0\r\n", b"")
        }
        _ => response("429 Too Many Requests", "Retry-After: 3600\r\nContent-Length: 0\r\n", b""),
    });
    let count = || web.all_asked().len();
    web.run(&["crawl", "http://busy.example/"]);
    let asked = count();
    assert_eq!(web.asked("busy.example/"), 1);
    web.run(&["crawl", "http://busy.example/"]);
    assert_eq!(count(), asked, "{:?}", web.all_asked());
}
