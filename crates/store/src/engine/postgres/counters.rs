//! Sets counters of the database for a migration.

use super::Postgres;
use crate::StoreError;

impl Postgres {
    /// Raises a counter, so that its next number is greater than `last`.
    pub(crate) fn raise_counter(&self, counter: &'static str, last: u32) -> Result<(), StoreError> {
        let sql = "INSERT INTO counters (name, next) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET next = greatest(counters.next, EXCLUDED.next)";
        let next = i64::from(last) + 1;
        self.0.reading.run("raising a counter", |client| {
            Box::pin(async move { client.execute(sql, &[&counter, &next]).await.map(drop) })
        })
    }
}
