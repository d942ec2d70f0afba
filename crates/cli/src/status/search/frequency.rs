//! Counts the documents, words and occurrences of a search by year, month, host, language or section.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, Searcher, SegmentReader};

use super::SearchError;
use super::index::{Fields, first_day};
use super::matches::IndexQuery;
use super::query::SearchQuery;

/// By what a search counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Grouping {
    Month,
    Year,
    Host,
    Language,
    Section,
}

/// The counts of one month, host or other group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Frequency {
    /// The group, such as `2026-11`. Empty if the documents have no section.
    pub(crate) group: String,
    /// Number of occurrences of the words.
    pub(crate) hits: u64,
    /// Number of documents that match.
    pub(crate) found: u64,
    /// Number of documents that meet the other conditions of the search.
    pub(crate) documents: u64,
    /// Number of words in the titles and texts of `documents`.
    pub(crate) words: u64,
}

impl Frequency {
    /// Returns the number of occurrences in a million words.
    pub(crate) fn per_million(&self) -> f64 {
        if self.words == 0 { 0.0 } else { self.hits as f64 * 1e6 / self.words as f64 }
    }

    /// Returns the sum of all groups.
    pub(crate) fn total(all: &[Self]) -> Self {
        let mut total = Self::default();
        all.iter().for_each(|one| total.add(one));
        total
    }

    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.found += other.found;
        self.documents += other.documents;
        self.words += other.words;
    }
}

impl Grouping {
    pub(crate) const ALL: [Self; 5] = [Self::Month, Self::Year, Self::Host, Self::Language, Self::Section];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Year => "year",
            Self::Host => "host",
            Self::Language => "language",
            Self::Section => "section",
        }
    }

    /// Whether the groups follow each other in time.
    pub(crate) const fn is_time(self) -> bool {
        matches!(self, Self::Month | Self::Year)
    }
}

/// Returns the counts for each grouping. Times are in ascending order, other groups begin with the most
/// occurrences.
pub(super) fn count(
    searcher: &Searcher,
    fields: &Fields,
    query: &SearchQuery,
    groupings: &[Grouping],
) -> Result<Vec<Vec<Frequency>>, SearchError> {
    let found = IndexQuery::new(searcher, fields, query)?.matches(searcher, fields.words)?;
    let selected = IndexQuery::new(searcher, fields, &query.without_words())?;
    let selected = selected.matches(searcher, fields.words)?;
    let mut counts: Vec<BTreeMap<String, Frequency>> = vec![BTreeMap::new(); groupings.len()];
    for (at, segment) in searcher.segment_readers().iter().enumerate() {
        let lengths = segment.fast_fields().u64("length")?;
        for (grouping, counts) in groupings.iter().zip(&mut counts) {
            let column = GroupColumn::open(segment, *grouping)?;
            let mut own: HashMap<Option<i64>, Frequency> = HashMap::new();
            for &document in &selected[at].documents {
                let group = own.entry(column.value(document)).or_default();
                group.documents += 1;
                group.words += lengths.first(document).unwrap_or_default();
            }
            for (document, occurrences) in found[at].by_document() {
                let group = own.entry(column.value(document)).or_default();
                group.found += 1;
                group.hits += occurrences.len() as u64;
            }
            for (value, frequency) in own {
                counts.entry(column.name(value)?).or_default().add(&frequency);
            }
        }
    }
    Ok(groupings.iter().zip(counts).map(|(grouping, counts)| sorted(*grouping, counts)).collect())
}

fn sorted(grouping: Grouping, counts: BTreeMap<String, Frequency>) -> Vec<Frequency> {
    let named = |(group, frequency)| Frequency { group, ..frequency };
    let mut all: Vec<Frequency> = counts.into_iter().map(named).collect();
    if !grouping.is_time() {
        all.sort_by_key(|count| Reverse((count.hits, count.found)));
    }
    all
}

/// Returns the latest months or years, at most `limit`, also those without documents between the others.
pub(crate) fn with_all_months(grouping: Grouping, counts: &[Frequency], limit: usize) -> Vec<Frequency> {
    let (Some(first), Some(last)) = (counts.first(), counts.last()) else { return Vec::new() };
    let known: BTreeMap<&str, &Frequency> =
        counts.iter().map(|count| (count.group.as_str(), count)).collect();
    let months = |period: &str| {
        let (year, month) = period.split_once('-').unwrap_or((period, "1"));
        year.parse::<i64>().unwrap_or_default() * 12 + month.parse::<i64>().unwrap_or(1) - 1
    };
    let step = if grouping == Grouping::Year { 12 } else { 1 };
    let (first, last) = (months(&first.group), months(&last.group));
    let begin = first.max(last - step * (limit as i64 - 1));
    let mut all = Vec::new();
    for month in (begin..=last).step_by(step as usize) {
        let group = match grouping {
            Grouping::Year => format!("{:04}", month / 12),
            _ => format!("{:04}-{:02}", month / 12, month % 12 + 1),
        };
        let known = known.get(group.as_str()).map(|known| (*known).clone());
        all.push(known.unwrap_or(Frequency { group, ..Frequency::default() }));
    }
    all
}

/// The column of the index that has the groups of one segment's documents.
enum GroupColumn {
    Month(Column<i64>),
    Year(Column<i64>),
    Text(Option<StrColumn>),
}

impl GroupColumn {
    fn open(segment: &SegmentReader, grouping: Grouping) -> Result<Self, SearchError> {
        let columns = segment.fast_fields();
        Ok(match grouping {
            Grouping::Month => Self::Month(columns.i64("month")?),
            Grouping::Year => Self::Year(columns.i64("month")?),
            Grouping::Host => Self::Text(columns.str("site")?),
            Grouping::Language => Self::Text(columns.str("language")?),
            Grouping::Section => Self::Text(columns.str("section")?),
        })
    }

    fn value(&self, document: DocId) -> Option<i64> {
        match self {
            Self::Month(months) => months.first(document),
            Self::Year(months) => months.first(document).map(|month| month.div_euclid(12)),
            Self::Text(texts) => {
                texts.as_ref()?.term_ords(document).next().and_then(|at| i64::try_from(at).ok())
            }
        }
    }

    /// Returns the name of a group by its value in this column.
    fn name(&self, value: Option<i64>) -> Result<String, SearchError> {
        let Some(value) = value else { return Ok(String::new()) };
        match self {
            Self::Month(_) => {
                Ok(first_day(value).map_or_else(String::new, |day| day.strftime("%Y-%m").to_string()))
            }
            Self::Year(_) => Ok(format!("{value:04}")),
            Self::Text(texts) => {
                let mut name = String::new();
                if let (Some(texts), Ok(value)) = (texts, u64::try_from(value)) {
                    texts.ord_to_str(value, &mut name).map_err(tantivy::TantivyError::from)?;
                }
                Ok(name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_without_documents_are_filled_in() {
        let count = |group: &str| Frequency { group: group.into(), hits: 1, ..Frequency::default() };
        let groups = |grouping, counts: &[Frequency], limit| -> Vec<String> {
            with_all_months(grouping, counts, limit).into_iter().map(|count| count.group).collect()
        };
        let months = [count("2025-11"), count("2026-02")];
        assert_eq!(groups(Grouping::Month, &months, 60), ["2025-11", "2025-12", "2026-01", "2026-02"]);
        assert_eq!(groups(Grouping::Month, &months, 2), ["2026-01", "2026-02"]);
        assert_eq!(groups(Grouping::Year, &[count("0998"), count("2026")], 3), ["2024", "2025", "2026"]);
        assert_eq!(groups(Grouping::Month, &[], 3), [""; 0]);
    }
}
