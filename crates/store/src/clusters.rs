//! Maintains the clusters of near-duplicates. Every document is stored, and one document represents each
//! cluster.
//!
//! Each document with a signature (signed document) has a number and belongs to a cluster, possibly as its
//! only document. A number is never assigned twice. If a document represents its cluster, or is alone in it,
//! its signature is stored under its number. The signature of any other member is in the cluster's list of
//! members. Therefore an index entry of a former representative leads to no signature. A cluster with several
//! documents has one record, which contains the number of its representative. So a new representative changes
//! few records, even if the cluster is large. All documents of a cluster are in one partition (`near.rs`).
//!
//! 1. Joining ([`Change::join`]): a near-duplicate of an indexed document joins that document's cluster, as a
//!    member or as the new representative. Any other document is alone in a new cluster. If this document is
//!    similar to an indexed document, the two are recorded as related.
//! 2. Departing ([`Change::depart`]): a document leaves its cluster. If it was the representative, another
//!    member replaces it.
//!
//! When the text of a page changes, its document keeps the number, and so its position in the order of arrival.
//!
//! Limitation: a new representative is similar to the previous representative, but not necessarily to every
//! member.

use gleaner_corpus::DocumentId;
use gleaner_corpus::dedup::{
    BandKeys, DocumentNumber, DocumentReader, Relation, RepresentativeCandidate, Signature, SignedText,
    SimilarDocument, find_similar,
};
use gleaner_frontier::{Outcome, UrlKey};
use serde::{Deserialize, Serialize};

use crate::near::Duplicates;
use crate::packed::unpack;
use crate::records::decode;
use crate::{Change, StoreError, keys};

const MAX_RELATED: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClusterMembership {
    pub(crate) number: DocumentNumber,
    pub(crate) cluster: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignatureRecord {
    pub(crate) id: DocumentId,
    pub(crate) words: u64,
    pub(crate) cluster: u32,
    #[serde(with = "serde_bytes")]
    pub(crate) signature: Vec<u8>,
    /// Similar documents that are not duplicates, most similar first, with the similarity in percent.
    pub(crate) related: Vec<(DocumentId, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClusterRecord {
    pub(crate) representative: DocumentNumber,
    pub(crate) members: u32,
}

impl SignatureRecord {
    pub(crate) fn signature(&self) -> Option<Signature> {
        Signature::from_bytes(&self.signature)
    }

    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        let both = self.signature().zip(other.signature());
        both.map_or(0.0, |(one, other)| one.similarity(&other))
    }

    const fn candidate(&self, document: DocumentNumber) -> RepresentativeCandidate {
        RepresentativeCandidate { document, words: self.words }
    }
}

/// Treats an unreadable text or signature as absent. So it does not end a crawl, which stores other documents.
pub(crate) fn readable<T>(read: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Lost { .. } | StoreError::Unreadable { .. }) => Ok(None),
        read => read,
    }
}

pub(crate) fn hundredths(similarity: f64) -> u8 {
    (100.0 * similarity).round() as u8
}

struct ChangeReader<'a>(&'a Change);

impl DocumentReader for ChangeReader<'_> {
    type Error = StoreError;

    fn signature(&self, document: DocumentNumber) -> Result<Option<Signature>, StoreError> {
        Ok(self.0.signature_record(document)?.and_then(|record| record.signature()))
    }

    fn text(&self, document: DocumentNumber) -> Result<Option<String>, StoreError> {
        let Some(record) = self.0.signature_record(document)? else { return Ok(None) };
        let packed = readable(self.0.get_bytes(&keys::document(record.id)))?;
        packed.map(|bytes| Ok(unpack(&bytes)?.text)).transpose()
    }
}

impl Change {
    pub(crate) fn cluster_membership(&self, id: DocumentId) -> Result<Option<ClusterMembership>, StoreError> {
        self.get("a document's cluster membership", &keys::cluster_membership(id))
    }

    pub(crate) fn signature_record(
        &self,
        number: DocumentNumber,
    ) -> Result<Option<SignatureRecord>, StoreError> {
        readable(self.get("a signature", &keys::signed(number)))
    }

    pub(crate) fn cluster_record(&self, cluster: u32) -> Result<Option<ClusterRecord>, StoreError> {
        self.get("a cluster", &keys::cluster(cluster))
    }

    /// Assigns the next number of a document's partition. Returns `None` if no number is left. A store in a
    /// folder has 4 billion numbers, and a partition of a shared store has 16 million.
    fn assign_number(&mut self, id: DocumentId) -> Result<Option<u32>, StoreError> {
        let partition = self.partition_of_document(id)?;
        let mut allotted = None;
        self.total(partition, |totals| {
            if let (Some(number), Some(next)) =
                (partition.number(totals.numbers), totals.numbers.checked_add(1))
            {
                allotted = Some(number);
                totals.numbers = next;
            }
        })?;
        Ok(allotted)
    }

