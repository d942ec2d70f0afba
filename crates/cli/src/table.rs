//! Formats tables for people.

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Lines above and below the header and below the table, but none between rows.
const STYLE: TableStyle = TableStyle::new()
    .top_border(LineStyle::none().fill('─').junction('─'))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .bottom_border(LineStyle::none().fill('─').junction('─'));

pub(crate) const NOTHING: &str = "–";

/// Formats a table with a header. Numbers are aligned to the right. The width follows the content, not the
/// terminal, so words are not cut.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head);
    for row in rows {
        table.add_row(row.into_iter().map(|text| {
            let digits = text.trim_start_matches(['+', '-']);
            let number = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok();
            let right = number || text == NOTHING;
            let cell = Cell::new(text);
            if right { cell.set_alignment(CellAlignment::Right) } else { cell }
        }));
    }
    table.trim_fmt()
}
