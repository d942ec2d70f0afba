//! Farthest first of the smoothed array (D. Hochbaum, D. Shmoys, 1985).
//!
//! Each centre is the ratio farthest from the centres so far, and lines are assigned to the nearest centre,
//! once. Weka draws the first centre at random; here it is the median, since most lines, and so most random
//! choices, are near it.
//!
//! The mean is that of the cluster's lines, as in the two other methods; Weka returns the centre.

use super::Clusters;

/// `k` clusters of ratios, with the means of their lines. None if `k` is 0 or there is no ratio.
#[must_use]
pub fn clusters(ratios: &[f64], k: usize) -> Clusters {
    let mut found = Clusters::nearest(ratios, centres(ratios, k));
    found.means = found.means_of(ratios);
    found
}

/// The `k` centres, some of them equal if there are fewer distinct ratios; none if there is no ratio.
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
