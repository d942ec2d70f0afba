//! Finds the text of an article if the page does not show this text, but embeds it as data for scripts.
//!
//! Some pages are rendered in the browser from such data (`__NEXT_DATA__`, `self.__next_f.push`,
//! `window.__INITIAL_STATE__`, `application/json` scripts). Others show a teaser and contain the whole text
//! in JSON-LD (`articleBody`) or in `<noscript>`, for browsers that run no scripts. [`complete`] inserts the text below the page's headline, where extraction and
//! all later steps find it.
//!
//! A text is inserted only if
//! * the page shows at most 300 words of prose;
//! * the text has words of the page's title or description;
//! * at least two in five of the text's word trigrams are not on the page;
//! * the page shows at most 60 words of other prose, and this is at most half of the text's number of words.
//!
//! Therefore a page that shows its article stays unchanged. If a text is inserted, lines of the page with the
//! same words are removed, even if they are cut off or divided differently.
//!
//! Limitation: strings in single quotes, template strings, and data that are compressed, encoded or fetched
//! later are not read.

mod strings;

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::entities::unescape;
use crate::metadata::title_and_description;
use crate::text::{PlacedLine, placed_lines};
use crate::{NodeId, Page};
use strings::{EmbeddedText, strings};

/// Class of the element with the embedded text. The element's attribute `data-path` names the position of the
/// data.
pub const CLASS: &str = "embedded-article-body";

const MIN_SCRIPT: usize = 600;

const MIN_WORDS: usize = 60;

/// Minimum number of words of a line of prose.
const PROSE: usize = 12;

/// If the strings of a list have a greater average length in bytes than this, they are separate articles.
const ARTICLE: usize = 1_500;

/// Maximum number of words of prose on a page that does not show its article. Teasers are shorter.
const TEASER: usize = 300;

/// Minimum length of prose in bytes.
const SHORTEST_PROSE: usize = 40;

/// Maximum number of words of prose outside the embedded text. A page with more prose shows its own article.
const BESIDE: usize = 60;

/// Minimum share of the title's words in a text on the same topic.
const TITLE: f32 = 0.3;

/// Minimum share of a text's trigrams that the page does not show.
const NOT_SHOWN: f32 = 0.4;

/// A line repeats the embedded text if at most this share of the line's trigrams is not in the text. A
/// trigram may be missing because the last word of the line is cut off.
const NEW: f32 = 0.2;

const MIN_REPEATED: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    path: String,
    html: String,
    words: Vec<u64>,
}

/// Parses a page. If only the scripts of the page contain the text of its article, inserts the text into the
/// page.
///
/// ```
/// use gleaner_html::embedded::{complete, is_completed};
///
/// let text = "Rain fell on the valley all day, and the river rose above the old bridge. ".repeat(8);
/// let html = format!(
///     r#"<title>Rain on the valley</title><div id=root></div>
///        <script type="application/json">{{"article":{{"title":"Rain","body":"{text}"}}}}</script>"#
/// );
/// let page = complete(&html);
/// assert!(is_completed(&page) && page.raw_text(0).contains("Rain fell on the valley all day"));
/// assert!(!is_completed(&complete("<title>Rain</title><p>Rain fell.")));
/// ```
#[must_use]
pub fn complete(html: &str) -> Page {
    completed(html, Page::parse(html))
}

/// Like [`complete`], for a page that is already parsed. `html` is its source.
#[must_use]
pub fn completed(html: &str, page: Page) -> Page {
    if shows_article(&page) {
        return page;
    }
    let candidates = candidates(&page);
    if candidates.is_empty() {
        return page;
    }
    let Some(best) = choose(&page, candidates) else { return page };
    let completed = Page::parse(&inserted(html, &page, &best));
    let repeated = repeated(&completed);
    if repeated.is_empty() { completed } else { completed.without(&repeated) }
}

/// Whether [`complete`] inserted a text into this page.
#[must_use]
pub fn is_completed(page: &Page) -> bool {
    body(page).is_some()
}

fn shows_article(page: &Page) -> bool {
    let mut words = 0;
    let is_shown =
        |tag: Option<&str>| !matches!(tag, Some("script" | "style" | "noscript" | "template" | "textarea"));
    let texts = page.iter().filter_map(|(id, node)| Some((page.text(id)?, node.parent)));
    let mut long = texts.filter(|(text, _)| text.len() > SHORTEST_PROSE);
    long.any(|(text, parent)| {
        words += if is_shown(page.tag(parent)) { prose_words(text) } else { 0 };
        words > TEASER
    })
}

