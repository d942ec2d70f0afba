//! Corrects due times after the clock was set back.
//!
//! Due times are computed from the clock at the time of writing. If the clock was ahead at that time, for
//! example by a year, and is then corrected, nothing becomes due for a long time. Therefore the store records
//! the latest time of a write. If the clock is behind that time, all due times move back by the difference.
//!
//! A clock that was set forward needs no correction: waiting URLs become due, and the delays between requests
//! do not depend on this clock.

use gleaner_frontier::UrlKey;
use jiff::{SignedDuration, Timestamp};

use crate::{Change, HostRecord, StoreError, UrlRecord, UrlState, WaitReason, Writer, keys};

/// If the clock is behind by less than this, it counts as correct, because routine corrections are smaller.
const USUAL: SignedDuration = SignedDuration::from_mins(10);

const PART: usize = 2_000;

impl Change {
    /// Records the time of a write if it is later than the recorded time. Only [`Writer::adjust_clock`] sets
    /// the record back. Does nothing for a shared store, which uses the database's clock.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn put_clock(&mut self, now: Timestamp) -> Result<(), StoreError> {
        if self.store.is_shared() {
            // A shared store uses the database's clock instead of this record.
            return Ok(());
        }
        let key = keys::meta("clock");
        let last: Option<Timestamp> = self.get("the time of the last change", &key)?;
        if last.is_none_or(|last| last < now) {
            self.put(key, &now);
        }
        Ok(())
    }

    fn move_waiting(&mut self, key: UrlKey, behind: u64) -> Result<(), StoreError> {
        let Some(record) = self.url(key)? else { return Ok(()) };
        let UrlState::Waiting { wait, due, rank } = record.state else { return Ok(()) };
        let earlier = due.saturating_sub(behind);
        let partition = self.store.partitions.of_host(record.host);
        self.remove(keys::waiting(partition, wait, due, key));
        self.put_bytes(keys::waiting(partition, wait, earlier, key), Vec::new());
        let state = UrlState::Waiting { wait, due: earlier, rank };
        self.put_url(key, &UrlRecord { state, ..record });
        Ok(())
    }
}

impl Writer {
    /// Compares the clock (`now`) with the latest recorded time. If the clock is more than ten minutes
    /// behind, moves the due times of waiting URLs and the back-offs of hosts back by the difference. Returns
    /// this difference, or `None` if no time was moved. Does nothing for a shared store.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn adjust_clock(&mut self, now: Timestamp) -> Result<Option<SignedDuration>, StoreError> {
        if self.store().is_shared() {
            // The worker's clock was already compared with the database's clock when the worker joined.
            return Ok(None);
        }
        let last: Option<Timestamp> =
            self.store().get("the time of the last change", &keys::meta("clock"))?;
        let Some(behind) = last.map(|last| last.duration_since(now)).filter(|behind| *behind > USUAL) else {
            return Ok(None);
        };
        let seconds = u64::try_from(behind.as_secs()).unwrap_or(0);
        for partition in self.waiting()?.chunks(PART) {
            let mut change = self.begin();
            for key in partition {
                change.move_waiting(*key, seconds)?;
            }
            self.commit(change)?;
        }
        let mut change = self.begin();
        let hosts: Vec<HostRecord> = self.store().hosts().collect::<Result<_, _>>()?;
        for host in hosts {
            if let Some(held) = host.held_until {
                let earlier = held.checked_sub(behind).unwrap_or(now);
                change.put_host(&HostRecord { held_until: Some(earlier), ..host });
            }
        }
        change.put(keys::meta("clock"), &now);
        self.commit(change)?;
        Ok(Some(behind))
    }

    fn waiting(&self) -> Result<Vec<UrlKey>, StoreError> {
        let mut waiting = Vec::new();
        for wait in [WaitReason::Retry, WaitReason::Revisit] {
            waiting.extend(self.store().due(wait, u64::MAX, usize::MAX)?);
        }
        Ok(waiting)
    }
}
