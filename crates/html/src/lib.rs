//! Bytes to text, text to a page, a page to links, metadata and paragraphs.
//!
//! No IO, no clock, nothing async and no `Result`: broken HTML is not an error.

mod attribute_flood;
pub mod date;
pub mod decode;
mod json_ld;
pub mod links;
pub mod metadata;
mod page;
pub mod text;
mod title;
mod tree;

pub use page::{Kind, Node, NodeId, Page};
