//! How duplicates are found: which levels are looked for, and the index in memory.
//!
//! The index has the documents that stand for themselves or for a cluster, by the keys of
//! their signatures. It is made anew from the signatures that the store keeps, in the
//! order of their numbers, when a crawl begins: 10 to 20 us a document. What it says is
//! always checked against the store, so that a document that has gone or became a member
//! needs no removal from it.
//!
//! Limitation: documents that were stored while near-duplicates were not looked
//! for have no signature, and are compared with nothing until they are extracted again.

use gleaner_dedup::{Candidate, Head, Index, Keys, Params, Signature, Signed, Table};
use tracing::{info, warn};

use std::sync::Arc;

use crate::clusters::Kept;
use crate::engine::Engine;
use crate::records::decode;
use crate::{Store, StoreError, keys};

/// Share of the documents' keys that the index holds at which its room is little.
const LITTLE: f64 = 0.5;

/// Which duplicates are looked for when a document is stored.
#[derive(Debug, Clone)]
pub struct Levels {
    /// A text that is there already is stored once, with all its URLs.
    pub exact: bool,
    /// A text that is nearly another's becomes a member of that one's cluster, by these
    /// thresholds; `None`: that is not looked for.
    pub near: Option<Params>,
    /// Which document of a cluster stands for it.
    pub head: Head,
    /// Bytes of the index in memory.
    pub memory: usize,
}

impl Default for Levels {
    fn default() -> Self {
        Self { exact: true, near: Some(Params::default()), head: Head::First, memory: 64 << 20 }
    }
}

/// The levels, and the index of near-duplicates that goes with them.
#[derive(Debug)]
pub struct Duplicates {
    pub(crate) exact: bool,
    pub(crate) head: Head,
    near: Option<(Params, Where)>,
}

/// Where the index of near-duplicates is.
#[derive(Debug)]
enum Where {
    Here(Table),
    /// In the engine, for all who write there.
    Engine(Arc<dyn Engine>),
}

impl Duplicates {
    /// Makes the index of what a store holds.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(store: &Store, levels: &Levels) -> Result<Self, StoreError> {
        let is_kept = store.engine.near().is_some();
        if is_kept && levels.head != Head::First {
            return Err(StoreError::Heads);
        }
        let place = || match is_kept {
            true => Where::Engine(Arc::clone(&store.engine)),
            false => Where::Here(Table::with_memory(levels.memory)),
        };
        let near = levels.near.map(|params| (params, place()));
        let mut duplicates = Self { exact: levels.exact, head: levels.head, near };
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
        info!(documents = known, kept, "the index of near-duplicates is made anew");
        if kept < LITTLE {
            warn!(
                documents = known,
                kept, "corpus.index_memory is small for so many documents: copies of old ones are missed"
            );
        }
    }

    /// The thresholds, and the documents that may be like this one.
    pub(crate) fn candidates(
        &self,
        signed: &Signed,
    ) -> Result<Option<(&Params, Vec<Candidate>)>, StoreError> {
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

    /// Takes in a document that became a head.
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

    /// The same by its kept signature.
    pub(crate) fn put_signature(&mut self, number: u32, signature: Option<Signature>) {
        if let Some(signature) = signature {
            self.put(number, &Keys::from_signature(&signature));
        }
    }
}
