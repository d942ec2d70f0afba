//! Selects the documents of an export, and counts the exported and excluded documents.

mod request;
mod texts;
mod urls;

use std::collections::BTreeMap;

use gleaner_corpus::{Document, Preference, Purpose, Query, is_of_host};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Record, RecordContext, Sample};

pub use request::{DEFAULT_CONFIDENCE, SelectionRequest, time, unmatched};
pub use texts::{Property, TextFilter};
pub use urls::UrlPatterns;

/// The key in [`FilterCounts::held_back`] for near-duplicates that are represented by another document.
pub const NEAR_DUPLICATE: &str = "near_duplicate";

/// The key in [`FilterCounts::held_back`] for documents published outside the filter's time range.
pub const PUBLISHED: &str = "published";

/// The key in [`FilterCounts::held_back`] for documents without a publication date, if the filter requires
/// one.
pub const UNDATED: &str = "undated";

/// The key in [`FilterCounts::held_back`] for documents whose page must be written, and is not in the archive or cannot
/// be read.
pub const NO_PAGE: &str = "no_page";

/// The key in [`FilterCounts::held_back`] for documents that are not in the sample.
pub const SAMPLE: &str = "sample";

/// Selects the documents to export. An empty field excludes no document. [`Self::members`] includes documents
/// that are excluded by default.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Hosts to export, each with its subdomains. A host without a port includes all its ports.
    pub hosts: Vec<String>,
    /// Hosts that are not exported, each with its subdomains.
    pub excluded_hosts: Vec<String>,
    /// Patterns of URLs that are not exported.
    pub excluded_urls: UrlPatterns,
    /// Languages to export, as BCP 47 primary tags such as `vi`.
    pub languages: Vec<String>,
    /// Only documents fetched at this time or later are exported.
    pub since: Option<Timestamp>,
    /// Only documents fetched before this time are exported.
    pub until: Option<Timestamp>,
    /// Only documents with a publication date at this time or later are exported.
    pub published_since: Option<Timestamp>,
    /// Only documents with a publication date before this time are exported.
    pub published_until: Option<Timestamp>,
    /// Only documents whose use for these purposes is not disallowed are exported.
    pub allowed: Vec<Purpose>,
    /// Only documents whose use for these purposes is explicitly allowed are exported.
    pub explicitly_allowed: Vec<Purpose>,
    /// Only documents from whose page robots.txt bars none of these crawlers are exported.
    pub not_barred: Vec<String>,
    /// Conditions on texts in the metadata, such as headline or authors.
    pub texts: Vec<TextFilter>,
    /// Whether to include near-duplicates that are represented by another document.
    pub members: bool,
    /// Conditions on fields of the document, by [`Query::selects`].
    pub conditions: Vec<Query>,
    /// Only documents in this sample are exported.
    pub sample: Option<Sample>,
    /// Maximum number of documents to export.
    pub limit: Option<u64>,
}

impl Filter {
    /// Whether a document passes all conditions. The limit is ignored.
    #[must_use]
    pub fn passes(&self, document: &Document, context: &RecordContext) -> bool {
        self.select(document, context).is_ok()
    }

    /// Returns the document's record, or the name of the first filter that excludes it. The conditions on
    /// numbers come last, because they require reading the text.
    fn select<'a>(&self, document: &'a Document, context: &'a RecordContext) -> Result<Record<'a>, String> {
        if !self.hosts.is_empty() && !self.hosts.iter().any(|wanted| is_of_host(&document.host, wanted)) {
            return Err("host".into());
        }
        if self.excluded_hosts.iter().any(|excluded| is_of_host(&document.host, excluded)) {
            return Err("exclude-host".into());
        }
        if self.excluded_urls.is_match(&document.url) {
            return Err("exclude-url".into());
        }
        if !self.languages.is_empty() && !self.languages.contains(&document.language) {
            return Err("language".into());
        }
        if self.since.is_some_and(|since| document.fetched < since) {
            return Err("since".into());
        }
        if self.until.is_some_and(|until| document.fetched >= until) {
            return Err("until".into());
        }
        if let Some(reason) = self.publication_exclusion(document) {
            return Err(reason.into());
        }
        if let Some(reason) = self.usage_exclusion(document) {
            return Err(reason);
        }
        if let Some(filter) = self.texts.iter().find(|filter| !filter.holds(document)) {
            return Err(filter.property.name().into());
        }
        if !self.members && context.representative.is_some() {
            return Err(NEAR_DUPLICATE.into());
        }
        let record = Record::new(document, context);
        let holds = |query: &&Query| query.selects(document, |name| record.figure(name));
        match self.conditions.iter().find(|query| !holds(query)) {
            Some(condition) => Err(condition.to_string()),
            None if self.sample.is_some_and(|sample| !sample.contains(document.id)) => Err(SAMPLE.into()),
            None => Ok(record),
        }
    }

