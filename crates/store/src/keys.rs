//! Defines the keys of all records. The first byte of a key is the kind of its record.
//!
//! | key | value |
//! |---|---|
//! | `u` url key | [`crate::UrlRecord`] |
//! | `q` host, rank, sequence, url key | no value: a ready URL |
//! | `w` partition, due second, url key | no value: a URL that waits for a retry |
//! | `v` partition, due second, url key | no value: a URL that waits for its next visit |
//! | `g` host, sequence, url key | no value: an article buffered for training |
//! | `h` partition, host name | [`crate::HostRecord`] |
//! | `b` host name | the host's robots.txt, as the fetcher encodes it |
//! | `b` URL | the target of another host's robots.txt redirect, in the same encoding |
//! | `l` host name | the health of the host's template, as the crawl encodes it |
//! | `t` host name, NUL, version | the host's template, JSON |
//! | `d` document id | a document, packed |
//! | `e` document id | [`crate::History`], if the document has one |
//! | `e` document id, number | an earlier revision of the document, packed |
//! | `a` document id, url key | an alias of the document |
//! | `c` content hash | document id |
//! | `n` document id | the numbers of the document and of its cluster |
//! | `s` number | the signature of a document that represents its cluster or is alone (see `clusters.rs`) |
//! | `k` cluster | the number of the cluster's representative, and the number of members |
//! | `k` cluster, number | the signature of a member |
//! | `o` run, host name | [`crate::Counts`] of one host in one run |
//! | `i` run | [`crate::Run`] |
//! | `r` purpose, NUL, partition, file | the position up to which a file was replayed |
//! | `p` url key | a raw page, packed; sled has a separate tree for raw pages |
//! | `f` kind, number | [`crate::FileRecord`]: a valid file in object storage |
//! | `x` partition, number | a message to the partition (see `messages.rs`) |
//! | `m` name | store-wide records: format, last run, seeds, archive end, clock, exceptions, unfinished work |
//! | `m` `removal`, NUL, number | [`crate::Removal`] |
//! | `m` `removed`, NUL, url key | [`crate::RemovedUrl`] |
//! | `m` `removed-text`, NUL, content hash | the number of the removal |
//! | `m` partition, name | totals and number of hosts of a partition, [`crate::Reextracted`] |
//!
//! Numbers are big-endian, so keys sort in the order of their numbers. The partition is one byte. A store
//! without partitions omits it. In a partitioned store, the numbers of hosts, documents and clusters begin
//! with the number of the partition (see `partitions.rs`).

use gleaner_corpus::{ContentHash, DocumentId};
use gleaner_frontier::UrlKey;

use crate::partitions::Partition;
use crate::{HostId, WaitReason};

pub(crate) const URL: u8 = b'u';
pub(crate) const READY: u8 = b'q';
pub(crate) const RETRY: u8 = b'w';
pub(crate) const REVISIT: u8 = b'v';
pub(crate) const BUFFERED: u8 = b'g';
pub(crate) const HOST: u8 = b'h';
pub(crate) const ROBOTS: u8 = b'b';
pub(crate) const HEALTH: u8 = b'l';
pub(crate) const TEMPLATE: u8 = b't';
pub(crate) const DOCUMENT: u8 = b'd';
pub(crate) const HISTORY: u8 = b'e';
pub(crate) const ALIAS: u8 = b'a';
pub(crate) const CONTENT: u8 = b'c';
pub(crate) const MEMBERSHIP: u8 = b'n';
pub(crate) const SIGNED: u8 = b's';
pub(crate) const CLUSTER: u8 = b'k';
pub(crate) const COUNTS: u8 = b'o';
pub(crate) const RUN: u8 = b'i';
pub(crate) const REPLAYED: u8 = b'r';
pub(crate) const META: u8 = b'm';
pub(crate) const PAGE: u8 = b'p';
pub(crate) const MESSAGE: u8 = b'x';
pub(crate) const FILE: u8 = b'f';

pub(crate) const ARCHIVE_FILE: u8 = b'a';
pub(crate) const DOCUMENTS_FILE: u8 = b'd';

/// The first bytes of all records that are checked or copied, in ascending order. Raw pages are treated
/// separately.
pub(crate) const SPACES: [u8; 20] = [
    ALIAS, ROBOTS, CONTENT, DOCUMENT, HISTORY, BUFFERED, HOST, RUN, CLUSTER, HEALTH, META, MEMBERSHIP,
    COUNTS, READY, REPLAYED, SIGNED, TEMPLATE, URL, REVISIT, RETRY,
];

