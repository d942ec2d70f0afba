//! Which URL is one, where it was found, whether it is in scope.
//!
//! A [`CanonicalUrl`] can only be made by parsing and so is the one spelling of
//! its page; its [`UrlKey`] is what the store keeps it under. URLs come from
//! [`parse_seeds`], [`sitemap::read`], [`feed::read`] and [`links::judge`], each
//! as a [`Found`] with the [`Role`] that is expected behind it, and what is left
//! out is counted by its [`Refusal`]. [`sniff`] says what a body really is.
//!
//! No IO, no clock, no async: bytes and text in, URLs out. What is due and in
//! which order it is fetched is decided elsewhere (the queue lives in the store);
//! robots.txt belongs to the fetch crate.

mod body;
mod canonical;
mod dates;
pub mod feed;
mod found;
mod host;
mod key;
pub mod links;
mod outcome;
mod paging;
mod percent;
mod refusal;
mod rhythm;
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
pub use key::{BadKey, UrlKey, partition_of};
pub use links::{looks_like_article, looks_like_section, page_number};
pub use outcome::{Class, Outcome};
pub use refusal::Refusal;
pub use rhythm::{Rhythm, Sight, digest_of};
pub use scope::Scope;
pub use seeds::{Seed, SeedError, parse_seeds};
pub use sniff::{Body, sniff};
