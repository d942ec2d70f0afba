//! Of the elements around a block: their tags and names, sums over them, elements alike,
//! the path, and the element with most prose.

use super::super::block::Block;
use super::super::lexicon::{KIND_COUNT, KIND_NAMES};
use super::super::scene::{Element, Sum};
use super::{FAR, Features, REACH, Sink, ln, position, share};

/// Tags whose nearest ancestor is asked for.
const TAGS: [&str; 23] = [
    "article",
    "main",
    "aside",
    "nav",
    "footer",
    "header",
    "figure",
    "figcaption",
    "form",
    "table",
    "ul",
    "ol",
    "li",
    "blockquote",
    "section",
    "td",
    "dl",
    "pre",
    "address",
    "p",
    "hgroup",
    "dd",
    "center",
];

impl Features<'_> {
    pub(super) fn tags(&self, above: &[usize], sink: &mut impl Sink) {
        let mut found = [FAR; TAGS.len()];
        for (up, element) in above.iter().enumerate().rev() {
            let tag = self.page.tag(self.scene.elements[*element].node).unwrap_or_default();
            if let Some(at) = position(&TAGS, tag) {
                found[at] = up as f32;
            }
        }
        for (name, up) in TAGS.iter().zip(found) {
            sink.put(name, None, up);
        }
    }

    pub(super) fn kinds(&self, above: &[usize], sink: &mut impl Sink) {
        let mut found = [FAR; KIND_COUNT];
        let inner = above.len().saturating_sub(2).min(12);
        for (up, element) in above.iter().enumerate().take(inner).rev() {
            let kinds = self.scene.elements[*element].kinds;
            for (at, found) in found.iter_mut().enumerate() {
                if kinds >> at & 1 == 1 {
                    *found = up as f32;
                }
            }
        }
        for (name, up) in KIND_NAMES.iter().zip(found) {
            sink.put(name, Some(0), up);
        }
    }

    pub(super) fn sums(&self, above: &[usize], sink: &mut impl Sink) {
        for up in 0..6 {
            let sum = above.get(up).map(|element| &self.scene.elements[*element].sum);
            let number = Some(up as i32);
            let mut put = |name, value: fn(&Sum) -> f32| sink.put(name, number, sum.map_or(-1.0, value));
            put("words below, log", |sum| ln(sum.words));
            put("link share below", |sum| share(sum.linked, sum.words));
            put("prose share below", |sum| share(sum.prose, sum.words));
            put("blocks below, log", |sum| ln(sum.blocks));
            put("paragraphs below, log", |sum| ln(sum.paragraphs));
            let of_page = sum.map_or(-1.0, |sum| sum.prose / self.scene.whole.prose.max(1.0));
            sink.put("share of the page's prose below", number, of_page);
        }
    }

    pub(super) fn alike(&self, above: &[usize], sink: &mut impl Sink) {
        let inner = &above[..above.len().saturating_sub(2).min(9)];
        for up in 0..4 {
            let element = inner.get(up).map(|at| &self.scene.elements[*at]);
            sink.put("elements alike, log", Some(up as i32), element.map_or(-1.0, |e| ln(e.alike)));
            let dated = element.map_or(-1.0, |e| share(e.alike_dated, e.alike));
            sink.put("share of those dated", Some(up as i32), dated);
        }
        let groups = inner.iter().enumerate().map(|(up, at)| (up, &self.scene.elements[*at]));
        let most = groups.filter(|(_, e)| e.sum.blocks >= 2.0).fold(
            None,
            |most: Option<(usize, &Element)>, (up, e)| {
                if most.is_none_or(|(_, best)| e.alike > best.alike) { Some((up, e)) } else { most }
            },
        );
        sink.put("most alike, log", None, most.map_or(0.0, |(_, e)| ln(e.alike)));
        sink.put("distance to those", None, most.map_or(FAR, |(up, _)| up as f32));
        sink.put(
            "share of those dated, most",
            None,
            most.map_or(0.0, |(_, e)| share(e.alike_dated, e.alike)),
        );
        sink.put("words of one of those, log", None, most.map_or(0.0, |(_, e)| ln(e.sum.words)));
    }

    pub(super) fn path(&self, block: &Block, sink: &mut impl Sink) {
        let element = &self.scene.elements[block.element];
        let sums = [&self.scene.paths[&element.path], &self.scene.tag_paths[&element.tags]];
        for (number, sum) in (0..).zip(sums) {
            let number = Some(number);
            sink.put("blocks on its path, log", number, ln(sum.blocks));
            sink.put("words a block on its path", number, share(sum.words, sum.blocks));
            sink.put("link share on its path", number, share(sum.linked, sum.words));
            sink.put("prose share of its path", number, sum.prose / self.scene.whole.prose.max(1.0));
        }
    }

    /// How the block lies to the element with most prose.
    pub(super) fn best(&self, at: usize, above: &[usize], sink: &mut impl Sink) {
        let size = self.len() as f32;
        let meet = above.iter().enumerate().find_map(|(up, element)| {
            let down = self.best_line.iter().take(REACH).position(|best| best == element)?;
            Some((up as f32, down as f32))
        });
        let (up, down) = meet.unwrap_or((FAR, FAR));
        let best = self.scene.best.map(|best| &self.scene.elements[best]);
        let behind = |edge: Option<usize>| edge.map_or(0.0, |edge| (at as f32 - edge as f32) / size);
        sink.put("up to the best's line", None, up);
        sink.put("down to the best", None, down);
        sink.put("behind the best's first", None, behind(best.map(|best| best.first)));
        sink.put("behind the best's last", None, behind(best.map(|best| best.last)));
        let prose = self.scene.whole.prose.max(1.0);
        sink.put("share of prose before", None, self.prose_before[at] / prose);
        let after = self.scene.whole.prose - self.prose_before[at + 1];
        sink.put("share of prose after", None, after / prose);
    }
}
