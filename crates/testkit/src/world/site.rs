//! Draws the habits of a site.

use super::draw::Draw;

/// The names of sections, Vietnamese and English.
const SECTIONS: [[&str; 8]; 2] = [
    ["thoi-su", "the-gioi", "kinh-te", "the-thao", "van-hoa", "giao-duc", "suc-khoe", "ban-doc"],
    ["news", "world", "business", "sport", "culture", "schools", "health", "letters"],
];

/// A site, as it is without events.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) number: usize,
    /// 0 for Vietnamese, 1 for English.
    pub(super) language: usize,
    /// Mean number of new articles on a weekday.
    pub(super) per_day: f64,
    /// Factor of that number on weekends.
    pub(super) weekend: f64,
    pub(super) sections: Vec<&'static str>,
    /// Number of pages of a section. 1: no pagination.
    pub(super) pages: usize,
    /// Number of articles in the feed and the share of all articles that it names, or `None` without a feed.
    pub(super) feed: Option<(usize, f64)>,
    pub(super) has_news_sitemap: bool,
    pub(super) has_sitemaps: bool,
    /// The first scheme of addresses. Each later one follows it.
    pub(super) scheme: usize,
    pub(super) has_date: bool,
    pub(super) live: f64,
    pub(super) galleries: f64,
    pub(super) wires: f64,
    /// Whether the site uses https from the start.
    pub(super) is_https: bool,
    /// Whether each request gets one of two designs.
    pub(super) is_split: bool,
}

impl Site {
    pub(super) fn new(seed: u64, number: usize, articles: f64) -> Self {
        let mut draw = Draw::new(&[seed, 2, number as u64]);
        let language = number % 2;
        // The logarithm is uniform over a factor of eight, and the mean is 1.
        let factor = 8_f64.powf(draw.share()) / 3.366;
        Self {
            number,
            language,
            per_day: (articles * factor).clamp(1.0, 70.0),
            weekend: 0.4 + 0.6 * draw.share(),
            sections: SECTIONS[language][..3 + draw.below(6)].to_vec(),
            pages: if draw.is(0.6) { 10 } else { 1 },
            feed: draw.is(0.7).then(|| (15 + draw.below(25), draw.one_of(&[1.0, 1.0, 0.7]))),
            has_news_sitemap: draw.is(0.4),
            has_sitemaps: draw.is(0.5),
            scheme: draw.below(4),
            has_date: draw.is(0.8),
            live: if draw.is(0.3) { 0.03 } else { 0.0 },
            galleries: if draw.is(0.5) { 0.08 } else { 0.0 },
            wires: if draw.is(0.6) { 0.4 } else { 0.0 },
            is_https: draw.is(0.4),
            is_split: draw.is(0.2),
        }
    }

    /// Returns the host name after this number of moves to another domain.
    pub(super) fn domain(&self, moves: usize) -> String {
        match moves {
            0 => format!("site-{:02}.example", self.number),
            moves => format!("site-{:02}new{moves}.example", self.number),
        }
    }
}
