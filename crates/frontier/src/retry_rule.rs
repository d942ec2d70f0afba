//! Decides whether a page that gave no text is visited again in a later run.
//!
//! One bad night must not cost an article. Therefore an outcome is final only if it says something about the
//! page itself, such as "the page is a hub" or 410. All other outcomes may be those of a server in trouble.
//!
//! * The request failed, the server reported an error of its own, or the site asked for consent instead: the page
//!   is visited again after a pause. A consent dialog replaces the lists too, and when it is gone, they may no longer
//!   name the page.
//! * There was a response, but not the page: a 404, a refusal, a bot check, an empty page, a redirect to
//!   something that is no article. Dead links answer like that for ever. So the page is visited again only if
//!   a list still names it after the pause.
//!
//! [`RevisitSchedule::after_failure`](crate::RevisitSchedule::after_failure) has the pauses, and ends the
//! attempts after some days.
//!
//! The rule is for pages. Front pages, sections, feeds and sitemaps are always visited again.

use crate::Outcome;

/// The reason of [`Outcome::RedirectRefused`] for a URL after too many redirects in a row.
pub const TOO_MANY_REDIRECTS: &str = "too_many_redirects";

const CONSENT_WALL: &str = "consent_wall";

/// Whether a later run visits a page again because of the outcome of its last visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryRule {
    /// The page is visited again after a pause.
    AfterPause,
    /// The page is visited again if a front page, section, feed or sitemap names it after a pause. After a
    /// redirect, this holds only if the target turned out not to be an article, and the redirects have an end.
    WhenListed,
    /// The outcome is final.
    Never,
}

impl Outcome {
    /// Returns the rule for a page with this outcome.
    ///
    /// ```
    /// use gleaner_frontier::{Outcome, RetryRule};
    ///
    /// assert_eq!(Outcome::Failed { reason: "http_500".into() }.retry_rule(), RetryRule::AfterPause);
    /// assert_eq!(Outcome::Gone { status: 404 }.retry_rule(), RetryRule::WhenListed);
    /// assert_eq!(Outcome::Gone { status: 410 }.retry_rule(), RetryRule::Never);
    /// ```
    #[must_use]
    pub fn retry_rule(&self) -> RetryRule {
        match self {
            Self::Failed { .. } => RetryRule::AfterPause,
            Self::NotArticle { reason } if reason == CONSENT_WALL => RetryRule::AfterPause,
            // The server states that the page was removed for ever.
            Self::Gone { status: 410 } => RetryRule::Never,
            Self::RedirectRefused { reason, .. } if reason == TOO_MANY_REDIRECTS => RetryRule::Never,
            Self::Gone { .. }
            | Self::Rejected { .. }
            // During maintenance, some sites redirect all pages to their front page or to a notice.
            | Self::Redirected { .. }
            | Self::RedirectRefused { .. }
            | Self::Unreadable { .. }
            | Self::Truncated { .. }
            // Some servers report an error as JSON or plain text, with status 200.
            | Self::WrongType { .. }
            // A resolver in trouble, or the log-in page of a network, may give any address.
            | Self::PrivateAddress
            // The site may change its robots.txt.
            | Self::Disallowed { .. } => RetryRule::WhenListed,
            Self::NotArticle { reason } if is_instead_of_page(reason) => RetryRule::WhenListed,
            Self::Stored
            | Self::Duplicate { .. }
            | Self::NearDuplicate { .. }
            | Self::Revised
            | Self::Unchanged
            | Self::Listing
            | Self::NotArticle { .. }
            | Self::TooLarge { .. }
            | Self::OtherLanguage { .. }
            | Self::Filtered { .. }
            | Self::Excluded { .. } => RetryRule::Never,
        }
    }
}

/// Whether pages with this [`Outcome::reason`] wait for a list to name them again ([`RetryRule::WhenListed`]).
/// Redirects and URLs that robots.txt disallows do not count, because most of them remain as they are.
#[must_use]
pub fn waits_for_list(reason: &str) -> bool {
    match reason.split_once(": ").unwrap_or((reason, "")) {
        ("gone", status) => status != "http_410",
        ("redirect_refused", reason) => reason != TOO_MANY_REDIRECTS,
        ("rejected" | "unreadable" | "truncated" | "wrong_type" | "private_address", _) => true,
        ("not_article", detail) => is_instead_of_page(detail),
        _ => false,
    }
}

/// Whether sites show such a page instead of an article when they are in trouble or suspect a bot, for example
/// a notice of maintenance. A log-in page is the decision of the site, and remains.
fn is_instead_of_page(reason: &str) -> bool {
    matches!(reason, "challenge" | "needs_browser" | "not_found" | "nearly_empty" | "no_text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_waits_for_a_list_if_its_outcome_does() {
        let text = || String::from("x");
        for outcome in [
            Outcome::Gone { status: 404 },
            Outcome::Gone { status: 410 },
            Outcome::Rejected { status: 403 },
            Outcome::RedirectRefused { to: text(), reason: "out_of_scope".into() },
            Outcome::RedirectRefused { to: text(), reason: TOO_MANY_REDIRECTS.into() },
            Outcome::Unreadable { reason: text() },
            Outcome::Truncated { reason: "length".into() },
            Outcome::PrivateAddress,
            Outcome::WrongType { content_type: text() },
            Outcome::NotArticle { reason: "challenge".into() },
            Outcome::NotArticle { reason: CONSENT_WALL.into() },
            Outcome::NotArticle { reason: "hub".into() },
            Outcome::Failed { reason: "timeout".into() },
            Outcome::Stored,
            Outcome::Listing,
        ] {
            let expected = outcome.retry_rule() == RetryRule::WhenListed;
            assert_eq!(waits_for_list(&outcome.reason()), expected, "{outcome:?}");
        }
    }

    #[test]
    fn walls_and_empty_pages_are_retried_and_hubs_are_not() {
        let rule = |reason: &str| Outcome::NotArticle { reason: reason.into() }.retry_rule();
        assert_eq!(rule(CONSENT_WALL), RetryRule::AfterPause);
        for reason in ["challenge", "needs_browser", "not_found", "nearly_empty", "no_text"] {
            assert_eq!(rule(reason), RetryRule::WhenListed, "{reason}");
        }
        for reason in ["hub", "listing", "gallery", "login_wall", "too_little_text", "shop"] {
            assert_eq!(rule(reason), RetryRule::Never, "{reason}");
        }
    }
}
