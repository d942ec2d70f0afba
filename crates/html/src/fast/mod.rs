//! A page built in one pass over its bytes, for the pages (nearly all) on which that can
//! be done with certainty.
//!
//! html5ever with scraper reads 40 to 60 MB/s: a token is some allocations, a name a keyed
//! hash, a node 160 bytes in a linked tree that is then copied. Here a scanner and a stack
//! of open elements write straight into the page's flat list: elements are only ever added
//! behind what is there, so document order is the order of writing, and a subtree's range
//! follows from the parents in one pass backward. Texts and values are ranges of the source.
//!
//! [`Builder`] follows the HTML standard's tree construction (13.2.6) insertion mode by
//! insertion mode, as html5ever reads it: `head` before and around the head, `body`,
//! `table`, `foreign` for SVG and MathML; [`Formatting`] is reconstructed as the standard
//! says, and `adoption` moves the blocks that outlive a formatting element. What this design
//! cannot do is put content in front of a table that is open (foster parenting). There, and
//! for some rarities (NUL, frames, `<plaintext>`), the builder gives up and names the
//! reason, an [`Unsure`]; the page is parsed anew by the reference ([`Page::parse_reference`](crate::Page::parse_reference)).
//!
//! Limitation: "certain" is a claim about html5ever's behaviour, with its deviations
//! from the standard, and holds for the version it was read from. What holds it is the
//! comparison with the reference on recorded pages, on generated soup and by fuzzing; an
//! update of html5ever must be followed by all three. A page that gives up at its end costs
//! its fast pass on top. The budget of the reference is kept as a bound: a page that might
//! exceed it is left to the reference, which decides.

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

use crate::page::{NodeId, Parts};

/// What became of a page.
pub(crate) enum Built {
    /// The page that the reference would build, but for what was left out; and the
    /// elements of which that was asked.
    Sure(Parts, Vec<NodeId>),
    /// Nothing: the reference has to build it.
    Unsure(Unsure),
}

/// Why a page is left to the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsure {
    /// An element that does not belong in a table stands in one.
    Foster,
    /// Text stands in a table outside its cells.
    TableText,
    /// A NUL or a byte order mark inside.
    RareCharacter,
    /// Frames.
    Frameset,
    /// `<plaintext>`, or a reference as the first thing in `<pre>`.
    RareElement,
    /// `<annotation-xml>` in a formula.
    Annotation,
    /// A table in a paragraph under a document type that is not known.
    Quirks,
    /// What might have to be left out has got another parent.
    Moved,
    /// The page may cost more than the reference allows, or a tag has hundreds of attributes.
    Costly,
}

impl Unsure {
    /// A name for counting.
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
