//! Draws figure 5 as SVG: two measures against the coefficient.
//!
//! Limitation: the axes always cover 0 to 2 and 0% to 100%. Other values are drawn at the edge.

use gleaner_crawl::render::svg::{self, INK, Plot, Scale, Stroke, TextAnchor};
use maud::html;

const SIZE: (f64, f64) = (720.0, 460.0);

const PLOT: Plot =
    Plot { x: Scale::new((0.0, 2.0), (70.0, 690.0)), y: Scale::new((0.0, 1.0), (390.0, 50.0)) };

const LCS: Stroke = Stroke { color: "#1b4f9c", width: 2.5, dashes: "none" };
const EDR: Stroke = Stroke { color: "#d9660a", width: 2.5, dashes: "8 4" };

/// Draws points `(coefficient, LCS, EDR)`, which must be in ascending order of the coefficient. Coefficients
/// are from 0 to 2, and LCS and EDR from 0 to 1. If there are no points, draws only the axes.
#[must_use]
pub(super) fn figure_5(points: &[(f64, f64, f64)]) -> String {
    let fifths = |ticks: std::ops::RangeInclusive<u32>| ticks.map(|tick| f64::from(tick) / 5.0);
    let shares: Vec<_> = fifths(0..=5).map(|share| (share, format!("{:.0}", share * 100.0))).collect();
    let coefficients: Vec<_> = fifths(0..=10).map(|tick| (tick, format!("{tick:.1}"))).collect();
    let ((left, top), (middle, _)) = (PLOT.place((0.0, 1.0)), PLOT.place((1.0, 0.0)));
    let below = "threshold in standard deviations of the smoothed ratios";
    let content = html! {
        (PLOT.y_axis(&shares))
        (PLOT.x_axis(&coefficients))
        (svg::text((middle, SIZE.1 - 18.0), TextAnchor::Middle, INK, below))
        (svg::text((left, top - 14.0), TextAnchor::Middle, INK, "mean, %"))
        (PLOT.line(points.iter().map(|point| (point.0, point.1)), &LCS))
        (PLOT.line(points.iter().map(|point| (point.0, point.2)), &EDR))
        (svg::legend((340.0, top - 20.0), "LCS (recall)", &LCS))
        (svg::legend((520.0, top - 20.0), "EDR (precision)", &EDR))
    };
    svg::file(SIZE, 14, "LCS and EDR against the threshold's coefficient", &content)
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
