//! The integration tests: the program `gleaner-lab`, and the papers' methods on whole pages.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bte_limits;
mod eval;
