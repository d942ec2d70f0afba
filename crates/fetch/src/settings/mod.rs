//! Settings for requests, and the units of all settings.

mod units;

pub use units::{ByteSize, DurationSetting, StartDay};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// Settings for requests: identity, politeness, limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FetchSettings {
    /// Minimum delay from the end of a response to the next request to the same registrable domain or host,
    /// see [`FetchSettings::gap_scope`]. A longer `Crawl-delay` in robots.txt overrides it.
    pub delay: DurationSetting,
    /// Which hosts share one delay between requests.
    pub gap_scope: GapScope,
    /// The maximum `Crawl-delay`. A longer `Crawl-delay` is reduced to it.
    pub max_crawl_delay: DurationSetting,
    /// The `User-Agent` header. Its part before the first `/` or space is the product token for robots.txt.
    pub user_agent: String,
    /// A mail address or web page for site owners. It is added to the user agent in parentheses. If empty,
    /// nothing is added.
    pub contact: String,
    /// HTTP proxy for all requests, such as `http://127.0.0.1:8090`. If empty, the environment variables
    /// `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` apply.
    pub proxy: String,
    /// Maximum number of requests in flight over all hosts.
    pub concurrency: usize,
    /// Time limit for a whole request: connecting, headers and body.
    pub timeout: DurationSetting,
    /// Time limit for opening a connection.
    pub connect_timeout: DurationSetting,
    /// Maximum size of a page, after decompression.
    pub max_page: ByteSize,
    /// Maximum size of a sitemap or feed, after decompression.
    pub max_sitemap: ByteSize,
    /// Maximum number of times that a failed URL is requested again.
    pub retries: u32,
    /// Delay before the first retry. It doubles with each further retry.
    pub retry_backoff: DurationSetting,
    /// Maximum number of redirects in a row.
    pub max_redirects: u32,
    /// Networks in CIDR form that may be requested even if they are loopback, private or link-local.
    pub allow_addresses: Vec<IpNet>,
}

/// The hosts that share one delay between requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GapScope {
    /// All hosts of a registrable domain share one delay.
    Domain,
    /// Each host has its own delay.
    Host,
}

impl GapScope {
    /// Returns the name of a host's group. All hosts of a group share one delay. `domain` is the host's
    /// registrable domain.
    ///
    /// ```
    /// use gleaner_fetch::settings::GapScope;
    ///
    /// assert_eq!(GapScope::Domain.group("paper.example", "www.paper.example"), "paper.example");
    /// assert_eq!(GapScope::Host.group("paper.example", "www.paper.example"), "www.paper.example");
    /// ```
    #[must_use]
    pub fn group<'n>(self, domain: &'n str, host: &'n str) -> &'n str {
        match self {
            Self::Domain => domain,
            Self::Host => host,
        }
    }
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            delay: DurationSetting::seconds(5),
            gap_scope: GapScope::Domain,
            max_crawl_delay: DurationSetting::seconds(120),
            user_agent: concat!("gleaner/", env!("CARGO_PKG_VERSION")).into(),
            contact: String::new(),
            proxy: String::new(),
            concurrency: 64,
            timeout: DurationSetting::seconds(60),
            connect_timeout: DurationSetting::seconds(15),
            max_page: ByteSize::mebibytes(5),
            max_sitemap: ByteSize::mebibytes(50),
            retries: 3,
            retry_backoff: DurationSetting::seconds(10),
            max_redirects: 5,
            allow_addresses: Vec::new(),
        }
    }
}

impl FetchSettings {
    /// Returns the `User-Agent` header with the contact (RFC 9110, 10.1.5).
    #[must_use]
    pub fn agent(&self) -> String {
        if self.contact.is_empty() {
            self.user_agent.clone()
        } else {
            format!("{} (+{})", self.user_agent, self.contact)
        }
    }

    /// Returns the product token for robots.txt (RFC 9309, 2.2.1).
    #[must_use]
    pub fn product(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }
}
