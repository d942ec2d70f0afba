//! Renders what people read: HTML pages, SVG charts, numbers, times and sizes.
//!
//! | module | content |
//! |---|---|
//! | [`page`] | the frame of an HTML page, the shared style, tables and facts |
//! | [`svg`] | scales, axes, lines and bars of charts |
//! | [`text`] | numbers, counted nouns, sizes, durations and times |
//!
//! maud escapes every text. This crate does no IO and reads no clock.

pub mod page;
pub mod svg;
pub mod text;
