//! Reads the conditions of a selection as users write them.

use std::path::Path;

use gleaner_corpus::query::period;
use gleaner_corpus::{Condition, Query};
use jiff::Timestamp;

use crate::{Filter, Manifest, UrlPatterns};

/// The smallest confidence of documents that are exported by default.
pub const DEFAULT_CONFIDENCE: f64 = 0.1;

/// Maximum number of known names in a message about an unknown one.
const MAX_LISTED: usize = 10;

/// The part of a filter that users write as text: options of `gleaner export`, and arguments of `documents` in
/// Python. The two name them differently, so each method gets the name from a function: `--published-from` or
/// `published_from` for `published-from`.
#[derive(Debug, Clone, Default)]
pub struct SelectionRequest {
    /// Languages, as BCP 47 primary tags in upper or lower case.
    pub languages: Vec<String>,
    /// The first time of the fetch, or the folder of an earlier export from whose end the selection continues.
    pub since: Option<String>,
    /// The end of the time of the fetch, exclusive.
    pub until: Option<String>,
    /// The first time of publication.
    pub published_from: Option<String>,
    /// The last year, month, day or time of publication.
    pub published_to: Option<String>,
    /// Regular expressions of URLs that are left out.
    pub exclude_urls: Vec<String>,
    /// Conditions on fields.
    pub conditions: Vec<String>,
    /// The smallest confidence, 0 to 1. 0 selects all documents.
    pub confidence: f64,
}

impl SelectionRequest {
    /// Returns the filter with these conditions.
    ///
    /// # Errors
    /// A text cannot be read, or a range of time is empty. The message begins with the name of the option.
    pub fn filter(&self, name: fn(&str) -> String) -> Result<Filter, String> {
        let time_of = |option: &str, text: &Option<String>| {
            text.as_deref().map(|text| time(&name(option), text)).transpose()
        };
        let filter = Filter {
            since: self.since.as_deref().map(|text| since(&name("since"), text)).transpose()?,
            until: time_of("until", &self.until)?,
            published_since: time_of("published-from", &self.published_from)?,
            published_until: self
                .published_to
                .as_deref()
                .map(|text| period_of(&name("published-to"), text).map(|(_, end)| end))
                .transpose()?,
            languages: self.languages.iter().map(|tag| tag.to_ascii_lowercase()).collect(),
            excluded_urls: UrlPatterns::new(&self.exclude_urls)
                .map_err(|error| format!("{} {error}", name("exclude-url")))?,
            conditions: self.queries(name)?,
            ..Filter::default()
        };
        for (begin, end, from, to) in [
            ("since", "until", filter.since, filter.until),
            ("published-from", "published-to", filter.published_since, filter.published_until),
        ] {
            if from.zip(to).is_some_and(|(from, to)| from >= to) {
                return Err(format!("{} is after {}: no time is between them", name(begin), name(end)));
            }
        }
        Ok(filter)
    }

    fn queries(&self, name: fn(&str) -> String) -> Result<Vec<Query>, String> {
        let sure = (self.confidence > 0.0).then(|| Ok(Query::from(Condition::confidence(self.confidence))));
        let read =
            |text: &String| text.parse::<Query>().map_err(|error| format!("{} {error}", name("where")));
        sure.into_iter().chain(self.conditions.iter().map(read)).collect()
    }
}

/// Returns the message that no document has one of the wanted values of an option. `what` says what `known` are.
#[must_use]
pub fn unmatched(option: &str, wanted: &[String], what: &str, known: &[String]) -> String {
    let listed = known.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed = if known.is_empty() { "none".to_owned() } else { listed };
    format!("no document matches {option} {}; {what} in this corpus: {listed}{more}", wanted.join(", "))
}

/// Reads a year, a month, a day, a time or an age, the value of the option with this name. Returns the begin of a year,
/// month or day.
///
/// # Errors
/// The text has another form.
pub fn time(option: &str, text: &str) -> Result<Timestamp, String> {
    period_of(option, text).map(|(begin, _)| begin)
}

/// Returns the begin and the exclusive end of the year, month, day or time that the value of an option names.
fn period_of(option: &str, text: &str) -> Result<(Timestamp, Timestamp), String> {
    period(text).map_err(|error| format!("{option} {error}"))
}

/// Reads the value of `since`: a time, or the folder of an earlier export, from whose end the selection continues.
fn since(option: &str, text: &str) -> Result<Timestamp, String> {
    let path = Path::new(text);
    if time(option, text).is_ok() || !path.exists() {
        let of_a_folder =
            |error| format!("{error}, or the folder of an earlier export, which does not exist");
        return time(option, text).map_err(of_a_folder);
    }
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    match Manifest::read(folder).map_err(|error| error.to_string())? {
        Some(manifest) if manifest.complete => Ok(manifest.until),
        Some(_) => Err(format!("{option} {text}: that export is not complete")),
        None => Err(format!("{option} {text}: the folder has no manifest.json")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str) -> String {
        format!("--{name}")
    }

    #[test]
    fn days_and_times_are_read() {
        let read = |text| time("--since", text).map(|time| time.to_string()).ok();
        assert_eq!(read("2026-11-20").as_deref(), Some("2026-11-20T00:00:00Z"));
        assert_eq!(read("2026-11-20T09:30:00+07:00").as_deref(), Some("2026-11-20T02:30:00Z"));
        assert_eq!(read("yesterday"), None);
    }

    #[test]
    fn the_last_day_of_publication_is_whole() {
        let until = |text| period_of("--published-to", text).unwrap().1.to_string();
        assert_eq!(until("2026"), "2027-01-01T00:00:00Z");
        assert_eq!(until("2026-11-20"), "2026-11-21T00:00:00Z");
        assert_eq!(until("2026-11-20T02:30:00Z"), "2026-11-20T02:30:00.000000001Z");
    }

    #[test]
    fn an_error_begins_with_the_name_of_the_option() {
        let text = |text: &str| Some(text.to_owned());
        for (request, begin) in [
            (
                SelectionRequest { until: text("soon"), ..SelectionRequest::default() },
                "--until \"soon\" is not a year",
            ),
            (
                SelectionRequest { conditions: vec!["rain>1".into()], ..SelectionRequest::default() },
                "--where \"rain>1\": there is no field",
            ),
            (
                SelectionRequest {
                    published_from: text("2026-11-21"),
                    published_to: text("2026-11-19"),
                    ..SelectionRequest::default()
                },
                "--published-from is after --published-to: no time",
            ),
        ] {
            let error = request.filter(option).unwrap_err();
            assert!(error.starts_with(begin), "{error}");
        }
    }

    #[test]
    fn the_confidence_is_the_first_condition() {
        let request = SelectionRequest {
            conditions: vec!["words>=100".into()],
            confidence: DEFAULT_CONFIDENCE,
            languages: vec!["VI".into()],
            ..SelectionRequest::default()
        };
        let filter = request.filter(option).unwrap();
        let conditions: Vec<String> = filter.conditions.iter().map(ToString::to_string).collect();
        assert_eq!(conditions, ["confidence>=0.1", "words>=100"]);
        assert_eq!(filter.languages, ["vi"]);
    }
}
