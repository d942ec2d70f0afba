//! What is measured of a site: blocks, F and time of both methods, page by page.
//!
//! The awkward truth: the least of three runs on a busy machine is still not its best,
//! and a fold's pages follow one another, so that caches are warm as in no crawl.

use std::collections::{BTreeSet, HashSet};
use std::hint::black_box;
use std::time::{Duration, Instant};

use gleaner_extract::content_extractor::{self, Search};
use gleaner_extract::fast_content_extractor::{self, Template};
use gleaner_html::Page;
use gleaner_html::text::{Line, plain};
use rayon::prelude::*;

use crate::measure::blocks;
use crate::measure::words::Bag;
use crate::papers::statistics::mean;
use crate::protocol::{FOLDS, KEPT, in_order, teachers};
use crate::set::{Entry, Recorded, Set, SetError};

/// Pages of a site that are timed at most, the first with gold.
pub(super) const TIMED: usize = 100;

/// Runs of which the fastest counts.
pub(super) const RUNS: usize = 3;

/// What is known to a fold's pages.
struct Fold {
    teachers: usize,
    /// All pairs, as published.
    all_pairs: content_extractor::Site,
    /// The same answer by an index.
    indexed: content_extractor::Site,
    /// The distinct non-content blocks alone, as one page: what the paper's table seems to time.
    only_temp: content_extractor::Site,
    num_block_temp: usize,
    template: Template,
}

impl Fold {
    fn learn(kept: &[Recorded], fold: usize) -> Self {
        let pages: Vec<&Page> = teachers(kept.len(), fold).map(|at| &kept[at].page).collect();
        let indexed = content_extractor::Site::of(&pages, &params(Search::Indexed));
        let repeated = Page::parse(&non_content(&indexed, &pages));
        Self {
            teachers: pages.len(),
            all_pairs: content_extractor::Site::of(&pages, &params(Search::Exhaustive)),
            only_temp: content_extractor::Site::of(&[repeated], &params(Search::Exhaustive)),
            num_block_temp: indexed.num_block_temp(),
            indexed,
            template: fast_content_extractor::prepare(&pages, &fast_content_extractor::Params::default()),
        }
    }
}

fn params(search: Search) -> content_extractor::Params {
    content_extractor::Params { search, ..Default::default() }
}

/// A page of all texts that `ContentExtractor` takes out of a site's pages, each once.
fn non_content(site: &content_extractor::Site, pages: &[&Page]) -> String {
    let none: [&Page; 0] = [];
    let alone = content_extractor::Site::of(&none, &params(Search::Indexed));
    let mut repeated = BTreeSet::new();
    for (number, page) in pages.iter().enumerate() {
        let content: HashSet<String> =
            site.find_without(number, page).lines.into_iter().map(|line| line.text).collect();
        let all = alone.extract(page).into_iter().map(|line| line.text);
        repeated.extend(all.filter(|text| !content.contains(text)));
    }
    let escaped = |text: &String| text.replace('&', "&amp;").replace('<', "&lt;");
    repeated.iter().map(|text| format!("<p>{}</p>", escaped(text))).collect()
}

/// What was counted and scored of one method.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Side {
    pub(super) num_block_temp: f64,
    pub(super) num_block: f64,
    pub(super) block_f: f64,
    pub(super) word_f: f64,
}

impl Side {
    fn of(num_block_temp: usize, num_block: usize, lines: &[Line], gold: &str) -> Self {
        let text = plain(lines);
        Self {
            num_block_temp: num_block_temp as f64,
            num_block: num_block as f64,
            block_f: blocks::ratios(&text, gold).f1,
            word_f: Bag::of(&text).against(&Bag::of(gold)).ratios().f1,
        }
    }

    fn mean(sides: &[Self]) -> Self {
        let mean_of = |figure: fn(&Self) -> f64| mean_of(sides, figure);
        Self {
            num_block_temp: mean_of(|side| side.num_block_temp),
            num_block: mean_of(|side| side.num_block),
            block_f: mean_of(|side| side.block_f),
            word_f: mean_of(|side| side.word_f),
        }
    }
}

