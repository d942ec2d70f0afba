//! Classifies the relation of two texts by thresholds.
//!
//! The similarity estimated from signatures decides whether texts are compared. The comparison of the texts
//! decides the relation ([`SimilarityParams::relation`]). A near-duplicate shares enough shingles or enough
//! aligned words, and its numbers do not differ as in a series. Shingles alone would miss edited copies,
//! because each edited word changes three shingles. Other similar texts are related: they are recorded and
//! shown, but never removed.
//!
//! Limitation: a copy in which every number was updated is classified as the next text of a series, so both
//! texts are kept. The opposite error would lose a text.

use crate::dedup::alignment::Alignment;

/// How one text is related to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// Not similar.
    Other,
    /// Similar, or part of the same series. Both texts are kept.
    Related,
    /// A near-duplicate: the same text, possibly edited. It joins the other text's cluster.
    Duplicate,
}

/// A condition on the numbers that differ between two texts. Both thresholds must be reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferingNumbers {
    /// Minimum share (exclusive) of compared numbers that differ, 0 to 1.
    pub share: f64,
    /// Maximum number of words of the shorter text per differing number.
    pub words: f64,
}

/// Thresholds for the relation of two texts. Values are 0 to 1 unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityParams {
    /// Minimum similarity of the shingles of near-duplicates, set by the user. A text with a lower similarity
    /// is still a near-duplicate if its share of aligned words reaches both this value and
    /// [`Self::aligned`].
    pub duplicate: f64,
    /// Minimum estimated similarity of shingles for which two texts are compared. Compared texts that are not
    /// near-duplicates are related.
    pub related: f64,
    /// Minimum share of aligned words ([`Alignment::share`]) of a near-duplicate whose similarity of shingles
    /// is below [`Self::duplicate`].
    pub aligned: f64,
    /// A text with fewer words than this is short. If the shorter of two texts is short, the texts are
    /// near-duplicates only if their share of aligned words is at least [`Self::short_aligned`].
    pub short: usize,
    /// Minimum share of aligned words of a near-duplicate if the shorter of the two texts is short.
    pub short_aligned: f64,
    /// Two conditions under which similar texts belong to a series. One condition is sufficient: many numbers
    /// in few words differ, or most numbers of a longer text differ. A change of a single date or figure in
    /// an article meets neither condition.
    pub series: [DifferingNumbers; 2],
    /// Maximum number of candidates per document for the comparison of signatures.
    pub compared: usize,
    /// Maximum number of candidates per document for the comparison of texts.
    pub read: usize,
}

impl Default for SimilarityParams {
    fn default() -> Self {
        Self {
            duplicate: Self::DUPLICATE,
            related: 0.25,
            aligned: 0.65,
            short: 60,
            short_aligned: 0.75,
            series: [
                DifferingNumbers { share: 0.2, words: 50.0 },
                DifferingNumbers { share: 0.5, words: 200.0 },
            ],
            compared: 64,
            read: 4,
        }
    }
}

impl SimilarityParams {
    /// The default of [`Self::duplicate`].
    pub const DUPLICATE: f64 = 0.5;

    /// Sets [`Self::duplicate`]. If [`Self::related`] is higher, lowers it to the same value.
    #[must_use]
    pub fn with_duplicate(self, similarity: f64) -> Self {
        Self { duplicate: similarity, related: self.related.min(similarity), ..self }
    }

    /// Returns the relation according to the signatures. [`Relation::Duplicate`] and [`Relation::Related`]
    /// are preliminary, because the texts must still be compared.
    #[must_use]
    pub fn estimate(&self, similarity: f64) -> Relation {
        match similarity {
            s if s >= self.duplicate => Relation::Duplicate,
            s if s >= self.related => Relation::Related,
            _ => Relation::Other,
        }
    }

