//! Contains code that the crawling commands share: the daemon, its console and the reporting of a run.

pub(crate) mod console;
pub(crate) mod daemon;
pub(crate) mod notification;
pub(crate) mod run_report;
