//! Computes the pauses between attempts, and waits for a free file descriptor.

mod backoff;
mod files;

pub use backoff::Backoff;
pub use files::{is_out_of_files, wait_for_descriptor};
