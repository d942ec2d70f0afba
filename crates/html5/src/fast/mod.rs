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

use crate::tree::{NodeId, Parts};

pub(crate) enum BuildResult {
    /// The page, and its elements of the skipped kinds. Except for skipped content, the reference builds the
    /// same page.
    Sure(Parts, LeftOut),
    /// The reference must build the page.
    Unsure(FallbackReason),
}

/// The elements of the kinds that should be skipped.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    pub(crate) found: Vec<NodeId>,
    /// Whether the content of one of them was skipped.
    pub(crate) has_skipped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FallbackReason {
    /// An element that is not allowed at its position in a table.
    Foster,
    /// Text in a table outside its cells.
    TableText,
    /// A NUL or a byte order mark in the text, or an incomplete `</` or CDATA section at the page's end.
    RareCharacter,
    Frameset,
    /// `<plaintext>`, or a character reference at the start of `<pre>`.
    RareElement,
    /// `<annotation-xml>` in a formula.
    Annotation,
    /// A table in a paragraph under an unknown document type.
    Quirks,
    /// The parent of an element that might be skipped has changed.
    Moved,
    /// The page may exceed the reference's budget, or has a tag with hundreds of attributes.
    Costly,
}

impl FallbackReason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Foster => "element in a table",
            Self::TableText => "text in a table",
            Self::RareCharacter => "NUL or byte order mark",
            Self::Frameset => "frameset",
            Self::RareElement => "rare element",
            Self::Annotation => "annotation-xml",
            Self::Moved => "moved element",
            Self::Quirks => "table in a paragraph",
            Self::Costly => "costly",
        }
    }
}
