//! Determines the canonical address of a page from its declarations.
//!
//! The address comes from `rel=canonical` or, if this is missing, from `og:url`. If the page's own address is
//! known, a relative address is made absolute. A `#fragment` is removed. These addresses are rejected:
//!
//! - addresses that are not web addresses or have no host;
//! - addresses whose host has no dot, unless it is the page's own host;
//! - the front page's address on any other page, which is a common template error.
//!
//! Limitation: an address on another host is accepted, because syndicated articles declare the original in
//! this way. But it may also be an address of a test host or of another article. Callers that merge pages by
//! canonical address should check that the texts are similar.

/// Returns the first acceptable address. If `address` is empty, a relative address stays unchanged.
pub(crate) fn canonical<'a>(stated: impl IntoIterator<Item = &'a str>, address: &str) -> Option<String> {
    stated
        .into_iter()
        .map(|stated| stated.split('#').next().unwrap_or_default().trim())
        .filter_map(|stated| absolute(stated, address))
        .find(|it| is_plausible(it, address))
}

/// Makes an address absolute. Returns `None` if the scheme is not `http` or `https`, or if `stated` is only a
/// host.
pub(crate) fn absolute(stated: &str, address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let lower = stated.get(..8).unwrap_or(stated).to_ascii_lowercase();
    if stated.is_empty() || stated.contains(char::is_whitespace) {
        None
    } else if lower.starts_with("http://") || lower.starts_with("https://") {
        Some(stated.to_owned())
    } else if host.is_empty() {
        (!has_scheme(stated)).then(|| stated.to_owned())
    } else if stated.starts_with("//") {
        Some(format!("{scheme}:{stated}"))
    } else if stated.starts_with('/') {
        Some(format!("{scheme}://{host}{stated}"))
    } else {
        resolve_relative(stated, address)
    }
}

/// Resolves `stated` if it is a query, or a path without a leading slash. Returns `None` for other forms.
pub(crate) fn resolve_relative(stated: &str, address: &str) -> Option<String> {
    let start = address.find("://").map_or(0, |at| at + 3);
    let page = address[start..].split(['?', '#']).next().unwrap_or_default();
    let (host, path) = page.split_once('/').unwrap_or((page, ""));
    let first = stated.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = first.starts_with("www.") || !first.is_empty() && first == host;
    if is_host || has_scheme(stated) || stated.starts_with(['/', '#']) {
        return None;
    }
    let origin = &address[..start + host.len()];
    if stated.starts_with('?') {
        return Some(format!("{origin}/{path}{stated}"));
    }
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    let mut rest = stated;
    while let Some((step @ ("." | ".."), behind)) = rest.split_once('/') {
        if step == ".." {
            folders.pop();
        }
        rest = behind;
    }
    folders.push(rest);
    Some(format!("{origin}/{}", folders.join("/")))
}

fn has_scheme(stated: &str) -> bool {
    stated.split(['/', '?']).next().is_some_and(|first| first.contains(':'))
}

fn is_plausible(stated: &str, address: &str) -> bool {
    let Some((_, rest)) = stated.split_once("://") else { return true };
    let host = host(rest);
    let own = address.split_once("://").map_or("", |(_, rest)| self::host(rest));
    // A host without a dot is a machine in a local network. It is accepted only for a page of that machine.
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
        let cases: [(&[&str], &str, Option<&str>); 29] = [
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
            (&["javascript:void(0)"], "", None),
            (&["y.html"], own, Some("https://a.vn/y.html")),
            (&["y.html"], "https://a.vn", Some("https://a.vn/y.html")),
            (&["y.html?z=/1"], "https://a.vn/b/c/x?y=/1", Some("https://a.vn/b/c/y.html?z=/1")),
            (&["./y.html"], "https://a.vn/b/", Some("https://a.vn/b/y.html")),
            (&["../y.html"], "https://a.vn/b/c/x", Some("https://a.vn/b/y.html")),
            (&["./../../../y.html"], "https://a.vn/b/c/x", Some("https://a.vn/y.html")),
            (&["?id=2"], "https://a.vn/b/x?id=2&y=1", Some("https://a.vn/b/x?id=2")),
            (&["www.a.vn/x"], own, None),
            (&["a.vn/x"], own, None),
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
