//! Uses tantivy to search the corpus by words, host, language and days.
//!
//! | file | content |
//! |---|---|
//! | `words` | splits texts into words, with and without diacritics |
//! | `facets` | counts the documents of a result by language, host and month |
//! | `index` | defines the fields and files of the index |
//! | `update` | updates the index from the documents |
//! | `snippet` | selects the part of a text to show |
//!
//! A document matches if it contains all words of the query, in any order. Words in quotation marks must be
//! adjacent. Results are ranked by BM25. A query without words returns the most recently fetched documents
//! first.
//!
//! Limitation: a background task updates the index at startup and after each crawl. Before this update, new
//! documents are not found. During an update, the page shows a notice.

pub(crate) mod facets;
pub(crate) mod index;
pub(crate) mod snippet;
mod update;
pub(crate) mod words;

use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gleaner_corpus::DocumentId;
use gleaner_store::{Store, StoreError};
use jiff::civil::Date;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery};
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{
    DocAddress, Index, IndexReader, Order, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};
use thiserror::Error;
use tracing::{info, warn};

pub(crate) use facets::Facets;
use index::Fields;
pub(crate) use update::UpdateResult;

const MAX_WORDS: usize = 32;

/// Why a search or an update of the index failed.
#[derive(Debug, Error)]
pub(crate) enum SearchError {
    /// tantivy returned an error.
    #[error("the search index: {0}")]
    Index(#[from] TantivyError),
    /// tantivy panicked because files of the index are damaged.
    #[error("the search index is damaged; it will be rebuilt at the next start or end of a crawl")]
    Damaged,
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A query. Empty fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SearchQuery {
    pub(crate) words: String,
    /// A host, or a domain that also selects its subdomains.
    pub(crate) host: String,
    pub(crate) language: String,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    pub(crate) count: usize,
    pub(crate) ids: Vec<DocumentId>,
}

#[derive(Debug)]
pub(crate) struct SearchIndex {
    folder: PathBuf,
    open: Mutex<Option<OpenIndex>>,
    pub(crate) is_updating: AtomicBool,
    pub(crate) stop: AtomicBool,
}

#[derive(Clone)]
struct OpenIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl std::fmt::Debug for OpenIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OpenIndex")
    }
}

impl OpenIndex {
    fn from_index((index, fields): (Index, Fields)) -> Result<Self, SearchError> {
        // The reader is reloaded after each update, so it need not watch the files.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { index, reader, fields })
    }
}

/// Runs code that reads the index files, and converts tantivy's panics on damaged files into an error.
fn catch_panics<T>(read: impl FnOnce() -> Result<T, SearchError>) -> Result<T, SearchError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(SearchError::Damaged))
}

impl SearchIndex {
    pub(crate) fn in_folder(data: &Path) -> Self {
        let (is_updating, stop) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { folder: data.join("search"), open: Mutex::new(None), is_updating, stop }
    }

    fn open(&self) -> Result<OpenIndex, SearchError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*open {
            return Ok(open.clone());
        }
        let made = catch_panics(|| OpenIndex::from_index(index::open(&self.folder)?))?;
        *open = Some(made.clone());
        Ok(made)
    }

    pub(crate) fn update(&self, store: &Store) -> Result<UpdateResult, SearchError> {
        self.is_updating.store(true, Ordering::Relaxed);
        let follow =
            |open: OpenIndex| catch_panics(|| update::update(&open.index, &open.fields, store, &self.stop));
        let updated = match self.open().and_then(follow) {
            Err(error @ (SearchError::Index(_) | SearchError::Damaged)) => {
                warn!(%error, "the search index cannot be used; it will be rebuilt");
                self.rebuild().and_then(follow)
            }
            other => other,
        };
        self.is_updating.store(false, Ordering::Relaxed);
        if let Ok(UpdateResult { put, removed }) = updated {
            info!(put, removed, "the search index is up to date");
        }
        if let Ok(open) = self.open() {
            catch_panics(|| Ok(open.reader.reload()?))?;
        }
        updated
    }

    fn rebuild(&self) -> Result<OpenIndex, SearchError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let made = OpenIndex::from_index(index::create_empty(&self.folder)?)?;
        *open = Some(made.clone());
        Ok(made)
    }

    pub(crate) fn find(&self, query: &SearchQuery, skip: usize, limit: usize) -> Result<Hits, SearchError> {
        let open = self.open()?;
        catch_panics(|| open.find(query, skip, limit))
    }

    pub(crate) fn facets(&self, query: &SearchQuery) -> Result<Facets, SearchError> {
        let open = self.open()?;
        catch_panics(|| facets::count(&open.reader.searcher(), &tantivy_query(&open.fields, query).0))
    }
}

