//! Finds the signature at the end of an article.

use super::byline::{self, after_label, begins_with_person};
use super::labels::unlabelled;
use super::{REACH, SmallText, is_of_others, is_person, names, small_lines, small_text};
use crate::{NodeId, Page};

/// Maximum number of signatures to read.
const MAX_SIGNATURES: usize = 20;

/// Labels of reporters at the end of an article. The first letter is checked before the rest.
const REPORTERS: [&str; 4] =
    ["reporting by", "reporting and writing by", "additional reporting by", "autorin/autor"];

/// Labels of writers, who also write comments and other stories on the page.
const WRITERS: [&str; 3] = ["written by", "posted by", "article by"];

/// Returns the names in the last short paragraph that contains only names of persons, and is right-aligned
/// or ends in a note such as `(compiled)`. Otherwise returns the texts that begin with a label of reporters.
/// Vietnamese papers sign articles in the first way, and agencies in the second.
pub(super) fn signed(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    let from = headline.unwrap_or(0);
    let paragraphs = page.elements("p").filter(|id| *id > from && !is_of_others(page, *id));
    let names = paragraphs.filter_map(|id| signature(page, id));
    names.last().unwrap_or_else(|| reporters(page, from))
}

fn signature(page: &Page, id: NodeId) -> Option<Vec<String>> {
    // Most paragraphs are rejected before their lines are read.
    let small = SmallText::from_element(page, id)?;
    let has_note = small.contains(|c| matches!(c, ')' | '）')) && small.text().ends_with([')', '）']);
    if !has_note && !is_right(page, id) {
        return None;
    }
    let lines = small_lines(page, id)?;
    let text = lines.split('\n').find_map(unlabelled)?;
    let (name, note) = match text.split_once(['(', '（']) {
        Some((name, note)) => (name.trim_end(), note),
        None => (text, ""),
    };
    let has_note = note.ends_with([')', '）']) && names::is_note_of_author(note);
    if !has_note && (!note.is_empty() || !is_right(page, id)) {
        return None;
    }
    let parts: Vec<&str> = name.split(" - ").collect();
    parts.iter().all(|part| is_person(part)).then(|| parts.into_iter().map(str::to_owned).collect())
}

/// Returns the newspaper or agency that a page names as its source: beside the headline, as Chinese papers do,
/// or in the last paragraph of the article, as Vietnamese papers do.
pub(super) fn source(page: &Page, headline: Option<NodeId>) -> Option<String> {
    let headline = headline?;
    let end = (headline + REACH).min(page.len() as NodeId);
    let text = |id| small_lines(page, id).filter(|text| text.len() < 200);
    let is_colon = |c: char| matches!(c, ':' | '：');
    let has_colon = |id: &NodeId| SmallText::from_element(page, *id).is_some_and(|it| it.contains(is_colon));
    let of_line = |line: &str| byline::source(line).filter(|_| line.chars().take(4).any(is_colon));
    let mut beside = (headline..end).filter(has_colon).filter_map(text);
    let is_last = |id: &NodeId| {
        page.tag(*id) == Some("p")
            && !is_of_others(page, *id)
            && small_text(page, *id).is_none_or(|text| !text.is_empty())
    };
    let last = || (headline..page.len() as NodeId).rev().find(is_last);
    beside.find_map(|text| text.lines().find_map(of_line)).or_else(|| byline::source(&text(last()?)?))
}

fn is_right(page: &Page, id: NodeId) -> bool {
    let style = page.attribute(id, "style").unwrap_or_default();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    style.contains("text-align:right")
        || page.attribute(id, "align").is_some_and(|align| align.eq_ignore_ascii_case("right"))
}

/// Returns the texts that begin with a label of reporters or, if no text does, the only text that begins with a
/// label of writers.
fn reporters(page: &Page, from: NodeId) -> Vec<String> {
    let reporters = labelled(page, from, &REPORTERS);
    if !reporters.is_empty() {
        return reporters;
    }
    let persons = |text: String| after_label(&text).filter(|names| begins_with_person(names));
    let mut writers: Vec<String> = labelled(page, from, &WRITERS).into_iter().filter_map(persons).collect();
    writers.dedup();
    if writers.len() == 1 { writers } else { Vec::new() }
}

/// Returns the texts that begin with one of these labels. If the label has an element of its own, the text around
/// it is returned.
fn labelled(page: &Page, from: NodeId, labels: &[&str]) -> Vec<String> {
    // Most texts are rejected by their first letter.
    let may_begin = |text: &str| {
        labels.iter().any(|label| text.as_bytes().first().is_some_and(|it| label.as_bytes()[0] == it | 0x20))
    };
    let rest = |text: &str| {
        let begins = |label: &&&str| text.get(..label.len()).is_some_and(|it| it.eq_ignore_ascii_case(label));
        let rest = &text[labels.iter().find(begins)?.len()..];
        (!rest.starts_with(char::is_alphanumeric)).then(|| rest.trim_matches([' ', ':']).len())
    };
    let start = |text: &str| {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        may_begin(text).then(|| rest(text)).flatten()
    };
    let begun = (from..page.len() as NodeId).filter_map(|id| Some((id, start(page.text(id)?)?)));
    let line = |(id, rest): (NodeId, usize)| {
        let parent = page.node(id).parent;
        small_text(page, if rest == 0 { page.node(parent).parent } else { parent })
    };
    begun.filter(|(id, _)| !is_of_others(page, *id)).filter_map(line).take(MAX_SIGNATURES).collect()
}
