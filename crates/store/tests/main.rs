//! Contains the integration tests of the store, on sled and, if it is installed, on PostgreSQL.

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
mod near_index;
mod objects;
mod reading;
mod rebuild;
mod removal;
mod seeds;
mod shrink;
mod tables;
mod texts;
mod workers;
