//! Defines the outcomes: all ways in which a visit of a URL can end.
//!
//! Counters, logs, the summary of a run and the status page use these outcomes. A URL without an outcome is
//! still in the frontier.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::UrlKey;

/// How one visit of a URL ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// An article whose text is now in the corpus under this URL.
    Stored,
    /// An article whose text is already in the corpus under another URL.
    Duplicate {
        /// The URL under which the text was stored first.
        of: UrlKey,
    },
    /// An article whose text is similar to that of another document. It is in the corpus under this URL and
    /// joins the other document's cluster.
    NearDuplicate {
        /// The URL of the cluster's representative at the time of the visit.
        of: UrlKey,
        /// Estimated similarity to the representative, in percent.
        similarity: u8,
    },
    /// A page that is not an article. Its links were extracted.
    NotArticle {
        /// The label of the reason, such as `hub`.
        reason: String,
    },
    /// A front page, section, feed or sitemap whose links were extracted.
    Listing,
    /// The URL has the same content as at the last visit.
    Unchanged,
    /// The URL redirects to a different URL, which has its own outcome.
    Redirected {
        /// The target.
        to: String,
    },
    /// The URL redirects to a URL that the crawl does not fetch.
    RedirectRefused {
        /// The target.
        to: String,
        /// The label of the reason, such as `out_of_scope`.
        reason: String,
    },
    /// robots.txt disallows the URL.
    Disallowed {
        /// The rule that matched.
        rule: String,
    },
    /// The page was not found (404 or 410).
    Gone {
        /// The HTTP status.
        status: u16,
    },
    /// The server refused the request with a 4xx status other than 404 and 410.
    Rejected {
        /// The HTTP status.
        status: u16,
    },
    /// The response is larger than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The response has an unsupported type.
    WrongType {
        /// The media type that the server sent.
        content_type: String,
    },
    /// The address is loopback, private or otherwise not on the public internet.
    PrivateAddress,
    /// The response cannot be parsed as its expected type, for example because a sitemap is broken.
    Unreadable {
        /// The error.
        reason: String,
    },
    /// All attempts failed.
    Failed {
        /// The label of the last failure, such as `timeout` or `http_500`.
        reason: String,
    },
    /// An article that is not stored because of its language (`corpus.languages`).
    OtherLanguage {
        /// The primary language tag, such as `en`.
        language: String,
    },
    /// An article that is not stored because its measured values do not meet a condition (`corpus.keep_if`).
    Filtered {
        /// The condition that the article does not meet.
        condition: String,
    },
    /// An article that was already in the corpus and whose text has changed. The document has a new revision.
    Revised,
    /// The replayed archive contains only a part of the response.
    Truncated {
        /// The label of the reason. The archive states `length`, `time`, `disconnect`, `unspecified` or
        /// `segmented`. The response itself shows `partial_content`, `content_length`, `coding` or `html`.
        reason: String,
    },
    /// The settings exclude the URL from fetching, or the article from the corpus.
    Excluded {
        /// The rule, such as `published before 2026-01-01`.
        rule: String,
    },
}

/// The class of an outcome. The report, tables, progress line and status page count outcomes by class, so
/// that a word such as "failed" has one meaning everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeClass {
    /// The text is in the corpus under this URL.
    Stored,
    /// The same or nearly the same text was already in the corpus.
    Duplicate,
    /// The page is not an article, or the response is not a page.
    NotArticle,
    /// A URL or an article that the settings exclude from the corpus.
    Excluded,
    /// A front page, section, feed or sitemap with extracted links, or an unchanged page.
    Listing,
    /// The URL redirects to another URL, which is visited instead.
    Redirected,
    /// The URL redirects to a URL that the crawl does not visit.
    RedirectRefused,
    /// robots.txt disallows the URL.
    Disallowed,
    /// The page does not exist (404 or 410).
    Gone,
    /// There was no HTTP response.
    Unreachable,
    /// There was an unusable response.
    Failed,
}

impl OutcomeClass {
    /// Returns the class of an outcome from its [`Outcome::reason`] or [`Outcome::label`], or `None` if the
    /// label is unknown.
    #[must_use]
    pub fn from_reason(reason: &str) -> Option<Self> {
        let (label, detail) = reason.split_once(": ").unwrap_or((reason, ""));
        Some(match label {
            "stored" | "revised" => Self::Stored,
            "duplicate" | "near_duplicate" => Self::Duplicate,
            "not_article" | "wrong_type" => Self::NotArticle,
            "other_language" | "filtered" | "excluded" => Self::Excluded,
            "listing" | "unchanged" => Self::Listing,
            "redirected" => Self::Redirected,
            "redirect_refused" => Self::RedirectRefused,
            "disallowed" => Self::Disallowed,
            "gone" => Self::Gone,
            "private_address" => Self::Unreachable,
            "failed" if is_without_response(detail) => Self::Unreachable,
            "failed" | "rejected" | "unreadable" | "too_large" | "truncated" => Self::Failed,
            _ => return None,
        })
    }

