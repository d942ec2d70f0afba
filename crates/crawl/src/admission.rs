//! From a draft to what the store takes, or to how the visit ends without it.
//!
//! Runs on a worker thread: texts are compressed here. What the settings keep out of the
//! corpus has an outcome of its own, so that it is counted like any other ending.

use gleaner_corpus::{Admission, Refusal};
use gleaner_frontier::Outcome;
use gleaner_store::PackedDocument;
use gleaner_template::Pins;

use crate::draft::Draft;

/// What the user says of a host's pages and of the corpus.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) pins: &'a Pins,
    pub(crate) admission: &'a Admission,
}

impl Rules<'_> {
    /// The document as the store takes it.
    pub(crate) fn admitted(self, draft: Option<Draft>) -> Result<PackedDocument, Outcome> {
        let draft = draft.ok_or_else(|| Outcome::NotArticle { reason: "no_text".into() })?;
        self.admission.admit(draft.document).map(PackedDocument::from_document).map_err(outcome_of)
    }
}

/// How the visit of a page ends whose document does not enter the corpus.
pub(crate) fn outcome_of(refusal: Refusal) -> Outcome {
    match refusal {
        Refusal::Language(language) => Outcome::OtherLanguage { language },
        Refusal::Condition(condition) => Outcome::Filtered { condition },
    }
}
