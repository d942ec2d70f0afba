//! Interns names of tags and attributes.
//!
//! html5ever's interned names are cheap to compare but expensive to create: each name costs a keyed hash, and
//! an unknown name also costs a lock. A page repeats some hundred names thousands of times. Therefore names
//! of up to 24 bytes are cached in a table with two entries per hash. The key consists of the bytes of the
//! name, as three integers. Each thread keeps its table between pages ([`Names::take`]). The table does not
//! affect results.
//!
//! Limitation: if three names have the same hash, only two of them are cached.

use std::cell::Cell;

use html5ever::LocalName;

use crate::tags::Display;

use super::tag::Tag;

/// Number of entries in the table, a power of two.
const PLACES: usize = 512;

const LONGEST: usize = 24;

thread_local! {
    static KEPT: Cell<Option<Names>> = const { Cell::new(None) };
}

#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) name: LocalName,
    pub(super) tag: Tag,
    pub(super) display: Display,
    /// The first eight bytes as an integer. Integers have the same order as the bytes.
    pub(super) head: u64,
}

impl Name {
    pub(super) fn new(name: LocalName) -> Self {
        let tag = Tag::from_name(&name);
        let head = lower_word(name.as_bytes(), 0, name.len()).swap_bytes();
        let display = Display::from_name(&name);
        Self { name, tag, display, head }
    }
}

pub(super) struct Names {
    places: Vec<([u64; 3], Name)>,
}

impl Names {
    pub(super) fn take() -> Self {
        KEPT.take().unwrap_or_else(Self::new)
    }

    pub(super) fn leave(self) {
        KEPT.set(Some(self));
    }

    fn new() -> Self {
        let none = Name::new(LocalName::default());
        Self { places: vec![([0; 3], none); PLACES] }
    }

    #[inline]
    pub(super) fn get(&mut self, source: &str, from: usize, to: usize) -> &Name {
        let key = key(source.as_bytes(), from, to);
        let mixed = key[0] ^ key[1].rotate_left(23) ^ key[2].rotate_left(41);
        let place = (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % PLACES;
        if self.places[place].0 == key && to - from <= LONGEST {
            return &self.places[place].1;
        }
        self.other(place, key, &source[from..to])
    }

    /// Returns the name from the hash's second entry, or creates it.
    fn other(&mut self, place: usize, key: [u64; 3], written: &str) -> &Name {
        let is_short = written.len() <= LONGEST;
        if self.places[place ^ 1].0 != key || !is_short {
            let name = Name::new(LocalName::from(written.to_ascii_lowercase()));
            self.places[place ^ 1] = (if is_short { key } else { [0; 3] }, name);
        }
        self.places.swap(place, place ^ 1);
        &self.places[place].1
    }
}

/// Returns the first 24 bytes of a name in lower case, padded with zeros. Names contain no zeros.
#[inline]
fn key(bytes: &[u8], from: usize, to: usize) -> [u64; 3] {
    let first = lower_word(bytes, from, to);
    match to - from {
        0..=8 => [first, 0, 0],
        9..=16 => [first, lower_word(bytes, from + 8, to), 0],
        _ => [first, lower_word(bytes, from + 8, to), lower_word(bytes, from + 16, to)],
    }
}

/// Returns up to eight bytes as a little-endian number, with ASCII letters in lower case.
#[inline]
fn lower_word(bytes: &[u8], from: usize, to: usize) -> u64 {
    let length = (to - from).min(8);
    let word = match bytes.get(from..from + 8).and_then(|eight| eight.try_into().ok()) {
        Some(eight) if length > 0 => u64::from_le_bytes(eight) & (u64::MAX >> (64 - 8 * length)),
        _ => bytes[from..from + length].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    word | (upper_case(word) >> 2)
}

/// Sets the highest bit of each byte that is an upper-case letter. One addition carries into this bit for
/// bytes from `A` on, and another for bytes after `Z`.
#[inline]
fn upper_case(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let low = word & (0x7F * EACH);
    let from_a = low + (0x80 - b'A' as u64) * EACH;
    let behind_z = low + (0x7F - b'Z' as u64) * EACH;
    (from_a ^ behind_z) & !word & (0x80 * EACH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get<'a>(names: &'a mut Names, name: &str) -> &'a Name {
        let padded = format!("<{name}>");
        names.get(&padded, 1, name.len() + 1)
    }

    #[test]
    fn names_are_in_lower_case_and_known() {
        let mut names = Names::new();
        for _ in 0..2 {
            assert_eq!(&*get(&mut names, "DIV").name, "div");
            assert_eq!(get(&mut names, "div").tag, Tag::Div);
            assert_eq!(
                &*get(&mut names, "Data-A-Name-Longer-Than-Twenty-Four").name,
                "data-a-name-longer-than-twenty-four"
            );
            assert_eq!(&*get(&mut names, "data-twelve-and-twelve--").name, "data-twelve-and-twelve--");
            assert_eq!(&*get(&mut names, "é=Ü").name, "é=Ü");
        }
    }

    #[test]
    fn more_names_than_places() {
        let mut names = Names::new();
        for i in (0..3 * PLACES).chain(0..3 * PLACES) {
            let name = format!("n{i}-and-so-on");
            assert_eq!(&*get(&mut names, &name).name, name);
        }
    }

    #[test]
    fn heads_are_ordered_as_the_names_are() {
        let sorted = ["-x", "a", "a-b", "ab", "class", "data-one", "data-two", "id", "é"];
        assert!(sorted.map(|name| Name::new(LocalName::from(name)).head).is_sorted());
    }

    #[test]
    fn letters_only_become_lower_case() {
        for byte in 0..=u8::MAX {
            let expected = u64::from(byte.to_ascii_lowercase()) * 0x0100_0001;
            assert_eq!(lower_word(&[byte, 0, 0, byte], 0, 4), expected, "{byte}");
            assert_eq!(lower_word(&[byte, 0, 0, byte, 1, 2, 3, 4, 5], 0, 4), expected, "{byte}");
        }
    }
}
