//! Which of many patterns match a path, at a cost that the file cannot drive up.
//!
//! Compared one by one, a pattern costs a walk over the path, and a robots.txt of
//! 500 KiB holds some 50,000. So all patterns of a crawler are one trie. Its edges are the
//! parts between stars, and a node is reached when the parts on the way to it are found
//! in the path in this order. The leftmost place of each part leaves the most room for
//! those that follow, so a node needs one number, the leftmost end, and nothing is ever
//! tried twice.
//!
//! 1. The heads that the path begins with are found by one binary search: in a sorted
//!    [`Table`] the longest entry that a text begins with is the entry just before it, or one
//!    that this entry begins with ([`Table::prefixes_of`]).
//! 2. All places of all parts in the path are found the same way, from each place of
//!    the path ([`Places`]).
//! 3. The trie is walked from these heads; each edge costs one look at the places.
//!
//! Cost: patterns that differ in their last part share the rest. A path of n octets costs n
//! binary searches, as many steps as there are places, and at most one step an edge.
//! Of edges there are as many as different beginnings of patterns: in the worst file of
//! 500 KiB, a star after every letter, 250,000, all of which only a path that matches nearly
//! everything reaches. Places are at most n times the parts that begin with one another,
//! and of those 500 KiB hold a thousand.

use std::collections::BTreeMap;
use std::ops::Range;

use super::normal::{Part, Pattern, Text};

/// Patterns, ranked by the order in which they are given: a later one decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Matcher {
    heads: Table,
    parts: Table,
    /// The first of them belong to `heads`, in its order.
    nodes: Vec<Node>,
    /// By the node that they leave.
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Node {
    /// The pattern that matches when this is reached.
    open: Option<usize>,
    /// The pattern that matches when the last part also ends the path.
    anchored: Option<usize>,
    edges: Range<usize>,
}

/// A part by its two readings, each a place in the table of parts.
#[derive(Debug, Clone, PartialEq)]
struct Edge {
    in_path: usize,
    in_query: usize,
    to: usize,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// The last of the patterns that match, by its place.
    pub(super) pattern: Option<usize>,
    /// What it cost: binary searches, places and edges. Held by tests.
    pub(super) steps: usize,
}

impl Matcher {
    pub(super) fn new(patterns: &[Pattern]) -> Self {
        let parts = || patterns.iter().flat_map(|pattern| &pattern.parts);
        let mut matcher = Self {
            heads: Table::new(patterns.iter().map(|pattern| &*pattern.head)),
            parts: Table::new(parts().flat_map(|part| [&*part.in_path, &*part.in_query])),
            ..Self::default()
        };
        matcher.nodes = vec![Node::default(); matcher.heads.len()];
        let mut edges = BTreeMap::new();
        for (rank, pattern) in patterns.iter().enumerate() {
            let node = matcher.insert(pattern, &mut edges);
            let node = &mut matcher.nodes[node];
            if pattern.anchored {
                node.anchored = Some(rank);
            } else {
                node.open = Some(rank);
            }
        }
        for ((from, in_path, in_query), to) in edges {
            let at = matcher.edges.len();
            let range = &mut matcher.nodes[from].edges;
            if range.end == 0 {
                range.start = at;
            }
            range.end = at + 1;
            matcher.edges.push(Edge { in_path, in_query, to });
        }
        matcher
    }

    /// The node at the end of the pattern's way, which is laid where it is missing.
    fn insert(&mut self, pattern: &Pattern, edges: &mut BTreeMap<(usize, usize, usize), usize>) -> usize {
        let mut node = self.heads.place_of(&pattern.head);
        for Part { in_path, in_query } in &pattern.parts {
            let key = (node, self.parts.place_of(in_path), self.parts.place_of(in_query));
            node = *edges.entry(key).or_insert_with(|| {
                self.nodes.push(Node::default());
                self.nodes.len() - 1
            });
        }
        node
    }

