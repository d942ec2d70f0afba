//! Finds the signature at the end of an article.

use super::{SmallText, is_of_others, is_person, names, small_text};
use crate::{NodeId, Page};

/// Maximum number of signatures to read.
const MAX_SIGNATURES: usize = 20;

/// Labels of reporters at the end of an article. The first letter is checked before the rest.
const REPORTERS: [&str; 4] =
    ["reporting by", "reporting and writing by", "additional reporting by", "autorin/autor"];

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
    // A paragraph that is too long is rejected before its texts are joined.
    SmallText::from_element(page, id)?;
    let text = small_text(page, id)?;
    let (name, note) = match text.split_once(['(', '（']) {
        Some((name, note)) => (name.trim_end(), note),
        None => (text.as_str(), ""),
    };
    let has_note = note.ends_with([')', '）']) && names::is_note_of_author(note);
    if !has_note && (!note.is_empty() || !is_right(page, id)) {
        return None;
    }
    let parts: Vec<&str> = name.split(" - ").collect();
    parts.iter().all(|part| is_person(part)).then(|| parts.into_iter().map(str::to_owned).collect())
}

fn is_right(page: &Page, id: NodeId) -> bool {
    let style = page.attribute(id, "style").unwrap_or_default();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    style.contains("text-align:right")
        || page.attribute(id, "align").is_some_and(|align| align.eq_ignore_ascii_case("right"))
}

/// Returns the texts that begin with a label of reporters. If the label has an element of its own, the text
/// around it is returned.
fn reporters(page: &Page, from: NodeId) -> Vec<String> {
    let rest = |text: &str| {
        let begins = |label: &&&str| text.get(..label.len()).is_some_and(|it| it.eq_ignore_ascii_case(label));
        let rest = &text[REPORTERS.iter().find(begins)?.len()..];
        (!rest.starts_with(char::is_alphanumeric)).then(|| rest.trim().len())
    };
    let start = |text: &str| rest(text.trim_start_matches(|c: char| c.is_whitespace() || c == '('));
    let begun = (from..page.len() as NodeId).filter_map(|id| Some((id, start(page.text(id)?)?)));
    let line = |(id, rest): (NodeId, usize)| {
        let parent = page.node(id).parent;
        small_text(page, if rest == 0 { page.node(parent).parent } else { parent })
    };
    begun.filter_map(line).take(MAX_SIGNATURES).collect()
}
