//! Body Text Extraction as first published: no cleaning, no runs, all pairs of tokens.
//!
//! A. Finn, N. Kushmerick, B. Smyth: Fact or Fiction: content classification for digital libraries, DELOS
//! workshop, 2001. We reconstructed the method from the description by Phan and Ha, and from the commonly
//! quoted objective.
//! * The page is a sequence of tokens. `B[n]` is 1 if token `n` is a tag, and 0 if it is a word.
//! * The method finds the pair `i <= j` that maximizes `T(i, j) = sum B[n] (n < i) + sum (1 - B[n]) (i <= n
//!   <= j) + sum B[n] (n > j)`: tags before, words between and tags after. Each `T` is computed from scratch.
//! * The result is the text from token `i` to token `j`, without tags.
//!
//! The paper leaves some points open. Our choices: each tag and each word in the source is one token,
//! including the words of scripts and style sheets, because the original method does not clean the page ("the
//! original one cannot remove all the HTML codes", section 4 c). An HTML comment or a document type is one
//! tag. If several pairs have the same `T`, the pair with the smallest `i` is used, and if this is not
//! unique, the pair with the smallest `j`.
//!
//! On the same tokens, the other two methods have the same best range, including ties. A best range consists
//! of whole runs, because `T` grows if a tag at the end of the range is left out, or if a word beside the
//! range is added. As in the other methods, a page without words has no result, although `T` has a maximum at
//! a single tag.
//!
//! Cost: cubic in the tokens. Therefore pages with more tokens than [`BteParams::max_tokens`] are searched in
//! linear time, with the same result. Known failure: if the scripts have more words than the article, the
//! result is a script. Step 0 of the improved paper corrects this.
//!
//! ```
//! use gleaner_lab::methods::bte::{BteParams, original};
//! let source = "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
//!     <p>The council met on <b>Monday</b>.</p><script>show(2)</script>\
//!     <p>Work begins &amp; ends in spring.</p><ul><li><a href=/a>About</a></ul>";
//! let lines = original::extract(source, &BteParams::default());
//! let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
//! assert_eq!(text, ["The council met on Monday.", "show(2)", "Work begins & ends in spring."]);
//! ```

use std::ops::Range;

use gleaner_html::source::{PieceKind, pieces, resolve};
use gleaner_html::text::{Line, LineKind, is_block, tidy};

use super::{BteParams, linear};
use gleaner_html::words::words;

const IN_A_BYTE: usize = 128;

/// Returns the text of the best range of tokens, or no lines if the page has no words.
#[must_use]
pub fn extract(source: &str, params: &BteParams) -> Vec<Line> {
    let tokens = Tokens::from_source(source);
    let best = if tokens.len() <= params.max_tokens {
        best_range(&tokens.binary)
    } else {
        linear_range(&tokens.binary)
    };
    best.map(|(i, j)| text(source, tokens.source(i, j))).unwrap_or_default()
}

/// The array `B` of a page's source, with the positions of its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    binary: Vec<bool>,
    /// The first token and the byte range of every text or script with a word, in ascending order.
    texts: Vec<(usize, Range<usize>)>,
}

impl Tokens {
    /// Splits a source into tokens, in linear time.
    #[must_use]
    pub fn from_source(source: &str) -> Self {
        let mut tokens = Self::default();
        for piece in pieces(source) {
            let written = &source[piece.range.clone()];
            match piece.kind {
                PieceKind::Text => tokens.push_words(&resolve(written), piece.range),
                PieceKind::Raw => tokens.push_words(written, piece.range),
                PieceKind::Start { .. } | PieceKind::End { .. } | PieceKind::Remark => {
                    tokens.binary.push(true)
                }
            }
        }
        tokens
    }

    fn push_words(&mut self, text: &str, range: Range<usize>) {
        let first = self.binary.len();
        self.binary.extend(words(text).map(|_| false));
        if self.binary.len() > first {
            self.texts.push((first, range));
        }
    }

