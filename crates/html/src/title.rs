//! A page's headline, parted from the name of its site.
//!
//! `<title>` and sometimes `og:title` hold `Headline | Section | Site`. What is
//! cut is known, in this order: the part equals an `<h1>`; the last or first part
//! is the site's name or its host; in `<title>` only, the last part is short.
//!
//! The awkward truth: the last rule takes `Live - day two` for a headline and a
//! site when nothing else is known about the site.

use crate::entities::unescape;
use crate::text::{lines, plain, tidy};
use crate::{NodeId, Page};

/// What parts headline and site; white space on both sides is asked for, but for
/// the bar and the colon, which parts nothing but a known site.
const SEPARATORS: [&str; 12] =
    [" | ", "|", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", ": "];

/// Words of the longest site name that is cut from `<title>` unknown.
const SITE_WORDS: usize = 3;

/// What is known of the site when a title is cut.
#[derive(Debug, Default)]
pub(crate) struct Site<'a> {
    /// Its name as the page states it.
    pub(crate) name: Option<&'a str>,
    /// An address of the page, for its host.
    pub(crate) address: Option<&'a str>,
}

/// The texts of the page's `<h1>`, on one line each, none empty; at most 20.
pub(crate) fn headings(page: &Page) -> Vec<(NodeId, String)> {
    let text = |id| tidy(&plain(&lines(page, id, |_| true)));
    page.elements("h1").take(20).map(|id| (id, text(id))).filter(|(_, text)| !text.is_empty()).collect()
}

/// A stated title without the site's name, or the heading that is a part of it.
pub(crate) fn of_statement(title: &str, headings: &[(NodeId, String)], site: &Site) -> Option<String> {
    let title = tidy(&unescape(title));
    if let Some(heading) = shared(&title, headings, site) {
        return Some(heading.to_owned());
    }
    Some(known_site_cut(&title, site).map_or(title.clone(), str::to_owned)).filter(|t| !t.is_empty())
}

/// The headline by `<h1>` and `<title>`.
pub(crate) fn of_page(page: &Page, headings: &[(NodeId, String)], site: &Site) -> Option<String> {
    let in_head = page.elements("title").find(|id| !within_svg(page, *id));
    let title = in_head.map(|id| tidy(&page.raw_text(id))).filter(|t| !t.is_empty());
    let Some(title) = title else {
        return headings.first().map(|(_, text)| text.clone());
    };
    if let Some(heading) = shared(&title, headings, site) {
        return Some(heading.to_owned());
    }
    let others: Vec<_> = headings.iter().filter(|(_, text)| !is_site(text, site)).collect();
    let cut = known_site_cut(&title, site).unwrap_or(&title);
    if let [(_, only)] = others[..]
        && only.split(' ').count() > SITE_WORDS
    {
        return Some(only.clone());
    }
    Some(short_tail_cut(cut).to_owned())
}

/// The longest heading that is a part of a title and not the site's name.
fn shared<'a>(title: &str, headings: &'a [(NodeId, String)], site: &Site) -> Option<&'a str> {
    let parts = headings
        .iter()
        .map(|(_, text)| text.as_str())
        .filter(|text| is_part(title, text) && !is_site(text, site));
    parts.max_by_key(|text| text.len())
}

fn within_svg(page: &Page, id: NodeId) -> bool {
    page.tag(page.node(id).parent) == Some("svg")
}

/// Whether a heading is one or more whole parts of a title.
fn is_part(title: &str, heading: &str) -> bool {
    let (title, heading) = (title.to_lowercase(), heading.to_lowercase());
    title.split_once(&heading).is_some_and(|(before, after)| {
        let ends = |c: char| !c.is_alphanumeric();
        (before.is_empty() || before.ends_with(ends)) && (after.is_empty() || after.starts_with(ends))
    }) && heading.chars().count() * 5 >= title.chars().count()
}

