//! Contains the values of tables II, III and IV as printed in the paper.

pub(super) struct Printed {
    pub(super) site: &'static str,
    /// The columns NumBlockTemp, NumBlock and `PerTime`, here and in `fast`.
    pub(super) ce: [&'static str; 3],
    pub(super) fast: [&'static str; 3],
    pub(super) improvement: &'static str,
    /// The block F1 of table III: first of ContentExtractor, then of FastContentExtractor. `word_f` contains
    /// the word F1 of table IV in the same order.
    pub(super) block_f: [&'static str; 2],
    pub(super) word_f: [&'static str; 2],
}

#[rustfmt::skip]
pub(super) const PRINTED: [Printed; 8] = [
    Printed { site: "dantri.com.vn", ce: ["86", "319", "1.914"], fast: ["14", "41", "0.964"], improvement: "198.55", block_f: ["0.97", "0.97"], word_f: ["0.978", "0.991"] },
    Printed { site: "kenh14.vn", ce: ["247", "500", "18.4"], fast: ["26", "46", "1.39"], improvement: "1323.7", block_f: ["1.00", "1.00"], word_f: ["1.00", "1.00"] },
    Printed { site: "thanhvien.com.vn", ce: ["111", "326", "1.817"], fast: ["19", "14", "0.703"], improvement: "258.5", block_f: ["0.90", "0.89"], word_f: ["0.978", "0.992"] },
    Printed { site: "vietnamnet.vn", ce: ["23", "121", "0.563"], fast: ["3", "22", "0.527"], improvement: "106.8", block_f: ["0.83", "1.00"], word_f: ["0.99", "0.999"] },
    Printed { site: "news.yahoo.com", ce: ["114", "171", "1.883"], fast: ["34", "48", "0.938"], improvement: "200.7", block_f: ["0.86", "0.92"], word_f: ["0.89", "0.958"] },
    Printed { site: "cnn.com", ce: ["112", "266", "2.924"], fast: ["20", "15", "2.002"], improvement: "146.5", block_f: ["0.91", "0.75"], word_f: ["0.99", "0.99"] },
    Printed { site: "news.bbc.co.uk", ce: ["77", "174", "1.401"], fast: ["16", "45", "0.565"], improvement: "247.9", block_f: ["0.88", "0.94"], word_f: ["0.957", "0.96"] },
    Printed { site: "nytimes.com", ce: ["318", "146", "2.273"], fast: ["58", "17", "1.557"], improvement: "146", block_f: ["0.90", "0.91"], word_f: ["0.966", "0.966"] },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(printed: &str) -> f64 {
        printed.parse().unwrap()
    }

    #[test]
    fn improvement_is_the_ratio_of_the_times_but_for_two_slips() {
        let off = |row: &&Printed| {
            let ratio = 100.0 * of(row.ce[2]) / of(row.fast[2]);
            let decimals = row.improvement.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            format!("{ratio:.decimals$}") != row.improvement
        };
        let off: Vec<&str> = PRINTED.iter().filter(off).map(|row| row.site).collect();
        assert_eq!(off, ["cnn.com", "news.bbc.co.uk"]);
    }

    /// Checks the copied values. A wrong value changes the sum of its column. A value in the wrong column
    /// contradicts the paper's statements (blocks "similar", words "as accurate for most").
    #[test]
    fn f_is_as_printed() {
        let sum = |f: fn(&Printed) -> &str| {
            (PRINTED.iter().map(|row| of(f(row))).sum::<f64>() * 1e3).round() as u32
        };
        assert_eq!([sum(|row| row.block_f[0]), sum(|row| row.block_f[1])], [7_250, 7_380]);
        assert_eq!([sum(|row| row.word_f[0]), sum(|row| row.word_f[1])], [7_749, 7_856]);
        assert!(PRINTED.iter().all(|row| of(row.word_f[1]) >= of(row.word_f[0])));
        let worse = PRINTED.iter().filter(|row| of(row.block_f[1]) < of(row.block_f[0]));
        assert_eq!(worse.map(|row| row.site).collect::<Vec<_>>(), ["thanhvien.com.vn", "cnn.com"]);
    }

    #[test]
    fn fewer_blocks_are_compared_on_every_site() {
        let fewer = |row: &Printed, at: usize| of(row.fast[at]) < of(row.ce[at]);
        assert!(PRINTED.iter().all(|row| fewer(row, 0) && fewer(row, 1)));
        let vietnamnet = PRINTED.iter().find(|row| row.site == "vietnamnet.vn").unwrap();
        assert_eq!(
            (of(vietnamnet.ce[0]) * of(vietnamnet.ce[1]), of(vietnamnet.fast[0]) * of(vietnamnet.fast[1])),
            (2783.0, 66.0)
        );
    }
}
