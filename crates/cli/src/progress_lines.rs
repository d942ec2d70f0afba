//! Formats a running crawl for a terminal: a line for the whole crawl, then one line for each active host.
//! Hosts that do not fit are only counted. Host names and outcomes are ASCII, so each character takes one
//! column.

use std::time::Duration;

use gleaner_crawl::{Active, NoResponse, Snapshot};
use gleaner_frontier::Class;

/// Number of lines that stay free: one for the cursor, one for the log.
const FREE_LINES: usize = 2;
const MAX_NAME_WIDTH: usize = 32;
/// A request that takes longer is shown as slow.
const SLOW: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

impl Size {
    pub(crate) const fn hosts(self) -> usize {
        self.lines.saturating_sub(FREE_LINES + 1)
    }
}

/// Formats the lines of the display, cut to its width. `more` is the number of active hosts that are not in
/// `hosts`.
pub(crate) fn format_display(
    totals: &str,
    hosts: &[Active],
    more: usize,
    size: Size,
    colors: bool,
) -> String {
    // A terminal wraps a line that is exactly as wide as the terminal.
    let columns = size.columns.saturating_sub(1);
    let mut lines = vec![cut_words(totals, columns)];
    let is_full = more > 0 || hosts.len() > size.hosts();
    let room = if is_full { size.hosts().saturating_sub(1) } else { size.hosts() };
    let shown = hosts.len().min(room);
    let longest = hosts.iter().take(shown).map(|host| host.host.len()).max().unwrap_or_default();
    let width = longest.min(MAX_NAME_WIDTH).min(columns / 2);
    lines.extend(hosts.iter().take(shown).map(|host| row(host, width, columns, colors)));
    let hidden = more + hosts.len() - shown;
    if hidden > 0 && size.hosts() > 0 {
        lines.push(cut(&format!("and {hidden} more hosts"), columns));
    }
    lines.join("\n")
}

pub(crate) fn format_no_response(no: &NoResponse) -> String {
    format!("no response from any site; requests: {}; last error: {}", no.requests, no.error)
}

/// Formats the counters of the whole crawl. Important numbers come first, because a narrow terminal cuts the
/// end.
pub(crate) fn format_counters(now: &Snapshot, rate: f64) -> String {
    let Snapshot {
        responses,
        stored,
        duplicates,
        near_duplicates,
        failures,
        hosts,
        queue,
        buffered,
        in_flight,
    } = now;
    format!(
        "{responses} responses {rate:.1}/s, {stored} stored, {queue} queued, {failures} failures, {duplicates} duplicates, {near_duplicates} near-duplicates, {buffered} buffered, {in_flight} in flight, {hosts} hosts"
    )
}

pub(crate) fn format_totals(now: &Snapshot, rate: f64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours}:{minutes:02}:{seconds:02} {}", format_counters(now, rate))
}

fn row(host: &Active, width: usize, columns: usize, colors: bool) -> String {
    let name = cut(&host.host, width);
    let activity = match (host.asked, host.waits) {
        (true, _) if host.since > SLOW => format!("fetching {}s", host.since.as_secs()),
        (true, _) => "fetching".to_owned(),
        (false, Some(waits)) => format!("next in {}s", waits.as_secs() + 1),
        (false, None) => "waiting".to_owned(),
    };
    let before = cut(
        &format!("  {name:width$} {:>5} visits {:>5} stored  {activity:<12} ", host.visits, host.stored),
        columns,
    );
    let last = cut_words(host.waits_for.as_ref().unwrap_or(&host.last), columns - before.len());
    format!("{before}{}", colored(&last, colors))
}

fn colored(last: &str, colors: bool) -> String {
    let code = match Class::from_reason(last) {
        Some(Class::Stored) if colors => "32",
        Some(class) if colors && class.is_failure() => "31",
        _ => return last.to_owned(),
    };
    format!("\u{1b}[{code}m{last}\u{1b}[0m")
}

fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns).collect()
}

fn cut_words(text: &str, columns: usize) -> String {
    let shown = cut(text, columns);
    if shown.len() == text.len() {
        return shown;
    }
    let end = shown.rfind(' ').unwrap_or(shown.len());
    shown[..end].trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_counters() {
        let now = Snapshot { responses: 7, stored: 3, queue: 40, ..Snapshot::default() };
        let line = format_counters(&now, 1.25);
        for part in [
            "7 responses 1.2/s",
            "3 stored",
            "40 queued",
            "0 failures",
            "0 hosts",
            "0 duplicates",
            "0 near-duplicates",
        ] {
            assert!(line.contains(part), "{line} lacks {part}");
        }
    }

    #[test]
    fn texts_are_cut_after_words() {
        for (columns, shown) in [
            (22, "12 responses, 3 stored"),
            (20, "12 responses, 3"),
            (14, "12 responses"),
            (9, "12"),
            (1, "1"),
        ] {
            assert_eq!(cut_words("12 responses, 3 stored", columns), shown);
        }
    }

    fn hosts(count: usize) -> Vec<Active> {
        let host = |number| Active {
            host: format!("site-{number}.a-rather-long-domain-name.example"),
            visits: 10,
            stored: 7,
            last: if number % 2 == 0 { "stored".into() } else { "failed: timeout".into() },
            asked: number == 0,
            since: Duration::from_secs(number as u64),
            waits: (number == 1).then_some(Duration::from_millis(4_200)),
            waits_for: None,
        };
        (0..count).map(host).collect()
    }

    fn shown(count: usize, more: usize, columns: usize, lines: usize) -> Vec<String> {
        let totals = format_totals(
            &Snapshot { responses: 70, stored: 30, ..Snapshot::default() },
            1.25,
            Duration::from_secs(3723),
        );
        let text = format_display(&totals, &hosts(count), more, Size { columns, lines }, false);
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn never_more_than_fits() {
        for columns in [0, 1, 20, 80, 300] {
            for lines in [0, 1, 3, 4, 24, 100] {
                for (count, more) in [(0, 0), (1, 0), (3, 0), (20, 20), (40, 0)] {
                    let shown = shown(count, more, columns, lines);
                    assert!(
                        shown.len() <= lines.saturating_sub(FREE_LINES).max(1),
                        "{columns} {lines} {count} {shown:#?}"
                    );
                    assert!(
                        shown.iter().all(|line| line.len() < columns.max(1)),
                        "{columns} {lines} {shown:#?}"
                    );
                }
            }
        }
    }

    #[test]
    fn hosts_are_shown_and_the_rest_is_counted() {
        let three = shown(3, 0, 120, 24);
        assert!(three[0].starts_with("1:02:03 70 responses 1.2/s, 30 stored"), "{three:#?}");
        assert_eq!(
            three[1],
            "  site-0.a-rather-long-domain-name    10 visits     7 stored  fetching     stored"
        );
        assert!(three[2].ends_with("next in 5s   failed: timeout"), "{three:#?}");
        assert!(three[3].ends_with("waiting      stored"), "{three:#?}");
        assert_eq!(three.len(), 4);
        let forty = shown(40, 0, 80, 24);
        assert_eq!((forty.len(), forty[21].as_str()), (22, "and 20 more hosts"));
    }

    #[test]
    fn colors_take_no_columns() {
        let painted = format_display("", &hosts(2), 0, Size { columns: 200, lines: 24 }, true);
        assert!(
            painted.contains("\u{1b}[32mstored\u{1b}[0m") && painted.contains("\u{1b}[31mfailed: timeout")
        );
        assert!(
            !format_display("", &hosts(2), 0, Size { columns: 200, lines: 24 }, false).contains('\u{1b}')
        );
    }
}
