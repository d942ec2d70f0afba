//! Object storage: the same calls over a folder and an S3 server, its faults, and TLS.

#![allow(clippy::allow_attributes, clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod suite;
mod tls;
