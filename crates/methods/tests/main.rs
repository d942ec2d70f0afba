//! Tests of the papers' methods on whole pages.

mod bte_limits;
mod phrases;
mod searches;
mod site_limits;
