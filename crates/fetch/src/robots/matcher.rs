//! Finds which of many patterns match a path, at a limited cost.
//!
//! To compare the patterns one by one, the code would have to search the path once per pattern. A robots.txt
//! of 500 KiB may have 50,000 patterns. So the patterns of a crawler form a tree, in which patterns with a
//! common beginning share nodes. A node is the part of a pattern between two stars. A path reaches a node if
//! the parts from the root to the node occur in the path in this order. The leftmost occurrence of each part
//! leaves the most space for later parts. So each node needs only one number: the leftmost position at which
//! its part can end. This number is computed at most once per path, without backtracking.
//!
//! The head of a pattern is its part before the first star.
//!
//! 1. One binary search finds the heads with which the path begins. In a sorted [`Table`], consider the entry
//!    directly before a text. The longest entry that is a prefix of the text is either this entry or a prefix
//!    of this entry ([`Table::longest_prefix_of`]).
//! 2. The same search, from each position of the path, finds the occurrences of all parts
//!    ([`TextPositions`]).
//! 3. The patterns are checked in the order of precedence. Most are excluded quickly: by their head, by their
//!    length, or because their last part does not occur. For the remaining patterns, the nodes up to the root
//!    are computed unless they are known.
//!
//! The cost for a path of n octets is n binary searches, plus one step per occurrence, pattern and node.
//! There are as many nodes as distinct beginnings of patterns. In the worst file of 500 KiB, which has a star
//! after every letter, there are 250,000. All nodes are computed only for a path that nearly matches almost
//! every pattern. At one position, only parts that are prefixes of one another can occur. A file of 500 KiB
//! can contain at most a thousand such parts, so there are at most 1,000 n occurrences.

use std::collections::{HashMap, HashSet};

use super::normal::{Pattern, Text};

/// The patterns, lowest rank first. The last matching pattern decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Matcher {
    heads: Table,
    parts: Table,
    /// First one node for each entry of `heads`, in the same order, then the nodes of the later parts.
    nodes: Vec<Node>,
    goals: Vec<Goal>,
}

