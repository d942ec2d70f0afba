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
mod bad_nights;
mod browser;
mod compaction;
mod crawl;
mod damaged_bodies;
mod dependency_rules;
mod distributed;
mod explain;
mod export;
mod export_formats;
mod extract;
mod faults;
mod generated;
mod hostile_site;
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
mod raw_sites;
mod readers;
mod readme;
mod rebuild;
mod redesign;
mod redirects;
mod refetch;
mod removal;
mod repair;
mod replay;
mod robots_meta;
mod same_corpus;
mod same_corpus_of_workers;
mod schedule;
mod search;
mod seeds;
mod sitemaps;
mod sites;
mod status;
#[cfg(target_os = "linux")]
mod status_security;
mod traps;
mod trust;
mod unwritable;
mod urls;
mod usage;
mod usage_preferences;
mod warc;
mod web;
mod workers;
