//! Groups URLs by pattern: the shape of the path, and the names of the query parameters.
//!
//! A crawl counts per pattern which visits give something new. Words in a path usually name a part of the site,
//! so the first word stays as it is. Numbers, titles and ids differ between pages, so they are masked:
//!
//! | address | pattern |
//! |---|---|
//! | `/calendar/2026/11` | `/calendar/#/#` |
//! | `/sport/a-title-of-words-12345.html?token=1f` | `/sport/*.html?token` |
//! | `/tag/football` | `/tag/{word}` |
//! | `/list?b=1&a=2&c=3` | `/list?...` |

use std::collections::BTreeSet;

use crate::CanonicalUrl;

/// Further segments of a path are masked together.
const MAX_SEGMENTS: usize = 6;
/// With more parameters, their names are masked. Otherwise the filters of a search would have very many patterns.
const MAX_PARAMETERS: usize = 2;
/// Maximum length of a word, a file extension and a parameter's name in a pattern, in bytes.
const MAX_WORD: usize = 24;
const MAX_EXTENSION: usize = 5;

/// Returns the pattern of a URL: ASCII without spaces, at most some 150 bytes long. `keeps_first` says whether
/// the first segment of a longer path stays as it is if it is a word.
pub(crate) fn pattern(url: &CanonicalUrl, keeps_first: bool) -> String {
    let segments: Vec<&str> = url.path().split('/').skip(1).collect();
    let last = segments.len().saturating_sub(1);
    let mut pattern = String::new();
    for (at, segment) in segments.iter().enumerate().take(MAX_SEGMENTS) {
        let is_kept = keeps_first && at == 0 && (last > 0 || url.url().query().is_some());
        pattern.push('/');
        pattern.push_str(&masked(segment, is_kept, at == last));
    }
    if segments.len() > MAX_SEGMENTS {
        pattern.push_str("/...");
    }
    pattern + &parameters(url)
}

fn masked(segment: &str, is_kept: bool, is_last: bool) -> String {
    let is_extension = |text: &str| {
        (1..=MAX_EXTENSION).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let split = segment.rsplit_once('.').filter(|(_, extension)| is_last && is_extension(extension));
    let (stem, extension) =
        split.map_or((segment, String::new()), |(stem, extension)| (stem, format!(".{extension}")));
    let mask = match stem {
        "" => "",
        _ if stem.bytes().all(|byte| byte.is_ascii_digit()) => "#",
        _ if !is_word(stem) => "*",
        _ if is_kept => stem,
        _ => "{word}",
    };
    format!("{mask}{extension}")
}

/// Whether a text is a word or two, such as `sport` or `the-gioi`, and not the title or the id of a page.
fn is_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    text.len() <= MAX_WORD
        && text.bytes().all(is_plain)
        && text.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count() <= 2
}

fn parameters(url: &CanonicalUrl) -> String {
    let Some(query) = url.url().query() else { return String::new() };
    let name = |part: &str| {
        let name = part.split('=').next().unwrap_or_default();
        if is_parameter_name(name) { name.to_owned() } else { "*".to_owned() }
    };
    let names: BTreeSet<String> = query.split('&').map(name).collect();
    match names.len() {
        0..=MAX_PARAMETERS => format!("?{}", names.into_iter().collect::<Vec<_>>().join("&")),
        _ => "?...".to_owned(),
    }
}

/// Whether a parameter's name is short and has only ASCII letters, digits and some signs.
pub(crate) fn is_parameter_name(name: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'[' | b']');
    (1..=MAX_WORD).contains(&name.len()) && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(address: &str) -> String {
        pattern(&CanonicalUrl::parse(&format!("https://a.vn{address}")).unwrap(), true)
    }

    #[test]
    fn numbers_titles_and_values_are_masked() {
        for (address, expected) in [
            ("/", "/"),
            ("/about", "/{word}"),
            ("/about/", "/about/"),
            ("/a-title-of-four-words", "/*"),
            ("/calendar/2026/11", "/calendar/#/#"),
            ("/calendar/2026/11/05", "/calendar/#/#/#"),
            ("/sport/a-title-of-words-12345.html", "/sport/*.html"),
            ("/sport/a-title-of-words-12345.html?token=1f", "/sport/*.html?token"),
            ("/the-gioi/chau-a/index.html", "/the-gioi/{word}/{word}.html"),
            ("/tag/football", "/tag/{word}"),
            ("/noticia/Z59BAEC38-ADF2-2475/202611/x", "/noticia/*/#/{word}"),
            ("/list?page=2", "/list?page"),
            ("/list?b=1&a=2&b=3", "/list?a&b"),
            ("/list?a=1&b=2&c=3", "/list?..."),
            ("/list?%C3%A0=1", "/list?*"),
            ("/tin/b%C3%A0i", "/tin/*"),
            ("/a/b/c/d/e/f/g/h", "/a/{word}/{word}/{word}/{word}/{word}/..."),
            ("/v1.0/a", "/*/{word}"),
        ] {
            assert_eq!(of(address), expected, "{address}");
        }
    }

    #[test]
    fn a_first_word_may_be_masked_too() {
        let url = CanonicalUrl::parse("https://a.vn/sport/12?a=1").unwrap();
        assert_eq!(pattern(&url, false), "/{word}/#?a");
    }

    proptest! {
        #[test]
        fn a_pattern_is_short_and_printable(path in "(/|[a-z]{1,30}|%1B|[0-9]{1,9}|\\.|-|é){0,20}", query in ".{0,60}") {
            if let Ok(url) = CanonicalUrl::parse(&format!("https://a.vn/{path}?{query}")) {
                let pattern = pattern(&url, true);
                prop_assert!(pattern.len() <= 250, "{pattern}");
                prop_assert!(pattern.bytes().all(|byte| byte.is_ascii_graphic()), "{pattern}");
            }
        }
    }
}
