//! A clock that was set back.
//!
//! What waits has a time by the clock of the day it was written. If that clock was ahead (a
//! machine that started in the wrong year), then with the clock put right nothing would be
//! due for as long as it had been ahead. So the store remembers the latest time at which it
//! was written, and all that waits moves by as much as the clock is behind that.
//!
//! A clock that was set forward needs nothing: all is due, and gaps between requests are
//! not kept by it.

use gleaner_frontier::UrlKey;
use jiff::{SignedDuration, Timestamp};

use crate::{Change, HostRecord, StoreError, UrlRecord, UrlState, Wait, Writer, keys};

/// Clocks are put right by less than this all the time.
const USUAL: SignedDuration = SignedDuration::from_mins(10);

/// URLs that are moved in one change.
const PART: usize = 2_000;

impl Change {
    /// Notes the time of what is written. It never goes back but by [`Writer::adjust_clock`].
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn put_clock(&mut self, now: Timestamp) -> Result<(), StoreError> {
        if self.store.is_shared() {
            // It is the database's clock that counts, and nobody reads this one.
            return Ok(());
        }
        let key = keys::meta("clock");
        let last: Option<Timestamp> = self.get("the time of the last change", &key)?;
        if last.is_none_or(|last| last < now) {
            self.put_common(key, &now);
        }
        Ok(())
    }

    /// Moves the time of a URL that waits.
    fn move_waiting(&mut self, key: UrlKey, behind: u64) -> Result<(), StoreError> {
        let Some(record) = self.url(key)? else { return Ok(()) };
        let UrlState::Waiting { wait, due, rank } = record.state else { return Ok(()) };
        let earlier = due.saturating_sub(behind);
        let partition = self.store.partitions.of_host(record.host);
        self.remove(partition, keys::waiting(partition, wait, due, key));
        self.mark(partition, keys::waiting(partition, wait, earlier, key));
        let state = UrlState::Waiting { wait, due: earlier, rank };
        self.put_url(key, &UrlRecord { state, ..record });
        Ok(())
    }
}

impl Writer {
    /// Holds the clock against the latest time that was noted. Where it is behind, URLs and
    /// hosts that wait do so for as much less. Gives how far it is behind; `None`: it is
    /// not, by more than the ten minutes that are usual.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn adjust_clock(&mut self, now: Timestamp) -> Result<Option<SignedDuration>, StoreError> {
        if self.store().is_shared() {
            // Each worker's clock was held against the database's when it came.
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
        change.put_common(keys::meta("clock"), &now);
        self.commit(change)?;
        Ok(Some(behind))
    }

    /// All URLs that wait: listings, and what has failed.
    fn waiting(&self) -> Result<Vec<UrlKey>, StoreError> {
        let mut waiting = Vec::new();
        for wait in [Wait::Retry, Wait::Revisit] {
            waiting.extend(self.store().due(wait, u64::MAX, usize::MAX)?);
        }
        Ok(waiting)
    }
}
