//! The index brought up to date: documents compared with what it has.
//!
//! 1. All documents are walked in the order of their ids. One that the index has with
//!    the same seal stays; any other is put in, in the place of its older state.
//! 2. What the index has more of than the walk has met is looked up, and removed where its
//!    document is gone.
//! 3. Every some thousand entries are committed, so that memory stays bounded and a stop
//!    loses little.
//!
//! Limitation: a walk reads every document, some seconds for each hundred thousand.
//! During a crawl nothing is added; what it stores is found after its end.

use std::sync::atomic::{AtomicBool, Ordering};

use gleaner_corpus::DocumentId;
use gleaner_store::{Store, StoreError};
use tantivy::columnar::Column;
use tantivy::schema::Value;
use tantivy::{
    DocSet, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TERMINATED, TantivyDocument, Term,
};

use super::SearchError;
use super::index::{Fields, entry, seal};

/// Memory for new entries, in bytes; tantivy takes no less.
const MEMORY: usize = 16 << 20;

/// Changes between two commits.
const PART: usize = 5_000;

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Updated {
    /// Documents put in, new or changed.
    pub(crate) put: usize,
    /// Entries removed whose documents are gone.
    pub(crate) removed: usize,
}

/// Brings an index up to date with a store, until it is or a stop is asked for.
pub(crate) fn update(
    index: &Index,
    fields: &Fields,
    store: &Store,
    stop: &AtomicBool,
) -> Result<Updated, SearchError> {
    let known = Known::new(index, fields)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, MEMORY)?;
    let (mut updated, mut met, mut changes) = (Updated::default(), 0, 0);
    for document in store.documents() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let document = match document {
            // Nothing to be found in it; `gleaner verify` names it.
            Err(StoreError::Lost { .. }) => continue,
            document => document?,
        };
        let id = document.id.to_string();
        let found = known.seal(&id)?;
        met += u64::from(found.is_some());
        if found == Some(seal(&document)) {
            continue;
        }
        writer.delete_term(Term::from_field_text(fields.id, &id));
        writer.add_document(entry(fields, &document))?;
        updated.put += 1;
        changes += 1;
        if changes % PART == 0 {
            writer.commit()?;
        }
    }
    if met < known.searcher.num_docs() && !stop.load(Ordering::Relaxed) {
        updated.removed = sweep(&known, &mut writer, store)?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(updated)
}

/// What the index had when the update began.
struct Known {
    searcher: Searcher,
    seals: Vec<Column<u64>>,
    fields: Fields,
}

impl Known {
    fn new(index: &Index, fields: &Fields) -> Result<Self, SearchError> {
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let seals = searcher.segment_readers().iter().map(|segment| segment.fast_fields().u64("seal"));
        let seals = seals.collect::<Result<_, _>>()?;
        Ok(Self { searcher, seals, fields: *fields })
    }

    fn seal(&self, id: &str) -> Result<Option<u64>, SearchError> {
        let term = Term::from_field_text(self.fields.id, id);
        for (segment, seals) in self.searcher.segment_readers().iter().zip(&self.seals) {
            let inverted = segment.inverted_index(self.fields.id)?;
            let option = tantivy::schema::IndexRecordOption::Basic;
            let Some(mut postings) =
                inverted.read_postings(&term, option).map_err(tantivy::TantivyError::from)?
            else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if !segment.is_deleted(postings.doc()) {
                    return Ok(seals.first(postings.doc()));
                }
                postings.advance();
            }
        }
        Ok(None)
    }
}

/// Removes entries whose documents are gone.
fn sweep(known: &Known, writer: &mut IndexWriter, store: &Store) -> Result<usize, SearchError> {
    let mut removed = 0;
    for segment in known.searcher.segment_readers() {
        let entries = segment.get_store_reader(1).map_err(tantivy::TantivyError::from)?;
        for at in segment.doc_ids_alive() {
            let stored: TantivyDocument = entries.get(at)?;
            let Some(id) = stored.get_first(known.fields.id).and_then(|id| id.as_str()) else { continue };
            let is_there = match id.parse::<DocumentId>() {
                Ok(id) => store.document(id)?.is_some(),
                Err(_) => false,
            };
            if !is_there {
                writer.delete_term(Term::from_field_text(known.fields.id, id));
                removed += 1;
            }
        }
    }
    Ok(removed)
}