    /// Whether the visit failed. A missing page is not a failure, because links to missing pages are common.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Unreachable | Self::Failed)
    }

    /// Whether a URL with an outcome of this class could be the URL of an article.
    #[must_use]
    pub const fn is_of_page(self) -> bool {
        !matches!(self, Self::Listing | Self::Redirected | Self::Disallowed)
    }
}

fn is_without_response(label: &str) -> bool {
    matches!(label, "dns" | "connect" | "timeout" | "bad_proxy" | "bad_url" | "no_file" | "tls")
        || label.starts_with("tls_")
        || label.starts_with("certificate_")
}

impl Outcome {
    /// The labels of all outcomes, in the order of the variants.
    pub const LABELS: [&str; 21] = [
        "stored",
        "duplicate",
        "near_duplicate",
        "not_article",
        "listing",
        "unchanged",
        "redirected",
        "redirect_refused",
        "disallowed",
        "gone",
        "rejected",
        "too_large",
        "wrong_type",
        "private_address",
        "unreadable",
        "failed",
        "other_language",
        "filtered",
        "revised",
        "truncated",
        "excluded",
    ];

    /// Returns the class for counts.
    #[must_use]
    pub fn class(&self) -> OutcomeClass {
        match self {
            Self::Stored | Self::Revised => OutcomeClass::Stored,
            Self::Duplicate { .. } | Self::NearDuplicate { .. } => OutcomeClass::Duplicate,
            Self::NotArticle { .. } | Self::WrongType { .. } => OutcomeClass::NotArticle,
            Self::OtherLanguage { .. } | Self::Filtered { .. } | Self::Excluded { .. } => {
                OutcomeClass::Excluded
            }
            Self::Listing | Self::Unchanged => OutcomeClass::Listing,
            Self::Redirected { .. } => OutcomeClass::Redirected,
            Self::RedirectRefused { .. } => OutcomeClass::RedirectRefused,
            Self::Disallowed { .. } => OutcomeClass::Disallowed,
            Self::Gone { .. } => OutcomeClass::Gone,
            Self::PrivateAddress => OutcomeClass::Unreachable,
            Self::Failed { reason } if is_without_response(reason) => OutcomeClass::Unreachable,
            Self::Failed { .. }
            | Self::Rejected { .. }
            | Self::Unreadable { .. }
            | Self::TooLarge { .. }
            | Self::Truncated { .. } => OutcomeClass::Failed,
        }
    }

