//! Reads the lists of waiting URLs.

use gleaner_frontier::UrlKey;

use crate::{Store, StoreError, UrlRecord, UrlState, WaitReason, keys};

impl Store {
    /// Returns the time at which the first URL that waits because of `wait` is due, in seconds since 1970.
    /// Returns `None` if no URL waits.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn next_due(&self, wait: WaitReason) -> Result<Option<u64>, StoreError> {
        let firsts = self.engine.first_keys(&self.waiting_in_partitions(wait))?;
        Ok(firsts.iter().flatten().filter_map(|key| keys::due_of(key)).min())
    }

    /// Returns the key prefixes of waiting URLs in this process's partitions, or in all partitions if the store
    /// is only read.
    fn waiting_in_partitions(&self, wait: WaitReason) -> Vec<Vec<u8>> {
        let partitions =
            if self.partitions.is_held() { self.partitions.held() } else { self.partitions.all() };
        partitions.into_iter().map(|partition| keys::waiting_for(partition, wait)).collect()
    }

    pub(crate) fn due(&self, wait: WaitReason, until: u64, limit: usize) -> Result<Vec<UrlKey>, StoreError> {
        let is_due = |key: &Vec<u8>| keys::due_of(key).is_some_and(|at| at <= until);
        let prefixes = self.waiting_in_partitions(wait);
        let firsts = self.engine.first_keys(&prefixes)?;
        let mut due = Vec::new();
        for (prefix, first) in prefixes.into_iter().zip(firsts) {
            if !first.as_ref().is_some_and(is_due) {
                continue;
            }
            for key in self.keys(prefix).take(limit.saturating_sub(due.len())) {
                let key = key?;
                if !is_due(&key) {
                    break;
                }
                due.extend(keys::last_url(&key));
            }
        }
        Ok(due)
    }

    /// Returns the first `limit` URLs that wait because of `wait`, sorted by due time.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn waiting(&self, wait: WaitReason, limit: usize) -> Result<Vec<UrlRecord>, StoreError> {
        let prefixes = self.waiting_in_partitions(wait);
        let firsts = self.engine.first_keys(&prefixes)?;
        let mut records = Vec::new();
        for (prefix, _) in prefixes.into_iter().zip(firsts).filter(|(_, first)| first.is_some()) {
            for key in self.keys(prefix).take(limit) {
                let Some(url) = keys::last_url(&key?) else { continue };
                records
                    .extend(self.url(url)?.filter(|record| matches!(record.state, UrlState::Waiting { .. })));
            }
        }
        let due = |record: &UrlRecord| match record.state {
            UrlState::Waiting { due, .. } => due,
            _ => u64::MAX,
        };
        records.sort_by_key(due);
        records.truncate(limit);
        Ok(records)
    }
}
