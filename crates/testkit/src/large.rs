//! Generates a large newspaper from the two papers, for the bench of a whole crawl.
//!
//! Each article is a bundled article with its words in another order. Therefore all texts differ, but lengths,
//! languages and markup stay the same. Of the pages, 60% are articles. The other pages are sections,
//! galleries, topic pages, and second versions of articles with a link to the first version. Each page ends
//! with a block of about 250 links, as in real papers. Most of these links are on all pages of a week.
//!
//! The texts are not suitable for evaluating extraction, because the order of their words is random.

use std::fmt::Write;

use crate::article::{Article, Block, Published, Span, plain};
use crate::generated_papers::Draw;
use crate::markup::{escape, inline, teaser};
use crate::paper::{PAPERS, Paper};
use crate::site::Site;

/// A page of the large newspaper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The host name of the paper.
    pub host: String,
    /// The path, with its query.
    pub path: String,
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// The bytes of the page.
    pub body: Vec<u8>,
}

/// Number of articles for each second version, each gallery and each topic page.
const WITH_SECOND_VERSION: usize = 4;
const WITH_GALLERY: usize = 10;
const WITH_TOPIC: usize = 20;
/// Number of articles per week. All pages of a week link to these articles.
const OF_A_WEEK: usize = 200;
const PICTURES: usize = 20;
const OF_A_TOPIC: usize = 40;

/// Returns all pages of both papers, about `pages` in total. The front pages are at
/// [`Newspaper::seeds`](crate::Newspaper::seeds).
#[must_use]
pub fn large_newspaper(pages: usize) -> Vec<Page> {
    let other = 1.0 / WITH_SECOND_VERSION as f64 + 1.0 / WITH_GALLERY as f64 + 1.0 / WITH_TOPIC as f64;
    let lists = 1.0 / crate::site::PER_PAGE as f64;
    let articles = (pages as f64 / PAPERS.len() as f64 / (1.0 + other + lists)) as usize;
    PAPERS.iter().flat_map(|paper| pages_of(paper, articles)).collect()
}

fn pages_of(paper: &'static Paper, articles: usize) -> Vec<Page> {
    let site = Site::with_articles(paper, (0..articles).map(|number| varied(paper, number)).collect());
    let mut pages = Vec::new();
    let mut add = |path: String, html: String, week: usize| {
        let html = html.replace("</body>", &format!("{}</body>", week_links(&site, week)));
        pages.push(page(paper, path, "text/html; charset=utf-8", html.into_bytes()));
    };
    let served = |path: &str| {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        String::from_utf8_lossy(&site.answer(path, query).body).into_owned()
    };
    add("/".into(), served("/"), 0);
    for section in &paper.sections {
        for number in 1..=site.pages(section.slug) {
            let path = paper.section_path(section.slug, number);
            let html = served(&path);
            add(path, html, 0);
        }
    }
    for (at, article) in site.articles.iter().enumerate() {
        let path = site.path(article);
        let html = site.article_html(article, &path);
        add(path, html, at / OF_A_WEEK);
        if at.is_multiple_of(WITH_SECOND_VERSION) {
            add(second_path(&site, article), second_version(&site, article), at / OF_A_WEEK);
        }
        if at.is_multiple_of(WITH_GALLERY) {
            add(gallery_path(article), gallery(&site, article), at / OF_A_WEEK);
        }
        if at.is_multiple_of(WITH_TOPIC) {
            add(topic_path(article), topic(&site, at), at / OF_A_WEEK);
        }
    }
    let robots = b"User-agent: *\nDisallow: /private/\nDisallow: /search\n".to_vec();
    pages.push(page(paper, "/robots.txt".into(), "text/plain", robots));
    pages
}

fn page(paper: &Paper, path: String, content_type: &'static str, body: Vec<u8>) -> Page {
    Page { host: paper.host.to_owned(), path, content_type, body }
}

/// Returns the article with this number: a bundled article with its words in another order.
fn varied(paper: &Paper, number: usize) -> Article {
    let (name, text) = paper.texts[number % paper.texts.len()];
    // A test parses every bundled article.
    let article = Article::parse(name, text).expect("the bundled articles are well formed");
    let mut draw = Draw::new(paper.host.len(), number);
    let body = article.body.iter().map(|block| match block {
        Block::Paragraph(spans) => Block::Paragraph(mixed(spans, &mut draw)),
        Block::Subheading(text) => Block::Subheading(shuffled(text, &mut draw)),
    });
    Article {
        number: u32::try_from(number).unwrap_or(u32::MAX),
        slug: format!("{}-{number}", article.slug),
        title: shuffled(&article.title, &mut Draw::new(0, number)),
        published: earlier(&article.published, number),
        standfirst: mixed(&article.standfirst, &mut Draw::new(1, number)),
        body: body.collect(),
        ..article.clone()
    }
}

fn mixed(spans: &[Span], draw: &mut Draw) -> Vec<Span> {
    let mixed = spans.iter().map(|span| match span {
        Span::Text(text) => Span::Text(shuffled(text, draw)),
        other => other.clone(),
    });
    mixed.collect()
}

