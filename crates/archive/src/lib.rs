//! What was fetched, kept as WARC files and read again.
//!
//! The format is WARC 1.1 (ISO 28500:2017): records behind each other, each a gzip
//! member of its own, so that any of them can be read by its offset, and a damaged one
//! costs no other.
//!
//! | file | question |
//! |---|---|
//! | [`header`] | Which named fields does a record have? |
//! | [`digest`] | Are two payloads the same, and is one as it was written? |
//! | [`http`] | What did the server answer: status, headers, and where the body begins? |
//! | [`payload`] | What is the body without its transfer and content codings? |
//! | [`write`](mod@write) | How do one answer and its request become records? |
//! | [`files`] | Into which file, how far is it on disk, when does the next one begin? |
//! | [`spool`] | How does a file grow in memory, to be put away as a whole? |
//! | [`record`] | What is a record, or a part of a file that cannot be read? |
//! | [`read`] | What do the files hold, ours or others', sound or damaged? |
//! | `zst` | How are `.warc.zst` files unpacked, with their dictionary? |
//! | `scan` | Where does the next record begin behind a damage? |
//! | [`cdx`] | Which records does an index name? |
//!
//! Written are `warcinfo`, `response`, `revisit` and `request` records. Read are `response`
//! and `revisit` records of any writer; others are passed on to the caller.
//!
//! Limitation: bodies are kept after content decoding, since that is what the HTTP
//! library hands on. As other crawlers do, the headers that no longer hold are kept under
//! `X-Crawler-` names, and `Content-Length` is that of the body as kept.

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
