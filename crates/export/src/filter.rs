//! Filters documents, and counts the exported and excluded ones.

use std::collections::BTreeMap;

use gleaner_corpus::{Condition, Document};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Beside, Record};

/// The key in [`Tally::held_back`] for documents represented by another document.
pub const NEAR_DUPLICATE: &str = "near_duplicate";

/// Selects the documents to export. An empty field excludes nothing; only [`Self::members`] adds
/// documents.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Hosts to export, each including its subdomains.
    pub hosts: Vec<String>,
    /// Languages to export, as BCP 47 primary tags.
    pub languages: Vec<String>,
    /// Export documents fetched at this time or later.
    pub since: Option<Timestamp>,
    /// Export documents fetched before this time.
    pub until: Option<Timestamp>,
    /// Whether to include documents represented by another document.
    pub members: bool,
    /// Conditions on the documents' figures.
    pub conditions: Vec<Condition>,
}

impl Filter {
    /// Returns the record of a document, or the first filter that excludes it. Conditions are checked
    /// last, because they read the text.
    fn held_by<'a>(&self, document: &'a Document, beside: &'a Beside) -> Result<Record<'a>, String> {
        let under = |wanted: &String| {
            document
                .host
                .strip_suffix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if !self.hosts.is_empty() && !self.hosts.iter().any(under) {
            return Err("host".into());
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
        if !self.members && beside.head.is_some() {
            return Err(NEAR_DUPLICATE.into());
        }
        let record = Record::new(document, beside);
        match self.conditions.iter().find(|condition| !condition.holds(|name| record.figure(name))) {
            Some(condition) => Err(condition.to_string()),
            None => Ok(record),
        }
    }
}

/// Counts of the exported and excluded documents so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of exported documents.
    pub documents: u64,
    /// Number of their words.
    pub words: u64,
    /// The earliest fetch time of the exported documents.
    pub first_fetched: Option<Timestamp>,
    /// The latest fetch time of the exported documents.
    pub last_fetched: Option<Timestamp>,
    /// Documents and words by language.
    pub languages: BTreeMap<String, Share>,
    /// Documents and words by host.
    pub hosts: BTreeMap<String, Share>,
    /// Number of excluded documents by the first filter that excluded them.
    pub held_back: BTreeMap<String, u64>,
}

/// Counts for a part of the exported documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Number of documents.
    pub documents: u64,
    /// Number of their words.
    pub words: u64,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        let (fetched, words) = (record.fetched(), record.words());
        self.documents += 1;
        self.words += words;
        self.first_fetched = Some(self.first_fetched.map_or(fetched, |first| first.min(fetched)));
        self.last_fetched = self.last_fetched.max(Some(fetched));
        add(&mut self.languages, record.language(), words);
        add(&mut self.hosts, record.host(), words);
    }
}

/// Adds a document. Does not allocate if the key exists.
fn add(shares: &mut BTreeMap<String, Share>, name: &str, words: u64) {
    let share = match shares.get_mut(name) {
        Some(share) => share,
        None => shares.entry(name.to_owned()).or_default(),
    };
    share.documents += 1;
    share.words += words;
}

/// A filter that counts the exported and excluded documents.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    filter: Filter,
    tally: Tally,
}

impl Selection {
    /// Returns a selection that continues counting from `tally`.
    #[must_use]
    pub const fn new(filter: Filter, tally: Tally) -> Self {
        Self { filter, tally }
    }

    /// Counts a document, and returns its record, or `None` if a filter excludes it.
    pub fn take<'a>(&mut self, document: &'a Document, beside: &'a Beside) -> Option<Record<'a>> {
        match self.filter.held_by(document, beside) {
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
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::documents;

    fn passes(filter: Filter) -> bool {
        Selection::new(filter, Tally::default()).take(&documents()[0], &Beside::default()).is_some()
    }

    #[test]
    fn filters_narrow_by_host_language_date_and_figures() {
        let at = |text: &str| Some(text.parse().unwrap());
        let conditions = |text: &str| vec![text.parse().unwrap()];
        let cases = [
            (Filter::default(), true),
            (Filter { hosts: vec!["baolang.example".into()], ..Filter::default() }, true),
            (Filter { hosts: vec!["lang.example".into()], ..Filter::default() }, false),
            (Filter { languages: vec!["en".into()], ..Filter::default() }, false),
            (Filter { since: at("2026-11-20T02:30:00Z"), ..Filter::default() }, true),
            (Filter { since: at("2026-11-20T02:30:01Z"), ..Filter::default() }, false),
            (Filter { until: at("2026-11-20T02:30:00Z"), ..Filter::default() }, false),
            (Filter { conditions: conditions("words>=13"), ..Filter::default() }, true),
            (Filter { conditions: conditions("words>=14"), ..Filter::default() }, false),
        ];
        for (filter, expected) in cases {
            assert_eq!(passes(filter.clone()), expected, "{filter:?}");
        }
    }

    #[test]
    fn those_for_which_others_stand_are_taken_on_request() {
        let document = &documents()[0];
        let beside = crate::record::tests::beside(document);
        for members in [false, true] {
            let filter = Filter { members, ..Filter::default() };
            let mut selection = Selection::new(filter, Tally::default());
            assert_eq!(selection.take(document, &beside).is_some(), members);
            assert_eq!(selection.tally().held_back.contains_key(NEAR_DUPLICATE), !members);
        }
    }

    #[test]
    fn what_passes_and_what_is_held_back_is_counted_once() {
        let filter = Filter {
            languages: vec!["vi".into(), "und".into()],
            conditions: vec![Condition::confidence(0.3), "words>=1".parse().unwrap()],
            ..Filter::default()
        };
        let mut selection = Selection::new(filter, Tally::default());
        for document in documents() {
            selection.take(&document, &Beside::default());
        }
        let tally = selection.tally();
        assert_eq!((tally.documents, tally.words), (1, 13));
        assert_eq!(tally.languages["vi"], Share { documents: 1, words: 13 });
        assert_eq!(tally.first_fetched, tally.last_fetched);
        let held: Vec<_> = tally.held_back.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(held, [("confidence>=0.3", 1), ("language", 1)]);
    }
}
