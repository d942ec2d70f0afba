//! Stores results that were computed for names, such as the class and id of an element.
//!
//! Elements of a page repeat a few hundred names. Hashing a name byte by byte takes longer than comparing it
//! with a stored name. A table of fixed size without chains keeps the time linear for every page.
//!
//! Limitation: of several names with the same slot, only the last is stored.

use super::hashing::hash_in_eights;

/// Number of slots, a power of two.
const SLOTS: usize = 512;

#[derive(Debug)]
pub(super) struct Memo<'a, const N: usize, T>(Vec<Option<([&'a str; N], T)>>);

impl<const N: usize, T> Default for Memo<'_, N, T> {
    fn default() -> Self {
        Self(std::iter::repeat_with(|| None).take(SLOTS).collect())
    }
}

impl<'a, const N: usize, T> Memo<'a, N, T> {
    /// Returns the value of these names. Computes the value unless it is stored.
    pub(super) fn get(&mut self, names: [&'a str; N], compute: impl FnOnce() -> T) -> &mut T {
        let mix = |hash: u64, name: &str| hash.rotate_left(23) ^ hash_in_eights(name.as_bytes(), |it| it);
        let slot = &mut self.0[names.into_iter().fold(0, mix) as usize % SLOTS];
        slot.take_if(|(known, _)| *known != names);
        &mut slot.get_or_insert_with(|| (names, compute())).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_of_its_names_only() {
        let names: Vec<String> = (0..3 * SLOTS).map(|at| format!("name-{at}")).collect();
        let mut memo: Memo<2, String> = Memo::default();
        let mut computed = 0;
        for name in names.iter().chain(&names).chain([&names[0], &names[0]]) {
            let value = memo.get([name, "x"], || {
                computed += 1;
                name.clone()
            });
            assert_eq!(value, name);
        }
        assert!((names.len()..2 * names.len() + 2).contains(&computed), "{computed}");
    }
}
