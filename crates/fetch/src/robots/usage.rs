//! Reads what a robots.txt says about the use of pages: lines `Content-Usage` (draft-ietf-aipref-attach),
//! `Content-Signal` (contentsignals.org) and `License` (RSL).
//!
//! 1. `Content-Usage` and `Content-Signal` are rules of a group. The groups of a crawler are selected as for `Allow`
//!    and `Disallow`. Lines outside a group apply to nobody.
//! 2. The value begins with a path, which may be missing. Then the line applies to all paths. Of the lines with one
//!    key, those with the longest pattern that matches decide. There may be several of them.
//! 3. A `License` line applies to all crawlers, wherever it is.
//!
//! What the values mean is not decided here.

use super::matcher::Matcher;
use super::normal::{Pattern, Text};
use super::{Groups, is_user_agent, key_and_value, lines, token};

/// Maximum number of `License` lines that are kept.
const MAX_LICENSES: usize = 10;

/// Maximum number of lines of one kind that are kept for a crawler. Later lines are ignored.
const MAX_LINES: usize = 1_000;

/// The kinds of lines, each with its key in lower case and as in the specification.
const KEYS: [(&str, &str); 2] = [("content-usage", "Content-Usage"), ("content-signal", "Content-Signal")];

/// Whether a line with this key is a rule about the use of pages, which ends a list of agents like any rule.
pub(super) fn is_usage_rule(key: &str) -> bool {
    KEYS.iter().any(|(known, _)| *known == key)
}

/// The lines about the use of pages in a robots.txt, for one crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotsUsage {
    /// The lines of each kind, in the order of [`KEYS`].
    kinds: [PathLines; KEYS.len()],
    licenses: Vec<String>,
}

/// A line of a robots.txt about the use of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageLine {
    /// `Content-Usage` or `Content-Signal`.
    pub key: &'static str,
    /// The pattern of the paths to which the line applies, as written. `None` means all paths.
    pub path: Option<String>,
    /// The text after the path.
    pub value: String,
}

/// Lines of one kind, shortest pattern first.
#[derive(Debug, Clone, Default, PartialEq)]
struct PathLines {
    matcher: Box<Matcher>,
    /// Each line with the length of its pattern.
    lines: Vec<(usize, UsageLine)>,
}

impl RobotsUsage {
    /// Parses a robots.txt like [`RobotsRules::parse`](super::RobotsRules::parse).
    #[must_use]
    pub fn parse(bytes: &[u8], product: &str) -> Self {
        let mut reader = UsageReader::new(token(product.trim()));
        lines(bytes).filter_map(key_and_value).for_each(|(key, value)| reader.line(&key, value));
        reader.finish()
    }

    /// Returns the lines that apply to `path_and_query`, such as `/news?page=2`.
    #[must_use]
    pub fn lines_for(&self, path_and_query: &str) -> Vec<&UsageLine> {
        if self.kinds.iter().all(|kind| kind.lines.is_empty()) {
            return Vec::new();
        }
        let text = Text::new(path_and_query.as_bytes());
        self.kinds.iter().flat_map(|kind| kind.lines_for(&text)).collect()
    }

    /// Returns the values of the `License` lines, as written.
    #[must_use]
    pub fn licenses(&self) -> &[String] {
        &self.licenses
    }
}

impl PathLines {
    fn new(lines: Vec<UsageLine>) -> Self {
        let pattern = |line: &UsageLine| Pattern::parse(line.path.as_deref().unwrap_or("/").as_bytes());
        let mut lines: Vec<(Pattern, UsageLine)> =
            lines.into_iter().map(|line| (pattern(&line), line)).collect();
        lines.sort_by_key(|(pattern, _)| pattern.octets);
        let (patterns, lines): (Vec<Pattern>, Vec<UsageLine>) = lines.into_iter().unzip();
        let octets: Vec<usize> = patterns.iter().map(|pattern| pattern.octets).collect();
        Self { matcher: Box::new(Matcher::new(&patterns)), lines: octets.into_iter().zip(lines).collect() }
    }

    /// Returns the lines with the longest pattern that matches, in the order of the file.
    fn lines_for(&self, text: &Text) -> impl Iterator<Item = &UsageLine> {
        let found = self.matcher.find_equals(text, |rank| self.lines[rank].0);
        found.into_iter().rev().map(|rank| &self.lines[rank].1)
    }
}