/// A part of a pattern that follows the parts of its parent. In the node of a head, all fields are unused.
#[derive(Debug, Clone, Default, PartialEq)]
struct Node {
    parent: usize,
    /// The two readings of the part, in the path and in the query, as indexes into the table of parts.
    in_path: usize,
    in_query: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Goal {
    head: usize,
    node: usize,
    /// Whether the path must end with the node's part.
    anchored: bool,
    /// Minimum length in octets of a matching path.
    shortest: usize,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MatchedPattern {
    pub(crate) pattern: Option<usize>,
    /// The number of processed octets, occurrences, patterns and nodes.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests ask what a search cost"))]
    pub(super) steps: usize,
}

impl Matcher {
    pub(crate) fn new(patterns: &[Pattern]) -> Self {
        let parts = || patterns.iter().flat_map(|pattern| &pattern.parts);
        let mut matcher = Self {
            heads: Table::new(patterns.iter().map(|pattern| &*pattern.head)),
            parts: Table::new(parts().flat_map(|part| [part.in_path(), part.in_query()])),
            ..Self::default()
        };
        matcher.nodes = vec![Node::default(); matcher.heads.len()];
        let mut known = HashMap::new();
        for pattern in patterns {
            let goal = matcher.insert(pattern, &mut known);
            matcher.goals.push(goal);
        }
        matcher
    }

    fn insert(&mut self, pattern: &Pattern, known: &mut HashMap<[usize; 3], usize>) -> Goal {
        let head = self.heads.place_of(&pattern.head);
        let (mut node, mut shortest) = (head, pattern.head.len());
        for part in &pattern.parts {
            let in_path = self.parts.place_of(part.in_path());
            let in_query = if part.is_the_same() { in_path } else { self.parts.place_of(part.in_query()) };
            shortest += part.in_path().len().min(part.in_query().len());
            node = *known.entry([node, in_path, in_query]).or_insert_with(|| {
                self.nodes.push(Node { parent: node, in_path, in_query });
                self.nodes.len() - 1
            });
        }
        Goal { head, node, anchored: pattern.anchored, shortest }
    }

    pub(crate) fn find(&self, text: &Text) -> MatchedPattern {
        let mut search = Search::new(self, text);
        let ranked = self.goals.iter().enumerate().rev();
        let pattern = ranked.map(|(rank, goal)| (rank, search.is_matched(goal))).find(|(_, met)| *met);
        MatchedPattern { pattern: pattern.map(|(rank, _)| rank), steps: search.cost() }
    }

    /// Returns the matching patterns of the highest level, highest rank first. `level_of` is the level of a rank. A
    /// higher rank has at least the level of a lower one.
    pub(crate) fn find_equals(&self, text: &Text, level_of: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut search = Search::new(self, text);
        let mut found: Vec<usize> = Vec::new();
        for (rank, goal) in self.goals.iter().enumerate().rev() {
            if found.first().is_some_and(|first| level_of(*first) != level_of(rank)) {
                break;
            }
            if search.is_matched(goal) {
                found.push(rank);
            }
        }
        found
    }
}

/// The leftmost end of a node: 0 if unknown, 1 if the path does not reach the node, otherwise the end plus 2.
/// Unknown is 0 because zeroed memory is cheap and most nodes are never computed.
type Reach = usize;
const UNKNOWN: Reach = 0;
const NEVER: Reach = 1;

fn reach_of_end(end: Option<usize>) -> Reach {
    end.map_or(NEVER, |end| end + 2)
}

fn end_of_reach(reach: Reach) -> Option<usize> {
    reach.checked_sub(2)
}

struct Search<'a> {
    matcher: &'a Matcher,
    text: &'a Text,
    reach: Vec<Reach>,
    /// The occurrences of all parts. Computed when a pattern first needs them.
    places: Option<TextPositions<'a>>,
    steps: usize,
}

impl<'a> Search<'a> {
    fn new(matcher: &'a Matcher, text: &'a Text) -> Self {
        let mut reach = vec![UNKNOWN; matcher.nodes.len()];
        reach[..matcher.heads.len()].fill(NEVER);
        for head in matcher.heads.prefixes_of(&text.octets) {
            reach[head] = reach_of_end(Some(matcher.heads.entries[head].len()));
        }
        Self { matcher, text, reach, places: None, steps: 0 }
    }

    fn is_matched(&mut self, goal: &Goal) -> bool {
        self.steps += 1;
        let Some(end) = end_of_reach(self.reach[goal.head]) else { return false };
        if goal.shortest > self.text.octets.len() {
            return false;
        }
        if goal.node == goal.head {
            return !goal.anchored || end == self.text.octets.len();
        }
        let node = &self.matcher.nodes[goal.node];
        if !self.places().occurs(node) {
            return false;
        }
        if !goal.anchored {
            return self.leftmost_end(goal.node).is_some();
        }
        let Some(from) = self.leftmost_end(node.parent) else { return false };
        self.places().ends_the_text(node, from)
    }

    fn places(&mut self) -> &TextPositions<'a> {
        self.places.get_or_insert_with(|| TextPositions::new(&self.matcher.parts, self.text))
    }

    fn leftmost_end(&mut self, node: usize) -> Option<usize> {
        let nodes = &self.matcher.nodes;
        let mut way = Vec::new();
        let mut at = node;
        while self.reach[at] == UNKNOWN {
            way.push(at);
            at = nodes[at].parent;
        }
        let mut end = end_of_reach(self.reach[at]);
        while let Some(node) = way.pop() {
            self.steps += 1;
            end = end.and_then(|from| self.places().leftmost_end(&nodes[node], from));
            self.reach[node] = reach_of_end(end);
        }
        end
    }

