//! Reads the names in declarations and by-lines, without labels and the names of the site and its owner.

use super::MAX_AUTHORS;
use super::labels::{is_label, label, of_authors, unlabelled};
use super::organization::{is_organization, is_role};
use super::parts::split_parts;
use super::person::{NAME_WORDS, is_person, may_be_person};
use crate::entities::without_tags;
use crate::month_names::{folded, month};
use crate::printed_date::has_publication_label;
use crate::text::tidy;
use crate::title::{Site, has_other_name, is_site, is_user};
use crate::weekdays::weekday;

const MAX_STATED: usize = 200;

/// Maximum number of parts of a text that are read.
const MAX_PARTS: usize = 100;

/// Maximum length of an author's name in characters. Longer texts are sentences.
const LONGEST: usize = 80;

/// What a page says about its site, to recognize names that are no authors.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    pub(crate) site: Site<'a>,
    /// The copyright notices in `<meta>`.
    pub(crate) owners: Vec<String>,
    /// The authors that JSON-LD declares as persons.
    pub(crate) persons: &'a [String],
    /// The authors that JSON-LD declares as organizations.
    pub(crate) organizations: &'a [String],
}

impl Names<'_> {
    /// Returns the names in declarations. The owner of the copyright does not count.
    pub(super) fn declared(&self, texts: &[String]) -> Vec<String> {
        let texts: Vec<String> =
            texts.iter().map(|text| given_name_first(text).unwrap_or_else(|| text.clone())).collect();
        self.names(&texts, |name| !self.is_owner(name))
    }

    /// Returns the names in texts that readers see. Sentences and labels do not count.
    pub(super) fn printed(&self, texts: &[String]) -> Vec<String> {
        self.names(texts, |name| may_be_person(name) || is_short_credit(name))
    }

    /// Returns the first name of the site, if a text names it as an author.
    pub(super) fn of_site(&self, texts: &[String]) -> Option<String> {
        let cleaned = texts.iter().take(MAX_STATED).map(|text| without_notes(text));
        cleaned.flat_map(|text| names_in(&text)).find(|name| is_site(name, &self.site) && self.is_site(name))
    }

    /// Whether a name is a person's. A declared organization is not a person, even if its
    /// name looks like a person's.
    pub(super) fn is_person(&self, name: &str) -> bool {
        may_be_person(name) && !is_in(self.organizations, name)
    }

    /// Whether a name is that of a newspaper, agency or desk.
    pub(super) fn is_organization(&self, name: &str) -> bool {
        is_organization(name) || is_in(self.organizations, name) || self.is_site(name)
    }

    fn names(&self, texts: &[String], is_accepted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for text in texts.iter().take(MAX_STATED) {
            let mut names = names_in(&without_notes(text));
            names.retain(|name| !self.is_site(name) && is_accepted(name));
            // In `An Example | Health Desk`, only the person is an author.
            if names.iter().any(|name| is_person(name)) {
                names.retain(|name| is_person(name));
            }
            for name in names {
                if out.len() < MAX_AUTHORS && !is_in(&out, &name) {
                    out.push(name);
                }
            }
        }
        out
    }

    fn is_site(&self, name: &str) -> bool {
        (is_site(name, &self.site) || holds_host(name, &self.site)) && !self.is_writers_own(name)
    }

    /// Whether a name is that of a person who has a site: the declared author, a user of a platform such as
    /// `an-example.platform.net`, or a host's name on a site with another name.
    fn is_writers_own(&self, name: &str) -> bool {
        is_person(name)
            && (is_in(self.persons, name) || is_user(name, &self.site) || has_other_name(&self.site, name))
    }

    fn is_owner(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let is_named = |notice: &String| notice.to_lowercase().contains(&lower);
        !is_in(self.persons, name) && self.owners.iter().any(is_named)
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

/// Returns `An Example` for `Example, An`, as libraries write a name.
fn given_name_first(text: &str) -> Option<String> {
    let (family, given) = text.trim().split_once(", ")?;
    let name = format!("{given} {family}");
    let is_of_words =
        |text: &str, most| text.split(' ').count() <= most && text.split(' ').all(|it| !it.is_empty());
    (is_of_words(family, 1) && is_of_words(given, 2) && is_person(&name)).then_some(name)
}

/// Returns the names in a text in the order of the text.
fn names_in(text: &str) -> Vec<String> {
    let parts = of_authors(text).split([';', '；']).filter_map(unlabelled).flat_map(split_parts);
    let names = parts.take(MAX_PARTS).map(|part| without_role(part.trim_matches(is_mark)));
    names.filter(|name| is_name(name)).map(str::to_owned).collect()
}

fn without_notes(text: &str) -> String {
    tidy(&without_parentheses(&without_tags(text)))
}

/// Whether a name is in a list, ignoring case.
fn is_in(names: &[String], name: &str) -> bool {
    !names.is_empty() && {
        let name = name.to_lowercase();
        names.iter().any(|other| other.to_lowercase() == name)
    }
}

pub(super) fn is_mark(c: char) -> bool {
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
        && label(&format!("{name} X")).is_none_or(|label| label.rest != "X")
}

fn holds_host(name: &str, site: &Site) -> bool {
    let rest = site.address.and_then(|address| Some(address.split_once("://")?.1)).unwrap_or_default();
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    host.contains('.') && name.to_lowercase().contains(host)
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
        && !is_label(name)
        && crate::date::date(name).is_none()
        && month(name.trim_end_matches('.')).is_none()
        && (name.contains(' ') || weekday(name).is_none())
        && lower.split_whitespace().count() <= 12
}
