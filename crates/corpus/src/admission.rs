//! Decides which documents enter a corpus, by language and figures, and unifies their tone marks.
//!
//! By default every document enters unchanged. Each refusal has a reason, so refusals can be counted by
//! reason.
//!
//! Limitation: `und` (undetermined) is treated as a language: a corpus limited to `vi` excludes it
//! unless `und` is also listed. Figures are computed from the text as it is stored.

use std::fmt;

use crate::tones::{Tones, unified};
use crate::{Condition, ContentHash, Document, Quality};

/// The admission rules of a corpus, and where admitted texts have their tone marks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Admission {
    /// Admitted languages as BCP 47 primary tags; empty for all languages.
    pub languages: Vec<String>,
    /// Conditions on a document's figures; all must hold.
    pub conditions: Vec<Condition>,
    /// Where the tone marks of Vietnamese texts and titles are placed.
    pub tones: Tones,
}

/// Why a document is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The document's language, which is not listed.
    Language(String),
    /// The first condition that does not hold.
    Condition(String),
}

impl Admission {
    /// Returns the document in the form in which it enters the corpus.
    ///
    /// # Errors
    /// If the document's language is not listed, or a condition does not hold.
    pub fn admit(&self, document: Document) -> Result<Document, Refusal> {
        if !self.languages.is_empty() && !self.languages.contains(&document.language) {
            return Err(Refusal::Language(document.language));
        }
        let document = with_tones(document, self.tones);
        match self.first_broken(&document) {
            Some(condition) => Err(Refusal::Condition(condition.to_string())),
            None => Ok(document),
        }
    }

    fn first_broken(&self, document: &Document) -> Option<&Condition> {
        if self.conditions.is_empty() {
            return None;
        }
        let quality = Quality::new(&document.text, &document.language);
        let figure = |name: &str| figure(document, &quality, name);
        self.conditions.iter().find(|condition| !condition.holds(figure))
    }
}

/// Moves the tone marks of open `oa`, `oe` and `uy` in a Vietnamese text and title to the place given by
/// `tones`, and updates the content hash. Other documents are returned unchanged.
#[must_use]
pub fn with_tones(mut document: Document, tones: Tones) -> Document {
    if document.language != "vi" || tones == Tones::AsWritten {
        return document;
    }
    document.title = document.title.map(|title| unified(&title, tones));
    let text = unified(&document.text, tones);
    if text != document.text {
        document.content_hash = ContentHash::from_text(&text);
        document.text = text;
    }
    document
}

impl Document {
    /// Returns the figure with this name, one of [`crate::condition::FIGURES`]; `None` if the document
    /// lacks it. Reads the whole text.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<f64> {
        figure(self, &Quality::new(&self.text, &self.language), name)
    }
}

fn figure(document: &Document, quality: &Quality, name: &str) -> Option<f64> {
    let share = |hundredths: Option<u8>| hundredths.map(|it| f64::from(it) / 100.0);
    match name {
        "words" => Some(quality.words as f64),
        "sentence_length" => Some(quality.sentence_length),
        "stop_word_share" => quality.stop_word_share,
        "repeated_line_share" => Some(quality.repeated_line_share),
        "symbol_share" => Some(quality.symbol_share),
        "confidence" => share(document.confidence),
        "language_probability" => share(document.language_probability),
        _ => None,
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Language(tag) => write!(f, "its language is {tag}"),
            Self::Condition(condition) => write!(f, "{condition} does not hold"),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::DocumentId;

    fn document(language: &str, text: &str) -> Document {
        let (id, url) = (DocumentId([7; 16]), "https://a.example/1");
        Document {
            title: Some("Hoà bình".into()),
            language: language.into(),
            kinds: "p".into(),
            language_probability: Some(98),
            ..Document::bare(id, url, "a.example", text.into(), Timestamp::UNIX_EPOCH)
        }
    }

    fn admission(languages: &[&str], conditions: &[&str]) -> Admission {
        Admission {
            languages: languages.iter().map(ToString::to_string).collect(),
            conditions: conditions.iter().map(|text| text.parse().unwrap()).collect(),
            tones: Tones::AsWritten,
        }
    }

    #[test]
    fn the_first_reason_is_given() {
        let refused = |languages: &[&str], conditions: &[&str]| {
            let refusal = admission(languages, conditions).admit(document("vi", "Một hai ba.")).err();
            refusal.map(|refusal| refusal.to_string()).unwrap_or_default()
        };
        assert_eq!(refused(&[], &[]), "");
        assert_eq!(refused(&["en", "vi"], &["words>=3", "confidence>=1"]), "");
        assert_eq!(refused(&["en", "und"], &["words>=4"]), "its language is vi");
        assert_eq!(refused(&["vi"], &["words>=3", "words >= 4", "words>=5"]), "words>=4 does not hold");
        assert_eq!(refused(&[], &["language_probability>=0.99"]), "language_probability>=0.99 does not hold");
    }

    #[test]
    fn tones_are_put_in_one_place_in_vietnamese_only() {
        let placed = |language, tones| {
            Admission { tones, ..Admission::default() }.admit(document(language, "Khoẻ, thúy.")).unwrap()
        };
        let old = placed("vi", Tones::Old);
        assert_eq!((old.title.as_deref(), old.text.as_str()), (Some("Hòa bình"), "Khỏe, thúy."));
        assert_eq!(old.content_hash, ContentHash::from_text("Khỏe, thúy."));
        assert_eq!(placed("vi", Tones::New).text, "Khoẻ, thuý.");
        assert_eq!(placed("fr", Tones::New), document("fr", "Khoẻ, thúy."));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn what_was_admitted_is_admitted_again(text in "([a-zàòủý]{1,5}[ .\n]){1,40}", least in 0u32..40) {
            let admission = Admission { tones: Tones::Old, ..admission(&["vi"], &[&format!("words>={least}")]) };
            if let Ok(admitted) = admission.admit(document("vi", &text)) {
                proptest::prop_assert_eq!(admission.admit(admitted.clone()), Ok(admitted));
            }
        }
    }
}
