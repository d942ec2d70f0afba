//! Decides by language, publication day and measured values (such as the number of words) which documents
//! enter a corpus. Also unifies the tone marks of admitted documents. By default, every document enters
//! unchanged. Callers can count refusals by reason.
//!
//! Limitation: `und` (undetermined) is treated as a language. A corpus limited to `vi` excludes `und` unless
//! `und` is also listed. The values are computed from the stored text.

use std::fmt;

use jiff::civil::Date;

use crate::tones::{Tones, unify_tone_marks};
use crate::{Condition, ContentHash, Document, PerSite, Preference, Purpose, Quality};

/// The admission rules of a corpus, and the position of tone marks in admitted texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Admission {
    /// Admitted languages as BCP 47 primary tags; empty for all languages.
    pub languages: Vec<String>,
    /// Conditions on a document's measured values (figures). All of them must hold.
    pub conditions: Vec<Condition>,
    /// The position to which the tone marks in Vietnamese texts and titles are moved.
    pub tones: Tones,
    /// The first admitted publication day, in the page's time zone. `None` admits all days. Documents without
    /// a date are always admitted.
    pub published_after: Option<Date>,
    /// The purposes for which the site and the page of an admitted document do not disallow its use.
    pub allowed: Vec<Purpose>,
    /// Rules for single sites.
    pub sites: PerSite<SiteAdmission>,
}

/// The rules of a site. They replace the general rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteAdmission {
    /// Replaces [`Admission::languages`]. If `None`, the general rule applies.
    pub languages: Option<Vec<String>>,
    /// Replaces [`Admission::published_after`]. If the outer value is `None`, the general rule applies.
    pub published_after: Option<Option<Date>>,
}

/// Why a document is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdmissionRefusal {
    /// The document's language is not listed.
    Language(String),
    /// This condition does not hold. If several conditions do not hold, it is the first of them.
    Condition(String),
    /// The document was published before this day.
    PublishedBefore(Date),
    /// The site or the page disallows the use for this purpose.
    Disallowed(Purpose),
}

impl Admission {
    /// Returns the document in the form in which it enters the corpus.
    ///
    /// # Errors
    /// [`AdmissionRefusal`] if the document's language is not listed, if it was published too early, or if a
    /// condition does not hold.
    pub fn admit(&self, document: Document) -> Result<Document, AdmissionRefusal> {
        let site = self.sites.of_host(&document.host);
        let languages = site.and_then(|site| site.languages.as_ref()).unwrap_or(&self.languages);
        if !languages.is_empty() && !languages.contains(&document.language) {
            return Err(AdmissionRefusal::Language(document.language));
        }
        let first = site.and_then(|site| site.published_after).unwrap_or(self.published_after);
        if let Some(first) = first.filter(|first| day_of(&document).is_some_and(|day| day < *first)) {
            return Err(AdmissionRefusal::PublishedBefore(first));
        }
        let is_disallowed = |purpose: &&Purpose| document.usage.preference(**purpose) == Preference::Disallow;
        if let Some(purpose) = self.allowed.iter().find(is_disallowed) {
            return Err(AdmissionRefusal::Disallowed(*purpose));
        }
        let document = with_tones(document, self.tones);
        match self.first_broken(&document) {
            Some(condition) => Err(AdmissionRefusal::Condition(condition.to_string())),
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

fn day_of(document: &Document) -> Option<Date> {
    document.published.as_deref()?.get(..10)?.parse().ok()
}

/// Moves the tone marks of `oa`, `oe` and `uy` at the end of a syllable to the position that `tones` names,
/// in the text and title of a Vietnamese document. Updates the content hash. Returns other documents
/// unchanged.
#[must_use]
pub fn with_tones(mut document: Document, tones: Tones) -> Document {
    if document.language != "vi" || tones == Tones::AsWritten {
        return document;
    }
    document.title = document.title.map(|title| unify_tone_marks(&title, tones));
    let text = unify_tone_marks(&document.text, tones);
    if text != document.text {
        document.content_hash = ContentHash::from_text(&text);
        document.text = text;
    }
    document
}

impl Document {
    /// Returns the figure with this name, which is one of [`crate::condition::FIGURES`]. Returns `None` if
    /// the document lacks the figure. Always returns `None` for `similarity` and `near_duplicates`, the
    /// figures of clusters. Takes time proportional to the length of the text.
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

impl fmt::Display for AdmissionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Language(tag) => write!(f, "its language is {tag}"),
            Self::Condition(condition) => write!(f, "{condition} does not hold"),
            Self::PublishedBefore(day) => write!(f, "published before {day}"),
            Self::Disallowed(purpose) => write!(f, "the site disallows {purpose}"),
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
            ..Document::with_text(id, url, "a.example", text.into(), Timestamp::UNIX_EPOCH)
        }
    }

    fn admission(languages: &[&str], conditions: &[&str]) -> Admission {
        Admission {
            languages: languages.iter().map(ToString::to_string).collect(),
            conditions: conditions.iter().map(|text| text.parse().unwrap()).collect(),
            ..Admission::default()
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
    fn a_site_has_its_own_languages_and_days() {
        let of_site = SiteAdmission {
            languages: Some(vec!["en".into()]),
            published_after: Some("2025-06-01".parse().ok()),
        };
        let admission = Admission {
            published_after: "2026-01-01".parse().ok(),
            sites: PerSite::from_iter([("b.example".to_owned(), of_site)]),
            ..admission(&["vi"], &[])
        };
        for (host, language, published, refused) in [
            ("a.example", "vi", None, ""),
            ("a.example", "vi", Some("2026-01-01T00:30:00+07:00"), ""),
            ("a.example", "vi", Some("2025-12-31T23:59:00-05:00"), "published before 2026-01-01"),
            ("a.example", "vi", Some("2025-12-31"), "published before 2026-01-01"),
            ("a.example", "en", None, "its language is en"),
            ("www.b.example", "vi", None, "its language is vi"),
            ("www.b.example", "en", Some("2025-06-01"), ""),
            ("www.b.example", "en", Some("2025-05-31"), "published before 2025-06-01"),
        ] {
            let (host, published) = (host.to_owned(), published.map(str::to_owned));
            let document = Document { host, published, ..document(language, "Một hai ba.") };
            let refusal = admission.admit(document).err().map(|refusal| refusal.to_string());
            assert_eq!(refusal.unwrap_or_default(), refused);
        }
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
