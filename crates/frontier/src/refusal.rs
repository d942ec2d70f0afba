//! Defines the reasons why a URL is not followed.
//!
//! Every refusal is counted by its [`UrlRefusal::label`]. The counts explain why a site has no documents. A
//! refusal depends on the URL alone and not on a response.

use std::borrow::Cow;

use thiserror::Error;

/// Why a URL is not followed. `Display` returns text for users.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
pub enum UrlRefusal {
    /// A scheme other than http and https, such as `mailto:` or `javascript:`.
    #[error("not an http or https URL")]
    NotHttp,
    /// The text is not a valid address by RFC 3986 and the WHATWG URL standard.
    #[error("it cannot be read as an address: {reason}")]
    Unparsable {
        /// What is wrong with the address, in words for users.
        reason: &'static str,
    },
    /// The host cannot exist in DNS, such as `www..example.com`.
    #[error("its host is not a valid host name: {reason}")]
    BadHost {
        /// What is wrong with the name, in words for users.
        reason: &'static str,
    },
    /// The address is longer than usual page addresses. Most such addresses belong to crawler traps.
    #[error("it is longer than {limit} characters")]
    TooLong {
        /// The maximum length of the canonical form, in characters.
        limit: usize,
    },
    /// A path segment occurs too often. This happens if relative links resolve to ever deeper paths.
    #[error("a part of its path is repeated more than {limit} times")]
    RepeatedSegment {
        /// Maximum number of times that one segment may occur in a path.
        limit: usize,
    },
    /// The URL is too many links away from a seed. Only the crawl returns this refusal, because it knows
    /// through which links a URL was found. It is defined here so that all refusals are in one list.
    #[error("it is more than {limit} links away from a seed")]
    TooDeep {
        /// The maximum number of links between a seed and a page.
        limit: u32,
    },
    /// The URL is not on a registrable domain of the seeds.
    #[error("its site is not one of the seeds")]
    OutOfScope,
    /// The file extension does not belong to a web page, such as `jpg`, `mp4`, `css` or `pdf`.
    #[error("it ends in .{extension}, which is not a web page")]
    NotAPage {
        /// The file extension in lower case, without the dot.
        extension: &'static str,
    },
    /// The user's settings exclude the URL.
    #[error("the settings exclude it: {rule}")]
    Excluded {
        /// The rule, such as `outside sections`.
        rule: String,
    },
    /// The address contains a user name or a password, which no public page needs.
    #[error("it contains a user name or a password")]
    UserInfo,
}

impl UrlRefusal {
    /// Returns one refusal of each kind, with example details. Tests use this list to cover all kinds.
    #[must_use]
    pub fn one_of_each() -> [Self; 10] {
        [
            Self::NotHttp,
            Self::Unparsable { reason: "" },
            Self::BadHost { reason: "" },
            Self::TooLong { limit: 1 },
            Self::RepeatedSegment { limit: 1 },
            Self::TooDeep { limit: 1 },
            Self::OutOfScope,
            Self::NotAPage { extension: "jpg" },
            Self::UserInfo,
            Self::Excluded { rule: "outside sections".into() },
        ]
    }

    /// Returns the label for counters and logs: the code and, if the settings exclude the URL, also the rule,
    /// as in `excluded: outside sections`.
    #[must_use]
    pub fn label(&self) -> Cow<'static, str> {
        match self {
            Self::Excluded { rule } => format!("{}: {rule}", self.code()).into(),
            _ => self.code().into(),
        }
    }

    /// Returns a stable code in `snake_case`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
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
            Self::Excluded { .. } => "excluded",
        }
    }
}

impl From<url::ParseError> for UrlRefusal {
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
    use super::UrlRefusal;

    #[test]
    fn labels_are_snake_case_and_distinct() {
        let all = UrlRefusal::one_of_each();
        let labels: std::collections::BTreeSet<_> = all.iter().map(UrlRefusal::label).collect();
        assert_eq!(labels.len(), all.len());
        let codes = labels.iter().map(|label| label.split(": ").next().unwrap());
        assert!(codes.flat_map(str::bytes).all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
        assert!(labels.contains("excluded: outside sections"));
    }
}
