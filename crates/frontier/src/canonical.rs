//! The one spelling of a page's address.
//!
//! In the order in which it is done: the WHATWG parser lower-cases scheme and host,
//! makes A-labels of an IDN, drops the default port and resolves dot segments; then
//! go the fragment, the host's trailing dot (one; more are no host name), session ids and tracking parameters
//! (listed in `tracking.rs`); then percent-encoding gets one spelling (RFC 3986, 6.2.2).
//! The order of what is left of the query is kept. Reading a canonical form gives
//! the same form.
//!
//! Deliberately not merged, since they may be two pages, or one answers and the
//! other does not: `www.` and the bare domain, a mobile or AMP address and the
//! plain one, with and without a final `/`, `//` and `/`, `index.html` and its
//! folder, upper and lower case in the path, the order of parameters, `+` and `%20`.
//! A page that is served under two of them costs one fetch more and becomes one
//! document by the hash of its text. A page that exists only behind
//! its fragment (`#!`) is lost.

use crate::{Refusal, UrlKey, host, percent, tracking};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use url::{Host, Position, Url};

/// Characters that a canonical form may have.
pub(crate) const MAX_LENGTH: usize = 1_024;
/// Characters of text that are looked at; what is dropped may be long.
const MAX_INPUT: usize = 16 * MAX_LENGTH;
/// Times that one segment may stand in a path.
const MAX_REPEATS: usize = 3;

/// The list of public suffixes by which [`CanonicalUrl::domain`] goes: the release of the library
/// that is made of it. Two programs with different lists see different registrable domains.
pub const PUBLIC_SUFFIX_LIST: &str = "psl 2.1.247";

/// The address of a page in its one spelling, over http or https.
///
/// Equality is of the text, scheme included; what is one page is said by
/// [`CanonicalUrl::key`].
///
/// ```
/// use gleaner_frontier::CanonicalUrl;
/// let a = CanonicalUrl::parse("HTTPS://VnExpress.net:443/x/../a%2dso.html?utm_source=b#c")?;
/// assert_eq!(a.as_str(), "https://vnexpress.net/a-so.html");
/// assert_eq!(a.key(), CanonicalUrl::parse("http://vnexpress.net/a-so.html")?.key());
/// assert_eq!(a.join("//e.vnexpress.net/b")?.domain(), "vnexpress.net");
/// # Ok::<(), gleaner_frontier::Refusal>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CanonicalUrl {
    url: Url,
}

