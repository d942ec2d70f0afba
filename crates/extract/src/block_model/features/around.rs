//! Computes the features of the elements around a block: their tags and names, the sums over their blocks,
//! similar siblings, the path, and the element with the most prose.

use super::super::block::Block;
use super::super::lexicon::KIND_NAMES;
use super::super::scene::Element;
use super::{FAR, Features, INNER, OUTERMOST, Sink, distance, ln, share};

/// For each of these tags, the distance to the nearest ancestor with the tag is a feature.
pub(super) const TAGS: [&str; 23] = [
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

pub(super) const SUMS: usize = 6;

const SUM_NAMES: [&str; SUMS] = [
    "words below, log",
    "link share below",
    "prose share below",
    "blocks below, log",
    "paragraphs below, log",
    "share of the page's prose below",
];

impl Features<'_> {
    pub(super) fn tags(&self, block: &Block, sink: &mut impl Sink) {
        for (name, up) in TAGS.iter().zip(self.inherited[block.element].tags) {
            sink.put(name, None, distance(up));
        }
    }

    pub(super) fn kinds(&self, block: &Block, sink: &mut impl Sink) {
        for (name, up) in KIND_NAMES.iter().zip(self.inherited[block.element].kinds) {
            sink.put(name, Some(0), distance(up));
        }
    }

    pub(super) fn sums(&self, above: &[usize], sink: &mut impl Sink) {
        for up in 0..6 {
            let sums = above.get(up).map_or(&[-1.0; SUMS], |element| &self.inherited[*element].sums);
            for (name, sum) in SUM_NAMES.into_iter().zip(sums) {
                sink.put(name, Some(up as i32), *sum);
            }
        }
    }

    pub(super) fn alike(&self, above: &[usize], sink: &mut impl Sink) {
        let inner = above.iter().take(INNER).take_while(|at| self.inherited[**at].depth >= OUTERMOST);
        for up in 0..4 {
            let alike = inner.clone().nth(up).map_or([-1.0; 2], |at| self.inherited[*at].alike);
            sink.put("elements alike, log", Some(up as i32), alike[0]);
            sink.put("share of those dated", Some(up as i32), alike[1]);
        }
        let groups = inner.enumerate().map(|(up, at)| (up, &self.scene.elements[*at]));
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

    pub(super) fn best(&self, at: usize, block: &Block, sink: &mut impl Sink) {
        let size = self.len() as f32;
        let (up, down) = self.inherited[block.element].to_best;
        let best = self.scene.best.map(|best| &self.scene.elements[best]);
        let behind = |edge: Option<usize>| edge.map_or(0.0, |edge| (at as f32 - edge as f32) / size);
        sink.put("up to the best's line", None, distance(up));
        sink.put("down to the best", None, distance(down));
        sink.put("behind the best's first", None, behind(best.map(|best| best.first)));
        sink.put("behind the best's last", None, behind(best.map(|best| best.last)));
        let prose = self.scene.whole.prose.max(1.0);
        sink.put("share of prose before", None, self.prose_before[at] / prose);
        let after = self.scene.whole.prose - self.prose_before[at + 1];
        sink.put("share of prose after", None, after / prose);
    }
}