fn body(page: &Page) -> Option<NodeId> {
    page.elements("article").find(|id| page.attribute(*id, "class") == Some(CLASS))
}

fn candidates(page: &Page) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for script in page.elements("script") {
        let source = page.raw_text(script);
        if source.len() < MIN_SCRIPT {
            continue;
        }
        let mut groups: BTreeMap<String, Vec<EmbeddedText>> = BTreeMap::new();
        for found in strings(&source) {
            groups.entry(found.path.clone()).or_default().push(found);
        }
        for (path, group) in groups {
            let bytes: usize = group.iter().map(|found| found.text.len()).sum();
            let is_named = path.contains(|c: char| c.is_alphabetic());
            if bytes >= group.len() * ARTICLE || !is_named {
                candidates.extend(group.into_iter().map(|found| candidate(&path, &[found])));
            } else {
                candidates.push(candidate(&path, &group));
            }
        }
    }
    for noscript in page.elements("noscript") {
        let html = page.raw_text(noscript);
        if html.len() >= MIN_SCRIPT {
            let text = EmbeddedText { path: "noscript".to_owned(), indexes: Vec::new(), text: html };
            candidates.push(candidate("noscript", &[text]));
        }
    }
    candidates.retain(|candidate| candidate.words.len() >= MIN_WORDS);
    candidates
}

fn candidate(path: &str, group: &[EmbeddedText]) -> Candidate {
    let html = markup(group);
    let page = Page::parse(&html);
    let lines = placed_lines(&page, 0, |_| true);
    let words = lines.iter().flat_map(|placed| prose(&placed.line.text)).collect();
    Candidate { path: path.to_owned(), html, words }
}

fn markup(group: &[EmbeddedText]) -> String {
    let mut html = String::new();
    for (at, found) in group.iter().enumerate() {
        if has_tags(&found.text) {
            html.push_str(&found.text);
            html.push('\n');
            continue;
        }
        if found.text.contains("&lt;")
            && let text = unescape(&found.text)
            && has_tags(&text)
        {
            html.push_str(&text);
            html.push('\n');
            continue;
        }
        let continues = at > 0 && is_same_paragraph(&group[at - 1], found);
        for (number, line) in found.text.split('\n').filter(|line| !line.trim().is_empty()).enumerate() {
            html.push_str(if continues && number == 0 { " " } else { "<p>" });
            html.extend(line.chars().map(|c| if c == '<' { '\u{2039}' } else { c }));
        }
    }
    html
}

fn has_tags(text: &str) -> bool {
    ["</", "<br", "<p>"].iter().any(|tag| text.contains(tag))
}

/// Whether two strings are parts of one paragraph: they are neighbours in the innermost of several nested
/// lists, and the first does not end a sentence.
fn is_same_paragraph(before: &EmbeddedText, found: &EmbeddedText) -> bool {
    let (Some((_, outer)), Some((_, outer_before))) =
        (found.indexes.split_last(), before.indexes.split_last())
    else {
        return false;
    };
    let ends =
        before.text.trim_end().ends_with(['.', '!', '?', '…', '"', '”', '»', ':', '。', '！', '？', '」']);
    !outer.is_empty() && outer == outer_before && !ends
}

fn choose(page: &Page, candidates: Vec<Candidate>) -> Option<Candidate> {
    let (title, description) = title_and_description(page);
    let title: HashSet<u64> = words_of(title.as_deref().unwrap_or_default()).collect();
    let description: Vec<u64> = words_of(description.as_deref().unwrap_or_default()).collect();
    let lines = placed_lines(page, 0, |_| true);
    let shown: Vec<u64> = lines.iter().flat_map(|placed| words_of(&placed.line.text)).collect();
    let shown = trigrams(&shown);
    let prose: Vec<Vec<u64>> = lines.iter().map(|placed| prose(&placed.line.text).collect()).collect();
    let is_chosen = |candidate: &Candidate| {
        let own = trigrams(&candidate.words);
        let words: HashSet<u64> = candidate.words.iter().copied().collect();
        let is_about = share(&title, &words) >= TITLE || share(&trigrams(&description), &own) >= 0.5;
        let beside: usize =
            prose.iter().filter(|line| share(&trigrams(line), &own) < 0.5).map(Vec::len).sum();
        is_about
            && 1.0 - share(&own, &shown) >= NOT_SHOWN
            && beside <= BESIDE
            && candidate.words.len() >= 2 * beside
    };
    candidates.into_iter().filter(is_chosen).max_by_key(|candidate| candidate.words.len())
}

