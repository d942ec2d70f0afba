//! Defines the expected result of a crawl: the gold text and the addresses of every article.

use crate::article::Article;
use crate::site::{Site, special};

/// One article that a crawl must store exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The host of the newspaper.
    pub host: &'static str,
    /// The path of the article's own page.
    pub path: String,
    /// Every canonical address that returns 200 with this text: the article's own address and, if the article
    /// has a second page, the address of that page. Variants with tracking parameters or a fragment are not
    /// listed, because they have the same canonical address.
    pub urls: Vec<String>,
    /// Addresses that redirect to the first address in `urls`.
    pub redirects: Vec<String>,
    /// The headline.
    pub title: String,
    /// The author, as in the page's metadata.
    pub author: String,
    /// The publication date, as in the page's metadata: RFC 3339 with a UTC offset.
    pub published: String,
    /// The language of the text: `vi` or `en`.
    pub language: &'static str,
    /// The gold text in NFC, as a reader sees it: the standfirst, then the paragraphs in page order.
    /// Headline, by-line, captions and subheadings are excluded.
    pub paragraphs: Vec<String>,
    /// The subheadings in page order. A crawler may keep or drop them.
    pub subheadings: Vec<String>,
    /// The caption of the figure. A crawler may keep or drop it.
    pub caption: String,
}

pub(crate) fn expected(site: &Site) -> Vec<Expected> {
    let all = site.articles.iter().enumerate();
    all.map(|(place, article)| one(site, place, article)).collect()
}

fn one(site: &Site, place: usize, article: &Article) -> Expected {
    let paper = site.paper;
    let path = site.path(article);
    let mut urls = vec![paper.url(&path)];
    if place == special::TWIN {
        urls.push(paper.url(&paper.twin(article)));
    }
    let old = paper.url(&format!("{}{}", paper.odd.old, article.number));
    Expected {
        host: paper.host,
        path,
        urls,
        redirects: if place == special::MOVED { vec![old] } else { Vec::new() },
        title: article.title.clone(),
        author: article.author.clone(),
        published: article.published.iso.clone(),
        language: paper.language.tag(),
        paragraphs: article.paragraphs(),
        subheadings: article.subheadings(),
        caption: article.caption.clone(),
    }
}
