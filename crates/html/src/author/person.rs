//! Decides by its words whether a name is that of a person, and not that of a newspaper, an agency or a role.
//!
//! Limitation: capitals decide, so `Hanoi Harbour` counts as a person.

use super::organization::is_organization;

/// Maximum number of words of a person's name.
pub(super) const NAME_WORDS: usize = 5;

/// Whether a name may be a person's. A name in a script without capitals may be, unless it is an
/// organization's.
pub(super) fn may_be_person(name: &str) -> bool {
    let is_cased = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    is_person(name)
        || !is_cased
            && name.split_whitespace().count() <= NAME_WORDS
            && name.chars().count() <= 30
            && !is_organization(name)
}

/// Whether a text looks like a person's name: two to five words with capitals, or two to four ideographs. A
/// word for a role or an organization shows that it is not.
pub(super) fn is_person(name: &str) -> bool {
    const PARTICLES: [&str; 12] =
        ["de", "van", "von", "der", "da", "di", "del", "la", "al", "bin", "den", "dos"];
    let name = name.trim();
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    if words.len() == 1 {
        return (2..=4).contains(&name.chars().count())
            && name.chars().all(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c))
            && !is_organization(name);
    }
    (2..=NAME_WORDS).contains(&words.len())
        && !name.contains(|c: char| {
            c.is_ascii_digit() || matches!(c, ',' | ';' | ':' | '?' | '!' | '@' | '|' | '/')
        })
        && !begins_with_article(name)
        && words.iter().all(|word| is_capital(word) || PARTICLES.contains(word))
        && !is_organization(name)
}

fn begins_with_article(name: &str) -> bool {
    const ARTICLES: [&str; 6] = ["the", "der", "die", "das", "les", "het"];
    let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
    ARTICLES.contains(&first.as_str())
}
