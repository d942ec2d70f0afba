//! Trains the page model that distinguishes articles from other pages, and reports its accuracy on sites that
//! were not part of the training.
//!
//! ```text
//! cargo run --release -p gleaner-lab --example train_pages -- crates/extract/src/article/model.json ../shared/sets/sites ../shared/sets/single ../shared/sets/publishers ../shared/sets/not-articles
//! ```
//!
//! If no page of a set has gold text, none of its pages counts as an article. As in a crawl, pages are
//! classified with block models that were trained without the pages of their site. Each page is included
//! twice, with and without its URL. The same sets always yield the same file. The training takes four minutes
//! on two cores.

#![expect(clippy::print_stdout, reason = "an example reports there")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use gleaner_extract::PageClass;
use gleaner_extract::article::{feature_row, judge_with, written};
use gleaner_extract::block_model::{self, Forest};
use gleaner_lab::training::TrainingSet;
use gleaner_lab::training::boosting::{BoostingParams, FeatureTable, Target, grow};
use gleaner_lab::{Dataset, PageEntry};
use rayon::prelude::*;

/// The number of folds of sites for the block models and for the page models.
const BLOCK_FOLDS: usize = 3;
const FOLDS: usize = 10;

/// Maximum weight of a site, in pages.
const SITE_PAGES: f32 = 12.0;

