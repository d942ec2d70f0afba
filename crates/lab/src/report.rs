//! Summarizes a run. There is one row for each set and method, and one row for each method on all sets.
//!
//! Values are means over pages. The exception is `site_mean_f1`, the mean of the means of the sets, which
//! gives all sites the same weight. Space saving is computed from the total bytes. Rows in JSON and CSV
//! contain no times, because times differ from run to run.
//!
//! Limitation: the mean edit distance ratio covers only the pages that have a ratio. The number of these
//! pages is reported. The missing ratios would be low, so the mean is too high.

pub use crate::dataset::ALL;
use crate::measure::Ratios;
use crate::measure::space::Sizes;
use crate::{EvalRun, PageScore, Protocol};
use gleaner_corpus::Method;

/// A page with a lower F1 counts as failed.
const HALF: f64 = 0.5;

/// The rows of a run.
#[derive(Debug, Clone)]
pub struct EvalReport {
    /// One row per set and method, in the order of the run. The rows for all sets together are last.
    pub rows: Vec<ResultRow>,
}

/// The results of a method on a set.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultRow {
    /// The set's name, or [`ALL`].
    pub set: String,
    /// Which pages the method could learn from.
    pub protocol: Protocol,
    /// The method.
    pub method: Method,
    /// The number of scored pages.
    pub pages: usize,
    /// Mean word precision, 0 to 1.
    pub precision: f64,
    /// Mean word recall, 0 to 1.
    pub recall: f64,
    /// Mean word F1 over pages, 0 to 1.
    pub f1: f64,
    /// The mean over sets of their mean word F1, from 0 to 1.
    pub site_mean_f1: f64,
    /// The number of pages with a word F1 below 0.5.
    pub below_half: usize,
    /// Mean block precision, recall and F, if requested.
    pub blocks: Option<Ratios>,
    /// Mean precision, recall and F1 by the longest common subsequence of words, if requested.
    pub subsequence: Option<Ratios>,
    /// The edit distance ratio, if requested.
    pub edit_distance: Option<EditDistance>,
    /// Total bytes of all pages and of the extracted texts, if requested.
    pub space: Option<Sizes>,
    /// Mean time of an extraction in milliseconds. Decoding and parsing are not included.
    pub milliseconds: f64,
}

/// The edit distance ratio of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EditDistance {
    /// The mean ratio, from 0 to 1. `None` if it could not be computed on any page.
    pub ratio: Option<f64>,
    /// The number of pages on which the ratio was computed.
    pub pages: usize,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A name.
    Text(String),
    /// A count.
    Count(u64),
    /// A share, printed with six decimals.
    Share(f64),
    /// A value that was not measured on any page. It is `null` in JSON and an empty cell in CSV.
    Missing,
}

impl EvalReport {
    /// Summarizes a run.
    #[must_use]
    pub fn from_run(run: &EvalRun) -> Self {
        let scored = run.sets.iter().flat_map(|set| set.methods.iter().map(move |(m, p)| (set, *m, p)));
        let mut rows: Vec<ResultRow> = scored
            .filter(|(.., pages)| !pages.is_empty())
            .map(|(set, method, pages)| ResultRow::new(&set.name, run.protocol, method, &[pages]))
            .collect();
        let methods = run.sets.first().map_or(&[][..], |set| &set.methods);
        for (at, (method, _)) in methods.iter().enumerate() {
            let sets: Vec<&[PageScore]> = run.sets.iter().map(|set| &*set.methods[at].1).collect();
            rows.push(ResultRow::new(ALL, run.protocol, *method, &sets));
        }
        Self { rows }
    }

    /// Returns the rows as JSON lines, one object per row.
    #[must_use]
    pub fn json(&self) -> String {
        self.rows.iter().map(|row| row.json() + "\n").collect()
    }

    /// Returns the rows as CSV: a header line, then one line per row.
    #[must_use]
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let head = self.rows.first().map(|row| row.columns().into_iter().map(|(name, _)| name.to_owned()));
        let rows = self.rows.iter().map(|row| row.columns().iter().map(|(_, value)| value.csv()).collect());
        head.map(Iterator::collect).into_iter().chain(rows).map(line).collect()
    }
}

