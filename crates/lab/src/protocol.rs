//! Defines the pages that a method may learn from, and runs the evaluation.
//!
//! With `template`, each set is divided into five folds. Page k of the manifest is in fold k mod 5, including
//! pages without gold text. For each fold, a template is learned from the first pages in the manifest that
//! are in other folds, at most 30. Therefore each page is scored once, with a template that was learned
//! without this page. With `cold`, each page is scored without other pages.
//!
//! Each page is decoded and parsed once for all methods. Memory contains one page per thread, and the first
//! 38 pages of a set, which include the 30 training pages of every fold. Sets are processed one after another.
//! The scores do not depend on the number of threads, but times do.
//!
//! An unreadable page is neither scored nor used for training, and is listed at the end. The other pages are
//! still scored.
//!
//! Limitation: a set with several sites is treated as if it were one site. A small set does not use all
//! threads.

use std::num::NonZeroUsize;

use gleaner_extract::block_model::{self, Forest};
use gleaner_extract::template::LearnedTemplates;
use gleaner_html::Page;
use rayon::prelude::*;

use crate::Measure;
use crate::dataset::{Dataset, DatasetError, PageEntry, RecordedPage};
use crate::folds::{FOLDS, KEPT, training_pages};
use crate::parallel::{pool, split_results};
use crate::score::{PageScore, score_page};
use crate::training::{CrossValidated, TrainingSet, boosting};
use gleaner_corpus::Method;

const NEEDED: usize = 2;

/// Which pages a method may learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The other pages of the same set, in five folds.
    Template,
    /// No other pages.
    Cold,
}

impl Protocol {
    /// Returns the protocol's name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Cold => "cold",
        }
    }

    /// Whether the protocol provides the pages that the method needs.
    #[must_use]
    pub fn allows(self, method: Method) -> bool {
        self.learns() || !method.needs_site()
    }

    fn learns(self) -> bool {
        self == Self::Template
    }
}

/// An evaluation to run over the sets.
#[derive(Debug, Clone)]
pub struct EvalTask {
    /// Which pages the methods may learn from.
    pub protocol: Protocol,
    /// The methods, in the order of the report.
    pub methods: Vec<Method>,
    /// The measures to compute in addition to the word measure.
    pub measures: Vec<Measure>,
    /// If `true`, each page is scored with a block model that was trained without the page's site. If `false`,
    /// the built-in model is used.
    pub cross_validate: bool,
    /// The number of threads, at most [`PER_CORE`](crate::PER_CORE) per core. `None` means one per core.
    pub threads: Option<NonZeroUsize>,
}

/// The scores of an evaluation.
#[derive(Debug, Clone)]
pub struct EvalRun {
    /// Which pages the methods could learn from.
    pub protocol: Protocol,
    /// The scores of each set, in the order of the sets. Sets without gold text are omitted.
    pub sets: Vec<DatasetScores>,
    /// Warnings, and notes on omitted parts. Each is one sentence.
    pub remarks: Vec<String>,
    /// One sentence with the reason for each page that could not be read and was therefore not scored.
    pub unread: Vec<String>,
}

/// The scores of one set.
#[derive(Debug, Clone)]
pub struct DatasetScores {
    /// The set's name.
    pub name: String,
    /// Each method with its scores. Every readable page with gold text has a score, in the order of the
    /// manifest.
    pub methods: Vec<(Method, Vec<PageScore>)>,
}

/// Runs the evaluation `task` on `sets`. Calls `done` after each page with gold text, from any thread.
///
/// # Errors
/// No page has gold text, all pages with gold text are unreadable, or the threads cannot be started. With
/// `cross_validate`, an unreadable page is an error if the training of the block models needs it.
pub fn run(sets: &[Dataset], task: &EvalTask, done: &(dyn Fn() + Sync)) -> Result<EvalRun, DatasetError> {
    let (scored, mut remarks) = scope(sets, task);
    if scored.is_empty() {
        return Err(DatasetError::no_gold(sets));
    }
    let methods: Vec<Method> = task.methods.iter().copied().filter(|&m| task.protocol.allows(m)).collect();
    let scored: Vec<(DatasetScores, Vec<DatasetError>)> = pool(task.threads)?.install(|| {
        let models = if task.cross_validate {
            TrainingSet::read(sets, &|| {})?.cross_validate(FOLDS, &boosting::BoostingParams::default())
        } else {
            CrossValidated::default()
        };
        Ok::<_, DatasetError>(scored.iter().map(|set| one_set(set, task, &methods, &models, done)).collect())
    })?;
    let (sets, unread): (Vec<DatasetScores>, Vec<Vec<DatasetError>>) = scored.into_iter().unzip();
    let unread: Vec<DatasetError> = unread.into_iter().flatten().collect();
    if !methods.is_empty() && sets.iter().all(DatasetScores::is_empty) {
        return Err(DatasetError::all(unread));
    }
    remarks.extend(sets.iter().flat_map(DatasetScores::remarks));
    Ok(EvalRun {
        protocol: task.protocol,
        sets,
        remarks,
        unread: unread.iter().map(DatasetError::to_string).collect(),
    })
}

