//! Simulates years of nightly runs. Checks how often an ordinary host is called unusual, and that a host that
//! stops is noticed.

use crate::histories::{counts, gives, run_data};
use gleaner_crawl::report::{Report, RunStatus};
use gleaner_store::Counts;
use proptest::prelude::*;

/// Number of earlier runs in the input of each report.
const WINDOW: usize = 16;

/// A random number generator (Knuth's linear congruential generator).
struct Chance(u64);

impl Chance {
    /// Uniformly distributed between 0 and 1.
    fn even(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// About normally distributed with mean 0 and standard deviation 1, as a sum of twelve uniform numbers
    /// (Irwin-Hall).
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.even()).sum::<f64>() - 6.0
    }

    /// Poisson distributed. A small mean uses a product of uniform numbers, a large one a normal
    /// approximation.
    fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 60.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0) as u64;
        }
        let (mut count, mut left) = (0, self.even());
        let limit = (-mean).exp();
        while left > limit {
            count += 1;
            left *= self.even();
        }
        count
    }
}

/// Simulates a year of a host. The mean deviates at random by `wanders` from night to night, and is
/// multiplied by `weekend` on weekends.
fn year(chance: &mut Chance, mean: f64, wanders: f64, weekend: f64) -> Vec<Counts> {
    let night = |number: usize, chance: &mut Chance| {
        let day = if number % 7 >= 5 { weekend } else { 1.0 };
        let mean = mean * day * (wanders * chance.normal()).exp();
        gives(chance.poisson(mean))
    };
    (0..365).map(|number| night(number, chance)).collect()
}

/// Returns the number of nights with unusual findings.
fn alarms(nights: &[Counts]) -> usize {
    let is_alarm = |last: &usize| {
        let first = last.saturating_sub(WINDOW);
        // Night 0 of `run_data` is a Monday, so all times are shifted by the number of omitted nights.
        let mut data = run_data(&[("a.example", nights[first..=*last].to_vec())]);
        let shift = jiff::SignedDuration::from_hours(24 * i64::try_from(first).unwrap());
        data.run.started += shift;
        data.past.iter_mut().for_each(|night| night.started += shift);
        Report::new(&data).status != RunStatus::Fine
    };
    (0..nights.len()).filter(is_alarm).count()
}

#[test]
fn ordinary_hosts_are_hardly_ever_called_unusual() {
    let mut chance = Chance(20_261_122);
    let (mut hosts, mut all) = (0, 0);
    for (mean, wanders, weekend) in [
        (1.0, 0.3, 1.0),
        (4.0, 0.4, 0.5),
        (12.0, 0.3, 0.3),
        (30.0, 0.4, 0.2),
        (30.0, 0.2, 0.0),
        (100.0, 0.5, 0.4),
        (240.0, 0.2, 0.6),
        (600.0, 0.3, 0.15),
    ] {
        for _ in 0..5 {
            let count = alarms(&year(&mut chance, mean, wanders, weekend));
            println!("mean {mean}, wanders {wanders}, weekends {weekend}: {count} nights of a year");
            hosts += 1;
            all += count;
        }
    }
    assert!(all * 3 <= hosts, "{all} false alarms in {hosts} years of a host");
}

#[test]
fn hosts_that_stop_are_noticed_the_same_night_if_they_are_not_small() {
    let mut chance = Chance(7);
    let wall = counts(&[("not_article: consent_wall", 80), ("listing", 12)]);
    for (mean, wanders, weekend) in [(30.0, 0.2, 1.0), (60.0, 0.3, 0.5), (240.0, 0.2, 0.6), (600.0, 0.3, 0.3)]
    {
        let mut nights = year(&mut chance, mean, wanders, weekend);
        let mut noticed = 0;
        for last in (20..300).step_by(7) {
            let kept = std::mem::replace(&mut nights[last], wall.clone());
            noticed += alarms(&nights[last - WINDOW..=last]).min(1);
            nights[last] = kept;
        }
        assert_eq!(noticed, 40, "of 40 nights, of a host with {mean} a night");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any history has a report. Its JSON is parsed back to an equal report, and its HTML contains no markup
    /// from a host.
    #[test]
    fn any_nights_have_a_report(
        nights in prop::collection::vec(prop::collection::vec((0_usize..6, 0_u64..100_000), 0..6), 1..20),
        name in "<x[a-z]{3,9}'>",
    ) {
        let labels = ["stored", "listing", "not_article: <b>", "failed: timeout", "disallowed", "duplicate"];
        let nights: Vec<Counts> = nights
            .iter()
            .map(|night| counts(&night.iter().map(|(label, count)| (labels[*label], *count)).collect::<Vec<_>>()))
            .collect();
        let report = Report::new(&run_data(&[(&name, nights)]));
        let json = serde_json::to_string(&report).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Report>(&json).unwrap(), &report);
        let page = gleaner_crawl::report::page::page(&report);
        prop_assert!(!page.contains("<b>\n") && !page.contains(": <b>"));
        prop_assert!(!page.contains(&name));
        let grades: Vec<_> = report.findings.iter().map(|finding| finding.grade).collect();
        prop_assert!(grades.is_sorted_by(|a, b| a >= b));
    }

    /// More new documents than usual are not unusual, up to ten times the usual number.
    #[test]
    fn more_than_usual_is_fine_up_to_ten_times(usual in 0_u64..5_000, more in 0_u64..5_000, count in 3_usize..15) {
        let mut nights = vec![gives(usual); count];
        nights.push(gives(usual + more));
        let is_tenfold = usual >= 10 && usual + more >= 10 * usual;
        let expected = if is_tenfold { RunStatus::Unusual } else { RunStatus::Fine };
        prop_assert_eq!(Report::new(&run_data(&[("a.example", nights)])).status, expected);
    }
}
