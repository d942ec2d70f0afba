//! Draws figure 5: two measures against the coefficient, as SVG without a library.
//!
//! Limitation: the axes are those of this figure, 0 to 2 and 0% to 100%; values outside are drawn at the
//! edge.

use std::fmt::Write;

const SIZE: (f64, f64) = (720.0, 460.0);

const PLOT: (f64, f64, f64, f64) = (70.0, 50.0, 690.0, 390.0);

const MOST: f64 = 2.0;

struct Measure {
    name: &'static str,
    /// The two hues also differ in lightness, for print and for colour-blind readers.
    colour: &'static str,
    dashes: &'static str,
}

const LCS: Measure = Measure { name: "LCS (recall)", colour: "#1b4f9c", dashes: "none" };
const EDR: Measure = Measure { name: "EDR (precision)", colour: "#d9660a", dashes: "8 4" };

/// Draws points `(coefficient, LCS, EDR)`: 0 to 2, then shares from 0 to 1, in the order of the coefficient.
/// Without points, only the axes.
#[must_use]
pub(super) fn figure_5(points: &[(f64, f64, f64)]) -> String {
    let mut out = String::new();
    let (width, height) = SIZE;
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\">\n\
         <title>LCS and EDR against the threshold's coefficient</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    axes(&mut out);
    line(&mut out, &LCS, points.iter().map(|point| (point.0, point.1)));
    line(&mut out, &EDR, points.iter().map(|point| (point.0, point.2)));
    legend(&mut out);
    out.push_str("</svg>\n");
    out
}

fn place(coefficient: f64, share: f64) -> (f64, f64) {
    let (left, top, right, bottom) = PLOT;
    let across = left + (right - left) * (coefficient / MOST).clamp(0.0, 1.0);
    (across, bottom - (bottom - top) * share.clamp(0.0, 1.0))
}

fn axes(out: &mut String) {
    let (left, top, right, bottom) = PLOT;
    for tick in 0..=5 {
        let share = f64::from(tick) / 5.0;
        let (_, y) = place(0.0, share);
        stroke(out, "#ddd", (left, y), (right, y));
        text(out, (left - 8.0, y + 5.0), "end", &format!("{:.0}", share * 100.0));
    }
    for tick in 0..=10 {
        let coefficient = f64::from(tick) / 5.0;
        let (x, _) = place(coefficient, 0.0);
        stroke(out, "#222", (x, bottom), (x, bottom + 5.0));
        text(out, (x, bottom + 22.0), "middle", &format!("{coefficient:.1}"));
    }
    stroke(out, "#222", (left, top), (left, bottom));
    stroke(out, "#222", (left, bottom), (right, bottom));
    let middle = f64::midpoint(left, right);
    text(out, (middle, SIZE.1 - 18.0), "middle", "threshold in standard deviations of the smoothed ratios");
    text(out, (left, top - 14.0), "middle", "mean, %");
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

fn line(out: &mut String, measure: &Measure, points: impl Iterator<Item = (f64, f64)>) {
    let finite = points.filter(|(coefficient, share)| coefficient.is_finite() && share.is_finite());
    let places: Vec<String> = finite
        .map(|(coefficient, share)| place(coefficient, share))
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let Measure { colour, dashes, .. } = measure;
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" stroke-dasharray=\"{dashes}\"/>",
        places.join(" ")
    );
}

fn legend(out: &mut String) {
    let (_, top, right, _) = PLOT;
    for (measure, x) in [(&LCS, right - 350.0), (&EDR, right - 170.0)] {
        let Measure { name, colour, dashes } = measure;
        let y = top - 20.0;
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" \
             stroke-width=\"2.5\" stroke-dasharray=\"{dashes}\"/>",
            x + 36.0
        );
        text(out, (x + 44.0, y + 5.0), "start", name);
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::*;

    #[test]
    fn each_measure_is_a_line_of_all_points() {
        let picture = figure_5(&[(0.0, 1.0, 0.0), (1.0, 0.5, 0.25), (2.0, 0.0, 7.0), (0.1, f64::NAN, 1.0)]);
        assert!(picture.contains("points=\"70.0,50.0 380.0,220.0 690.0,390.0\""), "{picture}");
        assert!(picture.contains("points=\"70.0,390.0 380.0,305.0 690.0,50.0 101.0,50.0\""), "{picture}");
        for label in
            ["LCS (recall)", "EDR (precision)", ">100<", ">0<", ">0.0<", ">2.0<", "standard deviations"]
        {
            assert!(picture.contains(label), "{label}");
        }
    }

    #[test]
    fn it_is_well_formed() {
        for picture in [figure_5(&[]), figure_5(&[(1.0, 0.9, 0.6)])] {
            let mut open = Vec::new();
            for tag in picture.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
                assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
                match tag.strip_prefix('/') {
                    Some(name) => assert_eq!(open.pop(), Some(name)),
                    None if tag.ends_with('/') => {}
                    None => open.push(tag.split(' ').next().unwrap()),
                }
            }
            assert!(open.is_empty() && !picture.contains("NaN") && !picture.contains('&'), "{picture}");
            assert_eq!(Page::parse(&picture).elements("polyline").count(), 2);
        }
    }
}
