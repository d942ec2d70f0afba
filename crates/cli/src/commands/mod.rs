//! Contains the commands, one in each file.

pub(crate) mod compact;
pub(crate) mod crawl;
pub(crate) mod doctor;
pub(crate) mod duplicates;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod hosts;
pub(crate) mod init;
pub(crate) mod known_hosts;
pub(crate) mod learn;
pub(crate) mod migrate;
pub(crate) mod page_files;
pub(crate) mod page_reader;
mod rebuild_store;
pub(crate) mod refetch;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod schedule;
pub(crate) mod seeds;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod snapshot;
pub(crate) mod stats;
pub(crate) mod template;
pub(crate) mod verify;
pub(crate) mod workers;
