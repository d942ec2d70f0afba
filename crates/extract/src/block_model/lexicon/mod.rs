//! What the names of elements ([`kinds`]) and the words of short lines ([`sayings`])
//! say in general.
//!
//! The words are those that web designers use everywhere, never those of one site.
//! Lines are matched in the languages of the project and of its neighbours. Each
//! list answers one question, and the model learns what the answer is worth.
//!
//! Limitation: the model knows an answer by its place, so to reorder the
//! entries is to teach anew.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

mod kinds;
mod sayings;

pub(super) use kinds::{KIND_COUNT, KIND_NAMES, Kinds};
pub(super) use sayings::{COMMENTS, RELATED, SAYING_COUNT, SAYING_NAMES, sayings};

/// An answer, by the words that give it.
struct Entry {
    name: &'static str,
    /// Long enough to be looked for anywhere.
    parts: &'static [&'static str],
    /// Of names only: must be a whole part between hyphens, capitals, digits or spaces.
    whole: &'static [&'static str],
}

/// The names of some entries, in their order.
const fn names<const N: usize>(entries: &[Entry; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = entries[at].name;
        at += 1;
    }
    names
}

/// The parts of some entries, looked for all at once.
struct Parts {
    automaton: AhoCorasick,
    /// Of each part: bit `n` for the `n`th entry.
    bit: Vec<u32>,
}

impl Parts {
    fn from_entries(entries: &[Entry]) -> Self {
        let parts =
            || (0..).zip(entries).flat_map(|(at, entry)| entry.parts.iter().map(move |part| (at, part)));
        // 0.9 MB for both lists, and nearly twice as fast as what is chosen by itself.
        let mut builder = AhoCorasick::builder();
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).build(parts().map(|(_, part)| part));
        let automaton = automaton.expect("some hundred short words are no automaton's limit");
        Self { automaton, bit: parts().map(|(at, _)| 1 << at).collect() }
    }

    /// Bit `n` where a part of the `n`th entry stands in the text.
    fn find(&self, text: &str) -> u32 {
        let found = self.automaton.find_overlapping_iter(text);
        found.fold(0, |bits, found| bits | self.bit[found.pattern().as_usize()])
    }
}

/// The names whose bits are set.
#[cfg(test)]
fn named(bits: u32, names: &[&'static str]) -> Vec<&'static str> {
    (0..).zip(names).filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name).collect()
}