impl OpenIndex {
    fn find(&self, query: &SearchQuery, skip: usize, limit: usize) -> Result<Hits, SearchError> {
        let Self { reader, fields, .. } = self;
        let searcher = reader.searcher();
        let (query, has_words) = tantivy_query(fields, query);
        let top = TopDocs::with_limit(limit).and_offset(skip);
        let (count, addresses): (usize, Vec<DocAddress>) = if has_words {
            let (count, top) = searcher.search(&query, &(Count, top))?;
            (count, top.into_iter().map(|(_, address)| address).collect())
        } else {
            let newest = top.order_by_fast_field::<i64>("fetched", Order::Desc);
            let (count, top) = searcher.search(&query, &(Count, newest))?;
            (count, top.into_iter().map(|(_, address)| address).collect())
        };
        let id = |address: DocAddress| id_of(&searcher, fields, address).transpose();
        Ok(Hits { count, ids: addresses.into_iter().filter_map(id).collect::<Result<_, _>>()? })
    }
}

fn id_of(searcher: &Searcher, fields: &Fields, at: DocAddress) -> Result<Option<DocumentId>, SearchError> {
    let entry: TantivyDocument = searcher.doc(at)?;
    Ok(entry.get_first(fields.id).and_then(|id| id.as_str()).and_then(|id| id.parse().ok()))
}

/// Returns the query for tantivy, and whether the query contains words.
fn tantivy_query(fields: &Fields, query: &SearchQuery) -> (BooleanQuery, bool) {
    let mut parts: Vec<Box<dyn Query>> = Vec::new();
    for (at, part) in query.words.split('"').enumerate() {
        let terms = terms(fields, part);
        let is_quoted = at % 2 == 1;
        if is_quoted && terms.len() > 1 {
            parts.push(Box::new(PhraseQuery::new(terms)));
        } else {
            let one =
                |term| -> Box<dyn Query> { Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) };
            parts.extend(terms.into_iter().map(one));
        }
    }
    let has_words = !parts.is_empty();
    if words::has_overlong_word(&query.words) {
        parts.push(Box::new(EmptyQuery));
    }
    let host = query.host.trim().to_lowercase();
    if !host.is_empty() {
        let term = Term::from_field_text(fields.host, &host);
        parts.push(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
    }
    let language = query.language.trim().to_lowercase();
    if !language.is_empty() {
        let term = Term::from_field_text(fields.language, &language);
        parts.push(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
    }
    if query.from.is_some() || query.to.is_some() {
        let bound = |day: Option<Date>| {
            let term = |day| Term::from_field_i64(fields.day, index::number_of_day(day));
            day.map_or(Bound::Unbounded, |day| Bound::Included(term(day)))
        };
        parts.push(Box::new(RangeQuery::new(bound(query.from), bound(query.to))));
    }
    if parts.is_empty() {
        parts.push(Box::new(AllQuery));
    }
    let parts = parts.into_iter().map(|part| (Occur::Must, part)).collect();
    (BooleanQuery::new(parts), has_words)
}

fn terms(fields: &Fields, text: &str) -> Vec<Term> {
    let all = words::words(text).take(MAX_WORDS);
    all.map(|range| Term::from_field_text(fields.words, &words::key(&text[range]))).collect()
}

#[cfg(test)]
mod tests;