fn pages(count: usize) -> String {
    if count == 1 { "1 page".to_owned() } else { format!("{count} pages") }
}

impl DatasetScores {
    fn is_empty(&self) -> bool {
        self.methods.iter().all(|(_, pages)| pages.is_empty())
    }

    fn remarks(&self) -> Vec<String> {
        let name = &self.name;
        let count = |pages: &[PageScore], of: fn(&PageScore) -> bool| pages.iter().filter(|p| of(p)).count();
        let mut remarks = Vec::new();
        let bare = self.methods.first().map_or(0, |(_, pages)| count(pages, |page| page.words.gold == 0));
        if bare > 0 {
            remarks.push(format!("{name}: F1 is 0 on {}, whose gold text has no word", pages(bare)));
        }
        for (method, scores) in &self.methods {
            let given_up = count(scores, |page| page.edit_distance_ratio == Some(None));
            if given_up > 0 {
                remarks.push(format!(
                    "{name}, {method}: the edit distance is not measured on {}, too long and too unlike the \
                     gold; the mean is that of the others",
                    pages(given_up)
                ));
            }
        }
        remarks
    }
}

fn model<'a>(models: &'a CrossValidated, entry: &PageEntry) -> &'a Forest {
    models.model_for(&entry.site).unwrap_or_else(|| block_model::built_in())
}

fn scope<'a>(sets: &'a [Dataset], task: &EvalTask) -> (Vec<&'a Dataset>, Vec<String>) {
    let mut remarks = Vec::new();
    for method in task.methods.iter().filter(|&&method| !task.protocol.allows(method)) {
        remarks.push(format!("{method} is left out: it needs pages of a site (--protocol template)"));
    }
    let (scored, bare): (Vec<&Dataset>, Vec<&Dataset>) = sets.iter().partition(|set| set.with_gold() > 0);
    remarks.extend(bare.iter().map(|set| {
        let of_none = if set.entries.is_empty() {
            "its manifest names no page"
        } else {
            "none of its pages has gold text"
        };
        format!("{} is left out: {of_none}", set.name)
    }));
    for set in scored.iter().filter(|set| task.protocol.learns() && set.entries.len() <= NEEDED) {
        remarks.push(format!(
            "{} has {}: too few to learn from, as each is scored by what at least {NEEDED} others teach",
            set.name,
            pages(set.entries.len())
        ));
    }
    for set in scored.iter().filter(|set| task.protocol.learns() && set.sites() > 1) {
        remarks.push(format!(
            "{} has pages of {} sites and is learned as if it were one",
            set.name,
            set.sites()
        ));
    }
    (scored, remarks)
}

fn one_set(
    set: &Dataset,
    task: &EvalTask,
    methods: &[Method],
    models: &CrossValidated,
    done: &(dyn Fn() + Sync),
) -> (DatasetScores, Vec<DatasetError>) {
    let learns = task.protocol.learns() && methods.iter().any(|method| method.uses_site());
    let kept = set.entries.par_iter().take(if learns { KEPT } else { 0 }).map(PageEntry::read);
    let (kept, mut unread) = split_results(kept.collect());
    let learned: Vec<LearnedTemplates> =
        (0..FOLDS).into_par_iter().map(|fold| learn(set, methods, models, &kept, fold)).collect();
    let score = |(at, entry): (usize, &PageEntry)| {
        let score = |recorded: &RecordedPage| {
            score_page(
                &entry.html,
                recorded,
                methods,
                &learned[at % FOLDS],
                model(models, entry),
                &task.measures,
            )
        };
        let scores = match kept.get(at) {
            Some(recorded) => Ok(recorded.as_ref().map(score)),
            None => entry.read().map(|recorded| Some(score(&recorded))),
        };
        done();
        scores
    };
    let with_gold = set.entries.par_iter().enumerate().filter(|(_, entry)| entry.gold.is_some());
    let (pages, others) = split_results(with_gold.map(score).collect());
    unread.extend(others);
    let pages: Vec<Vec<PageScore>> = pages.into_iter().flatten().flatten().collect();
    let of = |at: usize| pages.iter().filter_map(|page| page.get(at).cloned()).collect();
    let methods = methods.iter().enumerate().map(|(at, &method)| (method, of(at))).collect();
    (DatasetScores { name: set.name.clone(), methods }, unread)
}

fn learn(
    set: &Dataset,
    methods: &[Method],
    models: &CrossValidated,
    kept: &[Option<RecordedPage>],
    fold: usize,
) -> LearnedTemplates {
    if kept.is_empty() {
        return LearnedTemplates::default();
    }
    let page = |at: usize| Some((set.entries[at].url.as_str(), &kept[at].as_ref()?.page));
    let pages: Vec<(&str, &Page)> = training_pages(kept.len(), fold).filter_map(page).collect();
    let first = set.entries.first().expect("a set with pages that were kept has entries");
    LearnedTemplates::from_pages(methods, model(models, first), &first.site, &pages)
}
