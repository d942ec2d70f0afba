//! Selects the part of a text to show: the words around the first match.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::{key, without_diacritics, words};

/// Number of words to show before the first match, and in total.
const BEFORE: usize = 8;
const MAX_SHOWN: usize = 40;

const MAX_WORDS: usize = 20_000;

pub(crate) fn snippet<'a>(text: &'a str, query: &str) -> Vec<(&'a str, bool)> {
    let query_words: BTreeSet<String> = words(query).map(|range| key(&query[range])).collect();
    let is_match = |range: &Range<usize>| {
        let key = key(&text[range.clone()]);
        query_words.contains(&key) || query_words.contains(&without_diacritics(&key))
    };
    let all: Vec<(Range<usize>, bool)> = words(text)
        .take(MAX_WORDS)
        .map(|range| (range.clone(), !query_words.is_empty() && is_match(&range)))
        .collect();
    let first = all.iter().position(|(_, is_match)| *is_match).unwrap_or(0).saturating_sub(BEFORE);
    let shown = &all[first..all.len().min(first + MAX_SHOWN)];
    let mut pieces = Vec::new();
    let Some((begin, _)) = shown.first() else { return pieces };
    let mut at = if first == 0 { 0 } else { begin.start };
    for (range, _) in shown.iter().filter(|(_, is_match)| *is_match) {
        pieces.push((&text[at..range.start], false));
        pieces.push((&text[range.clone()], true));
        at = range.end;
    }
    let end = shown.last().map_or(at, |(range, _)| range.end);
    pieces.push((&text[at..end], false));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_searched_for_is_marked() {
        let text = "«Hồ Hòa Bình» cạn nước.";
        let pieces = snippet(text, "hoa BINH");
        assert_eq!(
            pieces,
            [("«Hồ ", false), ("Hòa", true), (" ", false), ("Bình", true), ("» cạn nước", false)]
        );
        assert_eq!(snippet(text, "hóa"), [("«Hồ Hòa Bình» cạn nước", false)]);
        assert_eq!(snippet("", "x"), []);
    }

    #[test]
    fn a_long_text_is_shown_where_the_word_is() {
        let text = format!("{} needle {}", "hay ".repeat(1_000), "hay ".repeat(1_000));
        let pieces = snippet(&text, "needle");
        assert_eq!(pieces[1], ("needle", true));
        assert!(pieces.iter().map(|(piece, _)| piece.len()).sum::<usize>() < 300);
    }
}
