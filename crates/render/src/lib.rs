//! Renders HTML pages, SVG charts, numbers, times and sizes for people.
//!
//! | module | content |
//! |---|---|
//! | [`page`] | the frame of an HTML page, the shared style, tables and facts |
//! | [`svg`] | scales, axes, lines and bars of charts |
//! | [`text`] | numbers, counted nouns, sizes, durations and times |
//!
//! maud escapes every text. This crate does no I/O and does not read the clock.

pub mod page;
pub mod svg;
pub mod text;
