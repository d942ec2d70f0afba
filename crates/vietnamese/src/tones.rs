//! Unifies the place of the tone mark in open `oa`, `oe` and `uy`: `hòa` or `hoà`.
//!
//! Both occur, often in one text. The old style marks the first vowel, the style taught in schools
//! since the 1980s the second. All other rhymes have one place, and after `qu` the `u` is not part
//! of the rhyme (always `quý`).

use unicode_normalization::UnicodeNormalization;

use crate::Syllable;

/// The vowel with the mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The old style: `hòa`, `khỏe`, `thúy`.
    First,
    /// The new style: `hoà`, `khoẻ`, `thuý`.
    Second,
}

/// The text in NFC with all such marks in one style, otherwise unchanged.
///
/// ```
/// use gleaner_vietnamese::tones::{Placement, unified};
///
/// assert_eq!(unified("Hoà bình, khoẻ, quý", Placement::First), "Hòa bình, khỏe, quý");
/// assert_eq!(unified("Hòa bình, khỏe, quý", Placement::Second), "Hoà bình, khoẻ, quý");
/// ```
#[must_use]
pub fn unified(text: &str, placement: Placement) -> String {
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
        match moved(word, placement) {
            Some(moved) => out.push_str(&moved),
            None => out.push_str(word),
        }
        rest = behind;
    }
    out
}

/// The word with its mark in that style; `None` if nothing moves.
fn moved(word: &str, placement: Placement) -> Option<String> {
    let syllable = Syllable::from_word(word)?;
    let mark = syllable.tone.mark()?;
    if !matches!(syllable.rhyme, "oa" | "oe" | "uy") {
        return None;
    }
    let mut letters: Vec<char> = word.nfd().filter(|c| *c != mark).collect();
    // The rhyme is the last two letters, which have no other marks.
    let vowel = letters.len() - if placement == Placement::First { 2 } else { 1 };
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
        assert_eq!(unified(old, Placement::Second), new);
        assert_eq!(unified(new, Placement::First), old);
        for same in ["hoàn toàn", "khoét", "quý quà", "của mía", "thuyền", "Genève, Zoë, Hòà", ""]
        {
            assert_eq!(unified(same, Placement::First), same);
            assert_eq!(unified(same, Placement::Second), same);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn once_is_enough(text in "[hqtk][oue]{1,2}[àảãáạaeéẻyýỳ]{0,2}( |x|[a-zòóọ]){0,6}") {
            for placement in [Placement::First, Placement::Second] {
                let once = unified(&text, placement);
                prop_assert_eq!(unified(&once, placement), once.clone());
                let back = unified(&unified(&text, Placement::First), placement);
                prop_assert_eq!(back, once);
            }
        }
    }
}
