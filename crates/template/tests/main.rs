//! The integration tests of page judgement and templates.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it skips"
)]

mod detection;
mod kinds;
mod recorded;
