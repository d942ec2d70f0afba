//! Computes the articles of a site: when they appear and change, and what they say.

use jiff::{SignedDuration, Timestamp};

use super::draw::Draw;
use super::site::Site;
use super::{DAY, EventKind, FIRST, World};

/// Largest number of articles of a day. The number of an article is its day times this, plus its place in the day.
const MOST: u32 = 1_000;
/// Number of old articles that a flood names, as a multiple of those of a usual day.
const FLOOD: f64 = 14.0;
/// Number of paragraphs before a paywall. Every text is longer.
const FREE: usize = 4;
/// The day of the articles that a flood names. No other article is of this day.
const FLOOD_DAY: u32 = 0;

/// An article of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArticleId {
    /// The site.
    pub site: usize,
    /// The article's number, which is in its addresses.
    pub number: u32,
}

/// What kind of page an article is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    Article,
    /// A report with a new paragraph every two hours.
    Live,
    /// The text of an agency, which other sites print on the same day. The number names the text.
    Wire(u32),
    /// Pictures with captions. No article.
    Gallery,
}

impl ArticleId {
    fn draw(self, seed: u64, what: u64) -> Draw {
        Draw::new(&[seed, what, self.site as u64, u64::from(self.number)])
    }

    pub(super) fn day(self) -> u32 {
        self.number / MOST
    }

    fn place(self) -> u32 {
        self.number % MOST
    }
}

impl World {
    /// Number of articles of a day. Day `before` ends with the first night.
    fn count(&self, site: &Site, day: u32) -> u32 {
        if day == FLOOD_DAY {
            return ((FLOOD * site.per_day) as u32).clamp(60, MOST);
        }
        let night = i64::from(day) - i64::from(self.before);
        if self.is_on(site.number, night, |kind| kind == EventKind::Silence) {
            return 0;
        }
        let mut draw = Draw::new(&[self.seed, 5, site.number as u64, u64::from(day)]);
        let weekend = if matches!(day % 7, 0 | 6) { site.weekend } else { 1.0 };
        // The sum of four uniform numbers: mean 1, standard deviation 0.29.
        let varied: f64 = (0..4).map(|_| draw.share() / 2.0).sum();
        ((site.per_day * weekend * varied).round() as u32).min(MOST)
    }

    /// Returns when an article appeared.
    pub(super) fn published(&self, id: ArticleId) -> Timestamp {
        let count = i64::from(self.count(&self.sites[id.site], id.day()).max(1));
        let second = (2 * i64::from(id.place()) + 1) * DAY / (2 * count);
        FIRST + SignedDuration::from_secs((i64::from(id.day()) - i64::from(self.before) - 1) * DAY + second)
    }

    /// Whether the article exists at this time, perhaps under another address.
    pub(super) fn exists(&self, id: ArticleId, now: Timestamp) -> bool {
        let site = &self.sites[id.site];
        let is_of_flood = id.day() == FLOOD_DAY;
        let night = Self::night_at(now);
        id.place() < self.count(site, id.day())
            && self.published(id) <= now
            && (!is_of_flood || self.is_on(id.site, night, |kind| kind == EventKind::Flood))
            && self.deleted(id).is_none_or(|at| now < at)
    }

    /// Returns the articles of the flood of a site.
    pub(super) fn flood(&self, site: &Site) -> impl Iterator<Item = ArticleId> {
        let site_number = site.number;
        (0..self.count(site, FLOOD_DAY))
            .map(move |place| ArticleId { site: site_number, number: FLOOD_DAY * MOST + place })
    }

    /// Returns the articles of a site that exist at this time, newest first, without those of a flood.
    pub(super) fn newest(&self, site: usize, now: Timestamp) -> impl Iterator<Item = ArticleId> {
        let last = now.duration_since(FIRST).as_secs().div_euclid(DAY) + i64::from(self.before) + 1;
        let last = u32::try_from(last).unwrap_or_default();
        let of_day = move |day: u32| {
            let count = self.count(&self.sites[site], day);
            (0..count).rev().map(move |place| ArticleId { site, number: day * MOST + place })
        };
        (1..=last).rev().flat_map(of_day).filter(move |id| self.exists(*id, now))
    }

