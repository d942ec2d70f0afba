//! Splits lines into sentences and tokens, for the formats CoNLL-U and vertical (one token per line), and for
//! the counts of sentences and tokens.
//!
//! [`gleaner_corpus::quality::sentences`] finds the sentences. It knows abbreviations, because UAX #29 alone
//! would end a sentence after "Mr." and "TP.". Tokens are the segments between the word boundaries of Unicode
//! (UAX #29). "It's" and "3.5" are one token each. Each Vietnamese syllable and each punctuation mark is one
//! token. White space, control characters and zero-width characters are not tokens.
//!
//! Limitation: text in scripts without spaces (Thai, Khmer) is not split into words, and Chinese is split
//! into characters. The limitations of [`gleaner_corpus::quality::sentences`] also apply.

use gleaner_corpus::quality::sentences as split;
use unicode_segmentation::UnicodeSegmentation;

use crate::tagger::TaggedToken;

/// A sentence with at least one token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    /// Whether the next token follows directly, without white space.
    pub(crate) is_glued: bool,
    /// The token of an external tagger.
    pub(crate) tagged: Option<&'a TaggedToken>,
}

impl<'a> Sentence<'a> {
    /// Returns the tokens of an external tagger as a sentence. Returns `None` if there are no tokens.
    pub(crate) fn tagged(tokens: &'a [TaggedToken]) -> Option<Self> {
        let token = |token: &'a TaggedToken| Token {
            text: &token.word,
            is_glued: token.is_glued,
            tagged: Some(token),
        };
        (!tokens.is_empty()).then(|| Self { tokens: tokens.iter().map(token).collect() })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TokenCounts {
    pub(crate) sentences: u64,
    pub(crate) tokens: u64,
}

pub(crate) fn sentences(line: &str) -> impl Iterator<Item = Sentence<'_>> {
    let mut rest = line.trim();
    split(line).filter_map(move |sentence| {
        rest = &rest.trim_start()[sentence.len()..];
        let mut tokens = tokens(sentence);
        let last = tokens.last_mut()?;
        last.is_glued &= rest.chars().next().is_some_and(|next| !is_blank(next));
        Some(Sentence { tokens })
    })
}

fn tokens(sentence: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token> = Vec::new();
    for text in sentence.split_word_bounds() {
        if !text.chars().all(is_blank) {
            tokens.push(Token { text, is_glued: true, tagged: None });
        } else if let Some(last) = tokens.last_mut() {
            last.is_glued = false;
        }
    }
    tokens
}

pub(crate) fn counts(text: &str) -> TokenCounts {
    let mut counts = TokenCounts::default();
    for sentence in text.lines().flat_map(split) {
        let tokens = sentence.split_word_bounds().filter(|text| !text.chars().all(is_blank)).count() as u64;
        counts.sentences += u64::from(tokens > 0);
        counts.tokens += tokens;
    }
    counts
}

/// Whether `c` is white space, a control character or a zero-width character.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes each sentence in brackets, with `+` between glued tokens.
    fn shown(line: &str) -> String {
        let one = |sentence: Sentence| {
            let glue = |token: &Token| format!("{}{}", token.text, if token.is_glued { "+" } else { " " });
            format!("[{}]", sentence.tokens.iter().map(glue).collect::<String>().trim_end())
        };
        sentences(line).map(one).collect()
    }

    #[test]
    fn sentences_and_tokens_of_lines() {
        let cases = [
            ("", ""),
            (" \u{200b} ", ""),
            ("Mưa to. Chợ tan.", "[Mưa to+.][Chợ tan+.]"),
            ("TP.HCM và TP. Huế mưa to.", "[TP.HCM và TP+. Huế mưa to+.]"),
            ("Mr. An paid 3.5 km/h.", "[Mr+. An paid 3.5 km+/+h+.]"),
            ("雨。雨", "[雨+。+][雨]"),
            ("a\u{200b}b c\u{a0}d", "[a b c d]"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown(line), expected, "{line:?}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn counts_are_those_of_the_lists(text in "[\\PC.!? \n\t。]{0,120}") {
            let all: Vec<Sentence> = text.lines().flat_map(sentences).collect();
            let tokens = all.iter().map(|sentence| sentence.tokens.len() as u64).sum();
            proptest::prop_assert_eq!(counts(&text), TokenCounts { sentences: all.len() as u64, tokens });
        }
    }
}