impl CanonicalUrl {
    /// Reads an absolute address and makes it canonical.
    ///
    /// # Errors
    /// [`Refusal::NotHttp`], [`Refusal::Unparsable`] (relative ones, too),
    /// [`Refusal::UserInfo`], [`Refusal::BadHost`] (an empty or overlong label, characters
    /// that no host name has), [`Refusal::TooLong`] (the canonical form, 1,024 characters),
    /// [`Refusal::RepeatedSegment`] (a path segment more than 3 times).
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::from_record(text)?.named()
    }

    /// Reads a canonical form that was written before, perhaps by a version that took
    /// hosts for good which are now [`Refusal::BadHost`]: what is recorded must stay
    /// readable, and such a URL ends as one whose host cannot be found.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`], but for the host's name.
    pub fn from_record(text: &str) -> Result<Self, Refusal> {
        let text = check_text(text)?;
        Self::canonicalise(Url::parse(text)?)
    }

    /// Resolves a link of this page: `href` as it stands in the markup, with
    /// entities decoded.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`].
    pub fn join(&self, href: &str) -> Result<Self, Refusal> {
        let href = check_text(href)?;
        Self::canonicalise(self.url.join(href)?)?.named()
    }

    /// Resolves an address as a sitemap, a feed or a robots.txt states it: absolute by
    /// their protocols, but some are relative, and some lack the scheme
    /// (`www.example.com/a`) and get that of this page.
    ///
    /// # Errors
    /// As [`CanonicalUrl::parse`].
    pub fn join_location(&self, text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if host::has_scheme(text) {
            Self::parse(text)
        } else if host::forgotten_scheme(text, Some(self.domain())).is_some() {
            Self::parse(&format!("{}://{text}", self.url.scheme()))
        } else {
            self.join(text)
        }
    }

    /// The address for a request.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// What makes the page one: `host[:port]/path?query`, without the scheme.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.url[Position::BeforeHost..]
    }

    /// The key of the [identity](CanonicalUrl::identity).
    #[must_use]
    pub fn key(&self) -> UrlKey {
        UrlKey::of_identity(self.identity())
    }

    /// The host, with `:port` where it is not the default one: the unit of
    /// robots.txt and of templates. An IPv6 address stands in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// The registrable domain by the Public Suffix List, such as `bbc.co.uk`: the
    /// unit of scope and of shared gaps.
    ///
    /// An IP address and a single label are each their own domain, and keep their
    /// port: on one machine every port may be another site.
    #[must_use]
    pub fn domain(&self) -> &str {
        match self.url.host() {
            Some(Host::Domain(name)) if name.contains('.') => {
                let name = &self.url[Position::BeforeHost..Position::AfterHost];
                psl::domain_str(name).unwrap_or(name)
            }
            _ => self.host(),
        }
    }

    /// The path, from its first `/`.
    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }

    /// Refuses a host that is no host name.
    fn named(self) -> Result<Self, Refusal> {
        let objection = match self.url.host() {
            Some(Host::Domain(name)) => host::objection(name),
            _ => None,
        };
        objection.map_or(Ok(self), |reason| Err(Refusal::BadHost { reason }))
    }

    fn canonicalise(mut url: Url) -> Result<Self, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::NotHttp);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        url.set_fragment(None);
        strip_trailing_dot(&mut url)?;

        let path = tracking::clean_path(&percent::normalise(url.path()));
        if path != url.path() {
            url.set_path(&path);
        }
        let query = url.query().map(percent::normalise).map(|query| tracking::clean_query(&query));
        if let Some(query) = query.filter(|query| query.as_deref() != url.query()) {
            url.set_query(query.as_deref());
        }

        if url.as_str().len() > MAX_LENGTH {
            return Err(Refusal::TooLong { limit: MAX_LENGTH });
        }
        if repeats(url.path()) {
            return Err(Refusal::RepeatedSegment { limit: MAX_REPEATS });
        }
        Ok(Self { url })
    }
}

/// Strips HTML whitespace; refuses other schemes before their length is looked at
/// (`data:` links hold whole pictures).
fn check_text(text: &str) -> Result<&str, Refusal> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\u{c}']);
    let head = text.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some((scheme, _)) = head.split_once(':') {
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if is_scheme && !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(Refusal::NotHttp);
        }
    }
    if text.len() > MAX_INPUT {
        return Err(Refusal::TooLong { limit: MAX_LENGTH });
    }
    Ok(text)
}

/// `example.com.` names the same host as `example.com`.
fn strip_trailing_dot(url: &mut Url) -> Result<(), Refusal> {
    let Some(host) = url.host_str().map(|host| host.strip_suffix('.').unwrap_or(host).to_owned()) else {
        return Err(url::ParseError::EmptyHost.into());
    };
    if host.is_empty() {
        return Err(url::ParseError::EmptyHost.into());
    }
    if url.host_str() != Some(&host) {
        url.set_host(Some(&host))?;
    }
    Ok(())
}

fn repeats(path: &str) -> bool {
    let mut segments: Vec<&str> = path.split('/').skip(1).collect();
    segments.sort_unstable();
    segments.chunk_by(|a, b| a == b).any(|same| same.len() > MAX_REPEATS)
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CanonicalUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CanonicalUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_record(&text)
            .map_err(|refusal| de::Error::custom(format!("{text:?} is refused: {refusal}")))
    }
}

#[cfg(test)]
mod tests;
