//! Writes and reads the WARC files that contain all responses.
//!
//! The format is WARC 1.1 (ISO 28500:2017): a sequence of records. Each record is a separate gzip member.
//! Therefore a record can be read by its offset, and damage to one record does not affect the others.
//!
//! | file | question |
//! |---|---|
//! | [`header`] | What are the named fields of a record? |
//! | [`digest`] | Are two payloads the same, and is a payload intact? |
//! | [`http`] | What are the status, the headers and the body of a response? |
//! | [`payload`] | What is the decoded body of a response? |
//! | [`write`](mod@write) | How do a response and its request become records? |
//! | [`files`] | Which file grows, how much of it is on disk, and when does the next file begin? |
//! | [`spool`] | How is a file built in memory and then stored as a whole? |
//! | [`record`] | How are records and damage represented? |
//! | [`read`] | Which records does a file contain, even if it is damaged? |
//! | `zst` | How are `.warc.zst` files and their dictionaries decoded? |
//! | `scan` | Where is the next record after damage? |
//! | [`rewrite`] | How is a file written again without some of its records? |
//! | [`exchange`] | Which bytes of a file are a response and its request? |
//! | [`cdx`] | Which records does an index list? |
//!
//! The crate writes `warcinfo`, `response`, `revisit`, `request` and `metadata` records. It interprets `response` and
//! `revisit` records of any writer, and returns other records uninterpreted.
//!
//! Limitation: before a body is stored, its transfer codings are removed, and sometimes its content codings
//! too. Headers that no longer apply get the prefix `X-Crawler-`, as in other crawlers. `Content-Length` is
//! the length of the stored body.

pub mod cdx;
mod counted;
pub mod digest;
pub mod exchange;
pub mod files;
pub mod header;
pub mod http;
pub mod payload;
pub mod read;
pub mod record;
pub mod rewrite;
#[cfg(test)]
mod samples;
mod scan;
pub mod spool;
pub mod write;
mod zst;

pub use digest::Digest;
pub use exchange::Exchange;
pub use files::{Archive, ArchiveError, RecordPosition};
pub use header::Header;
pub use http::HttpMessage;
pub use payload::{Payload, Truncation};
pub use read::ArchiveReader;
pub use record::{Damage, Item, Record};
pub use rewrite::{RecordChange, RewritePlan};
pub use spool::Spool;
pub use write::{Capture, Digests, Metadata, Revisit};
