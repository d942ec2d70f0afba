//! Labels of by-lines, such as `By` and `Tác giả:`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::names::is_mark;
use super::organization::is_role;
use super::parts::at_words;
use super::person::is_person;
use crate::month_names::folded;

/// Labels of by-lines that need no colon, case-folded.
const BYLINES: [&str; 46] = [
    "submitted by",
    "a cura di",
    "kommentar von",
    "ein kommentar von",
    "analyse von",
    "eine analyse von",
    "interview von",
    "ein interview von",
    "gastbeitrag von",
    "ein gastbeitrag von",
    "reportage von",
    "by",
    "written by",
    "article by",
    "article written by",
    "posted by",
    "reported by",
    "compiled by",
    "contributed by",
    "words by",
    "story by",
    "text by",
    "report by",
    "review by",
    "analysis by",
    "opinion by",
    "commentary by",
    "column by",
    "essay by",
    "interview by",
    "reporting by",
    "reporting and writing by",
    "additional reporting by",
    "updated by",
    "geschrieben von",
    "von",
    "por",
    "par",
    "di",
    "door",
    "av",
    "af",
    "ecrit par",
    "escrito por",
    "scritto da",
    "geschreven door",
];

/// Labels of authors that count in a printed line only before a colon.
const AUTHORS: [&str; 51] = [
    "interview",
    "protokoll",
    "about",
    "about the author",
    "more from",
    "more by",
    "articles by",
    "posts by",
    "view all posts by",
    "author",
    "authors",
    "authored by",
    "published by",
    "reporter",
    "tac gia",
    "bai viet",
    "bai va anh",
    "bai",
    "thuc hien",
    "tong hop",
    "γραφει ο",
    "γραφει η",
    "γραφει",
    "συντακτης",
    "του",
    "της",
    "autorin/autor",
    "autorin",
    "autor",
    "autorka",
    "autorzy",
    "auteur",
    "auteurs",
    "autore",
    "opracowal",
    "text",
    "texte",
    "testo",
    "texto",
    "tekst",
    "penulis",
    "pewarta",
    "yazar",
    "haber",
    "автор",
    "авторы",
    "текст",
    "作者",
    "著者",
    "记者",
    "取材・文",
];

/// Labels that may also be the first word of a name (`Von der Sample`). They count as labels only before a
/// colon or a person.
const WORDS_OF_NAMES: [&str; 11] =
    ["του", "της", "por", "par", "von", "di", "door", "av", "af", "bai", "haber"];

/// Labels of the newspaper or agency that a text comes from. Other languages have such labels below pictures.
const SOURCES: [&str; 5] = ["theo", "nguon", "来源", "來源", "稿源"];

/// Labels of photographers and responsible editors, who do not count as authors.
const OTHERS: [&str; 17] = [
    "source",
    "quelle",
    "fuente",
    "photo",
    "photos",
    "photo by",
    "photos by",
    "foto",
    "fotos",
    "bild",
    "illustration",
    "anh",
    "φωτο",
    "фото",
    "写真",
    "责任编辑",
    "编辑",
];

/// What a label says about the name behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// An author, also without a colon.
    Byline,
    /// An author, if a colon follows.
    Author,
    /// A newspaper or agency whose text was used.
    Source,
    /// A photographer or an editor.
    Other,
}

/// A label at the beginning of a text.
pub(super) struct Label<'t> {
    name: &'static str,
    pub(super) role: Role,
    pub(super) has_colon: bool,
    /// The text behind the label.
    pub(super) rest: &'t str,
}

const ROLES: [(Role, &[&str]); 4] =
    [(Role::Byline, &BYLINES), (Role::Author, &AUTHORS), (Role::Source, &SOURCES), (Role::Other, &OTHERS)];

/// The labels that begin with each letter.
static BY_FIRST_LETTER: LazyLock<HashMap<char, Vec<(Role, &'static str)>>> = LazyLock::new(|| {
    let mut letters: HashMap<char, Vec<(Role, &'static str)>> = HashMap::new();
    for (role, name) in labels() {
        let first = name.chars().next().expect("no label is empty");
        letters.entry(first).or_default().push((role, name));
    }
    letters
});

fn labels() -> impl Iterator<Item = (Role, &'static str)> {
    ROLES.iter().flat_map(|(role, names)| names.iter().map(|name| (*role, *name)))
}

/// Labels inside a text that end the list of authors: `An Example; editing by ...`.
const OTHERS_BEHIND: [&str; 7] =
    ["editing by", "edited by", "photos by", "photo by", "photographs by", "photography by", "graphics by"];

/// Whether a label may begin with this ASCII letter.
pub(super) fn begins_a_label(first: u8) -> bool {
    BY_FIRST_LETTER.contains_key(&char::from(first))
}

/// Whether a text is only a label.
pub(super) fn is_label(text: &str) -> bool {
    let text = folded(text);
    labels().any(|(_, name)| name == text)
}

/// Returns the label at the beginning of a text, before a text with a capital.
pub(super) fn label(text: &str) -> Option<Label<'_>> {
    let first = folded(&text[..text.chars().next()?.len_utf8()]).chars().next()?;
    let found = |(role, name): (Role, &'static str)| {
        let behind = after_folded(text, name)?;
        let is_mark = |c: char| c.is_whitespace() || matches!(c, ':' | '：' | '/' | '／');
        let rest = behind.trim_start_matches(is_mark);
        let has_colon = behind[..behind.len() - rest.len()].contains([':', '：', '／']);
        let rest = rest.strip_prefix("the ").unwrap_or(rest);
        // `By staff and wire reports` has no capital.
        let is_name = |rest: &str| rest.starts_with(|c: char| !c.is_lowercase()) || begins_with_role(rest);
        (behind.starts_with(is_mark) && is_name(rest)).then_some(Label { name, role, has_colon, rest })
    };
    BY_FIRST_LETTER.get(&first)?.iter().copied().filter_map(found).min_by_key(|label| label.rest.len())
}

fn begins_with_role(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(is_role)
}

fn after_folded<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    if let Some(beginning) = text.as_bytes().get(..label.len()).filter(|it| it.is_ascii()) {
        return beginning.eq_ignore_ascii_case(label.as_bytes()).then(|| &text[label.len()..]);
    }
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
    let mut text = text.trim_start_matches(is_mark).trim_end();
    // A by-line may have two labels: `By: by An Example`.
    for _ in 0..2 {
        let Some(label) = label(text) else { break };
        let first = || label.rest.split([',', ';']).flat_map(at_words).next().unwrap_or_default();
        if !label.has_colon && WORDS_OF_NAMES.contains(&label.name) && !is_person(first()) {
            break;
        }
        if matches!(label.role, Role::Source | Role::Other) {
            return None;
        }
        text = label.rest;
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
