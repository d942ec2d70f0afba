//! Compares the confidence of extracted texts with their word F1.
//!
//! ```sh
//! cargo run --release -p gleaner-lab --example confidence -- ../shared/sets
//! ```
//!
//! The program uses the protocol `cold` for all sets, and also `template` for sets with only one site. It
//! cross-validates block models by site. It also prints the slope and the intercept that fit all texts best.
//! These two values can replace the constants in `crates/extract/src/template/confidence.rs`.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use gleaner_corpus::Method;
use gleaner_extract::template::confidence;
use gleaner_lab::{Dataset, EvalTask, Protocol, run};

/// The lower bounds of the confidence, one per row of the output.
const ROWS: [f32; 9] = [0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];

/// The minimum word F1 of a text that counts as right.
const RIGHT: f64 = 0.9;

/// The last line of the output says how many texts with at least this confidence have at least this word F1.
const USABLE: f64 = 0.8;

/// The margin of an extraction, and the word F1 of the text.
type Sample = (f32, f64);

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let sets = Dataset::find(&folders)?;
    let sites: Vec<Dataset> = sets.iter().filter(|set| set.sites() == 1).cloned().collect();
    let mut samples = samples(&sets, Protocol::Cold)?;
    samples.extend(self::samples(&sites, Protocol::Template)?);
    for (name, methods) in [
        ("block model", &[Method::BlockModel, Method::Template][..]),
        ("detection", &[Method::Detection][..]),
    ] {
        let chosen: Vec<Sample> = samples
            .iter()
            .filter(|(method, _)| methods.contains(method))
            .map(|(_, sample)| *sample)
            .collect();
        table(&mut out, name, methods[0], &chosen)?;
    }
    let is_sure = |(method, (margin, _)): &&(Method, Sample)| {
        confidence(*method, *margin).is_some_and(|estimate| f64::from(estimate) >= USABLE)
    };
    let sure: Vec<f64> = samples.iter().filter(is_sure).map(|(_, (_, f1))| *f1).collect();
    let usable = sure.iter().filter(|f1| **f1 >= USABLE).count();
    writeln!(out, "word F1 of at least {USABLE}: {usable} of {} texts with such a confidence", sure.len())?;
    Ok(())
}

fn samples(sets: &[Dataset], protocol: Protocol) -> Result<Vec<(Method, Sample)>, Box<dyn Error>> {
    let task = EvalTask {
        protocol,
        methods: vec![Method::Template],
        measures: Vec::new(),
        cross_validate: true,
        threads: None,
    };
    let scores = run(sets, &task, &|| {})?.sets.into_iter().flat_map(|set| set.methods);
    let pages = scores.flat_map(|(_, pages)| pages).filter(|page| page.words.gold > 0);
    let sample = |page: gleaner_lab::PageScore| {
        let (method, margin) = page.estimate?;
        Some((method, (margin, page.words.ratios().f1)))
    };
    Ok(pages.filter_map(sample).collect())
}

fn table(out: &mut impl Write, name: &str, method: Method, samples: &[Sample]) -> io::Result<()> {
    let (slope, intercept) = fitted(samples);
    writeln!(out, "{name}: {} texts, best fit: slope {slope:.2}, intercept {intercept:.2}", samples.len())?;
    writeln!(out, "| estimated | texts | estimated mean | measured share |\n|---|---:|---:|---:|")?;
    let estimated: Vec<(f32, bool)> = samples
        .iter()
        .filter_map(|(margin, f1)| Some((confidence(method, *margin)?, *f1 >= RIGHT)))
        .collect();
    for (at, from) in ROWS.iter().enumerate() {
        let to = ROWS.get(at + 1).copied().unwrap_or(1.1);
        let row: Vec<_> = estimated.iter().filter(|(estimate, _)| (*from..to).contains(estimate)).collect();
        if !row.is_empty() {
            let mean = row.iter().map(|(estimate, _)| estimate).sum::<f32>() / row.len() as f32;
            let right = row.iter().filter(|(_, is_right)| *is_right).count() as f32 / row.len() as f32;
            writeln!(out, "| {from} to {} | {} | {mean:.2} | {right:.2} |", to.min(1.0), row.len())?;
        }
    }
    Ok(())
}

/// Fits a logistic function of the margin's log-odds by Newton's method.
fn fitted(samples: &[Sample]) -> (f64, f64) {
    let (mut slope, mut intercept) = (1.0, 0.0);
    for _ in 0..50 {
        let mut gradient = [0.0; 2];
        let mut hessian = [1e-9, 0.0, 1e-9];
        for (margin, f1) in samples {
            let margin = f64::from(margin.clamp(0.01, 0.995));
            let x = (margin / (1.0 - margin)).ln();
            let chance = 1.0 / (1.0 + (-(slope * x + intercept)).exp());
            let (error, weight) = (f64::from(u8::from(*f1 >= RIGHT)) - chance, chance * (1.0 - chance));
            gradient = [gradient[0] + error * x, gradient[1] + error];
            hessian = [hessian[0] + weight * x * x, hessian[1] + weight * x, hessian[2] + weight];
        }
        let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
        slope += (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant;
        intercept += (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant;
    }
    (slope, intercept)
}
