//! Reproduces tables II, III and IV of the FastContentExtractor paper: time, block F, word F.
//!
//! Each set with only one site has a row. The pages are evaluated with the protocol `template`: page k of the
//! manifest is in fold k mod 5, and templates come from at most 30 pages of the other four folds. Counts and
//! scores are computed on all threads. Then times are measured on one thread, while the other threads are
//! idle.
//!
//! Blocks are split at the tags that the papers name. F with our default block tags is also printed.
//!
//! Limitation: the paper states that its ContentExtractor compared each block with all blocks of all pages.
//! Its printed times show that this cannot be true. Therefore table II has two durations that we measured:
//! one with all blocks, as the paper states, and one with as few blocks as the paper seems to have used. Only
//! the second is near the paper's ratios.

mod measured;
mod printed;
mod remarks;

use self::measured::{Side, SiteFigures, Times};
use self::printed::{PRINTED, Printed};
use super::statistics::{mean, median};
use super::{Column, Paper, Row, RowSource, Table};
use crate::dataset::{Dataset, DatasetError};

/// Measures the tables. Calls `done` once for each page with gold text, including pages of sets without a
/// row. If pages are unreadable, returns the error of the first such page.
pub(super) fn tables(sets: &[Dataset], done: &(dyn Fn() + Sync)) -> Result<Vec<Table>, DatasetError> {
    let (mut sites, mut left_out) = (Vec::new(), Vec::new());
    for set in sets {
        if set.sites() == 1 {
            sites.extend(measured::measure(set, done)?);
        } else {
            (0..set.with_gold()).for_each(|_| done());
            left_out.push(set.name.as_str());
        }
    }
    Ok(vec![table_2(&sites, &left_out), table_3(&sites), table_4(&sites)])
}

/// The columns with times. No difference is printed for them, because the times are from different machines.
const TIMES: [usize; 2] = [2, 5];

fn table_2(sites: &[SiteFigures], left_out: &[&str]) -> Table {
    let columns = [
        ("CE NumBlockTemp", 0),
        ("CE NumBlock", 0),
        ("CE PerTime (s)", 6),
        ("FastCE NumBlockTemp", 0),
        ("FastCE NumBlock", 0),
        ("FastCE PerTime (s)", 6),
        ("improvement (%)", 1),
        ("CE with NumBlockTemp only (s)", 6),
        ("improvement on that (%)", 1),
    ];
    let printed = |row: &Printed| {
        let ([temp, blocks, time], [fast_temp, fast_blocks, fast_time]) = (row.ce, row.fast);
        vec![temp, blocks, time, fast_temp, fast_blocks, fast_time, row.improvement, "", ""]
    };
    let ours = |site: &SiteFigures| {
        let counts = |side: &Side| [Some(side.num_block_temp), Some(side.num_block)];
        let [[temp, blocks], [fast_temp, fast_blocks]] = site.named.each_ref().map(counts);
        let Times { all_pairs, only_temp, fast, .. } = site.times;
        let percent = |time: f64| (fast > 0.0).then(|| 100.0 * time / fast);
        let ([all, only], improved) =
            ([Some(all_pairs), Some(only_temp)], [all_pairs, only_temp].map(percent));
        vec![temp, blocks, all, fast_temp, fast_blocks, Some(fast), improved[0], only, improved[1]]
    };
    let rows = rows(sites, printed, ours, columns.len());
    let without_times = |row: Row| if row.from == RowSource::Difference { row.without(&TIMES) } else { row };
    Table {
        paper: Paper::FastContentExtractor,
        name: "table II",
        title: "Execution time of ContentExtractor (CE) and FastContentExtractor (FastCE)".to_owned(),
        columns: columns.map(|(name, decimals)| Column::new(name, decimals)).into(),
        rows: rows.into_iter().map(without_times).collect(),
        remarks: remarks::of_table_2(sites, left_out),
    }
}

fn table_3(sites: &[SiteFigures]) -> Table {
    let f: Figure = (|row| row.block_f, |side| side.block_f);
    table_of_f("table III", "Block F", 2, sites, f, remarks::of_table_3())
}

fn table_4(sites: &[SiteFigures]) -> Table {
    let f: Figure = (|row| row.word_f, |side| side.word_f);
    table_of_f("table IV", "Word F", 3, sites, f, remarks::of_table_4())
}

