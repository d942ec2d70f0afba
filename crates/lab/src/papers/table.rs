//! Defines a table that shows our results next to those of a paper's authors.
//!
//! Rows and columns are those of the paper. Each row states the source of its values: the paper, our
//! measurement, or the difference (ours minus the paper's). If paper and measurement both have values, the
//! three rows follow one another, although the values are from different pages.

use std::fmt::Write;

use super::Paper;

/// A table as printed in the paper and as measured by us.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The paper.
    pub paper: Paper,
    /// The table's name in the paper, such as `table II`.
    pub name: &'static str,
    /// What the table shows.
    pub title: String,
    /// The columns with their units.
    pub columns: Vec<Column>,
    /// The rows of the paper and our rows.
    pub rows: Vec<Row>,
    /// Notes on how the table was measured, which values cannot be compared, and why values differ.
    pub remarks: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name of the column in the paper, with its unit.
    pub name: &'static str,
    /// The number of decimals to print.
    pub decimals: usize,
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What the values describe, such as a site, a set of pages, a parameter or a statistic.
    pub label: String,
    /// The source of the values.
    pub from: RowSource,
    /// One value per column. `None` if there is no value.
    pub figures: Vec<Option<f64>>,
    /// The cells as printed in the paper, one per column. For an empty cell, the value in `figures` is
    /// printed, if there is one. An empty list means that all cells are empty.
    pub as_printed: Vec<&'static str>,
}

/// The source of a row's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSource {
    /// The paper.
    Paper,
    /// The measurements of this run.
    Ours,
    /// Our values minus those of the paper.
    Difference,
}

impl RowSource {
    /// Returns the name of the source in the printed table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Ours => "ours",
            Self::Difference => "difference",
        }
    }
}

impl Column {
    /// Creates a column with `decimals` decimals.
    #[must_use]
    pub const fn new(name: &'static str, decimals: usize) -> Self {
        Self { name, decimals }
    }
}

impl Row {
    /// Creates a row of values that the paper prints.
    #[must_use]
    pub fn paper(label: &str, figures: &[Option<f64>]) -> Self {
        Self::new(label, RowSource::Paper, figures)
    }

    /// Creates a row of cells that contain numbers or words, as the paper prints them. An empty cell has no
    /// value.
    #[must_use]
    pub fn as_printed(label: &str, cells: &[&'static str]) -> Self {
        let figures: Vec<Option<f64>> = cells.iter().map(|cell| cell.replace(',', "").parse().ok()).collect();
        Self { as_printed: cells.to_vec(), ..Self::new(label, RowSource::Paper, &figures) }
    }

    /// Creates a row of values that this run measured.
    #[must_use]
    pub fn ours(label: &str, figures: &[Option<f64>]) -> Self {
        Self::new(label, RowSource::Ours, figures)
    }

    fn new(label: &str, from: RowSource, figures: &[Option<f64>]) -> Self {
        Self { label: label.to_owned(), from, figures: figures.to_vec(), as_printed: Vec::new() }
    }

    /// Creates three rows: the paper's values, our values, and the differences if both values are present.
    #[must_use]
    pub fn compared(label: &str, paper: &[Option<f64>], ours: &[Option<f64>]) -> [Self; 3] {
        let difference = |(paper, ours): (&Option<f64>, &Option<f64>)| Some((*ours)? - (*paper)?);
        let figures: Vec<Option<f64>> = paper.iter().zip(ours).map(difference).collect();
        let difference = Self::new(label, RowSource::Difference, &figures);
        [Self::paper(label, paper), Self::ours(label, ours), difference]
    }

    /// Returns the row without the values in `columns` (indices from 0). Use it if a difference has no meaning
    /// in these columns.
    #[must_use]
    pub fn without(mut self, columns: &[usize]) -> Self {
        for (at, figure) in self.figures.iter_mut().enumerate() {
            *figure = figure.filter(|_| !columns.contains(&at));
        }
        self
    }

    fn printed(&self, column: usize) -> Option<&'static str> {
        self.as_printed.get(column).copied().filter(|cell| !cell.is_empty())
    }

    fn word(&self, column: usize) -> Option<&'static str> {
        self.printed(column).filter(|_| self.figures.get(column).is_none_or(Option::is_none))
    }
}

