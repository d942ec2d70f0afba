//! Formats the display of a running crawl: first the whole crawl, then each active host. Each of these takes
//! one line or, in a narrow terminal, two lines. Hosts that do not fit are only counted. Host names and
//! outcomes are ASCII, so each character takes one column. Control characters become visible, and colors are
//! added afterwards.

use std::time::Duration;

use gleaner_crawl::render::text::{count, duration};
use gleaner_crawl::render::visible::visible_line;
use gleaner_crawl::{ActiveHost, NoResponse, ProgressSnapshot};
use gleaner_frontier::OutcomeClass;

/// Number of lines that stay free: one for the cursor, one for the log.
const FREE_LINES: usize = 2;
const MAX_NAME_WIDTH: usize = 32;
/// A narrower terminal shows no counts of hosts.
const MIN_WIDTH_WITH_COUNTS: usize = 60;
const INDENT: &str = "    ";
/// A request that takes longer than this is shown as slow.
const SLOW: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy)]
pub(crate) struct TerminalSize {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

impl TerminalSize {
    pub(crate) const fn hosts(self) -> usize {
        self.lines.saturating_sub(FREE_LINES + 1)
    }
}

/// Formats the lines of the display, cut to its width. `more` is the number of active hosts that are not in
/// `hosts`.
pub(crate) fn format_display(
    totals: &str,
    hosts: &[ActiveHost],
    more: usize,
    size: TerminalSize,
    colors: bool,
) -> String {
    // A terminal wraps a line that is exactly as wide as the terminal.
    let columns = size.columns.saturating_sub(1);
    let mut lines = fold(totals, columns);
    lines.truncate(size.lines.saturating_sub(FREE_LINES).max(1));
    let room = size.lines.saturating_sub(FREE_LINES + lines.len());
    let longest = hosts.iter().take(room).map(|host| host.host.len()).max().unwrap_or_default();
    let rows: Vec<_> =
        hosts.iter().take(room).map(|host| row(host, longest.min(MAX_NAME_WIDTH), columns)).collect();
    let fits = more == 0 && hosts.len() <= room && rows.iter().map(Vec::len).sum::<usize>() <= room;
    let mut left = if fits { room } else { room.saturating_sub(1) };
    let mut shown = 0;
    for (row, host) in rows.iter().zip(hosts) {
        let Some(after) = left.checked_sub(row.len()) else { break };
        lines.extend(row.iter().map(|line| colored(line, last(host), colors)));
        (left, shown) = (after, shown + 1);
    }
    let hidden = more + hosts.len() - shown;
    if hidden > 0 && room > 0 {
        lines.push(cut(&format!("and {hidden} more hosts"), columns));
    }
    lines.join("\n")
}

pub(crate) fn format_no_response(no: &NoResponse) -> String {
    format!("no response from any site; requests: {}; last error: {}", no.requests, no.error)
}

/// Formats the counters of the whole crawl. The most important numbers come first, because a narrow terminal
/// cuts off the end. The number of pages that wait for a template explains why few documents are stored. `left` is the
/// estimated time for the queue.
pub(crate) fn format_counters(now: &ProgressSnapshot, rate: f64, left: Option<Duration>) -> String {
    let ProgressSnapshot {
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
    let left = left.map(|left| format!(" (about {})", duration(left.as_secs()))).unwrap_or_default();
    format!(
        "{responses} responses {rate:.1}/s, {stored} stored, {buffered} waiting for a template, {queue} in the queue{left}, {failures} failures, {duplicates} duplicates, {near_duplicates} near-duplicates, {in_flight} in flight, {hosts} hosts"
    )
}

pub(crate) fn format_totals(
    now: &ProgressSnapshot,
    rate: f64,
    elapsed: Duration,
    left: Option<Duration>,
) -> String {
    let seconds = elapsed.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours}:{minutes:02}:{seconds:02} {}", format_counters(now, rate, left))
}

/// Names the hosts with the most visits. `more` is the number of other active hosts.
pub(crate) fn format_hosts(hosts: &[ActiveHost], more: usize) -> String {
    let mut named: Vec<String> =
        hosts.iter().map(|host| format!("{} {}", host.host, count(host.visits, "URL"))).collect();
    if more > 0 {
        named.push(format!("and {}", count(more as u64, "other host")));
    }
    named.join(", ")
}

fn row(host: &ActiveHost, width: usize, columns: usize) -> Vec<String> {
    let name = cut(&host.host, columns.saturating_sub(2));
    let activity = match (host.asked, host.waits) {
        (true, _) if host.since > SLOW => format!("fetching {}s", host.since.as_secs()),
        (true, _) => "fetching".to_owned(),
        (false, Some(waits)) => format!("next in {}s", waits.as_secs() + 1),
        (false, None) => "waiting".to_owned(),
    };
    let counts = match columns >= MIN_WIDTH_WITH_COUNTS {
        true => format!("{:>5} visits {:>5} stored  ", host.visits, host.stored),
        false => String::new(),
    };
    fold(&format!("  {name:width$} {counts}{activity:<12} {}", last(host)), columns)
}

fn last(host: &ActiveHost) -> &str {
    match (&host.waits_for, host.last.as_str()) {
        (Some(why), _) => why,
        (None, "buffered") => "waits for a template",
        (None, "gone: http_404") => "not found (404)",
        (None, last) => last,
    }
}

fn colored(line: &str, last: &str, colors: bool) -> String {
    let code = match OutcomeClass::from_reason(last) {
        Some(OutcomeClass::Stored) if colors => "32",
        Some(class) if colors && class.is_failure() => "31",
        _ => return line.to_owned(),
    };
    match line.strip_suffix(last) {
        Some(before) => format!("{before}\u{1b}[{code}m{last}\u{1b}[0m"),
        None => line.to_owned(),
    }
}

/// Splits a text between words into at most two lines. Text that does not fit is cut off.
fn fold(text: &str, columns: usize) -> Vec<String> {
    let text = visible_line(text.trim_end());
    let mut lines = vec![cut_words(&text, columns)];
    let rest = text[lines[0].len()..].trim_start_matches([',', ' ']);
    if !rest.is_empty() && columns > INDENT.len() {
        lines.push(cut_words(&format!("{INDENT}{rest}"), columns));
    }
    lines
}

fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns).collect()
}

