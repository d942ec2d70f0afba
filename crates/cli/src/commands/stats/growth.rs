//! Formats the growth by day as a table with bars and as an SVG chart.
//!
//! Limitation: days are those of fetching, in UTC, not of publication. The table has the last 30 days with
//! documents; the chart and `--json` have all.

use std::fmt::Write;

use jiff::Unit;
use jiff::civil::Date;

use super::figures::Day;
use crate::table::table;

const DAYS: usize = 30;

/// Characters of the longest bar.
const BAR: u64 = 40;

const SIZE: (f64, f64) = (760.0, 360.0);

/// The plot area: left, top, right, bottom, in pixels.
const PLOT: (f64, f64, f64, f64) = (80.0, 40.0, 680.0, 310.0);

pub(super) fn table_of(days: &[Day]) -> String {
    let before = days.len().saturating_sub(DAYS);
    let (earlier, shown) = days.split_at(before);
    let most = shown.iter().map(|day| day.documents).max().unwrap_or(0);
    let mut all: u64 = earlier.iter().map(|day| day.documents).sum();
    let mut rows = Vec::new();
    if before > 0 {
        let words: u64 = earlier.iter().map(|day| day.words).sum();
        let name = format!("{before} earlier days");
        rows.push(vec![name, all.to_string(), words.to_string(), all.to_string(), String::new()]);
    }
    for day in shown {
        all += day.documents;
        let [documents, words, sum] = [day.documents, day.words, all].map(|number| number.to_string());
        rows.push(vec![day.day.to_string(), documents, words, sum, bar(day.documents, most)]);
    }
    table(&["Fetched (UTC)", "Documents", "Words", "Total", ""], rows)
}

/// A bar of block characters, in steps of one eighth.
fn bar(count: u64, most: u64) -> String {
    let eighths = if most == 0 { 0 } else { (count * BAR * 8).div_ceil(most) };
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][(eighths % 8) as usize];
    "█".repeat((eighths / 8) as usize) + rest
}

/// An SVG chart: documents per day as bars, the running total as a line.
pub(super) fn svg(days: &[Day]) -> String {
    let (width, height) = SIZE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <title>Documents by the day on which they were fetched</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    if let (Some(first), Some(last)) = (days.first(), days.last()) {
        let span = Span { first: first.day, days: distance(first.day, last.day) + 1.0 };
        bars(&mut out, days, &span);
        line(&mut out, days, &span);
        names(&mut out, first.day, last.day);
    }
    out + "</svg>\n"
}

/// The range of days from left to right, including days without documents.
struct Span {
    first: Date,
    days: f64,
}

impl Span {
    /// Left edge of a day, in pixels.
    fn place(&self, day: Date) -> f64 {
        PLOT.0 + distance(self.first, day) * self.step()
    }

    fn step(&self) -> f64 {
        (PLOT.2 - PLOT.0) / self.days
    }
}

fn distance(first: Date, day: Date) -> f64 {
    first.until((Unit::Day, day)).map_or(0.0, |span| f64::from(span.get_days()))
}

fn level(count: u64, most: u64) -> f64 {
    PLOT.3 - (PLOT.3 - PLOT.1) * count as f64 / most.max(1) as f64
}

fn bars(out: &mut String, days: &[Day], span: &Span) {
    let most = days.iter().map(|day| day.documents).max().unwrap_or(0);
    for day in days {
        let (x, y) = (span.place(day.day), level(day.documents, most));
        let (wide, high) = ((span.step() * 0.9).max(0.2), PLOT.3 - y);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\" fill=\"#9db8dd\"/>"
        );
    }
    axis(out, PLOT.0, "end", most, "#1b4f9c", "documents per day");
}

fn line(out: &mut String, days: &[Day], span: &Span) {
    let most: u64 = days.iter().map(|day| day.documents).sum();
    let mut all = 0;
    let mut points = String::new();
    for day in days {
        all += day.documents;
        let (x, y) = (span.place(day.day) + span.step() / 2.0, level(all, most));
        let _ = write!(points, "{x:.2},{y:.2} ");
    }
    let points = points.trim_end();
    let _ = writeln!(
        out,
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"#d9660a\" stroke-width=\"2\" stroke-dasharray=\"8 3\"/>"
    );
    axis(out, PLOT.2, "start", most, "#d9660a", "documents in total");
}

fn axis(out: &mut String, x: f64, anchor: &str, most: u64, colour: &str, name: &str) {
    let beside = if anchor == "end" { x - 6.0 } else { x + 6.0 };
    let _ = writeln!(
        out,
        "<line x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\" stroke=\"{colour}\"/>",
        PLOT.1, PLOT.3
    );
    for tick in [0, most / 2, most] {
        let y = level(tick, most) + 4.0;
        let _ = writeln!(
            out,
            "<text x=\"{beside}\" y=\"{y:.2}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{tick}</text>"
        );
    }
    let middle = if anchor == "end" { "start" } else { "end" };
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{}\" text-anchor=\"{middle}\" fill=\"{colour}\">{name}</text>",
        PLOT.1 - 14.0
    );
}

fn names(out: &mut String, first: Date, last: Date) {
    let y = PLOT.3 + 20.0;
    let _ = writeln!(out, "<text x=\"{}\" y=\"{y}\">{first}</text>", PLOT.0);
    let _ = writeln!(out, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{last}</text>", PLOT.2);
    let _ = writeln!(
        out,
        "<line x1=\"{}\" y1=\"{bottom}\" x2=\"{}\" y2=\"{bottom}\" stroke=\"#222\"/>",
        PLOT.0,
        PLOT.2,
        bottom = PLOT.3
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(counts: &[u64]) -> Vec<Day> {
        let first: Date = "2026-10-01".parse().unwrap();
        let day = |(at, &documents): (usize, &u64)| Day {
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
