//! Algorithm 1: the text-to-tag ratio of each line.

use crate::source_lines::SourceLines;

/// Returns `TTRArray`: for each line, its number of characters per tag. Without tags, its number of
/// characters. Every value is finite and at least 0.
pub(super) fn array(lines: &SourceLines) -> Vec<f64> {
    lines.iter().map(|line| line.length as f64 / line.tags.max(1) as f64).collect()
}