fn cut_words(text: &str, columns: usize) -> String {
    let shown = cut(text, columns);
    // A cut directly before a space is a cut between words.
    if text[shown.len()..].chars().next().is_none_or(|next| next == ' ') {
        return shown.trim_end_matches(',').to_owned();
    }
    let end = shown.rfind(", ").or_else(|| shown.rfind(' ')).unwrap_or(shown.len());
    shown[..end].trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_counters() {
        let now = ProgressSnapshot { responses: 7, stored: 3, queue: 40, ..ProgressSnapshot::default() };
        let line = format_counters(&now, 1.25, Some(Duration::from_secs(130)));
        for part in [
            "7 responses 1.2/s",
            "3 stored",
            "0 waiting for a template",
            "40 in the queue (about 2 min 10 s)",
            "0 failures",
            "0 hosts",
            "0 duplicates",
            "0 near-duplicates",
        ] {
            assert!(line.contains(part), "{line} lacks {part}");
        }
    }

    #[test]
    fn a_crawl_without_a_response_counts_its_attempts() {
        let no = NoResponse { requests: 12, error: "the proxy failed".into() };
        let said = "no response from any site; requests: 12; last error: the proxy failed";
        assert_eq!(format_no_response(&no), said);
    }

    #[test]
    fn the_busiest_hosts_are_named() {
        let named = "site-0.a-rather-long-domain-name.example 10 URLs, and 4 other hosts";
        assert_eq!(format_hosts(&hosts(1), 4), named);
    }

    #[test]
    fn texts_are_cut_after_words() {
        let cases =
            [(20, "12 pages, 3 stored"), (16, "12 pages"), (9, "12 pages"), (7, "12"), (2, "12"), (1, "1")];
        for (columns, shown) in cases {
            assert_eq!(cut_words("12 pages, 3 stored", columns), shown);
        }
    }

    fn hosts(count: usize) -> Vec<ActiveHost> {
        let host = |number| ActiveHost {
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
            &ProgressSnapshot { responses: 70, stored: 30, buffered: 50, ..ProgressSnapshot::default() },
            1.25,
            Duration::from_secs(3723),
            None,
        );
        let text = format_display(&totals, &hosts(count), more, TerminalSize { columns, lines }, false);
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
        let three = shown(3, 0, 200, 24);
        assert!(
            three[0].starts_with("1:02:03 70 responses 1.2/s, 30 stored, 50 waiting for a template"),
            "{three:#?}"
        );
        assert_eq!(
            three[1],
            "  site-0.a-rather-long-domain-name.example    10 visits     7 stored  fetching     stored"
        );
        assert!(three[2].ends_with("next in 5s   failed: timeout"), "{three:#?}");
        assert!(three[3].ends_with("waiting      stored"), "{three:#?}");
        assert_eq!(three.len(), 4);
        let forty = shown(40, 0, 120, 24);
        assert_eq!((forty.len(), forty[21].as_str()), (22, "and 21 more hosts"));
    }

    #[test]
    fn a_narrow_terminal_shows_names_and_reasons_whole() {
        let mut host = hosts(1).remove(0);
        (host.host, host.asked) = ("raovat.vnexpress.net".into(), false);
        (host.waits, host.waits_for) =
            (Some(Duration::from_secs(52)), Some("on hold after failures or at the host's request".into()));
        let snapshot =
            ProgressSnapshot { responses: 51, queue: 609, buffered: 50, ..ProgressSnapshot::default() };
        let totals = format_totals(&snapshot, 4.9, Duration::from_secs(9), None);
        let shown = |columns| {
            let size = TerminalSize { columns, lines: 24 };
            let text = format_display(&totals, std::slice::from_ref(&host), 0, size, false);
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let lines = shown(80);
        assert!(lines[0].contains("0 stored, 50 waiting for a template"), "{lines:#?}");
        assert_eq!(lines[2], "  raovat.vnexpress.net    10 visits     7 stored  next in 53s  on hold after");
        assert_eq!(lines[3], "    failures or at the host's request");
        let lines = shown(40);
        assert!(lines[1].starts_with("    50 waiting for a template"), "{lines:#?}");
        assert_eq!(
            lines[2..],
            ["  raovat.vnexpress.net next in 53s  on", "    hold after failures or at the"]
        );
    }

    #[test]
    fn colors_take_no_columns() {
        let painted = format_display("", &hosts(2), 0, TerminalSize { columns: 200, lines: 24 }, true);
        assert!(
            painted.contains("\u{1b}[32mstored\u{1b}[0m") && painted.contains("\u{1b}[31mfailed: timeout")
        );
        assert!(
            !format_display("", &hosts(2), 0, TerminalSize { columns: 200, lines: 24 }, false)
                .contains('\u{1b}')
        );
    }
}