    /// Returns when an article is corrected, or `None`.
    pub(super) fn corrected(&self, id: ArticleId) -> Option<Timestamp> {
        let mut draw = id.draw(self.seed, 6);
        let hours = SignedDuration::from_hours(1 + draw.below(20) as i64);
        draw.is(0.08).then(|| self.published(id) + hours)
    }

    /// Returns when an article is deleted, or `None`.
    fn deleted(&self, id: ArticleId) -> Option<Timestamp> {
        let mut draw = id.draw(self.seed, 7);
        let hours = SignedDuration::from_hours(5 + draw.below(400) as i64);
        draw.is(0.01).then(|| self.published(id) + hours)
    }

    /// Returns when an article gets another address, to which the old one redirects, or `None`.
    pub(super) fn moved(&self, id: ArticleId) -> Option<Timestamp> {
        let mut draw = id.draw(self.seed, 8);
        let hours = SignedDuration::from_hours(5 + draw.below(100) as i64);
        draw.is(0.02).then(|| self.published(id) + hours)
    }

    pub(super) fn kind(&self, id: ArticleId) -> PageKind {
        let site = &self.sites[id.site];
        let mut draw = id.draw(self.seed, 9);
        match draw.share() {
            share if share < site.live => PageKind::Live,
            share if share < site.live + site.galleries => PageKind::Gallery,
            _ if id.place() < 3 && draw.is(site.wires) => PageKind::Wire(id.place()),
            _ => PageKind::Article,
        }
    }

    /// Whether the page is an article, whose text belongs in the corpus.
    #[must_use]
    pub fn is_article(&self, id: ArticleId) -> bool {
        self.kind(id) != PageKind::Gallery
    }

    pub(super) fn section(&self, id: ArticleId) -> usize {
        let sections = self.sites[id.site].sections.len();
        let mut draw = id.draw(self.seed, 10);
        // The first section has more articles than the last one.
        draw.below(sections).min(draw.below(sections))
    }

    pub(super) fn title(&self, id: ArticleId) -> String {
        self.words[self.sites[id.site].language].title(&mut id.draw(self.seed, 11))
    }

    /// When the text of an article last changed, at most `now`.
    pub(super) fn changed(&self, id: ArticleId, now: Timestamp) -> Timestamp {
        let published = self.published(id);
        match self.kind(id) {
            PageKind::Live => {
                let added = Self::added(published, now);
                published + SignedDuration::from_hours(2 * i64::from(added))
            }
            _ => self.corrected(id).filter(|at| *at <= now).unwrap_or(published),
        }
    }

    /// Number of paragraphs that a live report has got since it appeared.
    fn added(published: Timestamp, now: Timestamp) -> u32 {
        let hours = now.duration_since(published).as_hours();
        u32::try_from(hours / 2).unwrap_or_default().min(10)
    }

    /// Whether a page shows only the first paragraphs of the article.
    pub(super) fn is_paid(&self, id: ArticleId, now: Timestamp) -> bool {
        self.is_on(id.site, Self::night_at(now), |kind| kind == EventKind::Paywall)
            && id.draw(self.seed, 18).is(0.5)
    }

    /// Returns the paragraphs of an article that its page shows at `now`, one in each line.
    #[must_use]
    pub fn text(&self, id: ArticleId, now: Timestamp) -> String {
        let words = &self.words[self.sites[id.site].language];
        let (mut draw, count) = match self.kind(id) {
            PageKind::Wire(number) => {
                let language = self.sites[id.site].language as u64;
                (Draw::new(&[self.seed, 12, language, u64::from(id.day()), u64::from(number)]), None)
            }
            PageKind::Live => (id.draw(self.seed, 12), Some(5 + Self::added(self.published(id), now))),
            PageKind::Article | PageKind::Gallery => (id.draw(self.seed, 12), None),
        };
        let count = count.unwrap_or_else(|| 5 + draw.below(5) as u32);
        let mut paragraphs: Vec<String> = (0..count).map(|_| words.paragraph(&mut draw)).collect();
        if matches!(self.kind(id), PageKind::Article) && self.corrected(id).is_some_and(|at| at <= now) {
            paragraphs[1] = words.paragraph(&mut id.draw(self.seed, 13));
        }
        if self.is_paid(id, now) {
            paragraphs.truncate(FREE);
        }
        paragraphs.join("\n")
    }

