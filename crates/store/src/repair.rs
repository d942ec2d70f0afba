//! Finds records that cannot be read, and replaces them.
//!
//! Texts and signatures are in files of their own (`engine/embedded/texts.rs`), so damage usually concerns
//! single ones. A text is extracted again from the archive, and a signature is computed again from its text.
//!
//! Limitation: if a page gives another text today, its document keeps the near-duplicates and the number of
//! words of the old text, which are only known for the old text. `gleaner rebuild` computes them again.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::dedup::SignedText;
use gleaner_corpus::{ContentHash, DocumentId, words};
use gleaner_frontier::Outcome;
use serde::{Deserialize, Serialize};

use crate::clusters::{ClusterMembership, SignatureRecord, readable};
use crate::documents::own_hash;
use crate::engine::Range;
use crate::packed::unpack_at;
use crate::records::decode;
use crate::{ArchivePosition, Change, PackedDocument, Store, StoreError, UrlRecord, Writer, keys};

/// A record that cannot be read although others can.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DamagedRecord {
    /// The text of a document.
    Text(DocumentId),
    /// An earlier revision of a document, with its number.
    Revision(DocumentId, u32),
    /// A signature, by the key of its record in hexadecimal digits.
    Signature(String),
}

impl DamagedRecord {
    fn from_error(error: &StoreError) -> Option<Self> {
        match error {
            StoreError::Lost { id, revision: None, .. } => Some(Self::Text(*id)),
            StoreError::Lost { id, revision: Some(number), .. } => Some(Self::Revision(*id, *number)),
            StoreError::Unreadable { key, .. } => Some(Self::Signature(key.clone())),
            _ => None,
        }
    }

    fn key(&self) -> Vec<u8> {
        match self {
            Self::Text(id) => keys::document(*id),
            Self::Revision(id, number) => keys::revision(*id, *number),
            Self::Signature(key) => keys::from_hex(key).unwrap_or_default(),
        }
    }
}

/// A part of a store that was read.
#[derive(Debug, Default)]
pub struct StorePart {
    /// The key of the last record, after which the next part begins. `None` if the store ends here.
    pub last: Option<Vec<u8>>,
    /// Bytes of the records that were read.
    pub bytes: u64,
    /// The records that cannot be read.
    pub damaged: Vec<DamagedRecord>,
}

/// The kinds of records whose values are in files of texts.
const LARGE: [u8; 4] = [keys::DOCUMENT, keys::HISTORY, keys::SIGNED, keys::CLUSTER];

impl Store {
    /// Returns all texts and signatures that cannot be read.
    ///
    /// # Errors
    /// The engine cannot continue to read.
    pub fn damaged_records(&self) -> Result<Vec<DamagedRecord>, StoreError> {
        let mut damaged = Vec::new();
        for pair in LARGE.into_iter().flat_map(|space| self.scan([space])) {
            if let Err(error) = pair.and_then(|(key, value)| check(&key, &value)) {
                damaged.push(DamagedRecord::from_error(&error).ok_or(error)?);
            }
        }
        Ok(damaged)
    }