type Figure = (fn(&Printed) -> [&'static str; 2], fn(&Side) -> f64);

fn table_of_f(
    name: &'static str,
    title: &str,
    decimals: usize,
    sites: &[SiteFigures],
    (printed, ours): Figure,
    remarks: Vec<String>,
) -> Table {
    let columns = ["CE", "FastCE", "CE, default block tags", "FastCE, default block tags"];
    let printed = |row: &Printed| printed(row).into_iter().chain(["", ""]).collect();
    let ours =
        |site: &SiteFigures| site.named.iter().chain(&site.by_default).map(|side| Some(ours(side))).collect();
    Table {
        paper: Paper::FastContentExtractor,
        name,
        title: format!("{title} of ContentExtractor (CE) and FastContentExtractor (FastCE)"),
        columns: columns.map(|name| Column::new(name, decimals)).into(),
        rows: rows(sites, printed, ours, columns.len()),
        remarks,
    }
}

type Statistic = fn(&[f64]) -> Option<f64>;

fn rows(
    sites: &[SiteFigures],
    printed: impl Fn(&Printed) -> Vec<&'static str>,
    ours: impl Fn(&SiteFigures) -> Vec<Option<f64>>,
    columns: usize,
) -> Vec<Row> {
    let mut rows: Vec<Row> = PRINTED.iter().map(|row| Row::as_printed(row.site, &printed(row))).collect();
    let paper: Vec<Vec<Option<f64>>> = rows.iter().map(|row| row.figures.clone()).collect();
    let here: Vec<Vec<Option<f64>>> = sites.iter().map(ours).collect();
    rows.extend(sites.iter().zip(&here).map(|(site, figures)| Row::ours(&site.name, figures)));
    let statistics: [(&str, Statistic); 2] = [("mean of the sites", mean), ("median of the sites", median)];
    for (label, statistic) in statistics {
        let down = |rows: &[Vec<Option<f64>>]| -> Vec<Option<f64>> {
            (0..columns).map(|at| statistic(&figures(rows, at))).collect()
        };
        rows.extend(Row::compared(label, &down(&paper), &down(&here)));
    }
    rows
}

fn figures(rows: &[Vec<Option<f64>>], column: usize) -> Vec<f64> {
    rows.iter().filter_map(|row| row.get(column).copied().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tempfile::TempDir;

    use gleaner_extract::site_methods::fast_content_extractor;

    use super::*;
    use crate::{EvalTask, Measure, Protocol};
    use gleaner_corpus::Method;

    const STORIES: [&str; 7] = [
        "The bridge opens today.",
        "Rain is on its way to the coast.",
        "Two more trains a day.",
        "Schools close early this week.",
        "A museum of clocks has moved.",
        "Farmers fear for their apples.",
        "The mayor will not stand again.",
    ];

    fn set(folder: &Path, sites: [&str; 2]) {
        fs::create_dir(folder).unwrap();
        let mut manifest = String::new();
        for (id, story) in STORIES.iter().enumerate() {
            manifest += &format!("{{\"id\": \"{id}\", \"site\": \"{}\"}}\n", sites[id % 2]);
            let source = format!("<div>Home News {id}{id}</div><p>{story}</p><p>Write to us.</p><hr>");
            fs::write(folder.join(format!("{id}.html")), source).unwrap();
            fs::write(folder.join(format!("{id}.txt")), story).unwrap();
        }
        fs::remove_file(folder.join("6.txt")).unwrap();
        fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
    }

    fn sets() -> (TempDir, Vec<Dataset>) {
        let folder = TempDir::new().unwrap();
        set(&folder.path().join("one"), ["a.example"; 2]);
        set(&folder.path().join("two"), ["a.example", "b.example"]);
        let sets = Dataset::find(&[folder.path().to_owned()]).unwrap();
        (folder, sets)
    }

    fn ours<'a>(table: &'a Table, label: &str) -> Option<&'a [Option<f64>]> {
        let row = table.rows.iter().find(|row| row.label == label && row.from == RowSource::Ours)?;
        Some(&row.figures)
    }

    #[test]
    fn a_site_has_a_row_in_each_table_and_others_a_remark() {
        let (_folder, sets) = sets();
        let done = AtomicUsize::new(0);
        let count = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let tables = tables(&sets, &count).unwrap();
        assert_eq!(done.into_inner(), 12, "one call a page with gold, of whichever set");
        assert_eq!(
            tables.iter().map(|table| table.name).collect::<Vec<_>>(),
            ["table II", "table III", "table IV"]
        );
        for table in &tables {
            assert!(ours(table, "one").is_some() && ours(table, "two").is_none());
            assert_eq!(table.rows.len(), PRINTED.len() + 1 + 2 * 3);
            assert!(table.rows.iter().all(|row| row.figures.len() == table.columns.len()));
        }
        let remarks = tables[0].remarks.join("\n");
        assert!(remarks.contains("one (5)") && remarks.contains("not of one site: two."), "{remarks}");
    }

    #[test]
    fn figures_are_those_of_the_methods() {
        let (_folder, sets) = sets();
        let tables = tables(&sets[..1], &|| {}).unwrap();
        let blocks = ours(&tables[0], "one").unwrap();
        // "Write to us." is a repeated block, and the first line is not. All three lines are blocks.
        assert_eq!((blocks[0], blocks[1], blocks[3]), (Some(1.0), Some(3.0), Some(1.0)));
        assert!(blocks.iter().all(|figure| figure.is_some_and(|figure| figure > 0.0)));
        let [all, fast, percent, only, on_that] = [2, 5, 6, 7, 8].map(|at| blocks[at].unwrap());
        assert!((percent - 100.0 * all / fast).abs() < 1e-9 && (on_that - 100.0 * only / fast).abs() < 1e-9);

        let method = Method::FastContentExtractor;
        let task = EvalTask {
            protocol: Protocol::Template,
            methods: vec![method],
            measures: vec![Measure::Blocks],
            cross_validate: false,
            threads: None,
        };
        let run = crate::run(&sets[..1], &task, &|| {}).unwrap();
        let scores = &run.sets[0].methods[0].1;
        let mean = |f1: &dyn Fn(&crate::PageScore) -> f64| scores.iter().map(f1).sum::<f64>() / 6.0;
        let (words, blocks) =
            (mean(&|score| score.words.ratios().f1), mean(&|score| score.blocks.unwrap().f1));
        assert!((ours(&tables[2], "one").unwrap()[3].unwrap() - words).abs() < 1e-12);
        assert!((ours(&tables[1], "one").unwrap()[3].unwrap() - blocks).abs() < 1e-12);
        assert!(words > 0.5 && words < 1.0, "{words}");
    }

    /// With the papers' tags, headings do not separate blocks, so repeated and other text form one block.
    #[test]
    fn tables_are_by_the_block_tags_of_the_papers_and_say_so() {
        let folder = TempDir::new().unwrap();
        let one = folder.path().join("one");
        set(&one, ["a.example"; 2]);
        for (id, story) in STORIES.iter().enumerate() {
            let source = format!("<h1>Home</h1><h2>No. {id}{id}</h2><p>{story}</p><hr>");
            fs::write(one.join(format!("{id}.html")), source).unwrap();
        }
        let sets = Dataset::find(&[folder.path().to_owned()]).unwrap();
        let tables = tables(&sets, &|| {}).unwrap();
        let blocks = ours(&tables[0], "one").unwrap();
        // "Home No. 11" is one block and differs on each page, so it is never repeated.
        assert_eq!((blocks[0], blocks[1]), (Some(0.0), Some(2.0)));
        let f = ours(&tables[2], "one").unwrap();
        assert!(f[2] > f[0], "{f:?}");
        let named = fast_content_extractor::FastContentExtractorParams::of_the_paper().block_tags.join(", ");
        for table in &tables {
            let remarks = table.remarks.join("\n");
            assert!(remarks.contains(&named) && remarks.contains("on 10% of the pages"), "{remarks}");
        }
    }

    #[test]
    fn times_are_the_paper_s_as_printed_and_not_subtracted() {
        let (_folder, sets) = sets();
        let table = tables(&sets[..1], &|| {}).unwrap().remove(0);
        let cells: Vec<Vec<String>> = table.cells().collect();
        assert_eq!(cells[0][2..9], ["86", "319", "1.914", "14", "41", "0.964", "198.55"]);
        let row = |from| table.rows.iter().find(|row| row.label == "mean of the sites" && row.from == from);
        for at in TIMES {
            assert!(row(RowSource::Ours).unwrap().figures[at] > Some(0.0));
            assert_eq!(row(RowSource::Difference).unwrap().figures[at], None);
        }
        assert!(row(RowSource::Difference).unwrap().figures[6].is_some());
    }

    #[test]
    fn means_are_compared() {
        let (_folder, sets) = sets();
        let table = tables(&sets, &|| {}).unwrap().remove(2);
        let [paper, here, difference] =
            [RowSource::Paper, RowSource::Ours, RowSource::Difference].map(|from| {
                let row = table.rows.iter().find(|row| row.label == "mean of the sites" && row.from == from);
                row.unwrap().figures[1].unwrap()
            });
        assert!((paper - 0.982).abs() < 1e-9 && (here - paper - difference).abs() < 1e-12);
        assert_eq!(Some(here), ours(&table, "one").unwrap()[1]);
    }

    #[test]
    fn figures_but_times_are_the_same_again() {
        let (_folder, sets) = sets();
        let run = || {
            let tables = tables(&sets, &|| {}).unwrap();
            let counts = |row: &Row| [0, 1, 3, 4].map(|at| row.figures[at]);
            let counts: Vec<_> = tables[0].rows.iter().map(counts).collect();
            (counts, tables[1].clone(), tables[2].clone())
        };
        assert_eq!(run(), run());
    }

    #[test]
    fn without_sets_only_the_paper_has_figures() {
        let tables = tables(&[], &|| {}).unwrap();
        let rows = tables.iter().flat_map(|table| &table.rows).filter(|row| row.from == RowSource::Ours);
        assert!(rows.flat_map(|row| &row.figures).all(Option::is_none));
        assert!(tables[0].remarks.iter().any(|remark| remark.contains("nothing is ours")));
    }
}