fn params() -> BoostingParams {
    BoostingParams {
        trees: 150,
        leaves: 6,
        rate: 0.08,
        least_rows: 20,
        shrinkage: 5.0,
        features: 0.3,
        rows: 0.8,
        seed: 1,
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(out) = arguments.next() else {
        eprintln!("name the file to write and the folders of sets to learn from");
        return ExitCode::from(2);
    };
    let folders: Vec<PathBuf> = arguments.collect();
    match train(&folders).and_then(|model| std::fs::write(&out, model).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// The features of one page, computed with and without the page's URL.
struct TrainingPage {
    id: String,
    site: String,
    is_article: bool,
    rows: [Vec<f32>; 2],
    /// Whether the rules alone, without the model, refuse the page.
    is_refused: bool,
}

fn train(folders: &[PathBuf]) -> Result<String, String> {
    let sets = Dataset::find(folders).map_err(|error| error.to_string())?;
    let (with_gold, without): (Vec<Dataset>, Vec<Dataset>) =
        sets.into_iter().partition(|set| set.with_gold() > 0);
    let blind = TrainingSet::read(&with_gold, &|| {})
        .map_err(|error| error.to_string())?
        .cross_validate(BLOCK_FOLDS, &BoostingParams::default());
    let articles = with_gold.iter().flat_map(|set| &set.entries).filter(|entry| entry.gold.is_some());
    let others = without.iter().flat_map(|set| &set.entries);
    let entries: Vec<(&PageEntry, bool)> =
        articles.map(|entry| (entry, true)).chain(others.map(|entry| (entry, false))).collect();
    let read = |(entry, is_article): &(&PageEntry, bool)| {
        training_page(
            entry,
            *is_article,
            blind.model_for(&entry.site).unwrap_or_else(|| block_model::built_in()),
        )
    };
    let training_set: Result<Vec<TrainingPage>, String> = entries.par_iter().map(read).collect();
    let training_set = training_set?;
    let model = taught(&training_set, &|_| true);
    let unseen = cross_validated(&training_set);
    report(
        "seen",
        &training_set,
        &training_set.iter().map(|example| score(&model, example)).collect::<Vec<_>>(),
    );
    report("cross-validated", &training_set, &unseen);
    Ok(written(&model, &names()))
}

fn names() -> Vec<&'static str> {
    feature_row(&gleaner_html::Page::default(), "", &[]).into_iter().map(|(name, _)| name).collect()
}

fn training_page(entry: &PageEntry, is_article: bool, model: &Forest) -> Result<TrainingPage, String> {
    let page = entry.read().map_err(|error| error.to_string())?.page;
    let judged = block_model::classify(&page, model);
    let row = |url| feature_row(&page, url, &judged).into_iter().map(|(_, value)| value).collect();
    let by_rules = judge_with(&Forest::default(), &page, &entry.url, &judged);
    Ok(TrainingPage {
        id: format!("{} {}", entry.id, entry.url),
        site: site(&entry.url),
        is_article,
        rows: [row(&entry.url), row("")],
        is_refused: by_rules != PageClass::Article,
    })
}

/// Returns the host without `www.`, because sets name the same site in different ways.
fn site(url: &str) -> String {
    let host = url.split('/').nth(2).unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

/// Trains a model on the pages of the sites for which `is_seen` returns `true`. Articles and other pages have
/// the same total weight.
fn taught(training_set: &[TrainingPage], is_seen: &dyn Fn(&str) -> bool) -> Forest {
    let mut pages: BTreeMap<(&str, bool), f32> = BTreeMap::new();
    for example in training_set {
        *pages.entry((&example.site, example.is_article)).or_default() += 1.0;
    }
    let of_site = |example: &TrainingPage| {
        let pages = pages[&(example.site.as_str(), example.is_article)];
        if is_seen(&example.site) { pages.min(SITE_PAGES) / pages } else { 0.0 }
    };
    let all = |articles: bool| -> f32 {
        training_set.iter().filter(|example| example.is_article == articles).map(of_site).sum()
    };
    let balance = all(true) / all(false).max(1.0);
    let target = |example: &TrainingPage| Target {
        label: f32::from(u8::from(example.is_article)),
        weight: 0.5 * of_site(example) * if example.is_article { 1.0 } else { balance },
    };
    let rows: Vec<Vec<f32>> = training_set.iter().flat_map(|example| example.rows.clone()).collect();
    let targets: Vec<Target> = training_set.iter().flat_map(|example| [target(example); 2]).collect();
    grow(&FeatureTable::from_rows(&rows), &targets, &params())
}

/// Returns each page's score from a model that was trained without its site.
fn cross_validated(training_set: &[TrainingPage]) -> Vec<f32> {
    let mut sites: Vec<&str> = training_set.iter().map(|example| example.site.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    let fold = |site: &str| sites.binary_search(&site).expect("every site is listed") % FOLDS;
    let forests: Vec<Forest> =
        (0..FOLDS).into_par_iter().map(|blind| taught(training_set, &|site| fold(site) != blind)).collect();
    training_set.iter().map(|example| score(&forests[fold(&example.site)], example)).collect()
}

fn score(model: &Forest, example: &TrainingPage) -> f32 {
    model.log_odds(&example.rows[0])
}

/// Prints, for each threshold, how many pages the rules and the model refuse together.
fn report(what: &str, training_set: &[TrainingPage], scores: &[f32]) {
    let refused = |articles: bool, below: f32| {
        let of = training_set.iter().zip(scores).filter(|(example, _)| example.is_article == articles);
        of.filter(|(example, score)| example.is_refused || **score < below).count()
    };
    println!("{what}: threshold, articles refused, others refused");
    for below in [-99.0, -3.0, -2.6, -2.5, -2.0, -1.5, -1.25, -1.0, -0.75, -0.5, -0.25, 0.0, 0.5, 1.0] {
        println!("{below:6.2} {:4} {:4}", refused(true, below), refused(false, below));
    }
    let mut pages: Vec<(&TrainingPage, f32)> = training_set.iter().zip(scores.iter().copied()).collect();
    pages.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (example, score) in pages.iter().filter(|(example, _)| example.is_article).take(12) {
        println!("  article {score:.2} {}", example.id);
    }
    for (example, score) in
        pages.iter().rev().filter(|(example, _)| !example.is_article && !example.is_refused).take(30)
    {
        println!("  other   {score:.2} {}", example.id);
    }
}