    /// Returns the relation of two texts from their estimated similarity and their comparison word by word.
    ///
    /// ```
    /// use gleaner_corpus::dedup::{Alignment, SimilarityParams, Tokens, Relation};
    /// let text = |rain: u32, wind: u32| Tokens::from_text(&format!(
    ///     "{rain} mm of rain will fall in the north, and winds of {wind} km an hour are expected. \
    ///      The weather service advises residents to follow the bulletins."));
    /// let params = SimilarityParams::default();
    /// let of = |other| params.relation(0.6, &Alignment::new(&text(12, 30), &other));
    /// assert_eq!(of(text(12, 30)), Relation::Duplicate);
    /// assert_eq!(of(text(80, 95)), Relation::Related);
    /// ```
    #[must_use]
    pub fn relation(&self, similarity: f64, alignment: &Alignment) -> Relation {
        let share = alignment.share();
        let estimate = self.estimate(similarity);
        let is_alike = estimate == Relation::Duplicate
            || (estimate == Relation::Related && share >= self.aligned.max(self.duplicate));
        let is_short = alignment.shorter() < self.short;
        let is_enough = !is_short || share >= self.short_aligned;
        match is_alike && is_enough && !self.is_series(alignment) {
            true => Relation::Duplicate,
            false => estimate.min(Relation::Related),
        }
    }

    /// Whether the numbers of two similar texts differ as in a series.
    #[must_use]
    pub fn is_series(&self, alignment: &Alignment) -> bool {
        let (numerals, words) = (alignment.numerals, alignment.shorter() as f64);
        let is_reached = |of: &DifferingNumbers| {
            numerals.differing_share() > of.share && numerals.differing * of.words >= words
        };
        self.series.iter().any(is_reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedup::alignment::Numerals;

    fn alignment(words: usize, aligned: usize, compared: f64, differing: f64) -> Alignment {
        Alignment { words: (words, words), aligned, numerals: Numerals { compared, differing } }
    }

    #[test]
    fn each_threshold_decides() {
        let whole = alignment(500, 500, 0.0, 0.0);
        let cases = [
            (0.5, whole, Relation::Duplicate),
            (0.49, whole, Relation::Duplicate),
            (0.24, whole, Relation::Other),
            (0.49, alignment(500, 380, 0.0, 0.0), Relation::Related),
            (0.49, alignment(500, 400, 0.0, 0.0), Relation::Duplicate),
            (0.5, alignment(500, 250, 0.0, 0.0), Relation::Duplicate),
            // In short texts, more of the words must be in the same order.
            (0.5, alignment(40, 30, 0.0, 0.0), Relation::Related),
            (0.5, alignment(40, 38, 0.0, 0.0), Relation::Duplicate),
            // A series needs many differing numbers, and they must be a large share of all numbers.
            (0.9, alignment(100, 90, 10.0, 2.0), Relation::Duplicate),
            (0.9, alignment(100, 90, 10.0, 2.5), Relation::Related),
            (0.9, alignment(130, 120, 10.0, 2.5), Relation::Duplicate),
            (0.9, alignment(500, 490, 10.0, 5.0), Relation::Duplicate),
            (0.9, alignment(500, 490, 10.0, 5.5), Relation::Related),
            (0.9, alignment(500, 490, 2.0, 2.0), Relation::Duplicate),
            (0.9, alignment(100, 99, 1.0, 1.0), Relation::Related),
        ];
        for (similarity, alignment, expected) in cases {
            assert_eq!(
                SimilarityParams::default().relation(similarity, &alignment),
                expected,
                "{similarity} {alignment:?}"
            );
        }
    }

    #[test]
    fn a_user_may_ask_for_more_or_less() {
        let edited = alignment(500, 450, 0.0, 0.0);
        let of = |asked: f64| SimilarityParams::default().with_duplicate(asked).relation(0.6, &edited);
        assert_eq!([0.2, 0.5, 0.6, 0.8].map(of), [Relation::Duplicate; 4]);
        assert_eq!(of(0.9), Relation::Related);
        let low = SimilarityParams::default().with_duplicate(0.2);
        assert_eq!(low.relation(0.22, &alignment(500, 200, 0.0, 0.0)), Relation::Duplicate);
    }
}
