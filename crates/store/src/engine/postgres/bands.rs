//! Finds near-duplicates across workers, by the bands of the documents' signatures.
//!
//! The table `bands` has a row for each of a document's 42 bands. One query per document looks up all its
//! bands. For each band, only the [`UNDER_A_BAND`] documents with the highest numbers are candidates. Rows
//! older than `corpus.index_days` are removed, because copies of an article appear within days. Otherwise the
//! 42 rows per document would make up most of the database (docs/scale.md).

use std::convert::Infallible;

use gleaner_corpus::dedup::{Candidate, Exact, Index, Keys, Number};
use jiff::Timestamp;

use super::{Postgres, lock};
use crate::StoreError;
use crate::engine::Near;

/// Maximum number of candidates for one band.
const UNDER_A_BAND: i64 = 16;

/// Documents that were added since the last flush.
#[derive(Debug)]
pub(super) struct Bands {
    recent: Exact,
    unflushed: Vec<(i64, i32)>,
}

impl Default for Bands {
    fn default() -> Self {
        Self { recent: Exact::new(UNDER_A_BAND as usize), unflushed: Vec::new() }
    }
}

impl Bands {
    pub(super) fn unflushed(&self) -> (Vec<i64>, Vec<i32>, Vec<i32>) {
        let (bands, numbers): (Vec<i64>, Vec<i32>) = self.unflushed.iter().copied().unzip();
        let days = vec![today(); bands.len()];
        (bands, numbers, days)
    }

    pub(super) fn flushed(&mut self) {
        *self = Self::default();
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

fn today() -> i32 {
    i32::try_from(Timestamp::now().as_second() / 86_400).unwrap_or(i32::MAX)
}

/// Returns the keys of the bands as signed integers with the same bits. The database has no unsigned
/// integers.
fn signed(keys: &Keys) -> Vec<i64> {
    keys.as_array().iter().map(|key| key.cast_signed()).collect()
}

impl Near for Postgres {
    fn candidates(&self, keys: &Keys) -> Result<Vec<Candidate>, StoreError> {
        let sql = "SELECT number, count(*) FROM unnest($1::bigint[]) AS asked (key), LATERAL \
                   (SELECT number FROM bands WHERE band = key ORDER BY number DESC LIMIT $2) AS under \
                   GROUP BY number";
        let asked = signed(keys);
        let mut candidates: Vec<Candidate> = self.0.reading.ask("looking for near-duplicates", |client| {
            let asked = asked.clone();
            Box::pin(async move {
                let rows = client.query(sql, &[&asked, &UNDER_A_BAND]).await?;
                let candidate = |row: &tokio_postgres::Row| Candidate {
                    document: row.get::<_, i32>(0).cast_unsigned(),
                    shared: u32::try_from(row.get::<_, i64>(1)).unwrap_or(u32::MAX),
                };
                Ok(rows.iter().map(candidate).collect())
            })
        })?;
        let recent: Result<Vec<Candidate>, Infallible> = lock(&self.0.bands).recent.candidates(keys);
        let Ok(recent) = recent;
        candidates.retain(|kept| recent.iter().all(|other| other.document != kept.document));
        candidates.extend(recent);
        candidates.sort_unstable_by_key(|of| std::cmp::Reverse((of.shared, of.document)));
        Ok(candidates)
    }

    fn put(&self, number: Number, keys: &Keys) {
        let mut bands = lock(&self.0.bands);
        let Ok(()) = bands.recent.put(number, keys);
        let rows = signed(keys).into_iter().map(|band| (band, number.cast_signed()));
        bands.unflushed.extend(rows);
    }
}

impl Postgres {
    pub(crate) fn forget_bands(&self, days: u32) -> Result<(), StoreError> {
        self.forget_bands_before(today().saturating_sub(i32::try_from(days).unwrap_or(i32::MAX)))
    }

    pub(crate) fn forget_all_bands(&self) -> Result<(), StoreError> {
        self.forget_bands_before(i32::MAX)
    }

    /// Removes rows in steps, because a day may have millions of rows and each attempt has a time limit.
    fn forget_bands_before(&self, day: i32) -> Result<(), StoreError> {
        let sql = "DELETE FROM bands WHERE (band, number) IN \
                   (SELECT band, number FROM bands WHERE day < $1 LIMIT 20000)";
        let step = || {
            self.link().ask("forgetting old near-duplicates", |client| {
                Box::pin(async move { client.execute(sql, &[&day]).await })
            })
        };
        while step()? > 0 {}
        Ok(())
    }
}
