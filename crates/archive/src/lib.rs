//! Writes and reads the WARC files that hold all responses.
//!
//! The format is WARC 1.1 (ISO 28500:2017): a sequence of records, each a gzip member of its own, so that
//! each can be read by its offset, and a damaged one does not affect the others.
//!
//! | file | question |
//! |---|---|
//! | [`header`] | Which named fields does a record have? |
//! | [`digest`] | Are two payloads the same, and is one unchanged? |
//! | [`http`] | What are the status, the headers and the body of a response? |
//! | [`payload`] | What is the body without its transfer and content codings? |
//! | [`write`](mod@write) | How do a response and its request become records? |
//! | [`files`] | Into which file, how far is it on disk, when does the next one begin? |
//! | [`spool`] | How is a file built in memory and then stored as a whole? |
//! | [`record`] | What is a record, or a part of a file that cannot be read? |
//! | [`read`] | What do the files of any writer hold, intact or damaged? |
//! | `zst` | How are `.warc.zst` files decoded, with their dictionary? |
//! | `scan` | Where does the next record begin after damage? |
//! | [`cdx`] | Which records does an index name? |
//!
//! Writes `warcinfo`, `response`, `revisit` and `request` records. Reads `response` and `revisit` records of
//! any writer; returns others unchanged.
//!
//! Limitation: bodies are stored after content decoding, because the HTTP library returns them so. As in
//! other crawlers, headers that are no longer true are kept under `X-Crawler-` names, and `Content-Length` is
//! that of the stored body.

pub mod cdx;
mod counted;
pub mod digest;
pub mod files;
pub mod header;
pub mod http;
pub mod payload;
pub mod read;
pub mod record;
#[cfg(test)]
mod samples;
mod scan;
pub mod spool;
pub mod write;
mod zst;

pub use digest::Digest;
pub use files::{Archive, ArchiveError, Place};
pub use header::Header;
pub use http::HttpMessage;
pub use payload::{Cut, Payload};
pub use read::Reader;
pub use record::{Damage, Item, Record};
pub use spool::Spool;
pub use write::{Capture, Revisit};
