//! What requests, archives and storage share of HTTP.
//!
//! [`coding`] decodes the bodies of responses and tells whether they are complete. [`retry`] computes the pauses
//! between attempts, and waits for a free file descriptor.

pub mod coding;
pub mod retry;