    fn cost(&self) -> usize {
        let places = self.places.as_ref();
        self.steps + places.map_or(0, |places| self.text.octets.len() + places.starts.len())
    }
}

/// Distinct texts in ascending order. For each text, the table also contains the longest other entry that is
/// a prefix of it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Table {
    entries: Vec<Box<str>>,
    shorter: Vec<Option<usize>>,
    /// The first octets of the entries as a set: bit `n` is set if an entry begins with octet `n`. All octets
    /// are ASCII.
    firsts: u128,
}

impl Table {
    fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut texts: Vec<&str> = texts.collect::<HashSet<_>>().into_iter().collect();
        texts.sort_unstable();
        let mut shorter = Vec::with_capacity(texts.len());
        // The entries that are prefixes of the current entry. The longest is last.
        let mut open: Vec<usize> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            while open.pop_if(|last| !text.starts_with(texts[*last])).is_some() {}
            shorter.push(open.last().copied());
            open.push(at);
        }
        let firsts =
            texts.iter().filter_map(|text| text.bytes().next()).fold(0, |bits, byte| bits | bit(byte));
        Self { entries: texts.into_iter().map(Box::from).collect(), shorter, firsts }
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn place_of(&self, text: &str) -> usize {
        self.entries.binary_search_by(|entry| (**entry).cmp(text)).expect("the table was made of these texts")
    }

    fn longest_prefix_of(&self, text: &str) -> Option<usize> {
        // An entry that is a prefix of the text is also a prefix of every entry between itself and the text.
        let before = self.entries.partition_point(|entry| **entry <= *text).checked_sub(1)?;
        self.with_shorter(before).find(|at| text.starts_with(&*self.entries[*at]))
    }

    /// Returns an entry, followed by the entries that are its prefixes, longest first.
    fn with_shorter(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(at), |at| self.shorter[*at])
    }

    fn prefixes_of(&self, text: &str) -> impl Iterator<Item = usize> + '_ {
        self.longest_prefix_of(text).into_iter().flat_map(|longest| self.with_shorter(longest))
    }
}

fn bit(octet: u8) -> u128 {
    1_u128.checked_shl(u32::from(octet)).unwrap_or(0)
}

struct TextPositions<'a> {
    parts: &'a Table,
    text: &'a Text,
    /// Start positions of each part's occurrences in ascending order, part by part.
    starts: Vec<usize>,
    /// For each part, the index in `starts` of its first occurrence. The last value is the length of
    /// `starts`.
    bounds: Vec<usize>,
}

impl<'a> TextPositions<'a> {
    fn new(parts: &'a Table, text: &'a Text) -> Self {
        let octets = text.octets.bytes().enumerate();
        let longest: Vec<(usize, usize)> = octets
            .filter(|(_, octet)| parts.firsts & bit(*octet) != 0)
            .filter_map(|(start, _)| Some((start, parts.longest_prefix_of(&text.octets[start..])?)))
            .collect();
        let all = || {
            let longest = longest.iter();
            longest.flat_map(|(start, part)| parts.with_shorter(*part).map(move |part| (part, *start)))
        };
        let mut bounds = vec![0; parts.len() + 1];
        all().for_each(|(part, _)| bounds[part + 1] += 1);
        for part in 0..parts.len() {
            bounds[part + 1] += bounds[part];
        }
        let mut next = bounds.clone();
        let mut starts = vec![0; bounds[parts.len()]];
        all().for_each(|(part, start)| {
            starts[next[part]] = start;
            next[part] += 1;
        });
        Self { parts, text, starts, bounds }
    }

    fn positions(&self, part: usize) -> &[usize] {
        &self.starts[self.bounds[part]..self.bounds[part + 1]]
    }

    fn occurs(&self, node: &Node) -> bool {
        !(self.positions(node.in_path).is_empty() && self.positions(node.in_query).is_empty())
    }

