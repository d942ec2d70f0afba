//! Renders HTML pages, single-file pages, tables and facts. A fact is a name with its value.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::render::visible::visible;

/// The style sheet of all pages: colors, text, tables and facts.
pub const STYLE: &str = include_str!("style.css");

/// The content security policy of a single-file page. It allows only inline styles.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Renders an HTML page. `language` is its language tag, such as `en`. `head` is inserted after the title.
/// Control characters become visible, because HTML forbids them, and because people also read the file of a
/// page on a terminal.
#[must_use]
pub fn page(language: &str, title: &str, head: &Markup, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang=(language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                (head)
            }
            body { (body) }
        }
    };
    visible(&page.into_string()).into_owned()
}

/// Renders an English page as a single file. A content security policy forbids scripts and external
/// resources. `style` is appended to [`STYLE`].
#[must_use]
pub fn file(title: &str, style: &str, body: &Markup) -> String {
    let head = html! {
        meta http-equiv="Content-Security-Policy" content=(POLICY);
        style { (PreEscaped(STYLE)) (PreEscaped(style)) }
    };
    page("en", title, &head, body) + "\n"
}

/// The header of a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column<'a> {
    /// The title.
    pub title: &'a str,
    /// Whether the column has numbers, which are right-aligned.
    pub is_number: bool,
    /// Whether a cell of the column takes a whole line on small screens, where each row is a card.
    pub is_long: bool,
}

impl<'a> Column<'a> {
    /// Creates a column of text.
    #[must_use]
    pub const fn text(title: &'a str) -> Self {
        Self { title, is_number: false, is_long: false }
    }

    /// Creates a column of long texts. On small screens, a cell takes a whole line of its card.
    #[must_use]
    pub const fn sentences(title: &'a str) -> Self {
        Self { is_long: true, ..Self::text(title) }
    }

    /// Creates a column of numbers.
    #[must_use]
    pub const fn number(title: &'a str) -> Self {
        Self { is_number: true, ..Self::text(title) }
    }
}

/// Renders a table. On small screens, each row becomes a card with the column titles as labels. A card omits
/// cells that are empty, `0`, `0 B` or `–`. `caption` describes the table to screen readers. The first cell of
/// a row is its header. `foot` is the row of totals, and may be empty.
#[must_use]
pub fn table(caption: &str, columns: &[Column<'_>], rows: &[Vec<Markup>], foot: &[Markup]) -> Markup {
    let content = html! {
        table.cards {
            caption.hidden { (caption) }
            thead { tr {
                @for column in columns { th.number[column.is_number] scope="col" { (column.title) } }
            } }
            tbody { @for cells in rows { (row(columns, cells)) } }
            @if !foot.is_empty() { tfoot { (row(columns, foot)) } }
        }
    };
    wide(caption, &content)
}

fn row(columns: &[Column<'_>], cells: &[Markup]) -> Markup {
    html! {
        tr {
            @for (at, (column, cell)) in columns.iter().zip(cells).enumerate() {
                @if at == 0 { th scope="row" { (cell) } }
                @else { td.number[column.is_number].whole[column.is_long].nothing[is_nothing(cell)] data-label=(column.title) { (cell) } }
            }
        }
    }
}

fn is_nothing(cell: &Markup) -> bool {
    matches!(cell.0.as_str(), "" | "0" | "0 B" | "–")
}

/// Renders content that scrolls sideways on small screens. `label` names the content for screen readers.
#[must_use]
pub fn wide(label: &str, content: &Markup) -> Markup {
    html! { div.wide tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// Renders a name and its value as an entry of a `dl` element.
#[must_use]
pub fn fact(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_control_characters_replaced() {
        let text = "<script>\"a\u{0}\" & b\n";
        let columns = [Column::text(text), Column::number("n")];
        let html = file(
            text,
            "b { color: red }",
            &table(
                text,
                &columns,
                &[vec![fact(text, &html! { (text) }), html! { "7" }], vec![html! {}, html! { "0" }]],
                &[],
            ),
        );
        assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{html}");
        assert!(!html.contains("<script") && !html.contains('\0') && html.contains("a\\u0000"), "{html}");
        assert!(html.contains("b { color: red }") && html.contains("<th class=\"number\" scope=\"col\">n"));
        assert!(html.contains("<td class=\"number\" data-label=\"n\">7</td>"), "{html}");
        assert!(html.contains("<td class=\"number nothing\" data-label=\"n\">0</td>"), "{html}");
        assert!(html.contains("default-src 'none'") || html.contains("default-src &#39;none&#39;"), "{html}");
    }
}
