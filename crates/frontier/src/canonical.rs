//! Canonicalizes URLs: all spellings of an address get one form.
//!
//! 1. The WHATWG parser converts the scheme and the host to lower case, converts an IDN to A-labels, drops
//!    the default port and resolves dot segments.
//! 2. The fragment and one trailing dot of the host are removed. A host with several trailing dots is
//!    refused.
//! 3. Percent-encoding is normalized (RFC 3986, 6.2.2). Session ids and tracking parameters are removed
//!    (`tracking.rs`). The other query parameters keep their order.
//!
//! Canonicalizing a canonical form does not change it.
//!
//! Some similar addresses stay distinct, because they may lead to different pages, or because a server may
//! respond to only one of them: `www.` and the bare domain, a mobile or AMP address and the plain one,
//! addresses with and without a final `/`, `//` and `/`, `index.html` and its folder, upper and lower case in
//! the path, different orders of parameters, `+` and `%20`. A page with two addresses is fetched twice but
//! becomes one document, because its content hash is the same. A page that depends on the fragment (`#!`) is
//! lost.

use crate::{UrlKey, UrlRefusal, host, pattern, percent, tracking};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};
use url::{Host, Position, Url};

pub(crate) const MAX_LENGTH: usize = 1_024;
/// Maximum length of the input in bytes. It is larger than [`MAX_LENGTH`], because removed parts may be long.
const MAX_INPUT: usize = 16 * MAX_LENGTH;
const MAX_REPEATS: usize = 3;

/// The library release that contains the Public Suffix List for [`CanonicalUrl::domain`]. Registrable domains
/// depend on this list.
pub const PUBLIC_SUFFIX_LIST: &str = "psl 2.1.247";

/// The canonical form of an http or https address. Clones are cheap, and share computed values.
///
/// Equality includes the scheme. To check whether two URLs identify the same page, compare
/// [`CanonicalUrl::key`].
///
/// ```
/// use gleaner_frontier::CanonicalUrl;
/// let a = CanonicalUrl::parse("HTTPS://VnExpress.net:443/x/../a%2dso.html?utm_source=b#c")?;
/// assert_eq!(a.as_str(), "https://vnexpress.net/a-so.html");
/// assert_eq!(a.key(), CanonicalUrl::parse("http://vnexpress.net/a-so.html")?.key());
/// assert_eq!(a.join("//e.vnexpress.net/b")?.domain(), "vnexpress.net");
/// # Ok::<(), gleaner_frontier::UrlRefusal>(())
/// ```
#[derive(Clone)]
pub struct CanonicalUrl {
    shared: Arc<Shared>,
}

struct Shared {
    url: Url,
    key: UrlKey,
    /// The position of the registrable domain in the host. `None` if the whole host with its port is the
    /// domain.
    domain: Option<usize>,
    is_article_like: OnceLock<bool>,
}

