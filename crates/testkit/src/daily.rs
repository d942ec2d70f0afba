//! Generates two papers with new articles every day, for crawls over many nights. The test sets the time.
//!
//! A new article appears after each interval [`EVERY`], in alternating sections. It stays in the lists until
//! newer articles replace it. One of every [`CORRECTED`] articles is corrected. The time between its
//! appearance and its correction is [`LATER`]. `daily.example` has all sources of articles: a feed of the
//! latest articles, a feed to which only one section links, a news sitemap, and an index of monthly sitemaps
//! with the times of their last changes. `bare.example` has only a front page and sections. The front page
//! never links to the section "letters".
//!
//! Tests use the papers to check which lists and pages a nightly crawl visits. The texts are random words
//! (`generated_papers.rs`) and the lists are short, so the papers are not suitable for testing extraction.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hyper::StatusCode;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::generated_papers::Draw;
use crate::page_response::PageResponse;

/// The time between two articles of a paper, which yields 72 articles a day.
pub(crate) const EVERY: SignedDuration = SignedDuration::from_mins(20);
/// One of every `CORRECTED` articles is corrected.
pub(crate) const CORRECTED: usize = 12;
/// The time from an article's appearance to its correction.
pub(crate) const LATER: SignedDuration = SignedDuration::from_hours(5);
const FOUNDED: Timestamp = Timestamp::constant(1_793_491_200, 0);

/// The maximum number of articles on the front page, on a page of a section, and in a feed.
const ON_FRONT: usize = 30;
const ON_PAGE: usize = 12;
const IN_FEED: usize = 20;
const PAGES: usize = 30;
const PARAGRAPHS: usize = 8;

/// The sections, each with its number of articles among 24 consecutive articles.
const SECTIONS: [(&str, usize); 6] =
    [("news", 9), ("world", 6), ("sport", 4), ("culture", 3), ("farming", 1), ("letters", 1)];
const LETTERS: &str = "letters";
/// The section with its own feed. Only the page of this section links to the feed.
const WITH_FEED: &str = "world";

/// The two papers. The test sets their current time. All clones have the same time.
#[derive(Debug, Clone)]
pub struct Daily(Arc<AtomicI64>);

impl PartialEq for Daily {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Daily {}

/// The state of an article at the current time of the papers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The article's address.
    pub url: String,
    /// When the article appeared.
    pub published: Timestamp,
    /// When the article was corrected, or `None` if it is not corrected yet.
    pub corrected: Option<Timestamp>,
    /// The article's paragraphs, one per line.
    pub text: String,
}

