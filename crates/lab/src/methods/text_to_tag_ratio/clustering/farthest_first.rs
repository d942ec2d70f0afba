//! Implements the algorithm farthest first on the smoothed array (D. Hochbaum, D. Shmoys, 1985).
//!
//! Each new centre is the ratio that is farthest from the previous centres. Each line is then assigned to the
//! nearest centre. Weka chooses the first centre at random. Here it is the median, because most lines are
//! near the median, so most random choices would be near it too.
//!
//! As in the other methods, the mean of a cluster is the mean of its lines. Weka returns the centre instead.

use super::Clusters;

/// Returns `k` clusters with the means of their lines. Returns no clusters if `k` is 0 or `ratios` is empty.
#[must_use]
pub fn clusters(ratios: &[f64], k: usize) -> Clusters {
    let mut found = Clusters::nearest(ratios, centres(ratios, k));
    found.means = found.means_of(ratios);
    found
}

/// Returns `k` centres, or none if `ratios` is empty. If there are fewer than `k` distinct ratios, some
/// centres are equal.
pub(super) fn centres(ratios: &[f64], k: usize) -> Vec<f64> {
    let mut centres: Vec<f64> = median(ratios).into_iter().take(k).collect();
    let mut nearest = vec![f64::INFINITY; ratios.len()];
    while let Some(centre) = centres.last()
        && centres.len() < k
    {
        for (distance, ratio) in nearest.iter_mut().zip(ratios) {
            *distance = distance.min((ratio - centre).abs());
        }
        centres.extend(farthest(ratios, &nearest));
    }
    centres
}

fn farthest(ratios: &[f64], distances: &[f64]) -> Option<f64> {
    let greater = |best: (f64, f64), next: (f64, f64)| if next.1 > best.1 { next } else { best };
    ratios.iter().copied().zip(distances.iter().copied()).reduce(greater).map(|(ratio, _)| ratio)
}

fn median(ratios: &[f64]) -> Option<f64> {
    let mut ordered = ratios.to_vec();
    let middle = ordered.len().checked_sub(1)? / 2;
    let (_, median, _) = ordered.select_nth_unstable_by(middle, f64::total_cmp);
    Some(*median)
}
