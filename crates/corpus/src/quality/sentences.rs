//! Splits a line into sentences at punctuation marks.
//!
//! A sentence ends after `.`, `!`, `?` or `…`, and after closing quotes or brackets that follow the mark.
//! White space must follow, and then a character that is not a lower-case letter. A sentence always ends
//! after `。`, `！`, `？`, `।` and `။`. It does not end at a full stop after a known abbreviation, a single
//! capital letter, or a number at the beginning of the sentence.
//!
//! Limitation: only about forty English and Vietnamese abbreviations are known. A full stop after any other
//! abbreviation can end a sentence. A sentence that ends with a known abbreviation ("to the U.S. They ...")
//! is not split. The result is good enough for a mean length. The accuracy was not evaluated.

/// Lower-case abbreviations after which a full stop does not end a sentence, in sorted order.
const ABBREVIATIONS: [&str; 44] = [
    "bs", "capt", "co", "col", "corp", "cty", "dr", "ds", "gen", "gov", "gs", "hon", "inc", "jan", "jr",
    "ks", "lt", "ltd", "maj", "mr", "mrs", "ms", "mt", "no", "nxb", "pgs", "prof", "rep", "rev", "sen",
    "sept", "sgt", "sr", "st", "th", "ths", "tp", "ts", "tt", "tx", "ubnd", "v.v", "vol", "vs",
];

/// Returns the sentences of a line in order, trimmed and not empty.
///
/// ```
/// let line = "Dr. Lan came at 3.30 p.m. on Monday. \"Why?\" he asked. Nobody knew";
/// let sentences: Vec<&str> = gleaner_corpus::quality::sentences(line).collect();
/// assert_eq!(sentences, ["Dr. Lan came at 3.30 p.m. on Monday.", "\"Why?\" he asked.", "Nobody knew"]);
/// ```
pub fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at(end(rest));
        rest = after.trim_start();
        Some(sentence)
    })
}

fn end(text: &str) -> usize {
    let mut from = 0;
    while let Some((at, mark)) = next_mark(text, from) {
        let after = at + mark.len_utf8();
        let rest = text[after..].trim_start_matches(is_closing);
        let end = text.len() - rest.len();
        if is_wide_mark(mark) || (begins_sentence(rest) && (mark != '.' || !is_abbreviated(&text[..at]))) {
            return end;
        }
        // Continues after the whole sequence of marks, so that even a long sequence is read only once.
        from = end;
    }
    text.len()
}

fn next_mark(text: &str, from: usize) -> Option<(usize, char)> {
    let (at, mark) = text[from..].char_indices().find(|(_, c)| is_mark(*c) || is_wide_mark(*c))?;
    Some((from + at, mark))
}

const fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…')
}

const fn is_wide_mark(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '।' | '။')
}

const fn is_closing(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』')
}

/// Whether a sentence begins here: white space, followed by a character that is not a lower-case letter.
fn begins_sentence(rest: &str) -> bool {
    let next = rest.trim_start();
    next.len() < rest.len() && next.chars().next().is_some_and(|c| !c.is_lowercase())
}

fn is_abbreviated(before: &str) -> bool {
    let begin = before.rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“'));
    let word = begin.map_or(before, |at| before[at..].trim_start_matches(|c: char| !c.is_alphanumeric()));
    let mut chars = word.chars();
    let is_initial = matches!((chars.next(), chars.next()), (Some(first), None) if first.is_uppercase());
    let counts = begin.is_none() && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    // In "PGS.TS", the part after the last full stop decides whether it is an abbreviation.
    let tail = word.rsplit('.').next().unwrap_or(word).to_lowercase();
    let known = |word: &str| ABBREVIATIONS.binary_search(&word).is_ok();
    is_initial || counts || known(&tail) || known(&word.to_lowercase()) || is_dotted(word)
}

fn is_dotted(word: &str) -> bool {
    word.contains('.') && word.split('.').all(|part| part.chars().count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_in_order_for_the_search() {
        assert!(ABBREVIATIONS.is_sorted());
    }

    #[test]
    fn sentences_of_lines() {
        let cases: [(&str, &[&str]); 14] = [
            ("", &[]),
            ("   ", &[]),
            ("Mưa", &["Mưa"]),
            ("Mưa to. Chợ tan sớm.", &["Mưa to.", "Chợ tan sớm."]),
            ("TP. Hồ Chí Minh mưa. GS. Lan về.", &["TP. Hồ Chí Minh mưa.", "GS. Lan về."]),
            ("PGS.TS. Nguyễn An nói.", &["PGS.TS. Nguyễn An nói."]),
            ("Giá 3.000 đồng. Rẻ!", &["Giá 3.000 đồng.", "Rẻ!"]),
            ("\"Đi đâu?\" anh hỏi.", &["\"Đi đâu?\" anh hỏi."]),
            ("He said \"Go.\" They went.", &["He said \"Go.\"", "They went."]),
            ("1. Rửa rau. 2. Luộc.", &["1. Rửa rau.", "2. Luộc."]),
            ("J. Smith of the U.S. Senate spoke.", &["J. Smith of the U.S. Senate spoke."]),
            ("Wait... What?", &["Wait...", "What?"]),
            ("雨が降った。市場は閉じた。", &["雨が降った。", "市場は閉じた。"]),
            ("...", &["..."]),
        ];
        for (line, expected) in cases {
            assert_eq!(sentences(line).collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn a_long_line_of_marks_is_read_once() {
        let line = ". ".repeat(1_000_000);
        assert_eq!(sentences(&line).count(), 1_000_000);
        assert_eq!(sentences(&".".repeat(1_000_000)).count(), 1);
        assert_eq!(sentences(&"a.".repeat(200_000)).count(), 1);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn nothing_but_white_space_is_lost(line in "[\\PC.!? \"A]{0,80}") {
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            let joined: String = sentences(&line).collect();
            proptest::prop_assert_eq!(bare(&joined), bare(&line));
            proptest::prop_assert!(sentences(&line).all(|one| !one.is_empty()));
        }
    }
}
