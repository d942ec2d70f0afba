//! Builds a page in one pass over its bytes. Nearly all pages can be built in this way.
//!
//! html5ever with scraper parses 40 to 60 MB/s: each token costs some allocations, each name costs a keyed
//! hash, and each node takes 160 bytes in a linked tree. This tree must then be copied. In this module, a
//! scanner with a stack of open elements writes directly into the page's flat list. Elements are only
//! appended in document order, and one backward pass computes the ranges of subtrees. Texts and values are
//! ranges of the source.
//!
//! [`Builder`] follows the HTML standard's tree construction (13.2.6) as html5ever implements it. Each group
//! of insertion modes has a module: `head` (all modes up to the body), `body`, `table`, and `foreign` (SVG
//! and MathML). [`Formatting`] is reconstructed as in the standard, and `adoption` moves blocks that remain
//! open when a formatting element ends. Foster parenting (inserting content before an open table) is not
//! supported. In this case, and for rare cases such as NUL, frames and `<plaintext>`, the builder gives up
//! with a [`FallbackReason`], and the reference ([`Tree::parse_reference`](crate::Tree::parse_reference))
//! parses the page.
//!
//! Limitation: the result must equal the result of one version of html5ever, including its deviations from
//! the standard. Two tests compare the two results, on recorded pages and on random markup, and so does
//! fuzzing. Repeat all three after an update of html5ever. If the builder gives up near the end of a page,
//! nearly the whole page is read twice. The builder also gives up on pages that might exceed the reference's
//! budget.

mod adoption;
mod arena;
mod attributes;
mod body;
mod body_end;
mod builder;
mod doctype;
mod flood;
mod foreign;
mod foreign_names;
mod formatting;
mod head;
mod leave_out;
mod names;
mod nesting;
mod references;
mod result;
mod scanner;
mod source;
mod stack;
mod table;
mod tag;
mod text;

#[cfg(doc)]
use {builder::Builder, formatting::Formatting};

pub(crate) use builder::build;
pub(crate) use leave_out::is_json_ld;
pub(crate) use result::{BuildResult, FallbackReason, LeftOut};
