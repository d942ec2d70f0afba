//! Uses tantivy to search the corpus by words, host, language and days.
//!
//! | file | content |
//! |---|---|
//! | `query` | parses what a user searches for |
//! | `words` | splits texts into words, with and without diacritics |
//! | `matches` | finds documents, and where in them the words occur |
//! | `concordance` | shows occurrences with their context |
//! | `frequency` | counts occurrences by month, host, language or section |
//! | `word_list` | lists the most frequent words |
//! | `index` | defines the fields and files of the index |
//! | `update` | updates the index from the documents |
//! | `lock` | lets one process at a time update the index |
//!
//! `gleaner search` and the status page use the same index and the same queries. Documents are ranked by BM25. A
//! query without words returns the most recently fetched documents first.
//!
//! Limitation: on the status page, a background task updates the index at startup and after each crawl. Before
//! this update, new documents are not found. During an update, the page shows a notice. `gleaner search` updates
//! the index first.

mod concordance;
mod frequency;
pub(crate) mod index;
mod lock;
mod matches;
mod query;
mod update;
mod word_list;
pub(crate) mod words;

use std::cmp::Reverse;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gleaner_corpus::{Document, DocumentId};
use gleaner_crawl::render::language::Bilingual;
use gleaner_store::{Store, StoreError};
use tantivy::collector::{Count, DocSetCollector, TopDocs};
use tantivy::schema::Value;
use tantivy::{DocAddress, Index, IndexReader, Order, ReloadPolicy, Searcher, TantivyDocument, TantivyError};
use thiserror::Error;
use tracing::{info, warn};

pub(crate) use concordance::{Concordance, Line, LineOptions, LineOrder, snippet};
pub(crate) use frequency::{Frequency, Grouping, with_all_months};
use index::Fields;
use lock::UpdateLock;
use matches::{IndexQuery, Occurrence};
pub(crate) use query::{SearchQuery, days};
pub(crate) use update::UpdateResult;
pub(crate) use word_list::{WordCount, WordList};

/// Why a search or an update of the index failed.
#[derive(Debug, Error)]
pub(crate) enum SearchError {
    /// The search is not possible in this form.
    #[error("{}", .0.english)]
    Query(Bilingual),
    /// tantivy returned an error.
    #[error("the search index: {0}")]
    Index(#[from] TantivyError),
    /// tantivy panicked because files of the index are damaged.
    #[error("the search index is damaged; it will be rebuilt by its next update")]
    Damaged,
    /// The folder of the index cannot be written.
    #[error("the folder of the search index cannot be written: {0}")]
    Unwritable(std::io::Error),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The documents that a search shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Number of all documents that match.
    pub(crate) count: usize,
    pub(crate) documents: Vec<FoundDocument>,
}

/// A document that matches, and where in it the words occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundDocument {
    pub(crate) id: DocumentId,
    fingerprint: Option<u64>,
    occurrences: Vec<Occurrence>,
}

/// What an update of the index does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateStep {
    /// It waits for another process that updates the index.
    Waiting,
    /// It has read a document.
    Document,
}

/// Reads a document. Returns `None` if it cannot be read.
pub(crate) type ReadDocument<'a> = dyn FnMut(DocumentId) -> Result<Option<Document>, StoreError> + 'a;

#[derive(Debug)]
pub(crate) struct SearchIndex {
    /// The data folder. `None` for an index in memory.
    data: Option<PathBuf>,
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

impl FoundDocument {
    /// Returns the number of occurrences.
    pub(crate) const fn hits(&self) -> usize {
        self.occurrences.len()
    }
}

impl SearchIndex {
    pub(crate) fn in_folder(data: &Path) -> Self {
        Self { data: Some(data.into()), ..Self::in_memory() }
    }

    /// An index that is not written to disk, for a corpus in a folder that cannot be written.
    pub(crate) fn in_memory() -> Self {
        let (is_updating, stop) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { data: None, open: Mutex::new(None), is_updating, stop }
    }

    fn folder(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("search"))
    }

