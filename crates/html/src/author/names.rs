//! Parses declared author names: removes labels and site names, and splits lists of names.

use super::MOST_AUTHORS;
use super::person::{NAME_WORDS, is_person, is_role, may_be_person};
use crate::entities::without_tags;
use crate::month_names::{folded, month};
use crate::printed_date::{has_publication_label, is_change};
use crate::text::tidy;
use crate::title::{Site, is_site};
use crate::weekdays::weekday;

const MOST_STATED: usize = 200;

/// Maximum length of an author's name in characters. Longer texts are sentences.
const LONGEST: usize = 80;

/// Maximum number of parts of a by-line between separators that are read.
const MAX_PARTS: usize = 8;

/// Labels before names, case-folded. A colon, a slash or a space follows the label.
const LABELS: [&str; 43] = [
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
const PRINTED: [&str; 14] = [
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
const OTHERS: [&str; 8] = ["photo", "photos", "anh", "theo", "source", "фото", "责任编辑", "编辑"];

/// Labels inside a text that end the list of authors: `An Example; editing by ...`.
const OTHERS_BEHIND: [&str; 7] =
    ["editing by", "edited by", "photos by", "photo by", "photographs by", "photography by", "graphics by"];

/// Words between a person and a place or employer.
const PLACES: [&str; 5] = [" in ", " at ", " for ", " from ", " of "];

/// What a page says about its site, to recognize names that are no authors.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    pub(crate) site: Site<'a>,
    /// The copyright notices in `<meta>`.
    pub(crate) owners: Vec<String>,
    /// The authors that JSON-LD declares as persons.
    pub(crate) persons: &'a [String],
}

impl Names<'_> {
    /// Returns the names in declarations. The owner of the copyright does not count.
    pub(super) fn declared(&self, texts: &[String]) -> Vec<String> {
        self.names(texts, |name| !self.is_owner(name))
    }

    /// Returns the names in texts that readers see. Sentences and labels do not count.
    pub(super) fn printed(&self, texts: &[String]) -> Vec<String> {
        self.names(texts, |name| may_be_person(name) || is_short_credit(name))
    }

    fn names(&self, texts: &[String], is_accepted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for text in texts.iter().take(MOST_STATED) {
            let text = tidy(&without_parentheses(&without_tags(text)));
            for name in of_authors(&text).split([';', '；']).filter_map(unlabelled).flat_map(split_parts) {
                let name = without_role(name.trim_matches(is_mark));
                if is_name(name)
                    && !self.is_site(name)
                    && is_accepted(name)
                    && out.len() < MOST_AUTHORS
                    && !out.iter().any(|other| other.to_lowercase() == name.to_lowercase())
                {
                    out.push(name.to_owned());
                }
            }
        }
        out
    }

    fn is_site(&self, name: &str) -> bool {
        (is_site(name, &self.site) || holds_host(name, &self.site)) && !self.is_writers_own(name)
    }

    /// Whether the site has the name of a person, who is the declared author.
    fn is_writers_own(&self, name: &str) -> bool {
        let is_same = |person: &String| person.to_lowercase() == name.to_lowercase();
        self.persons.iter().any(is_same) && is_person(name)
    }

    fn is_owner(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let is_in = |notice: &String| notice.to_lowercase().contains(&name);
        !self.is_writers_own(&name) && self.owners.iter().any(is_in)
    }

    /// Returns the person in a line such as `An Example, The Paper, 20 Nov 2026` or `An Example\nReporter`.
    pub(super) fn before_paper<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut parts = text.split([',', '|', '·', '•', '\n']).map(str::trim);
        let person = parts.next().filter(|part| is_person(part) && !is_site(part, &self.site))?;
        let has_role = |part: &str| part.split_whitespace().any(|word| is_role(&word.to_lowercase()));
        let is_of_writer =
            |part: &str| !part.is_empty() && part.len() < 60 && (is_site(part, &self.site) || has_role(part));
        parts.next().is_some_and(is_of_writer).then_some(person)
    }
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '|' | '/' | '-' | ':' | '·' | '•' | '"' | '“' | '”')
}

