//! Computes precision and recall of duplicate detection, by similarity, language and kind.
//!
//! Each pair is processed as in gleaner: two signatures, at least one shared index key, the similarity
//! estimated from the signatures, and the word-by-word comparison. Precision is the share of true duplicates
//! among the pairs that are classified as duplicates. [`JudgedPair::is_copy`] defines true duplicates. Recall
//! is computed over true duplicates that share at least [`DEMANDED`] of the longer text's words. It is the
//! share of these pairs that are classified as duplicates. The shared words are measured independently
//! ([`super::share`]).
//!
//! Limitation: precision depends on the number of negative pairs, and on how many of them are series. The
//! table by kind does not depend on these numbers.

use gleaner_corpus::dedup;
use gleaner_corpus::dedup::{Alignment, Relation, SignedText};
use rayon::prelude::*;

use super::share::SharedWords;
use super::texts::TextLanguage;
use super::{Pair, PairKind};

/// A true duplicate must be detected if the two texts share at least this part of the longer text's words.
pub const DEMANDED: f64 = 0.85;

/// Two different texts count as duplicates if they share at least this part of the shorter text's words.
const BY_NATURE: f64 = 0.7;

/// The results for a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedPair {
    /// Language of the pair.
    pub language: TextLanguage,
    /// The kind of pair.
    pub kind: PairKind,
    /// The words that both texts share, measured independently.
    pub shared: SharedWords,
    /// The number of index keys that both texts share.
    pub keys: usize,
    /// The estimated similarity, from 0 to 1. It is 0 if a text has no signature.
    pub similarity: f64,
    /// The result of the word-by-word comparison.
    pub alignment: Alignment,
}

/// A rule to classify a pair as a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// The estimated similarity, followed by the word-by-word comparison, as in gleaner.
    Texts,
    /// Only the similarity estimated from the signatures.
    Estimate,
}

impl JudgedPair {
    /// Compares the texts of a pair as gleaner compares two documents.
    #[must_use]
    pub fn from_pair(pair: &Pair) -> Self {
        let (one, other) = (&pair.texts.0, &pair.texts.1);
        let signed = SignedText::from_text(one).zip(SignedText::from_text(other));
        let (keys, similarity) = signed.map_or((0, 0.0), |(one, other)| {
            let keys = one.keys.as_array().iter().zip(other.keys.as_array());
            (keys.filter(|(one, other)| one == other).count(), one.signature.similarity(&other.signature))
        });
        Self {
            language: pair.language,
            kind: pair.kind,
            shared: SharedWords::new(one, other),
            keys,
            similarity,
            alignment: Alignment::new(&dedup::Tokens::from_text(one), &dedup::Tokens::from_text(other)),
        }
    }

    /// Processes the pairs in parallel. The results are in the order of `pairs`.
    #[must_use]
    pub fn all(pairs: &[Pair]) -> Vec<Self> {
        pairs.par_iter().map(Self::from_pair).collect()
    }

    /// Returns the relation of the texts according to the rule `by` with the thresholds `params`. If the texts
    /// share no index key, the relation is [`Relation::Other`].
    #[must_use]
    pub fn verdict(&self, by: Criterion, params: &dedup::SimilarityParams) -> Relation {
        match by {
            _ if self.keys == 0 => Relation::Other,
            Criterion::Texts => params.relation(self.similarity, &self.alignment),
            Criterion::Estimate => params.estimate(self.similarity),
        }
    }

    /// Whether the pair is a true duplicate: a text and its copy, or two different texts that share at least
    /// 70% of the shorter text's words. Generated parts of series and renumbered texts are never duplicates.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        match self.kind {
            PairKind::Copy(_) => true,
            PairKind::DifferenceKind(
                super::DifferenceKind::Series(_) | super::DifferenceKind::Renumbered,
            ) => false,
            PairKind::DifferenceKind(_) => self.shared.contained() >= BY_NATURE,
        }
    }

    /// Whether the pair must be detected: it is a true duplicate that shares at least [`DEMANDED`] of the
    /// longer text's words.
    #[must_use]
    pub fn is_demanded(&self) -> bool {
        self.is_copy() && self.shared.share() >= DEMANDED
    }
}

/// Precision and recall at one similarity threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The minimum similarity of a duplicate.
    pub similarity: f64,
    /// The number of pairs classified as duplicates.
    pub called: usize,
    /// The share of true duplicates among the pairs classified as duplicates. It is 1 if there are no such
    /// pairs.
    pub precision: f64,
    /// The share of detected pairs among the pairs that must be detected. It is 1 if there are no such pairs.
    pub recall: f64,
}

