//! Turns a draft into a document for the store, or into an outcome if the document is refused.
//!
//! Runs on a worker thread, because it also compresses the text. Each kind of refusal has its own outcome.

use gleaner_corpus::{Admission, AdmissionRefusal, Document};
use gleaner_frontier::Outcome;
use gleaner_store::PackedDocument;
use gleaner_template::Pins;

#[derive(Debug, Clone, Copy)]
pub(crate) struct AdmissionRules<'a> {
    pub(crate) pins: &'a Pins,
    pub(crate) admission: &'a Admission,
}

impl AdmissionRules<'_> {
    pub(crate) fn admit_draft(self, draft: Option<Document>) -> Result<PackedDocument, Outcome> {
        let draft = draft.ok_or_else(|| Outcome::NotArticle { reason: "no_text".into() })?;
        self.admission.admit(draft).map(PackedDocument::from_document).map_err(outcome_of)
    }
}

pub(crate) fn outcome_of(refusal: AdmissionRefusal) -> Outcome {
    match refusal {
        AdmissionRefusal::Language(language) => Outcome::OtherLanguage { language },
        AdmissionRefusal::Condition(condition) => Outcome::Filtered { condition },
        refusal @ AdmissionRefusal::PublishedBefore(_) => Outcome::Excluded { rule: refusal.to_string() },
    }
}