impl ResultRow {
    fn new(set: &str, protocol: Protocol, method: Method, sets: &[&[PageScore]]) -> Self {
        let pages: Vec<&PageScore> = sets.iter().flat_map(|pages| pages.iter()).collect();
        let f1 = |page: &PageScore| page.words.ratios().f1;
        let of_sets = sets.iter().filter(|pages| !pages.is_empty()).map(|pages| mean(pages.iter().map(f1)));
        let words = mean_ratios(&pages, |page| Some(page.words.ratios())).unwrap_or_default();
        Self {
            set: set.to_owned(),
            protocol,
            method,
            pages: pages.len(),
            precision: words.precision,
            recall: words.recall,
            f1: words.f1,
            site_mean_f1: mean(of_sets),
            below_half: pages.iter().filter(|page| f1(page) < HALF).count(),
            blocks: mean_ratios(&pages, |page| page.blocks),
            subsequence: mean_ratios(&pages, |page| page.subsequence),
            edit_distance: edit_distance(&pages),
            space: sum_of_space(&pages),
            milliseconds: mean(pages.iter().map(|page| page.time.as_secs_f64() * 1e3)),
        }
    }

    /// Returns the values of the row, with their names in JSON and CSV.
    #[must_use]
    pub fn columns(&self) -> Vec<(&'static str, Value)> {
        let mut columns = vec![
            ("set", Value::Text(self.set.clone())),
            ("protocol", Value::Text(self.protocol.name().to_owned())),
            ("method", Value::Text(self.method.to_string())),
            ("pages", Value::Count(self.pages as u64)),
            ("precision", Value::Share(self.precision)),
            ("recall", Value::Share(self.recall)),
            ("f1", Value::Share(self.f1)),
            ("site_mean_f1", Value::Share(self.site_mean_f1)),
            ("below_half", Value::Count(self.below_half as u64)),
        ];
        columns.extend(self.other_measures());
        columns
    }

    /// Returns the values that were requested in addition to the word measure.
    #[must_use]
    pub fn other_measures(&self) -> Vec<(&'static str, Value)> {
        let mut columns = Vec::new();
        if let Some(Ratios { precision, recall, f1 }) = self.blocks {
            let names = ["block_precision", "block_recall", "block_f1"];
            columns.extend(names.into_iter().zip([precision, recall, f1].map(Value::Share)));
        }
        if let Some(Ratios { precision, recall, f1 }) = self.subsequence {
            let names = ["subsequence_precision", "subsequence_recall", "subsequence_f1"];
            columns.extend(names.into_iter().zip([precision, recall, f1].map(Value::Share)));
        }
        if let Some(EditDistance { ratio, pages }) = self.edit_distance {
            columns.push(("edit_distance_ratio", ratio.map_or(Value::Missing, Value::Share)));
            columns.push(("edit_distance_pages", Value::Count(pages as u64)));
        }
        if let Some(space) = self.space {
            let Sizes { html, text } = space;
            let names = ["html_bytes", "text_bytes", "html_gzip_bytes", "text_gzip_bytes"];
            let sizes = [html.plain, text.plain, html.gzip, text.gzip].map(Value::Count);
            columns.extend(names.into_iter().zip(sizes));
            columns.push(("space_saving", Value::Share(space.saving())));
            columns.push(("space_saving_gzip", Value::Share(space.saving_gzip())));
        }
        columns
    }

    fn json(&self) -> String {
        let columns = self.columns();
        let pairs: Vec<String> =
            columns.iter().map(|(name, value)| format!("\"{name}\": {}", value.json())).collect();
        format!("{{{}}}", pairs.join(", "))
    }
}

impl Value {
    fn json(&self) -> String {
        match self {
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::Missing => "null".to_owned(),
            Self::Count(_) | Self::Share(_) => self.csv(),
        }
    }

    fn csv(&self) -> String {
        match self {
            Self::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Share(share) => format!("{share:.6}"),
            Self::Missing => String::new(),
        }
    }
}

/// Returns the `count` pages on which `method` has the lowest word F1, or all pages if there are fewer. The
/// page with the lowest F1 is first. Pages with equal F1 are sorted by path.
#[must_use]
pub fn worst(run: &EvalRun, method: Method, count: usize) -> Vec<&PageScore> {
    let methods = run.sets.iter().flat_map(|set| &set.methods).filter(|(other, _)| *other == method);
    let mut pages: Vec<&PageScore> = methods.flat_map(|(_, pages)| pages).collect();
    let f1 = |page: &PageScore| page.words.ratios().f1;
    pages.sort_by(|a, b| f1(a).total_cmp(&f1(b)).then_with(|| a.path.cmp(&b.path)));
    pages.truncate(count);
    pages
}

fn mean_ratios(pages: &[&PageScore], of: impl Fn(&PageScore) -> Option<Ratios>) -> Option<Ratios> {
    Some(Ratios {
        precision: mean_of(pages, |page| Some(of(page)?.precision))?,
        recall: mean_of(pages, |page| Some(of(page)?.recall))?,
        f1: mean_of(pages, |page| Some(of(page)?.f1))?,
    })
}

