//! Reads the page addresses of feeds: RSS 0.9 to 2.0, RDF, Atom and JSON Feed.
//!
//! Only the address and the date of each entry are read, because the crawl takes texts from the pages. If the
//! XML is broken, the entries before the error are returned together with the error. The library `feed-rs` is
//! not used, because it returns nothing for such a feed. It also panics on some feeds, for example on an
//! author such as `Tòa soạn–a@b.vn`, or on an encoding declaration after the first 64 bytes.

use crate::body::{IncompleteReason, ReadLimits, TextStream};
use crate::found::UrlCollector;
use crate::xml::{self, Element, Step, Visitor};
use crate::{CanonicalUrl, DiscoveredUrls, FoundUrl, Role, UrlRefusal, dates, shape};
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::io::Read;
use thiserror::Error;

/// The readable entries of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The pages in the feed's order.
    pub discovered: DiscoveredUrls,
    /// The number of entries without a page address.
    pub without_link: u64,
    /// The number of entries that were omitted because of [`ReadLimits::entries`].
    pub cut: u64,
    /// Why reading ended early. `None` if the feed was read to its end.
    pub flaw: Option<IncompleteReason>,
}

/// Why a body is not a feed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FeedError {
    /// The body is a different type of document.
    #[error("it is not a feed: its first element is <{root}>, not <rss>, <feed> or <rdf:RDF>")]
    OtherDocument {
        /// The first element's name, at most 40 characters.
        root: String,
    },
    /// The body is neither XML nor a JSON Feed.
    #[error("it is not a feed: it is neither XML nor a JSON Feed")]
    NotAFeed,
    /// The body is JSON, but malformed or without a list of items.
    #[error("the JSON Feed cannot be read: {reason}")]
    Json {
        /// The parser's message.
        reason: String,
    },
    /// The body could not be read up to its first element.
    #[error("the feed cannot be read: {0}")]
    Unreadable(IncompleteReason),
}

/// Reads the feed that was served at `base`. `bytes` may be compressed with gzip.
///
/// Relative links are resolved with the `xml:base` of the link, the entry or the feed, or else with `base`. A
/// missing scheme is added ([`CanonicalUrl::join_location`]). The date of an entry is the date of publication
/// or, if this is missing, the date of the last change. The result may contain URLs out of scope.
/// [`DiscoveredUrls::within`] removes them.
///
/// # Errors
/// The body is not a feed, or it cannot be read up to its first element. An empty feed is not an error.
pub fn read(bytes: &[u8], base: &CanonicalUrl, limits: ReadLimits) -> Result<Feed, FeedError> {
    let mut stream = TextStream::new(bytes, limits.bytes);
    let mut entries = Entries::new(base, limits.entries);
    let flaw = match stream.first_text().as_bytes().first() {
        Some(b'<') => read_xml(stream, &mut entries)?,
        Some(b'{') => read_json(stream, &mut entries)?,
        _ => {
            return Err(stream.flaw().cloned().map_or(FeedError::NotAFeed, FeedError::Unreadable));
        }
    };
    entries.finish_entry();
    let Entries { gatherer, without_link, cut, .. } = entries;
    Ok(Feed { discovered: gatherer.finish(), without_link, cut, flaw })
}

fn read_xml(
    stream: TextStream<'_>,
    entries: &mut Entries<'_>,
) -> Result<Option<IncompleteReason>, FeedError> {
    let flaw = xml::walk(stream, entries);
    match entries.root.take() {
        Some(root) if is_feed(&root) => Ok(flaw),
        Some(root) => Err(FeedError::OtherDocument { root: root.chars().take(40).collect() }),
        None => Err(flaw.map_or(FeedError::NotAFeed, FeedError::Unreadable)),
    }
}

fn is_feed(root: &str) -> bool {
    matches!(root, "rss" | "feed" | "RDF" | "channel")
}

#[derive(Deserialize)]
struct JsonFeed {
    /// The items are untyped, so that a wrong type in one item does not make the others unreadable.
    items: Vec<serde_json::Value>,
}

fn read_json(
    mut stream: TextStream<'_>,
    entries: &mut Entries<'_>,
) -> Result<Option<IncompleteReason>, FeedError> {
    let mut text = String::new();
    // Reading from memory cannot fail. Damaged data only end the text early.
    let _ = stream.read_to_string(&mut text);
    if let Some(flaw) = stream.flaw() {
        return Err(FeedError::Unreadable(flaw.clone()));
    }
    let feed: JsonFeed =
        serde_json::from_str(&text).map_err(|error| FeedError::Json { reason: error.to_string() })?;
    for item in feed.items {
        let text = |name: &str| item.get(name).and_then(serde_json::Value::as_str).map(String::from);
        entries.entry = Some(Entry {
            link: text("url").or_else(|| text("external_url")),
            published: text("date_published"),
            changed: text("date_modified"),
            ..Entry::default()
        });
        entries.finish_entry();
    }
    Ok(None)
}

#[derive(Clone, Copy)]
enum Leaf {
    Link,
    Origin,
    Identifier,
    Published,
    Changed,
}

#[derive(Default)]
struct Entry {
    /// The page's own address, which FeedBurner states if `link` leads through FeedBurner's redirects.
    origin: Option<String>,
    link: Option<String>,
    /// The `guid` or `id`, which often is the page's address.
    identifier: Option<String>,
    published: Option<String>,
    changed: Option<String>,
    base: Option<CanonicalUrl>,
}

struct Entries<'a> {
    /// The URL of the feed, or its `xml:base`.
    base: Cow<'a, CanonicalUrl>,
    limit: usize,
    root: Option<String>,
    leaf: Leaf,
    entry: Option<Entry>,
    /// The name and nesting depth of the current element if its content does not belong to the entry.
    inside: Option<(String, usize)>,
    gatherer: UrlCollector,
    without_link: u64,
    cut: u64,
}

