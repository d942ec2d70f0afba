//! Draws precision and recall against the similarity, as SVG without a library.
//!
//! There is one panel per language, with precision and recall of the product and of the estimate alone, and
//! the goals as thin lines.
//!
//! Limitation: the axis of shares begins at one half; lower values are drawn at the edge.

use std::fmt::Write;

use super::figures::{By, Judged, Point, point};
use super::texts::Language;

const PLOT: (f64, f64) = (400.0, 320.0);

const MARGIN: (f64, f64) = (64.0, 92.0);

const PANEL: f64 = 500.0;

const SIMILARITY: (f64, f64) = (0.2, 1.0);

const LEAST: f64 = 0.5;

/// The goals: precision and recall.
pub const GOALS: (f64, f64) = (0.995, 0.95);

struct Line {
    name: &'static str,
    by: By,
    value: fn(&Point) -> f64,
    /// The hues also differ in lightness, for print and for colour-blind readers.
    colour: &'static str,
    dashes: &'static str,
}

const LINES: [Line; 4] = [
    Line { name: "precision", by: By::Texts, value: |p| p.precision, colour: "#d9660a", dashes: "none" },
    Line { name: "recall", by: By::Texts, value: |p| p.recall, colour: "#1b4f9c", dashes: "none" },
    Line {
        name: "precision, estimate alone",
        by: By::Estimate,
        value: |p| p.precision,
        colour: "#d9660a",
        dashes: "3 4",
    },
    Line {
        name: "recall, estimate alone",
        by: By::Estimate,
        value: |p| p.recall,
        colour: "#1b4f9c",
        dashes: "3 4",
    },
];

/// Draws these pairs.
#[must_use]
pub fn curve(judged: &[Judged]) -> String {
    let mut out = String::new();
    let (width, height) = (PANEL * 2.0 - 20.0, MARGIN.1 + PLOT.1 + 64.0);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\">\n\
         <title>Precision and recall of automatic duplicates against the similarity</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    legend(&mut out);
    for (at, (language, name)) in
        [(Language::English, "English"), (Language::Vietnamese, "Vietnamese")].into_iter().enumerate()
    {
        let left = MARGIN.0 + PANEL * at as f64;
        axes(&mut out, left, name);
        let of: Vec<&Judged> = judged.iter().filter(|pair| pair.language == language).collect();
        LINES.iter().for_each(|line| draw(&mut out, left, line, &of));
    }
    out.push_str("</svg>\n");
    out
}

/// The similarities that are drawn.
pub fn similarities() -> impl Iterator<Item = f64> {
    (4..=20).map(|step| f64::from(step) / 20.0)
}

fn place(left: f64, similarity: f64, share: f64) -> (f64, f64) {
    let across = (similarity - SIMILARITY.0) / (SIMILARITY.1 - SIMILARITY.0);
    let up = (share.clamp(LEAST, 1.0) - LEAST) / (1.0 - LEAST);
    (left + PLOT.0 * across, MARGIN.1 + PLOT.1 * (1.0 - up))
}

fn axes(out: &mut String, left: f64, name: &str) {
    let (right, bottom) = (left + PLOT.0, MARGIN.1 + PLOT.1);
    for tick in 5..=10 {
        let share = f64::from(tick) / 10.0;
        let (_, y) = place(left, SIMILARITY.0, share);
        stroke(out, "#ddd", (left, y), (right, y));
        text(out, (left - 8.0, y + 5.0), "end", &format!("{:.0}%", share * 100.0));
    }
    for (goal, colour) in [(GOALS.0, "#f2b98a"), (GOALS.1, "#93acd6")] {
        let (_, y) = place(left, SIMILARITY.0, goal);
        stroke(out, colour, (left, y), (right, y));
    }
    for tick in 2..=10 {
        let (x, _) = place(left, f64::from(tick) / 10.0, 1.0);
        stroke(out, "#222", (x, bottom), (x, bottom + 5.0));
        text(out, (x, bottom + 22.0), "middle", &format!("{:.1}", f64::from(tick) / 10.0));
    }
    stroke(out, "#222", (left, MARGIN.1), (left, bottom));
    stroke(out, "#222", (left, bottom), (right, bottom));
    let middle = f64::midpoint(left, right);
    text(out, (middle, bottom + 46.0), "middle", "similarity from which a text is a duplicate");
    text(out, (middle, MARGIN.1 - 14.0), "middle", name);
}

fn draw(out: &mut String, left: f64, line: &Line, of: &[&Judged]) {
    let points = similarities().map(|similarity| point(of.iter().copied(), line.by, similarity));
    let places: Vec<String> = points
        .map(|point| place(left, point.similarity, (line.value)(&point)))
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\" stroke-dasharray=\"{}\"/>",
        places.join(" "),
        line.colour,
        line.dashes
    );
}

fn legend(out: &mut String) {
    for (at, line) in LINES.iter().enumerate() {
        let (x, y) = (MARGIN.0 + 225.0 * at as f64, 28.0);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{}\" stroke-width=\"2.5\" \
             stroke-dasharray=\"{}\"/>",
            x + 32.0,
            line.colour,
            line.dashes
        );
        text(out, (x + 40.0, y + 5.0), "start", line.name);
    }
    text(
        out,
        (MARGIN.0, 54.0),
        "start",
        "thin lines: the goals, precision 99.5% and recall 95% where 85% of the words are shared",
    );
}

fn stroke(out: &mut String, colour: &str, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
    );
}

/// `anchor` is SVG's `text-anchor`.
fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::super::edits::Edit;
    use super::super::{Kind, Pair};
    use super::*;

    #[test]
    fn there_are_four_lines_a_language() {
        let text = (0..40).map(|at| format!("word{at} ")).collect::<String>();
        let pair =
            |language| Pair { language, kind: Kind::Copy(Edit::Half), texts: (text.clone(), text.clone()) };
        for judged in [vec![], Judged::all(&[pair(Language::English), pair(Language::Vietnamese)])] {
            let picture = curve(&judged);
            let page = Page::parse(&picture);
            assert_eq!(page.elements("polyline").count(), 8);
            assert!(picture.contains("points=\"64.0,92.0 ") && !picture.contains("NaN"), "{picture}");
            assert!(picture.matches('<').count() == picture.matches('>').count() && !picture.contains('&'));
        }
    }

    #[test]
    fn places_are_on_the_axes() {
        assert_eq!(place(0.0, 0.2, 0.2), (0.0, 412.0));
        let (x, y) = place(10.0, 1.0, 1.0);
        assert!((x - 410.0).abs() < 1e-9 && (y - 92.0).abs() < 1e-9);
    }
}
