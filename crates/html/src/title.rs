//! Finds a page's headline and separates it from the site's name.
//!
//! Headings are compared with the declared titles. The first choice is a heading that equals a whole part of
//! a declared title (`Headline | Section | Site`). The second choice is an `<h1>` that shares words with a
//! declared title or with the page's address. Shared words suffice, because titles for search engines and for
//! sharing often differ from the headline. If there is no such heading, the site's name is cut from a
//! declared title. Three parts can be cut: a first or last part that is the site's name or host, the text
//! after a bar, and, in `<title>`, a short last part.
//!
//! Limitation: if the site's name is unknown, `day two` is cut from `Live news from Hanoi - day two`. The
//! only `<h1>` of a page becomes the headline even if it is a slogan, provided that a quarter of its words
//! are in the title.

mod site;

use std::collections::HashSet;

use html5ever::local_name;

use crate::class_words::ClassWords;
use crate::entities::unescape;
use crate::small_text::{ancestors, beginning, may_be, small_text};
use crate::text::{lines, plain, tidy};
use crate::{NodeId, Page};
use site::is_in_host;
pub(crate) use site::{Site, begins_with_host, has_other_name, is_site, is_user};

/// Separators between the headline and the site's name. All except the bar and the colon need white space on
/// both sides. The colon counts only next to the site's name or host.
const SEPARATORS: [&str; 12] =
    [" | ", "|", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", ": "];

const SITE_WORDS: usize = 3;

const MAX_HEADINGS: usize = 20;

/// Maximum number of nodes of a heading whose parts are read.
const MAX_HEADING_NODES: usize = 100;

/// Maximum number of elements around a heading, with itself, that are checked for breadcrumbs.
const MAX_AROUND_HEADING: usize = 3;

static BREADCRUMBS: ClassWords = ClassWords::new(&["breadcrumb", "bread-crumb"]);

/// Names of an article's headline.
static HEADLINES: ClassWords = ClassWords::new(&[
    "headline",
    "article-title",
    "article_title",
    "articletitle",
    "entry-title",
    "post-title",
    "story-title",
    "news-title",
]);

/// Names of text that only screen readers show.
static UNSEEN: ClassWords =
    ClassWords::new(&["sr-only", "visually-hidden", "visuallyhidden", "screen-reader"]);

/// Separators without white space that count only before the site's name, and before a section next to it.
const TIGHT_SEPARATORS: [&str; 7] = ["--", "_", "-", "ㅣ", "｜", "：", ":"];

/// Maximum length of a section before the site's name in characters.
const MAX_SECTION: usize = 6;

/// Minimum number of words of a headline that is not an `<h1>`.
const LESSER_WORDS: usize = 3;

/// Maximum number of words of a headline that differs from the declared titles.
const MAX_WORDS: usize = 35;

/// Minimum share of the shorter text's words that an `<h1>` and a declared title have in common.
/// `ONLY_SHARED` is for a page with one `<h1>`, and `ONE_SHARED` for a page with several.
const ONLY_SHARED: f64 = 0.25;
const ONE_SHARED: f64 = 0.6;

/// Returns the texts of the page's `<h1>`. An `<h1>` in breadcrumbs is omitted.
pub(crate) fn headings(page: &Page) -> Vec<(NodeId, String)> {
    let headings = page.elements("h1").take(MAX_HEADINGS).filter(|id| !is_breadcrumb(page, *id));
    let text = |id| tidy(&plain(&lines(page, id, |_| true)));
    headings.map(|id| (id, text(id))).filter(|(_, text)| !text.is_empty()).collect()
}

/// Returns the text of a heading without labels and subtitles in it, unless a declared title has all its words.
pub(crate) fn without_labels(
    page: &Page,
    (heading, whole): (NodeId, &str),
    stated: &[String],
) -> Option<String> {
    let nodes = page.subtree(heading);
    let all = words(whole);
    if stated.iter().any(|title| all.is_subset(&words(title))) {
        return None;
    }
    if nodes.len() > MAX_HEADING_NODES || !nodes.clone().into_iter().any(|id| is_label(page, id, heading)) {
        return None;
    }
    let text = tidy(&plain(&lines(page, heading, |id| !is_label(page, id, heading))));
    Some(text.trim_matches(is_between).to_owned()).filter(|text| weight(text) >= LESSER_WORDS)
}

/// Whether a character may separate a headline from a label.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '–' | '|' | '·' | ':')
}

