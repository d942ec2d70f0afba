//! Labels the blocks of a page with the help of its gold text.
//!
//! The label of a block with at least five words depends on how many of its word trigrams occur in the gold
//! text. A shorter block must equal a line of the gold text, or follow the words before it or precede the words
//! after it as in the gold text, which often writes a row of a table as one line. A trigram or line can be
//! matched only as often as it occurs in the gold text. Blocks that are surrounded by body text are matched first. Otherwise, a
//! list of related articles that repeats a sentence of the article could be matched first, and the sentence's
//! block in the article would get the wrong label.

use std::collections::HashMap;

use gleaner_html::words::words;

/// A block with fewer words must equal a line of the gold text.
const SHORT: usize = 5;

/// The number of blocks on each side that determine whether a block is surrounded by body text.
const AROUND: usize = 6;

/// Returns the share of body text in each block, from 0 to 1.
#[must_use]
pub fn labels(blocks: &[&str], gold: &str) -> Vec<f32> {
    let blocks: Vec<Vec<String>> = blocks.iter().map(|text| lower(text)).collect();
    let all = GoldWords::from_gold(gold);
    let alone: Vec<f32> = (0..blocks.len()).map(|at| all.share(&blocks, at)).collect();
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    let rank: Vec<f32> = (0..blocks.len()).map(|at| among_content(at, &blocks, &alone)).collect();
    order.sort_by(|a, b| rank[*b].total_cmp(&rank[*a]).then(a.cmp(b)));
    let mut supply = all;
    let mut labels = vec![0.0; blocks.len()];
    for at in order {
        labels[at] = certain(supply.take(&blocks, at));
    }
    labels
}

fn among_content(at: usize, blocks: &[Vec<String>], shares: &[f32]) -> f32 {
    let near = at.saturating_sub(AROUND)..(at + AROUND + 1).min(blocks.len());
    let (mut content, mut all) = (0.0, 0.0);
    for other in near {
        let size = blocks[other].len() as f32;
        content += shares[other] * size;
        all += size;
    }
    content / f32::max(all, 1.0)
}

/// Maps shares up to 0.25 to 0, because they occur by chance. Maps shares from 0.75 to 1, because only
/// differences in splitting into words make them lower than 1.
fn certain(share: f32) -> f32 {
    ((share - 0.25) / 0.5).clamp(0.0, 1.0)
}

fn lower(text: &str) -> Vec<String> {
    words(text).map(str::to_lowercase).collect()
}

struct GoldWords {
    trigrams: HashMap<[String; 3], u32>,
    lines: HashMap<Vec<String>, u32>,
    /// The trigrams inside lines, for short blocks that continue a line and for those that a line continues.
    inside: [HashMap<[String; 3], u32>; 2],
}

impl GoldWords {
    fn from_gold(gold: &str) -> Self {
        let mut supply = Self { trigrams: HashMap::new(), lines: HashMap::new(), inside: Default::default() };
        for trigram in trigrams(&lower(gold)) {
            *supply.trigrams.entry(trigram).or_default() += 1;
        }
        for line in gold.lines().map(lower) {
            for trigram in trigrams(&line) {
                *supply.inside[0].entry(trigram).or_default() += 1;
            }
            *supply.lines.entry(line).or_default() += 1;
        }
        supply.inside[1] = supply.inside[0].clone();
        supply
    }

    fn share(&self, blocks: &[Vec<String>], at: usize) -> f32 {
        let words = &blocks[at];
        if words.len() < SHORT {
            let continues = |(joined, inside): (&Vec<String>, &HashMap<[String; 3], u32>)| {
                joined.len() == words.len() + 2 && trigrams(joined).all(|three| inside.contains_key(&three))
            };
            let is_found =
                self.lines.contains_key(words) || joined(blocks, at).iter().zip(&self.inside).any(continues);
            return if is_found { 1.0 } else { 0.0 };
        }
        let found = trigrams(words).filter(|three| self.trigrams.contains_key(three)).count();
        found as f32 / (words.len() - 2) as f32
    }

    fn take(&mut self, blocks: &[Vec<String>], at: usize) -> f32 {
        let words = &blocks[at];
        if words.len() < SHORT {
            let take_all = |joined: &Vec<String>, inside: &mut HashMap<[String; 3], u32>| {
                let all = words.len();
                joined.len() == all + 2 && trigrams(joined).filter(|three| take(inside, three)).count() == all
            };
            let take_inside = |inside: &mut [HashMap<[String; 3], u32>; 2]| {
                let [before, behind] = &joined(blocks, at);
                let taken = [take_all(before, &mut inside[0]), take_all(behind, &mut inside[1])];
                taken.contains(&true)
            };
            let is_taken = take(&mut self.lines, words) || take_inside(&mut self.inside);
            return if is_taken { 1.0 } else { 0.0 };
        }
        let found = trigrams(words).filter(|three| take(&mut self.trigrams, three)).count();
        found as f32 / (words.len() - 2) as f32
    }
}

/// Returns the words of a block, once behind the two words before it and once before the two words behind it.
fn joined(blocks: &[Vec<String>], at: usize) -> [Vec<String>; 2] {
    let mut before: Vec<String> =
        blocks[..at].iter().rev().flat_map(|words| words.iter().rev()).take(2).cloned().collect();
    before.reverse();
    before.extend_from_slice(&blocks[at]);
    let behind = blocks[at + 1..].iter().flatten().take(2);
    [before, blocks[at].iter().chain(behind).cloned().collect()]
}

fn take<K: std::hash::Hash + Eq>(from: &mut HashMap<K, u32>, key: &K) -> bool {
    match from.get_mut(key) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}

fn trigrams(words: &[String]) -> impl Iterator<Item = [String; 3]> + '_ {
    words.windows(3).map(|three| [three[0].clone(), three[1].clone(), three[2].clone()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_content_by_what_the_gold_holds() {
        let gold = "The rain fell on the valley.\nFloods\nThe river rose above the bridge.";
        let blocks = [
            "Sport today",
            "The rain fell on the valley.",
            "Floods",
            "The river rose above the bridge.",
            "Share this story with your friends on the web",
        ];
        assert_eq!(labels(&blocks, gold), [0.0, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn cells_are_content_if_a_line_holds_their_row() {
        let gold = "Votes were counted twice.\nNorth side 412 51\nSouth side 96 of 100";
        let blocks = [
            "Votes were counted twice.",
            "North side",
            "412",
            "51",
            "South side",
            "96 of",
            "100",
            "Menu",
            "412",
        ];
        assert_eq!(labels(&blocks, gold), [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_repeated_sentence_is_content_where_content_is() {
        let gold = "Rain fell on the valley.\nThe river rose above the bridge.\nNobody was hurt in the end.";
        let related = "Rain fell on the valley.";
        let other = "A quite different story of many other words stands here";
        let mut blocks = vec![related];
        blocks.extend([other; 8]);
        blocks.extend([related, "The river rose above the bridge.", "Nobody was hurt in the end."]);
        let labels = labels(&blocks, gold);
        assert_eq!(labels[0], 0.0);
        assert_eq!(&labels[9..], [1.0, 1.0, 1.0]);
    }

    #[test]
    fn nothing_has_no_labels() {
        assert!(labels(&[], "gold").is_empty());
        assert_eq!(labels(&["a b c d e f"], ""), [0.0]);
    }
}