/// The part of a record that determines its partition in a partitioned store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner<'a> {
    /// The key contains the partition, or a number that begins with it.
    Partition(Partition),
    /// The receiver of a message.
    Receiver(Partition),
    /// The name of a host, or the URL of a robots.txt.
    Host(&'a str),
    /// The host of a URL.
    Url(UrlKey),
    /// The document to which the value refers.
    Document,
    /// The record belongs to no partition.
    Nobody,
}

/// The records of a partition under [`META`].
const OF_PARTITION: [&[u8]; 3] = [b"hosts", b"totals", b"reextracted"];

/// Returns the part of a record that determines its partition.
pub(crate) fn owner_of(key: &[u8]) -> Owner<'_> {
    let Some((space, rest)) = key.split_first() else { return Owner::Nobody };
    let first = rest.first().copied().map(Partition::new);
    let up_to_nul = || rest.split(|byte| *byte == 0).next().unwrap_or_default();
    let owner = match *space {
        HOST | READY | RETRY | REVISIT | BUFFERED | SIGNED | CLUSTER => first.map(Owner::Partition),
        MESSAGE => first.map(Owner::Receiver),
        REPLAYED => {
            rest.get(up_to_nul().len() + 1).map(|partition| Owner::Partition(Partition::new(*partition)))
        }
        META => first.filter(|_| OF_PARTITION.contains(&&rest[1..])).map(Owner::Partition),
        ROBOTS | HEALTH | TEMPLATE => Some(Owner::Host(name(up_to_nul()))),
        COUNTS => rest.get(4..).map(|bytes| Owner::Host(name(bytes))),
        URL | PAGE | DOCUMENT | HISTORY | ALIAS | MEMBERSHIP => {
            rest.first_chunk().map(|url| Owner::Url(UrlKey::from_bytes(*url)))
        }
        CONTENT => Some(Owner::Document),
        _ => None,
    };
    owner.unwrap_or(Owner::Nobody)
}

fn name(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn key(space: u8, partitions: &[&[u8]]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + partitions.iter().map(|partition| partition.len()).sum::<usize>());
    key.push(space);
    partitions.iter().for_each(|partition| key.extend_from_slice(partition));
    key
}

pub(crate) fn url(url: UrlKey) -> Vec<u8> {
    key(URL, &[url.as_bytes()])
}

pub(crate) fn ready_of(host: HostId) -> Vec<u8> {
    key(READY, &[&host.0.to_be_bytes()])
}

pub(crate) fn ready(host: HostId, rank: u8, sequence: u64, url: UrlKey) -> Vec<u8> {
    key(READY, &[&host.0.to_be_bytes(), &[rank], &sequence.to_be_bytes(), url.as_bytes()])
}

fn space_of(wait: WaitReason) -> u8 {
    match wait {
        WaitReason::Retry => RETRY,
        WaitReason::Revisit => REVISIT,
    }
}

pub(crate) fn waiting_for(partition: Partition, wait: WaitReason) -> Vec<u8> {
    key(space_of(wait), &[partition.as_bytes()])
}

pub(crate) fn waiting(partition: Partition, wait: WaitReason, due: u64, url: UrlKey) -> Vec<u8> {
    key(space_of(wait), &[partition.as_bytes(), &due.to_be_bytes(), url.as_bytes()])
}

pub(crate) fn due_of(waiting: &[u8]) -> Option<u64> {
    let end = waiting.len().checked_sub(16)?;
    Some(u64::from_be_bytes(waiting.get(end.checked_sub(8)?..end)?.try_into().ok()?))
}

pub(crate) fn buffered_of(host: HostId) -> Vec<u8> {
    key(BUFFERED, &[&host.0.to_be_bytes()])
}

pub(crate) fn buffered(host: HostId, sequence: u64, url: UrlKey) -> Vec<u8> {
    key(BUFFERED, &[&host.0.to_be_bytes(), &sequence.to_be_bytes(), url.as_bytes()])
}

pub(crate) fn hosts_of(partition: Partition) -> Vec<u8> {
    key(HOST, &[partition.as_bytes()])
}

pub(crate) fn host(partition: Partition, name: &str) -> Vec<u8> {
    key(HOST, &[partition.as_bytes(), name.as_bytes()])
}

pub(crate) fn partition_and_host(key: &[u8]) -> Option<(u8, &str)> {
    let (partition, name) = key.get(1..)?.split_first()?;
    Some((*partition, std::str::from_utf8(name).ok()?))
}

pub(crate) fn robots(host: &str) -> Vec<u8> {
    key(ROBOTS, &[host.as_bytes()])
}

pub(crate) fn health(host: &str) -> Vec<u8> {
    key(HEALTH, &[host.as_bytes()])
}

