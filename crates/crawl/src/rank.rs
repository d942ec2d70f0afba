//! Defines the ranks of the frontier. A URL with a lower rank is requested first.

/// Front pages, feeds, news sitemaps, and targets of redirects.
pub(crate) const LISTING: u8 = 0;
/// Section pages: links of a front page that do not look like articles.
pub(crate) const SECTION: u8 = 1;
/// Pages named in a feed or news sitemap.
pub(crate) const NEWS: u8 = 2;
/// Links that look like articles, and sitemaps in a sitemap index.
pub(crate) const ARTICLE: u8 = 3;
pub(crate) const RECHECK: u8 = 4;
pub(crate) const OTHER: u8 = 5;
/// Pages from other sitemaps, most of them years old.
pub(crate) const ARCHIVE: u8 = 6;
