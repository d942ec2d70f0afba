//! Implements k-means on the smoothed array (J. MacQueen, 1967), with Lloyd's iteration.
//!
//! Weka starts from random lines. Here the initial means are the centres of [`farthest_first`]. Therefore the
//! result is deterministic, and no cluster is empty at first. Quantiles would not work as initial means,
//! because often more than half of a page's ratios are 0. Evenly spaced means would not work either, because
//! the largest ratio is often far from all others.

use super::{Clusters, farthest_first, most_iterations};

/// Returns `k` clusters, or none if `k` is 0 or `ratios` is empty. Each ratio is in the cluster with the
/// nearest mean. If several means are equally near, it is in the first of these clusters. An empty cluster
/// keeps its last mean.
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
