//! Reproduces tables 2, 3 and 4, and figure 5 of the Text-To-Tag Ratio paper.
//!
//! The paper is Weninger, Hsu: Text Extraction from the Web via Text-to-Tag Ratio (2008), section 5.2. The
//! pages with gold text of all sets are evaluated together, like the paper's 176 pages. LCS is the recall by
//! the longest common subsequence of words ([`subsequence`]). EDR is the edit distance ratio of characters
//! ([`edit_distance`]). If several coefficients and clusterings select the same text of a page, the text is
//! compared only once.
//!
//! Limitation: the paper's LCS apparently compares the characters of files, not words. The paper prints no
//! numbers for figure 5, except the values at coefficient 1 in tables 2 and 3.

use std::collections::HashMap;

use crate::methods::LineEnds;
use crate::methods::text_to_tag_ratio::{Clustering, Ratios, TextToTagRatioParams};
use gleaner_html::text::plain;

use super::pages::measured;
use super::statistics::{mean, median};
use super::svg;
use super::{Column, Paper, Row, RowSource, Table};
use crate::dataset::{Dataset, DatasetError, RecordedPage};
use crate::measure::space::{Size, Sizes};
use crate::measure::{edit_distance, subsequence};

const FIGURE_5: &str = "figure 5";

const CLUSTERINGS: [Clustering; 5] = [
    Clustering::Threshold,
    Clustering::ExpectationMaximization,
    Clustering::KMeans,
    Clustering::FarthestFirst,
    Clustering::Prediction,
];

const COLUMNS: [Column; 5] = [
    Column::new("Thrshld", 2),
    Column::new("EM", 2),
    Column::new("K-Mns", 2),
    Column::new("Far. First", 2),
    Column::new("Predctn", 2),
];

const TABLE_2: [[f64; 5]; 3] = [
    [94.19, 92.62, 92.47, 85.88, 81.14],
    [98.65, 99.34, 98.68, 94.18, 94.42],
    [14.03, 17.60, 16.57, 21.32, 24.85],
];

const MATCHES_2: [&str; 5] = ["34", "43", "35", "25", "22"];

const TABLE_3: [[f64; 5]; 3] = [
    [56.21, 48.77, 57.44, 62.53, 52.40],
    [61.63, 48.98, 61.17, 77.03, 55.30],
    [31.89, 30.66, 32.96, 33.75, 30.01],
];

/// The number of pages with 100% in table 3. The text of the paper states it.
const MATCHES_3: [&str; 5] = ["0"; 5];

/// Table 4 as printed, in KB: HTML and text, then both compressed.
const TABLE_4: [f64; 4] = [9_630.34, 497.70, 2_234.77, 275.53];

const PAGES: f64 = 176.0;

/// The number of coefficients in figure 5, from 0.0 to 2.0 in steps of 0.1.
const STEPS: usize = 21;

const STEP_OF_TABLES: usize = 10;

const KB: f64 = 1024.0;

#[derive(Debug, Clone, Copy, Default)]
struct Scores {
    lcs: f64,
    edr: f64,
}

struct PageScores {
    clusterings: [Scores; CLUSTERINGS.len()],
    steps: [Scores; STEPS],
    /// The scores of the threshold with [`LineEnds::AsWritten`]. `None` if these scores equal the scores with
    /// [`LineEnds::Auto`].
    as_written: Option<Scores>,
    space: Sizes,
}

/// Measures the tables. Calls `done` after each page with gold text, from any thread. If pages are unreadable,
/// returns the error of the first such page.
pub(super) fn tables(sets: &[Dataset], done: &(dyn Fn() + Sync)) -> Result<Vec<Table>, DatasetError> {
    let (mut pages, mut of_sets, mut given_up) = (Vec::new(), Vec::new(), 0);
    for set in sets {
        let all = measured(set, done, |_, recorded, gold| page_scores(recorded, gold))?;
        let count = all.len();
        let scores: Vec<PageScores> = all.into_iter().flatten().collect();
        given_up += count - scores.len();
        let lcs: Vec<f64> = scores.iter().map(|page| page.clusterings[0].lcs * 100.0).collect();
        of_sets.extend(mean(&lcs).map(|mean| (mean, set.name.as_str())));
        pages.extend(scores);
    }
    Ok(vec![table_2(&pages, given_up, of_sets), table_3(&pages), table_4(&pages), figure_5_table(&pages)])
}