/// Shuffles the words between the first and the last word.
fn shuffled(text: &str, draw: &mut Draw) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in (2..words.len().saturating_sub(1)).rev() {
        words.swap(at, 1 + draw.below(at));
    }
    words.join(" ")
}

fn earlier(published: &Published, hours: usize) -> Published {
    let hours = i64::try_from(hours).unwrap_or(i64::MAX);
    let local = published.local.saturating_sub(jiff::SignedDuration::from_hours(hours));
    let offset = published.iso.get(19..).unwrap_or("Z");
    let iso = format!("{}{offset}", local.strftime("%Y-%m-%dT%H:%M:%S"));
    Published::parse(&iso).unwrap_or_else(|_| published.clone())
}

fn second_path(site: &Site, article: &Article) -> String {
    format!("/amp{}", site.path(article))
}

fn gallery_path(article: &Article) -> String {
    format!("/gallery/{}-{}", article.slug, article.number)
}

fn topic_path(article: &Article) -> String {
    format!("/topic/{}", article.number)
}

fn second_version(site: &Site, article: &Article) -> String {
    let mut html = format!(
        "<!DOCTYPE html><html amp lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <link rel=\"canonical\" href=\"{}\"></head><body><main><h1>{title}</h1><p class=\"lead\">{}</p>",
        site.paper.language.tag(),
        site.paper.url(&site.path(article)),
        inline(site, &article.standfirst),
        title = escape(&article.title),
    );
    for block in &article.body {
        let _ = match block {
            Block::Paragraph(spans) => writeln!(html, "<p>{}</p>", inline(site, spans)),
            Block::Subheading(text) => writeln!(html, "<h2>{}</h2>", escape(text)),
        };
    }
    html + "</main></body></html>"
}

fn gallery(site: &Site, article: &Article) -> String {
    let mut main = String::from("<div class=\"gallery\">");
    for picture in 1..=PICTURES {
        let caption = shuffled(&article.caption, &mut Draw::new(picture, article.number as usize));
        let _ = writeln!(
            main,
            "<figure><a href=\"#{picture}\"><img src=\"/p/{}-{picture}.jpg\" alt=\"\"></a><figcaption>{} \
             ({picture}/{PICTURES})</figcaption></figure>",
            article.number,
            escape(&caption)
        );
    }
    main.push_str("</div>");
    site.framed_html(&article.title, &main)
}

fn topic(site: &Site, at: usize) -> String {
    let mut main = String::from("<ul class=\"topic\">");
    for other in site.articles.iter().cycle().skip(at).take(OF_A_TOPIC.min(site.articles.len())) {
        let _ = writeln!(
            main,
            "<li><a href=\"{}\"><img src=\"/p/{}.jpg\" alt=\"\"></a><h3><a href=\"{0}\">{}</a></h3><p>{}</p></li>",
            site.path(other),
            other.number,
            escape(&other.title),
            escape(&teaser(&plain(&other.standfirst)))
        );
    }
    main.push_str("</ul>");
    site.framed_html(&site.articles[at].tags.join(", "), &main)
}

fn week_links(site: &Site, week: usize) -> String {
    let mut out = String::from("<div class=\"week\"><ul>\n");
    let mut link = |path: &str, title: &str| {
        let _ = writeln!(out, "<li class=\"w\"><a href=\"{path}\" title=\"\">{}</a></li>", escape(title));
    };
    for (at, article) in site.articles.iter().enumerate().skip(week * OF_A_WEEK).take(OF_A_WEEK) {
        link(&site.path(article), &article.title);
        if at.is_multiple_of(WITH_SECOND_VERSION) {
            link(&second_path(site, article), "AMP");
        }
        if at.is_multiple_of(WITH_GALLERY) {
            link(&gallery_path(article), &article.title);
        }
        if at.is_multiple_of(WITH_TOPIC) {
            link(&topic_path(article), &article.tags.join(", "));
        }
    }
    out.push_str("</ul></div>\n");
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_pages_differ_and_every_link_of_the_last_block_leads_to_one() {
        let pages = large_newspaper(400);
        assert!((380..420).contains(&pages.len()), "{}", pages.len());
        let paths: HashSet<(&str, &str)> =
            pages.iter().map(|page| (page.host.as_str(), page.path.as_str())).collect();
        assert_eq!(paths.len(), pages.len());
        let bodies: HashSet<&[u8]> = pages.iter().map(|page| page.body.as_slice()).collect();
        // Both papers have the same robots.txt.
        assert_eq!(bodies.len(), pages.len() - 1);
        for page in pages.iter().filter(|page| page.path != "/robots.txt") {
            let html = String::from_utf8(page.body.clone()).unwrap();
            let block = html.rsplit("class=\"week\"").next().unwrap();
            let links: Vec<&str> =
                block.split("href=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
            assert!(!links.is_empty(), "{}", page.path);
            for link in links {
                assert!(paths.contains(&(page.host.as_str(), link)), "{link} on {}", page.path);
            }
        }
    }
}
