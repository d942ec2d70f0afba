//! Implements position control, which excludes parts far from the best part.
//!
//! We read "direct parent" as the parent element of the best part, whatever its tag. If the parent is `body`,
//! every part is below it and no part is excluded. The paper also describes the case that the parent cannot
//! be found ("difficult string comparing"). It cannot occur in a tree.

use gleaner_html::Page;

use super::score::Part;

pub(super) fn controlled(page: &Page, parts: &[Part], best: usize, preliminary: Vec<usize>) -> Vec<usize> {
    let below = page.subtree(page.node(parts[best].id).parent);
    preliminary.into_iter().filter(|number| below.contains(&parts[*number].id)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Marks;
    use super::super::score::Parts;
    use super::*;

    #[test]
    fn parts_beside_the_bests_parent_are_ruled_out() {
        let page = Page::parse(
            "<div>0</div><div>1<section><div>2</div><p><div>3</div></section></div><div>4<div>5</div></div>",
        );
        let parts = Parts::new(&page, &["div".into()], Marks::Both);
        let all: Vec<usize> = (0..parts.as_slice().len()).collect();
        let of = |best| controlled(&page, parts.as_slice(), best, all.clone());
        assert_eq!(of(2), [2, 3]);
        assert_eq!(of(5), [4, 5]);
        assert_eq!(of(0), all);
    }
}