fn inserted(html: &str, page: &Page, candidate: &Candidate) -> String {
    let heading = find(html, "</h1>").map(|at| at + "</h1>".len());
    let at = heading
        .and_then(|from| {
            ["</article>", "</main>"].iter().find_map(|end| Some(from + find(&html[from..], end)?))
        })
        .or(heading)
        .or_else(|| find(html, "</body>"))
        .unwrap_or(html.len());
    let title = title_and_description(page).0.filter(|_| heading.is_none());
    let title = title.map(|title| format!("<h1>{}</h1>", escaped(&title))).unwrap_or_default();
    let path = escaped(&candidate.path);
    let (before, behind) = html.split_at(at);
    format!(
        "{before}{title}<article class=\"{CLASS}\" data-path=\"{path}\">{}</article>{behind}",
        candidate.html
    )
}

fn find(html: &str, tag: &str) -> Option<usize> {
    memchr::memmem::find(html.as_bytes(), tag.as_bytes())
        .or_else(|| memchr::memmem::find(html.as_bytes(), tag.to_uppercase().as_bytes()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Returns the nodes of the lines that the embedded text repeats, in page order and not nested. Lines are
/// compared by their words, because the embedded text may have other line breaks or punctuation.
fn repeated(page: &Page) -> Vec<NodeId> {
    let Some(body) = body(page) else { return Vec::new() };
    let within = page.subtree(body);
    let (inside, outside): (Vec<PlacedLine>, Vec<PlacedLine>) =
        placed_lines(page, 0, |_| true).into_iter().partition(|placed| within.contains(&placed.block));
    let words: Vec<u64> = inside.iter().flat_map(|placed| words_of(&placed.line.text)).collect();
    let own = trigrams(&words);
    let is_repeated = |placed: &PlacedLine, least: usize, most_new: f32| {
        let words: Vec<u64> = words_of(&placed.line.text).collect();
        let is_headline = page.tag(placed.block) == Some("h1");
        !is_headline && words.len() >= least && share(&trigrams(&words), &own) >= 1.0 - most_new
    };
    let parent = |placed: &PlacedLine| page.node(placed.block).parent;
    let is_prose = |placed: &PlacedLine| is_repeated(placed, PROSE, NEW);
    let parents: HashSet<NodeId> = outside.iter().filter(|it| is_prose(it)).map(parent).collect();
    // A short line is repeated only if it is beside a repeated long line and all its trigrams are repeated.
    let is_short =
        |placed: &PlacedLine| parents.contains(&parent(placed)) && is_repeated(placed, MIN_REPEATED, 0.0);
    let texts = outside.iter().filter(|placed| is_prose(placed) || is_short(placed));
    let mut nodes: Vec<NodeId> =
        texts.flat_map(|placed| placed.nodes.clone()).filter(|id| page.text(*id).is_some()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

fn prose(line: &str) -> impl Iterator<Item = u64> + '_ {
    let is_prose = prose_words(line) > 0;
    words_of(line).filter(move |_| is_prose)
}

/// Returns the number of words of a line of prose, or 0 for another line.
fn prose_words(line: &str) -> usize {
    let marks = ['.', ',', '?', '!', ':', '。', '，', '、', '？', '！'];
    let words = words(line).count();
    if words >= PROSE && line.contains(marks) { words } else { 0 }
}

/// Returns hashes of a text's words in lower case.
fn words_of(text: &str) -> impl Iterator<Item = u64> + '_ {
    words(text).map(|word| hash(&word.to_lowercase()))
}

/// Returns the words of a text. Each Chinese or Japanese character is a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_break = |c: char| !c.is_alphanumeric();
    text.split(is_break).filter(|word| !word.is_empty()).flat_map(|word| {
        let is_ideographic = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let is_cut = word.contains(is_ideographic);
        word.split_inclusive(move |_| is_cut)
    })
}

fn trigrams(words: &[u64]) -> HashSet<u64> {
    words.windows(3).map(|three| hash(&three)).collect()
}

fn share(part: &HashSet<u64>, whole: &HashSet<u64>) -> f32 {
    let held = part.iter().filter(|word| whole.contains(word)).count();
    held as f32 / part.len().max(1) as f32
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
