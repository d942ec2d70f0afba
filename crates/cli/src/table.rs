//! Formats tables and lines for people. They fit the width of the terminal.
//!
//! The width comes from `COLUMNS` or, if this is not set, from the terminal. If both are missing, nothing is
//! wrapped, so that programs can read one record per line.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use console::Term;

const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

pub(crate) const NOTHING: &str = "–";

/// Minimum width in columns. A narrower terminal is treated as if it had this width.
const NARROWEST: usize = 40;

/// Formats a table. Numbers are right-aligned. If the table is wider than the terminal, its cells wrap. If
/// not even the longest words fit beside each other, each row becomes several lines.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    table_within(width(&Term::stdout()), head, rows)
}

fn table_within(width: Option<usize>, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let mut longest: Vec<usize> = head.iter().map(|name| longest_word(name)).collect();
    for row in &rows {
        longest.iter_mut().zip(row).for_each(|(longest, text)| *longest = longest_word(text).max(*longest));
    }
    let fits =
        |padding| width.is_none_or(|width| longest.iter().map(|word| word + padding).sum::<usize>() <= width);
    let padding = match (fits(2), fits(1)) {
        (true, _) => (1, 1),
        (false, true) => (0, 1),
        (false, false) => return listed(width.unwrap_or(NARROWEST), head, &rows),
    };
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head);
    table.add_rows(rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>()));
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    for (column, longest) in table.column_iter_mut().zip(longest) {
        column.set_padding(padding);
        if width.is_some() {
            let least = longest + usize::from(padding.0 + padding.1);
            let least = Width::Fixed(u16::try_from(least).unwrap_or(u16::MAX));
            column.set_constraint(ColumnConstraint::LowerBoundary(least));
        }
    }
    table.trim_fmt()
}

/// Formats each row as its first cell, followed by the other cells with their names.
fn listed(width: usize, head: &[&str], rows: &[Vec<String>]) -> String {
    let row = |row: &Vec<String>| {
        let mut cells = head.iter().zip(row);
        let first = cells.next().map(|(_, text)| text.as_str()).unwrap_or_default();
        let rest: Vec<String> = cells.map(|(name, text)| format!("{name}: {text}")).collect();
        format!("{first}\n{}", filled(&format!("  {}", rest.join("; ")), 2, width))
    };
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn cell(text: String) -> Cell {
    let digits = text.trim_start_matches(['+', '-']);
    let number = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok();
    let right = number || text == NOTHING;
    let cell = Cell::new(text);
    if right { cell.set_alignment(CellAlignment::Right) } else { cell }
}

fn longest_word(text: &str) -> usize {
    text.split_whitespace().map(textwrap::core::display_width).max().unwrap_or_default()
}

/// Wraps the lines of a text between words. Continuation lines are indented like the text of their first
/// line, which begins after spaces and a mark such as `!`.
pub(crate) fn wrapped(text: &str, term: &Term) -> String {
    match width(term) {
        Some(width) => wrapped_within(width, text),
        None => text.to_owned(),
    }
}

fn wrapped_within(width: usize, text: &str) -> String {
    let line = |line: &str| {
        let body = line.trim_start_matches([' ', '!', '-']);
        filled(line, line.len() - body.len(), width)
    };
    let ends = text.ends_with('\n');
    text.lines().map(line).collect::<Vec<_>>().join("\n") + if ends { "\n" } else { "" }
}

/// Wraps a line between words. Continuation lines are indented by `indent` columns.
pub(crate) fn wrapped_at(line: &str, indent: usize, term: &Term) -> String {
    width(term).map_or_else(|| line.to_owned(), |width| filled(line, indent, width))
}

fn filled(line: &str, indent: usize, width: usize) -> String {
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(width)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace);
    textwrap::fill(line, options)
}

/// Returns the width of the output in columns, or `None` if it is not a terminal and `COLUMNS` is not set.
pub(crate) fn width(term: &Term) -> Option<usize> {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = named.or_else(|| term.is_term().then(|| usize::from(term.size().1)))?;
    Some(width.max(NARROWEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_wraps_between_words() {
        let rows = || {
            [vec![
                "a.example".to_owned(),
                "12".to_owned(),
                "robots.txt returned HTTP 502; will retry later".to_owned(),
            ]]
        };
        let head = ["Host", "URLs", "Why"];
        let wide = table_within(None, &head, rows());
        assert_eq!(wide.lines().count(), 3, "{wide}");
        let narrow = table_within(Some(40), &head, rows());
        assert!(narrow.lines().all(|line| textwrap::core::display_width(line) <= 40), "{narrow}");
        for word in ["robots.txt", "returned", "later", "a.example"] {
            assert!(narrow.contains(word), "{narrow}");
        }
    }

    #[test]
    fn a_table_fits_the_terminal_or_becomes_lines() {
        let head = ["Host", "New", "Usual", "Failed", "Queued", "Template", "Last new", "State"];
        let cells =
            ["raovat.vnexpress.net", "1", "4", "0", "609", "none yet, 24 pages buffered", "2026-11-24"];
        let rows = || [cells.iter().chain(&["robots.txt unreachable"]).map(ToString::to_string).collect()];
        for width in [40, 60, 80, 100, 200] {
            let table = table_within(Some(width), &head, rows());
            assert!(
                table.lines().all(|line| textwrap::core::display_width(line) <= width),
                "{width}\n{table}"
            );
            for word in ["raovat.vnexpress.net", "2026-11-24", "buffered", "unreachable"] {
                assert!(table.contains(word), "{width}: {word}\n{table}");
            }
            assert_eq!(table.contains('─'), width >= 80, "{width}\n{table}");
        }
    }

    #[test]
    fn lines_wrap_behind_their_mark() {
        let text = "! a.example: nothing new in the last runs\n    next: gleaner doctor a.example\n";
        let wrapped = wrapped_within(24, text);
        assert_eq!(
            wrapped,
            "! a.example: nothing new\n  in the last runs\n    next: gleaner doctor\n    a.example\n"
        );
    }
}
