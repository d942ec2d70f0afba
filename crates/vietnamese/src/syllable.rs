//! Parses Vietnamese syllables into an onset, a rhyme and a tone.
//!
//! Written Vietnamese puts a space between syllables, and few syllables are possible: 27 onsets (or none),
//! 165 rhymes, and six tones. Rhymes that end in `c`, `ch`, `p` or `t` have only two of the tones. Therefore
//! syllables can be recognized by their form.
//!
//! Limitation: loan words and foreign names (`internet`, `pano`) are not syllables. Some English words are
//! valid syllables (`hang`, `the`), and many more are valid if marks are ignored.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

/// A tone of a Vietnamese syllable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tone {
    /// ngang, without a mark.
    Level,
    /// huyền: `à`.
    Falling,
    /// sắc: `á`.
    Rising,
    /// hỏi: `ả`.
    Dipping,
    /// ngã: `ã`.
    Creaky,
    /// nặng: `ạ`.
    Heavy,
}

impl Tone {
    /// Returns the tone's combining mark, or `None` for [`Tone::Level`].
    #[must_use]
    pub const fn mark(self) -> Option<char> {
        match self {
            Self::Level => None,
            Self::Falling => Some('\u{300}'),
            Self::Rising => Some('\u{301}'),
            Self::Dipping => Some('\u{309}'),
            Self::Creaky => Some('\u{303}'),
            Self::Heavy => Some('\u{323}'),
        }
    }

    /// Returns the tone of a combining mark, or `None` for any other character.
    #[must_use]
    pub const fn of_mark(mark: char) -> Option<Self> {
        Some(match mark {
            '\u{300}' => Self::Falling,
            '\u{301}' => Self::Rising,
            '\u{309}' => Self::Dipping,
            '\u{303}' => Self::Creaky,
            '\u{323}' => Self::Heavy,
            _ => return None,
        })
    }
}

/// A syllable, split into its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Syllable {
    /// The lower-case consonants before the vowel, including the `u` of `qu` and the `i` of `gi`. May be
    /// empty.
    pub onset: &'static str,
    /// The letters after the onset, in lower case and NFC, without the tone.
    pub rhyme: &'static str,
    /// The syllable's tone.
    pub tone: Tone,
}

/// The onsets, longest first, so that the first match is the correct one.
const ONSETS: [&str; 28] = [
    "ngh", "ch", "gh", "gi", "kh", "ng", "nh", "ph", "qu", "th", "tr", "b", "c", "d", "đ", "g", "h", "k",
    "l", "m", "n", "p", "r", "s", "t", "v", "x", "",
];

/// The rhymes, sorted by bytes for binary search.
const RHYMES: [&str; 165] = [
    "a", "ac", "ach", "ai", "am", "an", "ang", "anh", "ao", "ap", "at", "au", "ay", "e", "ec", "em", "en",
    "eng", "eo", "ep", "et", "i", "ia", "ich", "im", "in", "inh", "ip", "it", "iu", "iêc", "iêm", "iên",
    "iêng", "iêp", "iêt", "iêu", "o", "oa", "oac", "oach", "oai", "oam", "oan", "oang", "oanh", "oao", "oap",
    "oat", "oay", "oc", "oe", "oem", "oen", "oeo", "oet", "oi", "om", "on", "ong", "ooc", "oong", "op", "ot",
    "oăc", "oăm", "oăn", "oăng", "oăt", "u", "ua", "uau", "uc", "ui", "um", "un", "ung", "up", "ut", "uy",
    "uya", "uych", "uyn", "uynh", "uyt", "uyu", "uyên", "uyêt", "uân", "uâng", "uât", "uây", "uê", "uêch",
    "uên", "uênh", "uôc", "uôi", "uôm", "uôn", "uông", "uôt", "uơ", "y", "ych", "yn", "ynh", "yt", "yêm",
    "yên", "yêng", "yêt", "yêu", "âc", "âm", "ân", "âng", "âp", "ât", "âu", "ây", "ê", "êch", "êm", "ên",
    "ênh", "êp", "êt", "êu", "ô", "ôc", "ôi", "ôm", "ôn", "ông", "ôp", "ôt", "ăc", "ăm", "ăn", "ăng", "ăp",
    "ăt", "ơ", "ơi", "ơm", "ơn", "ơp", "ơt", "ư", "ưa", "ưc", "ưi", "ưm", "ưng", "ưt", "ưu", "ươc", "ươi",
    "ươm", "ươn", "ương", "ươp", "ươt", "ươu",
];

/// Maximum length of a syllable such as `nghiêng`, in characters, including separate combining marks.
const MAX: usize = 14;

