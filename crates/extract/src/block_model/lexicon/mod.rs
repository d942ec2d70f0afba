//! Word lists that give the kinds of elements ([`kinds`]) and of short lines ([`sayings`]).
//!
//! The words are common in web design, none is specific to a site. Lines are matched in the languages of the
//! project and its neighbours. Each list is one feature, and the model learns its weight.
//!
//! Limitation: the model identifies an entry by position, so reordering the entries requires a new training.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

mod kinds;
mod sayings;

pub(super) use kinds::{CONSENT, KIND_COUNT, KIND_NAMES, Kinds};
pub(super) use sayings::{COMMENTS, RELATED, SAYING_COUNT, SAYING_NAMES, sayings};

struct Entry {
    name: &'static str,
    /// Matched anywhere; long enough for that.
    parts: &'static [&'static str],
    /// For names only: must be a whole part between hyphens, capitals, digits or spaces.
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
        // 0.9 MB for both lists, and nearly twice as fast as the default choice.
        let mut builder = AhoCorasick::builder();
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).build(parts().map(|(_, part)| part));
        let automaton = automaton.expect("some hundred short words are no automaton's limit");
        Self { automaton, bit: parts().map(|(at, _)| 1 << at).collect() }
    }

    fn find(&self, text: &str) -> u32 {
        let found = self.automaton.find_overlapping_iter(text);
        found.fold(0, |bits, found| bits | self.bit[found.pattern().as_usize()])
    }
}

#[cfg(test)]
fn named(bits: u32, names: &[&'static str]) -> Vec<&'static str> {
    (0..).zip(names).filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name).collect()
}