/// Whether an element inside a heading is a label, a kicker or a subtitle by its name.
fn is_label(page: &Page, id: NodeId, heading: NodeId) -> bool {
    static WORDS: ClassWords = ClassWords::new(&[
        "label",
        "kicker",
        "overline",
        "eyebrow",
        "dachzeile",
        "subtitle",
        "sub-title",
        "subheading",
        "subhead",
        "badge",
        "topline",
        "roofline",
        "spitzmarke",
        "tagline",
    ]);
    id != heading && (page.tag(id) == Some("small") || WORDS.are_in_names_of(page, id))
}

/// Whether a heading is the last part of the page's breadcrumbs.
fn is_breadcrumb(page: &Page, heading: NodeId) -> bool {
    page.attributes(heading).any(|(name, _)| BREADCRUMBS.is_in(name))
        || ancestors(page, heading).take(MAX_AROUND_HEADING).any(|at| BREADCRUMBS.are_in_names_of(page, at))
}

/// Returns a heading without the text of its first or last child, if a declared title shows that the rest is
/// the headline.
pub(crate) fn without_child(
    page: &Page,
    headings: &[(NodeId, String)],
    stated: &[String],
    site: &Site,
) -> Option<(NodeId, String)> {
    headings.iter().find_map(|(id, text)| {
        let is_child = |at: &NodeId| page.node(*at).parent == *id && page.tag(*at).is_some();
        let children = page.subtree(*id).take(MAX_HEADING_NODES).filter(is_child);
        let holds = |part: &str| {
            let part = part.to_lowercase();
            stated.iter().any(|title| title.to_lowercase().contains(&part))
        };
        let rest = |child: NodeId| {
            let part = small_text(page, child).filter(|part| !part.is_empty() && !holds(part))?;
            let rest = text.strip_prefix(&*part).or_else(|| text.strip_suffix(&*part))?;
            let rest = rest.trim_matches(is_between);
            (weight(rest) >= LESSER_WORDS).then(|| (*id, rest.to_owned()))
        };
        let rests: Vec<(NodeId, String)> = children.filter_map(rest).take(MAX_HEADINGS).collect();
        of_parts(&rests, stated, site).map(|rest| (*id, rest.to_owned()))
    })
}

/// Returns a declared title without the site's name, or the heading that is a part of this title.
pub(crate) fn of_statement(title: &str, headings: &[(NodeId, String)], site: &Site) -> Option<String> {
    let title = tidy(&unescape(title));
    if let Some(heading) = shared(&title, headings, site) {
        return Some(heading.to_owned());
    }
    let cut = before_bar(without_site(&title, site).unwrap_or(&title));
    Some(cut.to_owned()).filter(|t| !t.is_empty())
}

pub(crate) fn of_parts<'a>(
    headings: &'a [(NodeId, String)],
    stated: &[String],
    site: &Site,
) -> Option<&'a str> {
    stated.iter().find_map(|title| shared(&tidy(&unescape(title)), headings, site))
}

pub(crate) fn breadcrumbs(page: &Page) -> Vec<String> {
    let Some(first) = BREADCRUMBS.elements(page).next() else { return Vec::new() };
    let links = page.subtree(first).filter(|id| page.tag(*id) == Some("a"));
    links.take(MAX_HEADINGS).filter_map(|id| small_text(page, id)).collect()
}

pub(crate) fn of_heading<'a>(
    headings: &'a [(NodeId, String)],
    stated: &[String],
    site: &Site,
) -> Option<&'a str> {
    let stated: Vec<HashSet<String>> = stated.iter().map(|title| words(&unescape(title))).collect();
    let shared = |text: &str| {
        let own = words(text);
        let share = |other: &HashSet<String>| {
            own.intersection(other).count() as f64 / own.len().min(other.len()).max(1) as f64
        };
        stated.iter().map(share).fold(0.0, f64::max)
    };
    let texts = headings.iter().map(|(_, text)| text.as_str());
    let others: Vec<&str> = texts.filter(|text| !is_site(text, site)).collect();
    let enough = if others.len() == 1 { ONLY_SHARED } else { ONE_SHARED };
    let long = others.into_iter().filter(|text| (SITE_WORDS + 1..=MAX_WORDS).contains(&weight(text)));
    let shares = long.map(|text| (shared(text), text)).filter(|(share, _)| *share >= enough);
    // Of headings with equal shares, the first wins.
    shares.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, text)| text)
}

const LONGEST: usize = 4_000;

pub(crate) fn of_document(page: &Page) -> Option<String> {
    let in_head = page.elements("title").find(|id| !within_svg(page, *id));
    let start = |text: String| tidy(&text[..text.floor_char_boundary(LONGEST)]);
    in_head.map(|id| start(page.raw_text(id))).filter(|t| !t.is_empty())
}

