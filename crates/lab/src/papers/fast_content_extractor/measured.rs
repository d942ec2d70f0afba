//! Measures a site page by page: blocks, F and time of both methods.
//!
//! Blocks are split at the tags that the papers name. F is also measured with our default block tags.
//!
//! Limitation: on a busy machine, even the minimum of three runs is too high. The pages of a fold are
//! processed one after another, so more data is in the processor's caches than in a crawl.

use std::collections::{BTreeSet, HashSet};

use gleaner_extract::site_methods::content_extractor::{self, Search};
use gleaner_extract::site_methods::fast_content_extractor::{self, Template};
use gleaner_html::Page;
use gleaner_html::text::{Line, plain};
use rayon::prelude::*;

use crate::dataset::{Dataset, DatasetError, PageEntry, RecordedPage};
use crate::folds::{FOLDS, KEPT, training_pages};
use crate::measure::blocks;
use crate::measure::words::WordBag;
use crate::papers::clock::seconds;
use crate::papers::statistics::mean;
use crate::parallel::in_order;

/// Maximum number of pages of a site that are timed. These are the first pages with gold text.
pub(super) const TIMED: usize = 100;

pub(super) const RUNS: usize = 3;

struct Both {
    /// ContentExtractor with an index. The result is the same as if all pairs were compared.
    ce: content_extractor::SiteBlocks,
    template: Template,
}

impl Both {
    fn learn(
        pages: &[&Page],
        ce: content_extractor::ContentExtractorParams,
        fast: &fast_content_extractor::FastContentExtractorParams,
    ) -> Self {
        let ce = content_extractor::ContentExtractorParams { search: Search::Indexed, ..ce };
        Self {
            ce: content_extractor::SiteBlocks::new(pages, &ce),
            template: fast_content_extractor::prepare(pages, fast),
        }
    }

    fn sides(&self, page: &Page, gold: &str) -> [Side; 2] {
        let ce = self.ce.find(page);
        let (blocks, lines) = (self.template.find(page).blocks, self.template.detect(page));
        [
            Side::new(self.ce.num_block_temp(), ce.blocks, &ce.lines(), gold),
            Side::new(self.template.num_block_temp(), blocks, &lines, gold),
        ]
    }
}

struct Fold {
    training_pages: usize,
    /// `named`, `all_pairs` and `only_temp` use the block tags that the papers name.
    named: Both,
    all_pairs: content_extractor::SiteBlocks,
    /// The distinct non-content blocks, as one page. The paper's times seem to come from this variant.
    only_temp: content_extractor::SiteBlocks,
    by_default: Both,
}

impl Fold {
    fn learn(kept: &[RecordedPage], fold: usize) -> Self {
        let pages: Vec<&Page> = training_pages(kept.len(), fold).map(|at| &kept[at].page).collect();
        let fast = fast_content_extractor::FastContentExtractorParams::of_the_paper();
        let named = Both::learn(&pages, content_extractor::ContentExtractorParams::of_the_paper(), &fast);
        let repeated = Page::parse(&non_content(&named.ce, &pages));
        Self {
            training_pages: pages.len(),
            named,
            all_pairs: content_extractor::SiteBlocks::new(&pages, &params(Search::Exhaustive)),
            only_temp: content_extractor::SiteBlocks::new(&[repeated], &params(Search::Exhaustive)),
            by_default: Both::learn(&pages, Default::default(), &Default::default()),
        }
    }
}

fn params(search: Search) -> content_extractor::ContentExtractorParams {
    content_extractor::ContentExtractorParams {
        search,
        ..content_extractor::ContentExtractorParams::of_the_paper()
    }
}

