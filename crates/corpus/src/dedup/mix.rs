//! Provides hash functions with the same results on every machine and in every version.
//!
//! Signatures and paragraph keys are stored for years, so these functions must never change. A test checks
//! fixed values. Deliberate collisions are possible. A collision of index keys costs one comparison but loses
//! no text, because the texts themselves are compared.

/// MurmurHash3's 64-bit finaliser (A. Appleby, public domain): a bijection.
pub(crate) const fn mix(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^= h >> 33;
    h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

pub(crate) const fn step(h: u64, with: u64) -> u64 {
    (h.rotate_left(5) ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Maps `h` to a number below `count`. Uses the high bits of `h`.
pub(crate) const fn below(h: u64, count: usize) -> usize {
    ((h as u128 * count as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_were_kept() {
        assert_eq!(mix(1), 0xb456_bcfc_34c2_cb2c);
        assert_eq!(step(1, 2), 34_u64.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        assert_eq!((below(0, 10), below(u64::MAX, 10), below(1 << 63, 10)), (0, 9, 5));
    }
}