impl Syllable {
    /// Parses a word in any case and normal form. Returns `None` if it is not a syllable.
    ///
    /// ```
    /// use gleaner_vietnamese::syllable::{Syllable, Tone};
    ///
    /// let syllable = Syllable::from_word("Nghiêng").unwrap();
    /// assert_eq!((syllable.onset, syllable.rhyme, syllable.tone), ("ngh", "iêng", Tone::Level));
    /// assert_eq!(Syllable::from_word("việt").unwrap().tone, Tone::Heavy);
    /// assert_eq!(Syllable::from_word("viết").unwrap().rhyme, "iêt");
    /// assert_eq!(Syllable::from_word("vièt"), None);
    /// assert_eq!(Syllable::from_word("internet"), None);
    /// ```
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let (letters, tone) = parts(word)?;
        let fits = |onset: &&'static str| {
            let rest = letters.strip_prefix(*onset)?;
            Some((*onset, rhyme_of(rest)?))
        };
        let (onset, rhyme) = ONSETS.iter().find_map(fits).or_else(|| of_gi(&letters))?;
        let is_stopped = rhyme.ends_with(['c', 'p', 't']) || rhyme.ends_with("ch");
        let is_possible = !is_stopped || matches!(tone, Tone::Rising | Tone::Heavy);
        is_possible.then_some(Self { onset, rhyme, tone })
    }

    /// Whether `word` consists of ASCII letters and equals a Vietnamese syllable without its marks.
    ///
    /// ```
    /// use gleaner_vietnamese::Syllable;
    ///
    /// assert!(Syllable::could_be_without_marks("nguoi"));
    /// assert!(Syllable::could_be_without_marks("Viet"));
    /// assert!(!Syllable::could_be_without_marks("street"));
    /// assert!(!Syllable::could_be_without_marks("người"));
    /// ```
    #[must_use]
    pub fn could_be_without_marks(word: &str) -> bool {
        static ALL: LazyLock<HashSet<String>> = LazyLock::new(all_without_marks);
        // No syllable is longer than this. The check rejects many foreign words without a lookup.
        if word.len() > MAX_PLAIN_LENGTH {
            return false;
        }
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            ALL.contains(word)
        } else {
            word.is_ascii() && ALL.contains(&word.to_ascii_lowercase())
        }
    }
}

/// Length of `nghieng` and `nghuong`, the longest syllables without marks.
const MAX_PLAIN_LENGTH: usize = 7;

/// Returns every combination of onset and rhyme, and the words of [`of_gi`], without marks.
fn all_without_marks() -> HashSet<String> {
    let onsets = ONSETS.iter().filter(|onset| **onset != "đ");
    let joined = onsets.flat_map(|onset| RHYMES.iter().map(move |rhyme| format!("{onset}{rhyme}")));
    let after_gi = RHYMES.iter().filter(|rhyme| rhyme.starts_with('i')).map(|rhyme| format!("g{rhyme}"));
    joined.chain(after_gi).map(|syllable| syllable.chars().map(without_mark).collect()).collect()
}

fn rhyme_of(letters: &str) -> Option<&'static str> {
    RHYMES.binary_search(&letters).ok().map(|at| RHYMES[at])
}

/// Splits a syllable whose `i` belongs to both onset and rhyme: `gì` is `gi` and `i`, and `giếng` is `gi` and
/// `iêng`.
fn of_gi(letters: &str) -> Option<(&'static str, &'static str)> {
    let rest = letters.strip_prefix('g').filter(|rest| rest.starts_with('i'))?;
    Some(("gi", rhyme_of(rest)?))
}

/// Returns the letters in lower case without the tone, and the tone. Returns `None` if the word is empty or
/// too long, has two tones, or contains a letter that Vietnamese lacks.
fn parts(word: &str) -> Option<(String, Tone)> {
    if word.is_empty() || word.chars().count() > MAX {
        return None;
    }
    let mut tone = Tone::Level;
    let mut letters = String::with_capacity(word.len());
    for c in word.chars().flat_map(char::to_lowercase).nfd() {
        match c {
            'a'..='z' | 'đ' | '\u{302}' | '\u{306}' | '\u{31B}' => letters.push(c),
            c => {
                let found = Tone::of_mark(c).filter(|_| tone == Tone::Level)?;
                tone = found;
            }
        }
    }
    Some((letters.nfc().collect(), tone))
}

const fn without_mark(c: char) -> char {
    match c {
        'ă' | 'â' => 'a',
        'ê' => 'e',
        'ô' | 'ơ' => 'o',
        'ư' => 'u',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syllables_are_told_from_other_words() {
        let yes = "Hà Nội mưa rất to đường phố ngập nước người dân thuyền quyển nghiêng giữa gì giếng khuya \
                   oanh ủy uống ĐƯỜNG xoong quốc huỳnh khuếch thuở nghĩa yêu ý gìn quý quyết tuýt quần";
        for word in yes.split_whitespace() {
            assert!(Syllable::from_word(word).is_some(), "{word}");
        }
        for word in
            ["street", "Nội1", "vjệt", "cát̀", "tàc", "", "nghh", "ngươiiiiiiiii", "wow", "Zürich", "über"]
        {
            assert_eq!(Syllable::from_word(word), None, "{word}");
        }
    }

    #[test]
    fn any_normal_form_is_read() {
        let word = "Đường";
        let decomposed: String = word.nfd().collect();
        assert_eq!(Syllable::from_word(&decomposed), Syllable::from_word(word));
        assert_eq!(Syllable::from_word(word).unwrap().tone, Tone::Falling);
    }

    #[test]
    fn rhymes_are_in_their_order_and_there_once() {
        assert!(RHYMES.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn unmarked_text_is_told() {
        let text = "nguoi dan Ha Noi cho mua xuan ve tren pho cu";
        assert!(text.split(' ').all(Syllable::could_be_without_marks));
        let english = "the weather people wanted yesterday strength knows school";
        let count = english.split(' ').filter(|word| Syllable::could_be_without_marks(word)).count();
        assert_eq!(count, 1, "the");
    }
}
