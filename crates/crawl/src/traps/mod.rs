//! Notices crawler traps: endless addresses that give nothing new.
//!
//! Two kinds of traps are noticed, each for one host:
//!
//! * URLs of one pattern give nothing new ([`patterns`]), such as the days of an endless calendar.
//! * A query parameter is a session id ([`parameters`]): each page links to known pages under new addresses.
//!
//! Only links are affected. The crawl always requests front pages, sections, feeds, sitemaps, and the pages that a
//! feed or sitemap names.
//!
//! A rule that results is the rule of the setting `crawl.skip_traps`, so the URLs that it excludes have the
//! outcome `excluded`. The counts of a run contain the rules of each host, and the next run continues with the
//! rules of the last one. Each run rechecks them, and drops a rule that turns out to be wrong.

mod parameters;
mod patterns;
mod pipeline;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, UrlKey};
use gleaner_store::{Counts, HostId, UrlRecord, UrlState};
use url::Url;

use crate::rank;
use crate::report::cause::is_wall;
use parameters::{Parameters, Step};
use patterns::Patterns;

/// The label of the counts of a rule begins with this text.
const LABEL: &str = "excluded: ";
const SETTING: &str = "crawl.skip_traps: ";
const PATTERN: &str = "nothing new at ";
const PARAMETER: &str = "session parameter ";

/// The traps of the hosts that this process crawls.
#[derive(Debug)]
pub(crate) struct Traps {
    is_on: bool,
    hosts: HashMap<String, HostTraps>,
    /// The rules that are not in the counts of this run yet.
    changes: Vec<RuleChange>,
}

#[derive(Debug, Default)]
struct HostTraps {
    patterns: Patterns,
    parameters: Parameters,
}

/// A rule that a host has gained or lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleChange {
    pub(crate) host: String,
    /// The label of the rule in [`Counts::refused`].
    pub(crate) label: String,
    pub(crate) is_gained: bool,
}

/// A page whose visit has ended.
#[derive(Debug, Clone)]
pub(crate) struct EndedPage {
    pub(crate) url: CanonicalUrl,
    pub(crate) host: HostId,
    pub(crate) depth: u32,
    /// Whether the page was requested because of a link ([`is_linked`]).
    pub(crate) is_linked: bool,
    /// Whether the page led to new URLs that may be articles.
    pub(crate) leads_on: bool,
    pub(crate) result: PageResult,
    /// The target of a redirect.
    pub(crate) target: Option<CanonicalUrl>,
}

/// What a visit of a page gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageResult {
    /// A text that is new to the corpus, or that the settings keep out of it.
    New,
    /// The text of another URL of the same host.
    Repeated(UrlKey),
    /// No article, or a redirect.
    NoArticle,
    /// The page does not exist, or the server refused the request.
    Missing,
    /// The visit says nothing about similar URLs, for example because the server has an error.
    Unknown,
}

impl PageResult {
    /// Classifies an outcome. `is_own` says whether a duplicate is the duplicate of a page of the same host.
    /// Several sites publish the texts of one agency, so the duplicate of another site's page proves nothing.
    pub(crate) fn of(outcome: &Outcome, is_own: bool) -> Self {
        match outcome {
            Outcome::Stored
            | Outcome::Revised
            | Outcome::NearDuplicate { .. }
            | Outcome::OtherLanguage { .. }
            | Outcome::Filtered { .. } => Self::New,
            Outcome::Duplicate { of } if is_own => Self::Repeated(*of),
            Outcome::NotArticle { .. } if is_wall(&outcome.reason()) => Self::Unknown,
            // During maintenance, some sites redirect all pages to their front page.
            Outcome::Redirected { to } if is_front_page(to) => Self::Unknown,
            Outcome::NotArticle { .. } | Outcome::Redirected { .. } | Outcome::WrongType { .. } => {
                Self::NoArticle
            }
            Outcome::Gone { .. } | Outcome::Rejected { .. } => Self::Missing,
            Outcome::Duplicate { .. }
            | Outcome::Listing
            | Outcome::Unchanged
            | Outcome::RedirectRefused { .. }
            | Outcome::Disallowed { .. }
            | Outcome::TooLarge { .. }
            | Outcome::PrivateAddress
            | Outcome::Unreadable { .. }
            | Outcome::Failed { .. }
            | Outcome::Truncated { .. }
            | Outcome::Excluded { .. } => Self::Unknown,
        }
    }
}

