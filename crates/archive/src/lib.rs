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
//! | [`write`](mod@write) | How does one answer become a record? |
//! | [`files`] | Into which file, how far is it on disk, when does the next one begin? |
//! | [`spool`] | How does a file grow in memory, to be put away as a whole? |
//! | [`read`] | What do the files hold, ours or others', sound or damaged? |
//! | [`cdx`] | Which records does an index name? |
//!
//! Written are `warcinfo`, `response` and `revisit` records. Read are `response` and
//! `revisit` records of any writer; others are passed on for whoever wants them.
//!
//! The awkward truth: bodies are kept after content decoding, since that is what the HTTP
//! library hands on. As other crawlers do, the headers that no longer hold are kept under
//! `X-Crawler-` names, and `Content-Length` is that of the body as kept.

pub mod cdx;
pub mod digest;
pub mod files;
pub mod header;
pub mod http;
pub mod payload;
pub mod read;
#[cfg(test)]
mod samples;
pub mod spool;
pub mod write;

pub use digest::Digest;
pub use files::{Archive, ArchiveError, Place};
pub use header::Header;
pub use http::HttpMessage;
pub use read::{Damage, Item, Reader, Record};
pub use spool::Spool;
pub use write::{Capture, Revisit};
