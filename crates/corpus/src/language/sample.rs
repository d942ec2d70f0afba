//! Takes a sample of a long text: equally long pieces from its beginning, middle and end.
//!
//! Limitation: a passage in another language between these pieces is not noticed.

use std::borrow::Cow;

const PIECES: usize = 3;

/// Returns the text itself if it has at most `most` bytes. Otherwise returns pieces of at most `most` bytes
/// in total, one per line, cut at white space if possible.
pub(super) fn sample(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let length = most / PIECES - 1;
    let step = (text.len() - length) / (PIECES - 1);
    let pieces: Vec<&str> = (0..PIECES).map(|at| piece(text, at * step, length)).collect();
    Cow::Owned(pieces.join("\n"))
}

fn piece(text: &str, begin: usize, length: usize) -> &str {
    let piece = &text[text.ceil_char_boundary(begin)..text.floor_char_boundary(begin + length)];
    let from = if begin == 0 { 0 } else { piece.find(char::is_whitespace).unwrap_or(0) };
    let rest = &piece[from..];
    rest.rfind(char::is_whitespace).filter(|to| *to > 0).map_or(rest, |to| &rest[..to]).trim()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_come_from_all_parts_without_torn_words() {
        let text: String = (0..300).map(|number| format!("w{number} ")).collect();
        let sample = sample(&text, 120);
        let words: Vec<&str> = sample.split_whitespace().collect();
        assert!(words.iter().all(|word| text.contains(&format!("{word} "))), "{sample}");
        assert_eq!((words[0], sample.lines().count()), ("w0", 3));
        let numbers: Vec<u32> = words.iter().map(|word| word[1..].parse().unwrap()).collect();
        assert!(numbers.is_sorted() && numbers.iter().any(|number| (140..160).contains(number)), "{sample}");
        assert!(numbers[numbers.len() - 1] >= 298, "{sample}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_sample_is_bounded(text in "(\\PC|[ \nàễ漢]){0,400}", most in 30usize..200) {
            let taken = sample(&text, most);
            prop_assert!(taken.len() <= most);
            prop_assert!(text.len() > most || taken == text);
        }
    }
}