    /// Returns a stable label for counters: `stored`, `failed`, ...
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Duplicate { .. } => "duplicate",
            Self::NearDuplicate { .. } => "near_duplicate",
            Self::NotArticle { .. } => "not_article",
            Self::Listing => "listing",
            Self::Unchanged => "unchanged",
            Self::Redirected { .. } => "redirected",
            Self::RedirectRefused { .. } => "redirect_refused",
            Self::Disallowed { .. } => "disallowed",
            Self::Gone { .. } => "gone",
            Self::Rejected { .. } => "rejected",
            Self::TooLarge { .. } => "too_large",
            Self::WrongType { .. } => "wrong_type",
            Self::PrivateAddress => "private_address",
            Self::Unreadable { .. } => "unreadable",
            Self::Failed { .. } => "failed",
            Self::OtherLanguage { .. } => "other_language",
            Self::Filtered { .. } => "filtered",
            Self::Revised => "revised",
            Self::Truncated { .. } => "truncated",
            Self::Excluded { .. } => "excluded",
        }
    }

    /// Returns the label. If a label has several reasons, appends the reason, as in `failed: timeout`. The
    /// number of distinct values is limited, so they can be counted.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::NotArticle { reason }
            | Self::RedirectRefused { reason, .. }
            | Self::Failed { reason }
            | Self::Truncated { reason } => {
                format!("{}: {reason}", self.label())
            }
            Self::OtherLanguage { language: what }
            | Self::Filtered { condition: what }
            | Self::Excluded { rule: what } => format!("{}: {what}", self.label()),
            Self::Gone { status } | Self::Rejected { status } => format!("{}: http_{status}", self.label()),
            Self::Stored
            | Self::Revised
            | Self::Duplicate { .. }
            | Self::NearDuplicate { .. }
            | Self::Listing
            | Self::Unchanged
            | Self::Redirected { .. }
            | Self::Disallowed { .. }
            | Self::TooLarge { .. }
            | Self::WrongType { .. }
            | Self::PrivateAddress
            | Self::Unreadable { .. } => self.label().into(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored => f.write_str("stored"),
            Self::Revised => f.write_str("stored as a new revision, its text has changed"),
            Self::Duplicate { of } => write!(f, "duplicate of document {of}"),
            Self::NearDuplicate { of, similarity } => {
                let similarity = f64::from(*similarity) / 100.0;
                write!(f, "stored; near-duplicate of document {of}, similarity {similarity:.2}")
            }
            Self::NotArticle { reason } => write!(f, "no article: {reason}"),
            Self::Listing => f.write_str("read for its links"),
            Self::Unchanged => f.write_str("unchanged since the last visit"),
            Self::Redirected { to } => write!(f, "redirected to {to}"),
            Self::RedirectRefused { to, reason } => {
                write!(f, "redirected to {to}, which is not followed: {reason}")
            }
            Self::Disallowed { rule } => write!(f, "forbidden by robots.txt: {rule}"),
            Self::Gone { status } => write!(f, "not found: HTTP {status}"),
            Self::Rejected { status } => write!(f, "refused by the server: HTTP {status}"),
            Self::TooLarge { limit } => write!(f, "larger than the limit of {limit} bytes"),
            Self::WrongType { content_type } => write!(f, "not a page but {content_type}"),
            Self::PrivateAddress => f.write_str("its address is not on the public internet"),
            Self::Unreadable { reason } => write!(f, "cannot be read: {reason}"),
            Self::Truncated { reason } => write!(f, "only a part of it is in the archive: {reason}"),
            Self::OtherLanguage { language } => write!(f, "kept out: its language is {language}"),
            Self::Filtered { condition } => write!(f, "kept out: {condition} does not hold"),
            Self::Excluded { rule } => write!(f, "kept out by the settings: {rule}"),
            Self::Failed { reason } => write!(f, "all attempts failed, the last with: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes() -> Vec<Outcome> {
        let of = UrlKey::from_bytes([0; 16]);
        let text = || String::from("x");
        let failed = |reason: &str| Outcome::Failed { reason: reason.into() };
        vec![
            Outcome::Stored,
            Outcome::Revised,
            Outcome::Duplicate { of },
            Outcome::NearDuplicate { of, similarity: 90 },
            Outcome::NotArticle { reason: "hub".into() },
            Outcome::Listing,
            Outcome::Unchanged,
            Outcome::Redirected { to: text() },
            Outcome::RedirectRefused { to: text(), reason: "out_of_scope".into() },
            Outcome::Disallowed { rule: text() },
            Outcome::Gone { status: 404 },
            Outcome::Rejected { status: 403 },
            Outcome::TooLarge { limit: 1 },
            Outcome::WrongType { content_type: text() },
            Outcome::PrivateAddress,
            Outcome::Unreadable { reason: text() },
            Outcome::Truncated { reason: "length".into() },
            Outcome::OtherLanguage { language: "de".into() },
            Outcome::Filtered { condition: "words >= 50".into() },
            Outcome::Excluded { rule: "outside sections".into() },
            failed("timeout"),
            failed("certificate_expired"),
            failed("http_500"),
        ]
    }

    #[test]
    fn the_class_of_a_counted_reason_is_that_of_its_outcome() {
        for outcome in outcomes() {
            assert_eq!(OutcomeClass::from_reason(&outcome.reason()), Some(outcome.class()), "{outcome:?}");
        }
        assert_eq!(OutcomeClass::from_reason("what"), None);
    }

    #[test]
    fn the_labels_are_those_of_all_outcomes() {
        let labels: std::collections::BTreeSet<&str> = outcomes().iter().map(Outcome::label).collect();
        assert_eq!(labels, Outcome::LABELS.into());
    }

    #[test]
    fn a_refusal_is_a_failure_and_a_missing_page_is_not() {
        let failures: Vec<String> =
            outcomes().iter().filter(|it| it.class().is_failure()).map(Outcome::reason).collect();
        assert_eq!(
            failures,
            [
                "rejected: http_403",
                "too_large",
                "private_address",
                "unreadable",
                "truncated: length",
                "failed: timeout",
                "failed: certificate_expired",
                "failed: http_500"
            ]
        );
    }
}
