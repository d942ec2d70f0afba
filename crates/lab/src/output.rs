//! Writes results to standard output and messages to standard error. Control characters in them become visible,
//! because pages contain texts from sites.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use gleaner_crawl::render::visible::visible;

use crate::CommandResult;
use crate::failure::Failure;

const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// The text of a cell without a value.
pub(crate) const NOTHING: &str = "–";

/// Prints a command's results.
pub(crate) fn print(text: &str) -> CommandResult {
    io::stdout().lock().write_all(visible(text).as_bytes()).map_err(Failure::writing("standard output"))
}

/// Prints a message. If standard error cannot be written, the message is lost.
pub(crate) fn print_message(line: impl Display) {
    let _ = io::stderr().lock().write_all(visible(&format!("{line}\n")).as_bytes());
}

/// Whether messages go to a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Formats a table. Numbers are right-aligned.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head);
    table.add_rows(rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>()));
    table.trim_fmt()
}

fn cell(text: String) -> Cell {
    let digits = text.trim_start_matches(['+', '-']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok();
    let is_right = is_number || text == NOTHING;
    let cell = Cell::new(text);
    if is_right { cell.set_alignment(CellAlignment::Right) } else { cell }
}
