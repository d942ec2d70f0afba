//! Finds the publication time in the data that a page contains for its scripts.
//!
//! Scripts are searched for keys such as `publishedAt`, `datePublished`, `first_publication_date` and
//! `pubDate`. Keys inside a JSON string are found too, although their quotes have backslashes. Such data
//! often contain other articles too, so the time is used only if all values have the same day.

use memchr::memmem::find_iter;

use crate::Page;
use crate::date::{PartialDateTime, Reader};

/// Parts of keys for the publication time, in lower case. The rest of the key may be anything.
const KEYS: [&str; 4] = ["publish", "publication", "pubdate", "pub_date"];

/// Parts of keys for other dates.
const OTHERS: [&str; 6] = ["unpublish", "last", "updated", "modified", "publisher", "expir"];

const MOST: usize = 50;

/// Maximum length in bytes of a key and of a value.
const LONGEST: usize = 60;

/// Quotation marks of keys and values. In a JSON string, backslashes precede them.
const QUOTES: [char; 3] = ['\\', '"', '\''];

/// Returns the publication time in the scripts. Returns `None` if there is no time, or if the days differ.
pub(super) fn embedded_date(page: &Page, reader: &Reader) -> Option<PartialDateTime> {
    let scripts: Vec<String> = page.elements("script").map(|id| page.raw_text(id)).collect();
    let mut found =
        scripts.iter().flat_map(|script| values(script)).filter_map(|value| reader.moment(value)).take(MOST);
    let first = found.next()?;
    found.all(|other| other.day == first.day).then_some(first)
}

fn values(script: &str) -> impl Iterator<Item = &str> {
    let lower = script.to_ascii_lowercase();
    let mut starts: Vec<usize> =
        KEYS.iter().flat_map(|key| find_iter(lower.as_bytes(), key.as_bytes()).collect::<Vec<_>>()).collect();
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().filter_map(move |at| value(script, at))
}

/// Returns the value of the key at a position: `"publishedAt":"2026-11-20"`, also with `\"` for `"`, or
/// `publish_date:'2026-11-20'`. Reads at most [`LONGEST`] bytes of a key and of a value, because a script may
/// consist of one long word.
fn value(script: &str, at: usize) -> Option<&str> {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let bytes = script.as_bytes();
    let before = bytes[at.saturating_sub(LONGEST)..at].iter().rev().take_while(|byte| is_key(byte)).count();
    let behind = bytes[at..].iter().take(LONGEST).take_while(|byte| is_key(byte)).count();
    if before + behind >= LONGEST {
        return None;
    }
    let key = script[at - before..at + behind].to_ascii_lowercase();
    let is_quoted = script[..at - before].ends_with(['"', '\'']);
    if OTHERS.iter().any(|other| key.contains(other)) {
        return None;
    }
    let rest =
        if is_quoted { script[at + behind..].trim_start_matches(QUOTES) } else { &script[at + behind..] };
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    // A key without quotes must be followed by a quoted text.
    if !is_quoted && !rest.starts_with(['"', '\'']) {
        return None;
    }
    let rest = rest.trim_start_matches(QUOTES);
    let end = rest.bytes().take(LONGEST).position(|byte| b"\"'\\,}".contains(&byte))?;
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: Option<&str>) {
        let page = Page::parse(&format!("<script>{script}</script>"));
        assert_eq!(
            embedded_date(&page, &Reader::default()).map(|date| date.to_string()).as_deref(),
            expected,
            "{script}"
        );
    }

    #[test]
    fn values_of_keys() {
        let at = Some("2026-11-20T09:30:00Z");
        check(r#"{"publishedAt":"2026-11-20T09:30:00Z"}"#, at);
        check(r#"x=[1,"{\"first_publication_date\":\"2026-11-20T09:30:00+0000\"}"]"#, at);
        check(r#"{"post": {"datePublished" : "2026-11-20T09:30:00Z", "lastPublishedAt":"2026-11-22"}}"#, at);
        check(r#"{"published_time":1795167000}"#, at);
        check(r#"{"pubDate":"Fri, 20 Nov 2026 09:30:00 GMT"}"#, None);
        check(r#"{"a":{"publishDate":"2026-11-20"},"b":{"publishDate":"2026-11-20"}}"#, Some("2026-11-20"));
        check("utag_data={publish_date:'2026-11-20'}", Some("2026-11-20"));
    }

    #[test]
    fn values_of_other_keys_and_articles() {
        for script in [
            r#"{"publishDate":"2026-11-20","other":{"publishDate":"2026-11-19"}}"#,
            r#"{"publisher":"2026-11-20"}"#,
            r#"{"lastPublished":"2026-11-20"}"#,
            "publishDate = 2026-11-20",
            r#"{"published":true}"#,
            "x={publish:2026-11-20}",
            r#""publish"#,
            "",
        ] {
            check(script, None);
        }
    }

    #[test]
    fn one_long_word_takes_linear_time() {
        let key = r#"{"publishedAt":"2026-11-20"}"#;
        for word in ["publish", "publishedAt", "pub_date_"] {
            check(&format!("{key} {}", word.repeat(500_000)), Some("2026-11-20"));
            check(&format!("{key} \"publish\":{}", word.repeat(500_000)), Some("2026-11-20"));
        }
    }
}
