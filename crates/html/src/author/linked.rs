//! Finds links to the pages of authors.

use super::{BETWEEN, REACH, is_of_others, is_of_teaser, is_person, small_text};
use crate::{NodeId, Page};

/// Maximum number of authors that are read from links.
const MAX_LINKED: usize = 5;

/// Returns the texts of the links near the headline that lead to pages of authors.
pub(super) fn linked(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    const FOLDERS: [&str; 25] = [
        "author",
        "authors",
        "autor",
        "autoren",
        "autores",
        "autori",
        "autorzy",
        "auteur",
        "auteurs",
        "autore",
        "bio",
        "by",
        "columnist",
        "columnists",
        "contributor",
        "contributors",
        "editors",
        "journalist",
        "journalists",
        "redakteur",
        "reporter",
        "reporters",
        "staff",
        "tac-gia",
        "writers",
    ];
    let Some(headline) = headline else { return Vec::new() };
    let is_folder = |part: &str| FOLDERS.contains(&part);
    let is_author = |id: &NodeId| {
        let path =
            page.attribute(*id, "href").unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
        // The folder is not the last part: `/authors` lists all authors.
        path.trim_end_matches('/').rsplit('/').skip(1).take(3).any(is_folder)
    };
    let near =
        (headline..(headline + REACH).min(page.len() as NodeId)).filter(|id| page.tag(*id) == Some("a"));
    let links =
        near.filter(|id| is_author(id) && !is_of_others(page, *id) && !is_of_teaser(page, *id, headline));
    let mut texts = Vec::new();
    let mut last = None;
    for id in links {
        if last.is_some_and(|last| id > page.node(last).end + BETWEEN) {
            break;
        }
        last = Some(id);
        texts.extend(small_text(page, id).filter(|text| is_person(text)));
    }
    texts.truncate(MAX_LINKED);
    texts
}
