//! Finds the text of an article that a page embeds as data for its scripts, and does not show.
//!
//! Some pages are rendered in the browser from such data (`__NEXT_DATA__`, `self.__next_f.push`,
//! `window.__INITIAL_STATE__`, `application/json` scripts), and others show a teaser and state the whole in
//! JSON-LD (`articleBody`). [`complete`] puts such a text into the page, below its headline, so that all that
//! reads a page (judging, extraction, templates) finds it there.
//!
//! A text is put in only if
//! * the page shows at most 300 words of prose;
//! * the text has words of the page's title or description;
//! * at least two in five of its word trigrams do not occur on the page;
//! * beside the text, the page shows at most 60 words of prose, and at most half as many as the text has.
//!
//! A page that shows its article is therefore left as it is, whatever other texts its scripts hold. Lines that both
//! the page and the text have are left out of the page.
//!
//! Limitation: strings in single quotes and template strings are not read, nor is data that is compressed,
//! encoded or fetched later.

mod strings;

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::metadata::title_and_description;
use crate::text::placed_lines;
use crate::{NodeId, Page};
use strings::{Found, strings};

/// Class of the element that holds the embedded text; `data-path` of that element names the place of its data.
pub const CLASS: &str = "embedded-article-body";

/// Shorter scripts hold no article, in bytes.
const SHORTEST_SCRIPT: usize = 600;

/// Shorter texts are no articles, in words.
const FEWEST_WORDS: usize = 60;

/// A line with fewer words is no prose.
const PROSE: usize = 12;

/// Strings of one list that are longer than this in the mean are articles of their own, in bytes.
const ARTICLE: usize = 1_500;

/// A page with more words of prose shows its article; a teaser has fewer.
const TEASER: usize = 300;

/// A shorter text is no prose, in bytes.
const SHORTEST_PROSE: usize = 40;

/// A page with more words of prose beside the text shows an article of its own.
const BESIDE: usize = 60;

/// Share of the title's words that a text about the same holds.
const TITLE: f32 = 0.3;

/// Share of a text's trigrams that the page does not show.
const NOT_SHOWN: f32 = 0.4;

/// A text found in a page's data.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    path: String,
    html: String,
    words: Vec<u64>,
}

/// Parses a page, and puts the article's text into it that its scripts embed and the page does not show.
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
    let page = Page::parse(html);
    if shows_article(&page) {
        return page;
    }
    let Some(best) = choose(&page, candidates(&page)) else { return page };
    let completed = Page::parse(&inserted(html, &page, &best));
    let repeated = repeated(&completed);
    if repeated.is_empty() { completed } else { completed.without(&repeated) }
}

/// Whether [`complete`] put a text into this page.
#[must_use]
pub fn is_completed(page: &Page) -> bool {
    body(page).is_some()
}

/// Whether a page shows so much prose that it needs no embedded text. Stops at enough of it.
fn shows_article(page: &Page) -> bool {
    let mut words = 0;
    let is_shown =
        |tag: Option<&str>| !matches!(tag, Some("script" | "style" | "noscript" | "template" | "textarea"));
    let mut shown =
        page.iter().filter(|(_, node)| is_shown(page.tag(node.parent))).filter_map(|(id, _)| page.text(id));
    shown.any(|text| {
        words += if text.len() > SHORTEST_PROSE { prose(text).count() } else { 0 };
        words > TEASER
    })
}

fn body(page: &Page) -> Option<NodeId> {
    page.elements("article").find(|id| page.attribute(*id, "class") == Some(CLASS))
}

/// The texts in the scripts of a page that are long enough for an article.
fn candidates(page: &Page) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for script in page.elements("script") {
        let source = page.raw_text(script);
        if source.len() < SHORTEST_SCRIPT {
            continue;
        }
        let mut groups: BTreeMap<String, Vec<Found>> = BTreeMap::new();
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
    candidates.retain(|candidate| candidate.words.len() >= FEWEST_WORDS);
    candidates
}

