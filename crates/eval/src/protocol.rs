//! From which pages a method may learn before it extracts a page, and the run itself.
//!
//! `template`: five folds a set, page k of the manifest in fold k mod 5, pages without
//! gold counted. A fold's pages are scored with what was learned from the raw pages of
//! the other folds, at most 30 of them, the first in the order of the manifest: each
//! page once, by a template that never saw it. `cold`: each page by itself.
//!
//! Each page is decoded and parsed once for all methods. What is in memory is the
//! pages that are learned from (38 of a set at most) and one page a thread; sets follow
//! one another. The scores are the same for any number of threads; times are not.
//!
//! The awkward truth: a set of many sites is learned as if it were one, and with few
//! pages a set keeps fewer threads busy than there are.

use std::num::NonZeroUsize;
use std::thread;

use gleaner_extract::block_model::{self, Forest};
use gleaner_html::Page;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::score::{PageScore, score_page};
use crate::set::{Entry, Recorded, Set, SetError};
use crate::training::{CrossValidated, Lessons, boosting};
use crate::{Learned, Measure, Method};

/// Folds of a set.
pub(crate) const FOLDS: usize = 5;

/// Pages that are learned from at most.
pub(crate) const TEACHERS: usize = 30;

/// So many pages at a set's start hold the teachers of every fold: 30 and those of one
/// fold among them.
pub(crate) const KEPT: usize = 38;

/// Threads that are started a core at most: more would only wait for each other, and
/// keep all else on the machine waiting.
pub const PER_CORE: usize = 4;

/// What may be learned before a page is extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Other pages of the same set, in five folds.
    Template,
    /// Nothing.
    Cold,
}

impl Protocol {
    /// The name that is typed and printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Cold => "cold",
        }
    }

    fn learns(self) -> bool {
        self == Self::Template
    }
}

/// What is to be run over the sets.
#[derive(Debug, Clone)]
pub struct Task {
    /// What may be learned.
    pub protocol: Protocol,
    /// What extracts, in the order of the report.
    pub methods: Vec<Method>,
    /// What is measured besides words.
    pub measures: Vec<Measure>,
    /// Judge each page by a block model that has seen no page of its site, instead of
    /// by the built-in one.
    pub cross_validate: bool,
    /// Threads, of which at most [`PER_CORE`] a core are started; `None` for one a core.
    pub threads: Option<NonZeroUsize>,
}

/// A run's scores.
#[derive(Debug, Clone)]
pub struct Run {
    /// What could be learned.
    pub protocol: Protocol,
    /// A set's scores, in the order of the sets; those without any gold are left out.
    pub sets: Vec<SetScores>,
    /// What was left out or is to be taken with care, a sentence each.
    pub remarks: Vec<String>,
}

/// The scores of one set.
#[derive(Debug, Clone)]
pub struct SetScores {
    /// The set's name.
    pub name: String,
    /// The scores of a method's pages, in the order of the manifest. Every method has
    /// the same pages: those with a word of gold.
    pub methods: Vec<(Method, Vec<PageScore>)>,
}

/// Runs methods over sets. `done` is called after each page with gold, from any thread.
///
/// # Errors
/// [`SetError`]: the first page in the order of sets and manifests that cannot be read;
/// or no page has gold.
pub fn run(sets: &[Set], task: &Task, done: &(dyn Fn() + Sync)) -> Result<Run, SetError> {
    let (scored, remarks) = scope(sets, task);
    if scored.is_empty() {
        let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        return Err(SetError::NoGold { names: names.join(", ") });
    }
    let methods: Vec<Method> = task.methods.iter().copied().filter(|&m| takes_part(m, task)).collect();
    let sets = pool(task.threads)?.install(|| {
        let models = if task.cross_validate {
            Lessons::read(sets, &|| {})?.cross_validate(FOLDS, &boosting::Params::default())
        } else {
            CrossValidated::default()
        };
        let one = |set: &&Set| one_set(set, task, &methods, &models, done);
        scored.iter().map(one).collect::<Result<Vec<_>, _>>()
    })?;
    Ok(Run { protocol: task.protocol, sets, remarks })
}

/// The threads of a run.
pub(crate) fn pool(asked: Option<NonZeroUsize>) -> Result<ThreadPool, SetError> {
    let threads = threads(asked, thread::available_parallelism().map_or(1, NonZeroUsize::get));
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| SetError::Threads { threads, error })
}

