//! Computes the edit distance ratio: the share of characters that need no correction.
//!
//! T. Weninger, W. H. Hsu, Text Extraction from the Web via Text-to-Tag Ratio (2008), 5.1, equation 2. The
//! printed formula, `(1 - d) / max(|o|, |m|)`, is negative for a distance above 1. The paper's text describes
//! a ratio "of edits to the total length of the longest file", to be maximised. Therefore the formula here is
//! `1 - d / max(|o|, |m|)`. Lengths and distance count characters in NFC. As in the paper, white space is
//! removed and case is kept. The ratio of two empty texts is 1.
//!
//! The algorithm is bit-parallel (G. Myers, A fast bit-vector algorithm for approximate string matching, J.
//! ACM 1999, with H. Hyyro's block step). A column of the table is stored as differences between adjacent
//! rows: a pair of machine words holds 64 rows. Only cells that can be reached with at most `limit` edits are
//! computed (Ukkonen 1985). If the distance is greater, the limit is raised.
//!
//! Memory is linear in the lengths of the texts. Time is proportional to length times distance / 64, so two
//! different texts of 600,000 characters would take most of a minute. [`MAX_STEPS`] limits the work to the
//! same number of steps on every machine. If two texts need more steps, they have no ratio.
//!
//! Limitation: the ratios that are not computed would be low, so the mean of the computed ratios is too high.
//! A text that is twice as long as the gold text has a ratio of at most 0.5. Two unrelated texts still have a
//! ratio of about 0.2, because letters match by chance.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

const BITS: usize = 64;

const FIRST_LIMIT: usize = 64;

const WIDER: usize = 4;

/// Maximum number of steps for two texts. Each step processes 64 rows of a column of the table. These steps
/// take about two seconds, and suffice for any two texts of 80,000 characters (about 14,000 words).
pub const MAX_STEPS: usize = 1 << 28;

/// Returns the edit distance ratio: 1 for equal texts, and 0 for texts without a common character. Returns
/// `None` if the texts are so long and so different that the computation needs more than [`MAX_STEPS`].
#[must_use]
pub fn ratio(extracted: &str, gold: &str) -> Option<f64> {
    let (o, m) = (strokes(extracted), strokes(gold));
    let longest = o.len().max(m.len());
    let distance = distance(&o, &m, MAX_STEPS)?;
    Some(if longest == 0 { 1.0 } else { 1.0 - distance as f64 / longest as f64 })
}

