//! Evaluates the comma score (Posch): punctuation statistics per language, and a comparison of scores.
//!
//! H. Posch: Extracting pure text from web pages. The paper has no table. It reports two findings from
//! unpublished statistics, and announces a comparison. This module computes the statistics and the
//! comparison, with one row per language.
//!
//! `main_content.rs` defines main content. The language of a page is the primary subtag in the manifest. If
//! the manifest has none, it is the primary subtag in the page's `html` element.
//!
//! Limitation: the language that a page states may be that of the site's software. We reconstructed the older
//! score in the comparison from two sentences of the paper.

mod main_content;

use std::collections::BTreeMap;

use crate::methods::comma_score::{self, CommaScoreParams, Position, Punctuation, punctuation};
use gleaner_html::Page;
use gleaner_html::text::plain;

use super::pages::measured;
use super::statistics::mean;
use super::{Column, Paper, Row, Table};
use crate::dataset::{Dataset, DatasetError, PageEntry, RecordedPage};
use crate::measure::Ratios;
use crate::measure::words::WordBag;
use main_content::Sides;

const UNKNOWN: &str = "unknown";

const CHINESE: &str = "zh";

const THOUSAND: f64 = 1000.0;

const NAMED: usize = 3;

const STATISTICS: [Column; 10] = [
    Column::new("pages", 0),
    Column::new("commas, main content", 1),
    Column::new("commas, rest", 1),
    Column::new("full stops, main content", 1),
    Column::new("full stops, rest", 1),
    Column::new("anchor commas, main content", 2),
    Column::new("anchor commas, rest", 2),
    Column::new("anchor full stops, main content", 2),
    Column::new("anchor full stops, rest", 2),
    Column::new("anchor marks in the rest (%)", 1),
];

const COMPARISON: [Column; 9] = [
    Column::new("pages", 0),
    Column::new("comma P", 3),
    Column::new("comma R", 3),
    Column::new("comma F", 3),
    Column::new("full stop P", 3),
    Column::new("full stop R", 3),
    Column::new("full stop F", 3),
    Column::new("comma F less full stop F", 3),
    Column::new("comma F, no position control", 3),
];

/// Measures the tables. Calls `done` after each page with gold text, from any thread. If pages are unreadable,
/// returns the error of the first such page.
pub(super) fn tables(sets: &[Dataset], done: &(dyn Fn() + Sync)) -> Result<Vec<Table>, DatasetError> {
    let mut languages: BTreeMap<String, Language> = BTreeMap::new();
    for set in sets {
        for (language, ratios) in measured(set, done, page_ratios)? {
            languages.entry(language).or_default().add(ratios);
        }
    }
    Ok(vec![statistics(&languages), comparison(&languages)])
}

struct PageRatios {
    sides: Sides,
    comma: Ratios,
    full_stop: Ratios,
    anywhere: Ratios,
}

fn page_ratios(entry: &PageEntry, recorded: &RecordedPage, gold: &str) -> (String, PageRatios) {
    let page = &recorded.page;
    let bag = WordBag::from_text(gold);
    let ratios = |lines| WordBag::from_text(&plain(lines)).against(&bag).ratios();
    let by_commas =
        |position| comma_score::extract(page, &CommaScoreParams { position, ..CommaScoreParams::default() });
    let ratios = PageRatios {
        sides: Sides::new(page, gold),
        comma: ratios(&by_commas(Position::BelowTheBestsParent)),
        full_stop: ratios(&punctuation::extract(page, &punctuation::PunctuationScoreParams::default())),
        anywhere: ratios(&by_commas(Position::Anywhere)),
    };
    (language(entry, page), ratios)
}

