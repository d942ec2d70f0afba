//! Learns the template of a site from its pages.

use std::collections::BTreeMap;

use gleaner_corpus::{Method, is_of_host};
use jiff::Timestamp;

use crate::article::{NotArticleReason, PageClass};
use crate::template::SiteTemplate;
use crate::{Error, Page, Template};

/// The default of `template.min_pages`, the minimum number of articles from which a crawl learns a template.
const RECOMMENDED: usize = 5;

/// Article pages of one host, from which a template is learned.
#[derive(Debug, Default)]
pub struct Training {
    host: Option<String>,
    kept: Vec<(String, gleaner_html::Page)>,
    hosts: BTreeMap<String, usize>,
    offered: usize,
}

/// The result of adding a page to a training: whether the page is used and, if not, the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The template will be learned from this page.
    Kept,
    /// The page is not an article.
    NotArticle(NotArticleReason),
    /// The page is from a host other than the requested one.
    OtherHost,
    /// There are already [`Training::MOST`] pages.
    Enough,
}

/// The reason why no template can be learned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// The pages are from several hosts, but a template belongs to one host.
    #[error("the pages are of several hosts: {}; choose one", counted(hosts))]
    SeveralHosts {
        /// The number of articles from each host.
        hosts: BTreeMap<String, usize>,
    },
    /// There are fewer than two articles.
    #[error(
        "cannot learn a template: article pages found: {found}; at least 2 are needed, {RECOMMENDED} or more are \
         recommended{}",
        others(hosts)
    )]
    TooFew {
        /// The number of articles from the host.
        found: usize,
        /// The number of articles from each other host.
        hosts: BTreeMap<String, usize>,
    },
}

fn counted(hosts: &BTreeMap<String, usize>) -> String {
    hosts.iter().map(|(host, pages)| format!("{host} ({pages})")).collect::<Vec<_>>().join(", ")
}

fn others(hosts: &BTreeMap<String, usize>) -> String {
    if hosts.is_empty() { String::new() } else { format!("; pages of other hosts: {}", counted(hosts)) }
}

impl Training {
    /// Maximum number of pages from which a template is learned. The paper (FastContentExtractor) uses 20 to
    /// 30.
    pub const MOST: usize = 30;

    /// Creates an empty training for pages of `host` and its subdomains. If `host` is `None`, all pages must
    /// be from the same host. In both cases, a page with an unknown address counts as a page of this host.
    #[must_use]
    pub fn new(host: Option<&str>) -> Self {
        Self { host: host.map(str::to_ascii_lowercase), ..Self::default() }
    }

    /// Adds a page, unless [`Added`] has a reason against it. The template stores `name` for the page.
    pub fn add(&mut self, name: &str, page: Page) -> Added {
        if self.is_full() {
            return Added::Enough;
        }
        if let PageClass::NotArticle(reason) = page.verdict() {
            return Added::NotArticle(reason);
        }
        let host = page.canonical_url().map(|url| url.host().to_owned());
        let is_wanted = match (&self.host, &host) {
            (Some(wanted), Some(host)) => is_of_host(host, wanted),
            _ => true,
        };
        host.into_iter().for_each(|host| *self.hosts.entry(host).or_default() += 1);
        if !is_wanted {
            return Added::OtherHost;
        }
        self.kept.push((name.to_owned(), page.into_tree()));
        Added::Kept
    }

    /// Like [`Self::add`]. The name of the page is its URL or, if the URL is unknown, its number.
    pub fn add_page(&mut self, page: Page) -> Added {
        self.offered += 1;
        let name = page.url().map_or_else(|| format!("page {}", self.offered), str::to_owned);
        self.add(&name, page)
    }

    /// Returns the number of pages from which the template will be learned.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is no page from which a template can be learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether the training has [`Self::MOST`] pages.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.kept.len() >= Self::MOST
    }

    /// Learns the template with `method`. `learned` is the time of learning, which the template stores.
    ///
    /// # Errors
    /// [`LearnError`] if the pages are from several hosts, or if there are fewer than two.
    pub fn learn(&self, method: Method, learned: Timestamp) -> Result<Template, LearnError> {
        let host = self.only_host()?;
        if self.kept.len() < 2 {
            let others = self.hosts.iter().filter(|(other, _)| !is_of_host(other, &host));
            let hosts = others.map(|(host, pages)| (host.clone(), *pages)).collect();
            return Err(LearnError::TooFew { found: self.kept.len(), hosts });
        }
        let pages: Vec<(&str, &gleaner_html::Page)> =
            self.kept.iter().map(|(name, page)| (name.as_str(), page)).collect();
        Ok(SiteTemplate::learn_by(method, &host, 1, learned, &pages).into())
    }

    fn only_host(&self) -> Result<String, LearnError> {
        if let Some(host) = &self.host {
            return Ok(host.clone());
        }
        if self.hosts.len() > 1 {
            return Err(LearnError::SeveralHosts { hosts: self.hosts.clone() });
        }
        Ok(self.hosts.keys().next().cloned().unwrap_or_else(|| "unknown".into()))
    }
}

/// Learns the template of a site from 2 to 30 article pages. About 25 pages are recommended. Skips pages that
/// are not articles, and articles after the thirtieth.
///
/// # Errors
/// [`Error::Learn`] if the pages are from several hosts, or if fewer than two are articles.
///
/// ```
/// use gleaner_extract::{Page, learn};
///
/// let error = learn([Page::parse("<p>Rain.", None)?]).unwrap_err();
/// assert!(error.to_string().contains("article pages found: 0; at least 2 are needed"));
/// # Ok::<(), gleaner_extract::Error>(())
/// ```
pub fn learn(pages: impl IntoIterator<Item = Page>) -> Result<Template, Error> {
    let mut training = Training::default();
    let mut pages = pages.into_iter();
    while !training.is_full()
        && let Some(page) = pages.next()
    {
        training.add_page(page);
    }
    Ok(training.learn(Method::Template, Timestamp::now())?)
}
