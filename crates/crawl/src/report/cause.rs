//! Compares causes, and names the command to run next. The texts that describe causes are in
//! `crate::explanation`.

use crate::render::language::Bilingual;
use gleaner_fetch::TlsFault;
use gleaner_frontier::OutcomeClass;

/// Whether a text names a certificate that has expired or is not valid yet. The clock may be wrong.
pub(crate) fn is_of_the_clock(text: &str) -> bool {
    [TlsFault::Expired, TlsFault::NotValidYet].iter().any(|fault| text.contains(&fault.to_string()))
}

/// Returns a text without details in parentheses, which may differ between hosts with the same problem.
pub(crate) fn without_details(text: &Bilingual) -> Bilingual {
    text.map(|text| text.split(" (").next().unwrap_or_default().to_owned())
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
    match is_wall(reason) || OutcomeClass::from_reason(reason).is_some_and(OutcomeClass::is_failure) {
        true => format!("gleaner doctor {host} --fetch"),
        false => format!("gleaner doctor {host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_sends_a_request_if_a_visit_failed() {
        assert_eq!(command("a.example", "failed: dns"), "gleaner doctor a.example --fetch");
        assert_eq!(command("a.example", "not_article: login_wall"), "gleaner doctor a.example --fetch");
        assert_eq!(command("a.example", "duplicate"), "gleaner doctor a.example");
    }
}
