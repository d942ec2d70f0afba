//! Checks that clusters of near-duplicates are consistent with their documents.
//!
//! The check of a cluster's record counts the members, which follow the record.

use gleaner_corpus::DocumentId;
use gleaner_corpus::dedup::Signature;

use super::{Examiner, StoreCheck};
use crate::clusters::{ClusterMembership, ClusterRecord, SignatureRecord};
use crate::{StoreError, keys};

impl<E: Examiner> StoreCheck<'_, E> {
    pub(super) fn cluster_membership(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(cluster_membership) =
            self.read::<ClusterMembership>("a document's cluster membership", key, value)
        else {
            return Ok(());
        };
        let id = DocumentId(key.get(1..17).and_then(|id| id.try_into().ok()).unwrap_or_default());
        if !self.has(&keys::document(id))? {
            self.examiner.fault(format!("the document {id} has a signature, but is missing"));
        }
        let ClusterMembership { number, cluster } = cluster_membership;
        let places = [keys::signed(number), keys::member(cluster, number)];
        if self.has(&places[0])? == self.has(&places[1])? {
            self.examiner.fault(format!(
                "the document {id} is neither or both: head and member of the cluster {cluster}"
            ));
        }
        Ok(())
    }

    /// Checks the signature of a document that represents its cluster or is the only document in it.
    pub(super) fn signed(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(signed) = self.read::<SignatureRecord>("a signature", key, value) else { return Ok(()) };
        let Some((number, _)) = keys::numbers(key) else { return Ok(()) };
        self.signature_record(number, &signed)?;
        let record = self.store.cluster_record(signed.cluster)?;
        if record.is_some_and(|record| record.representative != number) {
            self.examiner
                .fault(format!("the cluster {} has two heads; one is {}", signed.cluster, signed.id));
        }
        Ok(())
    }

    pub(super) fn cluster(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match keys::numbers(key) {
            Some((cluster, None)) => self.head_of(cluster, key, value),
            Some((cluster, Some(number))) => {
                self.looked.members += 1;
                let Some(signed) = self.read::<SignatureRecord>("a member of a cluster", key, value) else {
                    return Ok(());
                };
                self.signature_record(number, &signed)?;
                if signed.cluster != cluster || self.store.cluster_record(cluster)?.is_none() {
                    self.examiner
                        .fault(format!("the document {} is a member of a missing cluster", signed.id));
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn head_of(&mut self, cluster: u32, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(record) = self.read::<ClusterRecord>("a cluster", key, value) else { return Ok(()) };
        self.looked.clusters += 1;
        let representative = match self.store.signature_record(&keys::signed(record.representative)) {
            // The scan of the signatures reports this fault.
            Err(StoreError::Unreadable { .. }) => return Ok(()),
            read => read?,
        };
        if representative.is_none_or(|signed| signed.cluster != cluster) {
            self.examiner.fault(format!("the cluster {cluster} has no head"));
        }
        let mut members = 0;
        for key in self.store.keys(key) {
            members += u32::from(matches!(keys::numbers(&key?), Some((_, Some(_)))));
        }
        if members == 0 || members != record.members {
            self.examiner
                .fault(format!("the cluster {cluster} counts {} members, but has {members}", record.members));
        }
        Ok(())
    }

    fn signature_record(&mut self, number: u32, signed: &SignatureRecord) -> Result<(), StoreError> {
        let expected = ClusterMembership { number, cluster: signed.cluster };
        if self.store.cluster_membership(signed.id)? != Some(expected) {
            self.examiner
                .fault(format!("a signature names the document {}, which has another one", signed.id));
        }
        if Signature::from_bytes(&signed.signature).is_none() {
            self.examiner.fault(format!("the signature of the document {} cannot be read", signed.id));
        }
        Ok(())
    }
}