/// Returns small elements outside links whose text is the title, or a part of the title between separators.
/// An `<h2>` to `<h5>` may be any part except the site's name. Another element must be the longest part. Used
/// for pages without an `<h1>`, and for pages whose `<h1>` is the site's name.
pub(crate) fn small_headings(page: &Page, title: &str, site: &Site) -> Vec<(NodeId, String)> {
    let title = title.to_lowercase();
    let mut parts: Vec<&str> = vec![&title];
    for separator in SEPARATORS.iter().filter(|separator| **separator != ": ") {
        parts = parts.into_iter().flat_map(|part| part.split(*separator)).map(str::trim).collect();
    }
    let is_of_site = |part: &str| is_site(part, site) || is_in_host(part, site);
    parts.retain(|part| !is_of_site(part));
    let longest = parts.iter().copied().max_by_key(|part| part.len());
    let is_heading = |id| matches!(page.tag(id), Some("h2" | "h3" | "h4" | "h5"));
    let is_headline = |id: NodeId, text: &str| {
        let lower = text.to_lowercase();
        let is_part = if is_heading(id) { parts.contains(&&*lower) } else { longest == Some(&*lower) };
        (is_part || lower == title) && weight(text) >= LESSER_WORDS
    };
    let is_begun = |it: &&str| parts.iter().chain([&&*title]).any(|part| may_be(it, part));
    // The beginning of the text rejects most elements without joining their texts.
    let begun = page.iter().map(|(id, _)| id).filter(|id| may_be_headline(page, *id));
    let begun = begun.filter(|id| beginning(page, *id).as_ref().is_some_and(is_begun));
    let texts = begun.filter_map(|id| Some((id, small_text(page, id)?)));
    let mut found: Vec<(NodeId, String)> =
        texts.filter(|(id, text)| is_headline(*id, text) && !in_link(page, *id)).take(MAX_HEADINGS).collect();
    found.sort_by_key(|(id, _)| !is_heading(*id));
    found
}

/// Whether an element with this name may be a headline. `<h1>` is excluded, because it was searched before.
fn may_be_headline(page: &Page, id: NodeId) -> bool {
    page.node(id).kind.name().is_some_and(|tag| {
        !page.is_never_text(id)
            && !matches!(
                *tag,
                local_name!("h1") | local_name!("a") | local_name!("option") | local_name!("li")
            )
    })
}

fn in_link(page: &Page, id: NodeId) -> bool {
    ancestors(page, id).any(|at| page.tag(at) == Some("a"))
}

/// Returns the text of the first small element without links that is named as a headline.
pub(crate) fn named(page: &Page) -> Option<String> {
    let has_link = |id: NodeId| in_link(page, id) || page.subtree(id).any(|at| page.tag(at) == Some("a"));
    let texts = HEADLINES.elements(page).filter_map(|id| Some((id, small_text(page, id)?)));
    let found = texts.take(MAX_HEADINGS).find(|(id, text)| weight(text) >= LESSER_WORDS && !has_link(*id));
    found.map(|(_, text)| text)
}

pub(crate) fn of_page(page: &Page, headings: &[(NodeId, String)], site: &Site) -> Option<String> {
    let title = of_document(page);
    let Some(title) = title else {
        return headings.first().map(|(_, text)| text.clone());
    };
    if let Some(heading) = shared(&title, headings, site) {
        return Some(heading.to_owned());
    }
    let is_seen = |id: NodeId| !UNSEEN.are_in_names_of(page, id);
    let others: Vec<_> = headings.iter().filter(|(id, text)| !is_site(text, site) && is_seen(*id)).collect();
    let cut = without_site(&title, site).unwrap_or(&title);
    if let [(_, only)] = others[..]
        && only.split(' ').count() > SITE_WORDS
    {
        return Some(only.clone());
    }
    let without_bars = before_bar(cut);
    Some(if without_bars.len() < cut.len() { without_bars } else { without_short_tail(cut) }.to_owned())
}

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

/// Whether a title contains a heading as whole words, and at least a fifth of the title is the heading.
fn is_part(title: &str, heading: &str) -> bool {
    let (title, heading) = (title.to_lowercase(), heading.to_lowercase());
    title.split_once(&heading).is_some_and(|(before, after)| {
        let ends = |c: char| !c.is_alphanumeric();
        (before.is_empty() || before.ends_with(ends)) && (after.is_empty() || after.starts_with(ends))
    }) && heading.chars().count() * 5 >= title.chars().count()
}

