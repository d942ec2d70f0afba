//! Cuts the names out of printed by-lines.

use super::labels::{Role, label};
use super::names::{is_mark, without_parentheses};
use super::organization::is_organization;
use super::parts::{at_words, without_place};
use super::person::{NAME_WORDS, is_person};
use crate::month_names::month;
use crate::printed_date::{has_publication_label, is_change};
use crate::weekdays::weekday;

/// Maximum number of parts of a by-line between separators that are read.
const MAX_PARTS: usize = 8;

/// Maximum length in bytes of a line with a date before the by-line.
const MAX_DATED_LINE: usize = 100;

/// Returns the names behind the label of a printed by-line, if the first is a person's or an organization's. A date
/// may precede the label.
pub(super) fn after_label(text: &str) -> Option<String> {
    at_label(text).or_else(|| at_label(behind_date(text)?))
}

/// Returns the rest of a short line from the label behind a date: `20 November 2026 by An Example`.
fn behind_date(text: &str) -> Option<&str> {
    const LABELS: [&str; 5] = [" by ", " By ", " von ", " por ", " par "];
    let label = LABELS.iter().filter_map(|label| text.find(label)).min()?;
    let has_date = || crate::date::date(&text[..label]).is_some();
    (text.len() <= MAX_DATED_LINE && has_date()).then(|| &text[label + 1..])
}

fn at_label(text: &str) -> Option<String> {
    let found = label(text.trim_start_matches(['-', '–', '—', '(', ' ']))?;
    let is_sure = found.has_colon;
    if found.role != Role::Byline && !(is_sure && found.role == Role::Author) {
        return None;
    }
    let again = label(found.rest).filter(|again| again.role == Role::Byline);
    let line = before_date(again.map_or(found.rest, |again| again.rest));
    let first = first_name(&line)?;
    let is_short = is_sure || first.split_whitespace().count() < NAME_WORDS;
    (is_short && (begins_with_person(&line) || is_organization(first))).then_some(line)
}

/// Returns the newspaper or agency behind the label of a source.
pub(super) fn source(text: &str) -> Option<String> {
    let label =
        label(text.trim_start_matches(['(', '（', ' '])).filter(|label| label.role == Role::Source)?;
    let line = before_date(label.rest);
    let name = line.trim_end_matches([')', '）', '.', ' ']);
    (name.split_whitespace().count() <= NAME_WORDS && !name.contains([',', ':', '：']))
        .then(|| name.to_owned())
}

/// Whether the first name of a list is a person's.
pub(super) fn begins_with_person(names: &str) -> bool {
    first_name(names).is_some_and(|first| is_person(without_place(first)))
}

fn first_name(names: &str) -> Option<&str> {
    names.split(',').flat_map(at_words).next().map(str::trim)
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
        let text = label(part).map_or(part.as_str(), |label| label.rest);
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