impl Table {
    /// Returns the rows as text: label, source, and one cell per column. An en dash marks a missing value.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.rows.iter().map(|row| {
            let figures = row.figures.iter().zip(&self.columns).enumerate();
            let texts = figures.map(|(at, (figure, column))| match (row.printed(at), figure) {
                (Some(printed), _) => printed.to_owned(),
                (None, Some(figure)) if row.from == RowSource::Difference => {
                    format!("{figure:+.*}", column.decimals)
                }
                (None, Some(figure)) => format!("{figure:.*}", column.decimals),
                (None, None) => "–".to_owned(),
            });
            [row.label.clone(), row.from.name().to_owned()].into_iter().chain(texts).collect()
        })
    }

    /// Returns all tables as CSV: a header line, then one line per cell. The value of an empty cell is empty.
    #[must_use]
    pub fn csv(tables: &[Self]) -> String {
        let mut out = "paper,table,row,from,column,figure\n".to_owned();
        for table in tables {
            for row in &table.rows {
                for (at, (column, figure)) in table.columns.iter().zip(&row.figures).enumerate() {
                    let word = || row.word(at).unwrap_or_default().to_owned();
                    let figure = figure.map_or_else(word, |figure| figure.to_string());
                    let cells =
                        [table.paper.name(), table.name, &row.label, row.from.name(), column.name, &figure];
                    let _ = writeln!(out, "{}", cells.map(quoted).join(","));
                }
            }
        }
        out
    }

    /// Returns the table as JSON lines. Each row is one object, with `null` for missing values. The last
    /// object has the table's `title` and `remarks`.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let of = |(at, column): (usize, &Column)| {
                let word = || serde_json::json!(row.word(at));
                let figure = row.figures.get(at).copied().flatten();
                (column.name.to_owned(), figure.map_or_else(word, |figure| serde_json::json!(figure)))
            };
            let figures: serde_json::Map<_, _> = self.columns.iter().enumerate().map(of).collect();
            let object = serde_json::json!({
                "paper": self.paper.name(), "table": self.name, "row": row.label, "from": row.from.name(),
                "figures": figures,
            });
            let _ = writeln!(out, "{object}");
        }
        let object = serde_json::json!({
            "paper": self.paper.name(), "table": self.name, "title": self.title, "remarks": self.remarks,
        });
        let _ = writeln!(out, "{object}");
        out
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = Row::compared("Mean", &[Some(94.19), None], &[Some(90.0), Some(2.0)]);
        Table {
            paper: Paper::TextToTagRatio,
            name: "table 2",
            title: "LCS".into(),
            columns: vec![Column::new("Thrshld (%)", 2), Column::new("matches", 0)],
            rows: rows.into(),
            remarks: Vec::new(),
        }
    }

    #[test]
    fn a_row_is_compared_where_both_have_a_figure() {
        let cells: Vec<_> = table().cells().collect();
        assert_eq!(
            cells,
            [
                ["Mean", "paper", "94.19", "–"],
                ["Mean", "ours", "90.00", "2"],
                ["Mean", "difference", "-4.19", "–"]
            ]
        );
    }

    #[test]
    fn the_paper_s_cells_stay_as_printed() {
        let mut table = table();
        table.rows = vec![Row::as_printed("F", &["1.00", "9,231"]), Row::as_printed("Yes?", &["Yes", ""])];
        let cells: Vec<_> = table.cells().collect();
        assert_eq!(cells, [["F", "paper", "1.00", "9,231"], ["Yes?", "paper", "Yes", "–"]]);
        assert_eq!(table.rows[0].figures, [Some(1.0), Some(9231.0)]);
        assert_eq!(table.rows[1].figures, [None, None]);
        let csv = Table::csv(std::slice::from_ref(&table));
        let ends: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next_back()).collect();
        assert_eq!(ends, ["1", "9231", "Yes", ""]);
        let json: Vec<serde_json::Value> =
            table.json().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(json[0]["figures"], serde_json::json!({"Thrshld (%)": 1.0, "matches": 9231.0}));
        assert_eq!(json[1]["figures"], serde_json::json!({"Thrshld (%)": "Yes", "matches": null}));
    }

    #[test]
    fn csv_has_a_line_a_figure() {
        let csv = Table::csv(&[table()]);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "paper,table,row,from,column,figure");
        assert_eq!(lines[1], "text-to-tag-ratio,table 2,Mean,paper,Thrshld (%),94.19");
        assert_eq!((lines[2], lines.len()), ("text-to-tag-ratio,table 2,Mean,paper,matches,", 7));
    }

    #[test]
    fn csv_quotes_every_cell_that_needs_it() {
        let mut table = Table { name: "table 2, \"lambda\"", ..table() };
        table.rows.truncate(1);
        table.rows[0].label = "a, b".into();
        table.columns[0].name = "F, words";
        let csv = Table::csv(&[table]);
        assert_eq!(
            csv.lines().nth(1),
            Some("text-to-tag-ratio,\"table 2, \"\"lambda\"\"\",\"a, b\",paper,\"F, words\",94.19")
        );
    }

    #[test]
    fn json_has_an_object_a_row_and_one_of_remarks() {
        let json = Table { remarks: vec!["So it is.".into()], ..table() }.json();
        let rows: Vec<serde_json::Value> =
            json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((rows.len(), rows[0]["figures"]["Thrshld (%)"].as_f64()), (4, Some(94.19)));
        assert!(rows[0]["figures"]["matches"].is_null());
        assert_eq!(rows[2]["from"], "difference");
        assert_eq!(
            (&rows[3]["title"], &rows[3]["remarks"]),
            (&"LCS".into(), &serde_json::json!(["So it is."]))
        );
    }
}
