//! Generates many papers for load tests. Every page is computed from its address.
//!
//! A paper has a front page, a robots.txt, a sitemap at the usual path, and articles that link to the next
//! articles. The hosts `paper-0.example`, `paper-1.example` and so on have different class names and a
//! different order of boilerplate, so each needs its own template. All texts differ, except agency articles.
//! A front page also links to the last article of the next paper.
//!
//! The texts are random words from a short list. Fetching, extracting and storing a page takes as long as for
//! a small real article (about 12 KB). However, the texts are not suitable for evaluating extraction.

use std::fmt::Write as _;

use hyper::StatusCode;

use crate::page_response::PageResponse;

/// The numbers of generated papers and articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratedPapers {
    /// The number of newspapers, each with its own host name.
    pub hosts: usize,
    /// The number of articles in each paper.
    pub articles: usize,
    /// The number of articles in the sitemap. 0 means that there is no sitemap.
    pub listed: usize,
    /// The number of agency articles. These are the first articles, and have the same text in all papers.
    pub wire: usize,
    /// The number of papers whose robots.txt redirects to another paper. These are the last papers. The first
    /// of these papers redirects to paper 0, the second to paper 1, and so on.
    pub redirected: usize,
}

const PARAGRAPHS: u64 = 14;
const ON_FRONT: usize = 20;
const RELATED: usize = 4;

#[rustfmt::skip]
const WORDS: [&str; 64] = [
    "the", "council", "river", "of", "a", "bridge", "school", "and", "was", "opened", "on", "market",
    "by", "farmers", "who", "had", "waited", "for", "years", "until", "rain", "came", "down", "from",
    "hills", "where", "nobody", "lives", "but", "old", "miller", "said", "that", "water", "would",
    "reach", "road", "before", "evening", "with", "many", "people", "watching", "its", "slow", "rise",
    "over", "stones", "which", "children", "counted", "aloud", "while", "their", "teacher", "wrote",
    "numbers", "into", "small", "green", "book", "kept", "since", "spring",
];

impl GeneratedPapers {
    /// Returns the addresses of the front pages.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        (0..self.hosts).map(|host| format!("http://paper-{host}.example/")).collect()
    }

    /// Returns the paths of a paper's articles. The paths are the same in every paper.
    pub fn article_paths(&self) -> impl Iterator<Item = String> {
        (0..self.articles).map(Self::article_path)
    }

    /// Returns the path of an article. Articles are numbered from 0.
    #[must_use]
    pub fn article_path(article: usize) -> String {
        format!("/news/2026/11/a-story-that-is-number-{article}.html")
    }

    /// Returns a text as long as an article, for tests without a server. Each `number` yields a different
    /// text.
    #[must_use]
    pub fn text(number: usize) -> String {
        let mut draw = Draw::new(usize::MAX, number);
        let paragraphs: Vec<String> = (0..PARAGRAPHS).map(|_| draw.words(90)).collect();
        paragraphs.join("\n")
    }

    pub(crate) fn answer(&self, host: &str, path: &str) -> PageResponse {
        let number = host.strip_prefix("paper-").and_then(|rest| rest.strip_suffix(".example"));
        let number = number.and_then(|number| number.parse().ok()).filter(|number| *number < self.hosts);
        let Some(paper) = number else { return missing() };
        let first_redirected = self.hosts.saturating_sub(self.redirected);
        match path {
            "/" => html(self.front(paper)),
            "/robots.txt" if paper >= first_redirected => {
                let target = (paper - first_redirected) % first_redirected.max(1);
                let target = format!("http://paper-{target}.example/robots.txt");
                PageResponse::redirect(StatusCode::FOUND, target)
            }
            "/robots.txt" => {
                let text = format!(
                    "User-agent: *\nDisallow: /private/\nContent-Signal: search=yes, ai-train=no\n\n\
                     User-agent: CCBot\nDisallow: /\n\nSitemap: http://{host}/sitemap.xml\n"
                );
                PageResponse::text(StatusCode::OK, &text)
            }
            "/sitemap.xml" if self.listed > 0 => self.sitemap(host),
            path => match article_of(path).filter(|article| *article < self.articles) {
                Some(article) => html(self.article(paper, article)),
                None => missing(),
            },
        }
    }

    fn front(&self, paper: usize) -> String {
        let mut page = format!("<!DOCTYPE html><html lang=en><title>Paper {paper}</title><body><ul>");
        for article in 0..self.articles.min(ON_FRONT) {
            push_link(&mut page, paper, article);
        }
        let (next, last) = ((paper + 1) % self.hosts, self.articles.saturating_sub(1));
        let title = Draw::new(next, last).words(7);
        let path = Self::article_path(last);
        push(&mut page, format_args!("<li><a href=\"http://paper-{next}.example{path}\">{title}</a></li>\n"));
        page + "</ul></body></html>"
    }

    fn sitemap(&self, host: &str) -> PageResponse {
        let mut text = String::from(
            r#"<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">"#,
        );
        for path in self.article_paths().take(self.listed) {
            push(&mut text, format_args!("<url><loc>http://{host}{path}</loc></url>"));
        }
        text.push_str("</urlset>");
        PageResponse::plain(StatusCode::OK, "application/xml", text.into_bytes())
    }

    fn article(&self, paper: usize, article: usize) -> String {
        let mut draw = Draw::new(if article < self.wire { 0 } else { paper }, article);
        let title = draw.words(7);
        let mut page = format!(
            "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title} - Paper {paper}</title>\
             <meta property=\"article:published_time\" content=\"2026-11-{:02}T08:00:00Z\"></head><body>",
            1 + article % 28
        );
        let furniture = ["menu", "offers", "ticker"];
        for at in 0..furniture.len() {
            let name = furniture[(at + paper) % furniture.len()];
            push(&mut page, format_args!("<div class=\"{name}-{paper}\"><ul>"));
            for entry in 0..12 {
                push(&mut page, format_args!("<li><a href=\"/{name}/{entry}.css\">{name} {entry}</a></li>"));
            }
            page.push_str("</ul></div>");
        }
        push(
            &mut page,
            format_args!("<div class=\"story-{paper}\"><h1>{title}</h1><p class=by>By A. Writer</p>"),
        );
        for _ in 0..PARAGRAPHS {
            push(&mut page, format_args!("<p>{}.</p>\n", draw.words(90)));
        }
        push(&mut page, format_args!("</div><div class=\"related-{paper}\"><h3>Read next</h3><ul>"));
        for next in 1..=RELATED {
            push_link(&mut page, paper, (article + next) % self.articles);
        }
        push(
            &mut page,
            format_args!("</ul></div><p class=foot-{paper}>All rights are with paper {paper}.</p>"),
        );
        page + "</body></html>"
    }
}

