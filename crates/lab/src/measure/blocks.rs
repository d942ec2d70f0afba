//! Computes the block measure: precision and recall of content blocks.
//!
//! The measure is from FastContentExtractor, IV.B.1. Recall is the number of extracted content blocks divided
//! by the number of actual content blocks. Precision is the number of extracted content blocks divided by the
//! number of extracted blocks. The paper does not define when two blocks are equal. Our interpretation: a
//! block is a line of text with at least one word. A block is found in the other text if more than half of
//! its pairs of adjacent words occur there. Single words are not used, because they occur everywhere. A block
//! of one word is found if the other text has the same block. A block may be found anywhere in the other
//! text, because methods split paragraphs differently from the gold text.
//!
//! Limitation: a line that is extracted twice counts twice. Short blocks count as much as long blocks.

use std::collections::HashSet;

use super::Ratios;
use super::words::{normal, words};

/// Returns block precision, recall and F of an extracted text. Each line is a block.
#[must_use]
pub fn ratios(extracted: &str, gold: &str) -> Ratios {
    let (extracted, gold) = (normal(extracted), normal(gold));
    let (extracted, gold) = (Blocks::from_text(&extracted), Blocks::from_text(&gold));
    Ratios::new(extracted.share_in(&gold), gold.share_in(&extracted))
}

pub(crate) struct Blocks<'a> {
    blocks: Vec<Vec<&'a str>>,
    pairs: HashSet<(&'a str, &'a str)>,
    single: HashSet<&'a str>,
}

impl<'a> Blocks<'a> {
    /// Splits a text into blocks. The text must be normalized by [`super::words::normal`].
    pub(crate) fn from_text(text: &'a str) -> Self {
        let blocks: Vec<Vec<&str>> =
            text.lines().map(|line| words(line).collect::<Vec<_>>()).filter(|b| !b.is_empty()).collect();
        let all: Vec<&str> = blocks.iter().flatten().copied().collect();
        let pairs = all.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let single = blocks.iter().filter(|block| block.len() == 1).map(|block| block[0]).collect();
        Self { blocks, pairs, single }
    }

    fn share_in(&self, other: &Self) -> f64 {
        let found = self.blocks.iter().filter(|block| other.has(block)).count();
        super::share(found as u64, self.blocks.len() as u64)
    }

    /// Whether this text contains a block of the other text. `block` is the list of words of the block.
    /// Returns `false` if the list is empty.
    pub(crate) fn has(&self, block: &[&str]) -> bool {
        if let [word] = block {
            return self.single.contains(word);
        }
        let pairs = block.windows(2);
        let all = pairs.len();
        pairs.filter(|pair| self.pairs.contains(&(pair[0], pair[1]))).count() * 2 > all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_more_than_half_of_their_pairs() {
        let gold = "Rain fell on the village all day.\nThe river rose by a metre before dark.";
        let cases = [
            (gold, 1.0, 1.0),
            ("", 0.0, 0.0),
            ("Rain fell on the village all day.", 1.0, 0.5),
            ("Home News Sport\nRain fell on the village all day.", 0.5, 0.5),
            // The lines end at other places than in the gold text.
            ("Rain fell on\nthe village all day.\nThe river rose\nby a metre before dark.", 1.0, 1.0),
            ("Rain fell on the village all day. The river rose by a metre before dark.", 1.0, 1.0),
            // Single words are not enough.
            ("the a by on all day before rain", 0.0, 0.0),
        ];
        for (extracted, precision, recall) in cases {
            let ratios = ratios(extracted, gold);
            assert_eq!((ratios.precision, ratios.recall), (precision, recall), "{extracted}");
        }
    }

    #[test]
    fn a_block_without_words_is_nowhere() {
        assert!(!Blocks::from_text("").has(&[]) && !Blocks::from_text("The cat sat.").has(&[]));
    }

    #[test]
    fn a_block_of_one_word_must_be_a_block() {
        assert_eq!(ratios("More\nThe cat sat.", "Read more here.\nThe cat sat.").precision, 0.5);
        assert_eq!(ratios("Rain!\n * ", "rain").f1, 1.0);
    }
}
