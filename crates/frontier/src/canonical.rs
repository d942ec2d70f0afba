//! URL canonicalization: gives all spellings of an address one form.
//!
//! The steps, in this order: The WHATWG parser lower-cases the scheme and the host, converts an IDN to
//! A-labels, drops the default port and resolves dot segments. Then the fragment, one trailing dot of the
//! host (a host with more is refused), session ids and tracking parameters (listed in `tracking.rs`) are
//! removed. Then percent-encoding is normalized (RFC 3986, 6.2.2). The remaining query parameters keep their
//! order. Canonicalizing a canonical form does not change it.
//!
//! Some pairs are kept apart on purpose, since they may be two pages, or only one of them may respond: `www.`
//! and the bare domain, a mobile or AMP address and the plain one, with and without a final `/`, `//` and
//! `/`, `index.html` and its folder, upper and lower case in the path, the order of parameters, `+` and
//! `%20`. A page served under two such addresses costs one more fetch; its text hash makes it one document. A
//! page that exists only behind its fragment (`#!`) is lost.

use crate::{Refusal, UrlKey, host, percent, tracking};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use url::{Host, Position, Url};

/// Maximum length of a canonical form, in characters.
pub(crate) const MAX_LENGTH: usize = 1_024;
/// Maximum length of the input, in bytes; the parts that are dropped may be long.
const MAX_INPUT: usize = 16 * MAX_LENGTH;
const MAX_REPEATS: usize = 3;

/// The Public Suffix List that [`CanonicalUrl::domain`] uses, as the release of the library that contains it.
/// Programs with different lists see different registrable domains.
pub const PUBLIC_SUFFIX_LIST: &str = "psl 2.1.247";

/// The canonical form of an http or https address.
///
/// Equality compares the text, including the scheme. To compare pages, use [`CanonicalUrl::key`].
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
    /// Parses an absolute address and canonicalizes it.
    ///
    /// # Errors
    /// [`Refusal::NotHttp`], [`Refusal::Unparsable`] (also for relative addresses), [`Refusal::UserInfo`],
    /// [`Refusal::BadHost`] (an empty or overlong label, invalid characters), [`Refusal::TooLong`] (a
    /// canonical form of more than 1,024 characters), [`Refusal::RepeatedSegment`] (a path segment that
    /// occurs more than 3 times).
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::from_record(text)?.named()
    }

    /// Parses a stored canonical form. Earlier versions accepted hosts that are now [`Refusal::BadHost`];
    /// such records must stay readable, and a fetch of such a URL ends because its host cannot be found.
    ///
    /// # Errors
    /// Those of [`CanonicalUrl::parse`], except for the host's name.
    pub fn from_record(text: &str) -> Result<Self, Refusal> {
        let text = check_text(text)?;
        Self::canonicalise(Url::parse(text)?)
    }

    /// Resolves a link of this page. `href` is the attribute's value with entities decoded.
    ///
    /// # Errors
    /// Those of [`CanonicalUrl::parse`].
    pub fn join(&self, href: &str) -> Result<Self, Refusal> {
        let href = check_text(href)?;
        Self::canonicalise(self.url.join(href)?)?.named()
    }

    /// Resolves an address from a sitemap, a feed or a robots.txt. Their protocols require absolute
    /// addresses, but some are relative, and some lack the scheme (`www.example.com/a`); these get this
    /// page's scheme.
    ///
    /// # Errors
    /// Those of [`CanonicalUrl::parse`].
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

    /// The address to request.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The text that identifies the page: `host[:port]/path?query`, without the scheme.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.url[Position::BeforeHost..]
    }

    /// The key of the [identity](CanonicalUrl::identity).
    #[must_use]
    pub fn key(&self) -> UrlKey {
        UrlKey::from_identity(self.identity())
    }

    /// The host, with `:port` if it is not the default port. robots.txt and templates apply to this unit. An
    /// IPv6 address is in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// The registrable domain by the Public Suffix List, such as `bbc.co.uk`: the unit of scope and of shared
    /// gaps.
    ///
    /// An IP address and a single label are each their own domain and keep their port: each port of one
    /// machine may be another site.
    #[must_use]
    pub fn domain(&self) -> &str {
        match self.url.host() {
            Some(Host::Domain(name)) if name.contains('.') => {
                let name = &self.url[Position::BeforeHost..Position::AfterHost];
                host::registrable_domain(name).map_or(name, |(domain, _)| domain)
            }
            _ => self.host(),
        }
    }

    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }

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

/// Strips HTML whitespace. Refuses other schemes before it checks the length (`data:` links contain whole
/// pictures).
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