fn language(entry: &PageEntry, page: &Page) -> String {
    let said = page.elements("html").find_map(|id| page.attribute(id, "lang")).unwrap_or_default();
    let tag = if entry.lang.is_empty() { said } else { &entry.lang };
    let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
    let is_language = (2..=3).contains(&primary.len()) && primary.bytes().all(|b| b.is_ascii_alphabetic());
    if is_language { primary.to_ascii_lowercase() } else { UNKNOWN.to_owned() }
}

#[derive(Default)]
struct Language {
    sides: Sides,
    comma: Vec<Ratios>,
    full_stop: Vec<Ratios>,
    anywhere: Vec<Ratios>,
}

impl Language {
    fn add(&mut self, page: PageRatios) {
        self.sides.add(&page.sides);
        self.comma.push(page.comma);
        self.full_stop.push(page.full_stop);
        self.anywhere.push(page.anywhere);
    }

    fn together(&mut self, other: &Self) {
        self.sides.add(&other.sides);
        self.comma.extend(&other.comma);
        self.full_stop.extend(&other.full_stop);
        self.anywhere.extend(&other.anywhere);
    }
}

/// Returns the languages in the order of rows. Unknown languages and then Chinese come last.
fn in_order(languages: &BTreeMap<String, Language>) -> Vec<(&str, &Language)> {
    let place = |name: &str| match name {
        CHINESE => 2,
        UNKNOWN => 1,
        _ => 0,
    };
    let mut rows: Vec<(&str, &Language)> = languages.iter().map(|(name, of)| (&**name, of)).collect();
    rows.sort_by_key(|(name, _)| place(name));
    rows
}

fn statistics(languages: &BTreeMap<String, Language>) -> Table {
    let rows = in_order(languages);
    let mut remarks = vec![
        "The paper prints no statistics, only two findings; so no row is the paper's. Rates are a thousand \
         characters without white space; `rest` is what the page shows outside of main content."
            .to_owned(),
        comma_first(&rows),
        anchor_marks(&rows),
    ];
    remarks.extend(rows.iter().map(|(name, language)| frequent(name, &language.sides)));
    Table {
        paper: Paper::CommaScore,
        name: "statistics",
        title: "Punctuation inside and outside of main content".to_owned(),
        columns: STATISTICS.to_vec(),
        rows: rows.iter().map(|(name, language)| Row::ours(name, &rates(language))).collect(),
        remarks,
    }
}

fn rates(language: &Language) -> [Option<f64>; STATISTICS.len()] {
    let Sides { main, rest, .. } = &language.sides;
    let rate = |side: &Punctuation, marks: u64| {
        (side.characters > 0).then(|| marks as f64 * THOUSAND / side.characters as f64)
    };
    [
        Some(language.comma.len() as f64),
        rate(main, main.commas),
        rate(rest, rest.commas),
        rate(main, main.full_stops),
        rate(rest, rest.full_stops),
        rate(main, main.anchor_commas),
        rate(rest, rest.anchor_commas),
        rate(main, main.anchor_full_stops),
        rate(rest, rest.anchor_full_stops),
        language.sides.anchor_marks_in_rest().map(|share| share * 100.0),
    ]
}

fn comma_first(rows: &[(&str, &Language)]) -> String {
    let is_comma = |sides: &Sides| sides.most_frequent().first().is_some_and(|(mark, _)| *mark == ',');
    let latin = rows.iter().filter(|(_, language)| language.sides.is_latin());
    let (holds, fails): (Vec<_>, Vec<_>) = latin.partition(|(_, language)| is_comma(&language.sides));
    let finding = "\"The most frequent punctuation char in main content in Latin languages is comma\"";
    verdict(finding, &holds, &fails)
}

fn verdict(finding: &str, holds: &[&(&str, &Language)], fails: &[&(&str, &Language)]) -> String {
    match (holds, fails) {
        ([], _) => format!("{finding}: does not hold for {}.", names(fails)),
        (_, []) => format!("{finding}: holds for {}.", names(holds)),
        _ => format!("{finding}: holds for {}; not for {}.", names(holds), names(fails)),
    }
}

