//! Serves one paper and its articles: maps paths to responses.
//!
//! A response depends only on the path, with two exceptions: the two errors that occur once, and the count of
//! article pages before a redesign. Otherwise, two crawls of one server get the same pages.

use crate::article::Article;
use crate::markup::digest;
use crate::page_response::PageResponse;
use crate::paper::{Language, Paper};
use crate::redesign::{self, Redesign};
use crate::{baolang, feeds, legacy, special_pages, village_post};
use hyper::StatusCode;
use jiff::Timestamp;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

pub(crate) const PER_PAGE: usize = 4;
pub(crate) const LATEST: usize = 12;

#[derive(Debug)]
pub(crate) struct Site {
    pub paper: &'static Paper,
    pub articles: Vec<Article>,
    pub wire: Option<Article>,
    faults: Option<Faults>,
    redesign: Option<Redesign>,
}

#[derive(Debug, Default)]
struct Faults {
    unavailable: AtomicBool,
    failed: AtomicBool,
}

/// Indices of articles with special behaviour, counted from the newest article.
pub(crate) mod special {
    /// Returns 503 at the first request.
    pub(crate) const UNAVAILABLE: usize = 0;
    /// Returns 500 at the first request.
    pub(crate) const FAILED: usize = 1;
    /// Is also linked under an old address that redirects.
    pub(crate) const MOVED: usize = 2;
    /// Has a second address.
    pub(crate) const TWIN: usize = 3;
    /// Is also linked with tracking parameters.
    pub(crate) const TRACKED: usize = 4;
    pub(crate) const LEGACY: usize = 5;
    /// Has an edited copy by an agency at the end of its section's list.
    pub(crate) const WIRE: usize = 6;
}

impl Site {
    /// Creates a paper with its newest `count` articles. `redesign` is the number of article pages
    /// before the redesign, and the number of later pages of which one has the new design.
    pub(crate) fn new(
        paper: &'static Paper,
        count: usize,
        faults: bool,
        redesign: Option<(usize, usize)>,
    ) -> Self {
        let texts = paper.texts.iter().take(count);
        let articles = texts.map(|(name, text)| {
            // A test parses every bundled article.
            Article::parse(name, text).expect("the bundled articles are well formed")
        });
        let site = Self::with_articles(paper, articles.collect());
        let wire = site.articles.get(special::WIRE).map(|article| article.wire(&paper.agency));
        let redesign =
            redesign.map(|(after, every)| Redesign { after, every, answered: AtomicUsize::new(0) });
        Self { wire, faults: faults.then(Faults::default), redesign, ..site }
    }

    /// Creates a paper with these articles, without faults.
    pub(crate) const fn with_articles(paper: &'static Paper, articles: Vec<Article>) -> Self {
        Self { paper, articles, wire: None, faults: None, redesign: None }
    }

    pub(crate) fn answer(&self, path: &str, query: Option<&str>) -> PageResponse {
        special_pages::answer(self, path, query)
            .or_else(|| self.article_answer(path))
            .or_else(|| self.hub_answer(path, query))
            .or_else(|| feeds::answer(self, path))
            .unwrap_or_else(|| self.not_found())
    }

    pub(crate) fn path(&self, article: &Article) -> String {
        self.paper.path(article)
    }

    pub(crate) fn numbered(&self, number: u32) -> Option<&Article> {
        self.articles.iter().find(|a| a.number == number)
    }

    pub(crate) fn section(&self, slug: &str) -> Vec<&Article> {
        self.articles.iter().filter(|a| a.section == slug).collect()
    }

    /// Returns the agency's copy if `slug` is its section and `page` is the last page of the section's list.
    pub(crate) fn wired(&self, slug: &str, page: usize) -> Option<&Article> {
        self.wire.as_ref().filter(|wire| wire.section == slug && page == self.pages(slug))
    }

    /// Returns four other articles. Articles of the same section come first.
    pub(crate) fn related(&self, article: &Article) -> Vec<&Article> {
        let own = self.section(&article.section);
        let at = own.iter().position(|a| *a == article).unwrap_or_default();
        let others = (1..own.len()).map(|i| own[(at + i) % own.len()]);
        others.take(4).collect()
    }

    pub(crate) fn pressed(&self) -> Timestamp {
        self.articles.first().map_or(Timestamp::UNIX_EPOCH, |a| a.published.moment)
    }

    pub(crate) fn page(&self, status: StatusCode, html: String) -> PageResponse {
        PageResponse::plain(status, self.html_type(), html.into_bytes())
    }

    pub(crate) fn framed(&self, title: &str, main: &str) -> PageResponse {
        self.page(StatusCode::OK, self.framed_html(title, main))
    }

