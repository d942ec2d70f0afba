//! Computes a signature's index keys by banding, so that similar signatures probably share a key.
//!
//! This is A. Broder's scheme as described in Leskovec, Rajaraman, Ullman: Mining of Massive Datasets,
//! section 3.4.2. The values of a signature are cut into bands of [`ROWS`] values. Two texts are candidates
//! if all values of at least one band are equal. At a Jaccard similarity J, the probability that two texts
//! are candidates is 1 - (1 - J^ROWS)^[`BANDS`] ([`chance`]).
//!
//! Why 42 bands of 3: if 15% of a copy's words are replaced at random (J = 0.443), 42 bands of 3 find 98% of
//! the copies. 32 bands of 4 (all 128 values) find only 72%. Different news texts share only common phrases:
//! their mean J is 0.0004 to 0.0009 (docs/dedup.md). Even at J = 0.003, only one pair in a million shares a
//! key. In 10 million documents, a text has about ten such matches. They are rejected when the signatures are
//! compared.
//!
//! ```
//! use gleaner_corpus::dedup::bands::chance;
//! assert!(chance(0.5) > 0.99 && chance(0.443) > 0.97 && chance(0.003) < 2e-6);
//! ```

use crate::dedup::mix::{mix, step};
use crate::dedup::signature::Signature;

/// Number of keys per text.
pub const BANDS: usize = 42;

/// Number of signature values per key.
pub const ROWS: usize = 3;

/// The keys of a text, one per band, each with 64 evenly distributed bits. Each key also depends on the number
/// of the band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BandKeys([u64; BANDS]);

impl BandKeys {
    /// Computes the keys of a signature. A restored signature has the same keys as before it was stored.
    #[must_use]
    pub fn from_signature(signature: &Signature) -> Self {
        let values = signature.values();
        Self(std::array::from_fn(|band| {
            let rows = &values[band * ROWS..(band + 1) * ROWS];
            mix(rows.iter().fold(band as u64 + 1, |key, value| step(key, u64::from(*value) + 1)))
        }))
    }

    /// Returns the keys with which a document of `group` is stored. The same key becomes different keys in
    /// different groups, so one index can contain several groups without comparing their documents.
    #[must_use]
    pub fn of_group(&self, group: u8) -> Self {
        Self(self.0.map(|key| mix(step(key, u64::from(group)))))
    }

    /// Returns the keys in the order of the bands.
    #[must_use]
    pub const fn as_array(&self) -> &[u64; BANDS] {
        &self.0
    }
}

/// Returns the probability that two texts with this Jaccard similarity, 0 to 1, share a key.
#[must_use]
pub fn chance(similarity: f64) -> f64 {
    1.0 - (1.0 - similarity.clamp(0.0, 1.0).powi(ROWS as i32)).powi(BANDS as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two sets share a key. They have `shared` common hashes, and each has `apart` other hashes.
    fn share_a_key(trial: u64, shared: u64, apart: u64) -> bool {
        let set = |number: u64, count| (0..count).map(move |at| mix((trial * 8 + number) << 32 | (at + 1)));
        let keys = |number| {
            BandKeys::from_signature(&Signature::of_hashes(set(1, shared).chain(set(number, apart))))
        };
        let (one, other) = (keys(2), keys(3));
        one.as_array().iter().zip(other.as_array()).any(|(one, other)| one == other)
    }

    /// Tests 1,000 pairs per case. The tolerance is five standard errors, plus the effect of densification.
    #[test]
    fn pairs_meet_as_often_as_expected() {
        for (shared, apart) in [(300, 150), (200, 200), (200, 400), (40, 400), (100, 10)] {
            let similarity = shared as f64 / (shared + 2 * apart) as f64;
            let met = (0..1000).filter(|trial| share_a_key(*trial, shared, apart)).count() as f64 / 1000.0;
            let expected = chance(similarity);
            let error = (expected * (1.0 - expected) / 1000.0).sqrt();
            assert!((met - expected).abs() <= 5.0 * error + 0.01, "{similarity}: {met}, not {expected}");
        }
    }

    #[test]
    fn groups_share_no_keys() {
        let keys = BandKeys::from_signature(&Signature::of_hashes([7, 8, 9]));
        assert_eq!(keys.of_group(3), keys.of_group(3));
        let (one, other) = (keys.of_group(3), keys.of_group(4));
        assert!(one.as_array().iter().all(|key| !other.as_array().contains(key)));
    }

    #[test]
    fn bands_are_told_apart() {
        let keys = BandKeys::from_signature(&Signature::of_hashes([]));
        let mut distinct = keys.as_array().to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), BANDS);
    }
}
