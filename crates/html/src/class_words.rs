//! Finds words in the classes and ids of elements.

use crate::{NodeId, Page};

/// Lower-case ASCII words of at least two letters, to find in classes and ids.
pub(crate) struct ClassWords {
    words: &'static [&'static str],
    /// For the low five bits of a first letter, the bits of the second letters of the words. They are the same for a
    /// capital and a small letter.
    beginnings: [u32; 32],
}

impl ClassWords {
    pub(crate) const fn new(words: &'static [&'static str]) -> Self {
        let mut beginnings = [0; 32];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            beginnings[(word[0] & 31) as usize] |= 1 << (word[1] & 31);
            at += 1;
        }
        Self { words, beginnings }
    }

    /// Whether a name contains one of the words, ignoring case.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        let name = name.as_bytes();
        let begins_here = |(at, pair): (usize, &[u8])| {
            let begins = |word: &&str| {
                let here = name.get(at..at + word.len());
                here.is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
            };
            self.beginnings[usize::from(pair[0] & 31)] >> (pair[1] & 31) & 1 == 1
                && self.words.iter().any(begins)
        };
        name.windows(2).enumerate().any(begins_here)
    }

    /// Whether the class or the id of an element contains one of the words.
    pub(crate) fn are_in_names_of(&self, page: &Page, id: NodeId) -> bool {
        page.class_and_id(id).into_iter().any(|name| self.is_in(name))
    }

    /// Returns the elements whose class or id contains one of the words, in page order.
    pub(crate) fn elements<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = NodeId> + 'a {
        page.iter().map(|(id, _)| id).filter(|id| self.are_in_names_of(page, *id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_names() {
        const WORDS: ClassWords = ClassWords::new(&["date", "time", "cap-nhat"]);
        for (name, expected) in [
            ("post-Date_x", true),
            ("TIMESTAMP", true),
            ("Cap-Nhat", true),
            ("dat", false),
            ("capmnhat", false),
            ("d", false),
            ("ngày", false),
            ("", false),
        ] {
            assert_eq!(WORDS.is_in(name), expected, "{name}");
        }
    }
}
