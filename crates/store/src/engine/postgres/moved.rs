//! What a migration asks of the database beside records and the index of near-duplicates.

use super::Postgres;
use crate::StoreError;

impl Postgres {
    /// Numbers of a counter that are given out from now on are above this one.
    pub(crate) fn raise(&self, counter: &'static str, last: u32) -> Result<(), StoreError> {
        let sql = "INSERT INTO counters (name, next) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET next = greatest(counters.next, EXCLUDED.next)";
        let next = i64::from(last) + 1;
        self.0.reading.ask("raising a counter", |client| {
            Box::pin(async move { client.execute(sql, &[&counter, &next]).await.map(drop) })
        })
    }
}
