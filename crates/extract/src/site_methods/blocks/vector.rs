//! Defines the feature vectors of blocks, and computes the cosine of two vectors.
//!
//! The feature vector of a block has the numbers of images, scripts and hyperlinks, and of each lower-case
//! term, in the block's own content. The papers give no weights, so an image counts as much as a word.
//! Features are ordered rarest first, which speeds up the search for similar vectors (`similarity`). The
//! order does not affect results.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Tolerance for rounding errors in the length of a prefix. A longer prefix is still correct.
const SLACK: f64 = 1e-9;

/// Numbers the features. Rarer features have higher numbers.
#[derive(Debug)]
pub(crate) struct Features<'a> {
    known: &'a HashMap<String, u32>,
    new: HashMap<String, u32>,
    numbers_new: bool,
}

/// The number of features before the terms: images, scripts and hyperlinks.
const COUNTED: u32 = 3;

/// The number of all unknown terms, if they are not distinguished.
const UNKNOWN: u32 = u32::MAX;

impl<'a> Features<'a> {
    /// Uses the numbers of `known`. New terms get higher numbers, as if they were the rarest terms.
    pub(crate) fn with_known(known: &'a HashMap<String, u32>) -> Self {
        Self { known, new: HashMap::new(), numbers_new: true }
    }

    /// Uses the numbers of `known`, and one number for all other terms. This is sufficient to exclude vectors
    /// that cannot be similar to a vector of known features.
    pub(crate) fn with_known_only(known: &'a HashMap<String, u32>) -> Self {
        Self { numbers_new: false, ..Self::with_known(known) }
    }

    pub(crate) fn term(&mut self, word: &str) -> u32 {
        let is_lower = word.chars().all(is_lower);
        let word = if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) };
        if let Some(known) = self.known.get(word.as_ref()) {
            return *known;
        }
        if !self.numbers_new {
            return UNKNOWN;
        }
        let next = COUNTED + (self.known.len() + self.new.len()) as u32;
        *self.new.entry(word.into_owned()).or_insert(next)
    }

    pub(crate) fn into_new(self) -> HashMap<String, u32> {
        self.new
    }

    /// Numbers terms. Each item has the number of blocks that contain the term, the term, and a value for the
    /// caller. A term that is in more blocks gets a lower number.
    pub(crate) fn by_rarity<T>(terms: impl Iterator<Item = (usize, String, T)>) -> Vec<(u32, (String, T))> {
        let mut terms: Vec<(usize, String, T)> = terms.collect();
        terms.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        (COUNTED..).zip(terms.into_iter().map(|(_, term, known)| (term, known))).collect()
    }

    pub(crate) fn counted(images: u32, scripts: u32, links: u32) -> impl Iterator<Item = (u32, u32)> {
        [(0, images), (1, scripts), (2, links)].into_iter().filter(|(_, count)| *count > 0)
    }
}

/// Whether a character certainly stays unchanged in lower case. The test needs no table, but returns `false`
/// for some unchanged characters.
#[inline]
fn is_lower(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_uppercase();
    }
    match c {
        '\u{DF}'..='\u{FF}' | '\u{3AC}'..='\u{3CE}' | '\u{430}'..='\u{45F}' => true,
        'ă' | 'đ' | 'ĩ' | 'ũ' | 'ơ' | 'ư' | '\u{3040}'..='\u{9FFF}' => true,
        '\u{1EA0}'..='\u{1EFF}' => u32::from(c) % 2 == 1,
        _ => false,
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Vector {
    entries: Vec<(u32, u32)>,
    /// The sum of the squared counts. It saturates, as in [`Self::cosine`], because a manipulated template
    /// file can contain huge counts.
    squared: u64,
}

/// Writes the features with their counts, such as `17:1 4:2`.
impl From<Vector> for String {
    fn from(vector: Vector) -> Self {
        let entries: Vec<Self> =
            vector.entries.iter().map(|(feature, count)| format!("{feature}:{count}")).collect();
        entries.join(" ")
    }
}

impl TryFrom<String> for Vector {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let entry = |entry: &str| {
            let (feature, count) = entry.split_once(':')?;
            Some((feature.parse().ok()?, count.parse().ok()?))
        };
        let entries: Option<Vec<(u32, u32)>> = text.split_whitespace().map(entry).collect();
        entries.map(Self::new).ok_or_else(|| format!("{text:?} is not a list of features with counts"))
    }
}

impl Vector {
    pub(crate) fn new(entries: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut entries: Vec<(u32, u32)> = entries.into_iter().collect();
        entries.sort_unstable_by(|a, b| b.cmp(a));
        entries.dedup_by(|from, into| {
            let same = from.0 == into.0;
            if same {
                into.1 = into.1.saturating_add(from.1);
            }
            same
        });
        let squared = entries.iter().map(squared).fold(0, u64::saturating_add);
        Self { entries, squared }
    }

