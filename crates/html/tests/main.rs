//! Integration tests of pages, links, metadata and lines.

mod any_page;
mod hostile_metadata;
