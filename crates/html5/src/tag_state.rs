//! Finds where a tag ends. Of the tokenizer states in the HTML standard, only those that affect the end are
//! used. A `>` in a quoted value does not end the tag, and a quote has a meaning only after `=`. Self-closing
//! tags and duplicate attributes need no state.

/// A state of the tokenizer within a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// In the name of the tag.
    TagName,
    /// Before the name of an attribute.
    BeforeName,
    /// In the name of an attribute.
    Name,
    /// After the name of an attribute.
    AfterName,
    /// Before the value of an attribute.
    BeforeValue,
    /// In a value without quotes.
    Unquoted,
    /// In a value in double quotes.
    Double,
    /// In a value in single quotes.
    Single,
}

use State::{AfterName, BeforeName, BeforeValue, Double, Name, Single, TagName, Unquoted};

impl State {
    /// Returns the state after a byte, or `None` if the byte ends the tag.
    #[must_use]
    #[inline]
    pub const fn after(self, byte: u8) -> Option<Self> {
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