    pub(crate) fn entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    /// Returns the cosine of the angle between two vectors, 0 to 1. It is 0 if one vector is empty.
    pub(crate) fn cosine(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.entries.as_slice(), other.entries.as_slice());
        let mut product = 0_u64;
        while let ([(f, n), a_rest @ ..], [(g, m), b_rest @ ..]) = (a, b) {
            if f == g {
                product = u64::saturating_add(product, u64::from(*n) * u64::from(*m));
            }
            (a, b) = (if f >= g { a_rest } else { a }, if g >= f { b_rest } else { b });
        }
        if product == 0 { 0.0 } else { product as f64 / (self.squared as f64 * other.squared as f64).sqrt() }
    }

    /// Whether the vector contains terms that [`Features::with_known_only`] did not distinguish. Each
    /// occurrence of such a term counts as a separate term. Therefore the norm is never too great, and the
    /// cosine with a vector of known features is never too small.
    pub(crate) fn is_rough(&self) -> bool {
        self.entries.first().is_some_and(|(feature, _)| *feature == UNKNOWN)
    }

    /// Returns the shortest prefix whose remaining entries have a norm of at most `least` times the full
    /// norm.
    pub(crate) fn prefix(&self, least: f64) -> &[(u32, u32)] {
        let enough = self.squared as f64 * least * least * (1.0 - SLACK);
        let mut rest = self.squared as f64;
        let length = self.entries.iter().take_while(|entry| {
            let more = rest > enough;
            rest -= squared(entry) as f64;
            more
        });
        &self.entries[..length.count()]
    }
}

fn squared((feature, count): &(u32, u32)) -> u64 {
    let count = u64::from(*count);
    if *feature == UNKNOWN { count } else { count * count }
}

/// Renumbers the terms of the vectors, so that terms in fewer blocks get higher numbers. Returns the numbers.
pub(crate) fn rarest_last(
    vectors: &mut [(u32, Vector)],
    terms: HashMap<String, u32>,
) -> HashMap<String, u32> {
    let mut blocks_with: HashMap<u32, usize> = HashMap::new();
    for (feature, _) in vectors.iter().flat_map(|(_, vector)| vector.entries()) {
        *blocks_with.entry(*feature).or_default() += 1;
    }
    let numbering = Features::by_rarity(terms.into_iter().map(|(term, old)| {
        let count = blocks_with.get(&old).copied().unwrap_or_default();
        (count, term, old)
    }));
    let new: HashMap<u32, u32> = numbering.iter().map(|(number, (_, old))| (*old, *number)).collect();
    for (_, vector) in vectors {
        *vector = Vector::new(vector.entries().iter().map(|(f, n)| (new.get(f).copied().unwrap_or(*f), *n)));
    }
    numbering.into_iter().map(|(number, (term, _))| (term, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(text: &str) -> Vector {
        Vector::new(text.bytes().map(|b| (u32::from(b), 1)))
    }

    #[test]
    fn what_is_told_to_be_lower_case_is() {
        let told: Vec<char> = ('\0'..=char::MAX).filter(|c| is_lower(*c)).collect();
        assert!(told.iter().all(|c| c.to_lowercase().eq([*c])));
        assert!("mưaở,дощ雨βροχή".chars().all(|c| told.contains(&c)));
    }

    #[test]
    fn cosine_of_small_vectors() {
        let cases = [
            ("", "", 0.0),
            ("a", "", 0.0),
            ("ab", "ab", 1.0),
            ("a", "b", 0.0),
            ("ab", "b", 0.5_f64.sqrt()),
            ("aab", "ab", 3.0 / 10_f64.sqrt()),
        ];
        for (a, b, expected) in cases {
            assert!((vector(a).cosine(&vector(b)) - expected).abs() < 1e-12, "{a} {b}");
            assert!((vector(b).cosine(&vector(a)) - expected).abs() < 1e-12, "{b} {a}");
        }
    }

    #[test]
    fn the_greatest_counts_have_a_cosine() {
        let greatest = Vector::new([(0, u32::MAX), (1, u32::MAX), (2, u32::MAX)]);
        assert_eq!(greatest.cosine(&greatest), 1.0);
        assert!(greatest.cosine(&vector("a")) == 0.0 && !greatest.prefix(0.9).is_empty());
    }

    #[test]
    fn a_rough_cosine_is_never_too_small() {
        let known = HashMap::from([("a".to_owned(), 3), ("b".to_owned(), 4)]);
        let vector = |words: &str, mut features: Features<'_>| {
            Vector::new(words.split(' ').map(|word| (features.term(word), 1)))
        };
        let stored = vector("a b", Features::with_known(&known));
        for (words, rough, exact) in [
            ("a B", 1.0, 1.0),
            ("a b x", (2.0 / 3.0_f64).sqrt(), (2.0 / 3.0_f64).sqrt()),
            ("a b x X", 0.5_f64.sqrt(), (1.0 / 3.0_f64).sqrt()),
            ("a b x y", 0.5_f64.sqrt(), 0.5_f64.sqrt()),
        ] {
            let only = vector(words, Features::with_known_only(&known));
            assert_eq!(only.is_rough(), words.contains('x'), "{words}");
            assert!((only.cosine(&stored) - rough).abs() < 1e-12, "{words}");
            let beside = vector(words, Features::with_known(&known));
            assert!(!beside.is_rough() && (beside.cosine(&stored) - exact).abs() < 1e-12, "{words}");
        }
    }

    #[test]
    fn new_terms_are_the_rarest() {
        let known = HashMap::from([("a".to_owned(), 3)]);
        let mut features = Features::with_known(&known);
        assert_eq!(
            [features.term("A"), features.term("b"), features.term("B"), features.term("c")],
            [3, 4, 4, 5]
        );
    }
}
