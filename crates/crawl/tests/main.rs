//! Integration tests of the crawl. They run in this process, against sites on loopback.

#![expect(clippy::unwrap_used, unreachable_pub, reason = "a test fails by panicking, and says what it skips")]

mod bad_nights;
mod budgets;
mod cookies;
mod excluded;
mod findings;
mod histories;
mod month;
mod outcomes;
mod pins;
mod politeness;
mod published_methods;
mod redesign;
mod report_folder;
mod retries;
mod revisits;
mod simulated;
mod site;
mod timetable;
mod too_few;
mod usage_preferences;
