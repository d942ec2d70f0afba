//! Formats the growth of the corpus by day, as a table with bars and as an SVG chart.
//!
//! Limitation: a document counts on the day on which it was fetched (UTC), not on the day of publication. The
//! table shows the last 30 days with documents. The chart and `--json` show all days.

use gleaner_crawl::render::svg::{self, INK, Paint, Plot, Scale, Stroke, TextAnchor};
use gleaner_crawl::render::text::count;
use jiff::Unit;
use jiff::civil::Date;
use maud::{Markup, html};

use super::corpus_stats::DayStats;
use crate::table::table;

const DAYS: usize = 30;

const BAR: u64 = 40;

const SIZE: (f64, f64) = (760.0, 360.0);

/// Left and right edge of the chart's plot area, in pixels.
const PLOT_X: (f64, f64) = (80.0, 680.0);

/// Bottom and top edge of the chart's plot area, in pixels.
const PLOT_Y: (f64, f64) = (310.0, 40.0);

const PER_DAY: &str = "#1b4f9c";

const TOTAL: Stroke = Stroke { color: "#d9660a", width: 2.0, dashes: "8 3" };

pub(super) fn table_of(days: &[DayStats]) -> String {
    let before = days.len().saturating_sub(DAYS);
    let (earlier, shown) = days.split_at(before);
    let most = shown.iter().map(|day| day.documents).max().unwrap_or(0);
    let mut all: u64 = earlier.iter().map(|day| day.documents).sum();
    let mut rows = Vec::new();
    if before > 0 {
        let words: u64 = earlier.iter().map(|day| day.words).sum();
        let name = count(before as u64, "earlier day");
        rows.push(vec![name, all.to_string(), words.to_string(), all.to_string(), String::new()]);
    }
    for day in shown {
        all += day.documents;
        let [documents, words, sum] = [day.documents, day.words, all].map(|number| number.to_string());
        rows.push(vec![day.day.to_string(), documents, words, sum, bar(day.documents, most)]);
    }
    table(&["Fetched (UTC)", "Documents", "Words", "Total", ""], rows)
}

fn bar(count: u64, most: u64) -> String {
    let eighths = if most == 0 { 0 } else { (count * BAR * 8).div_ceil(most) };
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][(eighths % 8) as usize];
    "█".repeat((eighths / 8) as usize) + rest
}

pub(super) fn svg(days: &[DayStats]) -> String {
    let content = match (days.first(), days.last()) {
        (Some(first), Some(last)) => chart(days, first.day, last.day),
        _ => html! {},
    };
    svg::file(SIZE, 12, "Documents by the day on which they were fetched", &content)
}

fn chart(days: &[DayStats], first: Date, last: Date) -> Markup {
    let most = days.iter().map(|day| day.documents).max().unwrap_or(0);
    let all: u64 = days.iter().map(|day| day.documents).sum();
    // The x axis also has space for days without documents.
    let x = Scale::new((0.0, distance(first, last) + 1.0), PLOT_X);
    let plot = |most: u64| Plot { x, y: Scale::new((0.0, most.max(1) as f64), PLOT_Y) };
    let (per_day, total) = (plot(most), plot(all));
    let wide = ((x.place(1.0) - x.place(0.0)) * 0.9).max(0.2);
    let bar = |day: &DayStats| {
        let (left, top) = per_day.place((distance(first, day.day), day.documents as f64));
        svg::bar((left, top), (left + wide, PLOT_Y.0), Paint::Color("#9db8dd"))
    };
    let sums = days.iter().scan(0, |sum, day| {
        *sum += day.documents;
        Some((distance(first, day.day) + 0.5, *sum as f64))
    });
    html! {
        @for day in days { (bar(day)) }
        (axis(&per_day, most, TextAnchor::End, PER_DAY, "documents per day"))
        (total.line(sums, &TOTAL))
        (axis(&total, all, TextAnchor::Start, TOTAL.color, "documents in total"))
        (svg::text((PLOT_X.0, PLOT_Y.0 + 20.0), TextAnchor::Start, INK, &first.to_string()))
        (svg::text((PLOT_X.1, PLOT_Y.0 + 20.0), TextAnchor::End, INK, &last.to_string()))
        (svg::line((PLOT_X.0, PLOT_Y.0), (PLOT_X.1, PLOT_Y.0), &Stroke::thin(INK)))
    }
}

fn distance(first: Date, day: Date) -> f64 {
    first.until((Unit::Day, day)).map_or(0.0, |span| f64::from(span.get_days()))
}

fn axis(plot: &Plot, most: u64, anchor: TextAnchor, color: &'static str, name: &str) -> Markup {
    let (x, beside, inwards) = match anchor {
        TextAnchor::End => (PLOT_X.0, -6.0, TextAnchor::Start),
        TextAnchor::Start | TextAnchor::Middle => (PLOT_X.1, 6.0, TextAnchor::End),
    };
    html! {
        (svg::line((x, PLOT_Y.1), (x, PLOT_Y.0), &Stroke::thin(color)))
        @for tick in [0, most / 2, most] {
            (svg::text((x + beside, plot.y.place(tick as f64) + 4.0), anchor, color, &tick.to_string()))
        }
        (svg::text((x, PLOT_Y.1 - 14.0), inwards, color, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(counts: &[u64]) -> Vec<DayStats> {
        let first: Date = "2026-10-01".parse().unwrap();
        let day = |(at, &documents): (usize, &u64)| DayStats {
            day: first.saturating_add(jiff::Span::new().days(at as i64)),
            documents,
            words: documents * 100,
        };
        counts.iter().enumerate().map(day).collect()
    }

    #[test]
    fn the_table_has_bars_and_sums() {
        let text = table_of(&days(&[4, 0, 1]));
        let row = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
        assert!(row("2026-10-01").ends_with(&"█".repeat(40)) || row("2026-10-01").contains(&"█".repeat(40)));
        assert!(row("2026-10-03").contains(&"█".repeat(10)) && !row("2026-10-03").contains(&"█".repeat(11)));
        assert!(!row("2026-10-02").contains('█') && row("2026-10-03").contains(" 5 "));
    }

    #[test]
    fn earlier_days_are_summed() {
        let text = table_of(&days(&[1; 33]));
        assert!(text.contains("3 earlier days") && !text.contains("2026-10-03"), "{text}");
        assert!(text.contains("2026-10-04") && text.contains(" 33 "), "{text}");
    }

    #[test]
    fn pictures_have_a_bar_a_day_and_stay_within_their_edges() {
        for counts in [&[][..], &[0], &[5], &[1, 0, 7, 3], &[1; 400]] {
            let svg = svg(&days(counts));
            assert_eq!(svg.matches("fill=\"#9db8dd\"").count(), counts.len());
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn a_bar_of_anything_is_seen() {
        assert_eq!((bar(0, 10), bar(1, 1_000_000), bar(0, 0)), (String::new(), "▏".into(), String::new()));
    }
}
