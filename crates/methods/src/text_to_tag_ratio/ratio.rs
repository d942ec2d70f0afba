//! Algorithm 1: the text-to-tag ratio of each line.

use crate::source_lines::SourceLines;

/// `TTRArray`: characters per tag for each line of source; if a line has no tag, its characters. Every value
/// is finite and at least 0.
pub(super) fn array(lines: &SourceLines) -> Vec<f64> {
    lines.iter().map(|line| line.length as f64 / line.tags.max(1) as f64).collect()
}