    fn leftmost_end(&self, node: &Node, from: usize) -> Option<usize> {
        let end = |part: usize, from: usize| {
            let starts = self.positions(part);
            let start = *starts.get(starts.partition_point(|start| *start < from))?;
            Some((start, start + self.parts.entries[part].len()))
        };
        let in_path = end(node.in_path, from);
        if node.in_path == node.in_query {
            return in_path.map(|(_, end)| end);
        }
        let in_path = in_path.filter(|(start, _)| *start < self.text.query_at);
        let in_query = end(node.in_query, from.max(self.text.query_at));
        in_path.into_iter().chain(in_query).map(|(_, end)| end).min()
    }

    /// Whether the text ends with a node's part, and this occurrence begins at or after `from`.
    fn ends_the_text(&self, node: &Node, from: usize) -> bool {
        let ends = |part: usize| {
            let part = &*self.parts.entries[part];
            let start = self.text.octets.len().checked_sub(part.len())?;
            (start >= from && self.text.octets.ends_with(part)).then_some(start)
        };
        let query_at = self.text.query_at;
        if node.in_path == node.in_query {
            return ends(node.in_path).is_some();
        }
        ends(node.in_path).is_some_and(|start| start < query_at)
            || ends(node.in_query).is_some_and(|start| start >= query_at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::normal::{Pattern, Text};
    use super::{MatchedPattern, Matcher, Table};

    fn matcher(patterns: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Matcher {
        let patterns: Vec<_> = patterns.into_iter().map(|text| Pattern::parse(text.as_ref())).collect();
        Matcher::new(&patterns)
    }

    fn find(matcher: &Matcher, path: &str) -> MatchedPattern {
        matcher.find(&Text::new(path.as_bytes()))
    }

    #[test]
    fn prefixes_longest_first() {
        let table = Table::new(["", "a", "ab", "abc", "abd", "b", "abcx", "a"].into_iter());
        let prefixes = |text| table.prefixes_of(text).map(|at| &*table.entries[at]).collect::<Vec<_>>();
        assert_eq!(prefixes("abcd"), ["abc", "ab", "a", ""]);
        assert_eq!(prefixes("abe"), ["ab", "a", ""]);
        assert_eq!(prefixes("b"), ["b", ""]);
        assert_eq!(prefixes("zz"), [""]);
        assert_eq!(Table::new(["b"].into_iter()).prefixes_of("a").count(), 0);
    }

    #[test]
    fn readings_are_bound_to_their_part_of_the_url() {
        for (pattern, path, matches) in [
            ("/*u=http%3A%2F%2F", "/x?u=http%3A%2F%2Fb", true),
            ("/*u=http%3A%2F%2F", "/x?u=http://b", true),
            ("/*u=http%3A%2F%2F", "/u=http%3A%2F%2Fb", true),
            ("/*u=http%3A%2F%2F", "/u=http://b", false),
            ("/*u=http://", "/x?u=http%3A%2F%2Fb", true),
            ("/*u=http://", "/u=http%3A%2F%2Fb", false),
            ("/*a%2Fb$", "/x?a%2Fb", true),
            ("/*a%2Fb$", "/a%2Fb", true),
            ("/*a%2Fb$", "/a/b", false),
            ("/*a%2Fb$", "/a%2Fb?c", false),
            ("/*%2F*%2F", "/a%2Fb?c=%2F", true),
            ("/*%2F*%2F", "/a/b?c=%2F", false),
            ("/*x%3Fy", "/a?x?y", true),
            ("/*x%3Fy", "/x?y", false),
            ("/*x?y%2Fz", "/x?y/z", true),
        ] {
            assert_eq!(find(&matcher([pattern]), path).pattern.is_some(), matches, "{pattern} {path}");
        }
    }

    /// Matches a pattern with the usual dynamic programming, in |path| x |pattern| steps.
    fn by_table(pattern: &[u8], path: &[u8]) -> bool {
        let (pattern, anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |head| (head, true));
        let mut reach = vec![false; path.len() + 1];
        reach[0] = true;
        for symbol in pattern {
            let mut next = vec![false; path.len() + 1];
            for at in 0..=path.len() {
                next[at] = if *symbol == b'*' {
                    reach[at] || at > 0 && next[at - 1]
                } else {
                    at > 0 && reach[at - 1] && path[at - 1] == *symbol
                };
            }
            reach = next;
        }
        if anchored { reach[path.len()] } else { reach.contains(&true) }
    }

    fn path() -> String {
        format!("/{}.html", "tin-tuc-".repeat(127))
    }

    #[test]
    fn seventeen_thousand_slow_rules_cost_little_more_than_their_number() {
        // If compared one by one, the patterns would need 17 million octets.
        let matcher = matcher((0..17_000).map(|number| format!("/*t*i*n*t*u*c*-*x{number}")));
        let path = path();
        let found = find(&matcher, &path);
        assert_eq!(found.pattern, None);
        assert!(found.steps < 17_000 + 10 * path.len(), "{} steps", found.steps);
        assert_eq!(find(&matcher, &format!("{path}x42")).pattern, Some(42));
    }

    fn sequences(count: usize, length: u32, end: &str) -> Vec<String> {
        const LETTERS: [&str; 4] = ["t", "i", "n", "tuc-"];
        let parts = |at: usize| (0..length).map(move |place| LETTERS[at.rotate_left(7 * place) % 4]);
        (0..count).map(|at| format!("/*{}{end}", parts(at * 7_919).collect::<Vec<_>>().join("*"))).collect()
    }

    #[test]
    fn the_worst_files_cost_a_step_a_node_a_pattern_and_a_place() {
        let path = path();
        for (patterns, finds) in [
            (sequences(17_000, 6, ""), true),
            (sequences(17_000, 6, "*x"), false),
            (sequences(17_000, 6, "*tin-tuc-.html*t"), false),
            (sequences(500, 240, "*tin-tuc-.html*t"), false),
        ] {
            let all = matcher(&patterns);
            let found = find(&all, &path);
            let limit = all.nodes.len() + patterns.len() + 10 * path.len();
            assert!(found.steps <= limit, "{} steps, {limit} at most", found.steps);
            assert_eq!(found.pattern.is_some(), finds, "{}", patterns[1]);
        }
        // Each part is a prefix of the next, up to the size limit of a file.
        let nested = matcher((1..1_000).map(|length| format!("/*{}*x", "a".repeat(length))));
        let found = find(&nested, &format!("/{}", "a".repeat(1_000)));
        assert!(found.pattern.is_none() && found.steps < 1_000 * 1_000, "{} steps", found.steps);
        // A star after every letter.
        let stars = matcher([format!("/{}b", "*a".repeat(200_000))]);
        let found = find(&stars, &format!("/{}", "a".repeat(1_000)));
        assert!(found.pattern.is_none() && found.steps < 5_000, "{} steps", found.steps);
    }

    #[test]
    fn rules_without_a_star_cost_a_glance() {
        let matcher = matcher((0..17_000).map(|number| format!("/tin-tuc-{number}/")));
        let found = find(&matcher, &path());
        assert!(found.pattern.is_none() && found.steps <= 17_000, "{} steps", found.steps);
        assert_eq!(find(&matcher, "/tin-tuc-7/x").pattern, Some(7));
    }

    proptest! {
        #[test]
        fn the_last_pattern_that_matches_is_found(
            patterns in prop::collection::vec("/?[ab*]{0,8}\\$?", 0..8),
            path in "/[ab]{0,10}",
        ) {
            let expected = patterns.iter().rposition(|pattern| by_table(pattern.as_bytes(), path.as_bytes()));
            prop_assert_eq!(find(&matcher(&patterns), &path).pattern, expected, "{:?} {}", patterns, path);
        }
    }
}
