//! Text-To-Tag Ratio: lines of source with much text and few tags.