    /// Whether a record that could not be read before still cannot be read.
    ///
    /// # Errors
    /// The engine cannot continue to read.
    pub fn is_damaged(&self, record: &DamagedRecord) -> Result<bool, StoreError> {
        let key = record.key();
        let read = self.engine.get(&key).and_then(|value| value.map_or(Ok(()), |it| check(&key, &it)));
        match read {
            Ok(()) => Ok(false),
            Err(error) if DamagedRecord::from_error(&error).is_some() => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Reads the records after the key `after`, or from the beginning, until at least `bytes` bytes are read
    /// or the store ends. Passes each position in the archive to which a URL refers to `archived`.
    ///
    /// # Errors
    /// The engine cannot continue to read.
    pub fn read_part(
        &self,
        after: Option<&[u8]>,
        bytes: u64,
        mut archived: impl FnMut(ArchivePosition),
    ) -> Result<StorePart, StoreError> {
        let spaces = keys::SPACES.into_iter().chain([keys::PAGE]);
        let first = after.and_then(|key| key.first().copied());
        let mut part = StorePart::default();
        for space in spaces.skip_while(|space| first.is_some_and(|first| *space != first)) {
            let all = Range::with_prefix([space]);
            let range = match after.filter(|_| first == Some(space)) {
                Some(key) => all.after(key.to_vec()),
                None => all,
            };
            for pair in self.engine.scan(range) {
                part.add(pair, &mut archived)?;
                if part.bytes >= bytes {
                    return Ok(part);
                }
            }
        }
        Ok(StorePart { last: None, ..part })
    }
}

impl StorePart {
    fn add(
        &mut self,
        pair: Result<(Vec<u8>, Vec<u8>), StoreError>,
        archived: &mut impl FnMut(ArchivePosition),
    ) -> Result<(), StoreError> {
        let read = pair.and_then(|(key, value)| {
            self.bytes += (key.len() + value.len()) as u64;
            if key.first() == Some(&keys::URL) {
                decode::<UrlRecord>("a URL", &value)?.archived.into_iter().for_each(archived);
            }
            check(&key, &value).map(|()| key)
        });
        self.last = match read {
            Ok(key) => Some(key),
            Err(error) => {
                let key = error.unreadable_key();
                self.damaged.push(DamagedRecord::from_error(&error).ok_or(error)?);
                key
            }
        };
        Ok(())
    }
}

/// Checks that a text or a signature has its form, and that a text has its hash.
fn check(key: &[u8], value: &[u8]) -> Result<(), StoreError> {
    let wrong = |reason: String| StoreError::unreadable(key, StoreError::UnreadableEntry { reason });
    if keys::is_text(key) {
        let document = unpack_at(key, value)?;
        let is_same = ContentHash::from_text(&document.text) == document.content_hash;
        return if is_same { Ok(()) } else { Err(wrong("it differs from the stored hash".into())) };
    }
    if keys::is_large(key) {
        decode::<SignatureRecord>("a signature", value).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}

impl Change {
    /// Replaces the text of a document that cannot be read. Keeps its URLs and its cluster of near-duplicates.
    pub(crate) fn restore(&mut self, document: PackedDocument) -> Result<Outcome, StoreError> {
        let (id, hash) = (document.id, document.content_hash);
        if self.is_text_of(id, &hash)? {
            self.put_bytes(keys::document(id), document.bytes);
            return Ok(Outcome::Unchanged);
        }
        let old = hashes_of(&self.store, &[id].into())?;
        self.replace(document, old.get(&id).map_or(&[], Vec::as_slice))?;
        Ok(Outcome::Revised)
    }

    fn is_text_of(&self, id: DocumentId, hash: &ContentHash) -> Result<bool, StoreError> {
        let same: Option<DocumentId> = self.get("a content hash", &keys::content(hash))?;
        Ok(same == Some(id) || self.get_bytes(&keys::content(&own_hash(hash, id)))?.is_some())
    }

    /// Replaces a text by another one. `old` are the keys of the hash of the unreadable text.
    fn replace(&mut self, document: PackedDocument, old: &[Vec<u8>]) -> Result<(), StoreError> {
        let (id, hash) = (document.id, document.content_hash);
        old.iter().for_each(|key| self.remove(key.clone()));
        let free = self.get::<DocumentId>("a content hash", &keys::content(&hash))?.is_none();
        self.put(keys::content(&if free { hash } else { own_hash(&hash, id) }), &id);
        self.put_bytes(keys::document(id), document.bytes);
        Ok(())
    }
}

/// Returns the keys of the content hashes of these documents.
fn hashes_of(
    store: &Store,
    ids: &BTreeSet<DocumentId>,
) -> Result<BTreeMap<DocumentId, Vec<Vec<u8>>>, StoreError> {
    let mut hashes: BTreeMap<DocumentId, Vec<Vec<u8>>> = BTreeMap::new();
    for pair in store.scan([keys::CONTENT]) {
        let (key, value) = pair?;
        let id: DocumentId = decode("a content hash", &value)?;
        if ids.contains(&id) {
            hashes.entry(id).or_default().push(key);
        }
    }
    Ok(hashes)
}

/// Returns the number in the key of a signature.
fn number_of(signature: &[u8]) -> Option<u32> {
    match (signature.first(), keys::numbers(signature)?) {
        (Some(&keys::SIGNED), (number, None)) | (Some(&keys::CLUSTER), (_, Some(number))) => Some(number),
        _ => None,
    }
}

/// Replaces damaged records of a store. [`Writer::flush`] writes the new ones to disk.
#[derive(Debug)]
pub struct Repairs {
    /// The keys of the content hashes of the documents to repair.
    hashes: BTreeMap<DocumentId, Vec<Vec<u8>>>,
    /// The documents of the signatures to repair, by their numbers.
    signed: BTreeMap<u32, (DocumentId, u32)>,
}

impl Repairs {
    /// Reads what the repair of these records needs.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn new(store: &Store, records: &[DamagedRecord]) -> Result<Self, StoreError> {
        let (mut ids, mut numbers) = (BTreeSet::new(), BTreeSet::new());
        for record in records {
            match record {
                DamagedRecord::Text(id) => drop(ids.insert(*id)),
                DamagedRecord::Signature(_) => numbers.extend(number_of(&record.key())),
                DamagedRecord::Revision(..) => {}
            }
        }
        let mut signed = BTreeMap::new();
        for pair in store.scan([keys::MEMBERSHIP]) {
            let (key, value) = pair?;
            let of: ClusterMembership = decode("a document's cluster membership", &value)?;
            if let Some((id, _)) = keys::revision_of(&key).filter(|_| numbers.contains(&of.number)) {
                signed.insert(of.number, (id, of.cluster));
            }
        }
        Ok(Self { hashes: hashes_of(store, &ids)?, signed })
    }

    /// Replaces the text of a document.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn text(&self, writer: &mut Writer, document: PackedDocument) -> Result<(), StoreError> {
        let mut change = writer.begin();
        match change.is_text_of(document.id, &document.content_hash)? {
            true => change.put_bytes(keys::document(document.id), document.bytes),
            false => {
                let old = self.hashes.get(&document.id).map_or(&[][..], Vec::as_slice);
                change.replace(document, old)?;
            }
        }
        writer.commit(change)
    }

    /// Computes a signature again from the text of its document. `key` is the key of the record in hexadecimal
    /// digits. Returns `false` if the text is missing, unreadable or too short.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn signature(&self, writer: &mut Writer, key: &str) -> Result<bool, StoreError> {
        let Some(key) = keys::from_hex(key) else { return Ok(false) };
        let known = number_of(&key).and_then(|number| self.signed.get(&number));
        let Some((id, cluster)) = known.copied() else { return Ok(false) };
        let Some(document) = readable(writer.store().document(id))? else { return Ok(false) };
        let Some(signed) = SignedText::from_text(&document.text) else { return Ok(false) };
        let record = SignatureRecord {
            id,
            words: words(&document.text),
            cluster,
            signature: signed.signature.to_bytes().to_vec(),
            related: Vec::new(),
        };
        let mut change = writer.begin();
        change.put(key, &record);
        writer.commit(change)?;
        Ok(true)
    }
}
