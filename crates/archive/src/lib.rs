//! Writes and reads the WARC files that contain all responses.
//!
//! The format is WARC 1.1 (ISO 28500:2017): a sequence of records. Each record is a separate gzip member. So
//! a record can be read by its offset, and damage to one record does not affect the others.
//!
//! | file | question |
//! |---|---|
//! | [`header`] | What are the named fields of a record? |
//! | [`digest`] | Are two payloads the same, and is a payload intact? |
//! | [`http`] | What are the status, the headers and the body of a response? |
//! | [`payload`] | What is the body without its transfer and content codings? |
//! | [`write`](mod@write) | How do a response and its request become records? |
//! | [`files`] | Which file is appended to, which part is on disk, when does the next file begin? |
//! | [`spool`] | How is a file built in memory and then stored as a whole? |
//! | [`record`] | How are records and unreadable parts of a file represented? |
//! | [`read`] | What do files contain, of any writer, intact or damaged? |
//! | `zst` | How are `.warc.zst` files decoded, with their dictionary? |
//! | `scan` | Where is the next record after damage? |
//! | [`cdx`] | Which records does an index list? |
//!
//! Writes `warcinfo`, `response`, `revisit` and `request` records. Interprets `response` and `revisit`
//! records of any writer; returns other records uninterpreted.
//!
//! Limitation: bodies are stored after content decoding, as the HTTP library returns them. As in other
//! crawlers, headers that no longer apply get the prefix `X-Crawler-`, and `Content-Length` is the length of
//! the stored body.

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
pub use write::{Capture, Digests, Revisit};