/// Returns a text without its parts in parentheses, such as initials. Returns the whole text if nothing else
/// is left.
pub(super) fn without_parentheses(text: &str) -> String {
    if !text.contains(['(', '（']) {
        return text.to_owned();
    }
    let mut depth = 0_usize;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    let out = out.trim();
    if out.is_empty() {
        text.trim_matches(|c: char| "()（） ".contains(c)).to_owned()
    } else {
        out.to_owned()
    }
}

/// Whether a note behind a signature tells how its author worked: `(compiled)`, `(according to ...)`.
pub(super) fn is_note_of_author(note: &str) -> bool {
    const NOTES: [&str; 8] =
        ["tong hop", "theo", "luoc dich", "dich", "ghi", "bien dich", "thuc hien", "t/h"];
    let note = folded(note.trim_start_matches([' ', '(']));
    NOTES.iter().any(|begin| note.starts_with(begin))
}

/// Returns a name without the Korean and Japanese words for a reporter that follow it.
fn without_role(name: &str) -> &str {
    let end = [" 기자", " 특파원", " 記者", " 记者"].iter().filter_map(|role| name.find(role)).min();
    name[..end.unwrap_or(name.len())].trim_end()
}

/// Whether a text is short and has no marks of a sentence, so that it may be the credit of a desk.
fn is_short_credit(name: &str) -> bool {
    name.split_whitespace().count() <= NAME_WORDS
        && !name.contains(['?', '!', ':', '…', '%'])
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !has_publication_label(name)
        && label(&format!("{name} X")).is_none_or(|(_, rest)| rest != "X")
}

fn of_authors(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let starts = |at: &usize| !lower[..*at].ends_with(char::is_alphanumeric);
    let end = OTHERS_BEHIND.iter().filter_map(|label| lower.find(&format!("{label} "))).filter(starts).min();
    &text[..end.unwrap_or(text.len())]
}