    /// Returns `B`, which has `true` for each token that is a tag and `false` for each word.
    #[must_use]
    pub fn binary(&self) -> &[bool] {
        &self.binary
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.binary.len()
    }

    /// Whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.binary.is_empty()
    }

    /// Returns the byte range of the texts whose first token is in `i..=j`, or an empty range if there are
    /// none.
    fn source(&self, i: usize, j: usize) -> Range<usize> {
        let from = self.texts.partition_point(|(first, _)| *first < i);
        let to = self.texts.partition_point(|(first, _)| *first <= j);
        match self.texts.get(from..to) {
            Some([(_, only)]) => only.clone(),
            Some([(_, first), .., (_, last)]) => first.start..last.end,
            _ => 0..0,
        }
    }
}

/// Tries all ranges of tokens, and returns the indices of the first and last token of the range with the
/// largest `T` (see the module), or `None` if there are no words. `binary` comes from [`Tokens::binary`]. The
/// time is cubic in the number of tokens.
#[must_use]
pub fn best_range(binary: &[bool]) -> Option<(usize, usize)> {
    let (mut max, mut best) = (None, None);
    for i in 0..binary.len() {
        for j in i..binary.len() {
            let value = objective(binary, i, j);
            if max.is_none_or(|max| value > max) {
                max = Some(value);
                best = Some((i, j));
            }
        }
    }
    best.filter(|(i, _)| !binary[*i])
}

fn objective(binary: &[bool], i: usize, j: usize) -> u64 {
    let inside = &binary[i..=j];
    ones(&binary[..i]) + (inside.len() as u64 - ones(inside)) + ones(&binary[j + 1..])
}

fn ones(binary: &[bool]) -> u64 {
    binary.chunks(IN_A_BYTE).map(|chunk| u64::from(chunk.iter().map(|tag| u8::from(*tag)).sum::<u8>())).sum()
}

fn linear_range(binary: &[bool]) -> Option<(usize, usize)> {
    linear::best_of(binary.iter().map(|tag| if *tag { 1 } else { -1 }))
}

/// Returns the text of a range of the source, without tags. Block-level tags, `<br>` and scripts end lines.
/// Every line has the kind paragraph.
fn text(source: &str, range: Range<usize>) -> Vec<Line> {
    let (mut buffer, mut out) = (String::new(), Vec::new());
    let inside = pieces(source).skip_while(|piece| piece.range.start < range.start);
    for piece in inside.take_while(|piece| piece.range.end <= range.end) {
        let written = &source[piece.range];
        match piece.kind {
            PieceKind::Text => buffer.push_str(&resolve(written)),
            PieceKind::Raw => {
                end_line(&mut buffer, &mut out);
                buffer.push_str(written);
                end_line(&mut buffer, &mut out);
            }
            PieceKind::Start { name } | PieceKind::End { name } if breaks(name) => {
                end_line(&mut buffer, &mut out);
            }
            PieceKind::Start { .. } | PieceKind::End { .. } | PieceKind::Remark => {}
        }
    }
    end_line(&mut buffer, &mut out);
    out
}

fn breaks(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    is_block(&name) || matches!(name.as_str(), "br" | "title" | "textarea")
}