fn candidate(path: &str, group: &[Found]) -> Candidate {
    let html = markup(group);
    let page = Page::parse(&html);
    let lines = placed_lines(&page, 0, |_| true);
    let words = lines.iter().flat_map(|placed| prose(&placed.line.text)).collect();
    Candidate { path: path.to_owned(), html, words }
}

/// The strings as markup: as they are if they hold tags, otherwise a paragraph a line.
fn markup(group: &[Found]) -> String {
    let mut html = String::new();
    for (at, found) in group.iter().enumerate() {
        if has_tags(&found.text) {
            html.push_str(&found.text);
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

/// Whether two strings are spans of one paragraph: neighbours in the innermost of several lists, the first
/// without an end of a sentence.
fn is_same_paragraph(before: &Found, found: &Found) -> bool {
    let (Some((_, outer)), Some((_, outer_before))) =
        (found.indexes.split_last(), before.indexes.split_last())
    else {
        return false;
    };
    let ends =
        before.text.trim_end().ends_with(['.', '!', '?', '…', '"', '”', '»', ':', '。', '！', '？', '」']);
    !outer.is_empty() && outer == outer_before && !ends
}

/// The text with most words of those about what the page is about and does not show.
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

/// The page's source with the text below its headline.
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

/// Where an end tag stands, in lower case or upper case.
fn find(html: &str, tag: &str) -> Option<usize> {
    memchr::memmem::find(html.as_bytes(), tag.as_bytes())
        .or_else(|| memchr::memmem::find(html.as_bytes(), tag.to_uppercase().as_bytes()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Elements around lines that the embedded text repeats, in page order and none inside another.
fn repeated(page: &Page) -> Vec<NodeId> {
    let Some(body) = body(page) else { return Vec::new() };
    let within = page.subtree(body);
    let lines = placed_lines(page, 0, |_| true);
    let is_within = |id: NodeId| within.contains(&id);
    let texts: HashSet<&str> = lines
        .iter()
        .filter(|placed| is_within(placed.block) && words_of(&placed.line.text).count() >= PROSE)
        .map(|placed| placed.line.text.as_str())
        .collect();
    let mut blocks: Vec<NodeId> = lines
        .iter()
        .filter(|placed| !is_within(placed.block) && texts.contains(placed.line.text.as_str()))
        .map(|placed| placed.block)
        .filter(|block| !page.subtree(*block).contains(&body))
        .collect();
    blocks.sort_unstable();
    let mut behind = 0;
    blocks.retain(|block| {
        let is_outermost = *block >= behind;
        behind = behind.max(page.node(*block).end);
        is_outermost
    });
    blocks
}

/// The words of a line of prose; none of any other line.
fn prose(line: &str) -> impl Iterator<Item = u64> + '_ {
    let marks = ['.', ',', '?', '!', ':', '。', '，', '、', '？', '！'];
    let is_prose = line.contains(marks) && words_of(line).count() >= PROSE;
    words_of(line).filter(move |_| is_prose)
}

/// Hashes of a text's words in lower case; a Chinese or Japanese character is a word.
fn words_of(text: &str) -> impl Iterator<Item = u64> + '_ {
    let is_break = |c: char| !c.is_alphanumeric();
    text.split(is_break).filter(|word| !word.is_empty()).flat_map(|word| {
        let is_ideographic = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        let pieces: Vec<&str> =
            if word.contains(is_ideographic) { word.split_inclusive(|_| true).collect() } else { vec![word] };
        pieces.into_iter().map(|piece| hash(&piece.to_lowercase()))
    })
}

fn trigrams(words: &[u64]) -> HashSet<u64> {
    words.windows(3).map(|three| hash(&three)).collect()
}

/// The share of `part` that `whole` holds; 0 if there is none.
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
mod tests {
    use super::*;
    use crate::text::{lines, plain};

    fn story(from: usize, to: usize) -> Vec<String> {
        let line = |n: usize| {
            format!(
                "In village number {n} the river rose by {n}{n} centimetres overnight, and all {n} bridges were closed."
            )
        };
        (from..to).map(line).collect()
    }

    fn text(html: &str) -> (String, bool) {
        let page = complete(html);
        (plain(&lines(&page, 0, |_| true)), is_completed(&page))
    }

    const TITLE: &str = "<title>The river rose, and bridges were closed</title>";

    #[test]
    fn texts_are_found_in_every_usual_form_of_data() {
        let paragraphs = story(0, 8);
        let markup = paragraphs.iter().map(|line| format!("<p>{line}</p>")).collect::<String>();
        let json = |value: &serde_json::Value| value.to_string();
        let markup_json = json(&markup.clone().into());
        let inner = json(&format!("{{\"story\":{{\"html\":{markup_json}}}}}").into());
        let row = json(&format!("24:T{:x},{markup}", markup.len()).into());
        let elements: Vec<_> =
            paragraphs.iter().map(|line| serde_json::json!({"type": "text", "content": line})).collect();
        let elements = json(&elements.into());
        let cases = [
            format!(
                r#"<script type="application/ld+json">{{"@type":"NewsArticle","articleBody":{}}}</script>"#,
                json(&paragraphs.join("\n").into())
            ),
            format!(
                r#"<script id="__NEXT_DATA__" type="application/json">{{"props":{{"body":{markup_json}}}}}</script>"#
            ),
            format!("<script>self.__next_f.push([1,{inner}])</script>"),
            format!("<script>self.__next_f.push([1,{row}])</script>"),
            format!("<script>Fusion.globalContent={{\"content_elements\":{elements}}};</script>"),
            format!("<script>window.__STATE__ = {{page: {{story: {markup_json}}}}};</script>"),
        ];
        for script in cases {
            let (text, is_embedded) =
                text(&format!("{TITLE}<h1>The river rose</h1><div id=root></div>{script}"));
            assert!(is_embedded, "{script}");
            let expected = format!("The river rose\n{}", paragraphs.join("\n"));
            assert_eq!(text, expected, "{script}");
        }
    }

    #[test]
    fn long_scripts_are_no_prose_of_the_page() {
        let paragraphs = story(0, 60);
        let body = serde_json::Value::from(paragraphs.join("\n")).to_string();
        let html = format!(
            r#"{TITLE}<h1>The river rose</h1><div id=root></div><script type="application/json">{{"body":{body}}}</script>"#
        );
        assert!(is_completed(&complete(&html)));
    }

    #[test]
    fn a_teaser_is_not_repeated() {
        let paragraphs = story(0, 8);
        let body = serde_json::Value::from(paragraphs.join("\n")).to_string();
        let html = format!(
            r#"{TITLE}<h1>The river rose</h1><p>{}</p><p>Read on with a subscription.</p><script type="application/ld+json">{{"articleBody":{body}}}</script>"#,
            paragraphs[0]
        );
        let (text, is_embedded) = text(&html);
        assert!(is_embedded);
        assert_eq!(text.matches(&paragraphs[0]).count(), 1, "{text}");
        assert!(text.contains(&paragraphs[7]), "{text}");
    }

    #[test]
    fn a_page_that_shows_its_article_is_left_alone() {
        let (own, other) = (story(0, 8), story(20, 28));
        let shown = own.iter().map(|line| format!("<p>{line}</p>")).collect::<String>();
        for body in [&own, &other] {
            let body = serde_json::Value::from(body.join("\n")).to_string();
            let html =
                format!(r#"{TITLE}<h1>The river rose</h1>{shown}<script>x={{"body":{body}}}</script>"#);
            assert!(!is_completed(&complete(&html)));
        }
        let about_else = serde_json::Value::from(story(0, 8).join("\n")).to_string();
        let html = format!(r#"<title>Election results</title><script>x={{"body":{about_else}}}</script>"#);
        assert!(!is_completed(&complete(&html)), "it is about something else");
    }
}
