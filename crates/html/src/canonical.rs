//! Determines the canonical address that a page declares.
//!
//! It is `rel=canonical`, else `og:url`, made absolute with the page's own address if known,
//! without `#fragment`. Rejected are addresses that are not web addresses, those without a host or
//! with a dotless host other than the page's own, and the front page on any other page, a common
//! template error.
//!
//! Limitation: an address on another host is accepted, because syndicated articles name their
//! origin so; so is a test host, or another's article. Callers that merge pages by it should check
//! that the texts are alike.

/// The first acceptable address. `address` is the page's own; without it (empty) a relative one is
/// unchanged.
pub(crate) fn canonical<'a>(stated: impl IntoIterator<Item = &'a str>, address: &str) -> Option<String> {
    stated
        .into_iter()
        .map(|stated| stated.split('#').next().unwrap_or_default().trim())
        .filter_map(|stated| absolute(stated, address))
        .find(|it| is_believed(it, address))
}

/// Returns `None` for schemes other than the web's.
fn absolute(stated: &str, address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let lower = stated.get(..8).unwrap_or(stated).to_ascii_lowercase();
    if stated.is_empty() || stated.contains(char::is_whitespace) {
        None
    } else if lower.starts_with("http://") || lower.starts_with("https://") {
        Some(stated.to_owned())
    } else if host.is_empty() {
        (!lower.contains(':')).then(|| stated.to_owned())
    } else if stated.starts_with("//") {
        Some(format!("{scheme}:{stated}"))
    } else if stated.starts_with('/') {
        Some(format!("{scheme}://{host}{stated}"))
    } else {
        None
    }
}

fn is_believed(stated: &str, address: &str) -> bool {
    let Some((_, rest)) = stated.split_once("://") else { return true };
    let host = host(rest);
    let own = address.split_once("://").map_or("", |(_, rest)| self::host(rest));
    // A name without a dot is a local machine's, accepted only for a page from it.
    let is_host = !host.is_empty() && (host.contains('.') || own == host);
    is_host && (address.is_empty() || !is_front(stated) || is_front(address))
}

fn host(behind_scheme: &str) -> &str {
    behind_scheme.split(['/', '?', '#', ':']).next().unwrap_or_default()
}

fn is_front(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty()) && !rest.contains('?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_addresses_are_believed() {
        let own = "https://a.vn/x?y=1";
        let cases: [(&[&str], &str, Option<&str>); 19] = [
            (&["https://a.vn/x"], own, Some("https://a.vn/x")),
            (&["/x"], own, Some("https://a.vn/x")),
            (&["//b.vn/x"], own, Some("https://b.vn/x")),
            (&["/x"], "", Some("/x")),
            (&["https://other.vn/x"], own, Some("https://other.vn/x")),
            (&["https://a.vn/", "https://a.vn/x"], own, Some("https://a.vn/x")),
            (&["https://a.vn"], own, None),
            (&["https://a.vn/"], "https://a.vn", Some("https://a.vn/")),
            (&["http://localhost/x"], own, None),
            (&["http://localhost:80/x"], "http://localhost:80/y", Some("http://localhost:80/x")),
            (&["https://pier-blog"], own, None),
            (&["https://pier-blog/x"], "", None),
            (&["http://[bad"], "", None),
            (&["https://m.a.vn/x.html#top?from=y"], "", Some("https://m.a.vn/x.html")),
            (&["/x#top"], own, Some("https://a.vn/x")),
            (&["#top", "https://a.vn/#/x"], own, None),
            (&["javascript:void(0)"], own, None),
            (&["mailto:x@a.vn"], "", None),
            (&["", "x y", "http://"], own, None),
        ];
        for (stated, address, expected) in cases {
            assert_eq!(
                canonical(stated.iter().copied(), address).as_deref(),
                expected,
                "{stated:?} of {address}"
            );
        }
    }
}
