//! Tables for people.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// A table with a head; columns of numbers are aligned to the right.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(head);
    for row in rows {
        table.add_row(row.into_iter().map(|text| {
            let number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            let cell = Cell::new(text);
            if number { cell.set_alignment(CellAlignment::Right) } else { cell }
        }));
    }
    table.trim_fmt()
}
