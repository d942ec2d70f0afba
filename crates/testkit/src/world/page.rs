//! Answers requests to a site.

use std::fmt::Write as _;

use hyper::StatusCode;
use jiff::Timestamp;

use super::article::{ArticleId, PageKind};
use super::draw::Draw;
use super::lists::ON_PAGE;
use super::{EventKind, World};
use crate::page_response::PageResponse;

const HTML: &str = "text/html; charset=utf-8";
const XML: &str = "application/xml";
/// Seconds of `Retry-After` of a 429.
pub(super) const RETRY_AFTER: u32 = 3_600;
const RELATED: usize = 5;
const MOST_READ: usize = 8;

/// Words of the pages' boilerplate in both languages.
struct Labels {
    related: &'static str,
    most_read: &'static str,
    more: &'static str,
    by: &'static str,
    names: [&'static str; 4],
    foot: &'static str,
    caption: &'static str,
    consent: &'static str,
    subscribe: &'static str,
    advertisement: &'static str,
    letter: &'static str,
    author: &'static str,
    comments: &'static str,
}

const LABELS: [Labels; 2] = [
    Labels {
        related: "Tin liên quan",
        most_read: "Đọc nhiều",
        more: "Xem thêm",
        by: "Theo",
        names: ["Minh Anh", "Hoàng Nam", "Thu Trang", "Quốc Bảo"],
        foot: "Bản quyền thuộc về tòa soạn. Không sao chép nếu chưa được phép.",
        caption: "Ảnh: tư liệu",
        consent: "Chúng tôi sử dụng cookie và xử lý dữ liệu cá nhân. Bấm “Chấp nhận tất cả” để xem tiếp.",
        subscribe: "Đăng ký để đọc tiếp bài viết này. Bạn đã có tài khoản? Đăng nhập.",
        advertisement: "Quảng cáo",
        letter: "Đăng ký nhận bản tin buổi sáng của tòa soạn, mỗi ngày một lá thư.",
        author: "viết về đời sống làng xã và đã làm báo hơn mười năm nay.",
        comments: "Bình luận",
    },
    Labels {
        related: "Related stories",
        most_read: "Most read",
        more: "More",
        by: "By",
        names: ["Ada Brook", "Tom Hale", "Ruth Marsh", "Owen Pike"],
        foot: "All rights reserved. Copying needs the permission of the publisher.",
        caption: "Picture: archive",
        consent: "We value your privacy. We and our partners use cookies. Accept all cookies to continue.",
        subscribe: "Subscribe to continue reading this story. Do you have an account? Log in.",
        advertisement: "Advertisement",
        letter: "Sign up for our morning newsletter, one letter for each day of the week.",
        author: "writes about life in the villages and has been a reporter for ten years.",
        comments: "Comments",
    },
];

/// One request, as the pages of a site see it.
struct Asked<'a> {
    site: usize,
    /// Protocol and host, such as `https://site-01.example`.
    base: &'a str,
    path: &'a str,
    now: Timestamp,
    night: i64,
}

impl Asked<'_> {
    /// Returns a number that depends on the path and the night.
    fn key(&self) -> u64 {
        self.path.bytes().fold(self.night as u64, |key, byte| key.rotate_left(5) ^ u64::from(byte))
    }
}

/// The markup of a site: class names and order. A redesign changes all of it.
struct Design {
    draw: Draw,
    names: Vec<String>,
}

impl Design {
    fn new(key: &[u64]) -> Self {
        let mut draw = Draw::new(key);
        let letter = |draw: &mut Draw| char::from(b'a' + draw.below(26) as u8);
        let names = (0..18).map(|_| (0..6).map(|_| letter(&mut draw)).collect()).collect();
        Self { draw, names }
    }

    fn name(&self, part: usize) -> &str {
        &self.names[part]
    }
}

