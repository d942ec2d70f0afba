//! Identifies URLs, discovers them in seeds, sitemaps, feeds and links, and checks whether they are in scope.
//!
//! A [`CanonicalUrl`] can only be created by parsing, so each page has only one spelling of its URL. The
//! store identifies the URL by its [`UrlKey`]. [`parse_seeds`] returns the seeds. [`sitemap::read`],
//! [`feed::read`] and [`links::judge`] return each accepted URL as a [`FoundUrl`] with its expected [`Role`],
//! and count the refused URLs by [`UrlRefusal`]. [`sniff`] detects the actual type of a body.
//!
//! The crate has no IO, no clock and no async code. The store contains the queue and decides the order of
//! fetching. The fetch crate handles robots.txt.

mod body;
mod canonical;
mod dates;
pub mod feed;
mod found;
mod host;
mod judged;
mod key;
pub mod links;
mod outcome;
mod paging;
mod pattern;
mod percent;
mod refusal;
mod removed;
mod retry_rule;
mod revisit_schedule;
mod rules;
mod scope;
mod seeds;
mod shape;
pub mod sitemap;
mod sniff;
mod tracking;
mod xml;

pub use body::{IncompleteReason, ReadLimits};
pub use canonical::{CanonicalUrl, PUBLIC_SUFFIX_LIST};
pub use found::{DiscoveredUrls, FoundUrl, Role};
pub use judged::LinkCache;
pub use key::{UrlKey, UrlKeyError, partition_of};
pub use links::{looks_like_article, looks_like_section, page_number};
pub use outcome::{Outcome, OutcomeClass};
pub use refusal::UrlRefusal;
pub use removed::{REMOVED, RemovedUrls};
pub use retry_rule::{RetryRule, TOO_MANY_REDIRECTS, waits_for_list};
pub use revisit_schedule::{ListChange, RevisitSchedule, digest_of};
pub use rules::{PatternError, SiteLimits, SiteRules};
pub use scope::Scope;
pub use seeds::{COMMAND_LINE, Seed, SeedError, parse_address, parse_seed, parse_seeds};
pub use sniff::{BodyType, sniff};
