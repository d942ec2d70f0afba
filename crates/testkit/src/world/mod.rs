//! Simulates many news sites over many nights.
//!
//! A [`World`] is computed from one seed. Each answer depends only on the seed, the site, the path and the time, so
//! nothing is stored for a night, and any night can be served again. The sites differ in language, in the number of
//! new articles, in their lists (front page, sections with pages, feed, news sitemap, sitemaps of months) and in
//! their markup. Besides articles they have galleries, live reports that grow, agency texts that many sites print,
//! corrections, and articles that are deleted or get another address. Some use https, and some send two designs.
//!
//! [`Event`]s happen to sites and to the machine of the crawl: redesigns, new addresses, outages, refusals, walls, traps. The
//! world knows the truth: which articles the lists name at a time ([`World::listed`]), and the text of each
//! ([`World::text`]). [`WorldServer`] serves a world as an HTTP proxy on loopback.
//!
//! The texts are the sentences of the bundled articles in another order, with some words replaced.
//!
//! The first year has a leap day, night 121. Nights begin at a time of a zone with summer time, so one is 23 hours after
//! the night before, and one 25.

mod article;
mod draw;
mod event;
mod lists;
mod page;
mod server;
mod site;
mod words;

pub use article::ArticleId;
pub use event::{Event, EventKind};
pub use server::{Served, WorldServer};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use draw::Draw;
use site::Site;
use words::Words;

/// Sunday, 31 October 2027, 19:00 UTC.
const FIRST: Timestamp = Timestamp::constant(1_825_009_200, 0);
/// The zone of the machine of the crawl.
const ZONE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const DAY: i64 = 86_400;
/// The sites change between two nights: this long before the crawl of a night begins.
const BEFORE_NIGHT: SignedDuration = SignedDuration::from_hours(12);

/// The size of a world.
#[derive(Debug, Clone, Copy)]
pub struct WorldSize {
    /// Number of sites.
    pub sites: usize,
    /// Number of nights in which events happen.
    pub nights: u32,
    /// Mean number of new articles of a site a day.
    pub articles: f64,
    /// Number of days with articles before the first night.
    pub before: u32,
}

/// Many sites and what happens to them.
#[derive(Debug)]
pub struct World {
    seed: u64,
    before: u32,
    sites: Vec<Site>,
    events: Vec<Event>,
    /// The events of each site, in the order of their first night.
    events_of: Vec<Vec<Event>>,
    words: [Words; 2],
}

impl World {
    /// Creates the world of a seed.
    #[must_use]
    pub fn new(seed: u64, size: WorldSize) -> Self {
        let sites: Vec<Site> = (0..size.sites).map(|number| Site::new(seed, number, size.articles)).collect();
        let events = event::draw(seed, &sites, size.nights);
        let of_site = |site: &Site| {
            events.iter().filter(|event| event.site == Some(site.number)).copied().collect::<Vec<_>>()
        };
        let events_of = sites.iter().map(of_site).collect();
        Self {
            seed,
            before: size.before,
            sites,
            events,
            events_of,
            words: [Words::vietnamese(), Words::english()],
        }
    }

    /// Returns the time at which the crawl of a night begins. Night 0 is the first. Nights begin up to ten minutes early
    /// or late.
    #[must_use]
    pub fn night(&self, night: u32) -> Timestamp {
        let minutes = Draw::new(&[self.seed, 1, u64::from(night)]).below(20) as i64 - 10;
        let usual = FIRST + SignedDuration::from_secs(i64::from(night) * DAY);
        let zone = TimeZone::posix(ZONE).expect("the zone is well formed");
        let summer = SignedDuration::from_hours(i64::from(zone.to_offset_info(usual).dst().is_dst()));
        usual - summer + SignedDuration::from_mins(minutes)
    }

    /// Returns the number of the night whose crawl begins next after `at`, or has begun less than half a day ago.
    fn night_at(at: Timestamp) -> i64 {
        (at + BEFORE_NIGHT).duration_since(FIRST).as_secs().div_euclid(DAY)
    }

    /// Returns all events, in the order of their first night.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the number of sites.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.sites.len()
    }

    /// Returns the host name of a site in a night, without `www.`.
    #[must_use]
    pub fn host(&self, site: usize, night: u32) -> String {
        self.sites[site].domain(self.moves(site, i64::from(night)))
    }

    /// Returns `http` or `https`, which a site uses in a night.
    fn protocol(&self, site: usize, night: i64) -> &'static str {
        let is_https = self.sites[site].is_https || self.is_on(site, night, |kind| kind == EventKind::Https);
        if is_https { "https" } else { "http" }
    }

    /// Whether the certificate of a host has expired at this time.
    fn is_expired(&self, host: &str, now: Timestamp) -> bool {
        let is_it = |kind| kind == EventKind::CertificateExpires;
        self.site_of(host).is_some_and(|site| self.is_on(site, Self::night_at(now), is_it))
    }

    /// Returns the mean number of new articles of a site a day.
    #[must_use]
    pub fn usual(&self, site: usize) -> f64 {
        self.sites[site].per_day
    }

    /// Returns the site with a host, whether the host is its present one or an earlier one.
    #[must_use]
    pub fn site_of(&self, host: &str) -> Option<usize> {
        let host = host.strip_prefix("www.").unwrap_or(host);
        let number = host.strip_prefix("site-")?.split(['.', 'n']).next()?;
        number.parse().ok().filter(|number| *number < self.sites.len())
    }

    /// Whether the event is in force at the site in the night.
    fn is_on(&self, site: usize, night: i64, is_it: impl Fn(EventKind) -> bool) -> bool {
        self.of_site(site).any(|event| event.is_on(night) && is_it(event.kind))
    }

    fn of_site(&self, site: usize) -> impl Iterator<Item = &Event> {
        self.events_of[site].iter()
    }

    /// Number of times that the site has moved to another domain.
    fn moves(&self, site: usize, night: i64) -> usize {
        let moves = self.of_site(site).filter(|event| event.kind == EventKind::NewDomain);
        moves.filter(|event| i64::from(event.from) <= night).count()
    }
}

#[cfg(test)]
mod tests;
