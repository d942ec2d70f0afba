//! Bytes to text, text to a page, a page to links, metadata and paragraphs.
//!
//! No IO, no clock, nothing async and no `Result`: broken HTML is not an error.

mod attribute_flood;
pub mod decode;
mod page;
pub mod text;
mod tree;

pub use page::{Kind, Node, NodeId, Page};