pub(crate) fn templates_of(host: &str) -> Vec<u8> {
    key(TEMPLATE, &[host.as_bytes(), &[0]])
}

pub(crate) fn template(host: &str, version: u32) -> Vec<u8> {
    key(TEMPLATE, &[host.as_bytes(), &[0], &version.to_be_bytes()])
}

pub(crate) fn document(id: DocumentId) -> Vec<u8> {
    key(DOCUMENT, &[id.as_bytes()])
}

pub(crate) fn history(id: DocumentId) -> Vec<u8> {
    key(HISTORY, &[id.as_bytes()])
}

pub(crate) fn revision(id: DocumentId, number: u32) -> Vec<u8> {
    key(HISTORY, &[id.as_bytes(), &number.to_be_bytes()])
}

pub(crate) fn revision_of(key: &[u8]) -> Option<(DocumentId, Option<u32>)> {
    let id = DocumentId(key.get(1..17)?.try_into().ok()?);
    Some((id, key.get(17..21).and_then(|number| Some(u32::from_be_bytes(number.try_into().ok()?)))))
}

pub(crate) fn aliases_of(id: DocumentId) -> Vec<u8> {
    key(ALIAS, &[id.as_bytes()])
}

pub(crate) fn alias(id: DocumentId, url: UrlKey) -> Vec<u8> {
    key(ALIAS, &[id.as_bytes(), url.as_bytes()])
}

pub(crate) fn content(hash: &ContentHash) -> Vec<u8> {
    key(CONTENT, &[hash.as_bytes()])
}

pub(crate) fn content_hash(key: &[u8]) -> Option<ContentHash> {
    Some(ContentHash::from_bytes(key.get(1..)?.try_into().ok()?))
}

pub(crate) fn cluster_membership(id: DocumentId) -> Vec<u8> {
    key(MEMBERSHIP, &[id.as_bytes()])
}

pub(crate) fn signed(number: u32) -> Vec<u8> {
    key(SIGNED, &[&number.to_be_bytes()])
}

/// Returns the prefix of the signatures of a partition's documents. Their numbers begin with the partition.
pub(crate) fn signed_of(partition: Partition) -> Vec<u8> {
    key(SIGNED, &[partition.as_bytes()])
}

pub(crate) fn cluster(cluster: u32) -> Vec<u8> {
    key(CLUSTER, &[&cluster.to_be_bytes()])
}

pub(crate) fn member(cluster: u32, number: u32) -> Vec<u8> {
    key(CLUSTER, &[&cluster.to_be_bytes(), &number.to_be_bytes()])
}

pub(crate) fn numbers(key: &[u8]) -> Option<(u32, Option<u32>)> {
    let number = |at: usize| Some(u32::from_be_bytes(key.get(at..at + 4)?.try_into().ok()?));
    Some((number(1)?, number(5)))
}

pub(crate) fn counts_of(run: u32) -> Vec<u8> {
    key(COUNTS, &[&run.to_be_bytes()])
}

pub(crate) fn counts(run: u32, host: &str) -> Vec<u8> {
    key(COUNTS, &[&run.to_be_bytes(), host.as_bytes()])
}

pub(crate) fn run(number: u32) -> Vec<u8> {
    key(RUN, &[&number.to_be_bytes()])
}

pub(crate) fn meta(name: &str) -> Vec<u8> {
    key(META, &[name.as_bytes()])
}

const REMOVAL: &[u8] = b"removal\0";
const REMOVED_URL: &[u8] = b"removed\0";
const REMOVED_TEXT: &[u8] = b"removed-text\0";

pub(crate) fn removals() -> Vec<u8> {
    key(META, &[REMOVAL])
}

pub(crate) fn removal(number: u32) -> Vec<u8> {
    key(META, &[REMOVAL, &number.to_be_bytes()])
}

pub(crate) fn removed_urls() -> Vec<u8> {
    key(META, &[REMOVED_URL])
}

pub(crate) fn removed_url(url: UrlKey) -> Vec<u8> {
    key(META, &[REMOVED_URL, url.as_bytes()])
}

pub(crate) fn removed_texts() -> Vec<u8> {
    key(META, &[REMOVED_TEXT])
}

pub(crate) fn removed_text(hash: &ContentHash) -> Vec<u8> {
    key(META, &[REMOVED_TEXT, hash.as_bytes()])
}

/// Returns the prefixes of all records about removals.
pub(crate) fn all_removals() -> [Vec<u8>; 3] {
    [removals(), removed_urls(), removed_texts()]
}

