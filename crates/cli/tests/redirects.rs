//! Tests redirects of a page to another form of its own address, and redirects to addresses in old encodings.

use crate::raw_sites::{Asked, RawSites, article, html, links, not_found, response, text};

fn to(location: &[u8]) -> Vec<u8> {
    let tail = b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    [b"HTTP/1.1 302 Found\r\nLocation: ".as_slice(), location, tail].concat()
}

fn urls(asked: Vec<Asked>) -> Vec<String> {
    asked.into_iter().map(|asked| asked.url.replace("a.example", "")).collect()
}

fn stored(sites: &RawSites) -> Vec<String> {
    sites.stored().into_iter().map(|url| url.replace("a.example", "")).collect()
}

#[test]
fn a_page_that_redirects_to_itself_with_a_session_or_tracker_is_stored() {
    let sites = RawSites::start(|asked| match asked.url.strip_prefix("a.example").unwrap_or_default() {
        "/robots.txt" => text("User-agent: *\nDisallow: /*;jsessionid=forbidden\n"),
        "/" => html("", &links(&["/s/one.html", "/t/two.html?id=2", "/e/three.html", "/f/four.html"])),
        "/s/one.html" => to(b"/s/one.html;jsessionid=AB12"),
        "/s/one.html;jsessionid=AB12" => html("", &article("one", "")),
        "/t/two.html?id=2" => to(b"http://a.example/t/two.html?id=2&utm_source=x"),
        "/t/two.html?id=2&utm_source=x" => html("", &article("two", "")),
        // Each redirect has another session.
        path if path.starts_with("/e/three.html") => to(format!("{path};jsessionid=1").as_bytes()),
        "/f/four.html" => to(b"/f/four.html;jsessionid=forbidden"),
        _ => not_found(),
    });
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert_eq!(stored(&sites), ["/s/one.html", "/t/two.html?id=2"]);
    assert_eq!(urls(sites.asked("/s/")), ["/s/one.html", "/s/one.html;jsessionid=AB12"]);
    assert!(sites.asked("/e/").len() <= 6, "fetch.max_redirects limits the redirects");
    assert_eq!(urls(sites.asked("/f/")), ["/f/four.html"], "robots.txt concerns the address as requested");

    sites.gleaner(&["rebuild", "--relearn", "--force"]);
    assert_eq!(stored(&sites), ["/s/one.html", "/t/two.html?id=2"]);
}

#[test]
fn a_byte_of_an_old_encoding_in_location_is_percent_encoded() {
    let sites = RawSites::start(|asked| match asked.url.strip_prefix("a.example").unwrap_or_default() {
        "/robots.txt" => not_found(),
        "/" => html("", &links(&["/n/1", "/n/2"])),
        "/n/1" => to(b"/caf\xe9-story.html"),
        "/n/2" => to("/café-story.html".as_bytes()),
        "/caf%E9-story.html" => html("", &article("old", "")),
        "/caf%C3%A9-story.html" => html("", &article("new", "")),
        _ => response("410 Gone", "", ""),
    });
    sites.gleaner(&["crawl", "http://a.example/"]);
    assert_eq!(stored(&sites), ["/caf%C3%A9-story.html", "/caf%E9-story.html"]);
}