    /// Adds a document that has no [`ClusterMembership`]. `number` is the number of the page's previous text,
    /// or `None` for a new page.
    pub(crate) fn join(
        &mut self,
        id: DocumentId,
        words: u64,
        signed: &SignedText,
        number: Option<DocumentNumber>,
        duplicates: &mut Duplicates,
    ) -> Result<Outcome, StoreError> {
        let partition = self.partition_of_document(id)?;
        let Some((params, candidates)) = duplicates.candidates(&self.store, partition, signed)? else {
            return Ok(Outcome::Stored);
        };
        let similar = find_similar(signed, &candidates, &ChangeReader(self), &params)?;
        let signature = signed.signature.to_bytes().to_vec();
        let record = SignatureRecord { id, words, cluster: 0, signature, related: self.related(&similar)? };
        let Some(number) = number.map_or_else(|| self.assign_number(id), |number| Ok(Some(number)))? else {
            return Ok(Outcome::Stored);
        };
        let duplicate = similar.first().filter(|hit| hit.verdict == Relation::Duplicate);
        let representative = match duplicate {
            Some(hit) => self.signature_record(hit.document)?.map(|record| (hit.document, record)),
            None => None,
        };
        match representative {
            Some(other) => self.join_cluster(number, record, other, &signed.keys, duplicates),
            None => self.add_single(number, record, &signed.keys, duplicates),
        }
    }

    fn related(&self, similar: &[SimilarDocument]) -> Result<Vec<(DocumentId, u8)>, StoreError> {
        let mut related = Vec::new();
        for hit in similar.iter().filter(|hit| hit.verdict == Relation::Related).take(MAX_RELATED) {
            let id = self.signature_record(hit.document)?.map(|record| record.id);
            related.extend(id.map(|id| (id, hundredths(hit.similarity))));
        }
        Ok(related)
    }

    fn add_single(
        &mut self,
        number: DocumentNumber,
        record: SignatureRecord,
        keys: &BandKeys,
        duplicates: &mut Duplicates,
    ) -> Result<Outcome, StoreError> {
        // The cluster needs a new number, because other documents may remain in the old cluster.
        let Some(cluster) = self.assign_number(record.id)? else { return Ok(Outcome::Stored) };
        let of = self.store.partitions.of_number(number);
        self.put(keys::cluster_membership(record.id), &ClusterMembership { number, cluster });
        self.put(keys::signed(number), &SignatureRecord { cluster, ..record });
        duplicates.put(of, number, keys);
        Ok(Outcome::Stored)
    }

    /// Adds a document to the cluster that `other` represents: as a member, or as the new representative.
    fn join_cluster(
        &mut self,
        number: DocumentNumber,
        record: SignatureRecord,
        (of, other): (DocumentNumber, SignatureRecord),
        keys: &BandKeys,
        duplicates: &mut Duplicates,
    ) -> Result<Outcome, StoreError> {
        let cluster = other.cluster;
        let similarity = hundredths(record.similarity(&other));
        let record = SignatureRecord { cluster, ..record };
        let here = self.store.partitions.of_number(number);
        self.put(keys::cluster_membership(record.id), &ClusterMembership { number, cluster });
        if !duplicates.representative.prefers(record.candidate(number), other.candidate(of)) {
            self.add_member(of, number, &record)?;
            return Ok(Outcome::NearDuplicate { of: url_of(other.id), similarity });
        }
        self.add_member(of, of, &other)?;
        let members = self.cluster_record(cluster)?.map_or(1, |record| record.members);
        self.put(keys::cluster(cluster), &ClusterRecord { representative: number, members });
        self.remove(keys::signed(of));
        let outcome = Outcome::NearDuplicate { of: url_of(record.id), similarity };
        self.reattribute(url_of(other.id), outcome)?;
        self.put(keys::signed(number), &record);
        duplicates.put(here, number, keys);
        Ok(Outcome::Stored)
    }

    fn add_member(
        &mut self,
        of: DocumentNumber,
        number: DocumentNumber,
        member: &SignatureRecord,
    ) -> Result<(), StoreError> {
        let (cluster, partition) = (member.cluster, self.store.partitions.of_number(member.cluster));
        let record = match self.cluster_record(cluster)? {
            Some(record) => ClusterRecord { members: record.members + 1, ..record },
            None => {
                self.total(partition, |totals| totals.clusters += 1)?;
                ClusterRecord { representative: of, members: 1 }
            }
        };
        self.total(partition, |totals| totals.near_duplicates += 1)?;
        self.put(keys::cluster(cluster), &record);
        self.put(keys::member(cluster, number), member);
        Ok(())
    }

