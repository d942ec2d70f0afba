//! A table of a paper, with what is reached here beside what its authors reached.
//!
//! Rows and columns are the paper's. Each row says whose figures it holds: the
//! paper's, ours, or the difference (ours less the paper's). Where both measured the
//! same thing on different pages, as always here, the three stand under one another.

use std::fmt::Write;

/// A table as the paper prints it, and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The paper, by the name of its method's folder in `extract`.
    pub paper: &'static str,
    /// The table's name in the paper, such as `table II`.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// What the figures are: names with units.
    pub columns: Vec<Column>,
    /// The paper's rows and ours.
    pub rows: Vec<Row>,
    /// What was measured how, what cannot be compared, why figures differ: a sentence
    /// or more each.
    pub remarks: Vec<String>,
}

/// What stands in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The paper's name of it, with its unit.
    pub name: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
}

/// One line of figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What the figures are of: a site, a statistic.
    pub label: String,
    /// Whose they are.
    pub from: From,
    /// One a column; `None` where there is none.
    pub figures: Vec<Option<f64>>,
}

/// Whose figures a row holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// Printed in the paper.
    Paper,
    /// Measured by this run.
    Ours,
    /// Ours less the paper's.
    Difference,
}

impl From {
    /// The word that is printed.
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
    /// A column whose figures have so many decimals.
    #[must_use]
    pub const fn new(name: &'static str, decimals: usize) -> Self {
        Self { name, decimals }
    }
}

impl Row {
    /// Figures printed in the paper.
    #[must_use]
    pub fn paper(label: &str, figures: &[Option<f64>]) -> Self {
        Self { label: label.to_owned(), from: From::Paper, figures: figures.to_vec() }
    }

    /// Figures of this run.
    #[must_use]
    pub fn ours(label: &str, figures: &[Option<f64>]) -> Self {
        Self { label: label.to_owned(), from: From::Ours, figures: figures.to_vec() }
    }

    /// Three rows: the paper's, ours, and the difference where both have a figure.
    #[must_use]
    pub fn compared(label: &str, paper: &[Option<f64>], ours: &[Option<f64>]) -> [Self; 3] {
        let difference = |(paper, ours): (&Option<f64>, &Option<f64>)| Some((*ours)? - (*paper)?);
        let figures = paper.iter().zip(ours).map(difference).collect();
        let difference = Self { label: label.to_owned(), from: From::Difference, figures };
        [Self::paper(label, paper), Self::ours(label, ours), difference]
    }
}

impl Table {
    /// The rows as text: label, whose, and a cell a column; an en dash where there is none.
    pub fn cells(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        self.rows.iter().map(|row| {
            let figures = row.figures.iter().zip(&self.columns);
            let texts = figures.map(|(figure, column)| match figure {
                Some(figure) if row.from == From::Difference => format!("{figure:+.*}", column.decimals),
                Some(figure) => format!("{figure:.*}", column.decimals),
                None => "–".to_owned(),
            });
            [row.label.clone(), row.from.name().to_owned()].into_iter().chain(texts).collect()
        })
    }

    /// All tables as CSV: a head, then a line a figure.
    #[must_use]
    pub fn csv(tables: &[Self]) -> String {
        let mut out = "paper,table,row,from,column,figure\n".to_owned();
        for table in tables {
            for row in &table.rows {
                for (column, figure) in table.columns.iter().zip(&row.figures) {
                    let figure = figure.map(|figure| figure.to_string()).unwrap_or_default();
                    let cells = [table.paper, table.name, &row.label, row.from.name(), column.name, &figure];
                    let _ = writeln!(out, "{}", cells.map(quoted).join(","));
                }
            }
        }
        out
    }

    /// One JSON object a row and line; `null` where there is no figure.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let figures: serde_json::Map<String, serde_json::Value> = self
                .columns
                .iter()
                .zip(&row.figures)
                .map(|(column, figure)| (column.name.to_owned(), serde_json::json!(figure)))
                .collect();
            let object = serde_json::json!({
                "paper": self.paper, "table": self.name, "row": row.label, "from": row.from.name(),
                "figures": figures,
            });
            let _ = writeln!(out, "{object}");
        }
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
            paper: "text_to_tag_ratio",
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
    fn csv_has_a_line_a_figure() {
        let csv = Table::csv(&[table()]);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "paper,table,row,from,column,figure");
        assert_eq!(lines[1], "text_to_tag_ratio,table 2,Mean,paper,Thrshld (%),94.19");
        assert_eq!((lines[2], lines.len()), ("text_to_tag_ratio,table 2,Mean,paper,matches,", 7));
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
            Some("text_to_tag_ratio,\"table 2, \"\"lambda\"\"\",\"a, b\",paper,\"F, words\",94.19")
        );
    }

    #[test]
    fn json_has_an_object_a_row() {
        let json = table().json();
        let rows: Vec<serde_json::Value> =
            json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((rows.len(), rows[0]["figures"]["Thrshld (%)"].as_f64()), (3, Some(94.19)));
        assert!(rows[0]["figures"]["matches"].is_null());
        assert_eq!(rows[2]["from"], "difference");
    }
}