fn without_site<'a>(title: &'a str, site: &Site) -> Option<&'a str> {
    let mut title = title;
    let mut cut = None;
    // A title may name the site twice: `Headline | Paper | the-paper.vn`.
    for _ in 0..2 {
        let parted = SEPARATORS.iter().find_map(|separator| {
            let is_tail = |tail: &str| is_site(tail, site) || is_in_host(tail, site);
            let tail = title.rsplit_once(separator).filter(|(_, tail)| is_tail(tail)).map(|(head, _)| head);
            tail.or_else(|| {
                title.split_once(separator).filter(|(head, _)| is_site(head, site)).map(|(_, tail)| tail)
            })
        });
        let Some(rest) = parted.map(str::trim).filter(|rest| !rest.is_empty()) else { break };
        title = rest;
        cut = Some(rest);
    }
    cut.or_else(|| without_tight_site(title, site))
}

/// Returns the title before the site's name and a section, which separators without white space precede, as
/// in East Asia: `Headline_Section_Site`.
fn without_tight_site<'a>(title: &'a str, site: &Site) -> Option<&'a str> {
    let parted = |text: &'a str| {
        TIGHT_SEPARATORS.iter().filter_map(|it| text.rsplit_once(it)).max_by_key(|(head, _)| head.len())
    };
    let (head, _) =
        parted(title).filter(|(head, tail)| is_site(tail, site) && head.chars().any(is_east_asian))?;
    let is_section = |tail: &str| tail.chars().count() <= MAX_SECTION && tail.chars().all(is_east_asian);
    let without_section = parted(head).filter(|(rest, tail)| is_section(tail) && weight(rest) > SITE_WORDS);
    Some(without_section.map_or(head, |(rest, _)| rest).trim_end_matches(['-', ' ']))
}

fn is_east_asian(c: char) -> bool {
    is_ideograph(c) || matches!(c, '\u{AC00}'..='\u{D7AF}')
}

/// Returns a text's words in lower case. Each CJK character is a word.
fn words(text: &str) -> HashSet<String> {
    let mut out = HashSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(200) {
        if word.chars().any(is_ideograph) {
            out.extend(word.chars().map(String::from));
        } else {
            out.insert(word.to_lowercase());
        }
    }
    out
}

/// Returns the length in words. Two CJK characters count as one word.
fn weight(text: &str) -> usize {
    text.split_whitespace().count() + text.chars().filter(|c| is_ideograph(*c)).count() / 2
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Returns the title up to its first bar, if that part is long enough to be a headline.
fn before_bar(title: &str) -> &str {
    match title.split_once(" | ") {
        Some((head, _)) if weight(head) > SITE_WORDS => head.trim(),
        _ => title,
    }
}

fn without_short_tail(title: &str) -> &str {
    let parted = SEPARATORS
        .iter()
        .filter(|s| **s != ": ")
        .filter_map(|s| title.rsplit_once(s))
        .max_by_key(|(head, _)| head.len());
    match parted {
        Some((head, tail)) if weight(tail) <= SITE_WORDS && weight(head) > SITE_WORDS => head.trim(),
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
        check("<title>Rain ends in the town | City | Some Daily</title>", None, "Rain ends in the town");
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
    fn a_heading_in_other_words() {
        let found = |html: &str, stated: &str| {
            let page = Page::parse(html);
            let site = Site { name: Some("The Paper"), address: None };
            of_heading(&headings(&page), &[stated.to_owned()], &site).map(str::to_owned)
        };
        assert_eq!(
            found("<h1>Rain ends after a month of floods</h1>", "Town sees rain ending").as_deref(),
            Some("Rain ends after a month of floods")
        );
        assert_eq!(found("<h1>All the news of the day</h1>", "Rain ends"), None);
        assert_eq!(found("<h1>The Paper</h1>", "The Paper"), None);
        assert_eq!(
            found(
                "<h1>News of the town online</h1><h1>Rain ends after a month</h1>",
                "Rain ends: a month of floods"
            )
            .as_deref(),
            Some("Rain ends after a month")
        );
        assert_eq!(
            found("<h1>大雨結束 城市再見陽光</h1>", "城市陽光").as_deref(),
            Some("大雨結束 城市再見陽光")
        );
    }

    #[test]
    fn a_lesser_heading_that_is_a_part_of_the_title() {
        let page = Page::parse("<h1>The Paper</h1><h2>Other news of today</h2><h2>Rain ends now</h2>");
        let site = Site { name: Some("The Paper"), address: None };
        let found = |title: &str| {
            let all = small_headings(&page, title, &site);
            all.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(found("THE PAPER - Rain ends now | City"), ["Rain ends now"]);
        assert_eq!(found("Rain ends now in town"), [""; 0]);
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
