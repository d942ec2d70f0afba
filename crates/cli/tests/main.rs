//! The integration tests of the program. Most of them run real processes.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    reason = "tests fail by panicking, and print what they skip"
)]

mod accessibility;
mod admission;
mod archive;
mod browser;
mod compaction;
mod crawl;
mod dependency_rules;
mod distributed;
mod eval;
mod explain;
mod export;
mod export_formats;
mod extract;
mod faults;
mod generated;
mod ingest;
#[cfg(unix)]
mod interrupt;
mod kill;
mod load;
mod measured;
mod migrate;
mod near;
mod newspaper;
mod nights;
#[cfg(unix)]
mod open_files;
mod operations;
mod queries;
mod readers;
mod readme;
mod rebuild;
mod redesign;
mod repair;
mod replay;
mod schedule;
mod seeds;
mod sites;
mod status;
mod telemetry;
mod trust;
mod unwritable;
mod usage;
mod warc;
mod workers;
