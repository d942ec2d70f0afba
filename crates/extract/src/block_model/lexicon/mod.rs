//! Contains word lists that determine the kinds of elements ([`element_kinds`]) and of short lines
//! ([`phrase_kind_bits`]).
//!
//! The words for elements are common in web design and not specific to a site. The phrases for lines are in
//! some 15 languages. Each list becomes one feature, whose weight is learned in training.
//!
//! Limitation: the model identifies a list by its position, so reordering the lists requires retraining.

use std::borrow::Cow;

use super::hashing::to_lower_case;
use aho_corasick::{AhoCorasick, AhoCorasickKind};

mod element_kinds;
mod phrase_kinds;

pub(super) use element_kinds::{
    BY_LINE, CAPTION, CONSENT, ElementKinds, KIND_COUNT, KIND_NAMES, OFFER, SIDE, names_box, names_caption,
    names_fact_box,
};
pub(super) use phrase_kinds::{COMMENTS, RELATED, SAYING_COUNT, SAYING_NAMES, phrase_kind_bits};

struct Entry {
    name: &'static str,
    /// Strings that match anywhere. They are long enough to avoid false matches.
    parts: &'static [&'static str],
    /// Strings that match only whole words of an element's name.
    whole: &'static [&'static str],
}

const fn names<const N: usize>(entries: &[Entry; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = entries[at].name;
        at += 1;
    }
    names
}

struct Parts {
    automaton: AhoCorasick,
    bit: Vec<u32>,
}

impl Parts {
    fn from_entries(entries: &[Entry]) -> Self {
        let parts =
            || (0..).zip(entries).flat_map(|(at, entry)| entry.parts.iter().map(move |part| (at, part)));
        // A DFA takes 0.9 MB for both lists, and is nearly twice as fast as the default automaton.
        let mut builder = AhoCorasick::builder();
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).build(parts().map(|(_, part)| part));
        let automaton = automaton.expect("a few hundred short words are within the automaton's limits");
        Self { automaton, bit: parts().map(|(at, _)| 1 << at).collect() }
    }

    /// Returns, as a bit set, the entries with a part that is in `text`, ignoring case.
    fn find(&self, text: &str) -> u32 {
        let is_lower = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let lower = if is_lower { Cow::Borrowed(text) } else { Cow::Owned(to_lower_case(text)) };
        let found = self.automaton.find_overlapping_iter(&*lower);
        found.fold(0, |bits, found| bits | self.bit[found.pattern().as_usize()])
    }
}

#[cfg(test)]
fn named(bits: u32, names: &[&'static str]) -> Vec<&'static str> {
    (0..).zip(names).filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name).collect()
}
