//! Draws charts. The shapes are SVG that stretches with the page. The axis labels are HTML, so they stay
//! readable on small screens. Each chart has one scale and a text alternative.

use gleaner_crawl::render::svg::{self, Paint, Plot, Scale, px};
use gleaner_crawl::render::text::Notation;
use maud::{Markup, html};

use crate::status::corpus_view::RUNS_SHOWN;

/// Width and height of a chart in SVG units. The page stretches the chart.
const CHART_SIZE: (f64, f64) = (640.0, 160.0);

const SPARKLINE_SIZE: (f64, f64) = (84.0, 22.0);

/// Maximum number of labels below the x axis.
const MAX_LABELS: usize = 5;

/// Title, axes and legend of a chart.
pub(crate) struct ChartFrame<'a> {
    /// What the y axis counts.
    pub(crate) title: &'a str,
    /// The value at the upper end of the y axis, computed by [`axis_top`].
    pub(crate) top: f64,
    /// The labels of the x axis from left to right. If there are too many, only some of them are shown.
    pub(crate) x: &'a [String],
    /// Whether each label belongs to one position on the x axis. If not, the labels mark the ends of a line.
    pub(crate) labels_positions: bool,
    pub(crate) legend: Markup,
    pub(crate) notation: Notation,
}

/// Returns the smallest round number that is at least `most`. Round numbers are 1, 2, 4, 6, 8 or 10 times a
/// power of ten.
pub(crate) fn axis_top(most: f64) -> f64 {
    let power = 10_f64.powf(most.max(0.1).log10().floor());
    let steps = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= most).unwrap_or(most)
}

/// Returns the upper end of an axis for counts. It is even, so the label at half height is a whole number.
pub(crate) fn axis_top_of_counts(counts: impl IntoIterator<Item = u64>) -> f64 {
    axis_top(counts.into_iter().max().unwrap_or(0).max(2) as f64)
}

/// Adds title, axes and legend to a drawing. `alt_text` is the text alternative.
fn chart(class: &str, frame: &ChartFrame<'_>, alt_text: &str, drawing: &Markup) -> Markup {
    let (width, height) = CHART_SIZE;
    let lines = html! {
        @for y in [0.0, height / 2.0, height] { line.grid x1="0" x2=(width) y1=(y) y2=(y) {} }
    };
    let every = if frame.labels_positions { frame.x.len().div_ceil(MAX_LABELS).max(1) } else { 1 };
    // The last position always has a label. The others follow at regular distances to its left.
    let is_shown = |at: usize| (frame.x.len() - 1 - at).is_multiple_of(every);
    html! {
        figure.chart {
            figcaption { strong { (frame.title) } (frame.legend) }
            div.plot {
                div.y aria-hidden="true" {
                    @for value in [frame.top, frame.top / 2.0, 0.0] { span { (frame.notation.decimal(value)) } }
                }
                (svg::inline(class, CHART_SIZE, &format!("{}: {alt_text}", frame.title), &html! { (lines) (drawing) }))
                div.x.places[frame.labels_positions] aria-hidden="true" {
                    @for (at, label) in frame.x.iter().enumerate() {
                        span { @if is_shown(at) { span { (label) } } }
                    }
                }
            }
        }
    }
}

