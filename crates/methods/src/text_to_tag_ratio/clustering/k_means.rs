//! K-means of the smoothed array (J. MacQueen, 1967), in Lloyd's iteration.
//!
//! Weka begins with lines drawn at random. Here the first means are the centres of [`farthest_first`], so
//! that the result is deterministic and no cluster begins empty. Quantiles would not work, since more than
//! half of a page's ratios are often equal (0); nor would even steps, since the largest ratio is often far
//! from all others.

use super::{Clusters, farthest_first, most_iterations};

/// `k` clusters of ratios. Each ratio is in the cluster with the nearest mean, the first of equally near
/// ones. An empty cluster keeps its last mean. None if `k` is 0 or there is no ratio.
#[must_use]
pub fn clusters(ratios: &[f64], k: usize) -> Clusters {
    let mut means = farthest_first::centres(ratios, k);
    for _ in 0..most_iterations(ratios.len()) {
        let moved = Clusters::nearest(ratios, means.clone()).means_of(ratios);
        if moved == means {
            break;
        }
        means = moved;
    }
    Clusters::nearest(ratios, means)
}