impl CanonicalUrl {
    /// Parses an absolute address and canonicalizes it.
    ///
    /// # Errors
    /// [`UrlRefusal::NotHttp`], [`UrlRefusal::Unparsable`] (also for relative addresses),
    /// [`UrlRefusal::UserInfo`], [`UrlRefusal::BadHost`] (an empty or overlong label, invalid characters),
    /// [`UrlRefusal::TooLong`] (a canonical form of more than 1,024 characters),
    /// [`UrlRefusal::RepeatedSegment`] (a path segment that occurs more than 3 times).
    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        Self::from_record(text)?.named()
    }

    /// Parses a stored canonical form. Earlier versions accepted hosts for which [`CanonicalUrl::parse`] now
    /// returns [`UrlRefusal::BadHost`], and their records must remain readable. A request for such a URL
    /// fails, because its host cannot be resolved.
    ///
    /// # Errors
    /// As in [`CanonicalUrl::parse`], except [`UrlRefusal::BadHost`].
    pub fn from_record(text: &str) -> Result<Self, UrlRefusal> {
        let text = check_text(text)?;
        Self::canonicalise(Url::parse(text)?)
    }

    /// Returns the host that a user names: the host itself, or a URL of the host.
    ///
    /// ```
    /// use gleaner_frontier::CanonicalUrl;
    /// assert_eq!(CanonicalUrl::host_named("BBC.co.uk").unwrap(), "bbc.co.uk");
    /// assert_eq!(CanonicalUrl::host_named("https://VnExpress.net/thoi-su?a=1").unwrap(), "vnexpress.net");
    /// ```
    ///
    /// # Errors
    /// As in [`CanonicalUrl::parse`], if the text is a URL.
    pub fn host_named(text: &str) -> Result<String, UrlRefusal> {
        if !text.contains("://") {
            return Ok(text.to_ascii_lowercase());
        }
        Ok(Self::parse(text)?.host().to_owned())
    }

    /// Resolves a link on this page. `href` is the attribute's value with decoded entities.
    ///
    /// # Errors
    /// As in [`CanonicalUrl::parse`].
    pub fn join(&self, href: &str) -> Result<Self, UrlRefusal> {
        let href = check_text(href)?;
        Self::canonicalise(self.shared.url.join(href)?)?.named()
    }

    /// Resolves an address that a sitemap, feed or robots.txt at this URL contains. The protocols require
    /// absolute addresses, but some sites write relative addresses or omit the scheme (`www.example.com/a`).
    /// If the scheme is missing, this URL's scheme is used.
    ///
    /// # Errors
    /// As in [`CanonicalUrl::parse`].
    pub fn join_location(&self, text: &str) -> Result<Self, UrlRefusal> {
        let text = text.trim();
        if host::has_scheme(text) {
            Self::parse(text)
        } else if host::forgotten_scheme(text, Some(self.domain())).is_some() {
            Self::parse(&format!("{}://{text}", self.shared.url.scheme()))
        } else {
            self.join(text)
        }
    }

    /// Returns the address to request.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.shared.url
    }

    /// Returns the whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.shared.url.as_str()
    }

    /// Returns the text that identifies the page: `host[:port]/path?query`, without the scheme.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.shared.url[Position::BeforeHost..]
    }

    /// Returns the key of the [identity](CanonicalUrl::identity).
    #[must_use]
    pub fn key(&self) -> UrlKey {
        self.shared.key
    }

    /// Returns the host, with `:port` unless the port is the default. An IPv6 address is in brackets. Each
    /// distinct value has its own robots.txt and template.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.shared.url[Position::BeforeHost..Position::AfterPort]
    }

    /// Returns the registrable domain by the Public Suffix List, such as `bbc.co.uk`. A scope consists of
    /// such domains. By default, the delay between requests also applies per domain. An IP address or a
    /// single label counts as its own domain, together with its port, because each port may be a different
    /// site.
    #[must_use]
    pub fn domain(&self) -> &str {
        let name = &self.shared.url[Position::BeforeHost..Position::AfterHost];
        self.shared.domain.map_or_else(|| self.host(), |at| &name[at..])
    }

    /// Returns the pattern of the path and of the parameters' names, such as `/calendar/#/#` or
    /// `/list?page`. URLs of one kind of page usually have the same pattern. A first path segment that is a
    /// word stays as it is, unless `is_coarse` is set. The pattern has at most 250 bytes, and only visible
    /// ASCII characters.
    #[must_use]
    pub fn pattern(&self, is_coarse: bool) -> String {
        pattern::pattern(self, !is_coarse)
    }

    /// Returns the names and values of the query parameters, as they are written. Omits parameters whose name
    /// is long or has unusual characters.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        let parts = self.shared.url.query().unwrap_or_default().split('&');
        let pairs = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
        pairs.filter(|(name, _)| pattern::is_parameter_name(name))
    }

    /// Returns the URL without a query parameter. Returns `None` if the URL does not have this parameter.
    #[must_use]
    pub fn without_parameter(&self, name: &str) -> Option<Self> {
        let is_other = |part: &&str| part.split('=').next() != Some(name);
        let query = self.shared.url.query()?;
        let kept: Vec<&str> = query.split('&').filter(is_other).collect();
        if kept.len() == query.split('&').count() {
            return None;
        }
        let mut url = self.shared.url.clone();
        url.set_query(Some(kept.join("&")).filter(|query| !query.is_empty()).as_deref());
        Some(Self::new(url))
    }

    /// Returns whether the address looks like an article. The first call computes this with `compute`.
    pub(crate) fn is_article_like(&self, compute: impl FnOnce() -> bool) -> bool {
        *self.shared.is_article_like.get_or_init(compute)
    }

    pub(crate) fn path(&self) -> &str {
        self.shared.url.path()
    }

    fn named(self) -> Result<Self, UrlRefusal> {
        let objection = match self.shared.url.host() {
            Some(Host::Domain(name)) => host::invalid_reason(name),
            _ => None,
        };
        objection.map_or(Ok(self), |reason| Err(UrlRefusal::BadHost { reason }))
    }

    fn canonicalise(mut url: Url) -> Result<Self, UrlRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlRefusal::NotHttp);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefusal::UserInfo);
        }
        if url.fragment().is_some() {
            url.set_fragment(None);
        }
        strip_trailing_dot(&mut url)?;

        if url.path().contains(['%', ';']) {
            let path = tracking::clean_path(&percent::normalise(url.path()));
            if path != url.path() {
                url.set_path(&path);
            }
        }
        let query = url.query().map(percent::normalise).map(|query| tracking::clean_query(&query));
        if let Some(query) = query.filter(|query| query.as_deref() != url.query()) {
            url.set_query(query.as_deref());
        }

        if url.as_str().len() > MAX_LENGTH {
            return Err(UrlRefusal::TooLong { limit: MAX_LENGTH });
        }
        if repeats(url.path()) {
            return Err(UrlRefusal::RepeatedSegment { limit: MAX_REPEATS });
        }
        Ok(Self::new(url))
    }

    fn new(url: Url) -> Self {
        let key = UrlKey::from_identity(&url[Position::BeforeHost..]);
        let domain = domain_at(&url);
        Self { shared: Arc::new(Shared { url, key, domain, is_article_like: OnceLock::new() }) }
    }
}

