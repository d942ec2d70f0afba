//! Counts per pattern of URLs how many visits in a row gave nothing new.
//!
//! A visit gives something new if its text is new, or if the page leads to URLs that may be articles. When
//! [`MAX_REPEATED`] duplicates or [`MAX_BARREN`] other pages in a row gave nothing new, the pattern becomes a trap.
//! Then each run requests at most [`RECHECKS`] URLs of the pattern. If one of them gives something new, the
//! pattern is not a trap any more.
//!
//! Limitation: new articles whose pattern is that of a trap are found only if they are among these URLs.

use std::collections::HashMap;

use gleaner_frontier::CanonicalUrl;

use super::{EndedPage, PageResult};

/// A pattern becomes a trap after this number of visits in a row without an article.
const MAX_BARREN: u32 = 60;
/// A pattern becomes a trap after this number of duplicates in a row. It is smaller, because a page without an
/// article may be of a kind that is rarely an article, such as videos.
const MAX_REPEATED: u32 = 30;
/// Number of URLs of a trap that a run requests. Also the number of new ones that enter the frontier.
const RECHECKS: u32 = 10;
/// With fewer visits, the pages of a pattern may be articles.
const MIN_KNOWN: u32 = 10;
/// Maximum number of patterns of a host whose first word is not masked.
const MAX_PATTERNS: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Patterns(HashMap<String, Pattern>);

#[derive(Debug, Default)]
struct Pattern {
    visits: u32,
    has_articles: bool,
    /// Visits in a row that gave nothing new. A duplicate counts as `MAX_BARREN / MAX_REPEATED` visits.
    barren: u32,
    trap: Option<Trap>,
}

#[derive(Debug)]
struct Trap {
    requests_left: u32,
    entries_left: u32,
}

impl Default for Trap {
    fn default() -> Self {
        Self { requests_left: RECHECKS, entries_left: RECHECKS }
    }
}

impl Patterns {
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn load(&mut self, pattern: &str) {
        self.0.entry(pattern.to_owned()).or_default().trap.get_or_insert_default();
    }

    /// Counts a visit. Returns the pattern and `true` if it becomes a trap, or `false` if it stops being a trap.
    pub(super) fn ended(&mut self, page: &EndedPage) -> Option<(String, bool)> {
        let (is_article, barren) = match page.result {
            PageResult::New => (true, 0),
            PageResult::Repeated(_) => (false, MAX_BARREN / MAX_REPEATED),
            PageResult::NoArticle => (false, u32::from(!page.leads_on)),
            PageResult::Missing | PageResult::Unknown => return None,
        };
        let name = self.name_of(&page.url)?;
        let pattern = self.0.entry(name.clone()).or_default();
        pattern.visits += 1;
        pattern.has_articles |= is_article;
        pattern.barren = if barren == 0 { 0 } else { pattern.barren + barren };
        let is_trap = pattern.barren >= MAX_BARREN;
        let is_changed =
            if pattern.barren == 0 { pattern.trap.is_some() } else { is_trap && pattern.trap.is_none() };
        if !is_changed {
            return None;
        }
        pattern.trap = is_trap.then(Trap::default);
        Some((name, is_trap))
    }

    /// Returns the pattern of a URL. Returns `None` if there are too many patterns.
    fn name_of(&self, url: &CanonicalUrl) -> Option<String> {
        let has_room = |name: &String, most: usize| self.0.contains_key(name) || self.0.len() < most;
        let name = url.pattern(false);
        if has_room(&name, MAX_PATTERNS) {
            return Some(name);
        }
        Some(url.pattern(true)).filter(|name| has_room(name, 2 * MAX_PATTERNS))
    }

    fn of(&self, url: &CanonicalUrl) -> Option<(String, &Pattern)> {
        // Fast path: most hosts have no trap, and this runs for every link.
        let name = self.name_of(url)?;
        let pattern = self.0.get(&name)?;
        Some((name, pattern))
    }

    fn trap_of(&self, url: &CanonicalUrl) -> Option<(String, &Trap)> {
        if self.0.values().all(|pattern| pattern.trap.is_none()) {
            return None;
        }
        let (name, pattern) = self.of(url)?;
        Some((name, pattern.trap.as_ref()?))
    }

    /// Returns the pattern of a URL if it is a trap of which this run requests no more URLs.
    pub(super) fn excludes(&self, url: &CanonicalUrl) -> Option<String> {
        self.trap_of(url).filter(|(_, trap)| trap.requests_left == 0).map(|(name, _)| name)
    }

    /// Returns the pattern of a URL if it is a trap of which no more URLs enter the frontier in this run.
    pub(super) fn refuses(&self, url: &CanonicalUrl) -> Option<String> {
        self.trap_of(url).filter(|(_, trap)| trap.entries_left == 0).map(|(name, _)| name)
    }

    pub(super) fn entered(&mut self, url: &CanonicalUrl) {
        self.spend(url, |trap| &mut trap.entries_left);
    }

    pub(super) fn requested(&mut self, url: &CanonicalUrl) {
        self.spend(url, |trap| &mut trap.requests_left);
    }

    fn spend(&mut self, url: &CanonicalUrl, left: impl Fn(&mut Trap) -> &mut u32) {
        let Some((name, _)) = self.trap_of(url) else { return };
        if let Some(trap) = self.0.get_mut(&name).and_then(|pattern| pattern.trap.as_mut()) {
            let left = left(trap);
            *left = left.saturating_sub(1);
        }
    }

    /// Whether a link may lead to articles. See [`Traps::entered`](super::Traps::entered).
    pub(super) fn is_promising(&self, from: &CanonicalUrl, url: &CanonicalUrl) -> bool {
        let Some(name) = self.name_of(url) else { return true };
        let is_own = || from.host() == url.host() && self.name_of(from).as_ref() == Some(&name);
        match self.0.get(&name) {
            Some(pattern) if pattern.trap.is_some() => false,
            Some(pattern) if pattern.has_articles => true,
            Some(pattern) => pattern.visits < MIN_KNOWN && !is_own(),
            None => !is_own(),
        }
    }
}