fn article_of(path: &str) -> Option<usize> {
    path.strip_prefix("/news/2026/11/a-story-that-is-number-")?.strip_suffix(".html")?.parse().ok()
}

fn push_link(page: &mut String, paper: usize, article: usize) {
    let title = Draw::new(paper, article).words(7);
    push(page, format_args!("<li><a href=\"{}\">{title}</a></li>\n", GeneratedPapers::article_path(article)));
}

fn push(page: &mut String, what: std::fmt::Arguments<'_>) {
    page.write_fmt(what).expect("writing to memory does not fail");
}

fn html(page: String) -> PageResponse {
    PageResponse::plain(StatusCode::OK, "text/html; charset=utf-8", page.into_bytes())
}

fn missing() -> PageResponse {
    PageResponse::text(StatusCode::NOT_FOUND, "No such page.\n")
}

/// Random words from the generator xorshift (Marsaglia 2003, 64 bits). The seed depends on paper and article.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(paper: usize, article: usize) -> Self {
        let seed = (paper as u64) << 32 | article as u64;
        // The state must not be zero. The first numbers are skipped, because they are similar for similar
        // seeds.
        let mut draw = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..8).for_each(|_| _ = draw.next());
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `below`, which must not be 0.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        (self.next() >> 32) as usize % below
    }

    pub(crate) fn words(&mut self, count: usize) -> String {
        let mut text = String::new();
        for at in 0..count {
            if at > 0 {
                text.push_str(if at % 15 == 0 { ". " } else { " " });
            }
            text.push_str(WORDS[(self.next() >> 58) as usize]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_article_is_there_and_no_two_are_one() {
        let generated = GeneratedPapers { hosts: 3, articles: 40, listed: 40, wire: 0, redirected: 0 };
        let mut seen = HashSet::new();
        for host in ["paper-0.example", "paper-2.example"] {
            for path in generated.article_paths() {
                let answer = generated.answer(host, &path);
                assert_eq!(answer.status, 200, "{host}{path}");
                let text = String::from_utf8(answer.body).unwrap();
                let story = text.split("class=by").nth(1).unwrap().split("</div>").next().unwrap().to_owned();
                assert!(seen.insert(story), "{host}{path}");
            }
        }
    }

    #[test]
    fn what_an_agency_wrote_is_in_all_papers() {
        let generated = GeneratedPapers { hosts: 3, articles: 4, listed: 0, wire: 1, redirected: 0 };
        let story = |host: &str, article| {
            let text =
                String::from_utf8(generated.answer(host, &GeneratedPapers::article_path(article)).body)
                    .unwrap();
            text.split("class=by").nth(1).unwrap().split("</div>").next().unwrap().to_owned()
        };
        assert_eq!(story("paper-0.example", 0), story("paper-2.example", 0));
        assert_ne!(story("paper-0.example", 1), story("paper-2.example", 1));
    }

    #[test]
    fn what_is_not_there_is_missing() {
        let generated = GeneratedPapers { hosts: 3, articles: 4, listed: 0, wire: 0, redirected: 0 };
        let cases = [
            ("paper-3.example", "/"),
            ("a.example", "/"),
            ("paper-0.example", "/news/2026/11/a-story-that-is-number-4.html"),
            ("paper-0.example", "/sitemap.xml"),
        ];
        for (host, path) in cases {
            assert_eq!(generated.answer(host, path).status, 404, "{host}{path}");
        }
        assert_eq!(generated.answer("paper-1.example", "/").status, 200);
    }
}