    pub(super) fn find(&self, text: &Text) -> Found {
        let mut found = Found::default();
        let end = text.octets.len();
        let mut reached = Vec::new();
        for head in self.heads.prefixes_of(&text.octets) {
            let length = self.heads.entries[head].len();
            found.steps += 1;
            if length == end {
                found.pattern = found.pattern.max(self.nodes[head].anchored);
            }
            reached.push((head, length));
        }
        let mut places = None;
        while let Some((node, from)) = reached.pop() {
            let node = &self.nodes[node];
            found.pattern = found.pattern.max(node.open);
            if node.edges.is_empty() {
                continue;
            }
            let places = places.get_or_insert_with(|| Places::new(&self.parts, text));
            for edge in &self.edges[node.edges.clone()] {
                found.steps += 1;
                if let Some(end) = places.leftmost_end(edge, from) {
                    reached.push((edge.to, end));
                }
                let anchored = self.nodes[edge.to].anchored;
                if anchored > found.pattern && places.ends_the_text(edge, from) {
                    found.pattern = anchored;
                }
            }
        }
        found.steps += places.map_or(0, |places| end + places.starts.len());
        found
    }
}

/// Distinct texts in order, each with the longest other one that it begins with.
#[derive(Debug, Clone, Default, PartialEq)]
struct Table {
    entries: Vec<Box<str>>,
    shorter: Vec<Option<usize>>,
}

impl Table {
    fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut texts: Vec<&str> = texts.collect();
        texts.sort_unstable();
        texts.dedup();
        let mut shorter = Vec::with_capacity(texts.len());
        // Those that the entry at hand begins with, the longest last.
        let mut open: Vec<usize> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            while open.pop_if(|last| !text.starts_with(texts[*last])).is_some() {}
            shorter.push(open.last().copied());
            open.push(at);
        }
        Self { entries: texts.into_iter().map(Box::from).collect(), shorter }
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn place_of(&self, text: &str) -> usize {
        self.entries.binary_search_by(|entry| (**entry).cmp(text)).expect("the table was made of these texts")
    }

    /// The entries that `text` begins with, the longest first.
    fn prefixes_of<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        // All that stands between such an entry and the text begins with it, too.
        let before = self.entries.partition_point(|entry| **entry <= *text).checked_sub(1);
        let shorter = |at: &usize| self.shorter[*at];
        std::iter::successors(before, shorter).skip_while(move |at| !text.starts_with(&*self.entries[*at]))
    }
}