    /// Returns the path of an article at `now`.
    pub(super) fn path(&self, id: ArticleId, now: Timestamp) -> String {
        let is_moved = self.moved(id).is_some_and(|at| at <= now);
        self.path_in(id, self.scheme(id.site, Self::night_at(now)), is_moved)
    }

    /// Returns the events until a night that gave articles other addresses. Number n begins the scheme n + 1.
    fn schemes(&self, site: usize, night: i64) -> impl Iterator<Item = &super::Event> {
        let is_it = move |event: &&super::Event| {
            let kinds = [
                EventKind::NewAddresses,
                EventKind::NewAddressesWithoutRedirects,
                EventKind::NewAddressesAndBack,
            ];
            kinds.contains(&event.kind) && i64::from(event.from) <= night
        };
        self.of_site(site).filter(is_it)
    }

    /// Number of the scheme of addresses in a night.
    fn scheme(&self, site: usize, night: i64) -> usize {
        let in_force = self.schemes(site, night).enumerate().filter(|(_, event)| event.is_on(night));
        in_force.last().map_or(0, |(number, _)| number + 1)
    }

    fn path_in(&self, id: ArticleId, scheme: usize, is_moved: bool) -> String {
        let site = &self.sites[id.site];
        let slug = slug(&self.title(id));
        let section = self.section(id) + usize::from(is_moved);
        let section = site.sections[section % site.sections.len()];
        let number = 1_000_000 + id.number;
        let round = match scheme / 4 {
            0 => String::new(),
            round => format!("/v{round}"),
        };
        match (site.scheme + scheme) % 4 {
            0 => format!("{round}/{section}/{slug}-{number}.html"),
            1 => format!("{round}/{}/{slug}-{number}", self.published(id).strftime("%Y/%m/%d")),
            2 => format!("{round}/{slug}-post{number}.htm"),
            _ => format!("{round}/{section}/story/{number}-{slug}"),
        }
    }

    /// Returns the article with a path of any time until `now`, and whether the path still leads to it.
    pub(super) fn at_path(&self, site: usize, path: &str, now: Timestamp) -> Option<(ArticleId, bool)> {
        let mut digits = path.split(|c: char| !c.is_ascii_digit()).filter(|part| part.len() >= 7);
        let number = digits.next_back()?.parse::<u32>().ok()?.checked_sub(1_000_000)?;
        let id = ArticleId { site, number };
        let night = Self::night_at(now);
        let schemes = self.schemes(site, night).count();
        let scheme = (0..=schemes).rev().find(|scheme| {
            [true, false].iter().any(|is_moved| self.path_in(id, *scheme, *is_moved) == path)
        })?;
        let mut later = self.schemes(site, night).skip(scheme);
        let is_dead = later.any(|event| event.kind == EventKind::NewAddressesWithoutRedirects);
        Some((id, !is_dead))
    }

    /// Returns the article at a URL, whether the URL is the present one or an earlier one.
    #[must_use]
    pub fn article_at(&self, url: &str) -> Option<ArticleId> {
        let (host, path) = url.split_once("://")?.1.split_once('/')?;
        let path = format!("/{}", path.split('?').next().unwrap_or_default());
        self.at_path(self.site_of(host)?, &path, Timestamp::MAX - SignedDuration::from_hours(48))
            .map(|(id, _)| id)
    }

    /// Returns all URLs that an article has had until `now`, without query.
    #[must_use]
    pub fn urls(&self, id: ArticleId, now: Timestamp) -> Vec<String> {
        let night = Self::night_at(now);
        let mut urls = Vec::new();
        for moves in 0..=self.moves(id.site, night) {
            let domain = self.sites[id.site].domain(moves);
            for scheme in 0..=self.schemes(id.site, night).count() {
                for is_moved in [false, true] {
                    let path = self.path_in(id, scheme, is_moved);
                    urls.extend(["", "www."].map(|www| format!("http://{www}{domain}{path}")));
                }
            }
        }
        urls.sort();
        urls.dedup();
        urls
    }
}

fn slug(title: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let plain = title.to_lowercase().replace('đ', "d");
    let ascii: String = plain.nfd().filter(char::is_ascii).collect();
    let words = ascii.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
