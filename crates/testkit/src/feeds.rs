//! Writes robots.txt (RFC 9309), sitemaps (sitemaps.org 0.9 and news), RSS 2.0 and Atom (RFC 4287).
//!
//! As on real sites, none of these lists is complete. The feed and the news sitemap contain only the newest
//! articles. Only the lists of sections contain the oldest articles.

use crate::article::{Article, plain};
use crate::markup::escape;
use crate::page_response::{PageResponse, gzip_of};
use crate::paper::Language;
use crate::site::{LATEST, Site};
use std::fmt::Write;

const ARTICLES: &str = "/sitemaps/articles.xml.gz";
const NEWS: &str = "/sitemaps/news.xml";
const NEWEST: usize = 5;

pub(crate) fn answer(site: &Site, path: &str) -> Option<PageResponse> {
    let (content_type, body) = match path {
        "/robots.txt" => ("text/plain; charset=utf-8", robots(site).into_bytes()),
        "/sitemap.xml" => ("text/xml; charset=utf-8", index(site).into_bytes()),
        ARTICLES => ("application/gzip", gzip_of(articles(site).as_bytes())),
        NEWS => ("text/xml; charset=utf-8", news(site).into_bytes()),
        path if path == site.paper.feed => match site.paper.language {
            Language::Vietnamese => ("text/xml; charset=utf-8", rss(site).into_bytes()),
            Language::English => ("application/atom+xml", atom(site).into_bytes()),
        },
        _ => return None,
    };
    Some(PageResponse::ok(content_type, body, site.pressed()))
}

fn robots(site: &Site) -> String {
    format!(
        "User-agent: *\nDisallow: /private/\nDisallow: {}\n\nSitemap: {}\n",
        site.paper.odd.search,
        site.paper.url("/sitemap.xml")
    )
}

fn index(site: &Site) -> String {
    let mut out = format!("{XML}<sitemapindex xmlns=\"{SITEMAP}\">\n");
    for path in [ARTICLES, NEWS] {
        let _ = writeln!(
            out,
            "<sitemap><loc>{}</loc><lastmod>{}</lastmod></sitemap>",
            site.paper.url(path),
            site.pressed()
        );
    }
    out.push_str("</sitemapindex>\n");
    out
}

fn articles(site: &Site) -> String {
    let listed = site.articles.len() - site.articles.len() / 9;
    let mut out = format!("{XML}<urlset xmlns=\"{SITEMAP}\">\n");
    for article in &site.articles[..listed] {
        let _ = writeln!(
            out,
            "<url><loc>{}</loc><lastmod>{}</lastmod></url>",
            escape(&url(site, article)),
            article.published.iso
        );
    }
    out.push_str("</urlset>\n");
    out
}

fn news(site: &Site) -> String {
    let language = site.paper.language.tag();
    let mut out = format!("{XML}<urlset xmlns=\"{SITEMAP}\" xmlns:news=\"{NEWS_SITEMAP}\">\n");
    for article in site.articles.iter().take(NEWEST) {
        let _ = writeln!(
            out,
            "<url><loc>{}</loc><news:news><news:publication><news:name>{}</news:name>\
             <news:language>{language}</news:language></news:publication>\
             <news:publication_date>{}</news:publication_date><news:title>{}</news:title></news:news></url>",
            escape(&url(site, article)),
            escape(site.paper.name),
            article.published.iso,
            escape(&article.title)
        );
    }
    out.push_str("</urlset>\n");
    out
}

fn rss(site: &Site) -> String {
    let name = escape(site.paper.name);
    let front = site.paper.front;
    let mut out = format!(
        "{XML}<rss version=\"2.0\"><channel><title>{name}</title><link>{front}</link><description>{name}</description>\n"
    );
    for article in site.articles.iter().take(LATEST) {
        let url = escape(&url(site, article));
        let _ = writeln!(
            out,
            "<item><title>{}</title><link>{url}</link><guid>{url}</guid><pubDate>{}</pubDate>\
             <description><![CDATA[{}]]></description></item>",
            escape(&article.title),
            article.published.moment.strftime("%a, %d %b %Y %H:%M:%S +0000"),
            escape(&plain(&article.standfirst))
        );
    }
    out.push_str("</channel></rss>\n");
    out
}

