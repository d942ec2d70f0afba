//! The block of a record with changes: a sequence of MessagePack pairs of a key and a value, or nil if the record of the
//! store was removed.

use std::collections::HashSet;

use gleaner_corpus::ContentHash;
use gleaner_frontier::{CanonicalUrl, RemovedUrls};
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};

use crate::engine::{Batch, Write};
use crate::packed::unpack_page;
use crate::records::{PackedInfo, decode};
use crate::{PackedPage, RawPage, StoreError, UrlRecord, keys};

/// Records about the files of the store itself, which differ between a store and its copy.
const OF_FILES: [&str; 7] = ["archive", "changes", "flushes", "format", "migrating", "rebuilding", "texts"];

pub(super) fn is_logged(key: &[u8]) -> bool {
    match key.split_first() {
        Some((&(keys::FILE | keys::MESSAGE), _)) => false,
        Some((&keys::META, name)) => !OF_FILES.iter().any(|other| other.as_bytes() == name),
        _ => true,
    }
}

#[derive(Serialize)]
struct WriteRef<'a>(&'a Bytes, Option<&'a Bytes>);

#[derive(Deserialize)]
struct OwnedWrite(ByteBuf, Option<ByteBuf>);

/// Appends a write of the store to a block of changes, if it is logged.
pub(super) fn push_logged(block: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) -> Result<(), StoreError> {
    match value {
        _ if !is_logged(key) => {}
        Some(value) if key.first() == Some(&keys::PAGE) => {
            let without_body = RawPage { body: Vec::new(), ..unpack_page(value)? };
            push(block, key, Some(&PackedPage::from_page(&without_body).0));
        }
        value => push(block, key, value),
    }
    Ok(())
}

/// Appends a write to a block of changes.
pub(super) fn push(block: &mut Vec<u8>, key: &[u8], value: Option<&[u8]>) {
    let write = WriteRef(Bytes::new(key), value.map(Bytes::new));
    rmp_serde::encode::write(block, &write).expect("writing to memory cannot fail");
}

/// Reads a block of changes.
fn writes(block: &[u8]) -> impl Iterator<Item = Result<OwnedWrite, StoreError>> {
    let mut rest = block;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut decoder = rmp_serde::Deserializer::new(rest);
        let write = OwnedWrite::deserialize(&mut decoder);
        rest = decoder.into_inner();
        Some(write.map_err(|error| {
            rest = &[];
            StoreError::Damaged { what: "a change in the archive", reason: error.to_string() }
        }))
    })
}

pub(super) fn batch(block: &[u8]) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    for write in writes(block) {
        let OwnedWrite(key, value) = write?;
        let write = value.map_or(Write::Remove, |value| Write::Put(value.into_vec()));
        batch.writes.insert(key.into_vec(), write);
    }
    Ok(batch)
}

/// Whether a change is about a removed URL or host, or has a removed text under another URL, which had it earlier. The
/// numbers in counts stay.
fn is_removed(key: &[u8], value: Option<&[u8]>, removed: &RemovedUrls, texts: &HashSet<ContentHash>) -> bool {
    let has_removed_text = || {
        let packed = value.filter(|_| !texts.is_empty() && keys::is_text(key));
        let packed = packed.and_then(|value| decode::<PackedInfo>("a document", value).ok());
        packed.is_some_and(|packed| texts.contains(&packed.document.content_hash))
    };
    let is_of_removed_host = || {
        let record = value.filter(|_| key.first() == Some(&keys::URL));
        let record = record.and_then(|value| decode::<UrlRecord>("a URL", value).ok());
        let url = record.and_then(|record| CanonicalUrl::from_record(&record.url).ok());
        url.is_some_and(|url| removed.contains_host(url.host()))
    };
    match keys::owner_of(key) {
        keys::Owner::Url(url) => removed.contains_key(url) || is_of_removed_host() || has_removed_text(),
        keys::Owner::Host(host) => key.first() != Some(&keys::COUNTS) && removed.contains_host(host),
        _ => false,
    }
}

/// Returns a block of changes without those about removed URLs, hosts and texts, or `None` if it has none of them.
pub(crate) fn changes_without(
    block: &[u8],
    removed: &RemovedUrls,
    texts: &HashSet<ContentHash>,
) -> Result<Option<Vec<u8>>, StoreError> {
    let (mut kept, mut has_removed) = (Vec::with_capacity(block.len()), false);
    for write in writes(block) {
        let OwnedWrite(key, value) = write?;
        let value = value.as_ref().map(|value| value.as_slice());
        match is_removed(&key, value, removed, texts) {
            true => has_removed = true,
            false => push(&mut kept, &key, value),
        }
    }
    Ok(has_removed.then_some(kept))
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::DocumentId;
    use gleaner_frontier::UrlKey;

    use super::*;

    #[test]
    fn changes_of_removed_urls_are_left_out() {
        let (removed, kept) = (UrlKey::from_bytes([1; 16]), UrlKey::from_bytes([2; 16]));
        let mut block = Vec::new();
        push(&mut block, &keys::url(removed), Some(b"a"));
        push(&mut block, &keys::document(DocumentId([1; 16])), Some(b"text"));
        push(&mut block, &keys::url(kept), Some(b"b"));
        push(&mut block, &keys::meta("run"), None);
        let mut urls = RemovedUrls::default();
        urls.add_url(removed);
        let without = changes_without(&block, &urls, &HashSet::new()).unwrap().unwrap();
        let mut expected = Vec::new();
        push(&mut expected, &keys::url(kept), Some(b"b"));
        push(&mut expected, &keys::meta("run"), None);
        assert_eq!(without, expected);
        assert_eq!(changes_without(&without, &urls, &HashSet::new()).unwrap(), None);
    }
}