pub(crate) fn messages_to(partition: Partition) -> Vec<u8> {
    key(MESSAGE, &[partition.as_bytes()])
}

pub(crate) fn message(to: Partition, id: [u8; 16]) -> Vec<u8> {
    key(MESSAGE, &[to.as_bytes(), &id])
}

pub(crate) fn meta_of(partition: Partition, name: &str) -> Vec<u8> {
    key(META, &[partition.as_bytes(), name.as_bytes()])
}

pub(crate) fn page(url: UrlKey) -> Vec<u8> {
    key(PAGE, &[url.as_bytes()])
}

pub(crate) fn page_named(name: &[u8]) -> Vec<u8> {
    key(PAGE, &[name])
}

pub(crate) fn replayed(purpose: &str, partition: Partition, file: &str) -> Vec<u8> {
    key(REPLAYED, &[purpose.as_bytes(), &[0], partition.as_bytes(), file.as_bytes()])
}

/// Returns the purpose and the file in the key of a replay position. `is_cut` means that the key also
/// contains a partition.
pub(crate) fn purpose_and_file(key: &[u8], is_cut: bool) -> Option<(&str, &str)> {
    let rest = key.get(1..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    let (purpose, file) = (rest.get(..end)?, rest.get(end + 1 + usize::from(is_cut)..)?);
    Some((std::str::from_utf8(purpose).ok()?, std::str::from_utf8(file).ok()?))
}

pub(crate) fn files_of(kind: u8) -> Vec<u8> {
    key(FILE, &[&[kind]])
}

pub(crate) fn file(kind: u8, number: u32) -> Vec<u8> {
    key(FILE, &[&[kind], &number.to_be_bytes()])
}

pub(crate) fn file_number(key: &[u8]) -> u32 {
    key.get(2..6).and_then(|number| number.try_into().ok()).map_or(0, u32::from_be_bytes)
}

pub(crate) fn is_text(key: &[u8]) -> bool {
    match key.first() {
        Some(&DOCUMENT) => true,
        Some(&HISTORY) => key.len() == 21,
        _ => false,
    }
}

/// Whether a record is large: a text or a signature. sled contains only the positions of large records.
pub(crate) fn is_large(key: &[u8]) -> bool {
    match key.first() {
        Some(&SIGNED) => true,
        Some(&CLUSTER) => key.len() == 9,
        _ => is_text(key),
    }
}

pub(crate) fn hex(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

pub(crate) fn last_url(key: &[u8]) -> Option<UrlKey> {
    let (_, tail) = key.split_at_checked(key.len().checked_sub(16)?)?;
    Some(UrlKey::from_bytes(tail.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_record_tells_its_owner() {
        let (url, seven) = (UrlKey::from_bytes([9; 16]), Partition::new(7));
        let (id, number) = (DocumentId([9; 16]), (7 << 24) + 5);
        let of_seven = [
            ready(HostId(number), 3, 0, url),
            buffered(HostId(number), 0, url),
            waiting(seven, WaitReason::Retry, 0, url),
            waiting(seven, WaitReason::Revisit, 0, url),
            host(seven, "a.example"),
            signed(number),
            cluster(number),
            member(number, number + 1),
            replayed("ingest", seven, "a.warc"),
            meta_of(seven, "totals"),
            meta_of(seven, "hosts"),
            meta_of(seven, "reextracted"),
        ];
        for key in of_seven {
            assert_eq!(owner_of(&key), Owner::Partition(seven), "{}", hex(&key));
        }
        assert_eq!(owner_of(&message(seven, [1; 16])), Owner::Receiver(seven));
        for key in
            [robots("a.example"), health("a.example"), template("a.example", 2), counts(3, "a.example")]
        {
            assert_eq!(owner_of(&key), Owner::Host("a.example"), "{}", hex(&key));
        }
        let of_url = [
            super::url(url),
            page(url),
            document(id),
            history(id),
            revision(id, 2),
            alias(id, UrlKey::from_bytes([3; 16])),
            cluster_membership(id),
        ];
        for key in of_url {
            assert_eq!(owner_of(&key), Owner::Url(url), "{}", hex(&key));
        }
        assert_eq!(owner_of(&content(&ContentHash::from_text("rain"))), Owner::Document);
        let removed = [removal(7), removed_url(url), removed_text(&ContentHash::from_text("rain"))];
        for key in removed {
            assert_eq!(owner_of(&key), Owner::Nobody, "{}", hex(&key));
        }
        for key in [meta("clock"), meta("seeds"), run(7), file(ARCHIVE_FILE, 7), Vec::new()] {
            assert_eq!(owner_of(&key), Owner::Nobody, "{}", hex(&key));
        }
    }
}
