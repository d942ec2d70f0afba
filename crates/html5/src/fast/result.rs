//! The result of the fast builder: a tree, or why the reference must build it.

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