impl World {
    /// Answers a request for the path, with its query, of a host. `protocol` is `http` or `https`.
    pub(super) fn answer(&self, protocol: &str, host: &str, target: &str, now: Timestamp) -> PageResponse {
        let Some(site) = self.site_of(host) else { return missing() };
        let night = Self::night_at(now);
        let is_on = |kind| self.is_on(site, night, |other| other == kind);
        let domain = self.sites[site].domain(self.moves(site, night));
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let base = format!("{protocol}://{host}");
        let asked = Asked { site, base: &base, path, now, night };
        if is_on(EventKind::Outage) {
            return PageResponse::text(StatusCode::SERVICE_UNAVAILABLE, "The site is down.\n");
        }
        if is_on(EventKind::Broken) || (path == "/robots.txt" && is_on(EventKind::RobotsFails)) {
            return PageResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "An error occurred.\n");
        }
        // Each host has its own robots.txt.
        let wanted = match is_on(EventKind::Www) {
            _ if path == "/robots.txt" => host.to_owned(),
            true => format!("www.{domain}"),
            false => domain,
        };
        let wanted = format!("{}://{wanted}", self.protocol(site, night));
        if base != wanted {
            return PageResponse::redirect(StatusCode::MOVED_PERMANENTLY, format!("{wanted}{target}"));
        }
        if path == "/robots.txt" {
            return self.robots(&asked, is_on(EventKind::RobotsCloses));
        }
        if is_on(EventKind::Forbidden) {
            return PageResponse::text(StatusCode::FORBIDDEN, "Forbidden.\n");
        }
        if is_on(EventKind::TooManyRequests) {
            return PageResponse::too_many(RETRY_AFTER);
        }
        self.list(&asked, query).or_else(|| self.page_of_article(&asked)).unwrap_or_else(missing)
    }

    fn robots(&self, asked: &Asked<'_>, is_closed: bool) -> PageResponse {
        let site = &self.sites[asked.site];
        let mut text = String::from("User-agent: *\n");
        text.push_str(if is_closed { "Disallow: /\n" } else { "Disallow: /private/\nDisallow: /search\n" });
        if site.has_sitemaps {
            let _ = writeln!(text, "Sitemap: {}/sitemap.xml", asked.base);
        }
        if site.has_news_sitemap {
            let _ = writeln!(text, "Sitemap: {}/news-sitemap.xml", asked.base);
        }
        if !self.in_flood(asked.site, asked.now).is_empty() {
            let _ = writeln!(text, "Sitemap: {}/archive-sitemap.xml", asked.base);
        }
        PageResponse::text(StatusCode::OK, &text)
    }

    fn list(&self, asked: &Asked<'_>, query: &str) -> Option<PageResponse> {
        let Asked { site, base, path, now, night } = *asked;
        let habits = &self.sites[site];
        let xml = |text: String| Some(PageResponse::ok(XML, text.into_bytes(), now));
        match path {
            "/" => return Some(self.index(asked, "", &self.on_front(site, now), None)),
            "/feed.xml" if habits.feed.is_some() => {
                let is_dead = self.is_on(site, night, |kind| kind == EventKind::FeedDies);
                return (!is_dead).then(|| {
                    PageResponse::ok("application/rss+xml", self.feed_text(site, base, now).into_bytes(), now)
                });
            }
            "/news-sitemap.xml" if habits.has_news_sitemap => {
                return xml(self.news_sitemap(site, base, now));
            }
            "/sitemap.xml" if habits.has_sitemaps => return xml(self.sitemap_index(site, base, now)),
            "/archive-sitemap.xml" => {
                let flood = self.in_flood(site, now);
                return (!flood.is_empty()).then(|| self.sitemap(&flood, base, now)).and_then(xml);
            }
            _ => {}
        }
        if let Some(month) = path.strip_prefix("/sitemap-").and_then(|rest| rest.strip_suffix(".xml")) {
            let ids = self.of_month(site, month, now);
            return (!ids.is_empty()).then(|| self.sitemap(&ids, base, now)).and_then(xml);
        }
        if let Some(date) = path.strip_prefix("/calendar/") {
            return self.calendar(asked, date);
        }
        let section = habits.sections.iter().position(|name| path.strip_prefix('/') == Some(name))?;
        let page: usize = query.strip_prefix("page=").map_or(Some(1), |number| number.parse().ok())?;
        let own = if (1..=habits.pages).contains(&page) {
            self.on_page(site, section, page, now)
        } else {
            Vec::new()
        };
        let next = (page < habits.pages && own.len() == ON_PAGE).then(|| format!("{path}?page={}", page + 1));
        (!own.is_empty() || page == 1)
            .then(|| self.index(asked, habits.sections[section], &own, next.as_deref()))
    }

    /// Renders a month or a day of a calendar without end: `2027/1` or `2027/1/31`.
    fn calendar(&self, asked: &Asked<'_>, date: &str) -> Option<PageResponse> {
        let numbers = date.split('/').map(str::parse).collect::<Result<Vec<u32>, _>>().ok()?;
        let [year, month, days @ ..] = numbers.as_slice() else { return None };
        let design = self.design(asked, 0);
        let mut main = format!("<h1>{date}</h1><p>");
        let next = year * 12 + month;
        for number in [next, next.saturating_sub(2)] {
            let _ = write!(main, "<a href=\"/calendar/{}/{}\">&raquo;</a> ", number / 12, number % 12 + 1);
        }
        for day in (1..=31).filter(|_| days.is_empty()) {
            let _ = write!(main, "<a href=\"/calendar/{year}/{month}/{day}\">{day}</a> ");
        }
        main.push_str("</p>");
        Some(self.framed(asked, &design, date, "", &main))
    }

    fn index(&self, asked: &Asked<'_>, title: &str, ids: &[ArticleId], next: Option<&str>) -> PageResponse {
        let design = self.design(asked, 0);
        let labels = &LABELS[self.sites[asked.site].language];
        let mut main = format!("<div class=\"{}\"><ul>", design.name(0));
        for id in ids {
            let (path, title) = (self.link(asked, &self.path(*id, asked.now)), self.title(*id));
            let _ = writeln!(main, "<li class=\"{}\"><a href=\"{path}\">{title}</a></li>", design.name(1));
        }
        main.push_str("</ul></div>");
        if let Some(next) = next {
            let _ = write!(main, "<a rel=\"next\" href=\"{next}\">{}</a>", labels.more);
        }
        let head = match self.sites[asked.site].feed {
            Some(_) => "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">",
            None => "",
        };
        self.framed(asked, &design, title, head, &main)
    }

    fn page_of_article(&self, asked: &Asked<'_>) -> Option<PageResponse> {
        let (id, is_alive) = self.at_path(asked.site, asked.path, asked.now)?;
        if !is_alive || !self.exists(id, asked.now) {
            return None;
        }
        let path = self.path(id, asked.now);
        if path != asked.path {
            let to = format!("{}{path}", asked.base);
            return Some(PageResponse::redirect(StatusCode::MOVED_PERMANENTLY, to));
        }
        let (site, title) = (&self.sites[asked.site], self.title(id));
        let published = self.published(id);
        let head = match site.has_date {
            true => format!("<meta property=\"article:published_time\" content=\"{published}\">"),
            false => String::new(),
        };
        let design = self.design(asked, self.section(id));
        let main = match self.kind(id) {
            PageKind::Gallery => self.gallery(id, &design),
            _ => self.story(asked, id, &design),
        };
        Some(self.framed(asked, &design, &title, &head, &main))
    }

    fn gallery(&self, id: ArticleId, design: &Design) -> String {
        let site = &self.sites[id.site];
        let labels = &LABELS[site.language];
        let mut main = format!("<div class=\"{}\"><h1>{}</h1>", design.name(2), self.title(id));
        for picture in 0..12 {
            let number = u64::from(id.number);
            let mut draw = Draw::new(&[self.seed, 15, id.site as u64, number, picture]);
            let caption = match site.number % 4 {
                0 | 1 => self.words[site.language].title(&mut draw),
                _ => format!("{} {picture}", labels.caption),
            };
            let _ = write!(
                main,
                "<figure><img src=\"/p/{number}-{picture}.jpg\"><figcaption>{caption}</figcaption></figure>"
            );
        }
        main + "</div>"
    }

    fn story(&self, asked: &Asked<'_>, id: ArticleId, design: &Design) -> String {
        let labels = &LABELS[self.sites[asked.site].language];
        let mut draw = design.draw.clone();
        let tag = draw.one_of(&["article", "div", "section"]);
        let has_lead_class = draw.is(0.5);
        let author = labels.names[id.number as usize % 4];
        let mut main = format!(
            "<{tag} class=\"{}\"><h1 class=\"{}\">{}</h1><div class=\"{}\">{} {author} - {}</div>\n",
            design.name(2),
            design.name(3),
            self.title(id),
            design.name(4),
            labels.by,
            self.published(id).strftime("%d/%m/%Y %H:%M"),
        );
        main.push_str(&picture(id, labels));
        let _ = writeln!(main, "<div class=\"{}\">", design.name(5));
        let related: Vec<ArticleId> = self.before(id, asked.now).take(RELATED + 1).collect();
        // What interrupts the text, after which paragraph.
        let inserts = [draw.below(4), draw.below(4), draw.below(4)];
        for (number, paragraph) in self.text(id, asked.now).lines().enumerate() {
            match number {
                0 if has_lead_class => _ = writeln!(main, "<p class=\"{}\">{paragraph}</p>", design.name(6)),
                _ => _ = writeln!(main, "<p>{paragraph}</p>"),
            }
            if let Some(other) = related.first().filter(|_| number == inserts[0]) {
                let _ = writeln!(main, "<div class=\"{}\"><ul>", design.name(7));
                self.links(&mut main, asked, std::iter::once(*other));
                main.push_str("</ul></div>");
            }
            if number == inserts[1] {
                main.push_str(&picture(id, labels));
            }
            if number == inserts[2] {
                let _ = writeln!(main, "<div class=\"{}\">{}</div>", design.name(12), labels.advertisement);
            }
        }
        main.push_str("</div>");
        if self.is_paid(id, asked.now) {
            let _ = writeln!(main, "<div class=\"{}\"><p>{}</p></div>", design.name(17), labels.subscribe);
        }
        if draw.is(0.5) {
            let _ = writeln!(main, "<p class=\"{}\">{author} {}</p>", design.name(13), labels.author);
        }
        if draw.is(0.5) {
            let _ = writeln!(main, "<div class=\"{}\"><p>{}</p></div>", design.name(14), labels.letter);
        }
        let _ = write!(main, "</{tag}><div class=\"{}\"><h3>{}</h3><ul>", design.name(8), labels.related);
        self.links(&mut main, asked, related.into_iter().skip(1));
        main.push_str("</ul></div>");
        if draw.is(0.4) {
            main.push_str(&self.comments(id, design));
        }
        main
    }

    /// Renders what readers wrote about an article.
    fn comments(&self, id: ArticleId, design: &Design) -> String {
        let site = &self.sites[id.site];
        let mut draw = Draw::new(&[self.seed, 16, id.site as u64, u64::from(id.number)]);
        let mut text = format!(
            "<section id=comments class=\"{}\"><h3>{}</h3>",
            design.name(15),
            LABELS[site.language].comments
        );
        for _ in 0..draw.below(4) {
            let comment = self.words[site.language].title(&mut draw);
            let _ = write!(text, "<div class=\"comment {}\"><p>{comment}.</p></div>", design.name(16));
        }
        text + "</section>"
    }

    /// Returns the articles before this one, newest first.
    fn before(&self, id: ArticleId, now: Timestamp) -> impl Iterator<Item = ArticleId> {
        let published = self.published(id);
        self.newest(id.site, published).filter(move |other| *other != id && self.exists(*other, now))
    }

    fn links(&self, text: &mut String, asked: &Asked<'_>, ids: impl Iterator<Item = ArticleId>) {
        for id in ids {
            let (path, title) = (self.link(asked, &self.path(id, asked.now)), self.title(id));
            let _ = writeln!(text, "<li><a href=\"{path}\">{title}</a></li>");
        }
    }

    /// Returns the address of a link on a page, with a session id if the site has them.
    fn link(&self, asked: &Asked<'_>, path: &str) -> String {
        if !self.is_on(asked.site, asked.night, |kind| kind == EventKind::Sessions) {
            return path.to_owned();
        }
        format!("{path}?sid={:012x}", Draw::new(&[asked.key()]).next() >> 16)
    }

    fn design(&self, asked: &Asked<'_>, section: usize) -> Design {
        let Asked { site, night, .. } = *asked;
        let is_redesigned = |event: &&super::Event| {
            let from = i64::from(event.from);
            match event.kind {
                EventKind::Redesign => from <= night,
                EventKind::RedesignAndBack => event.is_on(night),
                EventKind::RedesignBySection => from + section as i64 <= night,
                _ => false,
            }
        };
        // The number of the last redesign in force. So a site that goes back has its former markup.
        let redesigned = self.of_site(site).enumerate().filter(|(_, event)| is_redesigned(event));
        let last = redesigned.last().map_or(0, |(number, _)| number as u64 + 1);
        let half = u64::from(self.sites[site].is_split && Draw::new(&[self.seed, 17, asked.key()]).is(0.5));
        Design::new(&[self.seed, 14, site as u64, last, half])
    }

    /// Puts the header, menu, most-read list and footer around the main part of a page.
    fn framed(
        &self,
        asked: &Asked<'_>,
        design: &Design,
        title: &str,
        head: &str,
        main: &str,
    ) -> PageResponse {
        let site = &self.sites[asked.site];
        let labels = &LABELS[site.language];
        let is_on = |kind| self.is_on(asked.site, asked.night, |other| other == kind);
        let wall = format!("<div class=\"consent\"><p>{}</p><button>OK</button></div>", labels.consent);
        let (head, main) = if is_on(EventKind::ConsentWall) { ("", wall.as_str()) } else { (head, main) };
        let mut menu = format!("<nav class=\"{}\"><ul>", design.name(9));
        for section in &site.sections {
            let _ = write!(menu, "<li><a href=\"/{section}\">{section}</a></li>");
        }
        let _ = write!(menu, "<li><a href=\"/search?q=1\">?</a></li><li><a href=\"/private/me\">@</a></li>");
        if is_on(EventKind::Calendar) {
            let _ = write!(menu, "<li><a href=\"/calendar/2027/1\">#</a></li>");
        }
        menu.push_str("</ul></nav>");
        let mut aside = format!("<aside class=\"{}\"><h3>{}</h3><ol>", design.name(10), labels.most_read);
        if !is_on(EventKind::ConsentWall) {
            // The list is the same for all pages of a week.
            let week = asked.night.div_euclid(7) * 7;
            let at = super::FIRST + jiff::SignedDuration::from_secs((week - 3) * super::DAY);
            let read = self.newest(asked.site, at).filter(|id| self.exists(*id, asked.now));
            self.links(&mut aside, asked, read.take(MOST_READ));
        }
        aside.push_str("</ol></aside>");
        let mut draw = design.draw.clone();
        draw.next();
        let (first, second) = if draw.is(0.5) { (aside.as_str(), "") } else { ("", aside.as_str()) };
        let language = ["vi", "en"][site.language];
        let text = format!(
            "<!DOCTYPE html><html lang={language}><head><meta charset=utf-8><title>{title} - Site {number}</title>\
             {head}</head><body><header><a href=\"/\">Site {number}</a></header>{menu}{first}<main>{main}</main>{second}\
             <footer class=\"{foot}\"><p>{} Site {number}.</p></footer></body></html>",
            labels.foot,
            number = site.number,
            foot = design.name(11),
        );
        PageResponse::ok(HTML, text.into_bytes(), asked.now)
    }
}

fn picture(id: ArticleId, labels: &Labels) -> String {
    format!(
        "<figure><img src=\"/p/{}.jpg\"><figcaption>{}</figcaption></figure>\n",
        id.number, labels.caption
    )
}

/// Returns whether robots.txt never allows this path.
pub(super) fn is_forbidden(path: &str) -> bool {
    path.starts_with("/private/") || path.starts_with("/search")
}

fn missing() -> PageResponse {
    PageResponse::text(StatusCode::NOT_FOUND, "No such page.\n")
}
