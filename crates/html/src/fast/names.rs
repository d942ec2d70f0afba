//! Names of tags and attributes, interned once a page.
//!
//! html5ever's interned names make comparing cheap and making dear: a keyed hash, and
//! for names that it does not know a lock besides. A page uses some hundred names
//! thousands of times, so those of up to 24 bytes are kept by their bytes in a table
//! with one place for each hash.
//!
//! The awkward truth: of two names with one hash only the last is kept.

use html5ever::LocalName;

use super::tag::Tag;

/// Places in the table; a power of two.
const PLACES: usize = 1024;

/// Longest name that is kept, in bytes.
const LONGEST: usize = 24;

/// A name, interned, with what the rules call it.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) name: LocalName,
    pub(super) tag: Tag,
}

/// The names met so far.
pub(super) struct Names {
    places: Vec<([u64; 3], Name)>,
}

impl Names {
    pub(super) fn new() -> Self {
        let none = Name { name: LocalName::default(), tag: Tag::Other };
        Self { places: vec![([0; 3], none); PLACES] }
    }

    /// The name that stands here, in lower case.
    #[inline]
    pub(super) fn get(&mut self, written: &str) -> &Name {
        let Some(key) = key(written.as_bytes()) else {
            return self.replace(0, [u64::MAX; 3], written);
        };
        let mixed = key[0] ^ key[1].rotate_left(23) ^ key[2].rotate_left(41);
        let place = (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % PLACES;
        if self.places[place].0 == key {
            return &self.places[place].1;
        }
        self.replace(place, key, written)
    }

    #[cold]
    fn replace(&mut self, place: usize, key: [u64; 3], written: &str) -> &Name {
        let name = LocalName::from(written.to_ascii_lowercase());
        let tag = Tag::named(&name);
        self.places[place] = (key, Name { name, tag });
        &self.places[place].1
    }
}

/// The bytes of a short name in lower case.
#[inline]
fn key(written: &[u8]) -> Option<[u64; 3]> {
    if written.len() > LONGEST {
        return None;
    }
    let mut key = [0; 3];
    for (word, bytes) in key.iter_mut().zip(written.chunks(8)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(byte.to_ascii_lowercase()));
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_lower_case_and_known() {
        let mut names = Names::new();
        for _ in 0..2 {
            assert_eq!(&*names.get("DIV").name, "div");
            assert_eq!(names.get("div").tag, Tag::Block);
            assert_eq!(&*names.get("Data-A-Name-Longer-Than-Twenty-Four").name, "data-a-name-longer-than-twenty-four");
            assert_eq!(&*names.get("data-twelve-and-twelve--").name, "data-twelve-and-twelve--");
            assert_eq!(&*names.get("é=Ü").name, "é=Ü");
        }
    }

    #[test]
    fn more_names_than_places() {
        let mut names = Names::new();
        for i in (0..3 * PLACES).chain(0..3 * PLACES) {
            let name = format!("n{i}");
            assert_eq!(&*names.get(&name).name, name);
        }
    }
}
