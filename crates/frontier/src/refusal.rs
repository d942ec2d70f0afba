//! Why a URL is not followed.
//!
//! Every refusal is counted under its [`Refusal::label`], so that a site with no
//! documents can be explained from the numbers. A refusal is a judgement about
//! the URL alone: what a server answers is judged elsewhere.

use thiserror::Error;

/// Why a URL is not followed. `Display` speaks to people.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// Another scheme than http and https, such as `mailto:` or `javascript:`.
    #[error("it is no http or https address")]
    NotHttp,
    /// RFC 3986 and the WHATWG URL standard make no address of it.
    #[error("it cannot be read as an address: {reason}")]
    Unparsable {
        /// What the URL parser objects to.
        reason: &'static str,
    },
    /// Its host is none that DNS could know, such as `www..example.com`.
    #[error("its host is no host name: {reason}")]
    BadHost {
        /// What is wrong with the name.
        reason: &'static str,
    },
    /// Longer than a page's address is in practice; most such are traps.
    #[error("it is longer than {limit} characters")]
    TooLong {
        /// Characters allowed in the canonical form.
        limit: usize,
    },
    /// A path segment stands too often in it, the mark of relative links that
    /// resolve deeper and deeper.
    #[error("a part of its path is repeated more than {limit} times")]
    RepeatedSegment {
        /// Times that one segment may stand in a path.
        limit: usize,
    },
    /// Found too many links away from a seed. Made by the crawl, which knows the
    /// way; here for the sake of one list of reasons.
    #[error("it is more than {limit} links away from a seed")]
    TooDeep {
        /// Links allowed between a seed and a page.
        limit: u32,
    },
    /// On no registrable domain of the seeds.
    #[error("its site is none of the seeds")]
    OutOfScope,
    /// A picture, a film, a style sheet, a document: told by its ending.
    #[error("it ends in .{extension}, which is no web page")]
    NotAPage {
        /// The ending, lower-case, without the dot.
        extension: &'static str,
    },
    /// It carries a user name or a password, which no public page needs.
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
