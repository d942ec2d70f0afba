//! Renders the article pages of both papers after a redesign. The new design has other elements and class
//! names, in another order, and other boilerplate. Lists and the front page are unchanged.
//!
//! The design depends on a count and not on time. A paper serves a number of article pages in the old design,
//! and all later article pages in the new design. Therefore crawls with the same order of requests get the
//! same pages.

use crate::article::{Article, Block, plain};
use crate::comments::{advertisement, comments};
use crate::markup::{escape, inline, json, teaser};
use crate::paper::Language;
use crate::site::Site;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[derive(Debug)]
pub(crate) struct Redesign {
    pub after: usize,
    pub every: usize,
    pub answered: AtomicUsize,
}

impl Redesign {
    /// Counts an article page. Returns whether this page has the new design.
    pub(crate) fn has_come(&self) -> bool {
        let later = self.answered.fetch_add(1, Relaxed).checked_sub(self.after);
        later.is_some_and(|later| later % self.every == 0)
    }
}

pub(crate) fn article(site: &Site, article: &Article, path: &str, charset: &str) -> String {
    let words = Words::from_language(site.paper.language);
    format!(
        r#"<!doctype html>
<html lang="{lang}"><head><meta charset="{charset}"><title>{title} — {name}</title>
{json_ld}</head>
<body class="theme-new">
<div class="bar"><a class="brand" href="/">{name}</a>{menu}</div>
<div class="grid">
<div class="left"><div class="box-head">{most_read}</div>
{popular}</div>
<div class="centre">
<div class="text-block">
{body}</div>
<div class="talk"><div class="box-head">{talk}</div>
{thread}</div>
<div class="next"><div class="box-head">{next}</div>
{related}</div>
<div class="who"><span class="signed">{author}</span><span class="when">{date}</span></div>
</div></div>
<div class="bottom"><div>{address}</div><div>© 2026 {name}</div></div>
</body></html>
"#,
        lang = site.paper.language.tag(),
        title = escape(&article.title),
        name = site.paper.name,
        json_ld = json_ld(site, article, path),
        menu = menu(site),
        popular = popular(site),
        most_read = words.most_read,
        body = body(site, article, path),
        talk = words.talk,
        thread = thread(site, article),
        next = words.next,
        related = related(site, article),
        author = escape(&article.author),
        date = site.paper.date(&article.published),
        address = words.address,
    )
}

struct Words {
    most_read: &'static str,
    talk: &'static str,
    next: &'static str,
    address: &'static str,
}

impl Words {
    fn from_language(language: Language) -> Self {
        match language {
            Language::Vietnamese => Self {
                most_read: "Đọc nhiều trong tuần",
                talk: "Bạn đọc bàn luận",
                next: "Đọc tiếp",
                address: "Báo Làng bộ mới. Tòa soạn: số 3 ngõ Đa, làng Hạ Sậy.",
            },
            Language::English => Self {
                most_read: "What the village reads",
                talk: "Your say",
                next: "Read next",
                address: "The new Village Post, from 2 Pump Lane, Little Harrow.",
            },
        }
    }
}

fn json_ld(site: &Site, article: &Article, path: &str) -> String {
    format!(
        "<link rel=\"canonical\" href=\"{url}\">\n<script type=\"application/ld+json\">\
         {{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\"headline\":{title},\
         \"datePublished\":{date},\"author\":{{\"@type\":\"Person\",\"name\":{author}}}}}</script>\n",
        url = site.paper.url(path),
        title = json(&article.title),
        date = json(&article.published.iso),
        author = json(&article.author),
    )
}

fn body(site: &Site, article: &Article, path: &str) -> String {
    let mut out = format!("<h1 class=\"head-line\">{}</h1>\n", escape(&article.title));
    let _ = writeln!(out, "<p class=\"opening\">{}</p>", inline(site, &article.standfirst));
    for (n, block) in article.body.iter().enumerate() {
        let _ = match block {
            Block::Paragraph(spans) => writeln!(out, "<p class=\"para\">{}</p>", inline(site, spans)),
            Block::Subheading(text) => writeln!(out, "<h3 class=\"cross\">{}</h3>", escape(text)),
        };
        if n == 1 {
            let _ = writeln!(
                out,
                "<div class=\"promo\"><a rel=\"sponsored\" href=\"{}{}\">{}</a></div>",
                site.paper.odd.ads,
                article.number % 5,
                escape(advertisement(site.paper.language, path))
            );
        }
    }
    out
}

fn menu(site: &Site) -> String {
    let link = |slug: &str, name: &str| format!("<a href=\"/{slug}\">{name}</a>");
    site.paper.sections.iter().map(|section| link(section.slug, section.name)).collect()
}

fn popular(site: &Site) -> String {
    let link = |article: &Article| {
        format!(
            "<div class=\"row\"><a href=\"{}\">{}</a></div>\n",
            site.path(article),
            escape(&article.title)
        )
    };
    site.articles.iter().take(6).map(link).collect()
}

fn thread(site: &Site, article: &Article) -> String {
    let comment = |comment: crate::comments::Comment| {
        format!(
            "<div class=\"voice\"><span class=\"nick\">{}</span><div class=\"said\">{}</div></div>\n",
            escape(&comment.name),
            escape(&comment.text)
        )
    };
    comments(site.paper.language, article).into_iter().map(comment).collect()
}

fn related(site: &Site, article: &Article) -> String {
    let tile = |other: &Article| {
        format!(
            "<div class=\"tile\"><a href=\"{}\">{}</a><div class=\"tease\">{}</div></div>\n",
            site.path(other),
            escape(&other.title),
            escape(&teaser(&plain(&other.standfirst)))
        )
    };
    site.related(article).into_iter().map(tile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::PAPERS;

    #[test]
    fn after_so_many_article_pages_the_design_is_another() {
        for paper in &PAPERS {
            let site = Site::new(paper, 8, false, Some((3, 1)));
            let pages: Vec<String> = site
                .articles
                .iter()
                .map(|article| site.answer(&site.path(article), None).body)
                .map(|body| String::from_utf8_lossy(&body).into_owned())
                .collect();
            let new: Vec<bool> = pages.iter().map(|page| page.contains("theme-new")).collect();
            assert_eq!(new, [false, false, false, true, true, true, true, true]);
            for (article, page) in site.articles.iter().zip(&pages).skip(6) {
                for span in article.paragraphs() {
                    let first = span.split(['&', '"', '\'']).next().unwrap_or_default();
                    let first: Vec<_> = first.split_whitespace().take(3).collect();
                    assert!(page.contains(&first.join(" ")), "{first:?}");
                }
            }
        }
    }
}
