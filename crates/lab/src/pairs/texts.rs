//! Reads the gold texts of English and Vietnamese news, from which pairs are generated.
//!
//! A long text is cut at paragraphs into pieces of about 400 words. So a few long texts yield many pairs, and
//! all pieces are about as long as news. The manifest states the language. If the manifest has no language,
//! it is detected from letters and frequent short words.
//!
//! Limitation: pieces of one article count as different texts on the same topic.

use crate::dataset::{Dataset, DatasetError};
use crate::measure::words::{normal, words};

const PIECE: usize = 400;

const SHORTEST: usize = 60;

/// The language of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextLanguage {
    /// English.
    English,
    /// Vietnamese.
    Vietnamese,
}

impl TextLanguage {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Vietnamese];

    /// Returns the language tag: `en` or `vi`.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Vietnamese => "vi",
        }
    }

    /// Returns the language that the tag names or, if the tag is empty, the detected language of the text.
    /// Returns `None` if the language is neither English nor Vietnamese.
    #[must_use]
    pub fn new(tag: &str, text: &str) -> Option<Self> {
        match tag.split('-').next() {
            Some("en") => Some(Self::English),
            Some("vi") => Some(Self::Vietnamese),
            Some("") => Self::by_words(text),
            _ => None,
        }
    }

    fn by_words(text: &str) -> Option<Self> {
        let text = normal(text);
        let all = words(&text).count().max(1) as f64;
        let share = |is: fn(&str) -> bool| words(&text).filter(|word| is(word)).count() as f64 / all;
        let vietnamese =
            |word: &str| word.contains(|c| matches!(c, '\u{1ea0}'..='\u{1ef9}' | 'đ' | 'ơ' | 'ư'));
        let english = |word: &str| matches!(word, "the" | "of" | "and" | "to" | "in");
        match () {
            () if share(vietnamese) > 0.2 => Some(Self::Vietnamese),
            () if share(english) > 0.08 => Some(Self::English),
            () => None,
        }
    }
}

/// A piece of a gold text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text's language.
    pub language: TextLanguage,
    /// The site, or the set's name if the manifest has no site.
    pub site: String,
    /// The index of the article that contains this text, counted over all data sets.
    pub article: usize,
    /// The text's paragraphs.
    pub paragraphs: Vec<String>,
}

impl Text {
    /// Returns the text with one paragraph per line.
    #[must_use]
    pub fn whole(&self) -> String {
        self.paragraphs.join("\n")
    }
}

/// Returns the pieces of all English and Vietnamese gold texts in `sets`, in the order of the sets. Pieces of
/// fewer than 60 words are omitted.
///
/// # Errors
/// [`DatasetError::Read`] if a gold text cannot be read.
pub fn texts(sets: &[Dataset]) -> Result<Vec<Text>, DatasetError> {
    let mut texts = Vec::new();
    let entries = sets.iter().flat_map(|set| set.entries.iter().map(move |entry| (set, entry)));
    for (article, (set, entry)) in entries.enumerate() {
        let Some(gold) = entry.read_gold()? else { continue };
        let Some(language) = TextLanguage::new(&entry.lang, &gold) else { continue };
        let site = if entry.site.is_empty() { &set.name } else { &entry.site };
        let pieces = pieces(&gold).into_iter();
        texts.extend(pieces.map(|paragraphs| Text { language, site: site.clone(), article, paragraphs }));
    }
    Ok(texts)
}

fn pieces(text: &str) -> Vec<Vec<String>> {
    let (mut pieces, mut piece, mut count) = (Vec::new(), Vec::new(), 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        piece.push(line.to_owned());
        count += words(line).count();
        if count >= PIECE {
            pieces.push(std::mem::take(&mut piece));
            count = 0;
        }
    }
    if count >= SHORTEST {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_told_by_tag_or_text() {
        let cases = [
            ("vi-VN", "", Some(TextLanguage::Vietnamese)),
            ("en", "", Some(TextLanguage::English)),
            ("el", "the of and", None),
            ("", "Chợ quê họp sớm hơn thường lệ vì trời sắp mưa", Some(TextLanguage::Vietnamese)),
            ("", "The market opened to the growers in the morning", Some(TextLanguage::English)),
            ("", "Der Markt", None),
        ];
        for (tag, text, expected) in cases {
            assert_eq!(TextLanguage::new(tag, text), expected, "{tag} {text}");
        }
    }

    #[test]
    fn long_texts_are_cut_and_short_ones_left_out() {
        let line = "word ".repeat(100);
        let lengths = |text: &str| pieces(text).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(lengths(&format!("{line}\n\n").repeat(9)), [4, 4, 1]);
        assert_eq!(lengths(&"word ".repeat(59)), [0_usize; 0]);
    }
}