pub(crate) struct Bar {
    pub(crate) label: String,
    /// The CSS class and the count of each stacked part, from bottom to top.
    pub(crate) parts: Vec<(&'static str, u64)>,
}

impl Bar {
    fn sum(&self) -> u64 {
        self.parts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }
}

pub(crate) fn axis_top_of_bars(bars: &[Bar]) -> f64 {
    axis_top_of_counts(bars.iter().map(Bar::sum))
}

pub(crate) fn bars(frame: &ChartFrame<'_>, bars: &[Bar]) -> Markup {
    let (width, height) = CHART_SIZE;
    let step = width / bars.len().max(1) as f64;
    let wide = (0.8 * step).min(60.0);
    let y = Scale::new((0.0, frame.top), (height, 0.0));
    let drawing = html! {
        @for (at, bar) in bars.iter().enumerate() {
            @let x = at as f64 * step + (step - wide) / 2.0;
            g {
                title { (bar.label) }
                @for (class, from, count) in stacked(&bar.parts) {
                    @let (top, bottom) = (y.place((from + count) as f64), y.place(from as f64));
                    (svg::bar((x, top), (x + wide, bottom), Paint::Class(class)))
                }
            }
        }
    };
    let alt_text: Vec<&str> = bars.iter().map(|bar| bar.label.as_str()).collect();
    chart("bars", frame, &alt_text.join("; "), &drawing)
}

pub(crate) fn area(frame: &ChartFrame<'_>, values: &[f64]) -> Markup {
    let (width, height) = CHART_SIZE;
    let plot = Plot {
        x: Scale::new((0.0, values.len().saturating_sub(1).max(1) as f64), (0.0, width)),
        y: Scale::new((0.0, frame.top), (height, 0.0)),
    };
    let level = values.first().filter(|_| values.len() == 1).map(|value| (1.0, *value));
    let all = values.iter().enumerate().map(|(at, value)| (at as f64, *value)).chain(level);
    let points = svg::points(all.map(|point| plot.place(point)));
    let drawing = html! {
        @if !values.is_empty() {
            polygon.below points={ "0," (height) " " (points) " " (width) "," (height) } {}
            polyline.line points=(points) {}
        }
    };
    let last = values.last().copied().unwrap_or_default();
    chart("area", frame, &frame.notation.decimal(last), &drawing)
}

/// Returns the CSS class, start and height of each stacked part that is not empty.
fn stacked<'a>(parts: &'a [(&'static str, u64)]) -> impl Iterator<Item = (&'static str, u64, u64)> + 'a {
    let mut below: u64 = 0;
    parts.iter().filter(|(_, count)| *count > 0).map(move |(class, count)| {
        let from = below;
        below = below.saturating_add(*count);
        (*class, from, below - from)
    })
}

/// Draws a small bar chart of counts for a table cell. It highlights the last bar, and shows the largest
/// count to the left of the bars. `alt_text` is the text alternative.
pub(crate) fn sparkline(counts: &[u64], alt_text: &str) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = SPARKLINE_SIZE.0 / counts.len().max(RUNS_SHOWN) as f64;
    // The last run is at the right edge even if there are few runs.
    let left = SPARKLINE_SIZE.0 - step * counts.len() as f64;
    let text = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let of_class = |class: &'static str| {
        let bars = counts.iter().enumerate().filter_map(move |(at, count)| {
            let high =
                if *count == 0 { 1.0 } else { (SPARKLINE_SIZE.1 * *count as f64 / most as f64).max(2.0) };
            let own = match (count, at + 1 == counts.len()) {
                (0, _) => "none",
                (_, true) => "last",
                (_, false) => "bars",
            };
            (own == class).then_some((left + at as f64 * step, (step - 1.5).max(0.5), high))
        });
        svg::bars(SPARKLINE_SIZE.1, bars, class)
    };
    html! {
        svg.spark role="img" width=(SPARKLINE_SIZE.0) height=(SPARKLINE_SIZE.1) viewBox={ "0 0 " (SPARKLINE_SIZE.0) " " (SPARKLINE_SIZE.1) }
            aria-label={ (alt_text) ": " (text) } {
            title { (text) }
            (of_class("none")) (of_class("bars")) (of_class("last"))
        }
    }
}

/// Draws a fraction from 0 to 1 as a bar. The bar has no text alternative, because the number is beside it.
pub(crate) fn share_bar(share: f64) -> Markup {
    html! {
        svg.share-bar aria-hidden="true" width="64" height="8" viewBox="0 0 64 8" {
            rect.room width="64" height="8" rx="4" {}
            rect.part width=(px(64.0 * share.clamp(0.03, 1.0))) height="8" rx="4" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(top: f64, x: &'a [String], labels_positions: bool) -> ChartFrame<'a> {
        ChartFrame {
            title: "URLs by run",
            top,
            x,
            labels_positions,
            legend: html! {},
            notation: Notation::ENGLISH,
        }
    }

    #[test]
    fn charts_of_any_values_are_complete() {
        for counts in [&[][..], &[0], &[5], &[1, 0, u64::MAX / 4], &[1; 60]] {
            let bar = |count: &u64| Bar { label: "x".into(), parts: vec![("a", *count), ("b", 1)] };
            let all_bars: Vec<Bar> = counts.iter().map(bar).collect();
            let values: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
            let x: Vec<String> = counts.iter().map(u64::to_string).collect();
            let most = axis_top(values.iter().copied().fold(0.0, f64::max));
            let all = [
                sparkline(counts, "new"),
                bars(&frame(axis_top_of_bars(&all_bars), &x, true), &all_bars),
                area(&frame(most, &x, false), &values),
            ];
            for svg in all.map(Markup::into_string) {
                assert!(svg.contains("<svg") && svg.contains("</svg>"), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("style="), "{svg}");
            }
        }
        let svg = sparkline(&[1, 2, 0, 3], "new").into_string();
        assert_eq!((svg.matches('M').count(), svg.matches("<path").count()), (4, 3), "{svg}");
        assert!(svg.contains("aria-label=\"new: 1, 2, 0, 3\""), "{svg}");
    }

    #[test]
    fn axes_end_at_round_numbers() {
        let cases =
            [(0.0, 0.1), (0.13, 0.2), (1.0, 1.0), (1.1, 2.0), (23.0, 40.0), (100.0, 100.0), (810.0, 1000.0)];
        for (most, expected) in cases {
            assert!((axis_top(most) - expected).abs() < 1e-9, "{most}: {}", axis_top(most));
        }
        assert_eq!([0, 1, 3, 11].map(|count| axis_top_of_counts([count])), [2.0, 2.0, 4.0, 20.0]);
    }

    #[test]
    fn few_of_many_positions_are_labelled() {
        let x: Vec<String> = (1..=14).map(|day| format!("11-{day:02}")).collect();
        let empty = || Bar { label: String::new(), parts: Vec::new() };
        let shown = bars(&frame(2.0, &x, true), &(0..14).map(|_| empty()).collect::<Vec<_>>()).into_string();
        assert_eq!(shown.matches("<span>11-").count(), 5, "{shown}");
        assert!(shown.contains("<span>11-14</span>"), "{shown}");
    }

    #[test]
    fn parts_are_stacked() {
        assert!(stacked(&[("a", 2), ("b", 0), ("c", 3)]).eq([("a", 0, 2), ("c", 2, 3)]));
    }
}
