//! Builds the tree of an HTML page as the HTML standard defines it.
//!
//! [`Tree::parse`] takes a text and returns its tree. Two builders build equal trees: `fast` builds nearly every page
//! in one pass over its bytes. If it is not certain, `reference` (scraper on html5ever) builds the tree. The test
//! `tests/fast_builder.rs` and the fuzz target of the same name compare the two.
//!
//! ```
//! use gleaner_html5::Tree;
//!
//! let tree = Tree::parse("<p>The <b>rain</b> ended.");
//! let p = tree.elements("p").next().unwrap();
//! assert_eq!(tree.raw_text(p), "The rain ended.");
//! ```
//!
//! | module | content |
//! |---|---|
//! | `tree` | the tree, as a flat list of nodes |
//! | `parse` | the choice between the two builders |
//! | `partial` | trees without the content of unwanted elements |
//! | [`element_kinds`] | which elements are unwanted |
//! | [`tags`] | what the name of an element says about its text |
//! | [`tag_state`] | where a tag ends |
//! | `fast` | the fast builder |
//! | `reference` | html5ever, within a budget of time and memory |
//! | `attribute_flood` | tags with so many attributes that html5ever would take minutes |
//!
//! The crate does no I/O, and parsing cannot fail: broken HTML is not an error.

mod attribute_flood;
pub mod element_kinds;
mod fast;
mod parse;
mod partial;
mod reference;
pub mod tag_state;
pub mod tags;
mod tree;

pub use partial::PartialTree;
pub use tree::{Node, NodeId, NodeKind, Tree};
