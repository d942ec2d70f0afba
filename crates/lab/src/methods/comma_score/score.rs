//! Finds the parts of a page, counts their own text and computes their scores.

use gleaner_html::text::{Line, lines};
use gleaner_html::{NodeId, Page};

use super::marks::Texts;
use super::{CommaScoreParams, Marks, Punctuation};

/// A visible element whose name is in [`CommaScoreParams::elements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The element.
    pub id: NodeId,
    /// The counts of the part's own text, which excludes the text of parts inside it.
    pub own: Punctuation,
}

/// The parts of a page, in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    parts: Vec<Part>,
    texts: Vec<(NodeId, usize)>,
}

impl Parts {
    /// Finds the parts of a page. A part is a visible element whose name is in `elements`. Ignores text
    /// outside all parts. The time is linear in the page.
    #[must_use]
    pub fn new(page: &Page, elements: &[String], marks: Marks) -> Self {
        let mut found = Self::default();
        let mut open: Vec<usize> = Vec::new();
        let mut texts = Texts::from_page(page);
        while let Some((id, text, place)) = texts.next(|element| {
            if page.tag(element).is_some_and(|tag| elements.iter().any(|name| name == tag)) {
                found.close_before(page, &mut open, element);
                open.push(found.parts.len());
                found.parts.push(Part { id: element, own: Punctuation::default() });
            }
        }) {
            found.close_before(page, &mut open, id);
            if let Some(part) = open.last() {
                found.parts[*part].own.add(text, marks, place);
                found.texts.push((id, *part));
            }
        }
        found
    }

    fn close_before(&self, page: &Page, open: &mut Vec<usize>, id: NodeId) {
        while open.last().is_some_and(|part| page.node(self.parts[*part].id).end <= id) {
            open.pop();
        }
    }

    /// Returns the parts.
    #[must_use]
    pub fn as_slice(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the own text of the parts with these indices in [`Self::as_slice`], as lines in page order.
    /// Invalid indices are ignored.
    #[must_use]
    pub fn lines(&self, page: &Page, numbers: &[usize]) -> Vec<Line> {
        let mut wanted = vec![false; self.parts.len()];
        for number in numbers {
            if let Some(wanted) = wanted.get_mut(*number) {
                *wanted = true;
            }
        }
        let mut kept = vec![false; page.len()];
        for (id, part) in &self.texts {
            kept[*id as usize] = wanted[*part];
        }
        lines(page, 0, |id| page.tag(id).is_some() || kept[id as usize])
    }
}

/// Returns `CS^3 * (CL / ACL) / ACFL^2`, with the exponents in `params` instead of 3 and 2. [`Punctuation`]
/// explains the names. ACL and ACFL are at least 1.
#[must_use]
pub fn score(own: &Punctuation, params: &CommaScoreParams) -> f64 {
    let commas = (own.commas as f64).powi(params.comma_power);
    let in_anchors = (own.anchor_commas + own.anchor_full_stops).max(1) as f64;
    commas * text_to_anchor(own) / in_anchors.powi(params.anchor_power)
}

/// Returns `CL / ACL`. ACL is at least 1.
pub(super) fn text_to_anchor(own: &Punctuation) -> f64 {
    own.characters as f64 / own.anchor_characters.max(1) as f64
}

/// Returns the index of the best score, and the indices of all scores above the average. These always include
/// the best. If several scores are equal, the first is the best. Returns `None` if no score is above 0.
pub(super) fn above_average(scores: &[f64]) -> Option<(usize, Vec<usize>)> {
    let best = (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b]))?;
    if scores[best] <= 0.0 {
        return None;
    }
    let average = scores.iter().sum::<f64>() / scores.len() as f64;
    let above = (0..scores.len()).filter(|number| *number == best || scores[*number] > average);
    Some((best, above.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_text_is_that_of_no_inner_part() {
        let page = Page::parse(
            "x,<div>a, b<div>c,<p>d,,</p></div>e<a href=/>f.</a></div><div><div></div></div><div hidden>,<div>,",
        );
        let parts = Parts::new(&page, &["div".into()], Marks::Both);
        let own: Vec<_> = parts.as_slice().iter().map(|p| (p.own.characters, p.own.commas)).collect();
        assert_eq!(own, [(6, 1), (5, 3), (0, 0), (0, 0)]);
        let first = parts.as_slice()[0].own;
        assert_eq!((first.anchor_characters, first.anchor_full_stops), (2, 1));
        let text = |numbers: &[usize]| gleaner_html::text::plain(&parts.lines(&page, numbers));
        assert_eq!(text(&[9]), "");
        assert_eq!(text(&[0]), "a, b\nef.");
        assert_eq!(text(&[1]), "c,\nd,,");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn the_equation() {
        let own = Punctuation {
            characters: 600,
            commas: 10,
            full_stops: 7,
            anchor_characters: 20,
            anchor_commas: 1,
            anchor_full_stops: 1,
        };
        // 10^3 * (600 / 20) / 2^2
        assert_eq!(score(&own, &CommaScoreParams::default()), 7_500.0);
        let no_anchor = Punctuation { anchor_characters: 0, anchor_commas: 0, anchor_full_stops: 0, ..own };
        assert_eq!(score(&no_anchor, &CommaScoreParams::default()), 600_000.0);
        assert_eq!(score(&Punctuation::default(), &CommaScoreParams::default()), 0.0);
    }

    #[test]
    fn the_best_is_always_above() {
        type Case<'a> = (&'a [f64], Option<(usize, Vec<usize>)>);
        let cases: [Case; 6] = [
            (&[], None),
            (&[0.0, 0.0], None),
            (&[5.0], Some((0, vec![0]))),
            (&[2.0, 2.0], Some((0, vec![0]))),
            (&[1.0, 9.0, 8.0, 0.0], Some((1, vec![1, 2]))),
            (&[f64::MAX, f64::MAX], Some((0, vec![0]))),
        ];
        for (scores, expected) in cases {
            assert_eq!(above_average(scores), expected, "{scores:?}");
        }
    }
}
