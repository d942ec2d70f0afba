//! Draws numbers as SVG inside the page; each picture has a text alternative.
//!
//! Sizes and positions are attributes and colors come from the style sheet, since the security policy forbids
//! inline styles.

use maud::{Markup, html};

use crate::figures::NIGHTS;

const SPARK: (f64, f64) = (84.0, 22.0);

/// Bars of counts; the last one is highlighted. `said`: the text alternative.
///
/// Three paths instead of one element per bar halve the size of a page with many hosts.
pub(crate) fn spark(counts: &[u64], said: &str) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = SPARK.0 / counts.len().max(NIGHTS) as f64;
    // The last run is at the right edge, even if there are few runs.
    let left = SPARK.0 - step * counts.len() as f64;
    let text = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let (mut nothing, mut bars, mut last) = (String::new(), String::new(), String::new());
    for (at, count) in counts.iter().enumerate() {
        let high = if *count == 0 { 1.0 } else { (SPARK.1 * *count as f64 / most as f64).max(2.0) };
        let path = match (count, at + 1 == counts.len()) {
            (0, _) => &mut nothing,
            (_, true) => &mut last,
            (_, false) => &mut bars,
        };
        let (x, wide) = (left + at as f64 * step, (step - 1.5).max(0.5));
        *path += &format!("M{x:.1} {}v-{high:.1}h{wide:.1}v{high:.1}z", SPARK.1);
    }
    html! {
        svg.spark role="img" width=(SPARK.0) height=(SPARK.1) viewBox={ "0 0 " (SPARK.0) " " (SPARK.1) }
            aria-label={ (said) ": " (text) } {
            title { (text) }
            @for (class, path) in [("none", nothing), ("bars", bars), ("last", last)] {
                @if !path.is_empty() { path class=(class) d=(path) {} }
            }
        }
    }
}

/// A line of values, with the area below filled.
pub(crate) fn curve(values: &[f64], said: &str) -> Markup {
    let (width, height) = (320.0, 56.0);
    let most = values.iter().copied().fold(0.0, f64::max).max(0.001);
    let step = width / values.len().saturating_sub(1).max(1) as f64;
    let point = |(at, value): (usize, &f64)| {
        format!("{:.1},{:.1}", at as f64 * step, height - 2.0 - (height - 6.0) * value / most)
    };
    let points = values.iter().enumerate().map(point).collect::<Vec<_>>().join(" ");
    html! {
        svg.curve role="img" viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none" aria-label=(said) {
            title { (said) }
            @if values.len() > 1 {
                polygon.below points={ "0," (height) " " (points) " " (width) "," (height) } {}
                polyline.line points=(points) {}
            }
        }
    }
}

pub(crate) struct Column {
    pub(crate) label: String,
    pub(crate) parts: Vec<(&'static str, u64)>,
}

/// Stacked bars, one per column, scaled to the height of the picture.
pub(crate) fn stacked(columns: &[Column], said: &str) -> Markup {
    let (width, height) = (640.0, 120.0);
    let sum = |column: &Column| column.parts.iter().map(|(_, count)| count).sum::<u64>();
    let most = columns.iter().map(sum).max().unwrap_or(0).max(1);
    let step = width / columns.len().max(1) as f64;
    let (left, wide) = within(step);
    let scale = height / most as f64;
    html! {
        svg.stacked role="img" preserveAspectRatio="none" viewBox={ "0 0 " (width) " " (height) } aria-label=(said) {
            title { (said) }
            line.ground x1="0" x2=(width) y1=(height) y2=(height) {}
            @for (at, column) in columns.iter().enumerate() {
                g {
                    title { (column.label) }
                    @for (class, from, count) in laid(&column.parts) {
                        rect class=(class) x=(px(at as f64 * step + left)) width=(px(wide))
                            y=(px(height - (from + count) as f64 * scale)) height=(px(count as f64 * scale)) {}
                    }
                }
            }
        }
    }
}

/// The stacked parts: class, start and height.
fn laid<'a>(parts: &'a [(&'static str, u64)]) -> impl Iterator<Item = (&'static str, u64, u64)> + 'a {
    let mut below = 0;
    parts.iter().filter(|(_, count)| *count > 0).map(move |(class, count)| {
        below += count;
        (*class, below - count, *count)
    })
}

/// The number of documents after each run as a line, and the new ones per run as bars.
pub(crate) fn growth(news: &[u64], total: u64, said: &str) -> Markup {
    let (width, height) = (640.0, 160.0);
    let step = width / news.len().max(1) as f64;
    let most = news.iter().copied().max().unwrap_or(0).max(1);
    let (left, wide) = within(step);
    // Documents before the first run shown.
    let mut all = total.saturating_sub(news.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)));
    let first = all;
    // Includes documents that were removed later.
    let top = news.iter().fold(all, |sum, count| sum.saturating_add(*count)).max(1);
    let level = |all: u64| height - (height - 8.0) * (all as f64 / top as f64);
    let mut points = format!("0,{:.1}", level(first));
    for (at, count) in news.iter().enumerate() {
        all = all.saturating_add(*count);
        points += &format!(" {:.1},{:.1}", (at as f64 + 0.5) * step, level(all));
    }
    points += &format!(" {width},{:.1}", level(all));
    html! {
        svg.growth role="img" preserveAspectRatio="none" viewBox={ "0 0 " (width) " " (height) } aria-label=(said) {
            title { (said) }
            polygon.below points={ "0," (height) " " (points) " " (width) "," (height) } {}
            @for (at, count) in news.iter().enumerate() {
                @let high = height * 0.45 * *count as f64 / most as f64;
                rect.bar x=(px(at as f64 * step + left)) width=(px(wide)) y=(px(height - high)) height=(px(high)) {}
            }
            polyline.line points=(points) {}
            line.ground x1="0" x2=(width) y1=(height) y2=(height) {}
        }
    }
}

fn within(step: f64) -> (f64, f64) {
    let wide = (0.8 * step).clamp(0.5, 36.0);
    ((step - wide) / 2.0, wide)
}

/// A share, 0 to 1, as a bar; the text beside it has the number.
pub(crate) fn share(share: f64) -> Markup {
    html! {
        svg.share-bar aria-hidden="true" width="64" height="8" viewBox="0 0 64 8" {
            rect.room width="64" height="8" rx="4" {}
            rect.part width=(px(64.0 * share.clamp(0.03, 1.0))) height="8" rx="4" {}
        }
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_anything_are_whole() {
        for counts in [&[][..], &[0], &[5], &[1, 0, u64::MAX / 4], &[1; 60]] {
            let column = |count: &u64| Column { label: "x".into(), parts: vec![("a", *count), ("b", 1)] };
            let columns: Vec<Column> = counts.iter().map(column).collect();
            let values: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
            let all = [
                spark(counts, "new"),
                stacked(&columns, "nights"),
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