fn mean_of(pages: &[&PageScore], of: impl Fn(&PageScore) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = pages.iter().map(|page| of(page)).collect();
    values.map(|values| mean(values.into_iter()))
}

fn edit_distance(pages: &[&PageScore]) -> Option<EditDistance> {
    let asked: Option<Vec<Option<f64>>> = pages.iter().map(|page| page.edit_distance_ratio).collect();
    let measured: Vec<f64> = asked?.into_iter().flatten().collect();
    let pages = measured.len();
    Some(EditDistance { ratio: (pages > 0).then(|| mean(measured.into_iter())), pages })
}

fn sum_of_space(pages: &[&PageScore]) -> Option<Sizes> {
    let mut sum = Sizes::default();
    for page in pages {
        sum += page.space?;
    }
    Some(sum)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::DatasetScores;
    use crate::measure::words::Overlap;

    fn page(path: &str, shared: u64) -> PageScore {
        PageScore {
            path: path.into(),
            words: Overlap { extracted: 4, gold: 4, shared },
            blocks: None,
            subsequence: None,
            edit_distance_ratio: None,
            space: None,
            estimate: None,
            time: Duration::from_millis(shared),
        }
    }

    fn two_sets() -> EvalRun {
        let set =
            |name: &str, pages| DatasetScores { name: name.into(), methods: vec![(Method::Template, pages)] };
        let sets = vec![
            set("a,b", vec![page("a/1", 4), page("a/2", 1), page("a/3", 1)]),
            set("c", vec![page("c/1", 2)]),
        ];
        EvalRun { protocol: Protocol::Cold, sets, remarks: Vec::new(), unread: Vec::new() }
    }

    #[test]
    fn pages_and_sites_have_each_their_mean() {
        let report = EvalReport::from_run(&two_sets());
        let figures: Vec<_> = report
            .rows
            .iter()
            .map(|row| {
                (row.set.as_str(), row.pages, row.f1, row.site_mean_f1, row.below_half, row.milliseconds)
            })
            .collect();
        assert_eq!(
            figures,
            [("a,b", 3, 0.5, 0.5, 2, 2.0), ("c", 1, 0.5, 0.5, 0, 2.0), ("all", 4, 0.5, 0.5, 2, 2.0)]
        );
    }

    #[test]
    fn rows_are_written_with_six_decimals_and_without_times() {
        let report = EvalReport::from_run(&two_sets());
        let json = report.json();
        assert_eq!(json.lines().count(), 3);
        assert_eq!(
            json.lines().next().unwrap(),
            "{\"set\": \"a,b\", \"protocol\": \"cold\", \"method\": \"gleaner\", \"pages\": 3, \"precision\": 0.500000, \"recall\": 0.500000, \"f1\": 0.500000, \"site_mean_f1\": 0.500000, \"below_half\": 2}"
        );
        let csv = report.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "set,protocol,method,pages,precision,recall,f1,site_mean_f1,below_half");
        assert_eq!(lines[1], "\"a,b\",cold,gleaner,3,0.500000,0.500000,0.500000,0.500000,2");
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn what_was_not_measured_is_counted() {
        let mut run = two_sets();
        let ratios = [Some(0.5), None, Some(0.7)];
        for (page, ratio) in run.sets[0].methods[0].1.iter_mut().zip(ratios) {
            page.edit_distance_ratio = Some(ratio);
        }
        run.sets[1].methods[0].1[0].edit_distance_ratio = Some(None);
        let csv = EvalReport::from_run(&run).csv();
        let ends: Vec<&str> = csv.lines().map(|line| line.rsplit(',').nth(1).unwrap()).collect();
        assert_eq!(ends, ["edit_distance_ratio", "0.600000", "", "0.600000"], "{csv}");
        let json = EvalReport::from_run(&run).json();
        assert!(json.contains("\"edit_distance_ratio\": null, \"edit_distance_pages\": 0}"), "{json}");
        assert!(json.contains("\"edit_distance_ratio\": 0.600000, \"edit_distance_pages\": 2}"), "{json}");
    }

    #[test]
    fn the_worst_pages_come_first_and_ties_by_path() {
        let run = two_sets();
        let paths: Vec<_> =
            worst(&run, Method::Template, 3).iter().map(|page| page.path.display().to_string()).collect();
        assert_eq!(paths, ["a/2", "a/3", "c/1"]);
        assert_eq!(worst(&run, Method::Template, 9).len(), 4);
        assert!(worst(&run, Method::FastContentExtractor, 9).is_empty());
    }
}
