//! Stores cookies for the duration of one visit.
//!
//! If a request has no cookie, some sites set one and redirect, often to the same page. Therefore the cookies
//! of a site are stored during a visit. They are sent only to that site, and dropped when the visit ends. The
//! cookie jar of the HTTP library applies the rules of RFC 6265, section 5, for host, path, `Secure` and
//! expiry. This module adds limits and the restriction to the site.
//!
//! Unlike a browser, this module needs no list of public suffixes: a site is a registrable domain, and a
//! cookie with a `Domain` outside the site is rejected.

use reqwest::cookie::{CookieStore, Jar};
use url::Url;

use crate::message::Response;

/// Maximum number of cookies in one visit. Browsers must store at least as many per site (RFC 6265, 6.1).
const MAX_COOKIES: usize = 50;
/// Maximum size of one `Set-Cookie` in bytes (RFC 6265, 6.1).
const MAX_COOKIE_LENGTH: usize = 4096;
/// Maximum size in bytes of all cookies of a visit. Few servers accept more in the headers of a request.
const MAX_BYTES: usize = 8 << 10;

/// The cookies of one visit to one site.
#[derive(Debug)]
pub struct Cookies {
    site: String,
    jar: Jar,
    stored: usize,
    bytes: usize,
}

impl Cookies {
    /// Creates an empty set of cookies. `site` is the registrable domain of the cookies, as in a canonical
    /// URL (lower case, A-labels), or an IP address. A port in `site` is ignored, as in RFC 6265, 8.5.
    #[must_use]
    pub fn of_site(site: &str) -> Self {
        Self { site: without_port(site).to_owned(), jar: Jar::default(), stored: 0, bytes: 0 }
    }

    /// Applies each `Set-Cookie` of a response from `url`, including deletions. Ignores lines over 4 KiB,
    /// cookies beyond the visit's limits (50 cookies, 8 KiB), and cookies for or from another site.
    pub fn store(&mut self, url: &Url, response: &Response) {
        if !url.host_str().is_some_and(|host| self.is_of_site(host)) {
            return;
        }
        for (_, line) in response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")) {
            let bytes = self.bytes + line.len();
            if self.stored >= MAX_COOKIES || bytes > MAX_BYTES || line.len() > MAX_COOKIE_LENGTH {
                continue;
            }
            if domain(line).is_none_or(|domain| self.is_of_site(&domain)) {
                self.jar.add_cookie_str(line, url);
                (self.stored, self.bytes) = (self.stored + 1, bytes);
            }
        }
    }

    /// Returns the `Cookie` header of a request for `url`, or `None` if no cookie applies.
    #[must_use]
    pub fn header(&self, url: &Url) -> Option<String> {
        if !url.host_str().is_some_and(|host| self.is_of_site(host)) {
            return None;
        }
        self.jar.cookies(url)?.to_str().ok().map(str::to_owned)
    }

    fn is_of_site(&self, host: &str) -> bool {
        let before = host.strip_suffix(self.site.as_str());
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }
}

fn without_port(site: &str) -> &str {
    match site.rsplit_once(':') {
        // A port follows the closing bracket. The colons of an IPv6 address are inside the brackets.
        Some((host, _)) if !site.ends_with(']') => host,
        _ => site,
    }
}