/// Returns a text without its labels. Returns `None` if a label says that the name is no author's.
fn unlabelled(text: &str) -> Option<&str> {
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

/// Returns the names behind the label of a printed by-line.
pub(super) fn after_label(text: &str) -> Option<String> {
    let (label, rest) = label(text)?;
    let is_sure = text[..text.len() - rest.len()].trim_end().ends_with([':', '：']);
    if !is_sure && !PRINTED.contains(&label) {
        return None;
    }
    let rest = self::label(rest).filter(|(again, _)| PRINTED.contains(again)).map_or(rest, |(_, rest)| rest);
    let line = before_date(rest);
    let first = line.split(',').flat_map(at_words).next()?.trim();
    let is_short = is_sure || first.split_whitespace().count() < NAME_WORDS;
    (is_short && is_person(without_place(first))).then_some(line)
}

/// Returns the beginning of a by-line: its first line, up to a date or a separator (bar, dot, bracket). A part
/// before a separator that names no person, such as a section, is left out. Without a person, the first part
/// is returned.
pub(super) fn before_date(text: &str) -> String {
    let text = without_parentheses(text);
    let parts =
        text.split(['|', '·', '•', '–', '—', '[', '\n']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.take(MAX_PARTS).collect();
    let dateless = |part: &&'_ str| match part.find(|c: char| c.is_ascii_digit()) {
        Some(digit) => without_date_words(part[..digit].trim_matches(is_mark)).to_owned(),
        None => part.trim_matches(is_mark).to_owned(),
    };
    let names_person = |part: &String| {
        let text = label(part).map_or(part.as_str(), |(_, rest)| rest);
        text.split(',').flat_map(at_words).next().is_some_and(is_person)
    };
    let found = parts.iter().map(dateless).find(names_person);
    found.unwrap_or_else(|| parts.first().map_or(String::new(), |part| (*part).to_owned()))
}

/// Removes the month, the weekday and the label that stand before a date. A name keeps two words, because
/// `May` may also be a name.
fn without_date_words(text: &str) -> &str {
    let mut text = text;
    while let Some((before, last)) = text.trim_end_matches([' ', ',', '.']).rsplit_once([' ', ',', '\u{a0}'])
    {
        let word = last.trim_matches(|c: char| !c.is_alphanumeric());
        let is_label = || {
            last.ends_with(':')
                || has_publication_label(word)
                || is_change(word)
                || matches!(word, "on" | "am" | "at" | "le")
        };
        let is_of_date = month(word).is_some() || weekday(word).is_some();
        if !is_label() && (!is_of_date || !before.trim_matches(is_mark).contains(' ')) {
            break;
        }
        text = before.trim_end_matches([' ', ',']);
    }
    text.trim_matches(is_mark)
}

fn holds_host(name: &str, site: &Site) -> bool {
    let rest = site.address.and_then(|address| Some(address.split_once("://")?.1)).unwrap_or_default();
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    host.contains('.') && name.to_lowercase().contains(host)
}

fn reporter(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("記者").or_else(|| text.split_once("记者"))?;
    let rest = rest.trim_start_matches([' ', '：', ':']);
    let is_end = |c: char| !('\u{4E00}'..='\u{9FFF}').contains(&c);
    let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    is_person(name).then_some(name)
}

fn split_parts(text: &str) -> Vec<&str> {
    if text.len() > 1_000 {
        return Vec::new();
    }
    let text = text.split(['|', '、', '\n', '•', '·']).flat_map(|part| part.split(" / "));
    text.flat_map(|part| {
        let names: Vec<&str> = at_words(part)
            .into_iter()
            .flat_map(|p| p.split([',', '，']))
            .flat_map(at_dashes)
            .map(|name| without_place(name.trim()))
            .filter(|p| !p.is_empty())
            .collect();
        let is_caps =
            |name: &str| !name.chars().any(char::is_lowercase) && name.chars().any(char::is_uppercase);
        // In `An Example, CITY RADIO`, the capitals are an employer's.
        let is_employer = |name: &str| is_caps(name) && !names.first().is_some_and(|first| is_caps(first));
        let persons = names.iter().take_while(|name| is_person(name) && !is_employer(name)).count();
        match (persons, &names[..]) {
            // This is not a list of persons: the whole part is one name, or not a name.
            (0, _) => vec![part],
            // In `An Example, Health correspondent`, the texts after the person are roles.
            (persons, names) => names[..persons].to_vec(),
        }
    })
    .collect()
}

fn at_dashes(text: &str) -> Vec<&str> {
    for dash in [" - ", " – "] {
        if text.contains(dash) && text.split(dash).all(is_person) {
            return text.split(dash).collect();
        }
    }
    vec![text]
}

fn without_place(name: &str) -> &str {
    let is_capital = |rest: &str| rest.trim_start_matches("the ").starts_with(char::is_uppercase);
    let cut = |place: &&str| {
        let (person, rest) = name.split_once(*place)?;
        (is_person(person) && is_capital(rest)).then_some(person)
    };
    PLACES.iter().find_map(cut).unwrap_or(name)
}

fn at_words(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for and in [" and ", " & ", " và ", " και ", " и ", " oraz ", " und ", " y ", " et ", " och ", " og "]
    {
        parts = parts.into_iter().flat_map(|part| part.split(and)).collect();
    }
    parts
}

fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_mail = name.contains('@') && name.contains('.');
    let is_company = || {
        name.split_whitespace().count() > 1
            && [" inc", " ltd", " llc", " gmbh", " corp", " co", " s.a"]
                .iter()
                .any(|it| lower.trim_end_matches('.').ends_with(it))
    };
    let is_label = || LABELS.iter().chain(&OTHERS).any(|label| folded(name) == *label);
    name.chars().filter(|c| c.is_alphabetic()).count() > usize::from(name.is_ascii())
        && name.chars().count() <= LONGEST
        && !name.contains("://")
        && !lower.starts_with("www.")
        && !name.starts_with(['@', '{', '[', '/', '#'])
        && !is_mail
        && !matches!(
            lower.as_str(),
            "admin" | "administrator" | "author" | "unknown" | "null" | "undefined" | "none" | "n/a"
        )
        && !lower.ends_with("_admin")
        && !is_company()
        && !is_label()
        && crate::date::date(name).is_none()
        && month(name.trim_end_matches('.')).is_none()
        && (name.contains(' ') || weekday(name).is_none())
        && lower.split_whitespace().count() <= 12
}

pub(super) fn begins_a_label(first: u8) -> bool {
    LABELS.iter().chain(&OTHERS).any(|label| label.as_bytes().first() == Some(&first))
}

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
