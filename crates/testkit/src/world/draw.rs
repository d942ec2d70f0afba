//! Draws numbers that depend only on a key.

/// A generator of random numbers (SplitMix64, Steele et al. 2014).
#[derive(Debug, Clone)]
pub(super) struct Draw(u64);

impl Draw {
    /// Creates a generator. Equal keys give equal numbers.
    pub(super) fn new(key: &[u64]) -> Self {
        let mut draw = Self(0x9E37_79B9_7F4A_7C15);
        for part in key {
            draw.0 ^= *part;
            draw.0 = draw.next();
        }
        draw
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `below`, which must not be 0.
    pub(super) fn below(&mut self, below: usize) -> usize {
        (self.next() % below as u64) as usize
    }

    /// Returns a number from 0 to 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns `true` with this probability.
    pub(super) fn is(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    pub(super) fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
