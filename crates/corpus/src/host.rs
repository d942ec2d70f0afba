//! Compares hosts.

/// Whether `host` is `wanted` or a subdomain of it. If `wanted` has no port, every port of `host` matches.
///
/// ```
/// use gleaner_corpus::is_of_host;
///
/// assert!(is_of_host("www.a.example:8080", "a.example"));
/// assert!(!is_of_host("a.example", "a.example:8080"));
/// ```
#[must_use]
pub fn is_of_host(host: &str, wanted: &str) -> bool {
    let is_under = |host: &str| {
        host.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    is_under(host) || is_under(without_port(host))
}

/// Returns a host without its port. Returns a host that has no port unchanged.
#[must_use]
pub fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_a_port_is_all_its_ports() {
        let cases = [
            ("a.example", "a.example", true),
            ("a.example:8080", "a.example", true),
            ("www.a.example:8080", "a.example", true),
            ("www.a.example:8080", "a.example:8080", true),
            ("a.example:8081", "a.example:8080", false),
            ("a.example", "a.example:8080", false),
            ("ba.example:8080", "a.example", false),
            ("a.example:8080", "8080", false),
            ("[::1]:8080", "[::1]", true),
            ("[::1]", "[::1]", true),
        ];
        for (host, wanted, expected) in cases {
            assert_eq!(is_of_host(host, wanted), expected, "{host} {wanted}");
        }
    }
}
