//! Updates the index from the documents in the store.
//!
//! 1. The update reads all documents in the order of their ids. If a document's hash differs from the hash in
//!    the index, or the index lacks the document, the update writes a new entry.
//! 2. The update removes entries whose document no longer exists.
//! 3. The update commits after every few thousand entries. This limits the memory use, and the work that is
//!    lost if the update is stopped.
//!
//! Limitation: an update reads every document, which takes some seconds per 100,000 documents. Documents of a
//! running crawl are added after the crawl ends.

use std::sync::atomic::{AtomicBool, Ordering};

use gleaner_corpus::DocumentId;
use gleaner_store::{Store, StoreError};
use tantivy::columnar::Column;
use tantivy::schema::Value;
use tantivy::{
    DocSet, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TERMINATED, TantivyDocument, Term,
};

use super::index::{Fields, entry, fingerprint};
use super::{SearchError, UpdateStep};

/// Memory for new entries in bytes. tantivy does not accept less.
const MEMORY: usize = 16 << 20;

const COMMIT_AFTER: usize = 5_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct UpdateResult {
    pub(crate) put: usize,
    pub(crate) removed: usize,
}

pub(crate) fn update(
    index: &Index,
    fields: &Fields,
    store: &Store,
    stop: &AtomicBool,
    on_step: &dyn Fn(UpdateStep),
) -> Result<UpdateResult, SearchError> {
    let indexed = IndexedDocuments::new(index, fields)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, MEMORY)?;
    let (mut updated, mut indexed_count, mut changes) = (UpdateResult::default(), 0, 0);
    for document in store.documents() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let document = match document {
            // `gleaner verify` reports unreadable documents.
            Err(StoreError::Lost { .. }) => continue,
            document => document?,
        };
        on_step(UpdateStep::Document);
        let id = document.id.to_string();
        let found = indexed.fingerprint(&id)?;
        indexed_count += u64::from(found.is_some());
        if found == Some(fingerprint(&document)) {
            continue;
        }
        writer.delete_term(Term::from_field_text(fields.id, &id));
        writer.add_document(entry(fields, &document))?;
        updated.put += 1;
        changes += 1;
        if changes % COMMIT_AFTER == 0 {
            writer.commit()?;
        }
    }
    if indexed_count < indexed.searcher.num_docs() && !stop.load(Ordering::Relaxed) {
        updated.removed = remove_deleted(&indexed, &mut writer, store)?;
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    Ok(updated)
}

struct IndexedDocuments {
    searcher: Searcher,
    fingerprints: Vec<Column<u64>>,
    fields: Fields,
}

impl IndexedDocuments {
    fn new(index: &Index, fields: &Fields) -> Result<Self, SearchError> {
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher = reader.searcher();
        let fingerprints = searcher.segment_readers().iter().map(|segment| segment.fast_fields().u64("seal"));
        let fingerprints = fingerprints.collect::<Result<_, _>>()?;
        Ok(Self { searcher, fingerprints, fields: *fields })
    }

    fn fingerprint(&self, id: &str) -> Result<Option<u64>, SearchError> {
        let term = Term::from_field_text(self.fields.id, id);
        for (segment, fingerprints) in self.searcher.segment_readers().iter().zip(&self.fingerprints) {
            let inverted = segment.inverted_index(self.fields.id)?;
            let option = tantivy::schema::IndexRecordOption::Basic;
            let Some(mut postings) =
                inverted.read_postings(&term, option).map_err(tantivy::TantivyError::from)?
            else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if !segment.is_deleted(postings.doc()) {
                    return Ok(fingerprints.first(postings.doc()));
                }
                postings.advance();
            }
        }
        Ok(None)
    }
}

fn remove_deleted(
    indexed: &IndexedDocuments,
    writer: &mut IndexWriter,
    store: &Store,
) -> Result<usize, SearchError> {
    let mut removed = 0;
    for segment in indexed.searcher.segment_readers() {
        let entries = segment.get_store_reader(1).map_err(tantivy::TantivyError::from)?;
        for at in segment.doc_ids_alive() {
            let stored: TantivyDocument = entries.get(at)?;
            let Some(id) = stored.get_first(indexed.fields.id).and_then(|id| id.as_str()) else { continue };
            let is_there = match id.parse::<DocumentId>() {
                Ok(id) => store.document(id)?.is_some(),
                Err(_) => false,
            };
            if !is_there {
                writer.delete_term(Term::from_field_text(indexed.fields.id, id));
                removed += 1;
            }
        }
    }
    Ok(removed)
}
