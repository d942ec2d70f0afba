//! Searches the corpus by words, host, language and days, with tantivy.
//!
//! | file | content |
//! |---|---|
//! | `words` | splits texts into words, with and without diacritics |
//! | `facets` | counts of a result by language, host and month |
//! | `index` | the fields and files of the index |
//! | `updating` | updates the index from the documents |
//! | `snippet` | selects the part of a text to show |
//!
//! A document matches if it contains all words of the query, in any order. Words in quotation marks must be
//! adjacent. Results are ranked by BM25. A query without words returns the most recently fetched documents
//! first.
//!
//! Limitation: a background task updates the index at startup and after each crawl. Until then, new documents
//! are not found. During an update, the page shows a notice.

pub(crate) mod facets;
pub(crate) mod index;
pub(crate) mod snippet;
mod updating;
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
pub(crate) use updating::Updated;

const MOST_WORDS: usize = 32;

/// Why a search or an update of the index failed.
#[derive(Debug, Error)]
pub enum SearchError {
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
pub(crate) struct Question {
    pub(crate) words: String,
    /// A host, or a domain that also selects its subdomains.
    pub(crate) host: String,
    pub(crate) language: String,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) count: usize,
    pub(crate) ids: Vec<DocumentId>,
}

#[derive(Debug)]
pub(crate) struct Search {
    folder: PathBuf,
    open: Mutex<Option<Open>>,
    pub(crate) is_updating: AtomicBool,
    pub(crate) stop: AtomicBool,
}

#[derive(Clone)]
struct Open {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Open")
    }
}

impl Open {
    fn from_index((index, fields): (Index, Fields)) -> Result<Self, SearchError> {
        // The reader is reloaded after each update. It need not watch the files.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { index, reader, fields })
    }
}

/// Runs code that reads the index files, and converts tantivy's panics on damaged files into an error.
fn guarded<T>(read: impl FnOnce() -> Result<T, SearchError>) -> Result<T, SearchError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(SearchError::Damaged))
}

impl Search {
    pub(crate) fn in_folder(data: &Path) -> Self {
        let (is_updating, stop) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { folder: data.join("search"), open: Mutex::new(None), is_updating, stop }
    }

    fn open(&self) -> Result<Open, SearchError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &*open {
            return Ok(open.clone());
        }
        let made = guarded(|| Open::from_index(index::open(&self.folder)?))?;
        *open = Some(made.clone());
        Ok(made)
    }

    pub(crate) fn update(&self, store: &Store) -> Result<Updated, SearchError> {
        self.is_updating.store(true, Ordering::Relaxed);
        let follow = |open: Open| guarded(|| updating::update(&open.index, &open.fields, store, &self.stop));
        let updated = match self.open().and_then(follow) {
            Err(error @ (SearchError::Index(_) | SearchError::Damaged)) => {
                warn!(%error, "the search index cannot be used; it will be rebuilt");
                self.make_anew().and_then(follow)
            }
            other => other,
        };
        self.is_updating.store(false, Ordering::Relaxed);
        if let Ok(Updated { put, removed }) = updated {
            info!(put, removed, "the search index is up to date");
        }
        if let Ok(open) = self.open() {
            guarded(|| Ok(open.reader.reload()?))?;
        }
        updated
    }

    fn make_anew(&self) -> Result<Open, SearchError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let made = Open::from_index(index::make_anew(&self.folder)?)?;
        *open = Some(made.clone());
        Ok(made)
    }

    pub(crate) fn find(&self, question: &Question, skip: usize, limit: usize) -> Result<Found, SearchError> {
        let open = self.open()?;
        guarded(|| open.find(question, skip, limit))
    }

    pub(crate) fn facets(&self, question: &Question) -> Result<Facets, SearchError> {
        let open = self.open()?;
        guarded(|| facets::count(&open.reader.searcher(), &query(&open.fields, question).0))
    }
}

impl Open {
    fn find(&self, question: &Question, skip: usize, limit: usize) -> Result<Found, SearchError> {
        let Self { reader, fields, .. } = self;
        let searcher = reader.searcher();
        let (query, has_words) = query(fields, question);
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
        Ok(Found { count, ids: addresses.into_iter().filter_map(id).collect::<Result<_, _>>()? })
    }
}

fn id_of(searcher: &Searcher, fields: &Fields, at: DocAddress) -> Result<Option<DocumentId>, SearchError> {
    let entry: TantivyDocument = searcher.doc(at)?;
    Ok(entry.get_first(fields.id).and_then(|id| id.as_str()).and_then(|id| id.parse().ok()))
}

/// Returns the query for tantivy, and whether the query contains words.
fn query(fields: &Fields, question: &Question) -> (BooleanQuery, bool) {
    let mut parts: Vec<Box<dyn Query>> = Vec::new();
    for (at, part) in question.words.split('"').enumerate() {
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
    if words::has_endless(&question.words) {
        parts.push(Box::new(EmptyQuery));
    }
    let host = question.host.trim().to_lowercase();
    if !host.is_empty() {
        let term = Term::from_field_text(fields.host, &host);
        parts.push(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
    }
    let language = question.language.trim().to_lowercase();
    if !language.is_empty() {
        let term = Term::from_field_text(fields.language, &language);
        parts.push(Box::new(TermQuery::new(term, IndexRecordOption::Basic)));
    }
    if question.from.is_some() || question.to.is_some() {
        let bound = |day: Option<Date>| {
            let term = |day| Term::from_field_i64(fields.day, index::number_of_day(day));
            day.map_or(Bound::Unbounded, |day| Bound::Included(term(day)))
        };
        parts.push(Box::new(RangeQuery::new(bound(question.from), bound(question.to))));
    }
    if parts.is_empty() {
        parts.push(Box::new(AllQuery));
    }
    let parts = parts.into_iter().map(|part| (Occur::Must, part)).collect();
    (BooleanQuery::new(parts), has_words)
}

fn terms(fields: &Fields, text: &str) -> Vec<Term> {
    let all = words::words(text).take(MOST_WORDS);
    all.map(|range| Term::from_field_text(fields.words, &words::key(&text[range]))).collect()
}

#[cfg(test)]
mod tests;
