//! Tests of the papers' methods on whole pages.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bte_limits;
mod phrases;
mod searches;
mod site_limits;