/// Returns the position of the registrable domain in the host, or `None` for an IP address or a single label.
fn domain_at(url: &Url) -> Option<usize> {
    match url.host() {
        Some(Host::Domain(name)) if name.contains('.') => {
            let domain = host::registrable_domain(name).map_or(name, |(domain, _)| domain);
            Some(name.len() - domain.len())
        }
        _ => None,
    }
}

/// Strips HTML whitespace. Refuses schemes other than http and https before the caller checks the length,
/// because `data:` links are long.
fn check_text(text: &str) -> Result<&str, UrlRefusal> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\u{c}']);
    let head = text.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some((scheme, _)) = head.split_once(':') {
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if is_scheme && !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(UrlRefusal::NotHttp);
        }
    }
    if text.len() > MAX_INPUT {
        return Err(UrlRefusal::TooLong { limit: MAX_LENGTH });
    }
    Ok(text)
}

/// Removes a trailing dot: `example.com.` names the same host as `example.com`.
fn strip_trailing_dot(url: &mut Url) -> Result<(), UrlRefusal> {
    match url.host_str() {
        None | Some("" | ".") => Err(url::ParseError::EmptyHost.into()),
        Some(host) => match host.strip_suffix('.').map(str::to_owned) {
            None => Ok(()),
            Some(host) => Ok(url.set_host(Some(&host))?),
        },
    }
}

fn repeats(path: &str) -> bool {
    if path.bytes().filter(|byte| *byte == b'/').count() <= MAX_REPEATS {
        return false;
    }
    let mut segments: Vec<&str> = path.split('/').skip(1).collect();
    segments.sort_unstable();
    segments.chunk_by(|a, b| a == b).any(|same| same.len() > MAX_REPEATS)
}

impl PartialEq for CanonicalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for CanonicalUrl {}

impl Hash for CanonicalUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialOrd for CanonicalUrl {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CanonicalUrl {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CanonicalUrl").field(&self.as_str()).finish()
    }
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