    fn usage_exclusion(&self, document: &Document) -> Option<String> {
        let preference = |purpose: &Purpose| document.usage.preference(*purpose);
        let is_disallowed = |purpose: &&Purpose| preference(purpose) == Preference::Disallow;
        let is_not_stated = |purpose: &&Purpose| preference(purpose) == Preference::Unknown;
        let is_barred =
            |agent: &&String| document.usage.barred_agents.iter().any(|it| it.eq_ignore_ascii_case(agent));
        let asked = || self.allowed.iter().chain(&self.explicitly_allowed);
        if let Some(purpose) = asked().find(is_disallowed) {
            return Some(format!("{purpose} disallowed"));
        }
        if let Some(purpose) = self.explicitly_allowed.iter().find(is_not_stated) {
            return Some(format!("{purpose} not stated"));
        }
        self.not_barred.iter().find(is_barred).map(|agent| format!("{agent} barred"))
    }

    fn publication_exclusion(&self, document: &Document) -> Option<&'static str> {
        if self.published_since.is_none() && self.published_until.is_none() {
            return None;
        }
        let Some(published) = document.published_utc else { return Some(UNDATED) };
        let is_outside = self.published_since.is_some_and(|since| published < since)
            || self.published_until.is_some_and(|until| published >= until);
        is_outside.then_some(PUBLISHED)
    }
}

/// Counts of the exported and excluded documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterCounts {
    /// Number of exported documents.
    pub documents: u64,
    /// Number of words in all exported documents.
    pub words: u64,
    /// The earliest fetch time of the exported documents. `None` if there are no documents.
    pub first_fetched: Option<Timestamp>,
    /// The latest fetch time of the exported documents. `None` if there are no documents.
    pub last_fetched: Option<Timestamp>,
    /// Documents and words by language.
    pub languages: BTreeMap<String, PartCounts>,
    /// Documents and words by host.
    pub hosts: BTreeMap<String, PartCounts>,
    /// Number of excluded documents by filter. A document counts only for the first filter that excludes it.
    pub held_back: BTreeMap<String, u64>,
}

/// Counts for a part of the exported documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartCounts {
    /// Number of documents.
    pub documents: u64,
    /// Number of words in these documents.
    pub words: u64,
}

impl FilterCounts {
    fn add(&mut self, record: &Record) {
        let (fetched, words) = (record.document().fetched, record.words());
        self.documents += 1;
        self.words += words;
        self.first_fetched = Some(self.first_fetched.map_or(fetched, |first| first.min(fetched)));
        self.last_fetched = self.last_fetched.max(Some(fetched));
        add(&mut self.languages, &record.document().language, words);
        add(&mut self.hosts, &record.document().host, words);
    }
}

/// Adds a document to the counts under `name`. Allocates memory only for a new key.
fn add(shares: &mut BTreeMap<String, PartCounts>, name: &str, words: u64) {
    let share = match shares.get_mut(name) {
        Some(share) => share,
        None => shares.entry(name.to_owned()).or_default(),
    };
    share.documents += 1;
    share.words += words;
}

/// A filter that also counts the exported and the excluded documents.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    filter: Filter,
    tally: FilterCounts,
    needs_pages: bool,
}

impl Selection {
    /// Creates a selection whose counts continue from `tally`.
    #[must_use]
    pub const fn new(filter: Filter, tally: FilterCounts) -> Self {
        Self { filter, tally, needs_pages: false }
    }

