//! Trains the block model on pages with gold text.
//!
//! [`TrainingSet::read`] computes the features and [`labels`] of every page once. [`TrainingSet::train`]
//! trains one model on all pages. [`TrainingSet::cross_validate`] trains one model per fold of sites, so that
//! every page has a model that was trained without the page's site. The weight of a site is at most the
//! weight of 12 pages. Within a page, longer blocks have more weight. A page has a low weight if little of its
//! gold text is found on it.

pub mod boosting;
pub mod labels;

use std::collections::BTreeMap;

use gleaner_extract::block_model::{Forest, feature_rows};
use rayon::prelude::*;

use crate::dataset::{Dataset, DatasetError, PageEntry, RecordedPage};
use crate::measure::words::WordBag;
use crate::parallel::in_order;
use boosting::{BoostingParams, FeatureTable, Target};

/// Maximum weight of a site, in pages.
const SITE_PAGES: f32 = 12.0;

/// Maximum number of words that increase the weight of a block.
const LONG: f32 = 120.0;

/// Added to a block's number of words to compute its weight, so that short blocks count too.
const ANY: f32 = 3.0;

/// Training examples: the blocks of pages with gold text, as rows of features with labels.
#[derive(Debug, Clone)]
pub struct TrainingSet {
    rows: Vec<Vec<f32>>,
    targets: Vec<Target>,
    site: Vec<usize>,
    sites: Vec<String>,
}

struct TrainingPage {
    site: String,
    rows: Vec<Vec<f32>>,
    targets: Vec<Target>,
}

impl TrainingSet {
    /// Reads every page that has gold text, and calls `done` once per page.
    ///
    /// # Errors
    /// A page cannot be read.
    pub fn read(sets: &[Dataset], done: &(dyn Fn() + Sync)) -> Result<Self, DatasetError> {
        let mut training_pages = Vec::new();
        for set in sets {
            training_pages.extend(of_set(set, done)?);
        }
        Ok(Self::new(training_pages))
    }

    fn new(training_pages: Vec<TrainingPage>) -> Self {
        let mut pages: BTreeMap<&str, f32> = BTreeMap::new();
        for example in &training_pages {
            *pages.entry(&example.site).or_default() += 1.0;
        }
        let sites: Vec<String> = pages.keys().map(|site| (*site).to_owned()).collect();
        let shares: Vec<f32> = pages.values().map(|pages| pages.min(SITE_PAGES) / pages).collect();
        let mut all = Self { rows: Vec::new(), targets: Vec::new(), site: Vec::new(), sites };
        for example in training_pages {
            let site = all.sites.binary_search(&example.site).expect("every site was counted");
            all.site.extend(example.rows.iter().map(|_| site));
            all.rows.extend(example.rows);
            let weighed = |target: Target| Target { weight: target.weight * shares[site], ..target };
            all.targets.extend(example.targets.into_iter().map(weighed));
        }
        all
    }

    /// Trains one model on all pages.
    #[must_use]
    pub fn train(&self, params: &BoostingParams) -> Forest {
        boosting::grow(&FeatureTable::from_rows(&self.rows), &self.targets, params)
    }

    /// Trains one model per fold of sites, so that each site has a model that was trained without its pages.
    /// Sites are assigned to folds in the order of their names.
    #[must_use]
    pub fn cross_validate(&self, folds: usize, params: &BoostingParams) -> CrossValidated {
        let table = FeatureTable::from_rows(&self.rows);
        let grow = |fold: usize| {
            let blind = |(target, site): (&Target, &usize)| {
                let weight = if site % folds == fold { 0.0 } else { target.weight };
                Target { weight, ..*target }
            };
            let targets: Vec<Target> = self.targets.iter().zip(&self.site).map(blind).collect();
            boosting::grow(&table, &targets, params)
        };
        let forests: Vec<Forest> = (0..folds).into_par_iter().map(grow).collect();
        let fold_of = self.sites.iter().enumerate().map(|(at, site)| (site.clone(), at % folds)).collect();
        CrossValidated { forests, fold_of }
    }
}

/// The models of a cross-validation. Each site has a model that was trained without its pages.
#[derive(Debug, Clone, Default)]
pub struct CrossValidated {
    forests: Vec<Forest>,
    fold_of: BTreeMap<String, usize>,
}

impl CrossValidated {
    /// Returns the model that was trained without the pages of `site`, or `None` if the training data do not
    /// contain the site.
    #[must_use]
    pub fn model_for(&self, site: &str) -> Option<&Forest> {
        self.fold_of.get(site).map(|fold| &self.forests[*fold])
    }
}

fn of_set(set: &Dataset, done: &(dyn Fn() + Sync)) -> Result<Vec<TrainingPage>, DatasetError> {
    let read = |entry: &PageEntry| {
        let page = entry.read()?;
        done();
        Ok(training_page(entry, &page))
    };
    in_order(set.entries.par_iter().filter(|entry| entry.gold.is_some()).map(read))
}

fn training_page(entry: &PageEntry, recorded: &RecordedPage) -> TrainingPage {
    let gold = recorded.gold.as_deref().unwrap_or_default();
    let (placed, rows): (Vec<_>, Vec<Vec<f32>>) = feature_rows(&recorded.page).into_iter().unzip();
    let texts: Vec<&str> = placed.iter().map(|placed| placed.line.text.as_str()).collect();
    let labels = labels::labels(&texts, gold);
    let trust = agreement(&texts, &labels, gold);
    let weight = |text: &&str| (gleaner_html::words::words(text).count() as f32).min(LONG) + ANY;
    let sum: f32 = texts.iter().map(weight).sum();
    let target = |(label, text): (&f32, &&str)| Target {
        label: *label,
        weight: trust * weight(text) / sum * WEIGHT_OF_A_PAGE,
    };
    let targets = labels.iter().zip(&texts).map(target).collect();
    TrainingPage { site: entry.site.clone(), rows, targets }
}

const WEIGHT_OF_A_PAGE: f32 = 200.0;

/// Returns how well gold text and labels agree, from 0 to 1. This is the square of the word F1 of the blocks
/// that are labelled as body text.
fn agreement(texts: &[&str], labels: &[f32], gold: &str) -> f32 {
    let kept = texts.iter().zip(labels).filter(|(_, label)| **label > 0.5);
    let text: Vec<&str> = kept.map(|(text, _)| *text).collect();
    let f1 = WordBag::from_text(&text.join("\n")).against(&WordBag::from_text(gold)).ratios().f1 as f32;
    f1 * f1
}