fn strokes(text: &str) -> Vec<char> {
    text.nfc().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the Levenshtein distance: the smallest number of insertions, deletions and replacements of
/// characters that turn `a` into `b`. Returns `None` if the computation needs more than `steps` steps. Each
/// step processes 64 rows of a column of the table.
#[must_use]
pub fn distance(a: &[char], b: &[char], mut steps: usize) -> Option<usize> {
    let (a, b) = trimmed(a, b);
    // The longer text has the rows, so that the number of columns is small.
    let (down, across) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if across.is_empty() {
        return Some(down.len());
    }
    let dom_paths = Places::from_text(down);
    let mut limit = at_least(down, across).max(FIRST_LIMIT);
    loop {
        match Band::new(down.len(), across.len(), limit).run(&dom_paths, across, &mut steps) {
            End::Found(distance) => return Some(distance),
            End::Above => limit *= WIDER,
            End::GivenUp => return None,
        }
    }
}

enum End {
    Found(usize),
    Above,
    GivenUp,
}

fn trimmed<'a>(a: &'a [char], b: &'a [char]) -> (&'a [char], &'a [char]) {
    let same = |(a, b): &(&char, &char)| a == b;
    let start = a.iter().zip(b).take_while(same).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// Returns a lower bound of the distance: the number of characters of the longer text that have no
/// counterpart in the shorter text.
fn at_least(long: &[char], short: &[char]) -> usize {
    let mut more: HashMap<char, isize> = HashMap::new();
    long.iter().for_each(|c| *more.entry(*c).or_default() += 1);
    short.iter().for_each(|c| *more.entry(*c).or_default() -= 1);
    more.values().filter(|count| **count > 0).map(|count| count.unsigned_abs()).sum()
}

struct Places {
    by_character: HashMap<char, usize>,
    bits: Vec<Bits>,
}

enum Bits {
    Dense(Vec<u64>),
    Sparse(Vec<(usize, u64)>),
}

impl Places {
    fn from_text(text: &[char]) -> Self {
        let blocks = text.len().div_ceil(BITS);
        let mut by_character = HashMap::new();
        let mut lists: Vec<Vec<(usize, u64)>> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        for (at, c) in text.iter().enumerate() {
            let number = *by_character.entry(*c).or_insert(lists.len());
            if number == lists.len() {
                lists.push(Vec::new());
                counts.push(0);
            }
            counts[number] += 1;
            let (block, bit) = (at / BITS, 1 << (at % BITS));
            match lists[number].last_mut() {
                Some((last, bits)) if *last == block => *bits |= bit,
                _ => lists[number].push((block, bit)),
            }
        }
        let often = |count: usize| count >= blocks;
        let bits = lists.into_iter().zip(counts).map(|(list, count)| {
            if often(count) { Bits::Dense(spread(&list, blocks)) } else { Bits::Sparse(list) }
        });
        Self { by_character, bits: bits.collect() }
    }

    fn get(&self, c: char) -> Option<&Bits> {
        self.by_character.get(&c).map(|number| &self.bits[*number])
    }
}

fn spread(list: &[(usize, u64)], blocks: usize) -> Vec<u64> {
    let mut dense = vec![0; blocks];
    list.iter().for_each(|&(block, bits)| dense[block] = bits);
    dense
}

#[derive(Clone, Copy)]
struct Block {
    /// One bit per row, set if the value of the row is one more than the value of the row above.
    more: u64,
    /// One bit per row, set if the value of the row is one less than the value of the row above.
    less: u64,
    last: usize,
}

/// The cells of one column that a path of `limit` edits can reach. The column moves through the table.
struct Band {
    rows: usize,
    columns: usize,
    limit: usize,
    column: Vec<Block>,
}

impl Band {
    /// Creates the first column. Requires `rows >= columns` and `limit >= rows - columns`.
    fn new(rows: usize, columns: usize, limit: usize) -> Self {
        let fresh = |block: usize| Block { more: u64::MAX, less: 0, last: (block + 1) * BITS };
        let column = (0..rows.div_ceil(BITS)).map(fresh).collect();
        Self { rows, columns, limit, column }
    }

    /// Returns the first and last block needed in column `at` (from 1). A path farther from the diagonal
    /// cannot return within the limit.
    fn range(&self, at: usize) -> (usize, usize) {
        let too_long = self.rows - self.columns;
        let back = (self.limit - too_long) / 2;
        let first = at.saturating_sub(back).max(1);
        let last = (at + back + too_long).min(self.rows);
        ((first - 1) / BITS, (last - 1) / BITS)
    }

    /// Computes the distance if it is within the limit. Subtracts the steps that it uses from `steps`.
    fn run(mut self, dom_paths: &Places, across: &[char], steps: &mut usize) -> End {
        let mut scratch = vec![0; self.column.len()];
        let mut reached = self.range(1).1;
        for (at, c) in across.iter().enumerate() {
            let (first, last) = self.range(at + 1);
            let Some(left) = steps.checked_sub(last - first + 1) else { return End::GivenUp };
            *steps = left;
            for block in reached + 1..=last {
                // Cells outside the band are unknown. They get the worst possible value.
                self.column[block] =
                    Block { more: u64::MAX, less: 0, last: self.column[block - 1].last + BITS };
            }
            reached = last;
            if at % BITS == 0 && self.exceeds_limit(first, last, at) {
                return End::Above;
            }
            match dom_paths.get(*c) {
                Some(Bits::Dense(bits)) => self.step(first, &bits[first..=last]),
                Some(Bits::Sparse(list)) => {
                    let list = &list[list.partition_point(|(block, _)| *block < first)..];
                    let list = &list[..list.partition_point(|(block, _)| *block <= last)];
                    list.iter().for_each(|&(block, bits)| scratch[block] = bits);
                    self.step(first, &scratch[first..=last]);
                    list.iter().for_each(|&(block, _)| scratch[block] = 0);
                }
                None => self.step(first, &scratch[first..=last]),
            }
        }
        let padding = self.column.len() * BITS - self.rows;
        let distance = self.column.last().map_or(0, |block| block.value_above_last(padding));
        if distance <= self.limit { End::Found(distance) } else { End::Above }
    }

    /// Whether every cell of column `at` exceeds the limit, with the insertions or deletions that it still
    /// needs. Values in a block differ from its last value by less than the length of the block.
    fn exceeds_limit(&self, first: usize, last: usize, at: usize) -> bool {
        let across = self.columns - at;
        (first..=last).all(|block| {
            let down = self.rows.saturating_sub((block + 1) * BITS);
            self.column[block].last + down.abs_diff(across) > self.limit + 3 * BITS
        })
    }

    fn step(&mut self, first: usize, equal: &[u64]) {
        // Above the table, each column has a value one higher than the previous column. Above the band, the value
        // is unknown, and the worst possible value is assumed.
        let (mut up, mut down) = (1, 0);
        for (block, equal) in self.column[first..].iter_mut().zip(equal) {
            (up, down) = block.step(*equal, up, down);
        }
    }
}

impl Block {
    /// Performs Myers' block step. `up` is 1 if the value above the block is one more than in the previous
    /// column, and `down` is 1 if it is one less. Returns both for the last row of the block.
    #[inline]
    fn step(&mut self, equal: u64, up: u64, down: u64) -> (u64, u64) {
        let (more, less) = (self.more, self.less);
        let vertical = equal | less;
        let equal = equal | down;
        let diagonal = ((equal & more).wrapping_add(more) ^ more) | equal;
        let right = less | !(diagonal | more);
        let left = more & diagonal;
        let (out_up, out_down) = (right >> (BITS - 1), left >> (BITS - 1));
        self.last = self.last + out_up as usize - out_down as usize;
        let (right, left) = ((right << 1) | up, (left << 1) | down);
        self.more = left | !(vertical | right);
        self.less = right & vertical;
        (out_up, out_down)
    }

    fn value_above_last(&self, rows: usize) -> usize {
        let top = if rows == 0 { 0 } else { u64::MAX << (BITS - rows) };
        self.last + (self.less & top).count_ones() as usize - (self.more & top).count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn textbook(a: &[char], b: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (at, c) in a.iter().enumerate() {
            let mut above_left = row[0];
            row[0] = at + 1;
            for (column, other) in b.iter().enumerate() {
                let replaced = above_left + usize::from(c != other);
                above_left = row[column + 1];
                row[column + 1] = replaced.min(above_left + 1).min(row[column] + 1);
            }
        }
        row[b.len()]
    }

    fn characters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn distances_that_are_known() {
        let cases = [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("ab", "ba", 2),
        ];
        for (a, b, expected) in cases {
            assert_eq!(distance(&characters(a), &characters(b), BITS), Some(expected), "{a} {b}");
        }
    }

    #[test]
    fn the_ratio_is_of_key_strokes_and_one_for_equal_texts() {
        let cases = [
            ("", "", 1.0),
            (" \n", "\t", 1.0),
            ("", "four", 0.0),
            ("two words", "two\nwo rds", 1.0),
            ("wxyz", "four", 0.0),
            ("kitten", "sitting", 1.0 - 3.0 / 7.0),
            ("Ha\u{300}", "Hà", 1.0),
        ];
        for (extracted, gold, expected) in cases {
            assert!((ratio(extracted, gold).unwrap() - expected).abs() < 1e-12, "{extracted} {gold}");
        }
    }

    #[test]
    fn long_texts_that_are_nearly_the_same_are_no_burden() {
        let text: Vec<char> = ('a'..='z').cycle().take(600_000).collect();
        let mut other = text.clone();
        other.drain(1_000..1_500);
        other.iter_mut().step_by(10_000).for_each(|c| *c = '-');
        assert_eq!(distance(&text, &other, MAX_STEPS), Some(500 + 60));
    }

    fn random(length: usize, mut seed: u64) -> String {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + (seed >> 33) as u8 % 26)
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn unlike_texts_are_measured_up_to_a_bound() {
        let (a, b) = (characters(&random(4_000, 1)), characters(&random(4_000, 2)));
        let known = distance(&a, &b, MAX_STEPS);
        assert!(known.is_some_and(|known| (3_400..3_600).contains(&known)), "{known:?}");
        // There are enough steps for every cell, and some for attempts with limits that are too low.
        assert_eq!(distance(&a, &b, 2 * 4_000 * 4_000_usize.div_ceil(BITS)), known);
        assert_eq!(distance(&a, &b, 4_000), None);
        assert_eq!(distance(&a, &a, 0), Some(0));
    }

    #[test]
    fn a_page_that_cannot_be_measured_is_given_up() {
        assert_eq!(ratio(&random(1_000_000, 1), &random(1_000_000, 2)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_what_the_textbook_says(
            a in prop::collection::vec(0..200_u32, 0..500),
            b in prop::collection::vec(0..200_u32, 0..500),
            letters in 1..200_u32,
        ) {
            let text = |numbers: &[u32]| -> Vec<char> {
                numbers.iter().filter_map(|number| char::from_u32('a' as u32 + number % letters)).collect()
            };
            let (a, b) = (text(&a), text(&b));
            prop_assert_eq!(distance(&a, &b, MAX_STEPS), Some(textbook(&a, &b)));
        }

        #[test]
        fn a_narrow_band_finds_the_same(
            text in prop::collection::vec(0..26_u8, 300..1500),
            edits in prop::collection::vec((0..1500_usize, 0..3_u8, 0..26_u8), 0..120),
        ) {
            let text: Vec<char> = text.into_iter().map(|c| char::from(b'a' + c)).collect();
            let mut other = text.clone();
            for (at, kind, letter) in edits {
                let (at, letter) = (at % other.len(), char::from(b'a' + letter));
                match kind {
                    0 => other.insert(at, letter),
                    1 => other[at] = letter,
                    _ => drop(other.remove(at)),
                }
            }
            prop_assert_eq!(distance(&text, &other, MAX_STEPS), Some(textbook(&text, &other)));
            prop_assert_eq!(distance(&other, &text, MAX_STEPS), Some(textbook(&text, &other)));
        }
    }
}
