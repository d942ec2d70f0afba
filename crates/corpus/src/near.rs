//! Finds near-duplicates among texts. docs/dedup.md defines them and reports measurements.
//!
//! [`near_duplicates`] compares texts in memory. If they do not fit into memory, distribute the job over
//! several machines: compute the [`signature`] of each text, join texts that share a value of [`bands`], and
//! call [`verdict`] for pairs whose [similarity](Signature::similarity) is at least 0.25.

use std::collections::HashMap;
use std::convert::Infallible;

use crate::ContentHash;
use crate::dedup::{
    Alignment, BANDS, BandIndex, BandKeys, DocumentNumber, DocumentReader, ExactBandIndex, SignedText,
    SimilarityParams, find_similar,
};

pub use crate::dedup::{Relation, Signature};

/// The default of the setting `corpus.similarity`: the minimum similarity of near-duplicates in a crawl.
pub const SIMILARITY: f64 = SimilarityParams::DUPLICATE;

/// Maximum number of candidates per value of a band. The newest texts with this value are the candidates.
const MAX_OF_A_KEY: usize = 256;

/// Returns the signature of a text. Returns `None` if the text has fewer than 10 words, too few for an
/// estimate.
///
/// ```
/// use gleaner_corpus::near::{bands, signature};
///
/// let (one, other) = ("rain fell on the valley for the third day in a row", "a b c");
/// let one = signature(one).unwrap();
/// assert_eq!((one.similarity(&one), bands(&one).len()), (1.0, 42));
/// assert!(signature(other).is_none());
/// ```
#[must_use]
pub fn signature(text: &str) -> Option<Signature> {
    SignedText::from_text(text).map(|signed| signed.signature)
}

/// Returns the values of a signature's bands. If the similarity of two texts is 0.44, they share at least one
/// value with a probability of 0.97.
#[must_use]
pub fn bands(signature: &Signature) -> [u64; BANDS] {
    *BandKeys::from_signature(signature).as_array()
}

/// Decides from the similarity, word order and numbers of two texts whether they are duplicates.
///
/// `least` is the minimum similarity of near-duplicates, 0 to 1, such as [`SIMILARITY`].
///
/// ```
/// use gleaner_corpus::near::{SIMILARITY, Relation, verdict};
///
/// let one = "On Monday the council agreed, after long talks, on a bridge across the river. Work begins in spring, \
///            the mayor said, and will take two years, perhaps three, to finish.";
/// assert_eq!(verdict(one, &one.replace("Monday", "Tuesday"), SIMILARITY), Relation::Duplicate);
/// assert_eq!(verdict(one, "Rain.", SIMILARITY), Relation::Other);
/// ```
#[must_use]
pub fn verdict(one: &str, other: &str, least: f64) -> Relation {
    if ContentHash::from_text(one) == ContentHash::from_text(other) {
        return Relation::Duplicate;
    }
    let (Some(one), Some(other)) = (SignedText::from_text(one), SignedText::from_text(other)) else {
        return Relation::Other;
    };
    let similarity = one.signature.similarity(&other.signature);
    SimilarityParams::default()
        .with_duplicate(least)
        .relation(similarity, &Alignment::new(&one.tokens, &other.tokens))
}

/// Returns, for each text, the index of its representative. This is an earlier near-duplicate or, if there is
/// none, the text itself. As in a corpus, a text is compared only with earlier representatives. `least` is
/// the minimum similarity of near-duplicates, 0 to 1, such as [`near::SIMILARITY`](SIMILARITY).
///
/// Limitation: all texts must be in memory. Each needs about 2 KB in addition to its own size.
///
/// ```
/// use gleaner_corpus::near::{SIMILARITY, near_duplicates};
///
/// let one = "On Monday the council agreed, after long talks, on a bridge across the river. Work begins in spring, \
///            the mayor said, and will take two years, perhaps three, to finish.";
/// let copy = one.replace("Monday", "Tuesday");
/// assert_eq!(near_duplicates(&[one, "Rain.", &copy, "Rain."], SIMILARITY), [0, 1, 0, 1]);
/// ```
#[must_use]
pub fn near_duplicates<T: AsRef<str>>(texts: &[T], least: f64) -> Vec<usize> {
    let mut known = Known {
        texts,
        params: SimilarityParams::default().with_duplicate(least),
        signatures: HashMap::new(),
    };
    let (mut index, mut exact) = (ExactBandIndex::new(MAX_OF_A_KEY), HashMap::new());
    let mut represented = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        let hash = ContentHash::from_text(text.as_ref());
        let head = match exact.get(&hash) {
            Some(first) => *first,
            None => known.head_of(at, &mut index),
        };
        exact.entry(hash).or_insert(head);
        represented.push(head);
    }
    represented
}

