//! Defines a parsed page with its address.

use std::sync::OnceLock;

use gleaner_frontier::CanonicalUrl;
use gleaner_html::embedded::complete;
use gleaner_html::metadata::metadata;
use jiff::Timestamp;

use crate::article::{PageClass, judge};
use crate::draft::Origin;
use crate::pins::Pins;
use crate::template::{Extraction, is_cut};
use crate::{Error, decode};

/// The placeholder for the address of a page whose address is unknown.
pub(crate) const NOWHERE: &str = "http://unknown.invalid/";

/// A parsed page.
#[derive(Debug)]
pub struct Page {
    tree: gleaner_html::Page,
    url: Option<CanonicalUrl>,
    fetched: Timestamp,
    verdict: OnceLock<PageClass>,
}

impl Page {
    /// Parses a page. `url` is the page's absolute address. If it is `None`, the address is the canonical
    /// address that the page declares, if any. Broken HTML is not an error.
    ///
    /// # Errors
    /// [`Error::Url`] if `url` is not an http or https address.
    ///
    /// ```
    /// use gleaner_extract::Page;
    ///
    /// let page = Page::parse("<link rel=canonical href=https://paper.example/rain><p>Rain.", None)?;
    /// assert_eq!(page.url(), Some("https://paper.example/rain"));
    /// assert!(Page::parse("<p>Rain.", Some("rain.html")).is_err());
    /// # Ok::<(), gleaner_extract::Error>(())
    /// ```
    pub fn parse(html: &str, url: Option<&str>) -> Result<Self, Error> {
        let canonical = |url: &str| {
            CanonicalUrl::parse(url).map_err(|refusal| Error::Url { url: url.to_owned(), refusal })
        };
        Ok(Self::at(html, url.map(canonical).transpose()?))
    }

    /// Decodes and parses a page ([`decode`]).
    ///
    /// # Errors
    /// [`Error::NotHtml`] if the bytes are not text. [`Error::Url`] if `url` is not an http or https address.
    ///
    /// ```
    /// use gleaner_extract::Page;
    ///
    /// assert!(Page::from_bytes(b"<p>Caf\xe9", None).is_ok());
    /// let error = Page::from_bytes(b"%PDF-1.7", None).unwrap_err();
    /// assert_eq!(error.to_string(), "the page is not an HTML page (PDF document)");
    /// ```
    pub fn from_bytes(bytes: &[u8], url: Option<&str>) -> Result<Self, Error> {
        Self::parse(&decode(bytes)?, url)
    }

    /// Parses a page whose address is `url`. If `url` is `None`, the address is the canonical address that
    /// the page declares, if any.
    #[must_use]
    pub fn at(html: &str, url: Option<CanonicalUrl>) -> Self {
        let tree = complete(html);
        let stated = || CanonicalUrl::parse(&metadata(&tree).canonical?).ok();
        let url = url.or_else(stated);
        Self { tree, url, fetched: Timestamp::now(), verdict: OnceLock::new() }
    }

    /// Sets the time at which the page was fetched. The default is the time of parsing. Publication dates
    /// more than a day after the fetch are ignored.
    ///
    /// ```
    /// use gleaner_extract::{Page, metadata};
    ///
    /// let html = "<meta property=article:published_time content=2026-11-20><p>Rain.";
    /// let page = Page::parse(html, None)?.with_fetched("2020-01-01T00:00:00Z".parse().unwrap());
    /// assert_eq!(metadata(&page).published, None);
    /// # Ok::<(), gleaner_extract::Error>(())
    /// ```
    #[must_use]
    pub fn with_fetched(self, fetched: Timestamp) -> Self {
        Self { fetched, ..self }
    }

    /// Returns the canonical form of the page's address, or `None` if it is unknown.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_ref().map(CanonicalUrl::as_str)
    }

    /// Returns the page's address, or `None` if it is unknown.
    #[must_use]
    pub fn canonical_url(&self) -> Option<&CanonicalUrl> {
        self.url.as_ref()
    }

    /// Returns whether the page is an article, judged from this page alone.
    ///
    /// ```
    /// use gleaner_extract::{Page, NotArticleReason, PageClass};
    ///
    /// let page = Page::parse("<title>404</title><h1>Page not found</h1>", None)?;
    /// assert_eq!(page.verdict(), PageClass::NotArticle(NotArticleReason::NotFound));
    /// # Ok::<(), gleaner_extract::Error>(())
    /// ```
    #[must_use]
    pub fn verdict(&self) -> PageClass {
        *self.verdict.get_or_init(|| judge(&self.tree, self.url().unwrap_or_default()))
    }

    /// Extracts the text without a template. Also sets the verdict, which needs the same result of the block
    /// model.
    pub(crate) fn extract_and_judge(&self, pins: &Pins) -> Extraction {
        let (extraction, class) = Extraction::with_class(&self.tree, self.url().unwrap_or_default(), pins);
        self.verdict.get_or_init(|| class);
        extraction
    }

    /// Whether the end of the page was not read because the page is too large.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        is_cut(&self.tree)
    }

    /// Returns the parsed tree of the page.
    #[must_use]
    pub fn tree(&self) -> &gleaner_html::Page {
        &self.tree
    }

    pub(crate) fn into_tree(self) -> gleaner_html::Page {
        self.tree
    }

    /// Returns the page's address and time of fetching. A placeholder replaces an unknown address.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let nowhere = || CanonicalUrl::parse(NOWHERE).expect("a URL that is written here");
        Origin { url: self.url.clone().unwrap_or_else(nowhere), fetched: self.fetched }
    }
}
