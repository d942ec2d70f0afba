//! The integration tests of the store, on sled and on PostgreSQL, if it is installed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, and says what it skips")]

mod claims;
mod clusters;
mod common;
mod compaction;
mod documents;
mod frontier;
mod history;
mod lost;
mod migrate;
mod objects;
mod reading;
mod seeds;
mod texts;
mod workers;