/// Returns a page with all distinct texts that `ContentExtractor` removes from the pages of a site.
fn non_content(site: &content_extractor::SiteBlocks, pages: &[&Page]) -> String {
    let none: [&Page; 0] = [];
    let alone = content_extractor::SiteBlocks::new(&none, &params(Search::Indexed));
    let mut repeated = BTreeSet::new();
    for (number, page) in pages.iter().enumerate() {
        let content: HashSet<String> =
            site.find_without(number, page).lines().into_iter().map(|line| line.text).collect();
        let all = alone.extract(page).into_iter().map(|line| line.text);
        repeated.extend(all.filter(|text| !content.contains(text)));
    }
    let escaped = |text: &String| text.replace('&', "&amp;").replace('<', "&lt;");
    repeated.iter().map(|text| format!("<p>{}</p>", escaped(text))).collect()
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Side {
    pub(super) num_block_temp: f64,
    pub(super) num_block: f64,
    pub(super) block_f: f64,
    pub(super) word_f: f64,
}

impl Side {
    fn new(num_block_temp: usize, num_block: usize, lines: &[Line], gold: &str) -> Self {
        let text = plain(lines);
        Self {
            num_block_temp: num_block_temp as f64,
            num_block: num_block as f64,
            block_f: blocks::ratios(&text, gold).f1,
            word_f: WordBag::from_text(&text).against(&WordBag::from_text(gold)).ratios().f1,
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

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) all_pairs: f64,
    pub(super) only_temp: f64,
    pub(super) indexed: f64,
    pub(super) fast: f64,
}

impl Times {
    fn new(fold: &Fold, page: &Page) -> Self {
        Self {
            all_pairs: seconds(RUNS, || fold.all_pairs.extract(page)),
            only_temp: seconds(RUNS, || fold.only_temp.extract(page)),
            indexed: seconds(RUNS, || fold.named.ce.extract(page)),
            fast: seconds(RUNS, || fold.named.template.detect(page)),
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

fn mean_of<T>(all: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    mean(&all.iter().map(figure).collect::<Vec<_>>()).unwrap_or_default()
}

pub(super) struct SiteFigures {
    pub(super) name: String,
    /// The smallest number of training pages in any fold.
    pub(super) training_pages: usize,
    /// ContentExtractor and FastContentExtractor with the block tags that the papers name.
    pub(super) named: [Side; 2],
    pub(super) by_default: [Side; 2],
    pub(super) times: Times,
}

/// Measures a set. Returns `None` if the gold texts have no words.
pub(super) fn measure(set: &Dataset, done: &(dyn Fn() + Sync)) -> Result<Option<SiteFigures>, DatasetError> {
    let kept = in_order(set.entries.par_iter().take(KEPT).map(PageEntry::read))?;
    let folds: Vec<Fold> = (0..FOLDS).into_par_iter().map(|fold| Fold::learn(&kept, fold)).collect();
    let with_gold = set.entries.par_iter().enumerate().filter(|(_, entry)| entry.gold.is_some());
    let scored = with_gold.map(|(at, entry)| {
        Ok((at, with_page(kept.get(at), entry, |recorded| sides(&folds[at % FOLDS], recorded))?))
    });
    let scored: Vec<(usize, Option<Sides>)> = in_order(scored)?;
    let mut times = Vec::new();
    for (at, sides) in &scored {
        if sides.is_some() && times.len() < TIMED {
            let time = |recorded: &RecordedPage| Times::new(&folds[at % FOLDS], &recorded.page);
            times.push(with_page(kept.get(*at), &set.entries[*at], time)?);
        }
        done();
    }
    let all: Vec<Sides> = scored.into_iter().filter_map(|(_, sides)| sides).collect();
    let mean = |side: fn(&Sides) -> Side| Side::mean(&all.iter().map(side).collect::<Vec<_>>());
    Ok((!all.is_empty()).then(|| SiteFigures {
        name: set.name.clone(),
        training_pages: folds.iter().map(|fold| fold.training_pages).min().unwrap_or_default(),
        named: [mean(|sides| sides.named[0]), mean(|sides| sides.named[1])],
        by_default: [mean(|sides| sides.by_default[0]), mean(|sides| sides.by_default[1])],
        times: Times::mean(&times),
    }))
}

fn with_page<T>(
    kept: Option<&RecordedPage>,
    entry: &PageEntry,
    look: impl FnOnce(&RecordedPage) -> T,
) -> Result<T, DatasetError> {
    Ok(match kept {
        Some(recorded) => look(recorded),
        None => look(&entry.read()?),
    })
}

struct Sides {
    named: [Side; 2],
    by_default: [Side; 2],
}

/// Measures both methods. Returns `None` if the gold text has no words.
fn sides(fold: &Fold, recorded: &RecordedPage) -> Option<Sides> {
    let gold = recorded.gold.as_deref().filter(|gold| WordBag::from_text(gold).total() > 0)?;
    let of = |both: &Both| both.sides(&recorded.page, gold);
    Some(Sides { named: of(&fold.named), by_default: of(&fold.by_default) })
}