/// How many threads are started on a machine of so many cores.
fn threads(asked: Option<NonZeroUsize>, cores: usize) -> usize {
    asked.map_or(cores, NonZeroUsize::get).min(cores.saturating_mul(PER_CORE))
}

/// The model for pages of a site: one that has not seen it, else the built-in one.
fn model<'a>(models: &'a CrossValidated, entry: &Entry) -> &'a Forest {
    models.of(&entry.site).unwrap_or_else(|| block_model::built_in())
}

fn takes_part(method: Method, task: &Task) -> bool {
    task.protocol.learns() || !method.needs_site()
}

/// The sets that can be scored, and what is to be said about the others and the methods.
fn scope<'a>(sets: &'a [Set], task: &Task) -> (Vec<&'a Set>, Vec<String>) {
    let mut remarks = Vec::new();
    for method in task.methods.iter().filter(|&&method| !takes_part(method, task)) {
        remarks.push(format!("{method} is left out: it needs pages of a site (--protocol template)"));
    }
    let (scored, bare): (Vec<&Set>, Vec<&Set>) = sets.iter().partition(|set| set.with_gold() > 0);
    remarks
        .extend(bare.iter().map(|set| format!("{} is left out: none of its pages has gold text", set.name)));
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
    set: &Set,
    task: &Task,
    methods: &[Method],
    models: &CrossValidated,
    done: &(dyn Fn() + Sync),
) -> Result<SetScores, SetError> {
    let learns = task.protocol.learns() && methods.iter().any(|method| method.uses_site());
    let kept = in_order(set.entries.par_iter().take(if learns { KEPT } else { 0 }).map(Entry::read))?;
    let learned: Vec<Learned> =
        (0..FOLDS).into_par_iter().map(|fold| learn(set, methods, models, &kept, fold)).collect();
    let score = |(at, entry): (usize, &Entry)| {
        let score = |recorded: &Recorded| {
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
            Some(recorded) => score(recorded),
            None => score(&entry.read()?),
        };
        done();
        Ok(scores)
    };
    let with_gold = set.entries.par_iter().enumerate().filter(|(_, entry)| entry.gold.is_some());
    let pages: Vec<Vec<PageScore>> = in_order(with_gold.map(score))?;
    let of = |at: usize| pages.iter().filter_map(|page| page.get(at).cloned()).collect();
    let methods = methods.iter().enumerate().map(|(at, &method)| (method, of(at))).collect();
    Ok(SetScores { name: set.name.clone(), methods })
}

/// All values, or the first error in order, whichever thread met one first.
pub(crate) fn in_order<T: Send>(
    results: impl ParallelIterator<Item = Result<T, SetError>>,
) -> Result<Vec<T>, SetError> {
    results.collect::<Vec<_>>().into_iter().collect()
}

/// What a fold may know; nothing where no pages were kept to learn from.
fn learn(set: &Set, methods: &[Method], models: &CrossValidated, kept: &[Recorded], fold: usize) -> Learned {
    if kept.is_empty() {
        return Learned::default();
    }
    let pages: Vec<(&str, &Page)> =
        teachers(kept.len(), fold).map(|at| (set.entries[at].url.as_str(), &kept[at].page)).collect();
    let first = set.entries.first().expect("a set with pages that were kept has entries");
    Learned::from_pages(methods, model(models, first), &first.site, &pages)
}

/// Places of the pages that a fold is learned from.
pub(crate) fn teachers(pages: usize, fold: usize) -> impl Iterator<Item = usize> {
    (0..pages).filter(move |at| at % FOLDS != fold).take(TEACHERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_a_few_a_core_at_most() {
        let of_two = |asked| threads(NonZeroUsize::new(asked), 2);
        assert_eq!([0, 1, 7, 8, 9, 100_000, usize::MAX].map(of_two), [2, 1, 7, 8, 8, 8, 8]);
    }

    #[test]
    fn a_fold_learns_from_the_first_thirty_pages_of_the_others() {
        let all = |pages, fold| teachers(pages, fold).collect::<Vec<_>>();
        assert_eq!(all(7, 1), [0, 2, 3, 4, 5]);
        assert!(all(1, 0).is_empty());
        for fold in 0..FOLDS {
            let of_many = all(500, fold);
            assert_eq!(of_many.len(), TEACHERS);
            assert!(of_many.iter().all(|at| at % FOLDS != fold));
            assert_eq!(of_many, all(KEPT, fold), "the pages that are kept hold all teachers");
        }
        assert!((0..FOLDS).any(|fold| all(KEPT - 1, fold).len() < TEACHERS));
    }
}
