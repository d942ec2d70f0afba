//! The figures of tables II, III and IV as the paper prints them.

/// A row of the paper's tables II, III and IV.
pub(super) struct Printed {
    pub(super) site: &'static str,
    /// NumBlockTemp, NumBlock, `PerTime` in seconds.
    pub(super) ce: [f64; 3],
    pub(super) fast: [f64; 3],
    /// In percent.
    pub(super) improvement: f64,
    /// Of ContentExtractor and of FastContentExtractor; so in the next.
    pub(super) block_f: [f64; 2],
    pub(super) word_f: [f64; 2],
}

/// The paper's rows, in its order.
#[rustfmt::skip]
pub(super) const PRINTED: [Printed; 8] = [
    Printed { site: "dantri.com.vn", ce: [86.0, 319.0, 1.914], fast: [14.0, 41.0, 0.964], improvement: 198.55, block_f: [0.97, 0.97], word_f: [0.978, 0.991] },
    Printed { site: "kenh14.vn", ce: [247.0, 500.0, 18.4], fast: [26.0, 46.0, 1.39], improvement: 1323.7, block_f: [1.00, 1.00], word_f: [1.00, 1.00] },
    Printed { site: "thanhvien.com.vn", ce: [111.0, 326.0, 1.817], fast: [19.0, 14.0, 0.703], improvement: 258.5, block_f: [0.90, 0.89], word_f: [0.978, 0.992] },
    Printed { site: "vietnamnet.vn", ce: [23.0, 121.0, 0.563], fast: [3.0, 22.0, 0.527], improvement: 106.8, block_f: [0.83, 1.00], word_f: [0.99, 0.999] },
    Printed { site: "news.yahoo.com", ce: [114.0, 171.0, 1.883], fast: [34.0, 48.0, 0.938], improvement: 200.7, block_f: [0.86, 0.92], word_f: [0.89, 0.958] },
    Printed { site: "cnn.com", ce: [112.0, 266.0, 2.924], fast: [20.0, 15.0, 2.002], improvement: 146.5, block_f: [0.91, 0.75], word_f: [0.99, 0.99] },
    Printed { site: "news.bbc.co.uk", ce: [77.0, 174.0, 1.401], fast: [16.0, 45.0, 0.565], improvement: 247.9, block_f: [0.88, 0.94], word_f: [0.957, 0.96] },
    Printed { site: "nytimes.com", ce: [318.0, 146.0, 2.273], fast: [58.0, 17.0, 1.557], improvement: 146.0, block_f: [0.90, 0.91], word_f: [0.966, 0.966] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn improvement_is_the_ratio_of_the_times_but_for_two_slips() {
        let off = |row: &&Printed| {
            let ratio = 100.0 * row.ce[2] / row.fast[2];
            // Half of the last digit printed.
            let half = if row.site == "dantri.com.vn" { 0.005 } else { 0.05 };
            (ratio - row.improvement).abs() > half
        };
        let off: Vec<&str> = PRINTED.iter().filter(off).map(|row| row.site).collect();
        assert_eq!(off, ["cnn.com", "news.bbc.co.uk"]);
    }

    #[test]
    fn fewer_blocks_are_compared_on_every_site() {
        assert!(PRINTED.iter().all(|row| row.fast[0] < row.ce[0] && row.fast[1] < row.ce[1]));
        let vietnamnet = PRINTED.iter().find(|row| row.site == "vietnamnet.vn").unwrap();
        assert_eq!(
            (vietnamnet.ce[0] * vietnamnet.ce[1], vietnamnet.fast[0] * vietnamnet.fast[1]),
            (2783.0, 66.0)
        );
    }
}