/// Returns the `Domain` of a `Set-Cookie`, without its leading dot (RFC 6265, 5.2.3), or `None` if there is
/// none.
fn domain(line: &str) -> Option<String> {
    let attributes = line.split(';').skip(1).filter_map(|attribute| attribute.split_once('='));
    let domains = attributes.filter(|(name, _)| name.trim().eq_ignore_ascii_case("domain"));
    // If there are several `Domain` attributes, the last applies.
    let domain = domains.last()?.1.trim();
    let domain = domain.strip_prefix('.').unwrap_or(domain).to_ascii_lowercase();
    (!domain.is_empty()).then_some(domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn answer(lines: &[&str]) -> Response {
        let headers = lines.iter().map(|line| ("set-cookie".to_owned(), (*line).to_owned())).collect();
        Response::new(&url("http://a.example/"), 302, headers)
    }

    /// Checks which targets get the cookies that `https://www.a.example/x/y` set.
    #[test]
    fn a_cookie_goes_where_rfc_6265_lets_it() {
        let from = "https://www.a.example/x/y";
        let cases: [(&str, &str, bool); 24] = [
            ("k=v", "https://www.a.example/x/y", true),
            ("k=v", "https://www.a.example/x/", true),
            ("k=v", "https://www.a.example/z", false),
            ("k=v; Path=/", "https://www.a.example/z", true),
            ("k=v; Path=/x/y", "https://www.a.example/x/y/z", true),
            ("k=v; Path=/x/y", "https://www.a.example/x/yz", false),
            ("k=v; Path=/", "https://a.example/", false),
            ("k=v; Path=/", "https://deep.www.a.example/", false),
            ("k=v; Path=/; Domain=a.example", "https://a.example/", true),
            ("k=v; Path=/; Domain=.a.example", "https://m.a.example/", true),
            ("k=v; Path=/; domain=A.Example", "https://m.a.example/", true),
            ("k=v; Path=/; Domain=www.a.example", "https://m.a.example/", false),
            ("k=v; Path=/; Domain=m.a.example", "https://m.a.example/", false),
            ("k=v; Path=/; Domain=example", "https://www.a.example/", false),
            ("k=v; Path=/; Domain=b.example", "https://www.a.example/", false),
            ("k=v; Path=/; Domain=a.example; Domain=b.example", "https://www.a.example/", false),
            ("k=v; Path=/; Domain=a.example", "https://xa.example/", false),
            ("k=v; Path=/; Domain=a.example", "https://a.example.org/", false),
            ("k=v; Path=/; Secure", "https://www.a.example/", true),
            ("k=v; Path=/; Secure", "http://www.a.example/", false),
            ("k=v; Path=/; Max-Age=60", "https://www.a.example/", true),
            ("k=v; Path=/; Max-Age=0", "https://www.a.example/", false),
            ("k=v; Path=/; Expires=Thu, 01-Jan-1970 00:00:01 GMT", "https://www.a.example/", false),
            ("no pair", "https://www.a.example/x/y", false),
        ];
        for (line, to, is_sent) in cases {
            let mut cookies = Cookies::of_site("a.example");
            cookies.store(&url(from), &answer(&[line]));
            let expected = is_sent.then(|| "k=v".to_owned());
            assert_eq!(cookies.header(&url(to)), expected, "{line} to {to}");
        }
    }

    #[test]
    fn a_cookie_is_replaced_and_deleted() {
        let mut cookies = Cookies::of_site("a.example");
        let page = url("http://a.example/");
        assert_eq!(cookies.header(&page), None);
        cookies.store(&page, &answer(&["k=1", "l=2"]));
        cookies.store(&page, &answer(&["k=3"]));
        let sent = cookies.header(&page).unwrap();
        assert!(["k=3; l=2", "l=2; k=3"].contains(&sent.as_str()), "{sent}");
        cookies.store(&page, &answer(&["k=; Max-Age=0"]));
        assert_eq!(cookies.header(&page).as_deref(), Some("l=2"));
    }

    #[test]
    fn other_sites_set_nothing() {
        let mut cookies = Cookies::of_site("a.example");
        cookies.store(&url("http://b.example/"), &answer(&["k=v", "l=w; Domain=a.example"]));
        assert_eq!(cookies.header(&url("http://a.example/")), None);
        assert_eq!(cookies.header(&url("http://b.example/")), None);
    }

    #[test]
    fn an_address_is_a_site_of_its_own() {
        assert_eq!((without_port("[::1]:80"), without_port("[::1]")), ("[::1]", "[::1]"));
        let mut cookies = Cookies::of_site("127.0.0.1:8080");
        cookies.store(&url("http://127.0.0.1:8080/"), &answer(&["k=v"]));
        assert_eq!(cookies.header(&url("http://127.0.0.1:8080/x")).as_deref(), Some("k=v"));
        assert_eq!(cookies.header(&url("http://127.0.0.2:8080/x")), None);
    }

    #[test]
    fn number_and_size_are_bounded() {
        let page = url("http://a.example/");
        let mut cookies = Cookies::of_site("a.example");
        for n in 0..200 {
            cookies.store(&page, &answer(&[&format!("k{n}=v")]));
        }
        assert_eq!(cookies.header(&page).unwrap().split("; ").count(), MAX_COOKIES);
        let mut cookies = Cookies::of_site("a.example");
        for n in 0..9 {
            cookies.store(&page, &answer(&[&format!("k{n}={}", "v".repeat(2_000))]));
        }
        assert!(cookies.header(&page).unwrap().len() <= MAX_BYTES);
        let mut cookies = Cookies::of_site("a.example");
        cookies.store(&page, &answer(&[&"v".repeat(MAX_COOKIE_LENGTH + 1), "k=v\u{fffd}", "l=\u{1}"]));
        assert_eq!(cookies.header(&page), None);
    }
}