    /// Returns the index, or `None` if it does not exist yet.
    fn open(&self) -> Result<Option<OpenIndex>, SearchError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none()
            && let Some(folder) = self.folder()
        {
            *open = catch_panics(|| index::open(&folder).map(OpenIndex::from_index).transpose())?;
        }
        Ok(open.clone())
    }

    /// Whether the index exists.
    pub(crate) fn exists(&self) -> bool {
        self.open().is_ok_and(|open| open.is_some())
    }

    pub(crate) fn update(&self, store: &Store) -> Result<UpdateResult, SearchError> {
        self.update_with(store, &|_| {})
    }

    /// Updates the index. If it does not exist or is damaged, it is built from all documents. Calls `on_step`
    /// before the update waits, and for each document.
    pub(crate) fn update_with(
        &self,
        store: &Store,
        on_step: &dyn Fn(UpdateStep),
    ) -> Result<UpdateResult, SearchError> {
        let is_stopped = || self.stop.load(Ordering::Relaxed);
        let lock = |data: &PathBuf| UpdateLock::take(data, is_stopped, || on_step(UpdateStep::Waiting));
        let lock = self.data.as_ref().map(lock).transpose().map_err(SearchError::Unwritable)?;
        if matches!(lock, Some(None)) {
            return Ok(UpdateResult::default());
        }
        self.is_updating.store(true, Ordering::Relaxed);
        let updated = match self.followed(store, false, on_step) {
            Err(error @ (SearchError::Index(_) | SearchError::Damaged)) => {
                warn!(%error, "the search index cannot be used; it will be rebuilt");
                self.followed(store, true, on_step)
            }
            other => other,
        };
        self.is_updating.store(false, Ordering::Relaxed);
        if let Ok(UpdateResult { put, removed }) = updated {
            info!(put, removed, "the search index is up to date");
        }
        updated
    }

    /// Opens the index again, because another process may have changed it, and updates it.
    fn followed(
        &self,
        store: &Store,
        is_rebuilt: bool,
        on_step: &dyn Fn(UpdateStep),
    ) -> Result<UpdateResult, SearchError> {
        catch_panics(|| {
            let found = match self.folder() {
                Some(folder) if is_rebuilt => index::create(&folder)?,
                Some(folder) => index::open(&folder).map_or_else(|| index::create(&folder), Ok)?,
                None => index::in_memory(),
            };
            let open = OpenIndex::from_index(found)?;
            *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(open.clone());
            let updated = update::update(&open.index, &open.fields, store, &self.stop, on_step)?;
            open.reader.reload()?;
            Ok(updated)
        })
    }

    /// Reads the index. Returns the default value if it does not exist yet.
    fn read<T: Default>(
        &self,
        read: impl FnOnce(&Searcher, &Fields) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        match self.open()? {
            Some(open) => catch_panics(|| read(&open.reader.searcher(), &open.fields)),
            None => Ok(T::default()),
        }
    }

    /// Returns documents that match, those that match best first.
    pub(crate) fn find(&self, query: &SearchQuery, skip: usize, limit: usize) -> Result<Hits, SearchError> {
        self.read(|searcher, fields| find(searcher, fields, query, skip, limit))
    }

    /// Returns lines of a concordance.
    pub(crate) fn concordance(
        &self,
        query: &SearchQuery,
        options: &LineOptions,
        read: &mut ReadDocument<'_>,
    ) -> Result<Concordance, SearchError> {
        self.read(|searcher, fields| concordance::lines(searcher, fields, query, options, read))
    }

    /// Returns the counts of a search for each grouping.
    pub(crate) fn frequencies(
        &self,
        query: &SearchQuery,
        groupings: &[Grouping],
    ) -> Result<Vec<Vec<Frequency>>, SearchError> {
        let counts = self.read(|searcher, fields| frequency::count(searcher, fields, query, groupings));
        counts.map(|mut counts| {
            counts.resize_with(groupings.len(), Vec::new);
            counts
        })
    }

    /// Returns the most frequent words of the documents that match. Reads at most `max_documents`, the newest.
    pub(crate) fn word_list(
        &self,
        query: &SearchQuery,
        max_documents: usize,
        limit: usize,
        read: &mut ReadDocument<'_>,
    ) -> Result<WordList, SearchError> {
        self.read(|searcher, fields| {
            let newest = newest(searcher, fields, query)?;
            let ids = newest.iter().take(max_documents);
            let ids = ids.filter_map(|address| id_of(searcher, fields, *address).transpose());
            let list = word_list::most_frequent(ids, limit, read)?;
            Ok(WordList { documents: newest.len(), ..list })
        })
    }
}

fn find(
    searcher: &Searcher,
    fields: &Fields,
    query: &SearchQuery,
    skip: usize,
    limit: usize,
) -> Result<Hits, SearchError> {
    let index_query = IndexQuery::new(searcher, fields, query)?;
    let top = TopDocs::with_limit(limit).and_offset(skip);
    let (count, addresses): (usize, Vec<DocAddress>) = if query.phrases.is_empty() {
        let newest = top.order_by_fast_field::<i64>("fetched", Order::Desc);
        let (count, top) = searcher.search(&index_query.documents, &(Count, newest))?;
        (count, top.into_iter().map(|(_, address)| address).collect())
    } else {
        let (count, top) = searcher.search(&index_query.documents, &(Count, top))?;
        (count, top.into_iter().map(|(_, address)| address).collect())
    };
    let mut documents = Vec::new();
    for address in addresses {
        let Some(id) = id_of(searcher, fields, address)? else { continue };
        let occurrences = index_query.occurrences(searcher, fields.words, address)?;
        documents.push(FoundDocument { id, fingerprint: fingerprint_of(searcher, address)?, occurrences });
    }
    Ok(Hits { count, documents })
}

/// Returns the documents that match, the most recently published first.
fn newest(searcher: &Searcher, fields: &Fields, query: &SearchQuery) -> Result<Vec<DocAddress>, SearchError> {
    let query = IndexQuery::new(searcher, fields, query)?;
    let mut dated = Vec::new();
    for address in searcher.search(&query.documents, &DocSetCollector)? {
        let columns = searcher.segment_reader(address.segment_ord).fast_fields();
        let time = |name| columns.i64(name).map(|times| times.first(address.doc_id).unwrap_or_default());
        dated.push((Reverse((time("day")?, time("fetched")?)), address));
    }
    dated.sort_unstable();
    Ok(dated.into_iter().map(|(_, address)| address).collect())
}

fn fingerprint_of(searcher: &Searcher, address: DocAddress) -> Result<Option<u64>, SearchError> {
    let columns = searcher.segment_reader(address.segment_ord).fast_fields();
    Ok(columns.u64("seal")?.first(address.doc_id))
}

fn id_of(searcher: &Searcher, fields: &Fields, at: DocAddress) -> Result<Option<DocumentId>, SearchError> {
    let entry: TantivyDocument = searcher.doc(at)?;
    Ok(entry.get_first(fields.id).and_then(|id| id.as_str()).and_then(|id| id.parse().ok()))
}

#[cfg(test)]
mod tests;
