//! Stores traversal paths such as `HTML.BODY.TABLE.TR.P` in a trie.
//!
//! Each path is represented by a number. Written as text, the paths of 100,000 deeply nested blocks would
//! repeat tags many times.

use std::collections::HashMap;

use gleaner_html::Page;

use crate::site_methods::blocks::Blocks;

pub(super) type PathId = u32;

pub(super) const EMPTY: PathId = 0;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paths {
    /// For every path except the empty path, its parent and its last tag.
    steps: Vec<(PathId, u32)>,
    children: HashMap<(PathId, u32), PathId>,
    tags: HashMap<String, u32>,
    names: Vec<String>,
}

impl Paths {
    pub(super) fn find(&self, parent: PathId, tag: &str) -> Option<PathId> {
        let tag = self.tags.get(tag)?;
        self.children.get(&(parent, *tag)).copied()
    }

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

    pub(super) fn intern(&mut self, name: &str) -> PathId {
        name.split('.').fold(EMPTY, |path, tag| self.child(path, &tag.to_ascii_lowercase()))
    }

    pub(super) fn name(&self, mut path: PathId) -> String {
        let mut tags = Vec::new();
        while let Some((parent, tag)) = path.checked_sub(1).map(|at| self.steps[at as usize]) {
            tags.push(self.names[tag as usize].as_str());
            path = parent;
        }
        tags.reverse();
        tags.join(".")
    }

    pub(super) fn find_all(&self, blocks: &Blocks, page: &Page) -> Vec<Option<PathId>> {
        let mut found: Vec<Option<PathId>> = Vec::new();
        for (_, block) in blocks.iter() {
            let above = block.parent.map_or(Some(EMPTY), |parent| found[parent as usize]);
            let tag = page.tag(block.node).unwrap_or_default();
            found.push(above.and_then(|above| self.find(above, tag)));
        }
        found
    }

    pub(super) fn make_all(&mut self, blocks: &Blocks, page: &Page) -> Vec<PathId> {
        let mut made: Vec<PathId> = Vec::new();
        for (_, block) in blocks.iter() {
            let above = block.parent.map_or(EMPTY, |parent| made[parent as usize]);
            made.push(self.child(above, page.tag(block.node).unwrap_or_default()));
        }
        made
    }

    /// Returns the number of paths, including the empty path. Every [`PathId`] is below this number.
    pub(super) fn len(&self) -> usize {
        self.steps.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_methods::blocks::tags_of_the_paper;

    #[test]
    fn names_lead_to_paths_and_back() {
        let mut paths = Paths::default();
        let p = paths.intern("HTML.BODY.TABLE.TR.P");
        assert_eq!(paths.name(p), "HTML.BODY.TABLE.TR.P");
        assert_eq!(paths.intern("HTML.BODY.TABLE.TR.P"), p);
        assert_eq!(paths.len(), 6);
        let body = paths.intern("HTML.BODY");
        assert_eq!(paths.find(body, "div"), None);
        assert!(paths.find(body, "table").is_some());
        assert_eq!(paths.name(EMPTY), "");
    }

    fn described(html: &str) -> Vec<String> {
        let page = Page::parse(html);
        let blocks = Blocks::new(&page, &tags_of_the_paper(), 200);
        let mut paths = Paths::default();
        let made = paths.make_all(&blocks, &page);
        assert_eq!(paths.find_all(&blocks, &page), made.iter().copied().map(Some).collect::<Vec<_>>());
        let mut own = vec![String::new(); made.len()];
        for (node, block) in blocks.texts() {
            own[block].push_str(page.text(node).unwrap_or_default().trim());
        }
        made.iter().zip(own).map(|(path, text)| format!("{} {text}", paths.name(*path))).collect()
    }

    #[test]
    fn own_content_is_what_sub_blocks_leave() {
        assert_eq!(
            described("<table><tr><td>a<p>b<span>c</span>d</p>e</table>f"),
            [
                "HTML ",
                "HTML.BODY f",
                "HTML.BODY.TABLE ",
                "HTML.BODY.TABLE.TR ae",
                "HTML.BODY.TABLE.TR.P bd",
                "HTML.BODY.TABLE.TR.P.SPAN c"
            ]
        );
    }
}
