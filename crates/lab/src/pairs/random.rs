//! Generates random numbers from a seed. The numbers are the same on every machine.
//!
//! The generator is SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). It is not cryptographic.
//!
//! Limitation: the modulo operation favours small numbers by less than one in a thousand million, which is
//! negligible here.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates the stream of random numbers for this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64-bit number.
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub const fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.number() % end as u64) as usize }
    }

    /// Returns a number from `from` to `to`, both included.
    pub const fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to + 1 - from)
    }

    /// Returns `true` with the given probability, from 0 to 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64 <= probability && probability > 0.0
    }

    /// Returns one of the items.
    ///
    /// # Panics
    /// If there are no items.
    pub fn choose<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_its_stream() {
        // The reference code yields these first numbers for the seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.number(), 6_457_827_717_110_365_317);
        assert_eq!(random.number(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut random = Random::new(1);
        assert!((0..1000).all(|_| (3..=5).contains(&random.between(3, 5))));
        assert_eq!((random.below(0), random.below(1)), (0, 0));
        let happened = (0..10_000).filter(|_| random.chance(0.25)).count();
        assert!((2_300..2_700).contains(&happened) && !random.chance(0.0) && random.chance(1.0));
        let mut items: Vec<usize> = (0..50).collect();
        random.shuffle(&mut items);
        assert!(items.iter().enumerate().any(|(at, item)| at != *item));
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(at, item)| at == *item));
    }
}
