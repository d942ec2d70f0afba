//! Computes the features that a block inherits from its own element and its ancestors, once per element.
//! Limitation: `kinds` and `alike` use shorter maximum distances than the other features and skip the
//! outermost elements, because the model was trained that way.

use gleaner_html::Page;

use super::super::lexicon::KIND_COUNT;
use super::super::scene::{Element, Scene};
use super::around::{SUMS, TAGS};
use super::own::OWN;
use super::{OUTERMOST, REACH, ln, position, share};

const NAMED: u8 = 12;

const NOWHERE: u8 = REACH as u8;

#[derive(Debug, Clone)]
pub(super) struct Inherited {
    pub(super) depth: u32,
    pub(super) tags: [u8; TAGS.len()],
    pub(super) kinds: [u8; KIND_COUNT],
    /// Number of elements up to the nearest ancestor that contains the best element, and number of elements
    /// from this ancestor down to the best element.
    pub(super) to_best: (u8, u8),
    /// The index of the element's tag in [`OWN`], or the length of [`OWN`] if the tag is not there.
    pub(super) own_tag: f32,
    pub(super) sums: [f32; SUMS],
    /// Logarithm of the number of similar siblings, and the share of similar siblings that contain a date.
    pub(super) alike: [f32; 2],
}

pub(super) fn inherited(page: &Page, scene: &Scene) -> Vec<Inherited> {
    let mut on_line: Vec<Option<u8>> = vec![None; scene.elements.len()];
    if let Some(best) = scene.best {
        (0..NOWHERE).zip(scene.ancestors(best)).for_each(|(down, at)| on_line[at] = Some(down));
    }
    let mut all: Vec<Inherited> = Vec::with_capacity(scene.elements.len());
    for (element, down) in scene.elements.iter().zip(on_line) {
        let above = all.get(element.parent);
        let mut own = of(page.tag(element.node).unwrap_or_default(), element, above);
        own.sums = sums(element, scene);
        if let Some(down) = down {
            own.to_best = (0, down);
        }
        all.push(own);
    }
    all
}

fn of(tag: &str, element: &Element, above: Option<&Inherited>) -> Inherited {
    let farther = |up: u8, end: u8| if up + 1 < end { up + 1 } else { NOWHERE };
    let depth = above.map_or(0, |above| above.depth + 1);
    let mut tags = above.map_or([NOWHERE; TAGS.len()], |above| above.tags.map(|up| farther(up, NOWHERE)));
    if let Some(at) = position(&TAGS, tag) {
        tags[at] = 0;
    }
    let mut kinds = above.map_or([NOWHERE; KIND_COUNT], |above| above.kinds.map(|up| farther(up, NAMED)));
    if depth >= OUTERMOST {
        let is = |kind: usize| element.kinds >> kind & 1 == 1;
        (0..KIND_COUNT).filter(|kind| is(*kind)).for_each(|kind| kinds[kind] = 0);
    }
    let (up, down) = above.map_or((NOWHERE, NOWHERE), |above| above.to_best);
    let up = farther(up, NOWHERE);
    Inherited {
        depth,
        tags,
        kinds,
        to_best: if up == NOWHERE { (up, up) } else { (up, down) },
        own_tag: position(&OWN, tag).unwrap_or(OWN.len()) as f32,
        sums: [0.0; SUMS],
        alike: [ln(element.alike), share(element.alike_dated, element.alike)],
    }
}

fn sums(element: &Element, scene: &Scene) -> [f32; SUMS] {
    let sum = &element.sum;
    [
        ln(sum.words),
        share(sum.linked, sum.words),
        share(sum.prose, sum.words),
        ln(sum.blocks),
        ln(sum.paragraphs),
        sum.prose / scene.whole.prose.max(1.0),
    ]
}
