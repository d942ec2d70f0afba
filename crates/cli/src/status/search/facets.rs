//! Counts the documents of a result by language, host and month.
//!
//! Limitation: if the index has several segments, the count of a rare host can be too low. The missing
//! documents are then counted in [`Facet::rest`].

use serde_json::{Value, json};
use tantivy::aggregation::AggregationCollector;
use tantivy::aggregation::AggregationLimitsGuard;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::query::Query;
use tantivy::{Searcher, TantivyError};

use super::SearchError;
use super::index::first_day;
use jiff::civil::Date;

const LANGUAGES: usize = 8;
const HOSTS: usize = 10;
const MONTHS: usize = 12;

/// Maximum memory in bytes for the counts of one result.
const MEMORY: u64 = 64 << 20;

/// The counts of a result. Less frequent values and older months are counted only as a sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facets {
    pub(crate) languages: Facet<String>,
    pub(crate) hosts: Facet<String>,
    /// The first day of each month, latest first.
    pub(crate) months: Facet<Date>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facet<T> {
    pub(crate) values: Vec<(T, u64)>,
    /// Number of documents whose value is not in `values`.
    pub(crate) rest: u64,
}

pub(super) fn count(searcher: &Searcher, query: &dyn Query) -> Result<Facets, SearchError> {
    let request = json!({
        "languages": { "terms": { "field": "language", "size": LANGUAGES } },
        "hosts": { "terms": { "field": "site", "size": HOSTS } },
        "months": { "terms": { "field": "month", "size": MONTHS, "order": { "_key": "desc" } } },
    });
    let wrong = |error: serde_json::Error| TantivyError::InternalError(error.to_string());
    let request: Aggregations = serde_json::from_value(request).map_err(wrong)?;
    let limits = AggregationLimitsGuard::new(Some(MEMORY), None);
    let counts = searcher.search(query, &AggregationCollector::from_aggs(request, limits))?;
    let counts = serde_json::to_value(counts).map_err(wrong)?;
    Ok(Facets {
        languages: facet(&counts["languages"], text),
        hosts: facet(&counts["hosts"], text),
        months: facet(&counts["months"], |key| first_day(key.as_f64()? as i64)),
    })
}

fn text(key: &Value) -> Option<String> {
    Some(key.as_str()?.to_owned())
}

fn facet<T>(counts: &Value, read: impl Fn(&Value) -> Option<T>) -> Facet<T> {
    let buckets = counts["buckets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let value = |bucket: &Value| Some((read(&bucket["key"])?, bucket["doc_count"].as_u64()?));
    Facet {
        values: buckets.iter().filter_map(value).collect(),
        rest: counts["sum_other_doc_count"].as_u64().unwrap_or_default(),
    }
}