    pub(crate) fn framed_html(&self, title: &str, main: &str) -> String {
        match self.paper.language {
            Language::Vietnamese => baolang::framed(self, title, main),
            Language::English => village_post::framed(self, title, main),
        }
    }

    pub(crate) fn article_html(&self, article: &Article, path: &str) -> String {
        match self.paper.language {
            Language::Vietnamese => baolang::article(self, article, path, "utf-8"),
            Language::English => village_post::article(self, article, path, "utf-8"),
        }
    }

    pub(crate) fn not_found(&self) -> PageResponse {
        let html = match self.paper.language {
            Language::Vietnamese => {
                baolang::notice(self, "Không tìm thấy trang", "Trang bạn tìm không còn ở đây.")
            }
            Language::English => {
                village_post::notice(self, "Page not found", "There is nothing at this address.")
            }
        };
        self.page(StatusCode::NOT_FOUND, html)
    }

    /// Returns the media type of pages. Only the Vietnamese paper states its encoding in the header.
    fn html_type(&self) -> &'static str {
        match self.paper.language {
            Language::Vietnamese => "text/html; charset=utf-8",
            Language::English => "text/html",
        }
    }

    fn article_answer(&self, path: &str) -> Option<PageResponse> {
        let twin = self.articles.get(special::TWIN);
        if let Some(article) = twin.filter(|a| self.paper.twin(a) == path) {
            return Some(self.article_page(article, path, "utf-8"));
        }
        if let Some(wire) = self.wire.as_ref().filter(|wire| self.path(wire) == path) {
            return Some(self.article_page(wire, path, "utf-8"));
        }
        let place = self.articles.iter().position(|a| self.path(a) == path)?;
        if let Some(fault) = self.fault(place) {
            return Some(fault);
        }
        let article = &self.articles[place];
        if place != special::LEGACY {
            return Some(self.article_page(article, path, "utf-8"));
        }
        let language = self.paper.language;
        let mut answer = self.article_page(article, path, legacy::encoding(language).name());
        answer.content_type = match language {
            Language::Vietnamese => "text/html; charset=windows-1258",
            Language::English => "text/html; charset=windows-1252",
        };
        let html = String::from_utf8_lossy(&answer.body).into_owned();
        answer.body = legacy::encode(language, &html);
        Some(answer)
    }

    fn article_page(&self, article: &Article, path: &str, charset: &str) -> PageResponse {
        let html = match self.paper.language {
            _ if self.redesign.as_ref().is_some_and(Redesign::has_come) => {
                redesign::article(self, article, path, charset)
            }
            Language::Vietnamese => baolang::article(self, article, path, charset),
            Language::English => village_post::article(self, article, path, charset),
        };
        PageResponse::ok(self.html_type(), html.into_bytes(), article.published.moment)
    }

    fn fault(&self, place: usize) -> Option<PageResponse> {
        let faults = self.faults.as_ref()?;
        match place {
            special::UNAVAILABLE if !faults.unavailable.swap(true, Relaxed) => {
                Some(PageResponse::unavailable(1))
            }
            special::FAILED if !faults.failed.swap(true, Relaxed) => {
                Some(PageResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong.\n"))
            }
            _ => None,
        }
    }

    fn hub_answer(&self, path: &str, query: Option<&str>) -> Option<PageResponse> {
        let html = if path == "/" {
            match self.paper.language {
                Language::Vietnamese => baolang::front(self),
                Language::English => village_post::front(self),
            }
        } else {
            let (slug, page) = self.section_page(path, query)?;
            match self.paper.language {
                Language::Vietnamese => baolang::section(self, slug, page),
                Language::English => village_post::section(self, slug, page),
            }
        };
        Some(PageResponse::ok(self.html_type(), html.into_bytes(), self.pressed()))
    }

    fn section_page(&self, path: &str, query: Option<&str>) -> Option<(&'static str, usize)> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let slug = parts.next()?;
        let slug = self.paper.sections.iter().find(|s| s.slug == slug)?.slug;
        let page = match (parts.next(), query, self.paper.language) {
            (None, Some(query), Language::English) => query.strip_prefix("page=")?.parse().ok()?,
            (None, _, _) => 1,
            (Some(part), _, Language::Vietnamese) => part.strip_prefix("trang-")?.parse().ok()?,
            (Some(_), ..) => return None,
        };
        let end = parts.next().is_none();
        (end && (1..=self.pages(slug)).contains(&page)).then_some((slug, page))
    }

    pub(crate) fn pages(&self, slug: &str) -> usize {
        self.section(slug).len().div_ceil(PER_PAGE).max(1)
    }
}