/// Milliseconds a page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) all_pairs: f64,
    pub(super) only_temp: f64,
    pub(super) indexed: f64,
    pub(super) fast: f64,
}

impl Times {
    fn of(fold: &Fold, page: &Page) -> Self {
        Self {
            all_pairs: milliseconds(|| fold.all_pairs.extract(page)),
            only_temp: milliseconds(|| fold.only_temp.extract(page)),
            indexed: milliseconds(|| fold.indexed.extract(page)),
            fast: milliseconds(|| fold.template.detect(page)),
        }
    }

    fn mean(times: &[Self]) -> Self {
        let mean_of = |figure: fn(&Self) -> f64| mean_of(times, figure);
        Self {
            all_pairs: mean_of(|time| time.all_pairs),
            only_temp: mean_of(|time| time.only_temp),
            indexed: mean_of(|time| time.indexed),
            fast: mean_of(|time| time.fast),
        }
    }
}

/// The mean of one figure; 0 of nothing.
fn mean_of<T>(all: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    mean(&all.iter().map(figure).collect::<Vec<_>>()).unwrap_or_default()
}

fn milliseconds(extract: impl Fn() -> Vec<Line>) -> f64 {
    let run = |_| {
        let start = Instant::now();
        black_box(extract());
        start.elapsed()
    };
    (0..RUNS).map(run).min().unwrap_or(Duration::ZERO).as_secs_f64() * 1e3
}

/// A site's row, still in parts.
pub(super) struct OfSite {
    pub(super) name: String,
    /// Pages that the poorest fold learned from.
    pub(super) teachers: usize,
    pub(super) ce: Side,
    pub(super) fast: Side,
    pub(super) times: Times,
}

/// Measures a set; `None` where none of its pages has a word of gold.
pub(super) fn measure(set: &Set, done: &(dyn Fn() + Sync)) -> Result<Option<OfSite>, SetError> {
    let kept = in_order(set.entries.par_iter().take(KEPT).map(Entry::read))?;
    let folds: Vec<Fold> = (0..FOLDS).into_par_iter().map(|fold| Fold::learn(&kept, fold)).collect();
    let with_gold = set.entries.par_iter().enumerate().filter(|(_, entry)| entry.gold.is_some());
    let scored = with_gold.map(|(at, entry)| {
        Ok((at, with_page(kept.get(at), entry, |recorded| sides(&folds[at % FOLDS], recorded))?))
    });
    let scored: Vec<(usize, Option<(Side, Side)>)> = in_order(scored)?;
    let mut times = Vec::new();
    for (at, sides) in &scored {
        if sides.is_some() && times.len() < TIMED {
            let time = |recorded: &Recorded| Times::of(&folds[at % FOLDS], &recorded.page);
            times.push(with_page(kept.get(*at), &set.entries[*at], time)?);
        }
        done();
    }
    let (ce, fast): (Vec<Side>, Vec<Side>) = scored.into_iter().filter_map(|(_, sides)| sides).unzip();
    Ok((!ce.is_empty()).then(|| OfSite {
        name: set.name.clone(),
        teachers: folds.iter().map(|fold| fold.teachers).min().unwrap_or_default(),
        ce: Side::mean(&ce),
        fast: Side::mean(&fast),
        times: Times::mean(&times),
    }))
}

/// Hands over a page that is in memory or else is read now.
fn with_page<T>(
    kept: Option<&Recorded>,
    entry: &Entry,
    look: impl FnOnce(&Recorded) -> T,
) -> Result<T, SetError> {
    Ok(match kept {
        Some(recorded) => look(recorded),
        None => look(&entry.read()?),
    })
}

/// Both methods on a page; `None` where the gold has no word.
fn sides(fold: &Fold, recorded: &Recorded) -> Option<(Side, Side)> {
    let gold = recorded.gold.as_deref().filter(|gold| Bag::of(gold).total() > 0)?;
    let ce = fold.indexed.find(&recorded.page);
    let blocks = fold.template.find(&recorded.page).blocks;
    let lines = fold.template.detect(&recorded.page);
    Some((
        Side::of(fold.num_block_temp, ce.blocks, &ce.lines, gold),
        Side::of(fold.template.num_block_temp(), blocks, &lines, gold),
    ))
}
