//! Draws precision and recall against the similarity threshold, as SVG.
//!
//! Each language has a panel. It shows precision and recall of two methods: gleaner's duplicate detection,
//! and a detection that uses only the similarity estimated from signatures. Thin lines show the goals.
//!
//! Limitation: the vertical axis begins at 0.5. Lower values are drawn at its bottom.

use gleaner_crawl::render::svg::{self, INK, Plot, Scale, Stroke, TextAnchor};
use maud::{Markup, html};

use super::figures::{Criterion, JudgedPair, Point, point};
use super::texts::TextLanguage;

const PLOT: (f64, f64) = (400.0, 320.0);

const MARGIN: (f64, f64) = (64.0, 92.0);

const PANEL: f64 = 500.0;

const SIMILARITY: (f64, f64) = (0.2, 1.0);

const LEAST: f64 = 0.5;

/// The goals for precision and for recall, from 0 to 1.
pub const GOALS: (f64, f64) = (0.995, 0.95);

struct Line {
    name: &'static str,
    by: Criterion,
    value: fn(&Point) -> f64,
    stroke: Stroke,
}

const fn stroke(color: &'static str, dashes: &'static str) -> Stroke {
    Stroke { color, width: 2.5, dashes }
}

const PRECISION: &str = "#d9660a";
const RECALL: &str = "#1b4f9c";
const ESTIMATE: &str = "3 4";

const LINES: [Line; 4] = [
    Line {
        name: "precision",
        by: Criterion::Texts,
        value: |p| p.precision,
        stroke: stroke(PRECISION, "none"),
    },
    Line { name: "recall", by: Criterion::Texts, value: |p| p.recall, stroke: stroke(RECALL, "none") },
    Line {
        name: "precision, estimate alone",
        by: Criterion::Estimate,
        value: |p| p.precision,
        stroke: stroke(PRECISION, ESTIMATE),
    },
    Line {
        name: "recall, estimate alone",
        by: Criterion::Estimate,
        value: |p| p.recall,
        stroke: stroke(RECALL, ESTIMATE),
    },
];

/// Returns an SVG with precision and recall of the pairs `judged`, in one panel per language.
#[must_use]
pub fn curve(judged: &[JudgedPair]) -> String {
    let panels = [(TextLanguage::English, "English"), (TextLanguage::Vietnamese, "Vietnamese")];
    let content = html! {
        (legend())
        @for (at, (language, name)) in panels.into_iter().enumerate() {
            @let plot = plot(MARGIN.0 + PANEL * at as f64);
            @let pairs: Vec<&JudgedPair> = judged.iter().filter(|pair| pair.language == language).collect();
            (axes(&plot, name))
            @for line in &LINES { (draw(&plot, line, &pairs)) }
        }
    };
    let size = (PANEL * 2.0 - 20.0, MARGIN.1 + PLOT.1 + 64.0);
    svg::file(size, 14, "Precision and recall of automatic duplicates against the similarity", &content)
}

/// Returns the similarity thresholds at which the curves are computed.
pub fn similarities() -> impl Iterator<Item = f64> {
    (4..=20).map(|step| f64::from(step) / 20.0)
}

const fn plot(left: f64) -> Plot {
    Plot {
        x: Scale::new(SIMILARITY, (left, left + PLOT.0)),
        y: Scale::new((LEAST, 1.0), (MARGIN.1 + PLOT.1, MARGIN.1)),
    }
}

fn axes(plot: &Plot, name: &str) -> Markup {
    let tenths = |ticks: std::ops::RangeInclusive<u32>| ticks.map(|tick| f64::from(tick) / 10.0);
    let shares: Vec<_> = tenths(5..=10).map(|share| (share, format!("{:.0}%", share * 100.0))).collect();
    let similarities: Vec<_> = tenths(2..=10).map(|tick| (tick, format!("{tick:.1}"))).collect();
    let (middle, bottom) = plot.place((f64::midpoint(SIMILARITY.0, SIMILARITY.1), LEAST));
    html! {
        (plot.y_axis(&shares))
        (plot.level(GOALS.0, &Stroke::thin("#f2b98a")))
        (plot.level(GOALS.1, &Stroke::thin("#93acd6")))
        (plot.x_axis(&similarities))
        (svg::text((middle, bottom + 46.0), TextAnchor::Middle, INK, "similarity from which a text is a duplicate"))
        (svg::text((middle, MARGIN.1 - 14.0), TextAnchor::Middle, INK, name))
    }
}

fn draw(plot: &Plot, line: &Line, pairs: &[&JudgedPair]) -> Markup {
    let points = similarities().map(|similarity| point(pairs.iter().copied(), line.by, similarity));
    plot.line(points.map(|point| (point.similarity, (line.value)(&point))), &line.stroke)
}

fn legend() -> Markup {
    let goals = "thin lines: the goals, precision 99.5% and recall 95% where 85% of the words are shared";
    html! {
        @for (at, line) in LINES.iter().enumerate() {
            (svg::legend((MARGIN.0 + 225.0 * at as f64, 28.0), line.name, &line.stroke))
        }
        (svg::text((MARGIN.0, 54.0), TextAnchor::Start, INK, goals))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::super::edits::Edit;
    use super::super::{Pair, PairKind};
    use super::*;

    #[test]
    fn there_are_four_lines_a_language() {
        let text = (0..40).map(|at| format!("word{at} ")).collect::<String>();
        let pair = |language| Pair {
            language,
            kind: PairKind::Copy(Edit::Half),
            texts: (text.clone(), text.clone()),
        };
        for judged in
            [vec![], JudgedPair::all(&[pair(TextLanguage::English), pair(TextLanguage::Vietnamese)])]
        {
            let picture = curve(&judged);
            let page = Page::parse(&picture);
            assert_eq!(page.elements("polyline").count(), 8);
            assert!(picture.contains("points=\"64.0,92.0 ") && !picture.contains("NaN"), "{picture}");
            assert!(picture.matches('<').count() == picture.matches('>').count() && !picture.contains('&'));
        }
    }

    #[test]
    fn places_are_on_the_axes() {
        assert_eq!(plot(0.0).place((0.2, 0.2)), (0.0, 412.0));
        let (x, y) = plot(10.0).place((1.0, 1.0));
        assert!((x - 410.0).abs() < 1e-9 && (y - 92.0).abs() < 1e-9);
    }
}
