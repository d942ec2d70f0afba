//! Compares, for each site, the text that a template yields with the text of each page alone.
//!
//! ```sh
//! cargo run --release -p gleaner-lab --example template_gain -- ../shared/sets/sites ../shared/sets/single
//! ```
//!
//! The block models are cross-validated by site, so further sets improve only the training. The last columns show which
//! share of the pages was extracted by the template alone, by template and model, and by the model alone.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use gleaner_corpus::Method;
use gleaner_lab::{Dataset, DatasetScores, EvalTask, PageScore, Protocol, run};

/// A site is a loss if its F1 with a template is lower than without by more than this value.
const LOSS: f64 = 0.001;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let sets = Dataset::find(&folders)?;
    let [cold, template] = [Protocol::Cold, Protocol::Template].map(|protocol| scores(&sets, protocol));
    let (cold, template) = (cold?, template?);
    let sites: Vec<&str> = sets.iter().filter(|set| set.sites() == 1).map(|set| set.name.as_str()).collect();
    writeln!(out, "{:36} {:>7} {:>8} {:>8}  detection template model", "site", "cold", "template", "gain")?;
    let (mut sums, mut losses) = ([0.0; 2], 0);
    for site in &sites {
        let of = |sets: &[DatasetScores]| -> Vec<PageScore> {
            let set = sets.iter().find(|set| set.name == *site);
            set.and_then(|set| set.methods.first()).map(|(_, pages)| pages.clone()).unwrap_or_default()
        };
        let (alone, with) = (of(&cold), of(&template));
        let [before, after] = [mean(&alone), mean(&with)];
        let shares =
            [Method::Detection, Method::Template, Method::BlockModel].map(|method| share(&with, method));
        let gain = after - before;
        losses += usize::from(gain < -LOSS);
        sums = [sums[0] + before, sums[1] + after];
        let [detection, both, model] = shares;
        writeln!(
            out,
            "{site:36} {before:7.4} {after:8.4} {gain:+8.4}  {detection:9.2} {both:8.2} {model:5.2}"
        )?;
    }
    let [cold, template] = sums.map(|sum| sum / sites.len().max(1) as f64);
    writeln!(out, "{:36} {cold:7.4} {template:8.4} {:+8.4}", "mean", template - cold)?;
    writeln!(out, "sites that lose more than {LOSS}: {losses}")?;
    Ok(())
}

fn scores(sets: &[Dataset], protocol: Protocol) -> Result<Vec<DatasetScores>, Box<dyn Error>> {
    let (methods, measures) = (vec![Method::Template], Vec::new());
    let task = EvalTask { protocol, methods, measures, cross_validate: true, threads: None };
    Ok(run(sets, &task, &|| {})?.sets)
}

fn mean(pages: &[PageScore]) -> f64 {
    pages.iter().map(|page| page.words.ratios().f1).sum::<f64>() / pages.len().max(1) as f64
}

fn share(pages: &[PageScore], method: Method) -> f64 {
    let those = pages.iter().filter(|page| page.estimate.is_some_and(|(by, _)| by == method)).count();
    those as f64 / pages.len().max(1) as f64
}
