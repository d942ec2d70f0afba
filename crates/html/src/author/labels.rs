//! Labels of by-lines, such as `By` and `Tác giả:`.

use super::parts::at_words;
use super::person::is_person;
use crate::month_names::folded;

/// Labels before names, case-folded. A colon, a slash or a space follows the label.
pub(super) const LABELS: [&str; 43] = [
    "additional reporting by",
    "reporting and writing by",
    "reporting by",
    "written by",
    "authored by",
    "posted by",
    "reported by",
    "words by",
    "story by",
    "text by",
    "published by",
    "updated by",
    "by",
    "author",
    "authors",
    "tac gia",
    "bai viet",
    "bai va anh",
    "bai",
    "thuc hien",
    "γραφει ο",
    "γραφει η",
    "γραφει",
    "συντακτης",
    "του",
    "της",
    "autorin/autor",
    "autorin",
    "geschrieben von",
    "autor",
    "autorka",
    "autorzy",
    "opracowal",
    "tekst",
    "автор",
    "авторы",
    "текст",
    "作者",
    "著者",
    "记者",
    "por",
    "par",
    "von",
];

/// Labels that may also be the first word of a name (`Von der Sample`). They count as labels only before a
/// colon.
const WORDS_OF_NAMES: [&str; 5] = ["του", "της", "por", "par", "von"];

/// Labels that mark a printed by-line also without a colon.
pub(super) const PRINTED: [&str; 14] = [
    "by",
    "written by",
    "posted by",
    "reported by",
    "words by",
    "story by",
    "text by",
    "reporting by",
    "updated by",
    "additional reporting by",
    "geschrieben von",
    "por",
    "par",
    "von",
];

/// Labels of photographers, sources and responsible editors, who do not count as authors.
pub(super) const OTHERS: [&str; 8] = ["photo", "photos", "anh", "theo", "source", "фото", "责任编辑", "编辑"];

/// Labels inside a text that end the list of authors: `An Example; editing by ...`.
const OTHERS_BEHIND: [&str; 7] =
    ["editing by", "edited by", "photos by", "photo by", "photographs by", "photography by", "graphics by"];

/// Whether a label may begin with this ASCII letter.
pub(super) fn begins_a_label(first: u8) -> bool {
    LABELS.iter().chain(&OTHERS).any(|label| label.as_bytes().first() == Some(&first))
}

/// Returns the label at the beginning of a text, and the text behind it.
pub(super) fn label(text: &str) -> Option<(&'static str, &str)> {
    let first = folded(&text[..text.chars().next()?.len_utf8()]);
    let starts = |label: &&'static str| {
        // This quick check comes first: the folded text must begin with the label's first character.
        let rest = Some(text).filter(|_| label.starts_with(&first))?;
        let rest = after_folded(rest, label)?;
        let parts = rest.starts_with([' ', ':', '：', '/']) || rest.starts_with(char::is_whitespace);
        let rest = rest.trim_start_matches([' ', '\n', ':', '：', '/', '\u{a0}']);
        (parts && rest.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_lowercase()))
            .then_some((*label, rest))
    };
    LABELS.iter().chain(&OTHERS).filter_map(starts).min_by_key(|(_, rest)| rest.len())
}

fn after_folded<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let length = label.chars().count();
    // Folding does not change the number of characters, because accents are not separate characters in NFC.
    let (end, last) = text.char_indices().nth(length.checked_sub(1)?)?;
    let end = end + last.len_utf8();
    (folded(&text[..end]) == label).then(|| &text[end..])
}

/// Returns the beginning of a text, up to a label of editors or photographers.
pub(super) fn of_authors(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let starts = |at: &usize| !lower[..*at].ends_with(char::is_alphanumeric);
    let end = OTHERS_BEHIND.iter().filter_map(|label| lower.find(&format!("{label} "))).filter(starts).min();
    &text[..end.unwrap_or(text.len())]
}

/// Returns a text without its labels. Returns `None` if a label says that the name is no author's.
pub(super) fn unlabelled(text: &str) -> Option<&str> {
    let mut text = text.trim();
    // A by-line may have two labels: `By: by An Example`.
    for _ in 0..2 {
        let Some((label, rest)) = label(text) else { break };
        let is_marked = text[..text.len() - rest.len()].trim_end().ends_with([':', '：']);
        let first = || rest.split([',', ';']).flat_map(at_words).next().unwrap_or_default();
        if !is_marked && WORDS_OF_NAMES.contains(&label) && !is_person(first()) {
            break;
        }
        if OTHERS.contains(&label) {
            return None;
        }
        text = rest;
    }
    Some(reporter(text).unwrap_or(text))
}

fn reporter(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("記者").or_else(|| text.split_once("记者"))?;
    let rest = rest.trim_start_matches([' ', '：', ':']);
    let is_end = |c: char| !('\u{4E00}'..='\u{9FFF}').contains(&c);
    let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    is_person(name).then_some(name)
}
