//! Computes which articles the lists of a site name: front page, sections, feed and sitemaps.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use super::article::ArticleId;
use super::{EventKind, World};

const ON_FRONT: usize = 25;
pub(super) const ON_PAGE: usize = 15;
/// How long the news sitemap names an article.
const NEWS: SignedDuration = SignedDuration::from_hours(48);

impl World {
    /// Returns the articles on the front page. The last section is not there.
    pub(super) fn on_front(&self, site: usize, now: Timestamp) -> Vec<ArticleId> {
        let last = self.sites[site].sections.len() - 1;
        self.newest(site, now).filter(|id| self.section(*id) != last).take(ON_FRONT).collect()
    }

    /// Returns the articles on a page of a section. The first page is 1.
    pub(super) fn on_page(&self, site: usize, section: usize, page: usize, now: Timestamp) -> Vec<ArticleId> {
        let own = self.newest(site, now).filter(|id| self.section(*id) == section);
        own.skip((page - 1) * ON_PAGE).take(ON_PAGE).collect()
    }

    pub(super) fn in_feed(&self, site: usize, now: Timestamp) -> Vec<ArticleId> {
        let Some((length, share)) = self.sites[site].feed else { return Vec::new() };
        let is_named =
            |id: &ArticleId| f64::from(id.number.wrapping_mul(2_654_435_761) >> 16) < share * 65_536.0;
        self.newest(site, now).filter(is_named).take(length).collect()
    }

    pub(super) fn in_news_sitemap(&self, site: usize, now: Timestamp) -> Vec<ArticleId> {
        if !self.sites[site].has_news_sitemap {
            return Vec::new();
        }
        self.newest(site, now).take_while(|id| self.published(*id) > now - NEWS).collect()
    }

    /// Returns the articles of a month, such as `2026-11`, newest first.
    pub(super) fn of_month(&self, site: usize, month: &str, now: Timestamp) -> Vec<ArticleId> {
        if !self.sites[site].has_sitemaps {
            return Vec::new();
        }
        let all = self.newest(site, now).map(|id| (id, month_of(self.published(id))));
        let own = all.skip_while(|(_, of)| of.as_str() > month).take_while(|(_, of)| of == month);
        own.map(|(id, _)| id).collect()
    }

    /// Returns the articles of a flood, if there is one.
    pub(super) fn in_flood(&self, site: usize, now: Timestamp) -> Vec<ArticleId> {
        let flooded = self.flood(&self.sites[site]).filter(|id| self.exists(*id, now));
        flooded.collect()
    }

    /// Whether the crawl of a night can read the lists and pages of a site.
    #[must_use]
    pub fn is_reachable(&self, site: usize, night: u32) -> bool {
        !self.is_on(site, i64::from(night), |kind| {
            matches!(
                kind,
                EventKind::Outage
                    | EventKind::CertificateExpires
                    | EventKind::Broken
                    | EventKind::Forbidden
                    | EventKind::TooManyRequests
                    | EventKind::RobotsCloses
                    | EventKind::RobotsFails
                    | EventKind::ConsentWall
            )
        })
    }

    /// Whether each page of a site asks for consent in a night.
    #[must_use]
    pub fn has_wall(&self, site: usize, night: u32) -> bool {
        self.is_on(site, i64::from(night), |kind| kind == EventKind::ConsentWall)
    }

    /// Returns the articles that the lists of a site name in a night. Sitemaps of earlier months do not count.
    #[must_use]
    pub fn listed(&self, site: usize, night: u32) -> Vec<ArticleId> {
        let now = self.night(night);
        let mut listed = self.on_front(site, now);
        for section in 0..self.sites[site].sections.len() {
            listed.extend(self.on_page(site, section, 1, now));
        }
        if !self.is_on(site, i64::from(night), |kind| kind == EventKind::FeedDies) {
            listed.extend(self.in_feed(site, now));
        }
        listed.extend(self.in_news_sitemap(site, now));
        listed.extend(self.of_month(site, &month_of(now), now));
        listed.extend(self.in_flood(site, now));
        listed.sort();
        listed.dedup();
        listed
    }

    pub(super) fn feed_text(&self, site: usize, base: &str, now: Timestamp) -> String {
        let mut text =
            String::from("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title>");
        for id in self.in_feed(site, now) {
            let date = self.published(id).strftime("%a, %d %b %Y %H:%M:%S GMT");
            let (title, path) = (self.title(id), self.path(id, now));
            let _ = write!(
                text,
                "<item><title>{title}</title><link>{base}{path}</link><pubDate>{date}</pubDate></item>"
            );
        }
        text + "</channel></rss>"
    }

    /// Returns a sitemap with the time of each article's last change.
    pub(super) fn sitemap(&self, ids: &[ArticleId], base: &str, now: Timestamp) -> String {
        let mut text = String::from("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
        for id in ids {
            let (path, changed) = (self.path(*id, now), self.changed(*id, now));
            let _ = write!(text, "<url><loc>{base}{path}</loc><lastmod>{changed}</lastmod></url>");
        }
        text + "</urlset>"
    }

    pub(super) fn news_sitemap(&self, site: usize, base: &str, now: Timestamp) -> String {
        let mut text = String::from(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\">",
        );
        for id in self.in_news_sitemap(site, now) {
            let (path, date) = (self.path(id, now), self.published(id));
            let _ = write!(
                text,
                "<url><loc>{base}{path}</loc><news:news><news:publication_date>{date}</news:publication_date>\
                 </news:news></url>"
            );
        }
        text + "</urlset>"
    }

    /// Returns the sitemap index: the last twelve months, and the flood.
    pub(super) fn sitemap_index(&self, site: usize, base: &str, now: Timestamp) -> String {
        let mut text = String::from("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
        let months = (0..12).map(|back| month_of(now - SignedDuration::from_hours(24 * 30 * back)));
        let mut months: Vec<String> = months.collect();
        months.dedup();
        for month in months {
            let changed = self.of_month(site, &month, now).into_iter().map(|id| self.changed(id, now)).max();
            if let Some(changed) = changed {
                let _ = write!(
                    text,
                    "<sitemap><loc>{base}/sitemap-{month}.xml</loc><lastmod>{changed}</lastmod></sitemap>"
                );
            }
        }
        text + "</sitemapindex>"
    }
}

pub(super) fn month_of(time: Timestamp) -> String {
    time.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m").to_string()
}
