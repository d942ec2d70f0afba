//! Implements Algorithm 1: computes the text-to-tag ratio of each line.

use crate::methods::source_lines::SourceLines;

/// Returns `TTRArray`: for each line, the number of characters per tag. For a line without a tag, the value
/// is the number of characters. Values are finite and at least 0.
pub(super) fn array(lines: &SourceLines) -> Vec<f64> {
    lines.iter().map(|line| line.length as f64 / line.tags.max(1) as f64).collect()
}