/// Where the parts stand in a text.
struct Places<'a> {
    parts: &'a Table,
    text: &'a Text,
    /// The beginnings of each part's places in ascending order, part by part.
    starts: Vec<usize>,
    /// Where in `starts` those of each part begin, and where the last ones end.
    bounds: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(parts: &'a Table, text: &'a Text) -> Self {
        let all = || {
            let starts = 0..text.octets.len();
            starts.flat_map(|start| parts.prefixes_of(&text.octets[start..]).map(move |part| (part, start)))
        };
        let mut bounds = vec![0; parts.len() + 1];
        let found: Vec<(usize, usize)> = all().collect();
        for (part, _) in &found {
            bounds[part + 1] += 1;
        }
        for part in 0..parts.len() {
            bounds[part + 1] += bounds[part];
        }
        let mut next = bounds.clone();
        let mut starts = vec![0; found.len()];
        for (part, start) in found {
            starts[next[part]] = start;
            next[part] += 1;
        }
        Self { parts, text, starts, bounds }
    }

    /// The end of the leftmost place of a part that does not begin before `from`.
    fn leftmost_end(&self, edge: &Edge, from: usize) -> Option<usize> {
        let end = |part: usize, from: usize| {
            let starts = &self.starts[self.bounds[part]..self.bounds[part + 1]];
            let start = *starts.get(starts.partition_point(|start| *start < from))?;
            Some((start, start + self.parts.entries[part].len()))
        };
        let in_path = end(edge.in_path, from);
        if edge.in_path == edge.in_query {
            return in_path.map(|(_, end)| end);
        }
        let in_path = in_path.filter(|(start, _)| *start < self.text.query_at);
        let in_query = end(edge.in_query, from.max(self.text.query_at));
        in_path.into_iter().chain(in_query).map(|(_, end)| end).min()
    }

    /// Whether the text ends with the part, at a place that does not begin before `from`.
    fn ends_the_text(&self, edge: &Edge, from: usize) -> bool {
        let ends = |part: usize| {
            let part = &*self.parts.entries[part];
            let start = self.text.octets.len().checked_sub(part.len())?;
            (start >= from && self.text.octets.ends_with(part)).then_some(start)
        };
        let query_at = self.text.query_at;
        if edge.in_path == edge.in_query {
            return ends(edge.in_path).is_some();
        }
        ends(edge.in_path).is_some_and(|start| start < query_at)
            || ends(edge.in_query).is_some_and(|start| start >= query_at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::normal::{Pattern, Text};
    use super::{Found, Matcher, Table};

    fn matcher(patterns: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Matcher {
        let patterns: Vec<_> = patterns.into_iter().map(|text| Pattern::parse(text.as_ref())).collect();
        Matcher::new(&patterns)
    }

    fn find(matcher: &Matcher, path: &str) -> Found {
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

    /// The textbook algorithm, which needs |path| x |pattern| steps.
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

    /// The path that many patterns match in many ways.
    fn path() -> String {
        format!("/{}.html", "tin-tuc-".repeat(127))
    }

    #[test]
    fn seventeen_thousand_slow_rules_cost_little_more_than_their_number() {
        // Each needs a walk over the whole path if it is compared alone: 17 million octets.
        let matcher = matcher((0..17_000).map(|number| format!("/*t*i*n*t*u*c*-*x{number}")));
        let path = path();
        let found = find(&matcher, &path);
        assert_eq!(found.pattern, None);
        assert!(found.steps < 17_000 + 5 * path.len(), "{} steps", found.steps);
        assert_eq!(find(&matcher, &format!("{path}x42")).pattern, Some(42));
    }

    #[test]
    fn the_worst_files_cost_a_step_an_edge_and_the_places() {
        let path = path();
        // All short sequences of letters that the path has.
        let letters = ["t", "i", "n", "u", "c", "-", "ti", "tuc"];
        let mut sequences = vec![String::from("/")];
        for _ in 0..5 {
            let longer = |short: &String| letters.map(|letter| format!("{short}*{letter}"));
            sequences = sequences.iter().flat_map(longer).collect();
        }
        sequences.truncate(17_000);
        let all = matcher(&sequences);
        let found = find(&all, &path);
        assert!(found.pattern.is_some());
        assert!(found.steps <= all.edges.len() + 10 * path.len(), "{} steps", found.steps);
        // Parts that begin with one another, to the size of a file.
        let nested = matcher((1..1_000).map(|length| format!("/*{}", "a".repeat(length))));
        let found = find(&nested, &format!("/{}", "a".repeat(1_000)));
        assert_eq!(found.pattern, Some(998));
        assert!(found.steps < 1_000 * 1_000, "{} steps", found.steps);
        // A star after every letter.
        let stars = matcher([format!("/{}b", "*a".repeat(200_000))]);
        let found = find(&stars, &format!("/{}", "a".repeat(1_000)));
        assert!(found.pattern.is_none() && found.steps < 5_000, "{} steps", found.steps);
    }

    #[test]
    fn rules_without_a_star_cost_one_search() {
        let matcher = matcher((0..17_000).map(|number| format!("/tin-tuc-{number}/")));
        let found = find(&matcher, &path());
        assert!(found.pattern.is_none() && found.steps < 10, "{} steps", found.steps);
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
