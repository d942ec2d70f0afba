//! Reads the near-duplicates of one document, or all clusters.
//!
//! The similarity to the representative is not stored. Each read computes the similarity from the stored
//! signatures.

use gleaner_corpus::DocumentId;

use crate::clusters::{ClusterMembership, ClusterRecord, SignatureRecord, readable};
use crate::records::decode;
use crate::{Store, StoreError, keys};

/// The relation of a document to similar documents.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarityInfo {
    /// The representative of the document's cluster. A document that is alone represents itself.
    pub representative: DocumentId,
    /// Estimated similarity to the representative, 0 to 1. `None` if the document represents itself.
    pub similarity: Option<f64>,
    /// Number of members of the document's cluster, without the representative.
    pub members: u64,
    /// Up to four earlier documents that are similar but not duplicates, most similar first. Each has its
    /// estimated similarity, 0 to 1.
    pub related: Vec<(DocumentId, f64)>,
}

/// A cluster of near-duplicates with its representative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    number: u32,
    /// The id of the representative.
    pub representative: DocumentId,
    /// Number of words of the representative's text.
    pub words: u64,
    /// Number of members without the representative, at least 1.
    pub members: u64,
}

/// A document in a cluster that is not the representative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// The document.
    pub id: DocumentId,
    /// Number of words of the document's text.
    pub words: u64,
    /// Estimated similarity to the representative, 0 to 1.
    pub similarity: f64,
}

impl Store {
    /// Returns a document's relation to similar documents, or `None` if the document was never compared.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn similarity_info(&self, id: DocumentId) -> Result<Option<SimilarityInfo>, StoreError> {
        let Some(cluster_membership) = self.cluster_membership(id)? else { return Ok(None) };
        let cluster = self.cluster_record(cluster_membership.cluster)?;
        let number = cluster.map_or(cluster_membership.number, |cluster| cluster.representative);
        let representative = readable(self.signature_record(&keys::signed(number)))?;
        let representative_id = match number == cluster_membership.number {
            true => Some(id),
            false => self.representative_id(number, representative.as_ref())?,
        };
        let Some(representative_id) = representative_id else { return Ok(None) };
        let member = keys::member(cluster_membership.cluster, cluster_membership.number);
        let own = match representative_id == id {
            true => None,
            false => readable(self.signature_record(&member))?,
        };
        let listed = own.as_ref().or(representative.as_ref().filter(|_| representative_id == id));
        let mut related = Vec::new();
        for (other, similarity) in listed.map_or(&[][..], |record| &record.related) {
            if self.cluster_membership(*other)?.is_some() {
                related.push((*other, f64::from(*similarity) / 100.0));
            }
        }
        Ok(Some(SimilarityInfo {
            representative: representative_id,
            similarity: own.zip(representative).map(|(own, representative)| own.similarity(&representative)),
            members: cluster.map_or(0, |cluster| cluster.members.into()),
            related,
        }))
    }

    /// Returns the document with this number. If its signature is unreadable, searches all documents.
    fn representative_id(
        &self,
        number: u32,
        signature: Option<&SignatureRecord>,
    ) -> Result<Option<DocumentId>, StoreError> {
        if let Some(record) = signature {
            return Ok(Some(record.id));
        }
        for pair in self.scan([keys::MEMBERSHIP]) {
            let (key, value) = pair?;
            let membership: ClusterMembership = decode("a document's cluster membership", &value)?;
            if membership.number == number {
                return Ok(keys::revision_of(&key).map(|(id, _)| id));
            }
        }
        Ok(None)
    }

    /// Whether the document is in a cluster that another document represents.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn is_member(&self, id: DocumentId) -> Result<bool, StoreError> {
        let Some(ClusterMembership { number, cluster }) = self.cluster_membership(id)? else {
            return Ok(false);
        };
        Ok(self.cluster_record(cluster)?.is_some_and(|record| record.representative != number))
    }

    /// Returns all clusters of two or more documents, in the order of their numbers.
    pub fn clusters(&self) -> impl Iterator<Item = Result<Cluster, StoreError>> + use<'_> {
        let pairs = self.scan([keys::CLUSTER]);
        let clusters = pairs.map(|pair| {
            let (key, value) = pair?;
            let Some((number, None)) = keys::numbers(&key) else { return Ok(None) };
            self.cluster_from(number, decode("a cluster", &value)?)
        });
        clusters.filter_map(Result::transpose)
    }

    /// Returns the cluster of a document, or `None` if the document is alone or was never compared.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn cluster_of(&self, id: DocumentId) -> Result<Option<Cluster>, StoreError> {
        let Some(ClusterMembership { cluster: number, .. }) = self.cluster_membership(id)? else {
            return Ok(None);
        };
        let Some(record) = self.cluster_record(number)? else { return Ok(None) };
        self.cluster_from(number, record)
    }

    fn cluster_from(&self, number: u32, record: ClusterRecord) -> Result<Option<Cluster>, StoreError> {
        let representative = self.signature_record(&keys::signed(record.representative))?;
        let members = record.members.into();
        Ok(representative.map(|SignatureRecord { id, words, .. }| Cluster {
            number,
            representative: id,
            words,
            members,
        }))
    }

    /// Returns the members of a cluster without the representative, in the order of their numbers.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn members(
        &self,
        cluster: &Cluster,
    ) -> Result<impl Iterator<Item = Result<Member, StoreError>> + use<>, StoreError> {
        let number = cluster.number;
        let representative = self.cluster_record(number)?.map(|record| keys::signed(record.representative));
        let representative = representative.map(|key| self.signature_record(&key)).transpose()?.flatten();
        let pairs = self.scan(keys::cluster(number)).filter(|pair| match pair {
            Ok((key, _)) => matches!(keys::numbers(key), Some((_, Some(_)))),
            Err(_) => true,
        });
        Ok(pairs.map(move |pair| {
            let (_, value) = pair?;
            let record: SignatureRecord = decode("a member of a cluster", &value)?;
            let similarity = representative.as_ref().map_or(0.0, |other| record.similarity(other));
            Ok(Member { id: record.id, words: record.words, similarity })
        }))
    }

    pub(crate) fn cluster_membership(&self, id: DocumentId) -> Result<Option<ClusterMembership>, StoreError> {
        self.get("a document's cluster membership", &keys::cluster_membership(id))
    }

    pub(crate) fn signature_record(&self, key: &[u8]) -> Result<Option<SignatureRecord>, StoreError> {
        self.get("a signature", key)
    }

    pub(crate) fn cluster_record(&self, cluster: u32) -> Result<Option<ClusterRecord>, StoreError> {
        self.get("a cluster", &keys::cluster(cluster))
    }
}
