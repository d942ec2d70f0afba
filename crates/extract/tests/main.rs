//! The integration tests: page judgement, templates, and the interface for other programs.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it skips"
)]

mod detection;
mod interface;
mod kinds;
mod phrases;
mod recorded;
mod searches;
mod site_limits;
