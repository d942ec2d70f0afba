//! What `gleaner crawl` and `gleaner schedule` have in common: the daemon in which nights
//! happen, one night, and what is said about it.

pub(crate) mod console;
pub(crate) mod daemon;
pub(crate) mod notify;
pub(crate) mod reporting;