/// Returns a number below `below` that depends only on `seed` and `salt`.
pub(crate) fn choose(seed: &str, salt: usize, below: usize) -> usize {
    let hash = digest(format!("{salt}:{seed}").as_bytes());
    // The low bits of FNV-1a depend too much on the last byte.
    usize::try_from((hash >> 20) % below.max(1) as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::PAPERS;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn text(site: &Site, path: &str) -> String {
        let answer = site.answer(path, None);
        assert_eq!(answer.status, 200, "{path}");
        String::from_utf8(answer.body).unwrap()
    }

    fn links(html: &str) -> Vec<String> {
        let parts = html.split("href=\"").skip(1);
        let links = parts.filter_map(|part| part.split('"').next());
        links.map(|link| link.replace("&amp;", "&")).collect()
    }

    #[test]
    fn every_article_stands_in_a_list_that_can_be_reached_from_the_front() {
        for paper in &PAPERS {
            let site = Site::new(paper, usize::MAX, false, None);
            let mut listed = HashSet::new();
            for section in &paper.sections {
                let mut next = Some(format!("/{}", section.slug));
                assert!(links(&text(&site, "/")).contains(next.as_ref().unwrap()));
                while let Some(path) = next.take() {
                    let (path, query) =
                        path.split_once('?').map_or((path.as_str(), None), |(p, q)| (p, Some(q)));
                    let html = String::from_utf8(site.answer(path, query).body).unwrap();
                    listed.extend(links(&html));
                    let after = html.split("rel=\"next\" href=\"").nth(1);
                    next = after.and_then(|part| Some(part.split('"').next()?.to_owned()));
                }
            }
            for article in &site.articles {
                assert!(listed.contains(&site.path(article)), "{}", article.slug);
            }
            assert!(listed.contains(&paper.twin(&site.articles[special::TWIN])));
            assert!(listed.contains(paper.odd.wall) && listed.contains(paper.odd.gone));
        }
    }

    #[test]
    fn related_lists_differ_and_the_most_read_do_not() {
        let site = Site::new(&PAPERS[1], usize::MAX, false, None);
        let lists: HashSet<Vec<u32>> =
            site.articles.iter().map(|a| site.related(a).iter().map(|r| r.number).collect()).collect();
        assert_eq!(lists.len(), site.articles.len());
        let rail = |a: &Article| {
            let html = text(&site, &site.path(a));
            html.split("Most read").nth(1).unwrap().to_owned()
        };
        assert_eq!(rail(&site.articles[1]), rail(&site.articles[2]));
    }

    #[test]
    fn faults_are_answered_once_each() {
        for paper in &PAPERS {
            let site = Site::new(paper, 6, true, None);
            let calm = Site::new(paper, 6, false, None);
            for (place, status) in [(special::UNAVAILABLE, 503), (special::FAILED, 500)] {
                let path = site.path(&site.articles[place]);
                assert_eq!(site.answer(&path, None).status, status);
                assert_eq!(site.answer(&path, None), calm.answer(&path, None));
            }
        }
    }

    #[test]
    fn pages_beyond_the_last_are_missing() {
        for (paper, paths) in [
            (&PAPERS[0], ["/the-thao/trang-4", "/the-thao/trang-0", "/the-thao/x", "/khac"]),
            (&PAPERS[1], ["/sport/2", "/sport/trang-2", "/other", "//"]),
        ] {
            let site = Site::new(paper, usize::MAX, false, None);
            for path in paths {
                assert_eq!(site.answer(path, None).status, 404, "{path}");
            }
        }
        let site = Site::new(&PAPERS[1], usize::MAX, false, None);
        for (query, status) in [("page=1", 200), ("page=3", 200), ("page=4", 404), ("page=x", 404)] {
            assert_eq!(site.answer("/sport", Some(query)).status, status, "{query}");
        }
    }

    #[test]
    fn a_paper_without_articles_still_answers() {
        for paper in &PAPERS {
            let site = Site::new(paper, 0, true, None);
            for path in ["/", "/robots.txt", "/sitemap.xml", paper.feed, paper.odd.print] {
                assert_eq!(site.answer(path, None).status, 200, "{path}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_path_is_answered(path in "/[a-z/.0-9?-]{0,40}|.{0,20}", query in proptest::option::of(".{0,20}")) {
            for paper in &PAPERS {
                let site = Site::new(paper, 6, true, None);
                let status = site.answer(&path, query.as_deref()).status;
                prop_assert!(status == 200 || status == 404, "{} {}", path, status);
            }
        }
    }
}