fn atom(site: &Site) -> String {
    let front = site.paper.front;
    let mut out = format!(
        "{XML}<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>{}</title><id>{front}</id>\
         <link href=\"{front}\"/><updated>{}</updated>\n",
        escape(site.paper.name),
        site.pressed()
    );
    for article in site.articles.iter().take(LATEST) {
        let url = escape(&url(site, article));
        let _ = writeln!(
            out,
            "<entry><title>{}</title><id>{url}</id><link rel=\"alternate\" href=\"{url}\"/>\
             <published>{date}</published><updated>{date}</updated><author><name>{}</name></author>\
             <summary>{}</summary></entry>",
            escape(&article.title),
            escape(&article.author),
            escape(&plain(&article.standfirst)),
            date = article.published.iso
        );
    }
    out.push_str("</feed>\n");
    out
}

fn url(site: &Site, article: &Article) -> String {
    site.paper.url(&site.path(article))
}

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
const NEWS_SITEMAP: &str = "http://www.google.com/schemas/sitemap-news/0.9";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::PAPERS;
    use flate2::read::GzDecoder;
    use quick_xml::{Reader, events::Event};
    use std::io::Read;

    fn texts(xml: &str, element: &str) -> Vec<String> {
        let mut reader = Reader::from_str(xml);
        let (mut found, mut inside) = (Vec::new(), false);
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) => {
                    inside = tag.name().as_ref() == element;
                    if inside {
                        found.push(String::new());
                    }
                }
                Event::Text(text) if inside => {
                    let last = found.last_mut().unwrap();
                    last.push_str(&text);
                }
                Event::End(_) => inside = false,
                Event::Eof => return found,
                _ => {}
            }
        }
    }

    fn body(site: &Site, path: &str) -> Vec<u8> {
        answer(site, path).unwrap_or_else(|| panic!("{path} is served")).body
    }

    fn text(site: &Site, path: &str) -> String {
        String::from_utf8(body(site, path)).unwrap()
    }

    #[test]
    fn sitemaps_lead_to_articles() {
        for paper in &PAPERS {
            let site = Site::new(paper, usize::MAX, false, None);
            let robots = text(&site, "/robots.txt");
            assert!(robots.contains(&format!("Sitemap: {}\n", paper.url("/sitemap.xml"))));
            let maps = texts(&text(&site, "/sitemap.xml"), "loc");
            assert_eq!(maps, [paper.url(ARTICLES), paper.url(NEWS)]);

            let mut xml = String::new();
            GzDecoder::new(body(&site, ARTICLES).as_slice()).read_to_string(&mut xml).unwrap();
            let all: Vec<_> = site.articles.iter().map(|a| url(&site, a)).collect();
            let listed = texts(&xml, "loc");
            assert_eq!(listed, all[..32]);

            let news = text(&site, NEWS);
            assert_eq!(texts(&news, "loc"), all[..NEWEST]);
            let dates = texts(&news, "news:publication_date");
            assert_eq!(dates[0], site.articles[0].published.iso);
        }
    }

    #[test]
    fn feeds_hold_the_latest() {
        let vi = Site::new(&PAPERS[0], usize::MAX, false, None);
        let rss = text(&vi, "/rss.xml");
        assert_eq!(texts(&rss, "guid").len(), LATEST);
        assert_eq!(texts(&rss, "pubDate")[0], "Fri, 20 Nov 2026 02:30:00 +0000");
        let en = Site::new(&PAPERS[1], usize::MAX, false, None);
        let atom = text(&en, "/atom.xml");
        assert_eq!(texts(&atom, "summary").len(), LATEST);
        assert_eq!(texts(&atom, "updated")[1], "2026-11-20T09:30:00+00:00");
    }
}