/// Draws figure 5 as SVG from its table in `tables`. Returns `None` if the table is missing.
#[must_use]
pub fn figure_5(tables: &[Table]) -> Option<String> {
    let table = tables.iter().find(|table| table.paper == Paper::TextToTagRatio && table.name == FIGURE_5)?;
    let point = |row: &Row| match row.figures[..] {
        [Some(lcs), Some(edr)] => Some((row.label.parse().ok()?, lcs / 100.0, edr / 100.0)),
        _ => None,
    };
    let ours = table.rows.iter().filter(|row| row.from == RowSource::Ours);
    Some(svg::figure_5(&ours.filter_map(point).collect::<Vec<_>>()))
}

/// Measures a page. Returns `None` if the texts are so long and so different that their edit distance cannot
/// be computed.
fn page_scores(recorded: &RecordedPage, gold: &str) -> Option<PageScores> {
    let ratios = Ratios::new(&recorded.source, &TextToTagRatioParams::default());
    let mut known: HashMap<String, Scores> = HashMap::new();
    let mut is_whole = true;
    let mut compared = |ratios: &Ratios, params: &TextToTagRatioParams| {
        let text = plain(&ratios.text(&ratios.select(params)));
        *known.entry(text).or_insert_with_key(|text| Scores {
            lcs: subsequence::ratios(text, gold).recall,
            edr: is_whole.then(|| edit_distance::ratio(text, gold)).flatten().unwrap_or_else(|| {
                is_whole = false;
                0.0
            }),
        })
    };
    let written = TextToTagRatioParams { lines: LineEnds::AsWritten, ..TextToTagRatioParams::default() };
    let of_source = Ratios::new(&recorded.source, &written);
    let as_written = (of_source != ratios).then(|| compared(&of_source, &written));
    let mut scores = |params: &TextToTagRatioParams| compared(&ratios, params);
    let clusterings = CLUSTERINGS.map(|clustering| scores(&TextToTagRatioParams::with(clustering)));
    let steps = std::array::from_fn(|step| {
        scores(&TextToTagRatioParams { deviations: coefficient(step), ..TextToTagRatioParams::default() })
    });
    let text = plain(&ratios.text(&ratios.select(&TextToTagRatioParams::default())));
    let space = Sizes { html: Size::from_bytes(&recorded.bytes), text: Size::from_bytes(text.as_bytes()) };
    is_whole.then_some(PageScores { clusterings, steps, as_written, space })
}

fn coefficient(step: usize) -> f64 {
    step as f64 / 10.0
}

fn table_2(pages: &[PageScores], given_up: usize, mut of_sets: Vec<(f64, &str)>) -> Table {
    of_sets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lowest: Vec<String> = of_sets.iter().take(3).map(|(mean, set)| format!("{set} {mean:.1}")).collect();
    let left_out = match given_up {
        0 => String::new(),
        pages => format!(" but {pages}, too long and too unlike their gold for the edit distance"),
    };
    let remarks = vec![
        format!(
            "All {} pages with gold of the sets together{left_out}; the paper has 176 of 2008.",
            pages.len()
        ),
        of_lines(pages),
        "LCS is the recall of words in their order, not of the files' characters: a word that is glued or \
         cut differs as a whole, a quotation mark of another form does not. Matches are pages of which no \
         word is missing: more than by characters, the more so where gold was cut from the same source."
            .to_owned(),
        "What Thrshld loses is short lines inside the article, list items and sub-headings, whose ratio is \
         that of a menu. Predctn loses paragraphs behind a long one: the \
         fall at its end leaves the section, and as it is among the three lines before, the next paragraph is \
         no jump."
            .to_owned(),
        "The paper writes that of 200 pages 34 were discarded, which leaves 166 and not 176.".to_owned(),
        format!("Thrshld has its lowest mean LCS on: {}.", lowest.join(", ")),
    ];
    statistics(
        pages,
        "table 2",
        "LCS of the five clusterings (recall)",
        (&TABLE_2, MATCHES_2),
        |scores| scores.lcs,
        remarks,
    )
}

