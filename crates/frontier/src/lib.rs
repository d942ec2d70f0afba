//! Identifies URLs, discovers them in seeds, sitemaps, feeds and links, and checks whether they are in scope.
//!
//! A [`CanonicalUrl`] can only be created by parsing, so each page has only one spelling of its URL. The
//! store identifies the URL by its [`UrlKey`]. [`parse_seeds`] returns the seeds. [`sitemap::read`],
//! [`feed::read`] and [`links::judge`] return each accepted URL as a [`Found`] with its expected [`Role`],
//! and count the others by [`Refusal`]. [`sniff`] detects the actual type of a body.
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
mod percent;
mod refusal;
mod rhythm;
mod rules;
mod scope;
mod seeds;
mod shape;
pub mod sitemap;
mod sniff;
mod tracking;
mod xml;

pub use body::{Flaw, Limits};
pub use canonical::{CanonicalUrl, PUBLIC_SUFFIX_LIST};
pub use found::{Discovered, Found, Role};
pub use judged::JudgedLinks;
pub use key::{BadKey, UrlKey, partition_of};
pub use links::{looks_like_article, looks_like_section, page_number};
pub use outcome::{Class, Outcome};
pub use refusal::Refusal;
pub use rhythm::{Rhythm, Sight, digest_of};
pub use rules::{BadPattern, SiteLimits, SiteRules};
pub use scope::Scope;
pub use seeds::{COMMAND_LINE, Seed, SeedError, parse_seed, parse_seeds};
pub use sniff::{Body, sniff};