fn is_front_page(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.path() == "/")
}

/// Whether a URL is in the queue only because of a link, perhaps after redirects. Front pages, sections and
/// feeds are not. Neither are pages that a feed or sitemap names, and articles to revisit.
pub(crate) fn is_linked(role: Role, rank: u8, hops: u32) -> bool {
    role == Role::Page && (matches!(rank, rank::ARTICLE | rank::OTHER) || rank == rank::LISTING && hops > 0)
}

/// Whether the record of a ready URL [is linked](is_linked).
pub(crate) fn is_linked_record(record: &UrlRecord) -> bool {
    matches!(record.state, UrlState::Ready { rank, .. } if is_linked(record.role, rank, record.hops))
}

/// Returns the rules of the counts of a host.
pub(crate) fn rules_of(counts: &Counts) -> impl Iterator<Item = &str> {
    let rules = counts.refused.keys().filter_map(|label| label.strip_prefix(LABEL));
    rules.filter(|rule| rule.starts_with(SETTING))
}

/// Returns the number of URLs and links that a rule excluded.
pub(crate) fn excluded_by(counts: &Counts, rule: &str) -> u64 {
    let label = format!("{LABEL}{rule}");
    [&counts.refused, &counts.outcomes].iter().filter_map(|counts| counts.get(&label)).sum()
}

/// Returns the rule about a trap that applies to links to a URL, such as
/// `crawl.skip_traps: nothing new at /calendar/#`. `counts` are the newest counts of its host.
#[must_use]
pub fn trap_rule<'a>(counts: &'a Counts, url: &CanonicalUrl) -> Option<&'a str> {
    let patterns = [url.pattern(false), url.pattern(true)];
    rules_of(counts).find(|rule| match rule_parts(rule) {
        Some(Ok(pattern)) => patterns.iter().any(|known| known == pattern),
        Some(Err(name)) => url.without_parameter(name).is_some(),
        None => false,
    })
}

/// Returns the pattern of a rule about a pattern, or the name of a rule about a parameter.
pub(crate) fn rule_parts(rule: &str) -> Option<Result<&str, &str>> {
    let text = rule.strip_prefix(SETTING)?;
    text.strip_prefix(PATTERN).map(Ok).or_else(|| text.strip_prefix(PARAMETER).map(Err))
}

fn pattern_rule(pattern: &str) -> String {
    format!("{SETTING}{PATTERN}{pattern}")
}

fn parameter_rule(name: &str) -> String {
    format!("{SETTING}{PARAMETER}{name}")
}

