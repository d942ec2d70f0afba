//! Defines kinds of elements, so that a caller can skip all elements of a kind on the pages of a site.
//!
//! A kind consists of the tags, classes and ids of an element and its parent. `#` replaces each run of
//! digits, as in `div.page > ul.menu#main-#`. Only block elements that no other tag closes implicitly have a
//! kind.

use crate::{NodeId, Tree};

const LONGEST: usize = 200;

/// A set of kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ElementKinds {
    /// For each kind, the hashes of the element's name and of the parent's name, in ascending order.
    pairs: Vec<(u64, u64)>,
}

/// Returns the name of an element's kind. Returns `None` if the element has no kind, or if the name is longer
/// than 200 bytes.
///
/// ```
/// use gleaner_html5::{Tree, element_kinds};
///
/// let page = Tree::parse("<div class=page><ul class='menu  wide-2026' id=m1><li>");
/// let list = page.elements("ul").next().unwrap();
/// assert_eq!(element_kinds::name(&page, list).as_deref(), Some("div.page > ul.menu.wide-##m#"));
/// ```
#[must_use]
pub fn name(page: &Tree, id: NodeId) -> Option<String> {
    if !page.tag(id).is_some_and(has_kind) {
        return None;
    }
    let mut name = Vec::new();
    for (at, between) in [(page.node(id).parent, " > "), (id, "")] {
        let value = |key| page.attribute(at, key).unwrap_or_default();
        write(page.tag(at).unwrap_or_default(), value("class"), value("id"), |byte| name.push(byte));
        name.extend_from_slice(between.as_bytes());
    }
    (name.len() <= LONGEST).then(|| String::from_utf8_lossy(&name).into_owned())
}

pub(crate) fn has_kind(tag: &str) -> bool {
    matches!(
        tag,
        "div" | "ul" | "ol" | "dl" | "nav" | "aside" | "section" | "article" | "header" | "footer" | "figure"
    )
}

/// Identifies a kind by hashes of its name. Equal kinds have equal keys on all pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    own: u64,
    above: u64,
}

/// Returns the elements that have a kind, each with the key of its kind, in page order. Kinds whose name is
/// longer than 200 bytes are included.
pub fn keys(page: &Tree) -> impl Iterator<Item = (NodeId, Key)> {
    let mut own: Vec<Option<u64>> = vec![None; page.len()];
    let mut hash = move |id: NodeId| *own[id as usize].get_or_insert_with(|| hash_of_element(page, id));
    let ids = page.iter().map(|(id, _)| id).filter(|id| page.tag(*id).is_some_and(has_kind));
    ids.map(move |id| (id, Key { own: hash(id), above: hash(page.node(id).parent) }))
}

fn hash_of_element(page: &Tree, id: NodeId) -> u64 {
    let [class, of_id] = page.class_and_id(id);
    hash(page.tag(id).unwrap_or_default(), class, of_id)
}

impl ElementKinds {
    /// Creates a set from names that [`name`] returned. Other strings match nothing.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let pair = |name: &'a str| {
            let (above, own) = name.split_once(" > ")?;
            Some((hash_of(own.bytes()), hash_of(above.bytes())))
        };
        let mut pairs: Vec<(u64, u64)> = names.into_iter().filter_map(pair).collect();
        pairs.sort_unstable();
        Self { pairs }
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the outermost elements of these kinds, in page order.
    #[must_use]
    pub fn outermost(&self, page: &Tree) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = Vec::new();
        let mut behind = 0;
        for (id, node) in page.iter() {
            if id >= behind && page.tag(id).is_some_and(has_kind) && self.holds(page, id) {
                found.push(id);
                behind = node.end;
            }
        }
        found
    }

    fn holds(&self, page: &Tree, id: NodeId) -> bool {
        self.has(hash_of_element(page, id), || hash_of_element(page, page.node(id).parent))
    }

    /// Whether an element's kind is in the set. Computes the parent's hash only if it is needed.
    pub(crate) fn has(&self, own: u64, above: impl FnOnce() -> u64) -> bool {
        let from = self.pairs.partition_point(|pair| pair.0 < own);
        self.pairs.get(from).is_some_and(|pair| pair.0 == own)
            && self.pairs[from..].binary_search(&(own, above())).is_ok()
    }
}

pub(crate) fn hash(tag: &str, class: &str, id: &str) -> u64 {
    let mut hash = START;
    write(tag, class, id, |byte| hash = step(hash, byte));
    hash
}

/// The offset basis of 64-bit FNV-1a.
const START: u64 = 0xcbf2_9ce4_8422_2325;

const fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}

fn hash_of(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(START, step)
}

/// Writes `tag.class.class#id`, with `#` for each run of digits.
fn write(tag: &str, class: &str, id: &str, mut put: impl FnMut(u8)) {
    tag.bytes().for_each(&mut put);
    for (sign, value) in [(b'.', class), (b'#', id)] {
        let mut before = b' ';
        for byte in value.bytes() {
            let byte = match byte {
                b'0'..=b'9' => b'#',
                b'\t' | b'\n' | b'\x0C' | b'\r' => b' ',
                byte => byte,
            };
            if byte != b' ' {
                if before == b' ' {
                    put(sign);
                }
                if byte != b'#' || before != b'#' {
                    put(byte);
                }
            }
            before = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(html: &str) -> Vec<String> {
        let page = Tree::parse(html);
        (0..page.len() as NodeId).filter_map(|id| name(&page, id)).collect()
    }

    #[test]
    fn kinds_have_names() {
        assert_eq!(names("<ul id='a b' class=' x12  y#3 '><li><p>"), ["body > ul.x#.y##a#b"]);
        assert_eq!(names("<div id=é><div>"), ["body > div#é", "div#é > div"]);
        assert_eq!(names(&format!("<div class={}>", "x".repeat(200))), [""; 0]);
    }

    #[test]
    fn the_outermost_elements_are_found_by_name() {
        let page = Tree::parse(
            "<div class=a1><ul class=m>x<div class=a2><ul class=m></ul></div></ul></div><ul class=m>",
        );
        let all = names("<div class=a1><ul class=m>");
        let kinds =
            ElementKinds::from_names(all.iter().map(String::as_str).filter(|name| name.contains("ul")));
        let found: Vec<_> = kinds.outermost(&page).into_iter().map(|id| name(&page, id).unwrap()).collect();
        assert_eq!(found, ["div.a# > ul.m"]);
        assert!(!kinds.is_empty() && ElementKinds::default().is_empty());
        assert_eq!(ElementKinds::from_names(["", "ul"]), ElementKinds::default());
        assert!(ElementKinds::default().outermost(&page).is_empty());
    }
}
