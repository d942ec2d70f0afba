//! Checks host names, and detects addresses without a scheme.
//!
//! The URL standard accepts `www..example.com` and nearly any character in a domain, because it leaves the
//! lengths of labels to DNS. A request for such a name cannot succeed, and its labels distort counts by
//! domain. Therefore a host must be valid in DNS (RFC 1035, 2.3.4): labels of 1 to 63 octets, and 253 octets
//! in total. Letters, digits, hyphens and underscores are allowed. RFC 1123 forbids a hyphen at the end of a
//! label, but some sites have such names, so it is accepted.

const MAX_LABEL: usize = 63;
/// Maximum length in octets of a name without its final dot.
const MAX_NAME: usize = 253;

/// Returns why `name` is not a valid host name. `name` is a domain from the URL parser without its final dot.
pub(crate) fn invalid_reason(name: &str) -> Option<&'static str> {
    if name.split('.').any(str::is_empty) {
        return Some("a part between its dots is empty");
    }
    if name.len() > MAX_NAME {
        return Some("it has more than 253 characters");
    }
    if name.split('.').any(|label| label.len() > MAX_LABEL) {
        return Some("a part between its dots has more than 63 characters");
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (!name.bytes().all(is_allowed)).then_some("it has other characters than letters, digits, - and _")
}

/// If `text` looks like an address without its scheme (`www.example.com/a`), returns the registrable domain
/// of its host in lower case. Returns `None` if `text` looks like a relative address.
///
/// `sitemap.pl` and `archive.zip` may be files or hosts. Therefore the text must begin with `www.`, or a
/// slash must follow the host, or the domain must be `expected`.
pub(crate) fn forgotten_scheme(text: &str, expected: Option<&str>) -> Option<String> {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = match text[..end].rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => &text[..end],
    };
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !host.chars().all(is_allowed) || host.split('.').any(str::is_empty) || host.len() > MAX_NAME {
        return None;
    }
    let host = host.to_lowercase();
    let (domain, is_known) = registrable_domain(&host)?;
    let is_certain = text[end..].starts_with('/') || host.starts_with("www.");
    let is_host = expected == Some(domain) || is_certain && is_known;
    is_host.then(|| domain.to_owned())
}

/// Returns the registrable domain of a host, and whether the Public Suffix List has a rule for it. Returns
/// `None` if the host is itself a public suffix.
///
/// This function is never inlined: the library implements the list as code, and each copy takes ten seconds
/// to compile.
#[inline(never)]
pub(crate) fn registrable_domain(host: &str) -> Option<(&str, bool)> {
    let domain = psl::domain(host.as_bytes())?;
    Some((std::str::from_utf8(domain.as_bytes()).ok()?, domain.suffix().is_known()))
}

pub(crate) fn has_scheme(text: &str) -> bool {
    let scheme = text.split(':').next().unwrap_or_default();
    scheme.len() < text.len() && (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

#[cfg(test)]
mod tests {
    use super::{forgotten_scheme, invalid_reason};

    #[test]
    fn names() {
        let label = "a".repeat(63);
        let name = [&*label, &label, &label, &"b".repeat(61)].join(".");
        assert_eq!(name.len(), 253);
        for good in ["a", "a.vn", "xn--bo-mia.vn", "my_blog.a.vn", "-a-.vn", "1.a.vn", &label, &name] {
            assert_eq!(invalid_reason(good), None, "{good}");
        }
        for (bad, reason) in [
            ("", "empty"),
            ("www..a.vn", "empty"),
            (".a.vn", "empty"),
            ("a.vn.", "empty"),
            (".", "empty"),
            (&*format!("{label}a.vn"), "63"),
            (&*format!("{name}b"), "253"),
            ("a,b.vn", "characters"),
            ("*.a.vn", "characters"),
            ("$host.a.vn", "characters"),
            ("a'.vn", "characters"),
        ] {
            assert!(invalid_reason(bad).is_some_and(|found| found.contains(reason)), "{bad}");
        }
    }

    #[test]
    fn addresses_whose_scheme_was_forgotten() {
        for (text, domain) in [
            ("www.example.com/", Some("example.com")),
            ("www.example.com", Some("example.com")),
            ("WWW.Example.com?a=1", Some("example.com")),
            ("example.co.uk/a.html", Some("example.co.uk")),
            ("news.example.com:8080/a", Some("example.com")),
            ("báo.vn/tin", Some("báo.vn")),
            ("a.vn", Some("a.vn")),
            ("m.a.vn#x", Some("a.vn")),
            ("example.com", None),
            ("sitemap2.xml", None),
            ("sitemap.xml/a", None),
            ("archive.zip", None),
            ("a/www.example.com/", None),
            ("/a.vn/b", None),
            ("../a.vn/", None),
            ("co.uk/a", None),
            ("www..example.com/", None),
            ("tin tuc.vn/a", None),
            ("mailto:x@a.vn", None),
            ("127.0.0.1/a", None),
            ("", None),
            ("site.example/a", None),
        ] {
            assert_eq!(forgotten_scheme(text, Some("a.vn")).as_deref(), domain, "{text}");
        }
        // An expected domain need not be on the Public Suffix List.
        let own = forgotten_scheme("m.site.example/a", Some("site.example"));
        assert_eq!(own.as_deref(), Some("site.example"));
    }
}