    /// Removes a document from its cluster because its text is removed. Returns the document's number, or
    /// `None` if the document has no signature.
    pub(crate) fn depart(
        &mut self,
        id: DocumentId,
        duplicates: &mut Duplicates,
    ) -> Result<Option<DocumentNumber>, StoreError> {
        let Some(ClusterMembership { number, cluster }) = self.cluster_membership(id)? else {
            return Ok(None);
        };
        self.remove(keys::cluster_membership(id));
        self.remove(keys::signed(number));
        self.leave_cluster(cluster, number, duplicates)?;
        Ok(Some(number))
    }

    fn leave_cluster(
        &mut self,
        cluster: u32,
        number: DocumentNumber,
        duplicates: &mut Duplicates,
    ) -> Result<(), StoreError> {
        let Some(mut record) = self.cluster_record(cluster)? else { return Ok(()) };
        let partition = self.store.partitions.of_number(cluster);
        let member = keys::member(cluster, number);
        if record.representative == number {
            record.representative = self.succeed(cluster, duplicates)?.unwrap_or(number);
        } else if self.has_member(&member)? {
            self.remove(member);
        } else {
            return Ok(());
        }
        record.members = record.members.saturating_sub(1);
        if record.members == 0 {
            self.remove(keys::cluster(cluster));
        } else {
            self.put(keys::cluster(cluster), &record);
        }
        self.total(partition, |totals| {
            totals.near_duplicates = totals.near_duplicates.saturating_sub(1);
            totals.clusters = totals.clusters.saturating_sub(u64::from(record.members == 0));
        })
    }

    fn has_member(&self, member: &[u8]) -> Result<bool, StoreError> {
        match self.get_bytes(member) {
            Err(StoreError::Unreadable { .. }) => Ok(true),
            read => Ok(read?.is_some()),
        }
    }

    fn succeed(
        &mut self,
        cluster: u32,
        duplicates: &mut Duplicates,
    ) -> Result<Option<DocumentNumber>, StoreError> {
        let Some((number, record)) = self.next_representative(cluster, duplicates)? else { return Ok(None) };
        let here = self.store.partitions.of_number(cluster);
        self.remove(keys::member(cluster, number));
        self.put(keys::signed(number), &record);
        duplicates.put_signature(here, number, record.signature());
        self.reattribute(url_of(record.id), Outcome::Stored)?;
        Ok(Some(number))
    }

    fn next_representative(
        &self,
        cluster: u32,
        duplicates: &Duplicates,
    ) -> Result<Option<(DocumentNumber, SignatureRecord)>, StoreError> {
        let mut heir: Option<(DocumentNumber, SignatureRecord)> = None;
        for pair in self.scan(&keys::cluster(cluster)) {
            let Some((key, value)) = readable(pair.map(Some))? else { continue };
            let Some((_, Some(number))) = keys::numbers(&key) else { continue };
            let record: SignatureRecord = decode("a member of a cluster", &value)?;
            let is_preferred = heir.as_ref().is_none_or(|(other, than)| {
                duplicates.representative.prefers(record.candidate(number), than.candidate(*other))
            });
            if is_preferred {
                heir = Some((number, record));
            }
        }
        Ok(heir)
    }

    pub(crate) fn rename_cluster_membership(
        &mut self,
        from: DocumentId,
        to: DocumentId,
    ) -> Result<(), StoreError> {
        let Some(cluster_membership) = self.cluster_membership(from)? else { return Ok(()) };
        self.remove(keys::cluster_membership(from));
        self.put(keys::cluster_membership(to), &cluster_membership);
        let places = [
            keys::signed(cluster_membership.number),
            keys::member(cluster_membership.cluster, cluster_membership.number),
        ];
        for place in places {
            if let Some(record) = readable(self.get::<SignatureRecord>("a signature", &place))? {
                self.put(place, &SignatureRecord { id: to, ..record });
            }
        }
        Ok(())
    }

    /// Returns the outcome of a document that is stored: stored or near-duplicate.
    pub(crate) fn outcome_of(&self, id: DocumentId) -> Result<Outcome, StoreError> {
        let Some(ClusterMembership { number, cluster }) = self.cluster_membership(id)? else {
            return Ok(Outcome::Stored);
        };
        let own =
            readable(self.get::<SignatureRecord>("a member of a cluster", &keys::member(cluster, number)))?;
        let number = self.cluster_record(cluster)?.map(|record| record.representative);
        let representative = number.map(|number| self.signature_record(number)).transpose()?.flatten();
        Ok(match own.zip(representative) {
            Some((own, other)) => Outcome::NearDuplicate {
                of: url_of(other.id),
                similarity: hundredths(own.similarity(&other)),
            },
            None => Outcome::Stored,
        })
    }
}

pub(crate) fn url_of(id: DocumentId) -> UrlKey {
    UrlKey::from_bytes(id.0)
}