struct UsageReader<'a> {
    groups: Groups<'a>,
    ours: [Vec<UsageLine>; KEYS.len()],
    all: [Vec<UsageLine>; KEYS.len()],
    licenses: Vec<String>,
}

impl<'a> UsageReader<'a> {
    fn new(product: &'a str) -> Self {
        Self {
            groups: Groups::new(product),
            ours: Default::default(),
            all: Default::default(),
            licenses: Vec::new(),
        }
    }

    fn line(&mut self, key: &str, value: &[u8]) {
        if is_user_agent(key) {
            self.groups.user_agent(value);
        } else if let Some(kind) = KEYS.iter().position(|(known, _)| *known == key) {
            self.usage(kind, &String::from_utf8_lossy(value));
        } else if key == "license" && !value.is_empty() && self.licenses.len() < MAX_LICENSES {
            self.licenses.push(String::from_utf8_lossy(value).into_owned());
        } else if super::is_rule(key) {
            self.groups.rule();
        }
    }

    fn usage(&mut self, kind: usize, text: &str) {
        let (path, value) = match text.split_once([' ', '\t']) {
            Some((path, value)) if path.starts_with('/') => (Some(path), value.trim()),
            None if text.starts_with('/') => (Some(text), ""),
            _ => (None, text),
        };
        let line = UsageLine { key: KEYS[kind].1, path: path.map(str::to_owned), value: value.to_owned() };
        let add = |lines: &mut Vec<UsageLine>| {
            if lines.len() < MAX_LINES {
                lines.push(line.clone());
            }
        };
        let agents = self.groups.rule();
        if agents.all {
            add(&mut self.all[kind]);
        }
        if agents.ours {
            add(&mut self.ours[kind]);
        }
    }

    fn finish(self) -> RobotsUsage {
        let kinds = if self.groups.named { self.ours } else { self.all };
        RobotsUsage { kinds: kinds.map(PathLines::new), licenses: self.licenses }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::RobotsRules;
    use super::*;

    #[test]
    fn at_most_a_limited_number_of_lines_is_kept() {
        let text = format!("User-agent: *\n{}", "Content-Usage: train-ai=n\n".repeat(MAX_LINES + 1));
        assert_eq!(RobotsUsage::parse(text.as_bytes(), "gleaner").lines_for("/").len(), MAX_LINES);
        let text = "License: /a\n".repeat(MAX_LICENSES + 1);
        assert_eq!(RobotsUsage::parse(text.as_bytes(), "gleaner").licenses().len(), MAX_LICENSES);
    }

    proptest! {
        #[test]
        fn all_lines_with_the_longest_matching_pattern_count(
            patterns in prop::collection::vec("/[ab*]{0,4}\\$?", 0..8),
            path in "/[ab]{0,6}",
        ) {
            let line = |(at, pattern): (usize, &String)| format!("Content-Usage: {pattern} x{at}=n\n");
            let lines: String = patterns.iter().enumerate().map(line).collect();
            let usage = RobotsUsage::parse(format!("User-agent: *\n{lines}").as_bytes(), "gleaner");
            let matches = |pattern: &&String| {
                let rules = format!("User-agent: *\nDisallow: {pattern}\n");
                !RobotsRules::parse(rules.as_bytes(), "gleaner").verdict(&path).is_allowed()
            };
            let octets = |pattern: &String| Pattern::parse(pattern.as_bytes()).octets;
            let longest = patterns.iter().filter(matches).map(octets).max();
            let is_expected = |pattern: &&String| matches(pattern) && Some(octets(pattern)) == longest;
            let expected = patterns.iter().filter(is_expected).count();
            let found = usage.lines_for(&path);
            prop_assert_eq!(found.len(), expected, "{} {}", lines, path);
            prop_assert!(found.iter().all(|line| line.path.as_ref().map(octets) == longest));
        }

        #[test]
        fn any_bytes_are_parsed(bytes in prop::collection::vec(any::<u8>(), 0..200), path in "/\\PC{0,9}") {
            let _ = RobotsUsage::parse(&bytes, "gleaner").lines_for(&path);
            let _ = crate::TdmRules::parse(&String::from_utf8_lossy(&bytes)).rule_for(&path);
        }
    }
}
