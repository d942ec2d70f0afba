//! Splits lists of names.

use super::person::is_person;

/// Words between a person and a place or employer.
const PLACES: [&str; 5] = [" in ", " at ", " for ", " from ", " of "];

/// Returns the names in a list, or the parts of the text that are no lists of persons.
pub(super) fn split_parts(text: &str) -> Vec<&str> {
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
    for and in [" and ", " & ", " và ", " και ", " и ", " oraz ", " und ", " y ", " et ", " och ", " og "]
    {
        parts = parts.into_iter().flat_map(|part| part.split(and)).collect();
    }
    parts
}
