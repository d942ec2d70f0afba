//! Names lines that are not body text, and includes some of them on request.
//!
//! | file | content |
//! |---|---|
//! | [`class`] | the class of each line: body text, caption, comment |
//! | `context` | what the lines and images around a line show about it |
//! | [`inserts`] | captions, credits, by-lines and "read more" lines that are included on request |
//! | `extras` | comments, captions and links, kept in addition to the text |
//! | `own_words` | credits, by-lines and labels that a line's own words show |

pub mod class;
pub(crate) mod context;
pub(crate) mod extras;
pub mod inserts;
pub(crate) mod own_words;
