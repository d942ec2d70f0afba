//! Defines the reasons why a URL is not followed.
//!
//! Every refusal is counted by its [`Refusal::label`], so that the counts explain a site without documents. A
//! refusal depends on the URL alone, not on the server's response.

use thiserror::Error;

/// Why a URL is not followed. `Display` returns text for users.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// A scheme other than http and https, such as `mailto:` or `javascript:`.
    #[error("it is no http or https address")]
    NotHttp,
    /// Not a valid address by RFC 3986 and the WHATWG URL standard.
    #[error("it cannot be read as an address: {reason}")]
    Unparsable {
        /// The URL parser's message.
        reason: &'static str,
    },
    /// Its host cannot exist in DNS, such as `www..example.com`.
    #[error("its host is no host name: {reason}")]
    BadHost {
        /// What is wrong with the name.
        reason: &'static str,
    },
    /// Longer than real page addresses are; most of these are crawler traps.
    #[error("it is longer than {limit} characters")]
    TooLong {
        /// Characters allowed in the canonical form.
        limit: usize,
    },
    /// A path segment occurs too often, which is typical of relative links that resolve deeper and deeper.
    #[error("a part of its path is repeated more than {limit} times")]
    RepeatedSegment {
        /// How often one segment may occur in a path.
        limit: usize,
    },
    /// Too many links away from a seed. The crawl returns it, since it knows the path; it is defined here to
    /// keep all reasons in one list.
    #[error("it is more than {limit} links away from a seed")]
    TooDeep {
        /// Links allowed between a seed and a page.
        limit: u32,
    },
    /// Not on a registrable domain of the seeds.
    #[error("its site is none of the seeds")]
    OutOfScope,
    /// By its ending a picture, a video, a style sheet or a document.
    #[error("it ends in .{extension}, which is no web page")]
    NotAPage {
        /// The ending, lower-case, without the dot.
        extension: &'static str,
    },
    /// It contains a user name or a password, which no public page needs.
    #[error("it holds a user name or a password")]
    UserInfo,
}

impl Refusal {
    /// A stable code in `snake_case`, for counters and logs.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::NotHttp => "not_http",
            Self::Unparsable { .. } => "unparsable",
            Self::BadHost { .. } => "bad_host",
            Self::TooLong { .. } => "too_long",
            Self::RepeatedSegment { .. } => "repeated_segment",
            Self::TooDeep { .. } => "too_deep",
            Self::OutOfScope => "out_of_scope",
            Self::NotAPage { .. } => "not_a_page",
            Self::UserInfo => "user_info",
        }
    }
}

impl From<url::ParseError> for Refusal {
    fn from(error: url::ParseError) -> Self {
        use url::ParseError as E;
        let reason = match error {
            E::EmptyHost => "the host is empty",
            E::IdnaError | E::InvalidDomainCharacter => "the host name is not valid",
            E::InvalidPort => "the port is not a number up to 65535",
            E::InvalidIpv4Address | E::InvalidIpv6Address => "the IP address is not valid",
            E::RelativeUrlWithoutBase | E::RelativeUrlWithCannotBeABaseBase => {
                "the scheme and the host are missing"
            }
            E::Overflow => "it is too large",
            _ => "it is malformed",
        };
        Self::Unparsable { reason }
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;

    #[test]
    fn labels_are_snake_case_and_distinct() {
        let all = [
            Refusal::NotHttp,
            Refusal::Unparsable { reason: "" },
            Refusal::BadHost { reason: "" },
            Refusal::TooLong { limit: 1 },
            Refusal::RepeatedSegment { limit: 1 },
            Refusal::TooDeep { limit: 1 },
            Refusal::OutOfScope,
            Refusal::NotAPage { extension: "jpg" },
            Refusal::UserInfo,
        ];
        let labels: std::collections::BTreeSet<_> = all.iter().map(Refusal::label).collect();
        assert_eq!(labels.len(), all.len());
        assert!(labels.iter().all(|l| l.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
    }
}