struct Known<'a, T> {
    texts: &'a [T],
    params: SimilarityParams,
    signatures: HashMap<DocumentNumber, Signature>,
}

impl<T: AsRef<str>> Known<'_, T> {
    /// Returns the representative of a text. If the text represents itself, adds it to the index.
    fn head_of(&mut self, at: usize, index: &mut ExactBandIndex) -> usize {
        let Some(new) = SignedText::from_text(self.texts[at].as_ref()) else { return at };
        let Ok(candidates) = index.candidates(&new.keys);
        let Ok(likes) = find_similar(&new, &candidates, self, &self.params);
        if let Some(like) = likes.first().filter(|like| like.verdict == Relation::Duplicate) {
            return like.document as usize;
        }
        // The position fits into a `DocumentNumber`, because more texts would not fit into memory.
        let number = at as DocumentNumber;
        let Ok(()) = index.put(number, &new.keys);
        self.signatures.insert(number, new.signature);
        at
    }
}

impl<T: AsRef<str>> DocumentReader for Known<'_, T> {
    type Error = Infallible;

    fn signature(&self, document: DocumentNumber) -> Result<Option<Signature>, Infallible> {
        Ok(self.signatures.get(&document).cloned())
    }

    fn text(&self, document: DocumentNumber) -> Result<Option<String>, Infallible> {
        Ok(self.texts.get(document as usize).map(|text| text.as_ref().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(number: usize) -> String {
        number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
    }

    /// Generates a text about a topic. Every `every`-th word is edited. The numbers depend on the edition.
    fn text((topic, every, editor, edition): (usize, usize, usize, usize)) -> String {
        let word = |at: usize| match at {
            _ if at % 29 == 7 => format!("{}", at * (edition + 1)),
            _ if every > 0 && at % every == editor % every => {
                format!("edit{}x{}", letters(editor), letters(at))
            }
            _ => format!("t{}w{}", letters(topic), letters(at * at % 997)),
        };
        (0..160).map(word).collect::<Vec<_>>().join(" ")
    }

    fn a_text() -> impl Strategy<Value = String> {
        let every = prop::sample::select(vec![0_usize, 0, 40, 16, 8, 5]);
        prop_oneof![
            8 => (0..4_usize, every, 0..6_usize, 0..2_usize).prop_map(text),
            1 => prop::sample::select(vec!["", "Too short.", "Also too short for that."]).prop_map(str::to_owned),
        ]
    }

    /// Compares each text with all earlier representatives, without an index. The four most similar
    /// representatives are compared by their texts, oldest first.
    fn by_comparing_all(texts: &[String], least: f64) -> Vec<usize> {
        let mut heads: Vec<usize> = Vec::new();
        let mut represented = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let same = texts[..at].iter().position(|earlier| earlier == text);
            let near = || {
                let one = signature(text)?;
                let mut met = Vec::new();
                for head in &heads {
                    let other = signature(&texts[*head])?;
                    let (keys, others) = (bands(&one), bands(&other));
                    let is_candidate = keys.iter().zip(others).any(|(key, other)| *key == other);
                    if is_candidate && one.similarity(&other) >= least.min(0.25) {
                        met.push((one.similarity(&other), *head));
                    }
                }
                met.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                let mut read = met.iter().take(4).map(|met| met.1);
                read.find(|head| verdict(text, &texts[*head], least) == Relation::Duplicate)
            };
            let head = same.map(|earlier| represented[earlier]).or_else(near).unwrap_or(at);
            if head == at && signature(text).is_some() {
                heads.push(at);
            }
            represented.push(head);
        }
        represented
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

        #[test]
        fn the_index_finds_what_comparing_all_finds(
            texts in prop::collection::vec(a_text(), 1..33),
            least in prop::sample::select(vec![0.5, 0.5, 0.2, 0.3, 0.8]),
        ) {
            prop_assert_eq!(near_duplicates(&texts, least), by_comparing_all(&texts, least));
        }
    }
}