    /// Excludes documents without a [page](RecordContext::page) if `needs_pages` is true.
    #[must_use]
    pub fn with_pages(self, needs_pages: bool) -> Self {
        Self { needs_pages, ..self }
    }

    /// Returns the filter.
    #[must_use]
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Restricts the selection to the documents in a sample.
    pub const fn set_sample(&mut self, sample: Sample) {
        self.filter.sample = Some(sample);
    }

    /// Whether the filter's limit is reached. If so, further documents are excluded and not counted.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        matches!(self.filter.limit, Some(limit) if self.tally.documents >= limit)
    }

    /// Counts a document and returns its record. Returns `None` if a filter excludes the document. If the
    /// limit is reached, returns `None` and counts nothing.
    pub fn take<'a>(&mut self, document: &'a Document, context: &'a RecordContext) -> Option<Record<'a>> {
        if self.is_full() {
            return None;
        }
        match self.filter.select(document, context) {
            Ok(record) if self.needs_pages && record.page().is_none() => {
                *self.tally.held_back.entry(NO_PAGE.to_owned()).or_default() += 1;
                None
            }
            Ok(record) => {
                self.tally.add(&record);
                Some(record)
            }
            Err(filter) => {
                *self.tally.held_back.entry(filter).or_default() += 1;
                None
            }
        }
    }

    /// Returns the counts so far.
    #[must_use]
    pub const fn tally(&self) -> &FilterCounts {
        &self.tally
    }
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::Condition;

    use super::*;
    use crate::record::tests::documents;

    fn passes(filter: Filter) -> bool {
        Selection::new(filter, FilterCounts::default())
            .take(&documents()[0], &RecordContext::default())
            .is_some()
    }

    #[test]
    fn filters_narrow_by_host_language_date_and_figures() {
        let at = |text: &str| Some(text.parse().unwrap());
        let conditions = |text: &str| vec![text.parse().unwrap()];
        let urls = |pattern: &str| UrlPatterns::new(&[pattern.to_owned()]).unwrap();
        let cases = [
            (Filter::default(), true),
            (Filter { hosts: vec!["baolang.example".into()], ..Filter::default() }, true),
            (Filter { hosts: vec!["lang.example".into()], ..Filter::default() }, false),
            (Filter { excluded_hosts: vec!["baolang.example".into()], ..Filter::default() }, false),
            (Filter { excluded_hosts: vec!["lang.example".into()], ..Filter::default() }, true),
            (Filter { excluded_urls: urls("baolang.*/"), ..Filter::default() }, false),
            (Filter { excluded_urls: urls("/live/"), ..Filter::default() }, true),
            (Filter { languages: vec!["en".into()], ..Filter::default() }, false),
            (Filter { since: at("2026-11-20T02:30:00Z"), ..Filter::default() }, true),
            (Filter { since: at("2026-11-20T02:30:01Z"), ..Filter::default() }, false),
            (Filter { until: at("2026-11-20T02:30:00Z"), ..Filter::default() }, false),
            (Filter { published_since: at("2026-11-20T02:00:00Z"), ..Filter::default() }, true),
            (Filter { published_since: at("2026-11-20T02:00:01Z"), ..Filter::default() }, false),
            (Filter { published_until: at("2026-11-20T02:00:00Z"), ..Filter::default() }, false),
            (Filter { conditions: conditions("words>=13"), ..Filter::default() }, true),
            (Filter { conditions: conditions("words>=14"), ..Filter::default() }, false),
            (
                Filter { conditions: conditions("words>=14 or host=baolang.example"), ..Filter::default() },
                true,
            ),
            (Filter { conditions: conditions("words>=13 and not language=vi"), ..Filter::default() }, false),
        ];
        for (filter, expected) in cases {
            assert_eq!(passes(filter.clone()), expected, "{filter:?}");
        }
    }

    #[test]
    fn texts_are_searched_in_metadata_without_case() {
        for (property, wanted, expected) in [
            (Property::Title, &["CHỢ"][..], true),
            (Property::Title, &["rau"], false),
            (Property::Section, &["the thao", "kinh TE\u{302}\u{301}"], true),
            (Property::Author, &["chi"], true),
            (Property::Author, &["an, bình"], false),
            (Property::Tag, &["cá"], true),
            (Property::Tag, &["chợ quê"], false),
        ] {
            let wanted: Vec<String> = wanted.iter().map(|&text| text.to_owned()).collect();
            let texts = vec![TextFilter::new(property, &wanted)];
            assert_eq!(passes(Filter { texts, ..Filter::default() }), expected, "{property:?} {wanted:?}");
        }
    }

    #[test]
    fn a_document_without_a_date_is_held_back_and_counted() {
        let published_until = Some(Timestamp::MAX);
        let filter = Filter { published_until, ..Filter::default() };
        let mut selection = Selection::new(filter, FilterCounts::default());
        for document in documents() {
            selection.take(&document, &RecordContext::default());
        }
        assert_eq!((selection.tally().documents, selection.tally().held_back[UNDATED]), (1, 2));
    }

    #[test]
    fn use_is_selected_by_purpose_and_crawler() {
        // The first document disallows train-ai, allows search and bars CCBot. The others state nothing.
        let held_back = |filter: Filter| {
            let mut selection = Selection::new(filter, FilterCounts::default());
            for document in documents() {
                selection.take(&document, &RecordContext::default());
            }
            let held = selection.tally().held_back.iter().map(|(reason, count)| format!("{reason}: {count}"));
            held.collect::<Vec<_>>().join(", ")
        };
        let allowed = |allowed: &[Purpose]| Filter { allowed: allowed.into(), ..Filter::default() };
        let explicitly = |purpose| Filter { explicitly_allowed: vec![purpose], ..Filter::default() };
        let not_barred = |agent: &str| Filter { not_barred: vec![agent.into()], ..Filter::default() };
        assert_eq!(held_back(allowed(&[Purpose::TrainAi, Purpose::Search])), "train-ai disallowed: 1");
        assert_eq!(held_back(allowed(&[Purpose::Search, Purpose::Tdm])), "");
        assert_eq!(held_back(explicitly(Purpose::Search)), "search not stated: 2");
        assert_eq!(held_back(explicitly(Purpose::TrainAi)), "train-ai disallowed: 1, train-ai not stated: 2");
        assert_eq!(held_back(not_barred("ccbot")), "ccbot barred: 1");
        assert_eq!(held_back(not_barred("GPTBot")), "");
    }

    #[test]
    fn a_limit_and_a_sample_end_the_selection() {
        let count = |filter: Filter| {
            let mut selection = Selection::new(filter, FilterCounts::default());
            for document in documents() {
                selection.take(&document, &RecordContext::default());
            }
            (selection.tally().documents, selection.tally().held_back.get(SAMPLE).copied())
        };
        assert_eq!(count(Filter { limit: Some(2), ..Filter::default() }), (2, None));
        let mut sampler = crate::Sampler::new(1, 0);
        documents().iter().for_each(|document| sampler.add(document.id));
        assert_eq!(count(Filter { sample: Some(sampler.sample()), ..Filter::default() }), (1, Some(2)));
    }

    #[test]
    fn those_for_which_others_stand_are_taken_on_request() {
        let document = &documents()[0];
        let context = crate::record::tests::context(document);
        for members in [false, true] {
            let filter = Filter { members, ..Filter::default() };
            let mut selection = Selection::new(filter, FilterCounts::default());
            assert_eq!(selection.take(document, &context).is_some(), members);
            assert_eq!(selection.tally().held_back.contains_key(NEAR_DUPLICATE), !members);
        }
    }

    #[test]
    fn what_passes_and_what_is_held_back_is_counted_once() {
        let filter = Filter {
            languages: vec!["vi".into(), "und".into()],
            conditions: vec![Condition::confidence(0.3).into(), "words>=1".parse().unwrap()],
            ..Filter::default()
        };
        let mut selection = Selection::new(filter, FilterCounts::default());
        for document in documents() {
            selection.take(&document, &RecordContext::default());
        }
        let tally = selection.tally();
        assert_eq!((tally.documents, tally.words), (1, 13));
        assert_eq!(tally.languages["vi"], PartCounts { documents: 1, words: 13 });
        assert_eq!(tally.first_fetched, tally.last_fetched);
        let held: Vec<_> = tally.held_back.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(held, [("confidence>=0.3", 1), ("language", 1)]);
    }
}
