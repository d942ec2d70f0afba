//! Implements section 4: five ways to select the content lines.
//!
//! Three of the ways are known clustering algorithms (section 4.2). Each is run with 1, 2 and 3 clusters. A
//! cluster is content if its mean is above the threshold, which is the standard deviation by default. The run
//! with the most content clusters is used. If several runs have the same number of content clusters, the run
//! with the fewest clusters is used. If no run has a content cluster, the page has no content.
//!
//! K-means and expectation maximization end after at most 100 iterations. The paper does not have this limit.
//! For more than 200,000 lines, they end earlier, so that the iterations of a run read at most 20,000,000
//! lines in total.

pub mod expectation_maximization;
pub mod farthest_first;
pub mod k_means;
pub mod prediction;
pub mod threshold;

/// The paper states: "We chose a maximum of 3 clusters arbitrarily."
const MAX_CLUSTERS: usize = 3;

const MAX_ITERATIONS: usize = 100;

/// Maximum number of lines that all iterations of a run read in total.
const MAX_LOOKS: usize = 20_000_000;

fn most_iterations(lines: usize) -> usize {
    (MAX_LOOKS / lines.max(1)).clamp(1, MAX_ITERATIONS)
}

/// The result of one run of a clustering algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// The mean of each cluster, in no particular order.
    pub means: Vec<f64>,
    /// The cluster of each line, as an index of `means`. Empty if there are no clusters.
    pub assigned: Vec<usize>,
}

impl Clusters {
    fn nearest(ratios: &[f64], means: Vec<f64>) -> Self {
        if means.is_empty() {
            return Self { means, assigned: Vec::new() };
        }
        let nearest = |ratio: &f64| {
            let mut best = (0, f64::INFINITY);
            for (number, mean) in means.iter().enumerate() {
                let distance = (ratio - mean).abs();
                if distance < best.1 {
                    best = (number, distance);
                }
            }
            best.0
        };
        Self { assigned: ratios.iter().map(nearest).collect(), means }
    }

    fn means_of(&self, ratios: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0_usize); self.means.len()];
        for (cluster, ratio) in self.assigned.iter().zip(ratios) {
            sums[*cluster].0 += ratio;
            sums[*cluster].1 += 1;
        }
        let mean = |((sum, count), before): ((f64, usize), &f64)| match count {
            0 => *before,
            count => sum / count as f64,
        };
        sums.into_iter().zip(&self.means).map(mean).collect()
    }

    fn hits(&self, threshold: f64) -> usize {
        self.means.iter().filter(|mean| **mean > threshold).count()
    }

    fn select(&self, threshold: f64) -> Vec<bool> {
        self.assigned.iter().map(|cluster| self.means[*cluster] > threshold).collect()
    }
}

pub(super) fn select(
    smoothed: &[f64],
    threshold: f64,
    clusters: impl Fn(&[f64], usize) -> Clusters,
) -> Vec<bool> {
    let runs = (1..=MAX_CLUSTERS).map(|k| clusters(smoothed, k));
    chosen(runs, threshold).map(|run| run.select(threshold)).unwrap_or_default()
}

fn chosen(runs: impl Iterator<Item = Clusters>, threshold: f64) -> Option<Clusters> {
    runs.reduce(|best, next| if next.hits(threshold) > best.hits(threshold) { next } else { best })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Algorithm = fn(&[f64], usize) -> Clusters;
    const ALGORITHMS: [Algorithm; 3] =
        [k_means::clusters, expectation_maximization::clusters, farthest_first::clusters];

    /// Uses table 1 of the paper. The section with the table gives 20.35 as the deviation of the page.
    #[test]
    fn the_paper_s_example_selects_two_clusters() {
        let run = |means: &[f64]| Clusters { means: means.into(), assigned: vec![] };
        let runs = || [run(&[6.85]), run(&[0.56, 53.40]), run(&[10.12, 70.42, 0.59])].into_iter();
        assert_eq!(chosen(runs(), 20.35), Some(run(&[0.56, 53.40])));
        assert_eq!(chosen(runs(), 5.0), Some(run(&[10.12, 70.42, 0.59])));
        assert_eq!(chosen(runs(), 100.0), Some(run(&[6.85])));
    }

    #[test]
    fn three_groups_are_found() {
        let ratios = [0.0, 0.1, 0.2, 0.1, 10.0, 10.1, 9.9, 50.0, 50.2, 49.8];
        for clusters in ALGORITHMS {
            let found = clusters(&ratios, 3);
            let mut means = found.means.clone();
            means.sort_by(f64::total_cmp);
            assert!(
                means.iter().zip([0.1, 10.0, 50.0]).all(|(mean, of)| (mean - of).abs() < 1e-3),
                "{means:?}"
            );
            assert!(found.assigned[..4].iter().all(|cluster| *cluster == found.assigned[0]));
            assert_eq!(found.select(20.0).iter().filter(|is| **is).count(), 3);
        }
    }

    #[test]
    fn nothing_and_equal_ratios_are_clusters_too() {
        for clusters in ALGORITHMS {
            assert_eq!(clusters(&[], 3).assigned, [0_usize; 0]);
            assert!(select(&[], 0.0, clusters).is_empty());
            let same = clusters(&[4.0; 9], 3);
            assert!(same.assigned.iter().all(|cluster| same.means[*cluster] == 4.0), "{same:?}");
        }
    }

    #[test]
    fn no_cluster_has_no_line() {
        for clusters in ALGORITHMS {
            assert_eq!(clusters(&[1.0, 2.0], 0), Clusters { means: vec![], assigned: vec![] });
        }
    }

    #[test]
    fn a_run_over_many_lines_has_fewer_iterations() {
        let cases = [(0, 100), (200_000, 100), (400_000, 50), (10_000_000, 2), (usize::MAX, 1)];
        for (lines, iterations) in cases {
            assert_eq!(most_iterations(lines), iterations, "{lines}");
        }
    }

    proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn each_line_is_in_a_cluster(
            ratios in proptest::collection::vec(prop_oneof![Just(0.0), 0.0..1e7_f64], 0..80),
            k in 1_usize..4,
        ) {
            for clusters in ALGORITHMS {
                let found = clusters(&ratios, k);
                prop_assert_eq!(found.assigned.len(), ratios.len());
                prop_assert!(found.means.iter().all(|mean| mean.is_finite() && *mean > -1e-3), "{:?}", found);
                prop_assert!(found.assigned.iter().all(|cluster| *cluster < found.means.len()));
                prop_assert!(found.means.len() <= k);
            }
        }

        #[test]
        fn k_means_assigns_to_the_nearest_mean(
            ratios in proptest::collection::vec(0.0..1e3_f64, 1..80), k in 1_usize..4,
        ) {
            let found = k_means::clusters(&ratios, k);
            for (cluster, ratio) in found.assigned.iter().zip(&ratios) {
                let own = (ratio - found.means[*cluster]).abs();
                prop_assert!(found.means.iter().all(|mean| own <= (ratio - mean).abs()));
            }
            // After the last iteration, each mean is the mean of the cluster's lines.
            prop_assert_eq!(found.means_of(&ratios), found.means);
        }
    }
}
