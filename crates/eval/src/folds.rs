//! Five folds a set, page k of the manifest in fold k mod 5, and the pages of the other
//! folds that one is learned from.
//!
//! Limitation: those are the first pages of the manifest, which may be of one
//! week of the site, not any thirty.

/// Folds of a set.
pub(crate) const FOLDS: usize = 5;

/// Pages that are learned from at most.
pub(crate) const TEACHERS: usize = 30;

/// So many pages at a set's start hold the teachers of every fold: 30 and those of one
/// fold among them.
pub(crate) const KEPT: usize = 38;

/// Places of the pages that a fold is learned from.
pub(crate) fn teachers(pages: usize, fold: usize) -> impl Iterator<Item = usize> {
    (0..pages).filter(move |at| at % FOLDS != fold).take(TEACHERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_learns_from_the_first_thirty_pages_of_the_others() {
        let all = |pages, fold| teachers(pages, fold).collect::<Vec<_>>();
        assert_eq!(all(7, 1), [0, 2, 3, 4, 5]);
        assert!(all(1, 0).is_empty());
        for fold in 0..FOLDS {
            let of_many = all(500, fold);
            assert_eq!(of_many.len(), TEACHERS);
            assert!(of_many.iter().all(|at| at % FOLDS != fold));
            assert_eq!(of_many, all(KEPT, fold), "the pages that are kept hold all teachers");
        }
        assert!((0..FOLDS).any(|fold| all(KEPT - 1, fold).len() < TEACHERS));
    }
}