impl Daily {
    /// Creates the two newspapers. `now` is their initial current time.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(now.as_second())))
    }

    /// Sets the time for this value and all clones.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_second(), Ordering::Release);
    }

    /// Returns the time of the papers.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::Acquire)).unwrap_or(FOUNDED)
    }

    /// Returns the addresses of the front pages.
    #[must_use]
    pub const fn seeds() -> [&'static str; 2] {
        ["http://daily.example/", "http://bare.example/"]
    }

    /// Returns all articles of a host that have appeared so far, oldest first.
    pub fn issues<'a>(&'a self, host: &'a str) -> impl Iterator<Item = Issue> + 'a {
        (0..self.count()).map(move |number| self.issue(host, number))
    }

    fn issue(&self, host: &str, number: usize) -> Issue {
        Issue {
            url: format!("http://{host}{}", path_of(number)),
            published: published(number),
            corrected: corrected(number).filter(|at| *at <= self.now()),
            text: self.paragraphs(host, number).join("\n"),
        }
    }

    fn count(&self) -> usize {
        let age = self.now().duration_since(FOUNDED).as_secs();
        usize::try_from(age / EVERY.as_secs()).map_or(0, |number| number + 1)
    }

    fn newest(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.count()).rev()
    }

    fn paragraphs(&self, host: &str, number: usize) -> Vec<String> {
        let mut draw = Draw::new(host.len(), number);
        let mut paragraphs: Vec<String> = (0..PARAGRAPHS).map(|_| format!("{}.", draw.words(60))).collect();
        if corrected(number).is_some_and(|at| at <= self.now()) {
            paragraphs[1] = format!("This story was corrected: {}.", draw.words(60));
        }
        paragraphs
    }

    pub(crate) fn serves(host: &str) -> bool {
        matches!(host, "daily.example" | "bare.example")
    }

    pub(crate) fn answer(&self, host: &str, path: &str, query: Option<&str>) -> PageResponse {
        let is_bare = host == "bare.example";
        match path {
            "/" => self.front(host, is_bare),
            "/robots.txt" if is_bare => {
                PageResponse::text(StatusCode::OK, "User-agent: *\nDisallow: /private/\n")
            }
            "/robots.txt" => PageResponse::text(
                StatusCode::OK,
                &format!("User-agent: *\nDisallow: /private/\nSitemap: http://{host}/sitemap.xml\n"),
            ),
            "/sitemap.xml" if !is_bare => self.index(host),
            "/news-sitemap.xml" if !is_bare => self.news_sitemap(host),
            "/feed.xml" if !is_bare => {
                self.feed(host, self.newest().filter(|number| section(*number) != LETTERS))
            }
            "/world/feed.xml" if !is_bare => {
                self.feed(host, self.newest().filter(|number| section(*number) == WITH_FEED))
            }
            path => self
                .month(host, path)
                .filter(|_| !is_bare)
                .or_else(|| self.list(host, path, query))
                .or_else(|| self.article(host, path))
                .unwrap_or_else(missing),
        }
    }

    fn front(&self, host: &str, is_bare: bool) -> PageResponse {
        let mut page = head("Front page");
        if !is_bare {
            page.push_str("<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">");
        }
        page.push_str("<body>");
        page.push_str(&menu());
        links(&mut page, host, self.newest().filter(|number| section(*number) != LETTERS).take(ON_FRONT));
        html(page, self.now())
    }

    fn list(&self, host: &str, path: &str, query: Option<&str>) -> Option<PageResponse> {
        let (name, _) = SECTIONS.iter().find(|(name, _)| path.strip_prefix('/') == Some(name))?;
        let number: usize = query.map_or(Some(1), |query| query.strip_prefix("page=")?.parse().ok())?;
        let own = self.newest().filter(|article| section(*article) == *name);
        let pages = own.clone().count().div_ceil(ON_PAGE).clamp(1, PAGES);
        let mut page = head(name);
        if *name == WITH_FEED && host != "bare.example" {
            page.push_str("<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/world/feed.xml\">");
        }
        page.push_str("<body>");
        page.push_str(&menu());
        let shown: Vec<usize> = own.skip((number.checked_sub(1)?) * ON_PAGE).take(ON_PAGE).collect();
        let newest = shown.first().map(|number| published(*number));
        links(&mut page, host, shown.into_iter());
        if number < pages {
            push(&mut page, format_args!("<p><a href=\"/{name}?page={}\">More</a></p>", number + 1));
        }
        (number <= pages).then(|| html(page, newest.unwrap_or(FOUNDED)))
    }

    fn article(&self, host: &str, path: &str) -> Option<PageResponse> {
        let number = number_of(path).filter(|number| *number < self.count() && path_of(*number) == path)?;
        let (issue, title) = (self.issue(host, number), title(host, number));
        let mut page = head(&title);
        push(
            &mut page,
            format_args!(
                "<meta property=\"article:published_time\" content=\"{}\"><body>{}<div class=story><h1>{title}</h1>",
                issue.published,
                menu()
            ),
        );
        issue.text.lines().for_each(|line| push(&mut page, format_args!("<p>{line}</p>\n")));
        page.push_str("</div><h3>Most read this week</h3>");
        let week = number / 504 * 504;
        links(&mut page, host, (week.saturating_sub(5)..week).rev());
        Some(html(page, issue.corrected.unwrap_or(issue.published)))
    }

    fn feed(&self, host: &str, numbers: impl Iterator<Item = usize>) -> PageResponse {
        let mut text =
            String::from("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>The Daily</title>");
        for number in numbers.take(IN_FEED) {
            let date = published(number).strftime("%a, %d %b %Y %H:%M:%S GMT");
            push(
                &mut text,
                format_args!(
                    "<item><title>{}</title><link>http://{host}{}</link><pubDate>{date}</pubDate></item>",
                    title(host, number),
                    path_of(number)
                ),
            );
        }
        PageResponse::ok("application/rss+xml", (text + "</channel></rss>").into_bytes(), self.now())
    }

    fn news_sitemap(&self, host: &str) -> PageResponse {
        let of_two_days = self
            .newest()
            .take_while(|number| published(*number) > self.now() - SignedDuration::from_hours(48));
        let entry = |text: &mut String, number: usize| {
            push(
                text,
                format_args!(
                    "<url><loc>http://{host}{}</loc><news:news><news:publication_date>{}</news:publication_date></news:news></url>",
                    path_of(number),
                    published(number)
                ),
            );
        };
        let mut text = String::from(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\">",
        );
        of_two_days.for_each(|number| entry(&mut text, number));
        PageResponse::ok("application/xml", (text + "</urlset>").into_bytes(), self.now())
    }

    /// Returns the sitemap index. It lists the news sitemap and one sitemap per month, with the time of its
    /// last change.
    fn index(&self, host: &str) -> PageResponse {
        let mut months: Vec<(String, Timestamp)> = Vec::new();
        for number in 0..self.count() {
            let changed = changed(number, self.now());
            match months.last_mut() {
                Some((month, last)) if *month == month_of(number) => *last = changed.max(*last),
                _ => months.push((month_of(number), changed)),
            }
        }
        let mut text = format!("<sitemapindex><sitemap><loc>http://{host}/news-sitemap.xml</loc></sitemap>");
        for (month, changed) in months {
            push(
                &mut text,
                format_args!(
                    "<sitemap><loc>http://{host}/sitemap-{month}.xml</loc><lastmod>{changed}</lastmod></sitemap>"
                ),
            );
        }
        PageResponse::ok("application/xml", (text + "</sitemapindex>").into_bytes(), self.now())
    }

    fn month(&self, host: &str, path: &str) -> Option<PageResponse> {
        let month = path.strip_prefix("/sitemap-")?.strip_suffix(".xml")?;
        let own: Vec<usize> = self.newest().filter(|number| month_of(*number) == month).collect();
        let newest = own.iter().map(|number| changed(*number, self.now())).max()?;
        let mut text = String::from("<urlset>");
        for number in own {
            push(
                &mut text,
                format_args!(
                    "<url><loc>http://{host}{}</loc><lastmod>{}</lastmod></url>",
                    path_of(number),
                    changed(number, self.now())
                ),
            );
        }
        Some(PageResponse::ok("application/xml", (text + "</urlset>").into_bytes(), newest))
    }
}

