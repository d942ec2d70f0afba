//! Implements step 2: joins adjacent lines with text into blocks.

use std::ops::Range;

use crate::methods::source_lines::SourceLines;

/// Returns the blocks of a page as ranges of lines, in order. The first and the last line of a block have
/// text. Lines between them may have none.
pub(super) fn blocks(lines: &SourceLines, distance: usize) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for (number, _) in lines.iter().enumerate().filter(|(_, line)| line.length > 0) {
        match blocks.last_mut() {
            Some(block) if number - (block.end - 1) <= distance => block.end = number + 1,
            _ => blocks.push(number..number + 1),
        }
    }
    blocks
}