fn anchor_marks(rows: &[(&str, &Language)]) -> String {
    let share = |language: &Language| language.sides.anchor_marks_in_rest();
    let counted = rows.iter().filter(|(_, language)| share(language).is_some());
    let (holds, fails): (Vec<_>, Vec<_>) =
        counted.partition(|(_, language)| share(language).is_some_and(|share| share > 0.5));
    let finding = "\"Anchor full-stops and anchor commas\" are what \"mostly isn't in main content\"";
    verdict(finding, &holds, &fails)
}

fn names(rows: &[&(&str, &Language)]) -> String {
    let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn frequent(name: &str, sides: &Sides) -> String {
    let characters = sides.main.characters.max(1) as f64;
    let rate = |(mark, count): (char, u64)| format!("{mark} {:.1}", count as f64 * THOUSAND / characters);
    let marks: Vec<String> = sides.most_frequent().into_iter().take(NAMED).map(rate).collect();
    format!("{name}, most frequent in main content: {}.", marks.join("  "))
}

fn comparison(languages: &BTreeMap<String, Language>) -> Table {
    let mut others = Language::default();
    let rows = in_order(languages);
    rows.iter().filter(|(name, _)| *name != CHINESE).for_each(|(_, language)| others.together(language));
    let row = |(name, language): &(&str, &Language)| Row::ours(name, &scores(language));
    let (chinese, latin): (Vec<_>, Vec<_>) = rows.iter().partition(|(name, _)| *name == CHINESE);
    let together = Row::ours("all but Chinese", &scores(&others));
    Table {
        paper: Paper::CommaScore,
        name: "comparison",
        title: "The comma score and the full-stop score that it extends".to_owned(),
        columns: COMPARISON.to_vec(),
        rows: latin.into_iter().map(row).chain([together]).chain(chinese.into_iter().map(row)).collect(),
        remarks: vec![
            "The paper announces this comparison (\"we expect comparable and better results\", in Chinese) \
             and prints no figure; so no row is the paper's, and the dataset it names is not at hand."
                .to_owned(),
            "Word precision, recall and F, means over pages, each page by itself. Both scores count the marks \
             of both scripts; the score that is extended is reconstructed from what Posch says of it."
                .to_owned(),
            "The last column leaves the position control out: where it is above the comma score's F, the \
             control rules out more of the articles (parts that stand beside the best part's parent) than it spares of the rest."
                .to_owned(),
        ],
    }
}

fn scores(language: &Language) -> [Option<f64>; COMPARISON.len()] {
    let of = |pages: &[Ratios], ratio: fn(&Ratios) -> f64| mean(&pages.iter().map(ratio).collect::<Vec<_>>());
    let all = |pages: &[Ratios]| [of(pages, |r| r.precision), of(pages, |r| r.recall), of(pages, |r| r.f1)];
    let (comma, full_stop) = (all(&language.comma), all(&language.full_stop));
    let difference = comma[2].zip(full_stop[2]).map(|(comma, full_stop)| comma - full_stop);
    [
        Some(language.comma.len() as f64),
        comma[0],
        comma[1],
        comma[2],
        full_stop[0],
        full_stop[1],
        full_stop[2],
        difference,
        of(&language.anywhere, |r| r.f1),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::pages::made;
    use super::*;

    const ENGLISH: &str = "On Monday, after a long debate, the council agreed, at last, on a bridge.";
    const CHINESE_TEXT: &str = "大桥今天通车。市长出席了仪式，市民很高兴，天气很好。";

    fn set() -> (tempfile::TempDir, Dataset) {
        let page = |lang: &str, text: &str| {
            format!(
                "<html lang=\"{lang}\"><div><a href=/>Home, News.</a></div><div><div><p>{text}</p></div></div>\
                 <div>Copyright. All rights reserved.</div>"
            )
        };
        let pages =
            [page("en-US", ENGLISH), page("en", CHINESE_TEXT), page("x", ENGLISH), page("vi", ENGLISH)];
        made::set(&[
            (&pages[0], Some(ENGLISH), ""),
            (&pages[1], Some(CHINESE_TEXT), "zh_TW"),
            (&pages[2], Some(ENGLISH), ""),
            (&pages[3], Some(ENGLISH), "EN"),
            ("<p>z", None, "pl"),
        ])
    }

    fn row<'a>(table: &'a Table, label: &str) -> &'a [Option<f64>] {
        &table.rows.iter().find(|row| row.label == label).unwrap().figures
    }

    #[test]
    fn rows_are_languages_and_chinese_stands_apart() {
        let (_folder, set) = set();
        let tables = tables(std::slice::from_ref(&set), &|| ()).unwrap();
        let labels = |table: &Table| table.rows.iter().map(|row| row.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels(&tables[0]), ["en", UNKNOWN, CHINESE]);
        assert_eq!(labels(&tables[1]), ["en", UNKNOWN, "all but Chinese", CHINESE]);
        let pages = |label| row(&tables[1], label)[0];
        assert_eq!(["en", "all but Chinese", CHINESE].map(pages), [Some(2.0), Some(3.0), Some(1.0)]);
    }

    #[test]
    fn statistics_are_rates_of_the_sides() {
        let (_folder, set) = set();
        let tables = tables(std::slice::from_ref(&set), &|| ()).unwrap();
        let characters = ENGLISH.chars().filter(|c| !c.is_whitespace()).count() as f64;
        let en = row(&tables[0], "en");
        assert_eq!((en[1], en[3]), (Some(4000.0 / characters), Some(1000.0 / characters)));
        let rest = 10.0 + 28.0;
        assert_eq!((en[2], en[4]), (Some(1000.0 / rest), Some(3000.0 / rest)));
        assert_eq!(en[5..], [Some(0.0), Some(1000.0 / rest), Some(0.0), Some(1000.0 / rest), Some(100.0)]);
        assert_eq!(row(&tables[0], CHINESE)[1], Some(2000.0 / 26.0));
        let remarks = tables[0].remarks.join("\n");
        assert!(remarks.contains("comma\": holds for en, unknown."), "{remarks}");
        assert!(remarks.contains("holds for en, unknown, zh."), "{remarks}");
        assert!(remarks.contains("zh, most frequent in main content: 。 76.9  ， 76.9."), "{remarks}");
    }

    #[test]
    fn scores_are_the_measures_of_the_pages() {
        let (_folder, set) = set();
        let tables = tables(std::slice::from_ref(&set), &|| ()).unwrap();
        let page = set.entries[1].read().unwrap().page;
        let of = |lines: &[gleaner_html::text::Line]| {
            WordBag::from_text(&plain(lines)).against(&WordBag::from_text(CHINESE_TEXT)).ratios()
        };
        let comma = of(&comma_score::extract(&page, &CommaScoreParams::default()));
        let full_stop = of(&punctuation::extract(&page, &punctuation::PunctuationScoreParams::default()));
        let found = row(&tables[1], CHINESE);
        assert_eq!(found[1..4], [comma.precision, comma.recall, comma.f1].map(Some));
        assert_eq!(found[4..7], [full_stop.precision, full_stop.recall, full_stop.f1].map(Some));
        assert_eq!(found[7], Some(comma.f1 - full_stop.f1));
        assert!(comma.f1 > full_stop.f1, "{comma:?} {full_stop:?}");
    }

    #[test]
    fn the_same_on_any_number_of_threads() {
        let (_folder, set) = set();
        let sets = [set.clone(), set];
        let on = |threads| made::on_threads(threads, || tables(&sets, &|| ()).unwrap());
        assert_eq!(on(1), on(3));
        assert!(tables(&[], &|| ()).unwrap()[0].rows.is_empty());
    }
}