impl<'a> Entries<'a> {
    fn new(base: &'a CanonicalUrl, limit: usize) -> Self {
        Self {
            base: Cow::Borrowed(base),
            limit,
            root: None,
            leaf: Leaf::Link,
            entry: None,
            inside: None,
            gatherer: UrlCollector::new(base),
            without_link: 0,
            cut: 0,
        }
    }

    fn finish_entry(&mut self) {
        let Some(entry) = self.entry.take() else {
            return;
        };
        let identifier =
            entry.identifier.filter(|id| id.starts_with("http://") || id.starts_with("https://"));
        let Some(link) = entry.origin.or(entry.link).or(identifier) else {
            self.without_link += 1;
            return;
        };
        if self.gatherer.len() < self.limit {
            let date = |text: Option<String>| text.as_deref().and_then(dates::parse);
            let dated = date(entry.published).or_else(|| date(entry.changed));
            self.gatherer.take(judge(entry.base.as_ref().unwrap_or(&self.base), &link, dated));
        } else {
            self.cut += 1;
        }
    }

    fn collect(&mut self, leaf: Leaf) -> Step {
        self.leaf = leaf;
        Step::Collect
    }

    /// Returns the `xml:base` of an element, resolved with `outer`, the base of the parent.
    fn base_of(&self, element: &Element<'_>, outer: Option<&CanonicalUrl>) -> Option<CanonicalUrl> {
        let stated = element.attribute("xml:base")?;
        outer.unwrap_or(&self.base).join(&stated).ok()
    }

    fn open_entry(&mut self, element: &Element<'_>) -> Step {
        self.finish_entry();
        let base = self.base_of(element, None);
        // RSS 1.0 also states the page's address here.
        let identifier = element.attribute("rdf:about");
        self.entry = Some(Entry { base, identifier, ..Entry::default() });
        self.inside = None;
        Step::Pass
    }

    fn open_link(&mut self, element: &Element<'_>) -> Step {
        let Some(href) = element.attribute("href") else {
            return self.collect(Leaf::Link);
        };
        let relation = element.attribute("rel").unwrap_or_default().to_lowercase();
        // The relation may also be its full name, http://www.iana.org/assignments/relation/alternate.
        let names_page = (relation.is_empty() || relation.rsplit('/').next() == Some("alternate"))
            && element.attribute("type").is_none_or(|kind| kind.contains("html"));
        let base = self.entry.as_ref().and_then(|entry| self.base_of(element, entry.base.as_ref()));
        if let Some(entry) = self.entry.as_mut().filter(|entry| names_page && entry.link.is_none()) {
            entry.link = Some(href);
            entry.base = base.or(entry.base.take());
        }
        Step::Pass
    }
}

/// Whether a `guid` is marked as something other than an address. The default is an address (RSS 2.0).
fn is_no_link(element: &Element<'_>) -> bool {
    let stated = element.attribute("isPermaLink").map(|value| value.trim().to_lowercase());
    stated.is_some_and(|value| matches!(&*value, "false" | "no" | "0"))
}

/// Checks the link of an entry. Its role is always page, even if the address looks like a feed.
fn judge(base: &CanonicalUrl, link: &str, dated: Option<Timestamp>) -> Result<FoundUrl, UrlRefusal> {
    let url = base.join_location(link)?;
    shape::expected_role(&url)?;
    Ok(FoundUrl { url, role: Role::Page, dated, news: false })
}

impl Visitor for Entries<'_> {
    fn open(&mut self, element: &Element<'_>) -> Step {
        let name = element.name();
        if self.root.is_none() {
            self.root = Some(name.to_owned());
            if let Some(base) = self.base_of(element, None) {
                self.base = Cow::Owned(base);
            }
            return if is_feed(name) { Step::Pass } else { Step::Stop };
        }
        if matches!(name, "item" | "entry") {
            return self.open_entry(element);
        }
        if let Some((outer, depth)) = &mut self.inside {
            *depth += usize::from(name == outer);
            return Step::Pass;
        }
        if self.entry.is_none() {
            return Step::Pass;
        }
        match name.to_ascii_lowercase().as_str() {
            "link" => self.open_link(element),
            "origlink" => self.collect(Leaf::Origin),
            "guid" if !is_no_link(element) => self.collect(Leaf::Identifier),
            "id" => self.collect(Leaf::Identifier),
            "pubdate" | "published" | "date" | "issued" | "created" => self.collect(Leaf::Published),
            "updated" | "modified" => self.collect(Leaf::Changed),
            // These elements contain markup of the text, data of another feed, or pictures.
            "content" | "summary" | "description" | "encoded" | "source" | "group" | "image" => {
                self.inside = Some((name.to_owned(), 1));
                Step::Pass
            }
            _ => Step::Pass,
        }
    }

    fn text(&mut self, text: &str) {
        let Some(entry) = self.entry.as_mut() else {
            return;
        };
        let field = match self.leaf {
            Leaf::Link => &mut entry.link,
            Leaf::Origin => &mut entry.origin,
            Leaf::Identifier => &mut entry.identifier,
            Leaf::Published => &mut entry.published,
            Leaf::Changed => &mut entry.changed,
        };
        if field.is_none() && !text.is_empty() {
            *field = Some(text.to_owned());
        }
    }

    fn close(&mut self, name: &str) {
        if matches!(name, "item" | "entry") {
            self.finish_entry();
            self.inside = None;
        } else if let Some((outer, depth)) = &mut self.inside
            && name == outer
        {
            *depth -= 1;
            if *depth == 0 {
                self.inside = None;
            }
        }
    }
}

#[cfg(test)]
mod tests;
