//! Parses declared author names: removes labels and site names, and splits lists of names.
//!
//! Limitation: capitals decide whether a text is a person's name, so `Hanoi Harbour` counts as one.

use super::MOST_AUTHORS;
use crate::month_names::folded;
use crate::text::tidy;
use crate::title::{Site, is_site};

const MOST_STATED: usize = 200;

/// Maximum length of an author's name in characters. Longer texts are sentences.
const LONGEST: usize = 80;

pub(super) const NAME_WORDS: usize = 5;

/// Labels before names, case-folded. A colon, a slash or a space follows the label.
const LABELS: [&str; 38] = [
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
    "autor",
    "autorka",
    "autorzy",
    "opracowal",
    "tekst",
    "автор",
    "авторы",
    "текст",
    "作者",
    "记者",
    "por",
    "par",
    "von",
];

/// Labels that may also be the first word of a name (`Von der Sample`). They count as labels only before a
/// colon.
const WORDS_OF_NAMES: [&str; 5] = ["του", "της", "por", "par", "von"];

/// Labels of photographers, sources and responsible editors, who do not count as authors.
const OTHERS: [&str; 8] = ["photo", "photos", "anh", "theo", "source", "фото", "责任编辑", "编辑"];

/// Labels inside a text that end the list of authors: `An Example; editing by ...`.
const OTHERS_BEHIND: [&str; 7] =
    ["editing by", "edited by", "photos by", "photo by", "photographs by", "photography by", "graphics by"];

/// Words between a person and a place or employer.
const PLACES: [&str; 5] = [" in ", " at ", " for ", " from ", " of "];

pub(super) fn names(stated: &[String], site: &Site) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for text in stated.iter().take(MOST_STATED) {
        let text = tidy(text);
        for name in of_authors(&text).split([';', '；']).filter_map(unlabelled).flat_map(split_parts) {
            let name = name.trim_matches(|c: char| {
                c.is_whitespace() || matches!(c, ',' | '|' | '/' | '-' | ':' | '·' | '•' | '"' | '“' | '”')
            });
            if is_name(name)
                && !is_site(name, site)
                && !holds_host(name, site)
                && out.len() < MOST_AUTHORS
                && !out.iter().any(|other| other.to_lowercase() == name.to_lowercase())
            {
                out.push(name.to_owned());
            }
        }
    }
    out
}

fn of_authors(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let starts = |at: &usize| !lower[..*at].ends_with(char::is_alphanumeric);
    let end = OTHERS_BEHIND.iter().filter_map(|label| lower.find(&format!("{label} "))).filter(starts).min();
    &text[..end.unwrap_or(text.len())]
}

fn unlabelled(text: &str) -> Option<&str> {
    let text = text.trim();
    let label = label(text).filter(|(label, rest)| {
        let marked = text[..text.len() - rest.len()].trim_end().ends_with([':', '：']);
        marked || !WORDS_OF_NAMES.contains(label)
    });
    let rest = match label {
        Some((label, _)) if OTHERS.contains(&label) => return None,
        Some((_, rest)) => rest,
        None => text,
    };
    Some(reporter(rest).unwrap_or(rest))
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
        let persons = names.iter().take_while(|name| is_person(name)).count();
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
    for and in [" and ", " & ", " và ", " και ", " и ", " oraz ", " und ", " y ", " et "] {
        parts = parts.into_iter().flat_map(|part| part.split(and)).collect();
    }
    parts
}

/// Whether a text looks like a person's name: two to five words with capitals, or two to four ideographs.
pub(super) fn is_person(name: &str) -> bool {
    const PARTICLES: [&str; 12] =
        ["de", "van", "von", "der", "da", "di", "del", "la", "al", "bin", "den", "dos"];
    const TITLES: [&str; 14] = [
        "director",
        "manager",
        "president",
        "officer",
        "team",
        "correspondent",
        "editor",
        "reporter",
        "news",
        "staff",
        "writer",
        "times",
        "columnist",
        "contributor",
    ];
    let name = name.trim();
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    if words.len() == 1 {
        return (2..=4).contains(&name.chars().count())
            && name.chars().all(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
    }
    (2..=NAME_WORDS).contains(&words.len())
        && !name.chars().any(|c| c.is_ascii_digit())
        && words.iter().all(|word| is_capital(word) || PARTICLES.contains(word))
        && !words.iter().any(|word| TITLES.contains(&word.to_lowercase().as_str()))
}

fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_mail = name.contains('@') && name.contains('.');
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
        && crate::date::date(name).is_none()
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
        let rest = rest.trim_start_matches([' ', ':', '：', '/', '\u{a0}']);
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
