//! Traversal paths such as `HTML.BODY.TABLE.TR.P`, kept as a trie.
//!
//! A path is a number here: a page of 100,000 deeply nested blocks would
//! otherwise hold its paths many times over as text.

use std::collections::HashMap;

/// A path's place in its trie.
pub(super) type PathId = u32;

/// The empty path, which every trie has.
pub(super) const EMPTY: PathId = 0;

/// A trie of paths.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paths {
    /// Of every path but the empty one: its parent and its last tag.
    steps: Vec<(PathId, u32)>,
    children: HashMap<(PathId, u32), PathId>,
    tags: HashMap<String, u32>,
    names: Vec<String>,
}

impl Paths {
    /// The path that `tag` leads to, when it is known.
    pub(super) fn find(&self, parent: PathId, tag: &str) -> Option<PathId> {
        let tag = self.tags.get(tag)?;
        self.children.get(&(parent, *tag)).copied()
    }

    /// The path that `tag` leads to, made if need be.
    pub(super) fn child(&mut self, parent: PathId, tag: &str) -> PathId {
        if let Some(known) = self.find(parent, tag) {
            return known;
        }
        let number = self.tags.get(tag).copied().unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.tags.insert(tag.to_owned(), number);
            self.names.push(tag.to_ascii_uppercase());
            number
        });
        self.steps.push((parent, number));
        let id = self.steps.len() as PathId;
        self.children.insert((parent, number), id);
        id
    }

    /// The path with this name, made if need be.
    pub(super) fn named(&mut self, name: &str) -> PathId {
        name.split('.').fold(EMPTY, |path, tag| self.child(path, &tag.to_ascii_lowercase()))
    }

    /// The name as the paper writes it.
    pub(super) fn name(&self, mut path: PathId) -> String {
        let mut tags = Vec::new();
        while let Some((parent, tag)) = path.checked_sub(1).map(|at| self.steps[at as usize]) {
            tags.push(self.names[tag as usize].as_str());
            path = parent;
        }
        tags.reverse();
        tags.join(".")
    }

    /// Number of paths, the empty one included; every [`PathId`] is below it.
    pub(super) fn len(&self) -> usize {
        self.steps.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_paths_and_back() {
        let mut paths = Paths::default();
        let p = paths.named("HTML.BODY.TABLE.TR.P");
        assert_eq!(paths.name(p), "HTML.BODY.TABLE.TR.P");
        assert_eq!(paths.named("HTML.BODY.TABLE.TR.P"), p);
        assert_eq!(paths.len(), 6);
        let body = paths.named("HTML.BODY");
        assert_eq!(paths.find(body, "div"), None);
        assert!(paths.find(body, "table").is_some());
        assert_eq!(paths.name(EMPTY), "");
    }
}
