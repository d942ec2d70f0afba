//! Computes the longest common subsequence of words: the words that two texts share in the same order.
//!
//! The evaluations of the Line-Block paper (section E) and of Weninger and Hsu (5.1) use the same measure.
//! Recall is the length of the subsequence divided by the number of gold words. Precision is this length
//! divided by the number of extracted words. [`super::words`] defines words.
//!
//! The algorithm is bit-parallel (H. Hyyro, Bit-parallel LCS-length computation revisited, AWOCA 2004;
//! recurrence of Crochemore et al. 2001). For each word of one text, it computes `V = (V + (V & M)) | (V &
//! !M)`. `M` has a bit at each position of the word in the other text. After the last word, the number of
//! zero bits in `V` is the length. `M` is stored as a list of non-zero machine words. For a text of n words,
//! all lists together have at most n entries, so memory is linear. The time per word is proportional to the
//! number of its occurrences in the other text, or to n/64 if this is less. Two texts of 100,000 words take at
//! most a second.
//!
//! Limitation: the words of a moved paragraph do not count as shared.

use std::collections::HashMap;

use super::Ratios;
use super::words::{normal, words};

const BITS: usize = 64;

/// Returns precision, recall and F1 by the longest common subsequence of words.
#[must_use]
pub fn ratios(extracted: &str, gold: &str) -> Ratios {
    let (extracted, gold) = (normal(extracted), normal(gold));
    let (extracted, gold): (Vec<&str>, Vec<&str>) = (words(&extracted).collect(), words(&gold).collect());
    Ratios::of_sizes(length(&extracted, &gold) as u64, extracted.len() as u64, gold.len() as u64)
}

/// Returns the length of the longest common subsequence.
#[must_use]
pub fn length(a: &[&str], b: &[&str]) -> usize {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = a.iter().zip(b).take_while(same).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let dom_paths = dom_paths(a);
    let mut v = vec![u64::MAX; a.len().div_ceil(BITS)];
    for matches in b.iter().filter_map(|word| dom_paths.get(word)) {
        advance(&mut v, matches);
    }
    start + end + v.iter().map(|bits| bits.count_zeros() as usize).sum::<usize>()
}

fn dom_paths<'a>(text: &[&'a str]) -> HashMap<&'a str, Vec<(usize, u64)>> {
    let mut dom_paths: HashMap<&str, Vec<(usize, u64)>> = HashMap::new();
    for (at, word) in text.iter().enumerate() {
        let (block, bit) = (at / BITS, 1 << (at % BITS));
        let list = dom_paths.entry(word).or_default();
        match list.last_mut() {
            Some((last, bits)) if *last == block => *bits |= bit,
            _ => list.push((block, bit)),
        }
    }
    dom_paths
}

fn advance(v: &mut [u64], matches: &[(usize, u64)]) {
    let (mut carry, mut at) = (false, 0);
    for &(block, bits) in matches {
        carry = carry && pass(&mut v[at..block]);
        let old = v[block];
        let (sum, over) = old.overflowing_add(old & bits);
        let (sum, over_again) = sum.overflowing_add(u64::from(carry));
        v[block] = sum | (old & !bits);
        carry = over || over_again;
        at = block + 1;
    }
    if carry {
        pass(&mut v[at..]);
    }
}

/// Passes a carry over machine words without a match. A machine word whose bits are all set passes the carry
/// on. Any other machine word absorbs it. Returns whether the last machine word passes the carry on.
fn pass(v: &mut [u64]) -> bool {
    let Some(bits) = v.iter_mut().find(|bits| **bits != u64::MAX) else { return true };
    *bits |= *bits + 1;
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn textbook(a: &[&str], b: &[&str]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for word in a {
            let mut above_left = 0;
            for (at, other) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if word == other { above_left + 1 } else { above.max(row[at]) };
                above_left = above;
            }
        }
        row[b.len()]
    }

    #[test]
    fn the_papers_worked_example() {
        let ratios = ratios("Title Copyright Some text in", "Title Some text in the body");
        assert!((ratios.recall - 4.0 / 6.0).abs() < 1e-12);
        assert!((ratios.precision - 4.0 / 5.0).abs() < 1e-12);
        assert!((ratios.f1 - 8.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn order_counts_and_nothing_gives_nothing() {
        let cases = [
            ("", "", 0.0),
            ("a", "", 0.0),
            ("", "a", 0.0),
            ("a b c", "c b a", 1.0 / 3.0),
            ("A, b", "a b.", 1.0),
        ];
        for (extracted, gold, f1) in cases {
            assert!((ratios(extracted, gold).f1 - f1).abs() < 1e-12, "{extracted} against {gold}");
        }
    }

    #[test]
    fn a_hundred_thousand_words_are_no_burden() {
        let vocabulary: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        let text = |step: usize| -> Vec<&str> {
            (0..100_000).map(|at| &*vocabulary[at * at / 7 * step % 50]).collect()
        };
        let (a, b) = (text(1), text(3));
        let length = length(&a, &b);
        assert!((20_000..100_000).contains(&length), "{length}");
        assert_eq!(super::length(&a, &a), 100_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_what_the_textbook_says(
            a in prop::collection::vec(0..12_usize, 0..300),
            b in prop::collection::vec(0..12_usize, 0..300),
            rare in 1..12_usize,
        ) {
            // Few distinct words cause long carries, and many distinct words cause gaps between matches.
            let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
            let a: Vec<&str> = a.into_iter().map(|word| names[word % rare]).collect();
            let b: Vec<&str> = b.into_iter().map(|word| names[word]).collect();
            prop_assert_eq!(length(&a, &b), textbook(&a, &b));
            prop_assert_eq!(length(&b, &a), textbook(&a, &b));
        }
    }
}
