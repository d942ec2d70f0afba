//! Chooses the headline among the declared titles and the headings of a page.

use super::{MAX_TITLE_LENGTH, Sources, cut};
use crate::meta::TITLE;
use crate::text::tidy;
use crate::title::{self, Site};
use crate::{NodeId, Page};

#[derive(Debug, Clone)]
pub(super) struct Headline {
    pub(super) text: Option<String>,
    /// The heading, or the first `<h1>`, which may be near the article.
    pub(super) node: Option<NodeId>,
}

pub(super) fn headline(page: &Page, sources: &Sources, site: &Site) -> Headline {
    let Sources { meta, article, .. } = sources;
    let mut headings = title::headings(page);
    let of_document = title::of_document(page);
    let in_meta = TITLE.iter().filter_map(|name| meta.get(&[name]));
    let stated = article.headline.clone().into_iter().chain(in_meta);
    let mut stated: Vec<String> = stated.map(|text| cut(&text, MAX_TITLE_LENGTH)).collect();
    stated.extend(of_document.clone());
    if title::of_parts(&headings, &stated, site).is_none() {
        let found = title::without_child(page, &headings, &stated, site);
        match found {
            Some(found) => headings.push(found),
            None => headings.iter_mut().for_each(|(id, text)| {
                *text = title::without_labels(page, (*id, text), &stated).unwrap_or(std::mem::take(text));
            }),
        }
    }
    if title::of_parts(&headings, &stated, site).is_none()
        && let Some(whole) = &of_document
    {
        headings.extend(title::small_headings(page, whole, site));
    }
    let text = title::of_parts(&headings, &stated, site)
        .map(str::to_owned)
        .or_else(|| {
            stated.extend(site.address.map(slug));
            title::of_heading(&headings, &stated, site).map(str::to_owned)
        })
        .or_else(|| cut_headline(page, sources, &headings, site))
        .map(|text| cut(&text, MAX_TITLE_LENGTH));
    let is_it = |heading: &&(NodeId, String)| text.as_ref() == Some(&heading.1);
    // An `<h1>` in breadcrumbs has no headline, but is near the article.
    let first = || headings.first().map(|(id, _)| *id).or_else(|| page.elements("h1").next());
    let node = headings.iter().find(is_it).map(|(id, _)| *id).or_else(first);
    Headline { text, node }
}

fn slug(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().replace(['-', '_'], " ")
}

fn cut_headline(
    page: &Page,
    sources: &Sources,
    headings: &[(NodeId, String)],
    site: &Site,
) -> Option<String> {
    let Sources { meta, article, items, .. } = sources;
    let stated =
        article.headline.clone().into_iter().chain(TITLE.iter().filter_map(|name| meta.get(&[name])));
    let itemprop = || items.find(page, "headline").map(|id| tidy(&page.raw_text(id)));
    // The site's name alone is not a headline.
    let is_headline = |title: &String| Some(title.as_str()) != site.name;
    stated
        .filter_map(|title| title::of_statement(&title, headings, site))
        .find(is_headline)
        .or_else(|| itemprop().filter(|t| !t.is_empty()).filter(is_headline))
        .or_else(|| {
            let of_page = title::of_page(page, headings, site);
            let is_known = of_page.as_ref().is_some_and(|title| !title::is_site(title, site));
            if is_known { of_page } else { title::named(page).or(of_page) }
        })
}
