//! Reads keywords and tags.

use std::collections::HashSet;

use crate::author::is_of_others;
use crate::json_ld::Statement;
use crate::meta::{KEYWORDS, Meta};
use crate::small_text::small_text;
use crate::{NodeId, Page};

/// Maximum length of a keyword in characters, and maximum number of keywords.
const MAX_KEYWORD_LENGTH: usize = 80;
const MAX_KEYWORDS: usize = 50;

/// Returns the keywords of the first source that has any: JSON-LD, `<meta>`, or links with `rel=tag`.
pub(super) fn keywords(page: &Page, meta: &Meta, article: &Statement) -> Vec<String> {
    let of_meta = |name: &&str| meta.all(name).map(str::to_owned).collect::<Vec<_>>();
    let stated = std::iter::once(article.keywords.clone()).chain(KEYWORDS.iter().map(of_meta));
    stated
        .map(|list| separated(&list))
        .find(|list| !list.is_empty())
        .unwrap_or_else(|| separated(&tags(page)))
}

fn tags(page: &Page) -> Vec<String> {
    let is_tag = |id: &NodeId| {
        let rel = page.attribute(*id, "rel").unwrap_or_default();
        rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("tag"))
    };
    let is_own = |id: &NodeId| is_tag(id) && !is_of_others(page, *id);
    page.elements("a").filter(is_own).take(MAX_KEYWORDS).filter_map(|id| small_text(page, id)).collect()
}

fn separated(lists: &[String]) -> Vec<String> {
    let (mut out, mut known) = (Vec::new(), HashSet::new());
    let words = lists.iter().flat_map(|list| list.split([',', ';', '，', '、', '،', '؛'])).map(str::trim);
    for word in words.filter(|word| !word.is_empty() && word.chars().count() <= MAX_KEYWORD_LENGTH) {
        if out.len() == MAX_KEYWORDS {
            break;
        }
        if known.insert(word.to_lowercase()) {
            out.push(word.to_owned());
        }
    }
    out
}
