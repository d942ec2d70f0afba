//! Draws numbers as SVG inside the page. Each picture has a text alternative.

use gleaner_render::svg::{self, Paint, Plot, Scale, px};
use maud::{Markup, html};

use crate::corpus_view::RUNS_SHOWN;

const SPARK: (f64, f64) = (84.0, 22.0);

/// Draws bars of counts and highlights the last one. `said` is the text alternative.
pub(crate) fn spark(counts: &[u64], said: &str) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = SPARK.0 / counts.len().max(RUNS_SHOWN) as f64;
    // The last run is at the right edge, even if there are few runs.
    let left = SPARK.0 - step * counts.len() as f64;
    let text = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let of_class = |class: &'static str| {
        let bars = counts.iter().enumerate().filter_map(move |(at, count)| {
            let high = if *count == 0 { 1.0 } else { (SPARK.1 * *count as f64 / most as f64).max(2.0) };
            let own = match (count, at + 1 == counts.len()) {
                (0, _) => "none",
                (_, true) => "last",
                (_, false) => "bars",
            };
            (own == class).then_some((left + at as f64 * step, (step - 1.5).max(0.5), high))
        });
        svg::bars(SPARK.1, bars, class)
    };
    html! {
        svg.spark role="img" width=(SPARK.0) height=(SPARK.1) viewBox={ "0 0 " (SPARK.0) " " (SPARK.1) }
            aria-label={ (said) ": " (text) } {
            title { (text) }
            (of_class("none")) (of_class("bars")) (of_class("last"))
        }
    }
}

/// Draws a line and fills the area below it.
fn filled(points: &str, (width, height): (f64, f64), above: &Markup) -> Markup {
    html! {
        polygon.below points={ "0," (height) " " (points) " " (width) "," (height) } {}
        (above)
        polyline.line points=(points) {}
    }
}

/// Draws a line of values and fills the area below it.
pub(crate) fn curve(values: &[f64], said: &str) -> Markup {
    let (width, height) = (320.0, 56.0);
    let most = values.iter().copied().fold(0.0, f64::max).max(0.001);
    let plot = Plot {
        x: Scale::new((0.0, values.len().saturating_sub(1).max(1) as f64), (0.0, width)),
        y: Scale::new((0.0, most), (height - 2.0, 4.0)),
    };
    let points = svg::points(values.iter().enumerate().map(|(at, value)| plot.place((at as f64, *value))));
    let content = html! { @if values.len() > 1 { (filled(&points, (width, height), &html! {})) } };
    svg::inline("curve", (width, height), said, &content)
}

pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) parts: Vec<(&'static str, u64)>,
}

/// Draws stacked bars, scaled to the height of the picture.
pub(crate) fn stacked(bars: &[Bar], said: &str) -> Markup {
    let (width, height) = (640.0, 120.0);
    let sum = |bar: &Bar| bar.parts.iter().map(|(_, count)| count).sum::<u64>();
    let most = bars.iter().map(sum).max().unwrap_or(0).max(1);
    let step = width / bars.len().max(1) as f64;
    let (left, wide) = within(step);
    let y = Scale::new((0.0, most as f64), (height, 0.0));
    let content = html! {
        (ground(width, height))
        @for (at, bar) in bars.iter().enumerate() {
            g {
                title { (bar.label) }
                @for (class, from, count) in laid(&bar.parts) {
                    @let x = at as f64 * step + left;
                    @let (top, bottom) = (y.place((from + count) as f64), y.place(from as f64));
                    (svg::bar((x, top), (x + wide, bottom), Paint::Class(class)))
                }
            }
        }
    };
    svg::inline("stacked", (width, height), said, &content)
}

fn ground(width: f64, height: f64) -> Markup {
    html! { line.ground x1="0" x2=(width) y1=(height) y2=(height) {} }
}

/// Returns the class, start and height of each stacked part.
fn laid<'a>(parts: &'a [(&'static str, u64)]) -> impl Iterator<Item = (&'static str, u64, u64)> + 'a {
    let mut below = 0;
    parts.iter().filter(|(_, count)| *count > 0).map(move |(class, count)| {
        below += count;
        (*class, below - count, *count)
    })
}

/// Draws the number of documents after each run as a line, and the new ones per run as bars.
pub(crate) fn growth(news: &[u64], total: u64, said: &str) -> Markup {
    let (width, height) = (640.0, 160.0);
    let step = width / news.len().max(1) as f64;
    let most = news.iter().copied().max().unwrap_or(0).max(1);
    let (left, wide) = within(step);
    // The number of documents before the first run shown.
    let first = total.saturating_sub(news.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)));
    let sums = news.iter().scan(first, |sum, count| {
        *sum = sum.saturating_add(*count);
        Some(*sum as f64)
    });
    let sums: Vec<f64> = sums.collect();
    // This sum includes documents that were removed later.
    let top = sums.last().copied().unwrap_or(first as f64);
    let level = Scale::new((0.0, top.max(1.0)), (height, 8.0));
    let bar = Scale::new((0.0, most as f64), (height, height * 0.55));
    let middle = |(at, sum): (usize, &f64)| ((at as f64 + 0.5) * step, level.place(*sum));
    let ends = ((0.0, level.place(first as f64)), (width, level.place(top)));
    let points = [ends.0].into_iter().chain(sums.iter().enumerate().map(middle)).chain([ends.1]);
    let bars = html! {
        @for (at, count) in news.iter().enumerate() {
            @let x = at as f64 * step + left;
            (svg::bar((x, bar.place(*count as f64)), (x + wide, height), Paint::Class("bar")))
        }
    };
    let content = html! { (filled(&svg::points(points), (width, height), &bars)) (ground(width, height)) };
    svg::inline("growth", (width, height), said, &content)
}

fn within(step: f64) -> (f64, f64) {
    let wide = (0.8 * step).clamp(0.5, 36.0);
    ((step - wide) / 2.0, wide)
}

/// Draws a share from 0 to 1 as a bar. The text next to it states the number.
pub(crate) fn share(share: f64) -> Markup {
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

    #[test]
    fn pictures_of_anything_are_whole() {
        for counts in [&[][..], &[0], &[5], &[1, 0, u64::MAX / 4], &[1; 60]] {
            let bar = |count: &u64| Bar { label: "x".into(), parts: vec![("a", *count), ("b", 1)] };
            let bars: Vec<Bar> = counts.iter().map(bar).collect();
            let values: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
            let all = [
                spark(counts, "new"),
                stacked(&bars, "runs"),
                growth(counts, counts.iter().sum(), "growth"),
                curve(&values, "rate"),
            ];
            for svg in all.map(Markup::into_string) {
                assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("style="), "{svg}");
            }
        }
        let svg = spark(&[1, 2, 0, 3], "new").into_string();
        assert_eq!((svg.matches('M').count(), svg.matches("<path").count()), (4, 3), "{svg}");
        assert!(svg.contains("aria-label=\"new: 1, 2, 0, 3\""), "{svg}");
    }

    #[test]
    fn parts_are_laid_on_top_of_each_other() {
        assert!(laid(&[("a", 2), ("b", 0), ("c", 3)]).eq([("a", 0, 2), ("c", 2, 3)]));
    }
}
