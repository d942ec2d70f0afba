//! Unifies the position of the tone mark in `oa`, `oe` and `uy` at the end of a syllable: `hòa` or `hoà`.
//!
//! Both spellings occur, often in one text. The old style marks the first vowel. The new style, which schools
//! have taught since the 1980s, marks the second. In all other rhymes, the mark has only one position. After
//! `q`, the `u` is not part of the rhyme, so `quý` has only one spelling.

use gleaner_vietnamese::Syllable;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// The position of the tone mark in `oa`, `oe` and `uy` at the end of a syllable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tones {
    /// As in the original text.
    #[default]
    AsWritten,
    /// On the first vowel, the old style: `hòa`, `khỏe`, `thúy`.
    Old,
    /// On the second vowel, the new style: `hoà`, `khoẻ`, `thuý`.
    New,
}

/// Returns the text in NFC. The tone marks of `oa`, `oe` and `uy` at the ends of syllables get the position
/// `tones`. [`Tones::AsWritten`] leaves the text unchanged.
///
/// ```
/// use gleaner_corpus::{Tones, unify_tone_marks};
///
/// assert_eq!(unify_tone_marks("Hoà bình, khoẻ, quý", Tones::Old), "Hòa bình, khỏe, quý");
/// assert_eq!(unify_tone_marks("Hòa bình, khỏe, quý", Tones::New), "Hoà bình, khoẻ, quý");
/// assert_eq!(unify_tone_marks("Hoà bình, thúy", Tones::AsWritten), "Hoà bình, thúy");
/// ```
#[must_use]
pub fn unify_tone_marks(text: &str, tones: Tones) -> String {
    let vowel = match tones {
        Tones::AsWritten => return text.to_owned(),
        Tones::Old => 2,
        Tones::New => 1,
    };
    let text: String = text.nfc().collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphabetic() {
            rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(length);
        match move_tone_mark(word, vowel) {
            Some(moved) => out.push_str(&moved),
            None => out.push_str(word),
        }
        rest = behind;
    }
    out
}

/// Returns the word with its tone mark on another letter. `from_end` is that letter's position from the end:
/// 1 is the last letter. Returns `None` if the word has no mark or another rhyme.
fn move_tone_mark(word: &str, from_end: usize) -> Option<String> {
    let syllable = Syllable::from_word(word)?;
    let mark = syllable.tone.mark()?;
    if !matches!(syllable.rhyme, "oa" | "oe" | "uy") {
        return None;
    }
    let mut letters: Vec<char> = word.nfd().filter(|c| *c != mark).collect();
    // The rhyme is the last two letters. They have no other marks.
    let vowel = letters.len() - from_end;
    letters.insert(vowel + 1, mark);
    Some(letters.into_iter().nfc().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_open_rhymes_move() {
        let old = "Hòa HÒA hỏa xóa họa khỏe lòe thúy ủy hủy Thụy đóa";
        let new = "Hoà HOÀ hoả xoá hoạ khoẻ loè thuý uỷ huỷ Thuỵ đoá";
        assert_eq!(unify_tone_marks(old, Tones::New), new);
        assert_eq!(unify_tone_marks(new, Tones::Old), old);
        for same in ["hoàn toàn", "khoét", "quý quà", "của mía", "thuyền", "Genève, Zoë, Hòà", ""]
        {
            assert_eq!(unify_tone_marks(same, Tones::Old), same);
            assert_eq!(unify_tone_marks(same, Tones::New), same);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn once_is_enough(text in "[hqtk][oue]{1,2}[àảãáạaeéẻyýỳ]{0,2}( |x|[a-zòóọ]){0,6}") {
            for tones in [Tones::Old, Tones::New] {
                let once = unify_tone_marks(&text, tones);
                prop_assert_eq!(unify_tone_marks(&once, tones), once.clone());
                let back = unify_tone_marks(&unify_tone_marks(&text, Tones::Old), tones);
                prop_assert_eq!(back, once);
            }
        }
    }
}
