//! Where a tag ends: the tokenizer's states inside a tag, by the names that the HTML
//! standard gives them, as far as the end of the tag depends on them.
//!
//! A `>` in a quoted value ends nothing, and a quote is one only behind `=`. Self-closing
//! and duplicate attributes make no difference here.

/// Where a scan stands inside a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Unquoted,
    Double,
    Single,
}

use State::{AfterName, BeforeName, BeforeValue, Double, Name, Single, TagName, Unquoted};

impl State {
    /// The state behind a byte, or `None` where the tag ends.
    pub(crate) const fn after(self, byte: u8) -> Option<Self> {
        let space = byte.is_ascii_whitespace();
        Some(match (self, byte) {
            (Double, b'"') | (Single, b'\'') => BeforeName,
            (Double | Single, _) => self,
            (_, b'>') => return None,
            (BeforeValue, b'"') => Double,
            (BeforeValue, b'\'') => Single,
            (BeforeValue, _) => {
                if space {
                    self
                } else {
                    Unquoted
                }
            }
            (Unquoted, _) => {
                if space {
                    BeforeName
                } else {
                    self
                }
            }
            (_, b'/') => BeforeName,
            (Name | AfterName, b'=') => BeforeValue,
            (Name | AfterName, _) if space => AfterName,
            (TagName | BeforeName, _) if space => BeforeName,
            (TagName, _) => self,
            (BeforeName | Name | AfterName, _) => Name,
        })
    }
}
