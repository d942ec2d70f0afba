//! Integration tests of pages, links, metadata and lines.

mod any_page;
mod fast_builder;
mod hostile_metadata;