fn end_line(buffer: &mut String, out: &mut Vec<Line>) {
    let text = tidy(buffer);
    buffer.clear();
    if !text.is_empty() {
        out.push(Line { kind: LineKind::Paragraph, text });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Tokens as Runs, improved};
    use super::*;

    fn plain(source: &str) -> Vec<String> {
        extract(source, &BteParams::default()).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_source_becomes_tokens() {
        let cases: [(&str, &[u8]); 7] = [
            ("", &[]),
            (" | ", &[]),
            ("<p class='x > y'>a &amp; b", &[1, 0, 0]),
            ("Vi&#7879;t Nam</P>", &[0, 0, 1]),
            ("<!DOCTYPE html><!-- a b -->c", &[1, 1, 0]),
            ("<script>var x = 1;</script>", &[1, 0, 0, 0, 1]),
            ("<p", &[1]),
        ];
        for (source, expected) in cases {
            let ones: Vec<u8> =
                Tokens::from_source(source).binary().iter().map(|tag| u8::from(*tag)).collect();
            assert_eq!(ones, expected, "{source}");
        }
        let tokens = Tokens::from_source(&"<p>a".repeat(1_000));
        assert_eq!((tokens.len(), ones(tokens.binary()), tokens.is_empty()), (2_000, 1_000, false));
    }

    #[test]
    fn the_objective_has_three_sums() {
        // 2 tags before, 2 words between, 1 tag after.
        let binary = [1, 0, 1, 0, 1, 0, 0, 1].map(|tag| tag == 1);
        assert_eq!(objective(&binary, 3, 5), 2 + 2 + 1);
        assert_eq!(objective(&[true], 0, 0), 0);
    }

    #[test]
    fn the_range_is_text() {
        assert_eq!(plain(""), Vec::<String>::new());
        assert_eq!(plain("<p><b></b> | "), Vec::<String>::new());
        assert_eq!(
            plain("<a>x</a> <a>y</a><p>one two <i>t&ocirc;i</i> ba<br>4 5</P><b>z"),
            ["one two tôi ba", "4 5"]
        );
        assert_eq!(plain("a<!-- b -->c d"), ["ac d"]);
        assert_eq!(plain("<p>a b c</p><script>d e f g h</script><p>i"), ["a b c", "d e f g h"]);
    }

    #[test]
    fn a_page_of_more_tokens_than_the_bound_has_its_range() {
        let source =
            format!("{}{}{}", "<p>".repeat(500_000), "word ".repeat(100_000), "<b>x".repeat(500_000));
        let lines = plain(&source);
        assert_eq!((lines.len(), lines[0].len()), (1, 499_999));
    }

    fn runs(binary: &[bool]) -> (Vec<i64>, Vec<usize>) {
        let values: Vec<i64> = binary.iter().map(|tag| if *tag { 1 } else { -1 }).collect();
        let encode = Runs::from_runs(&values).encode().to_vec();
        let firsts = encode.iter().scan(0, |at, run| {
            let first = *at;
            *at += run.unsigned_abs() as usize;
            Some(first)
        });
        let firsts = firsts.collect();
        (encode, firsts)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn all_three_find_the_same_range(binary in proptest::collection::vec(any::<bool>(), 0..50)) {
            let original = best_range(&binary);
            prop_assert_eq!(original, linear_range(&binary));
            let (encode, firsts) = runs(&binary);
            let behind = |run: usize| firsts[run] + encode[run].unsigned_abs() as usize - 1;
            let in_tokens = |range: Option<(usize, usize)>| range.map(|(i, j)| (firsts[i], behind(j)));
            prop_assert_eq!(original, in_tokens(improved::best_range(&encode)));
            prop_assert_eq!(original, in_tokens(linear::best_range(&encode)));
        }

        #[test]
        fn the_bound_changes_nothing(source in "(<(p|b|/p|br|script|!--)>|</script>|-->|[a-z]{1,4} |&amp;|[<>. ]|更){0,40}") {
            let bound = |max_tokens| BteParams { max_tokens, ..BteParams::default() };
            prop_assert_eq!(extract(&source, &bound(usize::MAX)), extract(&source, &bound(0)));
        }

        #[test]
        fn what_is_given_stands_in_the_source(source in "(<(p|b|/p|br|title|/title|script|!--)>|</script>|-->|[a-z]{1,4} |[<>. \\x00]|更){0,40}") {
            let tight = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            let shown = pieces(&source).filter(|p| matches!(p.kind, PieceKind::Text | PieceKind::Raw));
            let all: String = shown.map(|piece| tight(&source[piece.range])).collect();
            let given: String = plain(&source).iter().map(|line| tight(line)).collect();
            prop_assert!(all.contains(&given), "{given:?} of {all:?}");
        }
    }
}
