//! Assigns the pages of a set to five folds. Page k of the manifest is in fold k mod 5. The model of a fold
//! is trained on pages of the other folds.
//!
//! Limitation: the training pages of a fold are the first pages of the manifest, perhaps all from one week.

pub(crate) const FOLDS: usize = 5;

pub(crate) const TRAINING_PAGES: usize = 30;

/// Number of pages at the beginning of a set that are kept in memory. These pages include the 30 training
/// pages of every fold.
pub(crate) const KEPT: usize = 38;

pub(crate) fn training_pages(pages: usize, fold: usize) -> impl Iterator<Item = usize> {
    (0..pages).filter(move |at| at % FOLDS != fold).take(TRAINING_PAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_learns_from_the_first_thirty_pages_of_the_others() {
        let all = |pages, fold| training_pages(pages, fold).collect::<Vec<_>>();
        assert_eq!(all(7, 1), [0, 2, 3, 4, 5]);
        assert!(all(1, 0).is_empty());
        for fold in 0..FOLDS {
            let of_many = all(500, fold);
            assert_eq!(of_many.len(), TRAINING_PAGES);
            assert!(of_many.iter().all(|at| at % FOLDS != fold));
            assert_eq!(of_many, all(KEPT, fold), "the pages that are kept contain all training pages");
        }
        assert!((0..FOLDS).any(|fold| all(KEPT - 1, fold).len() < TRAINING_PAGES));
    }
}