/// The title without a first or last part that is the site.
fn known_site_cut<'a>(title: &'a str, site: &Site) -> Option<&'a str> {
    let mut title = title;
    let mut cut = None;
    // `Headline | Section | Site` may end in two parts of one name.
    for _ in 0..2 {
        let parted = SEPARATORS.iter().find_map(|separator| {
            let tail =
                title.rsplit_once(separator).filter(|(_, tail)| is_site(tail, site)).map(|(head, _)| head);
            tail.or_else(|| {
                title.split_once(separator).filter(|(head, _)| is_site(head, site)).map(|(_, tail)| tail)
            })
        });
        let Some(rest) = parted.map(str::trim).filter(|rest| !rest.is_empty()) else { break };
        title = rest;
        cut = Some(rest);
    }
    cut
}

/// Whether a part of a title is the site's name or host, written however.
fn is_site(part: &str, site: &Site) -> bool {
    let part = letters(part);
    if part.is_empty() {
        return false;
    }
    if let Some(name) = site.name {
        let name = letters(name);
        if !name.is_empty() && (part == name || (part.len() < name.len() * 2 && part.contains(&name))) {
            return true;
        }
    }
    let Some(host) = site.address.and_then(host) else { return false };
    let host = host.strip_prefix("www.").unwrap_or(host);
    let is_label = |label: &str| {
        let label = letters(label);
        // `The Boston Globe` of bostonglobe.com
        part == label || (label.len() > 4 && part.len() <= label.len() + 4 && part.contains(&label))
    };
    part == letters(host) || host.split('.').filter(|label| label.len() > 2).any(is_label)
}

fn host(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    rest.split(['/', ':', '?', '#']).next()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The title without a short last part, as long as a longer one stays.
fn short_tail_cut(title: &str) -> &str {
    let words = |text: &str| text.split_whitespace().count();
    let parted = SEPARATORS
        .iter()
        .filter(|s| **s != ": ")
        .filter_map(|s| title.rsplit_once(s))
        .max_by_key(|(head, _)| head.len());
    match parted {
        Some((head, tail)) if words(tail) <= SITE_WORDS && words(head) > SITE_WORDS => head.trim(),
        _ => title,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, name: Option<&str>, expected: &str) {
        let page = Page::parse(html);
        let site = Site { name, address: Some("https://www.the-paper.vn/a") };
        assert_eq!(of_page(&page, &headings(&page), &site).as_deref(), Some(expected), "{html}");
    }

    #[test]
    fn the_site_is_cut() {
        check("<title>Rain ends in town - Báo Mới</title>", Some("Báo Mới"), "Rain ends in town");
        check("<title>Báo Mới | Rain ends in town</title>", Some("báo mới"), "Rain ends in town");
        check("<title>Rain ends - at last - The Paper</title>", None, "Rain ends - at last");
        check("<title>Rain ends | the-paper.vn</title>", None, "Rain ends");
        check(
            "<title>Rain ends in the town | City | Some Daily</title>",
            None,
            "Rain ends in the town | City",
        );
        check("<title>Rain-soaked town sees the sun</title>", None, "Rain-soaked town sees the sun");
        check("<title>Short - words</title>", None, "Short - words");
    }

    #[test]
    fn the_heading_decides() {
        check("<title>Rain ends | City | Some Daily</title><h1>Rain ends</h1>", None, "Rain ends");
        check("<title>Rain ends in town | The Paper</title><h1>The Paper</h1>", None, "Rain ends in town");
        check(
            "<title>The Paper online</title><h1>Rain <b>ends</b> in the town</h1>",
            None,
            "Rain ends in the town",
        );
        check("<h1> Rain<br>ends</h1>", None, "Rain ends");
        check("<title></title><h1></h1><h1>Rain</h1>", None, "Rain");
    }

    #[test]
    fn statements_lose_only_a_known_site() {
        let site = Site { name: Some("Báo Mới"), address: None };
        assert_eq!(of_statement("Mưa tạnh - Báo Mới", &[], &site).as_deref(), Some("Mưa tạnh"));
        assert_eq!(of_statement("Mưa tạnh - phần hai", &[], &site).as_deref(), Some("Mưa tạnh - phần hai"));
        assert_eq!(of_statement("Báo Mới", &[], &site).as_deref(), Some("Báo Mới"));
        assert_eq!(of_statement(" ", &[], &site), None);
    }
}