impl Traps {
    /// `is_on` is the setting `crawl.skip_traps`. It must be off in a replay.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, hosts: HashMap::new(), changes: Vec::new() }
    }

    /// Adds a host with the rules of the last run.
    pub(crate) fn load<'a>(&mut self, host: &str, rules: impl IntoIterator<Item = &'a str>) {
        for rule in rules.into_iter().filter(|_| self.is_on) {
            let traps = self.hosts.entry(host.to_owned()).or_default();
            match rule_parts(rule) {
                Some(Ok(pattern)) => traps.patterns.load(pattern),
                Some(Err(name)) => traps.parameters.load(name),
                None => continue,
            }
            self.changes.push(RuleChange {
                host: host.into(),
                label: format!("{LABEL}{rule}"),
                is_gained: true,
            });
        }
    }

    /// Removes a host that another process crawls from now on.
    pub(crate) fn remove(&mut self, host: &str) {
        self.hosts.remove(host);
        self.changes.retain(|change| change.host != host);
    }

    /// Returns the rules that hosts have gained or lost since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<RuleChange> {
        std::mem::take(&mut self.changes)
    }

    /// Considers a visit. Returns a URL that must be requested to find out whether one of its parameters is a
    /// session id.
    pub(crate) fn ended(&mut self, page: &EndedPage) -> Option<CanonicalUrl> {
        if !self.is_on {
            return None;
        }
        let host = page.url.host();
        let traps = self.hosts.entry(host.to_owned()).or_default();
        let mut changed = Vec::new();
        if page.is_linked
            && let Some((pattern, is_trap)) = traps.patterns.ended(page)
        {
            changed.push((pattern_rule(&pattern), is_trap));
        }
        let step = traps.parameters.ended(page);
        let probe = match step {
            Some(Step::Probe(url)) => Some(url),
            Some(Step::Changed(name, is_session)) => {
                changed.push((parameter_rule(&name), is_session));
                None
            }
            None => None,
        };
        let change =
            |(rule, is_gained)| RuleChange { host: host.into(), label: format!("{LABEL}{rule}"), is_gained };
        self.changes.extend(changed.into_iter().map(change));
        probe
    }

    /// Considers a known page instead of a request for the URL that [`ended`](Self::ended) returned. `document`
    /// is the URL of the document with its text.
    pub(crate) fn probed(&mut self, url: &CanonicalUrl, document: Option<UrlKey>) {
        let Some(traps) = self.hosts.get_mut(url.host()) else { return };
        if let Some(Step::Changed(name, true)) = traps.parameters.probed(url.key(), document) {
            let label = format!("{LABEL}{}", parameter_rule(&name));
            self.changes.push(RuleChange { host: url.host().into(), label, is_gained: true });
        }
    }

    /// Considers that the visit of the URL that [`ended`](Self::ended) returned has failed.
    pub(crate) fn unanswered(&mut self, url: &CanonicalUrl) {
        if let Some(traps) = self.hosts.get_mut(url.host()) {
            traps.parameters.unanswered(url.key());
        }
    }

    /// Returns a URL without session parameters, and the rule. Returns `None` if it has none.
    pub(crate) fn without_session(&mut self, url: &CanonicalUrl) -> Option<(CanonicalUrl, String)> {
        url.url().query()?;
        let (plain, name) = self.hosts.get_mut(url.host())?.parameters.cleaned(url)?;
        Some((plain, parameter_rule(&name)))
    }

    /// Returns the rule by which a ready URL is not requested in this run.
    pub(crate) fn excludes(&self, url: &CanonicalUrl, record: &UrlRecord) -> Option<String> {
        let traps = self.hosts.get(url.host()).filter(|_| is_linked_record(record))?;
        traps.patterns.excludes(url).map(|pattern| pattern_rule(&pattern))
    }

    /// Returns the rule by which a link is not followed in this run.
    pub(crate) fn refuses(&self, found: &FoundUrl, rank: u8) -> Option<String> {
        let traps = self.hosts.get(found.url.host()).filter(|_| is_linked(found.role, rank, 0))?;
        traps.patterns.refuses(&found.url).map(|pattern| pattern_rule(&pattern))
    }

    /// Records that a link entered the frontier. Returns whether it may lead to articles: pages of its pattern
    /// have given some, or their number is still small and `from`, the page with the link, has another pattern.
    pub(crate) fn entered(&mut self, from: &CanonicalUrl, found: &FoundUrl, rank: u8) -> bool {
        if !self.is_on {
            return true;
        }
        let traps = self.hosts.entry(found.url.host().to_owned()).or_default();
        if is_linked(found.role, rank, 0) {
            traps.patterns.entered(&found.url);
        }
        found.role != Role::Page || traps.patterns.is_promising(from, &found.url)
    }

    /// Records a request.
    pub(crate) fn requested(&mut self, url: &CanonicalUrl, record: &UrlRecord) {
        if let Some(traps) = self.hosts.get_mut(url.host()).filter(|_| is_linked_record(record)) {
            traps.patterns.requested(url);
        }
    }
}
