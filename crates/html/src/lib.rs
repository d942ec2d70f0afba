//! Decodes and parses a page, and reads its links, metadata and lines of text.
//!
//! A page goes through these steps: [`decode`] converts bytes to text, [`Page::parse`] builds a tree,
//! [`links`] and [`metadata`] read the tree, and [`text`] converts selected parts of the tree to lines.
//! [`source`] is for methods that read the source without a tree.
//!
//! The crate does no I/O, uses no clock and has no async functions. No function returns a `Result`, because
//! broken HTML is not an error. A page that would take more than about a second to parse is cut (see
//! [`Tree::truncated`]).
//!
//! ```
//! use gleaner_html::{Page, decode, metadata, text};
//!
//! let bytes = "<title>Rain ends - Paper</title><h1>Rain ends</h1><p>The <b>rain</b> ended.";
//! let decoded = decode::decode(bytes.as_bytes(), Some("text/html"));
//! let page = Page::parse(&decoded.text);
//! assert_eq!(metadata::metadata(&page).title.as_deref(), Some("Rain ends"));
//! assert_eq!(text::plain(&text::lines(&page, 0, |_| true)), "Rain ends\nThe rain ended.");
//! ```

pub mod date;
pub mod decode;
pub mod embedded;
pub mod links;
pub mod metadata;
pub mod robots;
pub mod source;
pub mod text;
pub mod usage;
pub mod words;

mod author;
mod canonical;
mod class_words;
mod declared;
mod entities;
mod json_ld;
mod meta;
mod microdata;
mod month_names;
mod page;
mod printed_date;
mod small_text;
mod title;
mod weekdays;

pub use gleaner_html5::{Node, NodeId, NodeKind, Tree, element_kinds};
pub use page::{Page, PartialPage};
