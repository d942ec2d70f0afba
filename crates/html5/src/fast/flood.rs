//! Proves that [`attribute_flood`](crate::attribute_flood) would find nothing.
//!
//! The reference cuts a page at a tag with too many attributes, even if that tag is in a script, a comment or
//! a value. A scan of every byte would take half of the fast builder's time. Therefore the attributes of tags
//! are counted when they are parsed. Inside scripts, comments and values, an automaton starts at each `<` and
//! tracks all possible parser states as one set.
//!
//! Limitation: the result is an upper bound. The attributes of a run begin while the set is not empty, and
//! each attribute counts for at most two runs. If the bound is too high, the reference parses the page.

use crate::tag_state::State;

const BUDGET: u64 = crate::attribute_flood::BUDGET;

/// The states, in the order of their bits in a set.
const STATES: [State; 8] = [
    State::TagName,
    State::BeforeName,
    State::Name,
    State::AfterName,
    State::BeforeValue,
    State::Unquoted,
    State::Double,
    State::Single,
];

/// The states in which any byte may begin a name or a value.
const BEFORE: u8 = 1 << State::BeforeName as u8 | 1 << State::AfterName as u8 | 1 << State::BeforeValue as u8;

/// One example for each class of bytes that are treated in the same way. A `<` is treated like a letter, but
/// may also begin a tag.
const EXAMPLES: [u8; 8] = [b'a', b' ', b'/', b'=', b'>', b'"', b'\'', b'<'];

/// For each set of states and class of bytes: the next set of states, and whether an attribute begins.
static STEPS: [[(u8, bool); 8]; 256] = steps();

const fn steps() -> [[(u8, bool); 8]; 256] {
    let mut steps = [[(0, false); 8]; 256];
    let mut set = 0;
    while set < 256 {
        let mut class = 0;
        while class < EXAMPLES.len() {
            steps[set][class] = step(set as u8, EXAMPLES[class]);
            class += 1;
        }
        set += 1;
    }
    steps
}

const fn step(set: u8, byte: u8) -> (u8, bool) {
    let (mut next, mut begins, mut index) = (0, false, 0);
    while index < STATES.len() {
        if set & (1 << index) != 0
            && let Some(state) = STATES[index].after(byte)
        {
            next |= 1 << state as u8;
            begins |= matches!(state, State::Name) && !matches!(STATES[index], State::Name);
        }
        index += 1;
    }
    (next, begins)
}

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = class(byte as u8);
        byte += 1;
    }
    classes
};

const fn class(byte: u8) -> u8 {
    match byte {
        b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' => 1,
        b'/' => 2,
        b'=' => 3,
        b'>' => 4,
        b'"' => 5,
        b'\'' => 6,
        b'<' => 7,
        _ => 0,
    }
}

/// An upper bound of the cost of comparing the page's attributes.
#[derive(Default)]
pub(super) struct Flood {
    spent: u64,
    scanned: usize,
}

impl Flood {
    pub(super) fn tag(&mut self, attributes: usize) {
        self.spent += (attributes * attributes) as u64;
    }

    pub(super) fn part(&mut self, bytes: &[u8], from: usize, to: usize) {
        let mut at = from.max(self.scanned);
        while at < to {
            let Some(found) = memchr::memchr(b'<', &bytes[at..to]) else { return };
            at = self.run(bytes, at + found + 1);
            self.scanned = at;
        }
    }

    fn run(&mut self, bytes: &[u8], from: usize) -> usize {
        let (mut at, mut set, mut attributes) = (from, 0, 0u64);
        loop {
            if bytes[at - 1] == b'<' && bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/') {
                set |= 1;
            }
            let Some(byte) = bytes.get(at).filter(|_| set != 0) else { break };
            let (next, begins) = STEPS[usize::from(set)][usize::from(CLASSES[usize::from(*byte)]) & 7];
            set = next;
            attributes += u64::from(begins);
            at += 1;
            if set != 0 && set & BEFORE == 0 && *byte != b'<' {
                // Only bytes with a class of their own change these states.
                let length = bytes[at..].iter().position(|byte| CLASSES[usize::from(*byte)] != 0);
                at = length.map_or(bytes.len(), |length| at + length);
            }
        }
        self.spent += attributes * attributes;
        at
    }

    pub(super) fn is_possible(&self) -> bool {
        self.spent > BUDGET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does the same as [`Flood::run`], byte by byte.
    fn run_slowly(bytes: &[u8]) -> (usize, u64) {
        let (mut at, mut set, mut attributes) = (1, 0, 0);
        loop {
            if bytes[at - 1] == b'<' && bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/') {
                set |= 1;
            }
            let Some(byte) = bytes.get(at).filter(|_| set != 0) else { break };
            let (next, begins) = step(set, *byte);
            (set, attributes, at) = (next, attributes + u64::from(begins), at + 1);
        }
        (at, attributes * attributes)
    }

    #[test]
    fn passed_bytes_change_nothing() {
        let parts = ["<a", "<", ">", " b", "=", "'", "\"", "/", "=c", "de<f"];
        for number in 0..100_000_usize {
            let digits = (0..5).map(|at| parts[number / 10_usize.pow(at) % 10]);
            let text = format!("<p {}", digits.collect::<String>());
            let mut flood = Flood::default();
            let end = flood.run(text.as_bytes(), 1);
            assert_eq!((end, flood.spent), run_slowly(text.as_bytes()), "{text}");
        }
    }
}
