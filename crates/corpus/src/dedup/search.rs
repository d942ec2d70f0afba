//! Finds the known documents that are similar to a text. Combines all steps from the tokens to the relation.
//!
//! ```text
//! tokens ─► signature ─► keys ─► candidates ─► signatures compared ─► texts compared ─► relation
//! ```
//!
//! [`SignedText::from_text`] needs only the text and can run in any thread. A
//! [`BandIndex`](crate::dedup::BandIndex) returns candidates. [`find_similar`] reads each candidate's
//! signature from the store. It then reads the texts of the few candidates whose signatures are similar.
//!
//! Limitation: the candidates with the most shared keys are compared by signature, at most
//! [`SimilarityParams::compared`] of them. The most similar of these are compared by text, at most
//! [`SimilarityParams::read`] of them.

use crate::dedup::alignment::Alignment;
use crate::dedup::bands::BandKeys;
use crate::dedup::index::{Candidate, DocumentNumber};
use crate::dedup::relation::{Relation, SimilarityParams};
use crate::dedup::signature::Signature;
use crate::dedup::tokens::Tokens;

/// A text prepared for the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedText {
    /// The tokens, for the comparison word by word.
    pub tokens: Tokens,
    /// The signature, which is stored with the document.
    pub signature: Signature,
    /// The keys in the index.
    pub keys: BandKeys,
}

impl SignedText {
    /// Computes the tokens, signature and keys of a text. Returns `None` if the text has fewer than
    /// [`FEWEST`](crate::dedup::signature::FEWEST) tokens. Such a text has only exact duplicates.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let tokens = Tokens::from_text(text);
        let signature = Signature::from_tokens(&tokens)?;
        Some(Self { keys: BandKeys::from_signature(&signature), tokens, signature })
    }
}

/// A known document and its relation to the new text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarDocument {
    /// The known document.
    pub document: DocumentNumber,
    /// [`Relation::Duplicate`] or [`Relation::Related`].
    pub verdict: Relation,
    /// Estimated similarity of the shingles, 0 to 1.
    pub similarity: f64,
    /// The comparison word by word. `None` if the texts were not compared.
    pub alignment: Option<Alignment>,
}

/// Access to the documents in the store.
pub trait DocumentReader {
    /// The error if the store cannot be read.
    type Error;

    /// Returns the signature of a document, or `None` if the document no longer exists.
    ///
    /// # Errors
    /// The store cannot be read.
    fn signature(&self, document: DocumentNumber) -> Result<Option<Signature>, Self::Error>;

    /// Returns the text of a document, or `None` if the document no longer exists.
    ///
    /// # Errors
    /// The store cannot be read.
    fn text(&self, document: DocumentNumber) -> Result<Option<String>, Self::Error>;
}

/// Returns the candidates that are similar to a new text. If there is a near-duplicate, it comes first. The
/// related documents follow, most similar first. Texts are compared in the order of estimated similarity
/// until one is a near-duplicate.
///
/// # Errors
/// The store cannot be read.
pub fn find_similar<D: DocumentReader>(
    new: &SignedText,
    candidates: &[Candidate],
    documents: &D,
    params: &SimilarityParams,
) -> Result<Vec<SimilarDocument>, D::Error> {
    let mut similar = with_similar_signatures(new, candidates, documents, params)?;
    for hit in similar.iter_mut().take(params.read) {
        let Some(text) = documents.text(hit.document)? else { continue };
        let alignment = Alignment::new(&new.tokens, &Tokens::from_text(&text));
        hit.verdict = params.relation(hit.similarity, &alignment);
        hit.alignment = Some(alignment);
        if hit.verdict == Relation::Duplicate {
            break;
        }
    }
    similar.sort_by_key(|hit| std::cmp::Reverse(hit.verdict));
    Ok(similar)
}

/// Returns the candidates with similar signatures as related documents, most similar first. Among equally
/// similar candidates, older ones come first.
fn with_similar_signatures<D: DocumentReader>(
    new: &SignedText,
    candidates: &[Candidate],
    documents: &D,
    params: &SimilarityParams,
) -> Result<Vec<SimilarDocument>, D::Error> {
    let mut similar = Vec::new();
    for &Candidate { document, .. } in candidates.iter().take(params.compared) {
        let Some(signature) = documents.signature(document)? else { continue };
        let similarity = new.signature.similarity(&signature);
        if params.estimate(similarity) > Relation::Other {
            similar.push(SimilarDocument {
                document,
                verdict: Relation::Related,
                similarity,
                alignment: None,
            });
        }
    }
    similar.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.document.cmp(&b.document)));
    Ok(similar)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::dedup::index::{BandIndex, BandTable};

    struct TestDocuments(Vec<String>);

    impl DocumentReader for TestDocuments {
        type Error = Infallible;

        fn signature(&self, document: DocumentNumber) -> Result<Option<Signature>, Infallible> {
            let text = self.0.get(document as usize);
            Ok(text.and_then(|text| Signature::from_tokens(&Tokens::from_text(text))))
        }

        fn text(&self, document: DocumentNumber) -> Result<Option<String>, Infallible> {
            Ok(self.0.get(document as usize).cloned())
        }
    }

    /// Returns 200 words. Some of them are numbers that depend on `number`, and every `edited`-th word occurs
    /// only in this text.
    fn text(topic: &str, edited: usize, number: usize) -> String {
        // Digits are replaced by letters, because a token with a digit is a number.
        let letters =
            |at: usize| at.to_string().bytes().map(|digit| char::from(digit + 49)).collect::<String>();
        let word = |at: usize| match at {
            _ if at % 25 == 7 => format!("{} ", at * number),
            _ if edited > 0 && at.is_multiple_of(edited) => format!("edited{} ", letters(at)),
            _ => format!("{topic}{} ", letters(at * at % 211)),
        };
        (0..200).map(word).collect()
    }

    fn found(kept: Vec<String>, new: &str) -> Vec<(DocumentNumber, Relation)> {
        let mut table = BandTable::with_memory(1 << 16);
        for (document, text) in (0..).zip(&kept) {
            let Ok(()) = table.put(document, &SignedText::from_text(text).unwrap().keys);
        }
        let new = SignedText::from_text(new).unwrap();
        let Ok(candidates) = table.candidates(&new.keys);
        let Ok(similar) = find_similar(&new, &candidates, &TestDocuments(kept), &SimilarityParams::default());
        similar.iter().map(|hit| (hit.document, hit.verdict)).collect()
    }

    #[test]
    fn a_copy_an_edited_copy_and_a_part_of_a_series_are_told_apart() {
        let kept = || vec![text("rain", 0, 3), text("wind", 0, 3)];
        let cases: [(String, &[(DocumentNumber, Relation)]); 4] = [
            (text("wind", 0, 3), &[(1, Relation::Duplicate)]),
            (text("rain", 20, 3), &[(0, Relation::Duplicate)]),
            (text("rain", 0, 4), &[(0, Relation::Related)]),
            (text("snow", 0, 3), &[]),
        ];
        for (new, expected) in cases {
            assert_eq!(found(kept(), &new), expected, "{new}");
        }
    }

    #[test]
    fn the_duplicate_stands_before_what_is_only_more_similar() {
        let kept = vec![text("rain", 0, 4), text("rain", 20, 3)];
        assert_eq!(found(kept, &text("rain", 0, 3)), [(1, Relation::Duplicate), (0, Relation::Related)]);
    }
}