fn published(number: usize) -> Timestamp {
    let number = i32::try_from(number).unwrap_or(i32::MAX);
    FOUNDED + EVERY.checked_mul(number).unwrap_or(SignedDuration::ZERO)
}

fn corrected(number: usize) -> Option<Timestamp> {
    number.is_multiple_of(CORRECTED).then(|| published(number) + LATER)
}

fn changed(number: usize, now: Timestamp) -> Timestamp {
    corrected(number).filter(|at| *at <= now).unwrap_or_else(|| published(number))
}

fn month_of(number: usize) -> String {
    published(number).to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

/// Returns the section of an article. The order repeats every eight hours.
fn section(number: usize) -> &'static str {
    let mut place = (number * 7) % 24;
    for (name, share) in SECTIONS {
        if place < share {
            return name;
        }
        place -= share;
    }
    LETTERS
}

fn path_of(number: usize) -> String {
    format!("/{}/what-happened-at-the-bridge-{}.html", section(number), 100_000 + number)
}

fn number_of(path: &str) -> Option<usize> {
    let (_, number) = path.strip_suffix(".html")?.rsplit_once('-')?;
    number.parse::<usize>().ok()?.checked_sub(100_000)
}

fn title(host: &str, number: usize) -> String {
    Draw::new(host.len() + 100, number).words(7)
}

fn head(title: &str) -> String {
    format!("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title} - The Daily</title>")
}

fn menu() -> String {
    let entries: String =
        SECTIONS.iter().map(|(name, _)| format!("<li><a href=\"/{name}\">{name}</a></li>")).collect();
    format!("<ul class=menu>{entries}</ul>")
}

fn links(page: &mut String, host: &str, numbers: impl Iterator<Item = usize>) {
    page.push_str("<ul class=list>");
    for number in numbers {
        push(page, format_args!("<li><a href=\"{}\">{}</a></li>\n", path_of(number), title(host, number)));
    }
    page.push_str("</ul>");
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to memory does not fail");
}

fn html(page: String, modified: Timestamp) -> PageResponse {
    PageResponse::ok("text/html; charset=utf-8", (page + "</body></html>").into_bytes(), modified)
}

fn missing() -> PageResponse {
    PageResponse::text(StatusCode::NOT_FOUND, "No such page.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(daily: &Daily, path: &str) -> String {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let answer = daily.answer("daily.example", path, query);
        assert_eq!(answer.status, 200, "{path}");
        String::from_utf8(answer.body).unwrap()
    }

    #[test]
    fn articles_appear_are_corrected_and_leave_the_lists() {
        let daily = Daily::at(FOUNDED + SignedDuration::from_hours(30));
        assert_eq!(daily.issues("daily.example").count(), 91);
        let first = path_of(0);
        assert!(!text(&daily, "/").contains(&first));
        assert!(text(&daily, "/sitemap-2026-11.xml").contains(&first));
        assert!(text(&daily, &first).contains("corrected"));
        let newest = path_of(90);
        assert!(text(&daily, "/").contains(&newest));
        daily.set(FOUNDED + SignedDuration::from_hours(29));
        assert_eq!(daily.answer("daily.example", &newest, None).status, 404);
    }

    #[test]
    fn all_articles_stand_in_the_lists_of_their_sections() {
        let daily = Daily::at(FOUNDED + SignedDuration::from_hours(48));
        for number in 0..daily.count() {
            let name = section(number);
            let pages = (1..=PAGES).map_while(|page| {
                let answer = daily.answer("bare.example", &format!("/{name}"), Some(&format!("page={page}")));
                (answer.status == 200).then(|| String::from_utf8(answer.body).unwrap())
            });
            assert_eq!(pages.filter(|page| page.contains(&path_of(number))).count(), 1, "{number}");
        }
    }
}
