//! Implements step 3: measures the features of a block.

use std::collections::HashSet;
use std::ops::Range;

use crate::methods::source_lines::SourceLines;
use gleaner_html::words::words;

/// The three features of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// TTR, equation 1: characters of text per tag, or the number of characters if the block has no tag.
    pub text_to_tag: f64,
    /// ATTR, equation 2: the share of the text that is in links, from 0 to 1.
    pub anchor_text: f64,
    /// TKD: the number of words in the block that occur in the title. Repeated words count each time.
    pub title_keywords: f64,
}

pub(super) fn features(lines: &SourceLines, blocks: &[Range<usize>]) -> Vec<Features> {
    let keywords: HashSet<String> = words(lines.title()).map(str::to_lowercase).collect();
    blocks.iter().map(|block| of_block(lines, block, &keywords)).collect()
}

fn of_block(lines: &SourceLines, block: &Range<usize>, keywords: &HashSet<String>) -> Features {
    let (mut length, mut tags, mut anchor, mut title_keywords) = (0, 0, 0, 0);
    for line in lines.iter().skip(block.start).take(block.len()) {
        length += line.length;
        tags += line.tags;
        anchor += line.anchor_length;
        let is_keyword = |word: &&str| keywords.contains(&word.to_lowercase());
        title_keywords += words(lines.text(line)).filter(is_keyword).count();
    }
    Features {
        text_to_tag: length as f64 / tags.max(1) as f64,
        anchor_text: anchor as f64 / length.max(1) as f64,
        title_keywords: title_keywords as f64,
    }
}
