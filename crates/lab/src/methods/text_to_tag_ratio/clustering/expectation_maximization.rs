//! Expectation maximization with a mixture of normal distributions (A. Dempster, N. Laird, D. Rubin, 1977).
//!
//! As in Weka, the initial distributions are the clusters of k-means. Each has a mean, a deviation and a
//! share of the lines. Expectation and maximization alternate until the mean log-likelihood grows by less
//! than 1e-6. They alternate at most 100 times, and fewer times for more than 200,000 lines. Then each line
//! is assigned to its most probable distribution.
//!
//! A deviation is at least 1e-6. Otherwise it could be 0, because half of a page's ratios may be 0.

use std::f64::consts::TAU;

use super::{Clusters, k_means, most_iterations};

const MIN_DEVIATION: f64 = 1e-6;
const MIN_GAIN: f64 = 1e-6;

#[derive(Debug, Clone, Copy)]
struct Normal {
    mean: f64,
    deviation: f64,
    share: f64,
}

impl Normal {
    fn log_density(&self, ratio: f64) -> f64 {
        let distance = (ratio - self.mean) / self.deviation;
        self.share.ln() - self.deviation.ln() - 0.5 * (TAU.ln() + distance * distance)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    weight: f64,
    /// The weighted sum of the differences between the ratios and the previous mean.
    first: f64,
    /// The weighted sum of the squares of these differences.
    second: f64,
}

impl Sums {
    fn add(&mut self, weight: f64, difference: f64) {
        self.weight += weight;
        self.first += weight * difference;
        self.second += weight * difference * difference;
    }

    /// Returns the distribution that fits the weighted lines best. If all weights are 0, returns a copy of
    /// `before` whose `share` is 0.
    fn maximized(&self, before: &Normal, lines: usize) -> Normal {
        if self.weight <= 0.0 {
            return Normal { share: 0.0, ..*before };
        }
        let moved = self.first / self.weight;
        let variance = (self.second / self.weight - moved * moved).max(0.0);
        Normal {
            mean: before.mean + moved,
            deviation: variance.sqrt().max(MIN_DEVIATION),
            share: self.weight / lines as f64,
        }
    }
}

/// Returns `k` clusters with the means of their distributions. Returns no clusters if `k` is 0 or `ratios` is
/// empty.
#[must_use]
pub fn clusters(ratios: &[f64], k: usize) -> Clusters {
    let mut mixture = of_k_means(ratios, k);
    if mixture.is_empty() {
        return Clusters { means: Vec::new(), assigned: Vec::new() };
    }
    let mut likelihood = f64::NEG_INFINITY;
    for _ in 0..most_iterations(ratios.len()) {
        let (next, reached) = iterated(ratios, &mixture);
        if reached - likelihood < MIN_GAIN {
            break;
        }
        (mixture, likelihood) = (next, reached);
    }
    let assigned = ratios.iter().map(|ratio| most_probable(&mixture, *ratio)).collect();
    Clusters { means: mixture.iter().map(|normal| normal.mean).collect(), assigned }
}

fn of_k_means(ratios: &[f64], k: usize) -> Vec<Normal> {
    let start = k_means::clusters(ratios, k);
    let mut sums = vec![Sums::default(); start.means.len()];
    for (cluster, ratio) in start.assigned.iter().zip(ratios) {
        sums[*cluster].add(1.0, ratio - start.means[*cluster]);
    }
    let before = start.means.iter().map(|mean| Normal { mean: *mean, deviation: 1.0, share: 0.0 });
    sums.iter().zip(before).map(|(sums, before)| sums.maximized(&before, ratios.len())).collect()
}

/// Runs one iteration. Returns the new mixture and the mean log-likelihood of the old mixture.
fn iterated(ratios: &[f64], mixture: &[Normal]) -> (Vec<Normal>, f64) {
    let mut sums = vec![Sums::default(); mixture.len()];
    let mut weights = vec![0.0; mixture.len()];
    let mut likelihood = 0.0;
    for ratio in ratios {
        likelihood += expected(mixture, *ratio, &mut weights);
        for ((sums, normal), weight) in sums.iter_mut().zip(mixture).zip(&weights) {
            sums.add(*weight, ratio - normal.mean);
        }
    }
    let next = sums.iter().zip(mixture).map(|(sums, before)| sums.maximized(before, ratios.len()));
    (next.collect(), likelihood / ratios.len().max(1) as f64)
}

/// Sets `weights` to the probability of each distribution for a ratio. Returns the log density of the mixture
/// at the ratio. Subtracting the largest logarithm first avoids a division by 0 far from all means.
fn expected(mixture: &[Normal], ratio: f64, weights: &mut [f64]) -> f64 {
    for (weight, normal) in weights.iter_mut().zip(mixture) {
        *weight = normal.log_density(ratio);
    }
    let greatest = weights.iter().copied().fold(f64::MIN, f64::max);
    let mut sum = 0.0;
    for weight in &mut *weights {
        *weight = (*weight - greatest).exp();
        sum += *weight;
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    greatest + sum.ln()
}

fn most_probable(mixture: &[Normal], ratio: f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (number, normal) in mixture.iter().enumerate() {
        let density = normal.log_density(ratio);
        if density > best.1 {
            best = (number, density);
        }
    }
    best.0
}
