//! Reads a sitemap index, a sitemap of pages, a news sitemap, or a text file with one address per line.
//!
//! The reader follows the protocol of sitemaps.org and Google's news extension, and tolerates common errors.
//! If a document is broken or cut off, the entries before the error are returned together with the error. An
//! entry with several addresses counts as several entries. An address may be inside another element, and may
//! lack its scheme. `lastmod` is not reliable, because many sites write the time at which the sitemap was
//! generated. Image and video entries are ignored.

use crate::body::{IncompleteReason, ReadLimits, TextStream};
use crate::found::UrlCollector;
use crate::sniff::is_address_list;
use crate::xml::{self, Element, Step, Visitor};
use crate::{CanonicalUrl, DiscoveredUrls, FoundUrl, Role, UrlRefusal, dates, host, shape};
use std::io::BufRead;
use thiserror::Error;

/// The kind of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// An index that lists further sitemaps.
    Index,
    /// An XML sitemap that lists pages.
    Pages,
    /// A text file that lists pages, one per line, without other data.
    Text,
}

/// The readable entries of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sitemap {
    /// The kind of the sitemap.
    pub kind: SitemapKind,
    /// The pages in the order of the sitemap. The sitemaps of an index are sorted by `lastmod`, newest first
    /// and undated last.
    pub discovered: DiscoveredUrls,
    /// The number of entries that were omitted because of [`ReadLimits::entries`].
    pub cut: u64,
    /// Why reading ended early. `None` if the sitemap was read to its end.
    pub flaw: Option<IncompleteReason>,
}

/// Why a body is not a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SitemapError {
    /// The body is a different type of document.
    #[error("it is not a sitemap: its first element is <{root}>, not <urlset> or <sitemapindex>")]
    OtherDocument {
        /// The first element's name, at most 40 characters.
        root: String,
    },
    /// The body is neither XML nor a text file with one address per line.
    #[error("it is not a sitemap: it is neither XML nor text with one address per line")]
    NotXml,
    /// The body could not be read up to its first element.
    #[error("the sitemap cannot be read: {0}")]
    Unreadable(IncompleteReason),
}

/// Reads the sitemap that was served at `base`. `bytes` may be compressed with gzip.
///
/// The address of an entry alone decides whether the entry is refused ([`UrlRefusal`]). The result may
/// contain URLs out of scope. [`DiscoveredUrls::within`] removes them. Addresses that are relative or have no
/// scheme are resolved, although the protocol forbids them ([`CanonicalUrl::join_location`]).
///
/// # Errors
/// The body is not a sitemap, or it cannot be read up to its first element. An empty sitemap is not an error.
///
/// ```
/// use gleaner_frontier::{CanonicalUrl, ReadLimits, sitemap};
/// let base = CanonicalUrl::parse("https://a.vn/sitemap.xml")?;
/// let xml = b"<urlset><url><loc>/b.html</loc><lastmod>2024-05-31</lastmod></url></urlset>";
/// let read = sitemap::read(xml, &base, ReadLimits::default())?;
/// assert_eq!(read.discovered.found[0].url.as_str(), "https://a.vn/b.html");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(bytes: &[u8], base: &CanonicalUrl, limits: ReadLimits) -> Result<Sitemap, SitemapError> {
    let mut stream = TextStream::new(bytes, limits.bytes);
    let head = stream.first_text();
    // Markup comes first, because XML may have a line that contains only an address.
    if !head.starts_with('<') {
        if is_address_list(&head) {
            return Ok(read_lines(stream, base, limits));
        }
        return Err(stream.flaw().cloned().map_or(SitemapError::NotXml, SitemapError::Unreadable));
    }
    let mut entries = Entries::new(base, limits.entries);
    let flaw = xml::walk(stream, &mut entries);
    match entries.root {
        Root::None => Err(flaw.map_or(SitemapError::NotXml, SitemapError::Unreadable)),
        Root::Other(root) => Err(SitemapError::OtherDocument { root }),
        Root::Sitemap { kind, .. } => {
            entries.finish_entry();
            let mut discovered = entries.gatherer.finish();
            if kind == SitemapKind::Index {
                discovered.found.sort_by_key(|found| std::cmp::Reverse(found.dated));
            }
            Ok(Sitemap { kind, discovered, cut: entries.cut, flaw })
        }
    }
}

fn read_lines(mut stream: TextStream<'_>, base: &CanonicalUrl, limits: ReadLimits) -> Sitemap {
    let mut entries = Entries::new(base, limits.entries);
    entries.root = Root::Sitemap { kind: SitemapKind::Text, prefix: String::new() };
    let mut line = String::new();
    while stream.read_line(&mut line).is_ok_and(|count| count > 0) {
        entries.line(line.trim());
        line.clear();
    }
    let flaw = stream.flaw().cloned();
    Sitemap { kind: SitemapKind::Text, discovered: entries.gatherer.finish(), cut: entries.cut, flaw }
}

