//! Finds duplicates: defines which kinds are detected, and maintains the index of near-duplicates.
//!
//! The index contains the documents that represent their cluster or are alone in it. It finds them by the
//! keys of their signatures. With sled, the index is in memory. The crawl builds it at its start from the
//! stored signatures, in the order of their numbers, in 10 to 20 us per document. Results are always checked
//! against the store. A document therefore stays in the index when it is removed or becomes a member.
//!
//! Limitation: documents that were stored without near-duplicate detection have no signature. They are not
//! compared until they are extracted again.

use gleaner_corpus::dedup::{
    Candidate, Index, Keys, Representative, Signature, Signed, SimilarityParams, Table,
};
use tracing::{info, warn};

use std::sync::Arc;

use crate::clusters::Kept;
use crate::engine::Engine;
use crate::records::decode;
use crate::{Store, StoreError, keys};

/// If a smaller share of the documents' keys is in the index, a warning is logged.
const LITTLE: f64 = 0.5;

/// The kinds of duplicates that are detected when a document is stored.
#[derive(Debug, Clone)]
pub struct Levels {
    /// Whether a text that occurs under several URLs is stored only once, with all its URLs.
    pub exact: bool,
    /// The thresholds for members of a cluster. `None`: near-duplicates are not detected.
    pub near: Option<SimilarityParams>,
    /// How the representative of a cluster is chosen.
    pub representative: Representative,
    /// Memory of the index, in bytes.
    pub memory: usize,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            exact: true,
            near: Some(SimilarityParams::default()),
            representative: Representative::First,
            memory: 64 << 20,
        }
    }
}

/// The levels and the index of near-duplicates.
#[derive(Debug)]
pub struct Duplicates {
    pub(crate) exact: bool,
    pub(crate) representative: Representative,
    near: Option<(SimilarityParams, Where)>,
}

#[derive(Debug)]
enum Where {
    Here(Table),
    /// The index of the engine, which all writers share.
    Engine(Arc<dyn Engine>),
}

impl Duplicates {
    /// Builds the index from a store, unless the engine has one.
    ///
    /// # Errors
    /// The store cannot be read. Its engine has an index and `levels.representative` is not `First`.
    pub fn new(store: &Store, levels: &Levels) -> Result<Self, StoreError> {
        let is_kept = store.engine.near().is_some();
        if is_kept && levels.representative != Representative::First {
            return Err(StoreError::Heads);
        }
        let place = || match is_kept {
            true => Where::Engine(Arc::clone(&store.engine)),
            false => Where::Here(Table::with_memory(levels.memory)),
        };
        let near = levels.near.map(|params| (params, place()));
        let mut duplicates = Self { exact: levels.exact, representative: levels.representative, near };
        if duplicates.near.is_none() || is_kept {
            return Ok(duplicates);
        }
        let mut known = 0;
        for pair in store.scan([keys::SIGNED]) {
            let (key, value) = pair?;
            let Some((number, _)) = keys::numbers(&key) else { continue };
            let kept: Kept = decode("a signature", &value)?;
            if let Some(signature) = kept.signature() {
                duplicates.put(number, &Keys::from_signature(&signature));
                known += 1;
            }
        }
        duplicates.tell_room(known);
        Ok(duplicates)
    }

    fn tell_room(&self, known: u64) {
        let Some((_, Where::Here(table))) = &self.near else { return };
        let kept = table.kept(known);
        info!(documents = known, kept, "rebuilding the index of near-duplicates");
        if kept < LITTLE {
            warn!(
                documents = known,
                kept, "corpus.index_memory is too small for all documents: copies of old ones are missed"
            );
        }
    }

    pub(crate) fn candidates(
        &self,
        signed: &Signed,
    ) -> Result<Option<(&SimilarityParams, Vec<Candidate>)>, StoreError> {
        let Some((params, place)) = self.near.as_ref() else { return Ok(None) };
        let candidates = match place {
            Where::Here(table) => {
                let Ok(candidates) = table.candidates(&signed.keys);
                candidates
            }
            Where::Engine(engine) => {
                engine.near().map_or_else(|| Ok(Vec::new()), |near| near.candidates(&signed.keys))?
            }
        };
        Ok(Some((params, candidates)))
    }

    pub(crate) fn put(&mut self, number: u32, keys: &Keys) {
        match &mut self.near {
            Some((_, Where::Here(table))) => {
                let Ok(()) = table.put(number, keys);
            }
            Some((_, Where::Engine(engine))) => {
                engine.near().inspect(|near| near.put(number, keys));
            }
            None => {}
        }
    }

    pub(crate) fn put_signature(&mut self, number: u32, signature: Option<Signature>) {
        if let Some(signature) = signature {
            self.put(number, &Keys::from_signature(&signature));
        }
    }
}