fn of_lines(pages: &[PageScores]) -> String {
    let by = |scores: fn(&PageScores) -> Scores| {
        let all: Vec<Scores> = pages.iter().map(scores).collect();
        let of = |score: fn(&Scores) -> f64| {
            100.0 * mean(&all.iter().map(score).collect::<Vec<_>>()).unwrap_or_default()
        };
        [of(|scores| scores.lcs), of(|scores| scores.edr)]
    };
    let auto = by(|page| page.clusterings[0]);
    let written = by(|page| page.as_written.unwrap_or(page.clusterings[0]));
    format!(
        "The paper's lines are those of the source. Here lines end at block-level tags on the {} of {} pages \
         most of whose text stands on lines with more than 12 such tags, as no line of them is a unit of \
         the text. With the source's lines on all pages Thrshld has mean LCS {:.2} and EDR {:.2} instead of \
         {:.2} and {:.2}.",
        pages.iter().filter(|page| page.as_written.is_some()).count(),
        pages.len(),
        written[0],
        written[1],
        auto[0],
        auto[1]
    )
}

fn table_3(pages: &[PageScores]) -> Table {
    let remarks = vec![
        of_lines(pages),
        "EDR is 1 - distance / length of the longer text, in characters without white space; equation 2 as \
         printed is (1 - distance) / length, below 0 for nearly every page."
            .to_owned(),
        "EDR hangs on how much of a page is content: figure 5 at 0.0 has that of all text of the pages, where \
         no line is ruled out. The paper's pages are what a search for \"the\" finds, often no articles."
            .to_owned(),
        "That no page matches, the paper says in its text; the table has no such row.".to_owned(),
    ];
    statistics(
        pages,
        "table 3",
        "EDR of the five clusterings (precision)",
        (&TABLE_3, MATCHES_3),
        |scores| scores.edr,
        remarks,
    )
}