enum Root {
    None,
    Other(String),
    /// The prefix of the protocol's elements. Elements with another prefix belong to extensions.
    Sitemap {
        kind: SitemapKind,
        prefix: String,
    },
}

#[derive(Clone, Copy)]
enum Leaf {
    Address,
    Changed,
    Published,
}

/// The position of the parser relative to an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Location {
    Outside,
    /// In a `loc`, before any text.
    Empty,
    /// In an element inside a `loc`, around the address.
    Wrapped,
}

/// Maximum number of addresses that are kept for one entry until its dates are read.
const MAX_ADDRESSES: usize = 1_000;

#[derive(Default)]
struct Entry {
    /// The addresses of the entry. The protocol allows only one.
    addresses: Vec<String>,
    changed: Option<String>,
    published: Option<String>,
    news: bool,
}

struct Entries<'a> {
    base: &'a CanonicalUrl,
    limit: usize,
    root: Root,
    leaf: Leaf,
    location: Location,
    entry: Entry,
    gatherer: UrlCollector,
    cut: u64,
}

impl<'a> Entries<'a> {
    fn new(base: &'a CanonicalUrl, limit: usize) -> Self {
        Self {
            base,
            limit,
            root: Root::None,
            leaf: Leaf::Address,
            location: Location::Outside,
            entry: Entry::default(),
            gatherer: UrlCollector::new(base),
            cut: 0,
        }
    }

    fn open_root(&mut self, element: &Element<'_>) -> Step {
        let kind = match element.name() {
            "urlset" => SitemapKind::Pages,
            "sitemapindex" => SitemapKind::Index,
            other => {
                self.root = Root::Other(other.chars().take(40).collect());
                return Step::Stop;
            }
        };
        self.root = Root::Sitemap { kind, prefix: element.prefix().to_owned() };
        Step::Pass
    }

    fn collect(&mut self, leaf: Leaf) -> Step {
        self.leaf = leaf;
        Step::Collect
    }

    fn finish_entry(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        for address in &entry.addresses {
            if self.gatherer.len() < self.limit {
                let judged = self.judge(address, &entry);
                self.gatherer.take(judged);
            } else {
                self.cut += 1;
            }
        }
    }

    /// Reads a line of a text file. Skips a line without an address, such as a title or a comment.
    fn line(&mut self, line: &str) {
        let is_address = line.starts_with('/')
            || line.contains("://")
            || host::forgotten_scheme(line, Some(self.base.domain())).is_some();
        if is_address {
            self.entry.addresses.push(line.to_owned());
            self.finish_entry();
        } else if !line.is_empty() {
            self.gatherer.take(Err(UrlRefusal::Unparsable { reason: "the line contains no address" }));
        }
    }

    fn judge(&self, address: &str, entry: &Entry) -> Result<FoundUrl, UrlRefusal> {
        let url = self.base.join_location(address)?;
        let index = matches!(self.root, Root::Sitemap { kind: SitemapKind::Index, .. });
        let role = if index { Role::Sitemap } else { shape::expected_role(&url)? };
        let news = if index { shape::has_news_name(&url) } else { entry.news };
        let date = |text: &Option<String>| text.as_deref().and_then(dates::parse);
        let dated = date(&entry.published).or_else(|| date(&entry.changed));
        Ok(FoundUrl { url, role, dated, news })
    }
}

impl Visitor for Entries<'_> {
    fn open(&mut self, element: &Element<'_>) -> Step {
        let Root::Sitemap { prefix, .. } = &self.root else {
            return self.open_root(element);
        };
        if self.location == Location::Empty {
            self.location = Location::Wrapped;
            return self.collect(Leaf::Address);
        }
        let own = element.prefix() == prefix;
        match element.name() {
            "url" | "sitemap" if own => {
                self.finish_entry();
                Step::Pass
            }
            "loc" if own => {
                self.location = Location::Empty;
                self.collect(Leaf::Address)
            }
            "lastmod" if own => self.collect(Leaf::Changed),
            "news" => {
                self.entry.news = true;
                Step::Pass
            }
            "publication_date" => self.collect(Leaf::Published),
            _ => Step::Pass,
        }
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.leaf {
            Leaf::Address => {
                if self.entry.addresses.len() == MAX_ADDRESSES {
                    self.finish_entry();
                }
                self.entry.addresses.push(text.to_owned());
                if self.location == Location::Empty {
                    self.location = Location::Outside;
                }
            }
            Leaf::Changed => self.entry.changed = Some(text.to_owned()),
            Leaf::Published => self.entry.published = Some(text.to_owned()),
        }
    }

    fn close(&mut self, name: &str) {
        let was = std::mem::replace(&mut self.location, Location::Outside);
        if matches!(name, "url" | "sitemap") && was != Location::Wrapped {
            self.finish_entry();
        }
    }
}

#[cfg(test)]
mod tests;
