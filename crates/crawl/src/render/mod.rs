//! Renders HTML pages, SVG charts, numbers, times and sizes for people.
//!
//! | module | content |
//! |---|---|
//! | [`language`] | selects Vietnamese or English texts |
//! | [`page`] | renders HTML pages with the shared style, tables and facts |
//! | [`svg`] | renders scales, axes, lines and bars of charts |
//! | [`text`] | formats numbers, counted nouns, sizes, durations and times |
//! | [`visible`] | makes control characters in texts from outside visible |
//!
//! maud escapes every text. This module does no input or output, and reads no clock.

pub mod language;
pub mod page;
pub mod svg;
pub mod text;
pub mod visible;
