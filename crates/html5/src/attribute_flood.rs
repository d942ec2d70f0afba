//! Finds tags with so many attributes that tokenizing them would take minutes.
//!
//! html5ever's tokenizer compares each attribute of a tag with all attributes before it, so a tag with
//! 800,000 attributes (5 MiB) takes minutes. The parser cannot be stopped inside a tag. Therefore this scan
//! runs first and finds where to cut the page.
//!
//! Whether a `<` starts a tag depends on everything before it (scripts, comments, quoted values), which the
//! scan does not track. Instead, every `<` before a letter or `/` starts a new run of a small tag parser, and
//! all runs continue in parallel. If several runs reach the same parser state, the scan keeps only the run
//! with the most attributes, so there are at most eight runs. The scan takes a few ns per byte. Limitation:
//! scripts are scanned too. A page is cut by mistake if a script contains a `<`, a letter and then 20,000
//! words without an unquoted `>`.

use crate::tag_state::State;
use crate::tag_state::State::{Name, TagName};

/// Maximum number of attribute comparisons per page, about 1 ns each.
pub(crate) const BUDGET: u64 = 200_000_000;

const STATES: usize = 8;

#[derive(Clone, Copy)]
struct Run {
    state: State,
    start: usize,
    attributes: u64,
}

/// Returns the byte offset of the `<` of the tag that exceeds the budget, or `None` if no tag does.
pub(crate) fn find(html: &str) -> Option<usize> {
    let bytes = html.as_bytes();
    let mut scan = Scan { runs: Vec::with_capacity(STATES), spent: 0 };
    let mut at = 0;
    loop {
        if scan.runs.is_empty() {
            at += html.get(at..)?.find('<')?;
        }
        let byte = *bytes.get(at)?;
        if let Some(start) = scan.step(byte) {
            return Some(start);
        }
        at += 1;
        if byte == b'<' && bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/') {
            scan.keep(Run { state: TagName, start: at - 1, attributes: 0 });
        }
    }
}

struct Scan {
    runs: Vec<Run>,
    spent: u64,
}

impl Scan {
    fn step(&mut self, byte: u8) -> Option<usize> {
        if let [run] = &mut self.runs[..] {
            // Usually there is only one run, and it is inside its tag.
            match run.step(byte, self.spent) {
                Step::On => {}
                Step::Flood => return Some(run.start),
                Step::End(cost) => {
                    self.spent += cost;
                    self.runs.clear();
                }
            }
            return None;
        }
        for mut run in std::mem::replace(&mut self.runs, Vec::with_capacity(STATES)) {
            match run.step(byte, self.spent) {
                Step::On => self.keep(run),
                Step::Flood => return Some(run.start),
                Step::End(cost) => self.spent += cost,
            }
        }
        None
    }

    fn keep(&mut self, run: Run) {
        match self.runs.iter_mut().find(|other| other.state == run.state) {
            None => self.runs.push(run),
            Some(other) if other.attributes < run.attributes => *other = run,
            Some(_) => {}
        }
    }
}

enum Step {
    On,
    Flood,
    End(u64),
}

impl Run {
    #[inline]
    fn step(&mut self, byte: u8, spent: u64) -> Step {
        let Some(to) = self.state.after(byte) else {
            return Step::End(self.cost());
        };
        let is_new = to == Name && self.state != Name;
        self.state = to;
        if is_new {
            self.attributes += 1;
            if spent + self.cost() > BUDGET {
                return Step::Flood;
            }
        }
        Step::On
    }

    fn cost(&self) -> u64 {
        self.attributes * self.attributes / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flood(attributes: usize) -> String {
        (0..attributes).map(|i| format!(" a{i}")).collect()
    }

    #[test]
    fn ordinary_pages_pass() {
        let page = "<div class='a b' data-x=\"<b 1 2 3>\" hidden>if (i<n && x) 'y'</div>".repeat(20_000);
        assert_eq!(find(&page), None);
        assert_eq!(find(&format!("<a title=\"{}\">", "one two ".repeat(200_000))), None);
        assert_eq!(find(&format!("<p>{}", flood(100_000))), None);
    }

    #[test]
    fn a_flood_is_cut_at_its_tag() {
        assert_eq!(find(&format!("<p>x<a{}>", flood(30_000))), Some(4));
        assert_eq!(find(&format!("<p>x<a{}", flood(30_000).replace(' ', "/"))), Some(4));
        assert_eq!(find(&format!("<p>x<a b='>' c = '>' {}>", flood(30_000))), Some(4));
        assert_eq!(find(&format!("<p>x</a {}>", flood(30_000))), Some(4));
    }

    #[test]
    fn quotes_in_scripts_and_comments_do_not_hide_one() {
        for before in ["<script>i<b='</script>", "<!-- <a b=' -->", "<p title=it's>", "<a '>", "<a =' >"] {
            assert!(find(&format!("{before}<a{}>", flood(30_000))).is_some(), "{before}");
        }
    }

    #[test]
    fn many_large_tags_are_a_flood_too() {
        assert!(find(&format!("<a{}>", flood(2_000)).repeat(200)).is_some());
        assert_eq!(find(&format!("<a{}>", flood(200)).repeat(200)), None);
    }
}
