//! Splits lists of names.

use super::organization::is_organization;
use super::person::{NAME_WORDS, is_person};

/// Words between a person and a place or employer.
const PLACES: [&str; 9] =
    [" in ", " at ", " for ", " from ", " of ", " Special to ", " special to ", " For ", " The "];

/// Words between two persons, or between a person and an organization.
const AND: [&str; 15] = [
    " and ", " & ", " với ", " và ", " και ", " и ", " oraz ", " und ", " y ", " et ", " och ", " og ",
    " with ", " avec ", " mit ",
];

/// Marks between a person and another, or between a person and an organization.
const MARKS: [&str; 5] = [" - ", " – ", " — ", "/", "／"];

/// Returns the names in a list: the persons at the beginning of each part, or else the whole part.
pub(super) fn split_parts(text: &str) -> Vec<&str> {
    if text.len() > 1_000 {
        return Vec::new();
    }
    let parts = text.split(['|', '、', '\n', '•', '·']).flat_map(|part| part.split(" / "));
    let names = |part| {
        let persons = persons(part);
        // Without a person, this is no list of persons: the whole part is one name, or not a name.
        if persons.is_empty() { vec![part] } else { persons }
    };
    parts.map(before_organization).flat_map(names).collect()
}

/// Returns the persons at the beginning of a list. In `An Example, Health correspondent`, the texts after the
/// person are roles.
fn persons(part: &str) -> Vec<&str> {
    let names = at_words(part).into_iter().flat_map(|part| part.split([',', '，'])).flat_map(at_marks);
    let names: Vec<&str> =
        names.map(|name| without_place(name.trim())).filter(|name| !name.is_empty()).collect();
    let is_caps = |name: &str| !name.chars().any(char::is_lowercase) && name.chars().any(char::is_uppercase);
    // In `An Example, CITY RADIO`, the capitals are an employer's.
    let is_employer = |name: &str| is_caps(name) && !names.first().is_some_and(|first| is_caps(first));
    let count = names.iter().take_while(|name| is_person(name) && !is_employer(name)).count();
    names[..count].to_vec()
}

/// Splits a text at dashes or slashes if all parts are persons.
fn at_marks(text: &str) -> Vec<&str> {
    let is_list = |mark: &&&str| text.contains(**mark) && text.split(**mark).all(is_person);
    MARKS.iter().find(is_list).map_or_else(|| vec![text], |mark| text.split(*mark).collect())
}

/// Returns the person before a dash or slash and an organization or role: `An Example/Staff`.
fn before_organization(text: &str) -> &str {
    let person = |mark: &&str| {
        let (person, rest) = text.split_once(*mark)?;
        (is_person(person) && is_short_organization(rest)).then_some(person)
    };
    MARKS.iter().find_map(person).or_else(|| in_capitals(text)).unwrap_or(text)
}

/// Returns the person in capitals before an organization that is not: `AN EXAMPLE Associated Press`.
fn in_capitals(text: &str) -> Option<&str> {
    let end = text.find(char::is_lowercase)?;
    let person = text[..end].rsplit_once(' ')?.0;
    (is_person(person) && is_short_organization(&text[person.len()..])).then_some(person)
}

fn is_short_organization(text: &str) -> bool {
    text.split_whitespace().count() <= NAME_WORDS && is_organization(text)
}

/// Returns a person without the place or employer that follows.
pub(super) fn without_place(name: &str) -> &str {
    let is_capital = |rest: &str| rest.trim_start_matches("the ").starts_with(char::is_uppercase);
    let cut = |place: &&str| {
        let (person, rest) = name.split_once(*place)?;
        (is_person(person) && is_capital(rest)).then_some(person)
    };
    PLACES.iter().find_map(cut).unwrap_or(name)
}

/// Splits a text at words for `and`.
pub(super) fn at_words(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for and in AND {
        parts = parts.into_iter().flat_map(|part| part.split(and)).collect();
    }
    parts
}