/// Computes precision and recall of the pairs `judged`. The rule `by` classifies them with the threshold
/// `similarity`.
#[must_use]
pub fn point<'a>(judged: impl IntoIterator<Item = &'a JudgedPair>, by: Criterion, similarity: f64) -> Point {
    let params = dedup::SimilarityParams::default().with_duplicate(similarity);
    let (mut called, mut right, mut demanded, mut found) = (0, 0, 0, 0);
    for pair in judged {
        let is_called = pair.verdict(by, &params) == Relation::Duplicate;
        called += usize::from(is_called);
        right += usize::from(is_called && pair.is_copy());
        demanded += usize::from(pair.is_demanded());
        found += usize::from(is_called && pair.is_demanded());
    }
    let share = |part: usize, of: usize| if of == 0 { 1.0 } else { part as f64 / of as f64 };
    Point { similarity, called, precision: share(right, called), recall: share(found, demanded) }
}

/// The results for one kind of pair in one language, at the default thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct KindFigures {
    /// The language of the pairs.
    pub language: TextLanguage,
    /// The kind of the pairs.
    pub kind: PairKind,
    /// Number of pairs.
    pub pairs: usize,
    /// The mean share of the longer text's words that are also in the other text.
    pub shared: f64,
    /// Mean estimated similarity.
    pub similarity: f64,
    /// The number of pairs that share an index key.
    pub candidates: usize,
    /// The number of pairs classified as duplicates.
    pub duplicates: usize,
    /// The number of pairs that the estimate alone would classify as duplicates.
    pub estimated: usize,
    /// The number of pairs classified as duplicates or related.
    pub related: usize,
    /// The number of pairs that must be detected, and how many of them are detected.
    pub demanded: (usize, usize),
}

/// Computes the results for each kind of pair in each language.
#[must_use]
pub fn by_kind(judged: &[JudgedPair]) -> Vec<KindFigures> {
    let mut kinds: Vec<(TextLanguage, PairKind)> =
        judged.iter().map(|pair| (pair.language, pair.kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let of = |(language, kind)| {
        let of: Vec<&JudgedPair> =
            judged.iter().filter(|pair| (pair.language, pair.kind) == (language, kind)).collect();
        of_kind(language, kind, &of)
    };
    kinds.into_iter().map(of).collect()
}

fn of_kind(language: TextLanguage, kind: PairKind, of: &[&JudgedPair]) -> KindFigures {
    let params = dedup::SimilarityParams::default();
    let count = |is: &dyn Fn(&JudgedPair) -> bool| of.iter().filter(|pair| is(pair)).count();
    let mean = |value: fn(&JudgedPair) -> f64| {
        of.iter().map(|pair| value(pair)).sum::<f64>() / of.len().max(1) as f64
    };
    let is_called = |pair: &JudgedPair| pair.verdict(Criterion::Texts, &params) == Relation::Duplicate;
    KindFigures {
        language,
        kind,
        pairs: of.len(),
        shared: mean(|pair| pair.shared.share()),
        similarity: mean(|pair| pair.similarity),
        candidates: count(&|pair| pair.keys > 0),
        duplicates: count(&is_called),
        estimated: count(&|pair| pair.verdict(Criterion::Estimate, &params) == Relation::Duplicate),
        related: count(&|pair| pair.verdict(Criterion::Texts, &params) > Relation::Other),
        demanded: (count(&JudgedPair::is_demanded), count(&|pair| pair.is_demanded() && is_called(pair))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::DifferenceKind;
    use super::super::edits::Edit;
    use super::super::series::Series;
    use super::*;

    fn judged(kind: PairKind, one: &str, other: &str) -> JudgedPair {
        JudgedPair::from_pair(&Pair {
            language: TextLanguage::English,
            kind,
            texts: (one.into(), other.into()),
        })
    }

    fn text(of: &str) -> String {
        let spelled =
            |at: usize| at.to_string().bytes().map(|digit| char::from(digit + 49)).collect::<String>();
        (0..200).map(|at| format!("{of}{} ", spelled(at))).collect()
    }

    #[test]
    fn precision_and_recall_count_what_they_say() {
        let copy = PairKind::Copy(Edit::Retitled);
        let other = PairKind::DifferenceKind(DifferenceKind::Other);
        let pairs = [
            judged(copy, &text("a"), &text("a")),
            judged(copy, &text("a"), &text("b")),
            judged(other, &text("a"), &text("b")),
            judged(other, &text("a"), &text("a")),
            judged(PairKind::DifferenceKind(DifferenceKind::Series(Series::Market)), &text("a"), &text("a")),
        ];
        let point = point(&pairs, Criterion::Texts, 0.5);
        assert_eq!(point.called, 3);
        assert!((point.precision - 2.0 / 3.0).abs() < 1e-12 && (point.recall - 1.0).abs() < 1e-12);
        let rows = by_kind(&pairs);
        assert_eq!(rows.len(), 3);
        assert_eq!((rows[0].pairs, rows[0].candidates, rows[0].duplicates), (2, 1, 1));
        assert_eq!(rows[0].demanded, (1, 1));
    }

    #[test]
    fn without_pairs_nothing_is_wrong_or_missed() {
        let point = point(&[], Criterion::Estimate, 0.5);
        assert_eq!((point.called, point.precision, point.recall), (0, 1.0, 1.0));
        assert_eq!(by_kind(&[]), []);
    }
}
