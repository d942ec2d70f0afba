//! Selects the Vietnamese or the English version of a text for people. The code contains both versions of
//! each text side by side.

use crate::render::text::{self, Notation};

/// A language of the status page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UiLanguage {
    /// English.
    English,
    /// Vietnamese.
    Vietnamese,
}

impl UiLanguage {
    /// Returns the language of a tag such as `vi` or `vi-VN`, or `None` if it is neither Vietnamese nor
    /// English.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        match tag.trim().split('-').next()?.to_ascii_lowercase().as_str() {
            "vi" => Some(Self::Vietnamese),
            "en" => Some(Self::English),
            _ => None,
        }
    }

    /// Returns the BCP 47 tag.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        self.choose("en", "vi")
    }

    /// Returns the version of a text in this language.
    #[must_use]
    pub const fn choose(self, english: &'static str, vietnamese: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::Vietnamese => vietnamese,
        }
    }

    /// Returns the notation of numbers in this language.
    #[must_use]
    pub const fn notation(self) -> Notation {
        match self {
            Self::English => Notation::ENGLISH,
            Self::Vietnamese => Notation::VIETNAMESE,
        }
    }

    /// Formats a number with separators between thousands.
    #[must_use]
    pub fn number(self, number: u64) -> String {
        self.notation().number(number)
    }

    /// Formats a number of bytes, as [`Notation::bytes`] does.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> String {
        self.notation().bytes(bytes)
    }

    /// Formats a number of seconds, as [`text::duration`] does.
    #[must_use]
    pub fn duration(self, seconds: u64) -> String {
        match self {
            Self::English => text::duration(seconds),
            Self::Vietnamese => text::duration_in_units(seconds, ["giây", "phút", "giờ", "ngày"]),
        }
    }

    /// Formats a number with a noun. `noun` is the English singular of a noun whose plural ends in `s`. A
    /// Vietnamese noun has no plural.
    #[must_use]
    pub fn count(self, count: u64, noun: &str, vietnamese: &str) -> String {
        match self {
            Self::English => text::count(count, noun),
            Self::Vietnamese => format!("{} {vietnamese}", self.number(count)),
        }
    }
}

/// A text in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bilingual {
    /// The English version.
    pub english: String,
    /// The Vietnamese version.
    pub vietnamese: String,
}

impl Bilingual {
    /// Creates a text from its two versions.
    pub fn new(english: impl Into<String>, vietnamese: impl Into<String>) -> Self {
        Self { english: english.into(), vietnamese: vietnamese.into() }
    }

    /// Creates a text that is the same in both languages, such as a name.
    pub fn same(text: impl Into<String>) -> Self {
        let english = text.into();
        Self { vietnamese: english.clone(), english }
    }

    /// Appends a text.
    #[must_use]
    pub fn followed_by(self, text: &Self) -> Self {
        Self { english: self.english + &text.english, vietnamese: self.vietnamese + &text.vietnamese }
    }

    /// Applies `change` to both versions.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Self { english: change(&self.english), vietnamese: change(&self.vietnamese) }
    }

    /// Returns the version in a language.
    #[must_use]
    pub fn in_language(&self, language: UiLanguage) -> &str {
        match language {
            UiLanguage::English => &self.english,
            UiLanguage::Vietnamese => &self.vietnamese,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_words_and_numbers_of_its_language() {
        let (english, vietnamese) = (UiLanguage::English, UiLanguage::Vietnamese);
        assert_eq!(english.count(1, "page", "trang"), "1 page");
        assert_eq!(english.count(1_200, "page", "trang"), "1,200 pages");
        assert_eq!(vietnamese.count(1_200, "page", "trang"), "1.200 trang");
        assert_eq!(
            (english.duration(7_199), vietnamese.duration(7_199)),
            ("1 h 59 min".into(), "1 giờ 59 phút".into())
        );
        assert_eq!(vietnamese.duration(3 * 86_400 + 7_300), "3 ngày 2 giờ");
        assert_eq!(
            Bilingual::new("rain", "mưa").map(|text| format!("{text}!")).in_language(vietnamese),
            "mưa!"
        );
        assert_eq!(
            Bilingual::new("rain", "mưa").followed_by(&Bilingual::same(" 3 mm")),
            Bilingual::new("rain 3 mm", "mưa 3 mm")
        );
        assert_eq!(UiLanguage::from_tag("vi-VN"), Some(vietnamese));
    }
}
