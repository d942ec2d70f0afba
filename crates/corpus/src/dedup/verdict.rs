//! Classifies the relation of two texts by thresholds.
//!
//! The signatures' estimate decides whether to compare the texts; the texts decide the rest
//! ([`SimilarityParams::judge`]). A near-duplicate has the requested similarity of shingles, or of aligned
//! words (each edited word changes three shingles), and its numbers do not differ like those of a
//! series. Other similar texts are related: recorded and shown, never removed.
//!
//! Limitation: a copy with every figure updated is taken for the next part of a series and kept
//! twice, the less harmful error.

use crate::dedup::alignment::Alignment;

/// The relation of a text to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Not similar.
    Other,
    /// Similar, or a part of the same series; both are kept.
    Related,
    /// A near-duplicate: the same text, perhaps edited; a member of its cluster.
    Duplicate,
}

/// How far numbers must differ; both conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Differing {
    /// More than this share of the compared numbers differ, 0 to 1.
    pub share: f64,
    /// At least one differs per this many words of the shorter text.
    pub words: f64,
}

/// Thresholds, 0 to 1 unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityParams {
    /// Similarity from which a text is a near-duplicate, set by the user. It applies to the
    /// estimate for shingles, or to aligned words if these reach [`Self::aligned`].
    pub duplicate: f64,
    /// Estimated similarity of shingles from which texts are compared at all and, if not
    /// near-duplicates, related.
    pub related: f64,
    /// Share of aligned words ([`Alignment::share`]) that makes a near-duplicate if the shingles do
    /// not.
    pub aligned: f64,
    /// A shorter text with fewer words needs more agreement of words and numbers.
    pub short: usize,
    /// Least share of aligned words of a near-duplicate among short texts.
    pub short_aligned: f64,
    /// Differences of numbers as in a series; one is enough: many in few words, or most of them in
    /// a longer text. One date or figure in an article is neither.
    pub series: [Differing; 2],
    /// Most candidates per document whose signatures are compared.
    pub compared: usize,
    /// Most of them whose texts are compared.
    pub read: usize,
}

impl Default for SimilarityParams {
    fn default() -> Self {
        Self {
            duplicate: 0.5,
            related: 0.25,
            aligned: 0.65,
            short: 60,
            short_aligned: 0.75,
            series: [Differing { share: 0.2, words: 50.0 }, Differing { share: 0.5, words: 200.0 }],
            compared: 64,
            read: 4,
        }
    }
}

impl SimilarityParams {
    /// Replaces [`Self::duplicate`]; lowers [`Self::related`] if it is higher.
    #[must_use]
    pub fn with_duplicate(self, similarity: f64) -> Self {
        Self { duplicate: similarity, related: self.related.min(similarity), ..self }
    }

    /// The relation by signatures alone. [`Verdict::Duplicate`] and [`Verdict::Related`] mean here:
    /// compare the texts.
    #[must_use]
    pub fn estimate(&self, similarity: f64) -> Verdict {
        match similarity {
            s if s >= self.duplicate => Verdict::Duplicate,
            s if s >= self.related => Verdict::Related,
            _ => Verdict::Other,
        }
    }

    /// The relation of two texts, by the estimated similarity of their shingles and word by word.
    ///
    /// ```
    /// use gleaner_corpus::dedup::{Alignment, SimilarityParams, Tokens, Verdict};
    /// let text = |rain: u32, wind: u32| Tokens::from_text(&format!(
    ///     "{rain} mm of rain will fall in the north, and winds of {wind} km an hour are expected. \
    ///      The weather service advises residents to follow the bulletins."));
    /// let params = SimilarityParams::default();
    /// let of = |other| params.judge(0.6, &Alignment::new(&text(12, 30), &other));
    /// assert_eq!(of(text(12, 30)), Verdict::Duplicate);
    /// assert_eq!(of(text(80, 95)), Verdict::Related);
    /// ```
    #[must_use]
    pub fn judge(&self, similarity: f64, alignment: &Alignment) -> Verdict {
        let share = alignment.share();
        let estimate = self.estimate(similarity);
        let is_alike = estimate == Verdict::Duplicate
            || (estimate == Verdict::Related && share >= self.aligned.max(self.duplicate));
        let is_short = alignment.shorter() < self.short;
        let is_enough = !is_short || share >= self.short_aligned;
        match is_alike && is_enough && !self.is_series(alignment) {
            true => Verdict::Duplicate,
            false => estimate.min(Verdict::Related),
        }
    }

    /// Whether the numbers of two similar texts differ as in a series.
    #[must_use]
    pub fn is_series(&self, alignment: &Alignment) -> bool {
        let (numerals, words) = (alignment.numerals, alignment.shorter() as f64);
        let is_reached =
            |of: &Differing| numerals.differing_share() > of.share && numerals.differing * of.words >= words;
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
            (0.5, whole, Verdict::Duplicate),
            (0.49, whole, Verdict::Duplicate),
            (0.24, whole, Verdict::Other),
            (0.49, alignment(500, 380, 0.0, 0.0), Verdict::Related),
            (0.49, alignment(500, 400, 0.0, 0.0), Verdict::Duplicate),
            (0.5, alignment(500, 250, 0.0, 0.0), Verdict::Duplicate),
            // Short texts need their words in order.
            (0.5, alignment(40, 30, 0.0, 0.0), Verdict::Related),
            (0.5, alignment(40, 38, 0.0, 0.0), Verdict::Duplicate),
            // Numbers: too many differ, and there are enough of them.
            (0.9, alignment(100, 90, 10.0, 2.0), Verdict::Duplicate),
            (0.9, alignment(100, 90, 10.0, 2.5), Verdict::Related),
            (0.9, alignment(130, 120, 10.0, 2.5), Verdict::Duplicate),
            (0.9, alignment(500, 490, 10.0, 5.0), Verdict::Duplicate),
            (0.9, alignment(500, 490, 10.0, 5.5), Verdict::Related),
            (0.9, alignment(500, 490, 2.0, 2.0), Verdict::Duplicate),
            (0.9, alignment(100, 99, 1.0, 1.0), Verdict::Related),
        ];
        for (similarity, alignment, expected) in cases {
            assert_eq!(
                SimilarityParams::default().judge(similarity, &alignment),
                expected,
                "{similarity} {alignment:?}"
            );
        }
    }

    #[test]
    fn a_user_may_ask_for_more_or_less() {
        let edited = alignment(500, 450, 0.0, 0.0);
        let of = |asked: f64| SimilarityParams::default().with_duplicate(asked).judge(0.6, &edited);
        assert_eq!([0.2, 0.5, 0.6, 0.8].map(of), [Verdict::Duplicate; 4]);
        assert_eq!(of(0.9), Verdict::Related);
        let low = SimilarityParams::default().with_duplicate(0.2);
        assert_eq!(low.judge(0.22, &alignment(500, 200, 0.0, 0.0)), Verdict::Duplicate);
    }
}
