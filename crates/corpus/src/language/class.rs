//! Assigns words to classes that distinguish Vietnamese, English and similar languages.
//!
//! A word's class depends on its form: whether the word is a Vietnamese syllable with its marks
//! ([`gleaner_vietnamese::syllable`]), could be such a syllable without its marks, or is neither. For a word
//! without marks, the class also depends on two short lists of frequent words.
//!
//! Limitation: short words without marks (`de`, `la`) occur in dozens of languages. They are classified by
//! length.

use std::collections::HashSet;
use std::sync::LazyLock;

use gleaner_vietnamese::Syllable;
use unicode_normalization::UnicodeNormalization;

use crate::quality::stop_words;

/// Syllables that are frequent in Vietnamese text without marks, and a hundred times rarer in other
/// languages. They were selected from the most frequent syllables in the lists of wordfreq 3.1. Names of
/// people are omitted.
const TELLING: &str = "cua duoc cac trong khong cho nay nguoi nhung cung thi lam thu khi nhu dung cong thanh ngay \
    nhan tinh dang thuc vao chung bao nha chinh phai ong chu hoc hoa phan nhat viec dinh thoi dien trung biet hien \
    thay thong truong thuong viet theo phat hanh nuoc sinh ky thang tuong nhieu duong quoc hinh chuyen phong khac \
    chua ngoai yeu ket truoc tham giai danh phu hieu xuat giao phap tay xa luong cach gioi binh thich chuc nghi pho \
    trinh trang nghe lon canh thuoc giup doan loai cuoc tac toan muon nho khu kinh hoac goi bai tiep gian phuong \
    huong gio tieu muc cuoi kien tieng vua nhau quyen nghiep nhien truyen xem kiem khoi tranh duoi sach phuc luon \
    thiet tuyen khoa thien tuc nhanh tuy vong lich cuu kho khoang thuat";

/// The class of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordClass {
    /// A Vietnamese syllable with a letter or mark that hardly any other language has: `đ`, `ơ`, `ư`, a hook
    /// above, a dot below, or two marks on one letter.
    Vietnamese,
    /// A Vietnamese syllable with marks that other languages also use: `là`, `thì`.
    Shared,
    /// A word with marks or special letters that is not a Vietnamese syllable: `très`, `straße`.
    Foreign,
    /// A syllable without marks that is frequent in Vietnamese and rare in other languages.
    Telling,
    /// An English function word that could be a Vietnamese syllable without marks: `an`, `the`.
    EnglishSyllable,
    /// Any other English function word: `of`, `with`.
    English,
    /// Any other word of one or two letters that could be a Vietnamese syllable without marks.
    Syllable2,
    /// Like [`WordClass::Syllable2`], but three letters long.
    Syllable3,
    /// Like [`WordClass::Syllable2`], but four letters long.
    Syllable4,
    /// Like [`WordClass::Syllable2`], but five or more letters long.
    Syllable5,
    /// A word without marks, of one to three letters, that cannot be a syllable.
    Other3,
    /// A word without marks, of four or five letters, that cannot be a syllable.
    Other5,
    /// A word without marks, of six or more letters, that cannot be a syllable.
    OtherLong,
}

/// The number of classes.
pub const CLASSES: usize = WordClass::OtherLong as usize + 1;

impl WordClass {
    /// Returns the class of a word in Latin letters, in any case and normal form. Returns `None` if the word
    /// has digits or is in another script.
    ///
    /// ```
    /// use gleaner_corpus::language::class::WordClass;
    ///
    /// let class = |word| WordClass::from_word(word).unwrap();
    /// assert_eq!((class("người"), class("là"), class("Straße")), (WordClass::Vietnamese, WordClass::Shared, WordClass::Foreign));
    /// assert_eq!((class("NGUOI"), class("tuong"), class("hang")), (WordClass::Telling, WordClass::Telling, WordClass::Syllable4));
    /// assert_eq!((class("the"), class("with"), class("weather")), (WordClass::EnglishSyllable, WordClass::English, WordClass::OtherLong));
    /// assert_eq!(WordClass::from_word("2026"), None);
    /// assert_eq!(WordClass::from_word("новости"), None);
    /// ```
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let mut lower = if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase() };
        if lower.is_ascii() {
            return lower.bytes().all(|byte| byte.is_ascii_alphabetic()).then(|| Self::of_plain(&lower));
        }
        if !lower.chars().all(is_latin) {
            return None;
        }
        if !unicode_normalization::is_nfc(&lower) {
            lower = lower.nfc().collect();
        }
        Some(match Syllable::from_word(&lower) {
            Some(_) if lower.chars().any(is_vietnamese) => Self::Vietnamese,
            Some(_) => Self::Shared,
            None => Self::Foreign,
        })
    }

    fn of_plain(word: &str) -> Self {
        static LIST: LazyLock<HashSet<&str>> = LazyLock::new(|| TELLING.split_whitespace().collect());
        let is_syllable = Syllable::could_be_without_marks(word);
        let is_english = stop_words::for_language("en").is_some_and(|list| list.contains(word));
        match (is_syllable, is_english, word.len()) {
            _ if LIST.contains(word) => Self::Telling,
            (true, true, _) => Self::EnglishSyllable,
            (false, true, _) => Self::English,
            (true, false, ..3) => Self::Syllable2,
            (true, false, 3) => Self::Syllable3,
            (true, false, 4) => Self::Syllable4,
            (true, false, _) => Self::Syllable5,
            (false, false, ..4) => Self::Other3,
            (false, false, ..6) => Self::Other5,
            (false, false, _) => Self::OtherLong,
        }
    }
}

/// Whether `c` is a letter of the first Latin blocks or of Latin Extended Additional, or a combining mark.
pub(super) const fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}' | 'ª' | 'º')
}

/// Whether `c` is a composed lower-case letter that hardly any other language has.
const fn is_vietnamese(c: char) -> bool {
    matches!(c, 'đ' | 'ơ' | 'ư' | 'ạ'..='ỷ' | 'ỹ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telling_syllables_are_syllables_without_marks() {
        for word in TELLING.split_whitespace() {
            assert_eq!(WordClass::from_word(word), Some(WordClass::Telling), "{word}");
            assert!(Syllable::could_be_without_marks(word), "{word}");
            assert!(stop_words::for_language("en").is_some_and(|list| !list.contains(word)), "{word}");
        }
    }

    #[test]
    fn case_and_normal_form_do_not_matter() {
        for (one, other) in [("đường", "ĐƯỜNG"), ("việt", "vie\u{323}\u{302}t"), ("là", "LA\u{300}")]
        {
            assert_eq!(WordClass::from_word(one), WordClass::from_word(other), "{one}");
        }
        assert_eq!(WordClass::from_word("ệ"), Some(WordClass::Vietnamese));
        assert_eq!(WordClass::from_word("não"), Some(WordClass::Shared));
    }
}
