//! Explains causes in words, and names the command to run next.

use gleaner_fetch::TlsFault;
use gleaner_frontier::Class;

/// Explains an outcome's reason in words. Keeps the reason in parentheses, because logs and counts use it.
pub(crate) fn explained(reason: &str) -> String {
    match words(reason) {
        Some(words) => format!("{words} ({reason})"),
        None => reason.to_owned(),
    }
}

fn words(reason: &str) -> Option<String> {
    let (label, detail) = reason.split_once(": ").unwrap_or((reason, ""));
    if let Some(fault) = TlsFault::from_label(detail).filter(|_| label == "failed") {
        return Some(fault.to_string());
    }
    let words = match (label, detail) {
        (_, "dns") => "the host's name cannot be resolved",
        (_, "connect") => "no connection",
        (_, "timeout") => "no response in time",
        (_, "bad_proxy") => "the proxy does not respond",
        (_, "http_401" | "http_407") => "the site requires a login",
        (_, "http_403") => "the site refuses the crawler",
        (_, "http_429") => "the site limits the rate of requests",
        (_, "http_451") => "blocked for legal reasons",
        ("failed", detail) if detail.starts_with("http_5") => "the server has an error",
        ("gone", _) => "pages that no longer exist",
        ("not_article", "challenge") => "tests for human visitors instead of articles",
        ("not_article", "consent_wall") => "consent dialogs instead of articles",
        ("not_article", "login_wall") => "login pages instead of articles",
        ("not_article", "needs_browser") => "pages that need a browser",
        ("not_article", _) => "pages that are not articles",
        ("duplicate" | "near_duplicate", _) => "texts that are already in the corpus",
        ("other_language", _) => "texts in other languages",
        ("disallowed", _) => "URLs that robots.txt disallows",
        ("private_address", _) => "the host's address is not public",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Whether a text names a certificate that has expired or is not valid yet. The clock may be wrong.
pub(crate) fn is_of_the_clock(text: &str) -> bool {
    [TlsFault::Expired, TlsFault::NotValidYet].iter().any(|fault| text.contains(&fault.to_string()))
}

/// Returns a text up to its first parenthesis. The details in parentheses may differ between hosts.
pub(crate) fn without_details(text: &str) -> &str {
    text.split(" (").next().unwrap_or_default()
}

/// Whether a site shows something else instead of its pages, such as a login or a consent dialog.
pub(crate) fn is_wall(reason: &str) -> bool {
    matches!(
        reason,
        "not_article: challenge"
            | "not_article: consent_wall"
            | "not_article: login_wall"
            | "not_article: needs_browser"
    )
}

/// Returns the command that shows more about a reason. For failed visits and walls, it sends a request.
pub(crate) fn command(host: &str, reason: &str) -> String {
    match is_wall(reason) || Class::from_reason(reason).is_some_and(Class::is_failure) {
        true => format!("gleaner doctor {host} --fetch"),
        false => format!("gleaner doctor {host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_explained_and_named() {
        for (reason, said) in [
            ("failed: dns", "the host's name cannot be resolved (failed: dns)"),
            ("rejected: http_403", "the site refuses the crawler (rejected: http_403)"),
            ("failed: http_502", "the server has an error (failed: http_502)"),
            ("too_large", "too_large"),
        ] {
            assert_eq!(explained(reason), said);
        }
        assert!(explained("failed: certificate_expired").contains("expired"));
        assert_eq!(command("a.example", "failed: dns"), "gleaner doctor a.example --fetch");
        assert_eq!(command("a.example", "duplicate"), "gleaner doctor a.example");
    }
}