fn statistics(
    pages: &[PageScores],
    name: &'static str,
    title: &str,
    (paper, paper_matches): (&[[f64; 5]; 3], [&'static str; 5]),
    score: impl Fn(&Scores) -> f64,
    remarks: Vec<String>,
) -> Table {
    let columns: [Vec<f64>; 5] =
        std::array::from_fn(|at| pages.iter().map(|page| score(&page.clusterings[at]) * 100.0).collect());
    let ours = |statistic: fn(&[f64]) -> Option<f64>| columns.each_ref().map(|column| statistic(column));
    let printed = paper.map(|row| row.map(Some));
    let share = |count: Option<f64>, pages: f64| count.map(|count| count * 100.0 / pages.max(1.0));
    let matches = ours(matches);
    let shares = matches.map(|count| share(count, pages.len() as f64));
    let paper_shares = paper_matches.map(|count| share(count.parse().ok(), PAGES));
    let rows = [
        Row::compared("Mean (%)", &printed[0], &ours(mean)).to_vec(),
        Row::compared("Median (%)", &printed[1], &ours(median)).to_vec(),
        Row::compared("Std Dev.", &printed[2], &ours(deviation)).to_vec(),
        vec![Row::as_printed("Matches", &paper_matches), Row::ours("Matches", &matches)],
        Row::compared("Matches (% of pages)", &paper_shares, &shares).to_vec(),
    ];
    Table {
        paper: Paper::TextToTagRatio,
        name,
        title: title.to_owned(),
        columns: COLUMNS.to_vec(),
        rows: rows.concat(),
        remarks,
    }
}

fn deviation(figures: &[f64]) -> Option<f64> {
    let of_all = mean(figures)?;
    let squares: Vec<f64> = figures.iter().map(|figure| (figure - of_all).powi(2)).collect();
    mean(&squares).map(f64::sqrt)
}

fn matches(figures: &[f64]) -> Option<f64> {
    (!figures.is_empty()).then(|| figures.iter().filter(|figure| **figure >= 100.0).count() as f64)
}

fn table_4(pages: &[PageScores]) -> Table {
    let mut sum = Sizes::default();
    pages.iter().for_each(|page| sum += page.space);
    let sizes = [sum.html.plain, sum.text.plain, sum.html.gzip, sum.text.gzip];
    let of_page = |bytes: u64| (!pages.is_empty()).then(|| bytes as f64 / KB / pages.len() as f64);
    let savings = |sizes: [Option<f64>; 4]| {
        let [html, text, html_gzip, text_gzip] = sizes;
        let saving = |html: Option<f64>, text: Option<f64>| Some((1.0 - text? / html?) * 100.0);
        [html, text, html_gzip, text_gzip, saving(html, text), saving(html_gzip, text_gzip)]
    };
    let printed = savings(TABLE_4.map(Some));
    let paper = savings(TABLE_4.map(|size| Some(size / PAGES)));
    let names = ["HTML (KB)", "Extracted Text (KB)", "GZip HTML (KB)", "GZip Text (KB)"];
    let columns = names.map(|name| Column::new(name, 2));
    let saving = ["Saving (%)", "GZip Saving (%)"].map(|name| Column::new(name, 1));
    Table {
        paper: Paper::TextToTagRatio,
        name: "table 4",
        title: "Mean file sizes of HTML and extracted text".to_owned(),
        columns: [&columns[..], &saving[..]].concat(),
        rows: [vec![Row::paper("as printed", &printed)], Row::compared("a page", &paper, &savings(sizes.map(of_page))).to_vec()].concat(),
        remarks: vec![
            of_lines(pages),
            "Text by the threshold, which the paper does not name; a KB is 1,024 bytes; each file compressed \
             by itself, and savings are of all bytes together."
                .to_owned(),
            "The paper calls its sizes means, but 9,630 KB is no page of 2008, and compression by 4.3 of the \
             HTML and by 1.8 only of the text is that of small files: they are sums over 176 pages, \
             and are divided by 176 here, 54.7 KB a page."
                .to_owned(),
            "Pages are larger than in 2008 for their scripts and styles, and articles are longer; the savings \
             hardly differ."
                .to_owned(),
            "Savings of the paper are computed from its sizes; its text rounds them to 95% and 88%.".to_owned(),
        ],
    }
}

fn figure_5_table(pages: &[PageScores]) -> Table {
    let means = |step: usize| {
        let of = |score: fn(&Scores) -> f64| {
            mean(&pages.iter().map(|page| score(&page.steps[step]) * 100.0).collect::<Vec<_>>())
        };
        [of(|scores| scores.lcs), of(|scores| scores.edr)]
    };
    let rows = |step: usize| {
        let (label, ours) = (format!("{:.1}", coefficient(step)), means(step));
        match step {
            STEP_OF_TABLES => {
                Row::compared(&label, &[Some(TABLE_2[0][0]), Some(TABLE_3[0][0])], &ours).to_vec()
            }
            _ => vec![Row::ours(&label, &ours)],
        }
    };
    Table {
        paper: Paper::TextToTagRatio,
        name: FIGURE_5,
        title: "LCS and EDR against the threshold's coefficient on the standard deviation".to_owned(),
        columns: vec![Column::new("LCS (%)", 2), Column::new("EDR (%)", 2)],
        rows: (0..STEPS).flat_map(rows).collect(),
        remarks: vec![
            of_lines(pages),
            "The paper's figure has no figures to read; those at 1.0 are the means of tables 2 and 3. What it \
             says is that LCS decreases and EDR increases with the coefficient."
                .to_owned(),
            trend(&std::array::from_fn(means)),
        ],
    }
}

fn trend(means: &[[Option<f64>; 2]; STEPS]) -> String {
    let decreases = means.is_sorted_by(|before, after| before[0] >= after[0]);
    let mut best = 0;
    for step in 1..STEPS {
        if means[step][1] > means[best][1] {
            best = step;
        }
    }
    let edr = |step: usize| means[step][1].unwrap_or_default();
    let lcs = if decreases { "LCS decreases at every step" } else { "LCS does not decrease at every step" };
    format!(
        "Here {lcs}; EDR is {:.1} at 0.0, greatest at {:.1} with {:.1}, and {:.1} at 2.0.",
        edr(0),
        coefficient(best),
        edr(best),
        edr(STEPS - 1)
    )
}

#[cfg(test)]
mod tests {
    use crate::methods::text_to_tag_ratio::extract;

    use super::super::pages::made;
    use super::*;

    const TEXT: &str = "A sentence of the text that is rather longer than any link of the menu.";

    fn set() -> (tempfile::TempDir, Dataset) {
        let menu = "<li><a href=/>Link</a>\n".repeat(30);
        let page = |inner: &str| format!("{menu}{inner}{menu}");
        let long = page(&format!("<p>{TEXT}</p>\n").repeat(9));
        let short = page(&format!(
            "<p>{TEXT}</p>\n<ul><li>An item\n<li>Another item\n<li>A third\n</ul>\n<p>{TEXT}\n"
        ));
        let gold = [format!("{TEXT}\n").repeat(9), format!("{TEXT}\nAn item\nAnother item\nA third\n{TEXT}")];
        made::set(&[(&long, Some(&gold[0]), ""), ("<p>z", None, ""), (&short, Some(&gold[1]), "")])
    }

    fn found(tables: &[Table], name: &str, label: &str) -> Vec<Option<f64>> {
        let table = tables.iter().find(|table| table.name == name).unwrap();
        let mut rows = table.rows.iter().filter(|row| row.label == label && row.from == RowSource::Ours);
        rows.next().unwrap().figures.clone()
    }

    #[track_caller]
    fn near(found: Option<f64>, expected: f64) {
        assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} is not {expected}");
    }

    #[test]
    fn figures_are_the_measures_of_the_pages() {
        let (_folder, set) = set();
        let tables = tables(std::slice::from_ref(&set), &|| ()).unwrap();
        let pages: Vec<RecordedPage> = [0, 2].map(|at| set.entries[at].read().unwrap()).into();
        let scores = |params: TextToTagRatioParams| -> Vec<(f64, f64)> {
            let score = |page: &RecordedPage| {
                let (text, gold) = (plain(&extract(&page.source, &params)), page.gold.as_deref().unwrap());
                (
                    subsequence::ratios(&text, gold).recall * 100.0,
                    edit_distance::ratio(&text, gold).unwrap() * 100.0,
                )
            };
            pages.iter().map(score).collect()
        };
        for (at, clustering) in CLUSTERINGS.into_iter().enumerate() {
            let [a, b] = scores(TextToTagRatioParams::with(clustering))[..] else { panic!() };
            for (name, a, b) in [("table 2", a.0, b.0), ("table 3", a.1, b.1)] {
                near(found(&tables, name, "Mean (%)")[at], (a + b) / 2.0);
                near(found(&tables, name, "Median (%)")[at], (a + b) / 2.0);
                near(found(&tables, name, "Std Dev.")[at], (a - b).abs() / 2.0);
                let matches = [a, b].iter().filter(|score| **score >= 100.0).count() as f64;
                near(found(&tables, name, "Matches")[at], matches);
                near(found(&tables, name, "Matches (% of pages)")[at], matches * 50.0);
            }
        }
        for label in ["0.0", "0.3", "1.0", "2.0"] {
            let params = TextToTagRatioParams {
                deviations: label.parse().unwrap(),
                ..TextToTagRatioParams::default()
            };
            let [a, b] = scores(params)[..] else { panic!() };
            let point = found(&tables, FIGURE_5, label);
            near(point[0], (a.0 + b.0) / 2.0);
            near(point[1], (a.1 + b.1) / 2.0);
        }
        assert_ne!(found(&tables, FIGURE_5, "0.0"), found(&tables, FIGURE_5, "2.0"));
    }

    #[test]
    fn pages_whose_lines_are_not_those_of_the_source_are_counted() {
        let menu = "<li><a href=/>Link</a>".repeat(30);
        let cut = format!("{menu}{}{menu}", format!("<p>{TEXT}</p>").repeat(9));
        let (_folder, set) = made::set(&[(&cut, Some(TEXT), ""), (&format!("<p>{TEXT}"), Some(TEXT), "")]);
        let tables = tables(std::slice::from_ref(&set), &|| ()).unwrap();
        let written = TextToTagRatioParams { lines: LineEnds::AsWritten, ..TextToTagRatioParams::default() };
        let lcs = subsequence::ratios(&plain(&extract(&cut, &written)), TEXT).recall;
        let one = subsequence::ratios(&plain(&extract(&format!("<p>{TEXT}"), &written)), TEXT).recall;
        for table in &tables {
            let remark = table.remarks.iter().find(|remark| remark.starts_with("The paper's lines")).unwrap();
            assert!(remark.contains("on the 1 of 2 pages"), "{remark}");
            let mean = format!("mean LCS {:.2} and", 100.0 * f64::midpoint(lcs, one));
            assert!(remark.contains(&mean), "{remark} lacks {mean}");
        }
    }

    #[test]
    fn sizes_are_means_and_savings_those_of_the_sums() {
        let (_folder, set) = set();
        let tables = tables(std::slice::from_ref(&set), &|| ()).unwrap();
        let mut space = Sizes::default();
        for at in [0, 2] {
            let page = set.entries[at].read().unwrap();
            let text = plain(&extract(&page.source, &TextToTagRatioParams::default()));
            space += Sizes { html: Size::from_bytes(&page.bytes), text: Size::from_bytes(text.as_bytes()) };
        }
        let ours = found(&tables, "table 4", "a page");
        near(ours[0], space.html.plain as f64 / 2048.0);
        near(ours[3], space.text.gzip as f64 / 2048.0);
        near(ours[4], space.saving() * 100.0);
        near(ours[5], space.saving_gzip() * 100.0);
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let (_folder, set) = set();
        let sets = [set.clone(), set];
        let on = |threads| made::on_threads(threads, || tables(&sets, &|| ()).unwrap());
        let tables = on(1);
        assert_eq!(tables, on(3));
        let picture = figure_5(&tables).unwrap();
        let points = picture.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(points.split(' ').count(), STEPS);
        assert_eq!(figure_5(&tables[..3]), None);
    }

    #[test]
    fn counts_of_the_paper_have_no_decimals() {
        let table = tables(&[], &|| ()).unwrap().remove(0);
        let cells = table.cells().find(|cells| cells[0] == "Matches").unwrap();
        assert_eq!(cells[1..], ["paper", "34", "43", "35", "25", "22"]);
        assert_eq!(MATCHES_2.map(|count| count.parse::<u32>().unwrap()).iter().sum::<u32>(), 159);
    }

    #[test]
    fn without_pages_there_is_nothing_of_ours() {
        let tables = tables(&[], &|| ()).unwrap();
        let ours = tables.iter().flat_map(|table| &table.rows).filter(|row| row.from == RowSource::Ours);
        assert!(ours.flat_map(|row| &row.figures).all(Option::is_none));
        assert!(figure_5(&tables).is_some());
    }

    #[test]
    fn the_paper_s_figures() {
        let winner = |row: [f64; 5], better: fn(&f64, &f64) -> std::cmp::Ordering| {
            let best = row.iter().copied().max_by(better).unwrap();
            COLUMNS[row.iter().position(|figure| *figure == best).unwrap()].name
        };
        let (most, least) = (f64::total_cmp, |a: &f64, b: &f64| b.total_cmp(a));
        assert_eq!(
            [
                winner(TABLE_2[0], most),
                winner(TABLE_2[1], most),
                winner(TABLE_2[2], least),
                winner(MATCHES_2.map(|count| count.parse().unwrap()), most),
                winner(TABLE_3[0], most),
                winner(TABLE_3[1], most),
                winner(TABLE_3[2], least)
            ],
            ["Thrshld", "EM", "Thrshld", "EM", "Far. First", "Far. First", "Predctn"]
        );
        let sums =
            [TABLE_2, TABLE_3].map(|table| table.map(|row| (row.iter().sum::<f64>() * 100.0).round() as u64));
        assert_eq!(sums, [[44_630, 48_527, 9_437], [27_735, 30_411, 15_927]]);
        let [html, text, html_gzip, text_gzip] = TABLE_4;
        let saving = |html: f64, text: f64| ((1.0 - text / html) * 1000.0).round() / 10.0;
        assert_eq!((saving(html, text), saving(html_gzip, text_gzip)), (94.8, 87.7));
        assert_eq!((html / PAGES * 10.0).round() / 10.0, 54.7);
    }
}
