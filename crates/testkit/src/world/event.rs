//! Draws what happens to the sites and to the machine of the crawl.

use super::draw::Draw;
use super::site::Site;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// All pages get another markup.
    Redesign,
    /// The sections get another markup, one each night.
    RedesignBySection,
    /// All pages get another markup, and after some nights the former one.
    RedesignAndBack,
    /// Articles get other addresses, and the old ones redirect to them.
    NewAddresses,
    /// Articles get other addresses, and the old ones answer 404.
    NewAddressesWithoutRedirects,
    /// Articles get other addresses, and after some nights the former ones. The others redirect to those in force.
    NewAddressesAndBack,
    /// The site moves to another domain, to which the old one redirects.
    NewDomain,
    /// The host redirects to the same host with `www.`.
    Www,
    /// The site moves to https, to which http redirects.
    Https,
    /// The certificate of the https site has expired.
    CertificateExpires,
    /// Every request gets a 503.
    Outage,
    /// Every request gets a 500.
    Broken,
    /// Pages and lists get a 403.
    Forbidden,
    /// Pages and lists get a 429 with `Retry-After`.
    TooManyRequests,
    /// robots.txt forbids every page.
    RobotsCloses,
    /// robots.txt gets a 500.
    RobotsFails,
    /// Each page is a dialog that asks for consent.
    ConsentWall,
    /// Half of the articles show only their first paragraphs, and ask for a subscription.
    Paywall,
    /// The feed gets a 404.
    FeedDies,
    /// A sitemap names many old articles.
    Flood,
    /// Each page links to a calendar without end.
    Calendar,
    /// Each link has a session id, which differs between pages.
    Sessions,
    /// The site publishes nothing.
    Silence,
    /// The crawl does not run.
    MissedNight,
    /// The crawl is killed.
    Kill,
    /// The clock of the machine is three days ahead.
    ClockAhead,
    /// Documents are removed from the corpus.
    Removal,
    /// The disk is full, until the user makes room.
    DiskFull,
    /// The user changes settings of the crawl, or changes them back.
    SettingsChange,
}

/// An event at a site, or at the machine of the crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The site, or `None` for the machine of the crawl.
    pub site: Option<usize>,
    /// What happens.
    pub kind: EventKind,
    /// The first night.
    pub from: u32,
    /// The first night after the event. `u32::MAX` if it lasts.
    pub until: u32,
}

impl Event {
    /// Whether the event is in force in a night.
    #[must_use]
    pub fn covers(&self, night: u32) -> bool {
        (self.from..self.until).contains(&night)
    }

    pub(super) fn is_on(&self, night: i64) -> bool {
        u32::try_from(night).is_ok_and(|night| self.covers(night))
    }
}

/// The events of sites, with the shortest and longest number of nights. 0: the event lasts.
const OF_SITES: [(EventKind, u32, u32); 24] = [
    (EventKind::Redesign, 0, 0),
    (EventKind::RedesignBySection, 0, 0),
    (EventKind::RedesignAndBack, 6, 9),
    (EventKind::NewAddresses, 0, 0),
    (EventKind::NewAddressesWithoutRedirects, 0, 0),
    (EventKind::NewAddressesAndBack, 6, 30),
    (EventKind::NewDomain, 0, 0),
    (EventKind::Www, 20, 60),
    (EventKind::Https, 0, 0),
    (EventKind::CertificateExpires, 1, 4),
    (EventKind::Outage, 1, 1),
    (EventKind::Outage, 7, 7),
    (EventKind::Broken, 1, 3),
    (EventKind::Forbidden, 2, 6),
    (EventKind::TooManyRequests, 10, 30),
    (EventKind::RobotsCloses, 3, 8),
    (EventKind::RobotsFails, 2, 6),
    (EventKind::ConsentWall, 2, 6),
    (EventKind::Paywall, 20, 60),
    (EventKind::FeedDies, 20, 40),
    (EventKind::Flood, 0, 0),
    (EventKind::Calendar, 10, 40),
    (EventKind::Sessions, 10, 30),
    (EventKind::Silence, 8, 12),
];
/// The first night of an event. Earlier, the usual numbers of a site are not known.
const FIRST: u32 = 21;
/// Fewest and most nights between two events of a site.
const BETWEEN: (usize, usize) = (14, 60);

/// Draws the events of `nights` nights, in the order of their first night.
pub(super) fn draw(seed: u64, sites: &[Site], nights: u32) -> Vec<Event> {
    let mut events: Vec<Event> = sites.iter().flat_map(|site| of_site(seed, site, nights)).collect();
    events.extend(of_machine(seed, nights));
    events.sort_by_key(|event| event.from);
    events
}

fn of_site(seed: u64, site: &Site, nights: u32) -> Vec<Event> {
    let mut draw = Draw::new(&[seed, 3, site.number as u64]);
    // In a short simulation, each site has an event soon, too.
    let (mut events, mut night) = (Vec::new(), FIRST.min(nights / 3) + draw.below(BETWEEN.1 / 2) as u32);
    while night < nights {
        let (kind, least, most) = draw.one_of(&OF_SITES);
        let length = least + draw.below((most - least + 1) as usize) as u32;
        let until = if length == 0 { u32::MAX } else { night + length };
        let is_https = site.is_https || events.iter().any(|event: &Event| event.kind == EventKind::Https);
        let suits = match kind {
            EventKind::Https => !is_https,
            EventKind::CertificateExpires => is_https,
            EventKind::FeedDies => site.feed.is_some(),
            EventKind::Flood => !events.iter().any(|event: &Event| event.kind == kind),
            _ => true,
        };
        if suits {
            events.push(Event { site: Some(site.number), kind, from: night, until });
        }
        night += length + (BETWEEN.0 + draw.below(BETWEEN.1 - BETWEEN.0)) as u32;
    }
    events
}

fn of_machine(seed: u64, nights: u32) -> Vec<Event> {
    let mut draw = Draw::new(&[seed, 4]);
    let (mut events, mut night) = (Vec::new(), FIRST.min(nights / 4));
    let kinds = [
        EventKind::MissedNight,
        EventKind::Kill,
        EventKind::DiskFull,
        EventKind::ClockAhead,
        EventKind::Removal,
        EventKind::SettingsChange,
    ];
    while night < nights {
        let kind = kinds[(events.len() + draw.below(2)) % kinds.len()];
        let length = if kind == EventKind::MissedNight { 1 + draw.below(3) as u32 } else { 1 };
        events.push(Event { site: None, kind, from: night, until: night + length });
        night += length + 6 + draw.below(12) as u32;
    }
    events
}
