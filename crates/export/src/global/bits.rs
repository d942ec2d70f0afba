//! One bit per document.

use std::fs;
use std::path::Path;

use crate::global::GlobalError;
use crate::global::table::Out;

/// Bits indexed by number; unset by default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits(Vec<u8>);

impl Bits {
    pub(crate) fn set(&mut self, at: u64) {
        let byte = (at / 8) as usize;
        if byte >= self.0.len() {
            self.0.resize(byte + 1, 0);
        }
        self.0[byte] |= 1 << (at % 8);
    }

    pub(crate) fn get(&self, at: u64) -> bool {
        self.0.get((at / 8) as usize).is_some_and(|byte| byte & (1 << (at % 8)) != 0)
    }

    pub(crate) fn read(path: &Path) -> Result<Self, GlobalError> {
        fs::read(path).map(Self).map_err(GlobalError::reading(path))
    }

    pub(crate) fn write(&self, mut out: Out) -> Result<(), GlobalError> {
        out.write(&self.0)?;
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_one_by_one() {
        let mut bits = Bits::default();
        [3, 8, 1000].into_iter().for_each(|at| bits.set(at));
        let set: Vec<u64> = (0..2000).filter(|at| bits.get(*at)).collect();
        assert_eq!(set, [3, 8, 1000]);
    }
}
